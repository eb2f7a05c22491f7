"""A server on a loopback port, and somebody who visits it."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

import httpx
import uvicorn
from fastapi import FastAPI

from incrowd.web import Settings, make_app
from incrowd.web._app import server_config
from incrowd.web._jobs import answer_of
from incrowd.web._worker import perform

PATIENTS = """name,age,sex,zip,disease
Ann,21,f,01067,flu
Ben,22,m,01069,hiv
Cid,23,m,01067,flu
Dan,31,m,01069,asthma
Eve,32,f,01067,hiv
Fay,33,f,01069,flu
Gil,41,m,02763,asthma
Hal,42,m,02763,flu
"""
"""Eight people, of whom everybody is one of a kind by age, sex and zip."""

PLAN = """version = 1
[data]
path = "patients.csv"
[columns.name]
role = "identifier"
[columns.age]
role = "quasi"
hierarchy = { intervals = [10, 20] }
[columns.sex]
role = "quasi"
hierarchy = { flat = true }
[columns.zip]
role = "quasi"
hierarchy = { mask = "right" }
[columns.disease]
role = "sensitive"
[privacy]
promise = ["k>=2"]
max_suppressed = 0.25
"""


class Visitor(httpx.Client):
    """A browser that opened the printed address."""

    def __init__(self, app: FastAPI, address: str) -> None:
        super().__init__(base_url=address, timeout=60)
        self.app, self._token = app, app.state.token
        self.headers["X-Incrowd-Token"] = app.state.office.keys.change

    def __enter__(self) -> Self:
        super().__enter__()
        assert self.get("/", params={"token": self._token}).status_code == 303
        return self

    def ask(self, method: str, path: str, status: int = 200, **more: Any) -> Any:
        """Ask for something and give its JSON; the status must be as expected."""
        answer = self.request(method, path, **more)
        assert answer.status_code == status, answer.text
        return answer.json()

    def work(self, **job: Any) -> Any:
        """Start a job and give what is told last, as its events say it."""
        started = self.ask("POST", "/api/jobs", 202, json=job)
        return self.follow(started["id"])

    def follow(self, number: int) -> Any:
        """Follow the events of a job to their end."""
        with self.stream("GET", f"/api/jobs/{number}/events") as answer:
            told = [line[6:] for line in answer.iter_lines() if line.startswith("data: ")]
        return json.loads(told[-1])


class Thread:
    """A worker in a thread of the server: tests do not wait for processes to start."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._teller: Any = None

    async def call(self, task: str, given: Any, hear: Any = None) -> Any:
        """Do a task and give its answer; told meanwhile how far it is."""
        loop = asyncio.get_running_loop()

        def say(progress: Any) -> None:
            if hear is not None:
                loop.call_soon_threadsafe(hear, progress)

        def begin(teller: Any) -> None:
            self._teller = teller

        async with self._lock:
            told = await asyncio.to_thread(perform, task, json.loads(json.dumps(given)), say, begin)
        return answer_of(json.loads(json.dumps(told)))

    async def stop(self) -> None:
        """Ask the present task to end with what it has."""
        if self._teller is not None:
            self._teller.stopping.set()

    async def end(self) -> None:
        """Ask the present task to end; a thread cannot be made to."""
        await self.stop()


async def while_true(holds: Callable[[], object]) -> None:
    """Wait as long as something holds."""
    for _ in itertools.takewhile(lambda _: holds(), itertools.count()):
        await asyncio.sleep(0.005)


class Server(uvicorn.Server):
    """A server that ends at once: uvicorn looks ten times in a second whether it shall, and waits as long again."""

    async def main_loop(self) -> None:
        """Go on until it shall end."""
        await self.on_tick(0)
        await while_true(lambda: not self.should_exit)

    async def shutdown(self, sockets: Any = None) -> None:
        """Let open requests end within a second, then what the app has."""
        for open_one in (*self.servers, *(sockets or ())):
            open_one.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1):
                await while_true(lambda: self.server_state.connections or self.server_state.tasks)
        for task in self.server_state.tasks:
            task.cancel()
        await self.lifespan.shutdown()


@contextlib.contextmanager
def serving(folder: Path, *, separate: bool = False, **more: Any) -> Iterator[tuple[FastAPI, str]]:
    """Serve a folder on a free port of this computer; tables are worked on in a thread unless asked otherwise."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        settings, thread = Settings(folder, port=port, **more), Thread()
        app = make_app(settings) if separate else make_app(settings, lambda: thread)
        server = Server(server_config(app, settings))
        listening = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        listening.start()
        try:
            until(lambda: server.started)
            yield app, f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            listening.join()


def until(holds: Any, seconds: float = 60) -> None:
    """Wait until something holds, and not longer than anybody would."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.01)
