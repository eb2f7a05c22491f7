"""The server put together: routes, errors, guard."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from incrowd.core import IncrowdError
from incrowd.web import _office as _pages, _routes_jobs, _routes_plan, _routes_runs, _routes_table
from incrowd.web._guard import HEADERS, Guard, Settings
from incrowd.web._office import Office
from incrowd.web._refusal import Plain, Refusal, said, said_by, status_of
from incrowd.web._requests import ERRORS

STATIC = Path(__file__).parent / "static"
DESCRIPTION = "The local page of incrowd. It edits a plan and runs it; what it does can be done without it."


def make_app(settings: Settings) -> FastAPI:
    """Put a server together.

    Parameters
    ----------
    settings
        What it is started with.

    Notes
    -----
    ``app.state.office.keys.first`` is the token of the first visit. Nothing of it is ever logged.
    """
    office = Office(settings)

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
    for routes in (_routes_plan, _routes_table, _routes_jobs, _routes_runs, _pages):
        app.include_router(routes.router)
    if STATIC.is_dir():
        app.mount("/static", StaticFiles(directory=STATIC), name="static")
    _explain_errors(app)
    app.add_middleware(Guard, settings=settings, keys=office.keys)
    return app


def _explain_errors(app: FastAPI) -> None:
    """Answer every error with the same five keys, and with no value of anybody's."""
    app.add_exception_handler(Refusal, _refused)
    app.add_exception_handler(IncrowdError, _failed)
    app.add_exception_handler(RequestValidationError, _not_valid)
    app.add_exception_handler(HTTPException, _not_there)
    app.add_exception_handler(ClientDisconnect, _broken_off)
    app.add_exception_handler(Exception, _failed)


async def _refused(_: Request, error: Any) -> JSONResponse:
    return _answer(error.status, error.said)


async def _failed(_: Request, error: Exception) -> JSONResponse:
    told = said_by(error)
    return _answer(status_of(told), told)


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
    told = said("wrong-request", first["message"], "look at what you typed or chose last.", first["place"])
    return _answer(422, {**told, "problems": problems})


async def _not_there(_: Request, error: Any) -> JSONResponse:
    codes = {404: ("not-found", "There is nothing here."), 405: ("wrong-request", "This cannot be asked here.")}
    code, message = codes.get(error.status_code, ("wrong-request", "The request cannot be read."))
    return JSONResponse(said(code, message), error.status_code, headers=error.headers)


async def _broken_off(_: Request, __: Exception) -> JSONResponse:
    return _answer(413, said("too-large", "The request is too large, or was broken off.", "send less."))


def _answer(status: int, told: Plain) -> JSONResponse:
    """Answer with our headers: what nobody expected is answered outside of the guard."""
    return JSONResponse(told, status, headers=HEADERS)
