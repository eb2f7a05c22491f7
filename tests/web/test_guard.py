from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from incrowd.web._app import server_config
from incrowd.web._guard import Guard, Settings
from web.serving import Server, Visitor, serving, until


@pytest.fixture
def server(folder: Path) -> Iterator[tuple[FastAPI, str]]:
    with serving(folder, max_upload=2**20, max_body=10_000) as found:
        yield found


@pytest.fixture
def stranger(server: tuple[FastAPI, str]) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server[1]) as client:
        yield client


@pytest.mark.parametrize("path", ["/", "/open", "/api/session", "/api/openapi.json", "/static/look.css", "/nowhere"])
def test_nothing_is_told_to_a_browser_that_never_had_the_token(stranger: httpx.Client, path: str) -> None:
    answer = stranger.get(path)
    assert answer.status_code == 403
    assert answer.json()["code"] == "forbidden"


def test_a_wrong_token_opens_nothing(stranger: httpx.Client) -> None:
    assert stranger.get("/", params={"token": "guess"}).status_code == 403


def test_the_token_becomes_a_cookie_that_no_script_and_no_other_site_gets(server: tuple[FastAPI, str]) -> None:
    app, address = server
    answer = httpx.get(address, params={"token": app.state.token})
    assert answer.status_code == 303
    assert answer.headers["location"] == "/"
    assert answer.headers["set-cookie"].split("; ")[1:] == ["HttpOnly", "SameSite=Strict", "Path=/"]


def test_the_token_works_once(server: tuple[FastAPI, str], stranger: httpx.Client) -> None:
    app, address = server
    with Visitor(app, address) as first:
        answer = stranger.get("/", params={"token": app.state.token})
        assert answer.status_code == 403
        assert answer.json()["message"] == "The address has been used already."
        assert first.get("/", params={"token": app.state.token}).status_code == 303


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1.evil.example", ""])
def test_a_name_that_somebody_else_points_here_is_refused(server: tuple[FastAPI, str], host: str) -> None:
    with Visitor(*server) as visitor:
        answer = visitor.get("/api/session", headers={"Host": host})
        assert answer.status_code == 403
        assert "name" in answer.json()["message"]


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1"])
def test_another_origin_is_refused_even_with_cookie_and_token(server: tuple[FastAPI, str], origin: str) -> None:
    with Visitor(*server) as visitor:
        answer = visitor.post("/api/plan/undo", headers={"Origin": origin})
        assert answer.status_code == 403
        assert answer.json()["code"] == "forbidden"


def test_our_own_origin_is_let_through(server: tuple[FastAPI, str]) -> None:
    with Visitor(*server) as visitor:
        assert visitor.post("/api/plan/undo", headers={"Origin": server[1]}).status_code == 409


def test_a_page_elsewhere_cannot_load_our_answers(server: tuple[FastAPI, str]) -> None:
    with Visitor(*server) as visitor:
        embedded = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
        assert visitor.get("/api/plan", headers=embedded).status_code == 403
        assert visitor.get("/api/plan", headers={"Sec-Fetch-Site": "same-origin"}).status_code == 200


def test_cookies_of_other_servers_of_this_computer_do_not_shut_us_out(server: tuple[FastAPI, str]) -> None:
    app, address = server
    keys = app.state.office.keys
    with Visitor(app, address) as visitor:
        own = f"{keys.name}={keys.cookie}"
        visitor.cookies.clear()
        for cookies in (f'odd=a b"c,; {own}', f"{keys.name}=forged; {own}", f"{own}; {keys.name}=forged"):
            assert visitor.get("/api/session", headers={"Cookie": cookies}).status_code == 200
        for cookies in (f"{keys.name}=forged", f"x{own}", f"{keys.name}=", keys.cookie):
            assert visitor.get("/api/session", headers={"Cookie": cookies}).status_code == 403


@pytest.mark.parametrize("length", ["9" * 5_000, "-1", "1e9", "0x10", "\u0661"])
def test_a_length_that_is_no_sensible_number_is_refused(server: tuple[FastAPI, str], length: str) -> None:
    app, address = server
    told: list[Any] = []

    async def send(message: Any) -> None:
        told.append(message)

    host = address.removeprefix("http://").encode()
    headers = [(b"host", host), (b"content-length", length.encode("latin-1", errors="replace"))]
    scope = {"type": "http", "method": "POST", "path": "/api/jobs", "query_string": b"", "headers": headers}
    guarded: Any = app
    guard: Any = Guard(guarded, app.state.office.settings, app.state.office.keys)
    asyncio.run(guard(scope, None, send))
    assert told[0]["status"] == 400


CANARY = "Cassandra-77"


def test_an_answer_to_what_nobody_expected_is_guarded_too_and_leaves_nothing_in_a_log(
    server: tuple[FastAPI, str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken() -> None:
        raise KeyError(CANARY)

    with Visitor(*server) as visitor:
        monkeypatch.setattr(server[0].state.office.plans, "show", broken)
        answer = visitor.get("/api/plan")
    assert (answer.status_code, answer.json()["code"]) == (500, "fault")
    assert CANARY not in answer.text
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert [one for one in caplog.records if one.name.startswith("uvicorn")] == []
    assert answer.headers["x-content-type-options"] == "nosniff"


CHANGES = [
    ("POST", "/api/files?name=a.csv"),
    ("POST", "/api/example"),
    ("POST", "/api/open"),
    ("PATCH", "/api/plan"),
    ("PUT", "/api/plan/text"),
    ("POST", "/api/plan/undo"),
    ("POST", "/api/jobs"),
    ("POST", "/api/jobs/1/stop"),
]


@pytest.mark.parametrize(("method", "path"), CHANGES)
@pytest.mark.parametrize("token", ["", "wrong"])
def test_a_change_without_the_token_of_the_page_is_refused(
    server: tuple[FastAPI, str], folder: Path, method: str, path: str, token: str
) -> None:
    with Visitor(*server) as visitor:
        answer = visitor.request(method, path, headers={"X-Incrowd-Token": token}, json={})
        assert (answer.status_code, answer.json()["code"]) == (403, "token")
    assert [entry.name for entry in folder.iterdir() if entry.name != ".incrowd"] == ["patients.csv"]


@pytest.mark.parametrize("path", ["/open", "/api/session", "/nowhere", "/api/runs/77"])
def test_every_answer_forbids_inline_scripts_and_foreign_ones(server: tuple[FastAPI, str], path: str) -> None:
    with Visitor(*server) as visitor:
        headers = visitor.get(path).headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"


def test_pages_have_no_inline_script_and_load_nothing_from_elsewhere(server: tuple[FastAPI, str]) -> None:
    with Visitor(*server) as visitor:
        for screen in visitor.ask("GET", "/api/session")["screens"]:
            page = visitor.get(f"/{screen['name']}").text
            assert "<script>" not in page
            assert " onclick=" not in page
            assert "//" not in page.replace("http://www.w3.org/", "")


def test_a_request_that_says_to_be_too_large_is_not_read(server: tuple[FastAPI, str]) -> None:
    with Visitor(*server) as visitor:
        answer = visitor.put("/api/plan/text", json={"text": "x" * 20_000})
        assert (answer.status_code, answer.json()["code"]) == (413, "too-large")


def test_a_request_that_does_not_say_how_large_it_is_is_cut_off(server: tuple[FastAPI, str]) -> None:
    with Visitor(*server) as visitor:
        answer = visitor.put("/api/plan/text", content=(b"x" * 1_000 for _ in range(20)))
        assert (answer.status_code, answer.json()["code"]) == (413, "too-large")


def test_the_secrets_of_two_servers_differ(folder: Path) -> None:
    with serving(folder) as (one, _), serving(folder) as (two, _):
        keys = [app.state.office.keys for app in (one, two)]
        assert len({secret for key in keys for secret in (key.first, key.cookie, key.change)}) == 6


PATIENCE = 0.4


def dripped(address: str, said: bytes, drops: Iterable[bytes]) -> tuple[bytes, float]:
    """Say something at once and the rest drop by drop, until somebody hangs up; give the answer and the seconds."""
    host, _, port = address.removeprefix("http://").partition(":")
    begun, heard = time.monotonic(), b""
    with socket.create_connection((host, int(port))) as line, contextlib.suppress(ConnectionError):
        line.settimeout(0.1)
        line.sendall(said)
        for drop in drops:
            line.sendall(drop)
            with contextlib.suppress(TimeoutError):
                part = line.recv(65_536)
                heard += part
                if not part:
                    break
    return heard, time.monotonic() - begun


DROPS = [b"x"] * 200
ASKED = b"GET /api/session HTTP/1.1\r\nHost: %s\r\n\r\n"


@pytest.mark.parametrize(
    ("said", "drops"),
    [
        (b"", [b""] * 200),
        (b"", [b"G", b"E", b"T", b" ", b"/", *DROPS]),
        (b"GET / HTTP/1.1\r\nHost: somewhere\r\nX-Long: ", DROPS),
        (b"POST /api/jobs HTTP/1.1\r\nHost: somewhere\r\nContent-Length: 5000\r\n\r\n", DROPS),
        (ASKED + b"GET /", DROPS),
    ],
    ids=["silence", "request", "header", "body nobody waits for", "second request"],
)
def test_who_takes_too_long_to_ask_is_cut_off(said: bytes, drops: list[bytes], folder: Path) -> None:
    with serving(folder, patience=PATIENCE) as (_, address):
        said = said.replace(b"%s", address.removeprefix("http://").encode())
        assert dripped(address, said, drops)[1] < 10


def test_who_sends_the_body_of_a_request_byte_by_byte_is_told_and_cut_off(folder: Path) -> None:
    with serving(folder, patience=PATIENCE) as (app, address), Visitor(app, address) as visitor:
        keys = app.state.office.keys
        names = {"Host": address.removeprefix("http://"), "Cookie": f"{keys.name}={keys.cookie}"}
        names |= {"X-Incrowd-Token": keys.change, "Content-Length": "5000"}
        head = "".join(f"{name}: {value}\r\n" for name, value in names.items())
        for path in ("/api/jobs", "/api/files?name=a.csv"):
            heard, seconds = dripped(address, f"POST {path} HTTP/1.1\r\n{head}\r\n".encode(), DROPS)
            assert heard.startswith(b"HTTP/1.1 408 ")
            assert b"The request comes too slowly." in heard
            assert seconds < 10
        assert [one["name"] for one in visitor.ask("GET", "/api/files")["files"]] == ["patients.csv"]


@contextlib.contextmanager
def answering(app: Any, folder: Path) -> Iterator[str]:
    """Serve something else in the way in which the page is served."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = server_config(app, Settings(folder, patience=PATIENCE))
        config.lifespan = "off"
        server = Server(config)
        listening = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        listening.start()
        try:
            until(lambda: server.started)
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            listening.join()


START = {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]}


def test_an_answer_may_take_its_time(folder: Path) -> None:
    async def slow(_: Any, __: Any, send: Any) -> None:
        await asyncio.sleep(4 * PATIENCE)
        await send(START)
        await asyncio.sleep(4 * PATIENCE)
        await send({"type": "http.response.body", "body": b"at last"})

    with answering(slow, folder) as address:
        assert httpx.get(address, timeout=60).text == "at last"


def test_who_does_not_take_an_answer_is_cut_off(folder: Path) -> None:
    ended = threading.Event()

    async def long(_: Any, __: Any, send: Any) -> None:
        await send(START)
        for _ in range(2_000):
            await send({"type": "http.response.body", "body": bytes(2**16), "more_body": True})
        ended.set()

    with answering(long, folder) as address:
        port = int(address.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as line:
            line.sendall(b"GET / HTTP/1.1\r\nHost: somewhere\r\n\r\n")
            assert ended.wait(timeout=20)
