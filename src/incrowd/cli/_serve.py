"""``incrowd serve``: the same job in a browser, on this computer."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from incrowd.cli._explain import STOPPED
from incrowd.cli._terminal import tell

NEEDED = ("fastapi", "python_multipart", "uvicorn")
"""What the extra ``web`` brings."""

Folder = Annotated[Path, Argument(metavar="[FOLDER]", help="The folder with the table; here if not given.")]
Port = Annotated[int, Option("--port", min=0, max=65535, help="The port to listen on; 0 takes any free one.")]
Host = Annotated[str, Option("--host", help="Another address than 127.0.0.1. Others may then reach your data!")]
NoBrowser = Annotated[bool, Option("--no-browser", help="Do not open a browser; only print the address.")]


def serve(folder: Folder = Path(), port: Port = 8117, host: Host = "127.0.0.1", no_browser: NoBrowser = False) -> int:
    """Open the page in a browser: from a table to its release without code.

    For example: incrowd serve my-data
    """
    _need_folder(folder)
    _need_extra()
    from incrowd import web

    if host not in {"127.0.0.1", "localhost", "::1"}:
        tell(
            f"warning: others can reach this server at {host}. Whoever has the printed address can read and change",
            "everything in the folder, and nothing on the way is encrypted. Without --host only this computer can.",
        )

    def ready(address: str) -> None:
        tell(f"serving {folder.resolve()} on this computer; nothing leaves it. Ctrl-C ends it.")
        sys.stdout.write(f"{address}\n")
        sys.stdout.flush()
        if not no_browser and _has_display():
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    try:
        web.serve(web.Settings(folder=folder, host=host, port=port), ready)
    except KeyboardInterrupt:
        return STOPPED
    return 0


def _need_extra() -> None:
    from incrowd.core import import_extra

    for name in NEEDED:
        import_extra(name, extra="web", what="The page", instead=". The command line does the same without it.")


def _need_folder(folder: Path) -> None:
    from incrowd.core import DataError

    if not folder.is_dir():
        msg = f"There is no folder {str(folder)!r}."
        raise DataError(msg, hint="name the folder that the table is in.")
    if not os.access(folder, os.W_OK):
        msg = f"Nothing can be written into the folder {str(folder)!r}."
        raise DataError(msg, hint="the page keeps its plan there; choose another folder, or check your rights.")


def _has_display() -> bool:
    if sys.platform in {"darwin", "win32"}:
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
