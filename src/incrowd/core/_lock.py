"""Locks between processes: what nobody holds was left by somebody who is gone."""

from __future__ import annotations

import os
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


def has_locks() -> bool:
    """Say whether this system can lock a file or a folder for as long as a process lives."""
    return fcntl is not None


def lock_file(descriptor: int) -> bool:
    """Lock an open file or folder until it is closed; give whether it was free, or cannot be locked on this system."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def lock_folder(folder: Path) -> int | None:
    """Open and lock a folder; ``None`` if somebody else holds it, or folders cannot be locked on this system."""
    if fcntl is None:
        return None
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        if lock_file(descriptor):
            return descriptor
    except OSError:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None
