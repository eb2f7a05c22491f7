"""Listening on this computer, until somebody says stop."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import uvicorn

from incrowd.core import EngineError, lock_file
from incrowd.web._app import make_app
from incrowd.web._files import Folder
from incrowd.web._guard import Settings

# One server per folder: two would undo each other's plans and clear away each other's runs.


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Hold a folder for this server; it is free again when the process ends, however that happens.

    Parameters
    ----------
    folder
        The chosen folder.
    """
    file = os.open(Folder(folder).ours("lock"), os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        if not lock_file(file):
            msg = "Another incrowd serve works in this folder."
            raise EngineError(msg, hint="open the address that it printed, or end it first.")
        yield
    finally:
        os.close(file)


GRACE = 2
"""Seconds that open requests are given at the end."""


def serve(settings: Settings, ready: Callable[[str], None]) -> None:
    """Serve the page until the process is asked to end.

    Parameters
    ----------
    settings
        The folder, and where to listen; port 0 takes any that is free.
    ready
        Called with the address to open, as soon as somebody listens there.
    """
    with alone_in(settings.folder), _listening(settings) as listener:
        there = replace(settings, port=int(listener.getsockname()[1]))
        app = make_app(there)
        host = f"[{there.host}]" if ":" in there.host else there.host
        shown = "127.0.0.1" if host in {"0.0.0.0", "[::]"} else host  # noqa: S104 - compared, not bound
        config = uvicorn.Config(
            app,
            log_config=None,  # addresses hold names of columns: nothing is logged
            access_log=False,
            server_header=False,
            date_header=False,
            ws="none",
            timeout_graceful_shutdown=GRACE,
        )
        ready(f"http://{shown}:{there.port}/?token={app.state.token}")
        uvicorn.Server(config).run(sockets=[listener])


@contextlib.contextmanager
def _listening(settings: Settings) -> Iterator[socket.socket]:
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
