"""Cut cells that do not fit into memory into parts that do: by their counts, from file to file."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import (
    CensusRequest,
    DataError,
    Domain,
    LocalRecoding,
    add_up,
    get_recoding,
    join_cells,
    put_recoding,
)
from incrowd.engines import CellFile, CellWriter, read_arrays
from incrowd.search import ColumnCut, CountedCuts, ValueCounts

Array = npt.NDArray[Any]

_OPEN = 100
"""So many files are written at a time: a system lets a process have a few hundred open."""


class CannotBeCutError(Exception):
    """A part does not fit into memory, and cannot be cut: not without breaking the promise, or not by what fits."""


class Files:
    """Parts of a table in files: those that fit into memory lie together in one file, as long as it fits."""

    def __init__(self, request: CensusRequest, domains: Mapping[str, Domain], room: int, folder: Path) -> None:
        self._request, self._domains, self._room, self._folder = request, domains, room, folder
        self._names, self._parts = itertools.count(), 0
        self._filling: tuple[CellFile, int] | None = None
        self._filled: list[CellFile] = []
        self._writers: dict[CellFile, CellWriter] = {}

    def cut(self, cells: CellFile, by: CountedCuts) -> list[CellFile]:
        """Cut until every part fits; give files that fit, each with one part or several."""
        large = [cells]
        while large:
            file = large.pop()
            values = ValueCounts(self._request, self._domains)
            for codes, counts in _blocks(file):
                values.add(codes, counts)
            along = self._chosen(file, by, by.propose(values))
            large += self._split(file, along, values.cells[along.column])
            file.remove()
        self._close()
        return self._filled

    def _chosen(self, file: CellFile, by: CountedCuts, proposed: list[ColumnCut]) -> ColumnCut:
        """Give the first cut whose pieces keep the promise."""
        along = next(iter(proposed), None)
        if proposed and not by.by_size:
            pieces = by.pieces(proposed)
            for codes, counts in _blocks(file):
                pieces.add(codes, counts)
                if len(pieces) > self._room:
                    raise CannotBeCutError
            along = by.choose(proposed, pieces)
        if along is None:
            raise CannotBeCutError
        return along

    def _split(self, file: CellFile, along: ColumnCut, cells: Array) -> list[CellFile]:
        """Write the pieces of a part: large ones to files of their own, which are given back."""
        occurring = along.pieces >= 0
        sizes = add_up(along.pieces[occurring], cells[occurring], along.number)
        targets = [self._target(file, size) for size in sizes.tolist()]
        numbers = {target: number for number, target in enumerate(dict.fromkeys(targets))}
        every, place = list(numbers), np.array([numbers[target] for target in targets])
        first, self._parts = self._parts, self._parts + len(targets)
        for start in range(0, len(every), _OPEN):
            for block in file.blocks():
                pieces = along.pieces[file.packing.unpack(block.words)[along.column]]
                numbered = block._replace(parts=first + pieces)
                for target, some in _by_place(place[pieces], every, range(start, min(start + _OPEN, len(every)))):
                    self._writer(target).add(numbered.some(some))
            self._close(but=None if self._filling is None else self._filling[0])
        return [target for target, size in zip(targets, sizes.tolist(), strict=True) if size > self._room]

    def _target(self, file: CellFile, size: int) -> CellFile:
        """Say where so many cells are written: a file that they still fit into, or a new one."""
        if size > self._room:
            return self._new(file)
        if self._filling is None or self._filling[1] + size > self._room:
            self._filling = self._new(file), 0
            self._filled.append(self._filling[0])
        target, before = self._filling
        self._filling = target, before + size
        return target

    def _new(self, file: CellFile) -> CellFile:
        return CellFile(self._folder / f"{next(self._names)}.parquet", file.packing)

    def _writer(self, file: CellFile) -> CellWriter:
        if file not in self._writers:
            self._writers[file] = CellWriter(file)
        return self._writers[file]

    def _close(self, but: CellFile | None = None) -> None:
        """Finish all files, but the one that is still filled."""
        for file in [file for file in self._writers if file != but]:
            self._writers.pop(file).close()


def _blocks(file: CellFile) -> Iterator[tuple[Sequence[Array], Array]]:
    for block in file.blocks():
        yield file.packing.unpack(block.words), block.counts


def _by_place(places: Array, files: list[CellFile], among: range) -> Iterator[tuple[CellFile, Array]]:
    """Give for some of the files the rows that go there."""
    order = np.argsort(places, kind="stable")
    ends = np.cumsum(np.bincount(places, minlength=len(files)))
    for place in among:
        start, end = ends[place - 1] if place else 0, ends[place]
        if end > start:
            yield files[place], order[start:end]


# A recoding that was found part by part, and is held nowhere as a whole.

PART = "recoding-{}.parquet"


class StoredRecoding(LocalRecoding):
    """A local recoding that lies in files, part by part: what it says of its cells is read when somebody asks."""

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
