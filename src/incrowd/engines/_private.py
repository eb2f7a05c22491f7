"""Private folders for what must not stay on the disk: copies of tables, and what does not fit into memory.

A process that is killed cannot clear up behind itself, so the next one does: a folder whose lock nobody holds was left
by somebody who is gone.
"""

from __future__ import annotations

import os
import shutil
import stat
import time
from pathlib import Path
from tempfile import gettempdir, mkdtemp

from incrowd.core import has_locks, lock_folder

PREFIX = "incrowd_"
_MARK = ".incrowd-private"
"""A file in every such folder: others may be called as ours are."""
_YOUNG = 60.0
"""Seconds that a folder is left alone for, so that whoever makes it can lock it."""
_cleared: set[Path] = set()


def make_private(parent: str | Path | None = None) -> tuple[Path, int | None]:
    """Make a folder that only this user can read, and hold its lock; clear away what others left there.

    Parameters
    ----------
    parent
        Where to make it; by default where the system keeps temporary files.
    """
    place = Path(gettempdir() if parent is None else parent)
    if place not in _cleared and has_locks():
        _cleared.add(place)
        _clear(place)
    folder = Path(mkdtemp(prefix=PREFIX, dir=place))
    lock = _lock(folder)
    (folder / _MARK).touch()
    return folder, lock


def remove_private(folder: Path, lock: int | None) -> None:
    """Remove such a folder with all that is in it."""
    shutil.rmtree(folder, ignore_errors=True)
    if lock is not None:
        os.close(lock)


def is_private(folder: Path) -> bool:
    """Say whether a folder is one of these."""
    return (folder / _MARK).exists()


def _lock(folder: Path) -> int | None:
    """Lock a folder; ``None`` if that cannot be."""
    try:
        return lock_folder(folder)
    except OSError:
        return None


def _clear(place: Path) -> None:
    """Remove what was left by processes of this user that are gone."""
    for folder in place.glob(f"{PREFIX}*"):
        if _is_old(folder) and (lock := _lock(folder)) is not None:
            remove_private(folder, lock)


def _is_old(folder: Path) -> bool:
    try:
        found = folder.lstat()
    except OSError:
        return False
    ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and is_private(folder)
    return ours and time.time() - found.st_mtime > _YOUNG
