"""The command, as somebody types it."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from incrowd.cli import main
from incrowd.web._app import alone_in
from web.serving import PLAN, until

CANARY = "Cassandra-77"


@contextlib.contextmanager
def started(folder: Path, *more: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start the command, and give it with the address that it prints."""
    command = [sys.executable, "-c", "from incrowd.cli import main; main()", "serve", str(folder), "--port", "0", *more]
    without = {name: text for name, text in os.environ.items() if name not in {"DISPLAY", "WAYLAND_DISPLAY"}}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=without) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def listening(port: int) -> list[str]:
    """Give the local addresses, in hexadecimal, on which somebody listens at a port."""
    lines = [
        line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]
    ]
    return [line[1].split(":")[0] for line in lines if line[3] == "0A" and int(line[1].split(":")[1], 16) == port]


def children(number: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{number}/task/{number}/children").read_text().split()]


def gone(number: int) -> bool:
    path = Path(f"/proc/{number}/stat")
    return not path.exists() or path.read_text().rpartition(")")[2].split()[0] in {"Z", "X"}


def test_it_listens_here_only_prints_the_address_tells_no_values_and_ends_with_ctrl_c(folder: Path) -> None:
    (folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    text = (folder / "patients.csv").read_text(encoding="utf-8").replace("Ann", CANARY)
    (folder / "patients.csv").write_text(text, encoding="utf-8")
    with started(folder, "--no-browser") as (process, address):
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=[\w-]{43}", address)
        assert found is not None
        assert listening(int(found[1])) == ["0100007F"]
        with httpx.Client(base_url=f"http://127.0.0.1:{found[1]}", timeout=60) as client:
            client.get(address)
            assert client.get("/api/table/values", params={"column": "name"}).text.count(CANARY) == 1
            assert client.get(f"/api/table/values?column={CANARY}").status_code == 422
        workers = children(process.pid)
        assert workers
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=30)
        assert process.returncode == 130
        until(lambda: all(map(gone, workers)))
    assert out == ""
    assert CANARY not in said
    assert said.splitlines()[-1] == "stopped."


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGHUP])
def test_workers_go_with_a_server_that_is_told_to_end(folder: Path, by: signal.Signals) -> None:
    (folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    with started(folder) as (process, address):
        with httpx.Client(timeout=60) as client:
            client.get(address)
            assert client.get(httpx.URL(address).join("/api/table/rows")).status_code == 200
        workers = children(process.pid)
        process.send_signal(by)
        assert "Traceback" not in process.communicate(timeout=30)[1]
        until(lambda: all(map(gone, workers)))


def test_another_host_is_warned_about(folder: Path) -> None:
    with started(folder, "--host", "127.0.0.2") as (process, address):
        assert address.startswith("http://127.0.0.2:")
        process.send_signal(signal.SIGINT)
        assert "warning: others can reach this server at 127.0.0.2." in process.communicate(timeout=30)[1]


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(["serve", *arguments])
    return int(left.value.code or 0)


def test_a_folder_that_is_not_there_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(str(tmp_path / "nowhere")) == 2
    assert "There is no folder" in capsys.readouterr().err


def test_a_folder_that_is_not_there_is_said_before_what_is_not_installed(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("incrowd.cli._serve.NEEDED", ("not_installed_anywhere",))
    assert run(str(tmp_path / "nowhere")) == 2
    assert "There is no folder" in capsys.readouterr().err
    assert run(str(folder)) == 3
    assert "not-installed-anywhere" in capsys.readouterr().err


def test_a_port_that_is_taken_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        assert run(str(folder), "--port", str(other.getsockname()[1])) == 3
    assert "hint: another server may be there" in capsys.readouterr().err


def test_two_servers_do_not_share_a_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with alone_in(folder):
        assert run(str(folder), "--port", "0") == 3
    assert "Another incrowd serve works in this folder." in capsys.readouterr().err
    with alone_in(folder):  # it is free again
        assert (folder / ".incrowd/lock").stat().st_mode & 0o077 == 0


def test_what_a_server_left_that_was_killed_is_removed_by_the_next_one(folder: Path) -> None:
    """Uploads and plans that were not finished hold values of tables; what is called alike stays."""
    ours = folder / ".incrowd"
    ours.mkdir(exist_ok=True)
    for name in ("draft-0123abcd", ".upload-0123456789abcdef.csv-0123456789abcdef.part"):
        (ours / name).mkdir()
        (ours / name / "people.csv").write_text(CANARY)
    (ours / "upload-0123456789abcdef.csv").write_text(CANARY)
    (ours / "uploads.json").write_text("{}")
    (folder / "draft-0123abcd").write_text("mine")
    with alone_in(folder):
        assert {path.name for path in ours.iterdir()} == {"lock", "uploads.json"}
    assert (folder / "draft-0123abcd").exists()


def test_a_missing_extra_is_said_with_the_way_to_get_it(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert run(str(folder)) == 3
    said = capsys.readouterr().err
    assert "The page needs the library 'uvicorn', which is not installed." in said
    assert "pip install 'incrowd[web]'" in said
