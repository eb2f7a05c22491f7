"""A report in a real browser: it opens without asking anybody for anything."""

from __future__ import annotations

import shutil
import socketserver
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import incrowd as ic
from engines.extras import skip

CHROMIUM = shutil.which("chromium") or ""
QUIET = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-features=NetworkTimeServiceQuerying,OptimizationHints,MediaRouter",
    "--proxy-bypass-list=<-loopback>",
]


class _Listener(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        self.server.heard.append(self.request.recv(200))  # type: ignore[attr-defined]


@pytest.fixture
def proxy() -> Iterator[tuple[int, list[bytes]]]:
    """Listen where a browser would send every request that leaves the machine."""
    with socketserver.TCPServer(("127.0.0.1", 0), _Listener) as server:
        server.heard = []  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1], server.heard  # type: ignore[attr-defined]
        server.shutdown()


@pytest.fixture
def report(tmp_path: Path) -> Path:
    table = [{"age": 20 + number % 30, "disease": "abc"[number % 3]} for number in range(90)]
    schema = ic.Schema(quasi={"age": ic.intervals(5, 10)}, sensitive=["disease"])
    return ic.anonymize(table, schema, model="k>=3").report(tmp_path / "report.html")


def browse(page: Path, port: int, *more: str) -> subprocess.CompletedProcess[str]:
    if not CHROMIUM:
        skip("chromium is not installed: apt-get install --no-install-recommends chromium")
    command = [CHROMIUM, *QUIET, f"--proxy-server=127.0.0.1:{port}", f"--user-data-dir={page.parent}/profile", *more]
    return subprocess.run(
        [*command, page.as_uri()], capture_output=True, text=True, check=False, timeout=120, stdin=subprocess.DEVNULL
    )


def test_a_report_asks_nobody(report: Path, proxy: tuple[int, list[bytes]]) -> None:
    port, heard = proxy
    shown = browse(report, port, "--dump-dom").stdout
    assert "KEEPS its promises (k&gt;=3), but look at what was found" in shown
    assert shown.count("<svg") >= 7
    assert [request for request in heard if b"google" not in request] == []  # the browser looks for its own updates


def test_the_listener_would_hear_a_page_that_asks(tmp_path: Path, proxy: tuple[int, list[bytes]]) -> None:
    port, heard = proxy
    page = tmp_path / "asks.html"
    page.write_text('<img src="http://example.org/pixel.png">')
    browse(page, port, "--dump-dom", "--virtual-time-budget=2000")
    assert any(b"example.org" in request for request in heard)
