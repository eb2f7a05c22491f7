"""One server per folder: two would undo each other's plans and clear away each other's runs."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from incrowd.core import EngineError, lock_file
from incrowd.web._files import Folder


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
