"""The tree of the parts that Mondrian cut, from the whole table down to the classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Grouping, Hint, Labelling, ParameterError, Partition, Setting, group, stretches
from incrowd.search._local import LocalOutcome, Pieces, common_ways
from incrowd.search.mondrian._columns import Column, Stretches

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class PartTree:
    """How a table was cut: all parts, the whole table first, each before those that were cut out of it.

    Per part: the one that it was cut out of (``parents``), the column that was cut for it (``cut``), both -1 for the
    whole table; its records, and its first and last position in that column.
    """

    columns: tuple[Column, ...] = field(repr=False)
    parents: Array = field(repr=False)
    cut: Array = field(repr=False)
    sizes: Array = field(repr=False)
    low: Array = field(repr=False)
    high: Array = field(repr=False)

    @classmethod
    def whole(cls, columns: tuple[Column, ...], size: int) -> PartTree:
        """Begin with the whole table."""
        none = np.array([-1])
        return cls(columns, none, none, np.array([size]), none, none)

    def __len__(self) -> int:
        return len(self.parents)

    def depths(self) -> Array:
        """Give for every part how often the table was cut to get it."""
        result = np.zeros(len(self), dtype=np.int64)
        at = self.parents
        while (inner := at >= 0).any():
            result += inner
            at = np.where(inner, self.parents[at], -1)
        return result

    def paths(self, parts: Array) -> Array:
        """Give one row per part: those that it was cut out of, the whole table first, filled up with -1.

        The whole table counts as cut out of itself.
        """
        depths = self.depths()
        result = np.full((len(parts), max(int(depths[parts].max(initial=0)), 1)), -1, dtype=np.int64)
        result[:, 0] = 0
        rows, at = np.arange(len(parts)), self.parents[parts]
        while (inner := at > 0).any():
            rows, at = rows[inner], at[inner]
            result[rows, depths[at]] = at
            at = self.parents[at]
        return result

    def names(self, parts: Array) -> list[str]:
        """Call parts by the cut that made them, such as ``age 20..39``."""
        result = np.full(len(parts), "all", dtype=object)
        for index, column in enumerate(self.columns):
            own = self.cut[parts] == index
            texts = column.texts(self.low[parts[own]], self.high[parts[own]])
            result[own] = [f"{column.namer.domain.column} {text}" for text in texts]
        return [str(text) for text in result.tolist()]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CutOutcome(LocalOutcome):
    """What a search found that cuts a table into parts.

    ``leaves``: per class the part that it is; ``None`` where some parts are called alike and became one class.
    """

    tree: PartTree = field(repr=False)
    leaves: Array | None = field(repr=False)

    @property
    def partition(self) -> Partition:
        """The way to every class from the whole table, in words: what an audit with the supersets ``"path"`` needs."""
        if self.leaves is None:
            msg = "Some parts of the table are called alike and became one class, which has no one way to it."
            raise ParameterError(msg, hint=Hint("use {}.", Setting.search("Mondrian", strict=True)))
        ways = self.tree.paths(self.leaves)
        names = np.array([*self.tree.names(np.arange(len(self.tree))), ""], dtype=object)
        texts = zip(*(column.texts.tolist() for column in self.labels), strict=True)
        parts = (tuple(names[way[way >= 0]].tolist()) for way in ways)
        return Partition(dict(zip(texts, parts, strict=True)))


class Growing:
    """A tree of parts that grows."""

    def __init__(self, columns: tuple[Column, ...], size: int) -> None:
        self._columns = columns
        self._rounds = [PartTree.whole(columns, size)]
        self._number = 1

    def add(self, parents: Array, cut: Array, sizes: Array, reach: Stretches) -> Array:
        """Add parts, each with the part that it was cut out of and the column; give their numbers."""
        each = np.arange(len(parents))
        self._rounds.append(PartTree(self._columns, parents, cut, sizes, reach.low[cut, each], reach.high[cut, each]))
        self._number += len(parents)
        return each + (self._number - len(parents))

    def grown(self) -> PartTree:
        """Give all parts."""
        names = ("parents", "cut", "sizes", "low", "high")
        return PartTree(
            self._columns, *(np.concatenate([getattr(one, name) for one in self._rounds]) for name in names)
        )


# The parts that are cut no further, collected while others still are.


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """A table that was cut into classes.

    ``reach``: from where to where every class reaches, per column. ``leaves``: the number of every class in the tree.
    """

    pieces: Pieces
    reach: Stretches
    leaves: Array
    tree: PartTree


class Finished:
    """Classes in the order in which they were finished.

    ``split``: the records of a cell may be in several classes.
    """

    def __init__(self, rows: int, *, split: bool) -> None:
        self._class: Array | None = None if split else np.empty(rows, dtype=np.int32 if rows < 2**31 else np.int64)
        self._number = 0
        self._rows: list[tuple[Array, Array, Array]] = []
        self._reach: list[Stretches] = []
        self._leaves: list[Array] = []

    def add(self, rows: tuple[Array, Array], lengths: Array, reach: Stretches, numbers: Array) -> None:
        """Add classes.

        ``rows``: class by class the cell of every row, and how many of its records there are.
        """
        classes = np.repeat(np.arange(self._number, self._number + len(lengths)), lengths)
        if self._class is None:
            self._rows.append((rows[0], classes, rows[1]))
        else:
            self._class[rows[0]] = classes
        self._number += len(lengths)
        self._reach.append(reach)
        self._leaves.append(numbers)

    def cut(self, counts: Array, tree: PartTree) -> Cut:
        """Put the classes together, their cells in the order of the census, which has so many records in each."""
        reach, leaves = Stretches.join(self._reach), np.concatenate(self._leaves)
        if self._class is not None:
            pieces = Pieces(np.arange(len(counts)), self._class, counts.astype(np.int64))
            return Cut(pieces, reach, leaves, tree)
        cells, classes, taken = (np.concatenate(part) for part in zip(*self._rows, strict=True))
        order = np.argsort(cells, kind="stable")
        return Cut(Pieces(cells[order], classes[order], taken[order].astype(np.int64)), reach, leaves, tree)


def spans(starts: Array, ends: Array) -> Array:
    """Give all numbers from each start to before its end, one after the other."""
    lengths = ends - starts
    before = np.cumsum(lengths) - lengths
    result: Array = np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths)
    return result


# Parts that are called alike become one class: where that could break the promise, cuts are taken back.


def alike(labels: Sequence[Labelling]) -> Grouping:
    """Group classes that are called the same in every column."""
    return group([column.codes for column in labels], [max(len(column.names), 1) for column in labels])


def named(cut: Cut, columns: Sequence[Column], *, apart: bool) -> tuple[Cut, tuple[Labelling, ...]]:
    """Say what the classes of a cut are called.

    ``apart``: no two parts may be called the same: the smallest part that holds all of them, which keeps the promise,
    takes their place, until all names differ.
    """
    while True:
        labels = tuple(column.called(cut.reach[index], cut.pieces) for index, column in enumerate(columns))
        if not apart or len(merged := alike(labels)) == len(cut.leaves):
            return cut, labels
        cut = _taken_back(cut, columns, merged)


def _taken_back(cut: Cut, columns: Sequence[Column], merged: Grouping) -> Cut:
    """Put the parts of every group back into the smallest part that holds them all."""
    ways = _ways(cut)
    common = common_ways(ways, merged)
    last = common[np.arange(len(merged)), (common >= 0).sum(axis=1) - 1]
    stops = np.zeros(len(cut.tree) + 1, dtype=bool)
    stops[last[merged.sizes() > 1]] = True
    stops[cut.leaves] = True  # every way ends at its class, if not before
    ends = ways[np.arange(len(ways)), stops[ways].argmax(axis=1)]
    leaves, classes = np.unique(ends, return_inverse=True)
    pieces = _together(cut.pieces, classes[cut.pieces.classes])
    return Cut(pieces, _reach(columns, pieces, len(leaves)), leaves, cut.tree)


def _ways(cut: Cut) -> Array:
    """Give the way to every class, the class itself included."""
    ways = cut.tree.paths(cut.leaves)
    ways = np.append(ways, np.full((len(ways), 1), -1), axis=1)
    ways[np.arange(len(ways)), (ways >= 0).sum(axis=1)] = cut.leaves
    return ways


def _together(pieces: Pieces, classes: Array) -> Pieces:
    both = group([pieces.cells, classes], [int(pieces.cells.max()) + 1, int(classes.max()) + 1])
    return Pieces(pieces.cells[both.first], classes[both.first], both.sums(pieces.counts))


def _reach(columns: Sequence[Column], pieces: Pieces, number: int) -> Stretches:
    result = []
    for column in columns:
        places = column.place[column.codes[pieces.cells]]
        values = group([pieces.classes, places], [number, len(column.code)])
        distinct = np.bincount(pieces.classes[values.first], minlength=number)
        result.append((*stretches(places, pieces.classes, number), distinct))
    return Stretches(*(np.array(part) for part in zip(*result, strict=True)))
