"""A private folder in the place that a user names for what does not fit into memory."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from incrowd.core import ParameterError
from incrowd.engines._private import is_private, make_private, remove_private

_TRIES = 3
_made: set[Path] = set()
"""Folders that were not there before this process wanted to spill to them."""


def make_room(temp: str | Path | None) -> tuple[Path, int | None]:
    """Make a private folder, and the one that it is to be in.

    Parameters
    ----------
    temp
        Where to make it; by default where the system keeps temporary files.
    """
    if temp is None:
        return make_private()
    trouble: OSError | None = None
    for _ in range(_TRIES):  # whoever is through with the same place may take it away at this moment
        try:
            return _make_inside(Path(temp).absolute())
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise
            trouble = error
        if not isinstance(trouble, FileNotFoundError):
            break
    msg = f"temp is no folder that can be written to: {str(temp)!r}."
    raise ParameterError(msg, hint="name a folder of yours, on a disk with room.")


def clear_room(folder: Path, lock: int | None) -> None:
    """Remove a private folder, and those around it that were made for it if nothing else is in them."""
    remove_private(folder, lock)
    for place in folder.parents:
        if place not in _made:
            break
        try:
            place.rmdir()
            _made.discard(place)
        except OSError:  # something is in there
            if not any(is_private(one) for one in place.glob("*")):
                _made.difference_update(folder.parents)  # of somebody else, whose place it is now
            break


@contextmanager
def private_folder(temp: str | Path | None = None) -> Iterator[Path]:
    """Give a private folder that is gone when the block ends."""
    folder, lock = make_room(temp)
    try:
        yield folder
    finally:
        clear_room(folder, lock)


def _make_inside(place: Path) -> tuple[Path, int | None]:
    new = [folder for folder in (place, *place.parents) if not folder.exists()]
    place.mkdir(parents=True, exist_ok=True)
    _made.update(new)
    return make_private(place)
