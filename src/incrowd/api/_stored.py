"""A recoding that was found part by part, and is held nowhere as a whole."""

from __future__ import annotations

import shutil
from functools import cached_property
from pathlib import Path
from typing import Any

from incrowd.core import DataError, LocalRecoding, get_recoding, join_cells, put_recoding
from incrowd.engines import read_arrays

PART = "recoding-{}.parquet"


class StoredRecoding(LocalRecoding):
    """A local recoding that lies in files, part by part: what it says of its cells is read when somebody asks.

    Parameters
    ----------
    outline
        The same without any cell.
    folder, parts
        Where the files lie, and how many there are.
    """

    def __init__(self, outline: LocalRecoding, folder: Path, parts: int) -> None:
        for name in ("quasi", "domains", "ladders", "floor", "partial"):
            object.__setattr__(self, name, getattr(outline, name))
        files = tuple(folder / PART.format(number + 1) for number in range(parts))
        object.__setattr__(self, "outline", outline)
        object.__setattr__(self, "files", files)
        object.__setattr__(self, "_states", [_state(file) for file in files])

    outline: LocalRecoding
    files: tuple[Path, ...]
    _states: list[tuple[int, int] | None]

    def copy(self, folder: Path) -> None:
        """Put the files into a folder, unless they are there already."""
        self._check()
        for file in self.files:
            place = folder / file.name
            if not (place.exists() and place.samefile(file)):
                shutil.copyfile(file, place)

    def _check(self) -> None:
        """Refuse files that are not those that were written: another release may have taken their place."""
        if [_state(file) for file in self.files] != self._states or None in self._states:
            msg = "The recoding of this release lies in files that are gone or were replaced."
            raise DataError(msg, hint="make the release again, or load the recoding that is there now.")

    @cached_property
    def _cells(self) -> LocalRecoding:
        self._check()
        header, arrays = put_recoding(self.outline)
        found = get_recoding(header, arrays | join_cells([read_arrays(file) for file in self.files]))
        assert isinstance(found, LocalRecoding)  # noqa: S101 - as its outline is
        return found

    @property
    def codes(self) -> Any:
        """The cell of each entry, as in any local recoding."""
        return self._cells.codes

    @property
    def classes(self) -> Any:
        """The class of each entry."""
        return self._cells.classes

    @property
    def counts(self) -> Any:
        """How many records go there."""
        return self._cells.counts

    @property
    def labels(self) -> Any:
        """What is published for each class."""
        return self._cells.labels


def _state(file: Path) -> tuple[int, int] | None:
    """Say what shows that a file was replaced: its bytes, and when it was written."""
    if not file.is_file():
        return None
    found = file.stat()
    return found.st_size, found.st_mtime_ns
