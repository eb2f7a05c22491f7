"""The server of the page: routes, errors and guard put together, its folder locked, listening on this computer."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from uvicorn.protocols.http.h11_impl import H11Protocol

from incrowd.core import EngineError, IncrowdError, lock_file
from incrowd.web import _plan_routes, _run_routes, _server_state
from incrowd.web._files import Folder
from incrowd.web._guard import HEADERS, Guard, Settings
from incrowd.web._jobs import Process, Working
from incrowd.web._refusal import Plain, Refusal, plain_error, plain_refusal, status_of
from incrowd.web._requests import ERRORS
from incrowd.web._server_state import ServerState

STATIC = Path(__file__).parent / "static"
DESCRIPTION = "The local page of incrowd. It edits a plan and runs it; what it does can be done without it."


def make_app(settings: Settings, worker: Callable[[], Working] = Process) -> FastAPI:
    """Put a server together; ``worker`` makes who works on tables.

    ``app.state.token`` is the token of the first visit. Nothing of it is ever logged.
    """
    office = ServerState(settings, worker)

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await office.close()

    app = FastAPI(
        title="incrowd",
        version=version("incrowd"),
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=lifespan,
        responses=ERRORS,
    )
    app.state.office = office
    app.state.token = office.keys.first
    routers = (_plan_routes.router, _plan_routes.table, _run_routes.router, _run_routes.runs, _server_state.router)
    for router in routers:
        app.include_router(router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    _explain_errors(app)
    app.add_middleware(Guard, settings=settings, keys=office.keys)
    return app


def _explain_errors(app: FastAPI) -> None:
    """Answer every error with the same five keys, and with no value of anybody's."""
    app.add_exception_handler(RequestValidationError, _not_valid)
    app.add_exception_handler(HTTPException, _not_there)
    app.add_exception_handler(ClientDisconnect, _broken_off)
    for kind in (Refusal, IncrowdError, Exception):
        app.add_exception_handler(kind, _error_answer)


async def _error_answer(_: Request, error: Exception) -> JSONResponse:
    told = plain_error(error)
    return _json_answer(error.status if isinstance(error, Refusal) else status_of(told), told)


INVALID = {
    "string_too_short": "This is empty or too short.",
    "string_too_long": "This is too long.",
    "too_long": "This is too much at once.",
    "greater_than_equal": "This number is too small.",
    "less_than_equal": "This number is too large.",
    "missing": "Something is missing.",
}
"""What is wrong with a request, in the page's words."""


async def _not_valid(_: Request, error: Any) -> JSONResponse:
    """Say where a request is wrong, not what stands there."""
    problems = [
        {"place": ".".join(map(str, one["loc"][1:])), "message": INVALID.get(one["type"], "This cannot be read.")}
        for one in error.errors()
    ]
    first = problems[0] if problems else {"place": "", "message": "This cannot be read."}
    told = plain_refusal("wrong-request", first["message"], "look at what you typed or chose last.", first["place"])
    return _json_answer(422, {**told, "problems": problems})


async def _not_there(_: Request, error: Any) -> JSONResponse:
    codes = {404: ("not-found", "There is nothing here."), 405: ("wrong-request", "This cannot be asked here.")}
    code, message = codes.get(error.status_code, ("wrong-request", "The request cannot be read."))
    return JSONResponse(plain_refusal(code, message), error.status_code, headers=error.headers)


async def _broken_off(_: Request, __: Exception) -> JSONResponse:
    return _json_answer(413, plain_refusal("too-large", "The request is too large, or was broken off.", "send less."))


def _json_answer(status: int, told: Plain) -> JSONResponse:
    """Answer with our headers: what nobody expected is answered outside of the guard."""
    return JSONResponse(told, status, headers=HEADERS)


# One server per folder: two would undo each other's plans and clear away each other's runs.


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Hold a folder for this server, cleared of what another left; it is free when the process ends, however."""
    file = os.open(Folder(folder).ours("lock"), os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        if not lock_file(file):
            msg = "Another incrowd serve works in this folder."
            raise EngineError(msg, hint="open the address that it printed, or end it first.")
        Folder(folder).clear_drafts()
        yield
    finally:
        os.close(file)


CONNECTIONS = 100  # so many may be open at once: a browser has six
GRACE = 2  # seconds that open requests are given at the end


def serve(settings: Settings, ready: Callable[[str], None]) -> None:
    """Serve the page until the process is asked to end; ``ready`` hears the address as soon as somebody listens.

    Port 0 takes any that is free.
    """
    with alone_in(settings.folder), _listening_socket(settings) as listener:
        there = replace(settings, port=int(listener.getsockname()[1]))
        app = make_app(there)
        host = f"[{there.host}]" if ":" in there.host else there.host
        shown = "127.0.0.1" if host in {"0.0.0.0", "[::]"} else host  # noqa: S104 - compared, not bound
        config = server_config(app, there)
        ready(f"http://{shown}:{there.port}/?token={app.state.token}")
        uvicorn.Server(config).run(sockets=[listener])


def server_config(app: FastAPI, settings: Settings) -> uvicorn.Config:
    """Say how the server works; who keeps it waiting is cut off, and nothing is logged."""

    class Connection(ImpatientProtocol):
        patience = settings.patience

    return uvicorn.Config(
        app,
        http=Connection,
        log_config=None,
        log_level="critical",  # addresses hold names of columns, and errors whatever they are about
        access_log=False,
        server_header=False,
        date_header=False,
        ws="none",
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=GRACE,
    )


class ImpatientProtocol(H11Protocol):
    """A connection that is cut if no whole head of a request comes, or nobody takes an answer, within some seconds."""

    patience: ClassVar[float]
    _since = 0.0
    _last: object = None
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to watch the clock."""
        super().connection_made(transport)
        self._since = self.loop.time()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop watching."""
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def _look(self) -> None:
        """See whether a request is worked on, or another one came; else time passes."""
        waiting = self.cycle is None or self.cycle.response_complete or self.flow.write_paused
        if not waiting or self.cycle is not self._last:
            self._since, self._last = self.loop.time(), self.cycle
        if self.loop.time() - self._since > self.patience:
            self.transport.abort()
        else:
            self._timer = self.loop.call_later(min(1, self.patience / 4), self._look)


@contextlib.contextmanager
def _listening_socket(settings: Settings) -> Iterator[socket.socket]:
    """Listen at once, so that the address is right when it is told."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reason = ""
        try:
            listener.bind((settings.host, settings.port))
            listener.listen()
        except OSError as error:
            reason = error.strerror or "it is not possible"
        if reason:
            msg = f"Cannot listen on port {settings.port}: {reason}."
            raise EngineError(msg, hint="another server may be there; choose another port, or 0 for any.")
        yield listener
