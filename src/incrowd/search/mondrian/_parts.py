"""What Mondrian cuts and makes: columns and their widths, the tree of parts, and what classes are called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from incrowd.core import Grouping, Hint, Labelling, Namer, ParameterError, Partition, Setting, class_extremes, group
from incrowd.hierarchies import Averaged, Ordered, averages
from incrowd.search._local_recoding import Labels, LocalTable, Pieces, common_paths
from incrowd.search._problem import LocalOutcome

Array = npt.NDArray[Any]


class Stretches(NamedTuple):
    """From where to where parts reach in one column, or in all of them, and how many values each has where counted."""

    low: Array
    high: Array
    distinct: Array

    def at(self, index: Any) -> Stretches:
        return Stretches(self.low[index], self.high[index], self.distinct[index])

    @classmethod
    def join(cls, several: Sequence[Stretches]) -> Stretches:
        """Put several side by side, part by part."""
        return cls(*(np.concatenate(each, axis=-1) for each in zip(*several, strict=True)))


class EarlierParts(NamedTuple):
    """Parts that were cut out of a table before: that of every cell, and the reach of the whole table."""

    parts: Array
    whole: Stretches


@dataclass(frozen=True, slots=True, eq=False)
class CutColumn:
    """One quasi-identifier."""

    # `codes`: of every cell; `code`: at every position of the order in which the column is cut. `nested`: it is cut
    # into the groups of its hierarchy, else at its median. `distance`: per position how far it is from the first value,
    # infinity for a missing one; `None` where values are counted.
    namer: Namer
    codes: Array
    code: Array
    nested: bool
    call: Literal["range", "group", "set"]
    averaged: Averaged | None = None
    distance: Array | None = None

    @classmethod
    def of(cls, table: LocalTable, index: int, labels: Labels) -> CutColumn:
        namer, hierarchy = table.names[index], table.problem.schema.quasi[index][1]
        codes, plain = table.census.codes[index], np.arange(len(table.names[index].code))
        if namer.has_ranges and isinstance(hierarchy, Averaged):
            return cls(namer, codes, plain, nested=False, call="range", averaged=hierarchy, distance=_offsets(namer))
        if namer.floor or labels == "hierarchy":
            known = np.array_equal(namer.code, plain)  # the hierarchy keeps the order of the numbers
            distance = _offsets(namer) if known else None
            return cls(namer, codes, namer.code, nested=True, call="group", distance=distance)
        if namer.has_ranges:
            return cls(namer, codes, plain, nested=False, call="range", distance=_offsets(namer))
        if isinstance(hierarchy, Ordered):
            ranked = np.argsort(hierarchy.ranks(namer.domain))
            return cls(namer, codes, np.append(ranked, plain[len(ranked) :]), nested=False, call="set")
        if namer.height <= 1:  # nothing between a value and "*": cut by the order of the texts
            return cls(namer, codes, plain, nested=False, call="set")
        return cls(namer, codes, namer.code, nested=True, call="set" if labels == "set" else "group")

    @property
    def place(self) -> Array:
        place = np.empty(len(self.code), dtype=np.int64)
        place[self.code] = np.arange(len(self.code))
        return place

    def tables(self) -> list[Array]:
        """Give per level the group of every position, numbered from the first position on; none at the median."""
        if not self.nested:
            return []
        levels = range(self.namer.floor, self.namer.height + 1)
        groups = [self.namer.group_of(level)[self.code] for level in levels]
        return [np.append(0, np.cumsum(one[1:] != one[:-1])) for one in groups]

    @property
    def is_counted(self) -> bool:
        """Whether the values of a part are counted: for its width, or for its name."""
        return self.distance is None or self.call == "set"

    def widths(self, parts: Stretches, whole: Stretches) -> Array:
        """Say how wide parts are, of the whole table: their range, or how many values they have."""
        alone = parts.low == parts.high
        if self.distance is None:
            return np.where(alone, 0.0, parts.distinct / whole.distinct)
        missing = np.isinf(self.distance)  # beside other values it makes a part as wide as the table: it is called "*"
        finite = np.where(missing, 0.0, self.distance)
        last = np.minimum(whole.high, len(self.namer.domain.values) - 1)
        widest = np.maximum(finite[last] - finite[whole.low], np.finfo(np.float64).tiny)
        covers = missing[parts.high]
        ranges = np.where(covers, 0.0, finite[parts.high] - finite[parts.low]) / widest
        return np.where(alone, 0.0, np.where(covers, 1.0, ranges))

    def labels(self, parts: Stretches, pieces: Pieces) -> Labelling:
        number = len(parts.low)
        if self.call == "group":
            return self.namer.by_group(*self.namer.common_group(parts.low, parts.high))
        if self.call == "set":
            return self._set_labels(parts, pieces)
        ends, owner = self.code[np.append(parts.low, parts.high)], np.tile(np.arange(number), 2)
        if self.averaged is None:
            return self.namer.by_range(ends, owner, number)
        codes = self.codes[pieces.cells]
        texts = averages(self.averaged, self.namer.domain, codes, pieces.classes, pieces.counts)
        return self.namer.by_text(texts, ends, owner, number)

    def texts(self, low: Array, high: Array) -> list[str]:
        """Call parts by a group of the hierarchy, or by their first and their last value."""
        if self.nested:
            named = self.namer.by_group(*self.namer.common_group(low, high)).texts.tolist()
            return ["missing" if text is None else text for text in named]
        texts = ["missing" if text is None else text for text in self.namer.domain.texts.tolist()]
        ends = zip(self.code[low].tolist(), self.code[high].tolist(), strict=True)
        return [texts[one] if one == other else f"{texts[one]}..{texts[other]}" for one, other in ends]

    def _set_labels(self, parts: Stretches, pieces: Pieces) -> Labelling:
        """Call classes by the set of their values; many have the same, as a rule all from the first to the last."""
        full = parts.distinct == parts.high - parts.low + 1
        known = full | (parts.distinct == len(("first", "last")))
        other = np.where(known, 0, np.cumsum(~known))
        cards = [len(self.code)] * 2 + [len(self.code) + 1, int(other.max(initial=0)) + 1]
        alike = group([parts.low, parts.high, np.where(known, parts.distinct, 0), other], cards)
        first = alike.first[known[alike.first]]
        lengths = parts.distinct[first]
        owner = np.repeat(alike.ids[first], lengths)
        step = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        low, high = (np.repeat(ends[first], lengths) for ends in (parts.low, parts.high))
        places = np.where(np.repeat(full[first], lengths) | (step == 0), low + step, high)
        rest = ~known[pieces.classes]
        codes = np.append(self.code[places], self.codes[pieces.cells[rest]])
        owners = np.append(owner, alike.ids[pieces.classes[rest]])
        return self.namer.by_set(codes, owners, len(alike)).of(alike.ids)


def _offsets(namer: Namer) -> Array | None:
    """Give how far every code is from the first value, if the column has numbers or dates, all of them finite."""
    values = namer.domain.values
    if not namer.has_ranges or not len(values):
        return None
    if values.dtype.kind == "M":
        distance = (values - values[0]).astype(np.int64).astype(np.float64)
    else:
        distance = np.array([float(value - values[0]) for value in values.tolist()])
    return np.append(distance, [np.inf] * namer.domain.has_null) if np.isfinite(distance).all() else None


@dataclass(frozen=True, slots=True, eq=False)
class PartTree:
    """How a table was cut: all parts, the whole table first, each before those that were cut out of it.

    Per part: the one that it was cut out of (``parents``), the column that was cut for it (``cut``), both -1 for the
    whole table; its records, and its first and last position in that column.
    """

    columns: tuple[CutColumn, ...] = field(repr=False)
    parents: Array = field(repr=False)
    cut: Array = field(repr=False)
    sizes: Array = field(repr=False)
    low: Array = field(repr=False)
    high: Array = field(repr=False)

    @classmethod
    def whole(cls, columns: tuple[CutColumn, ...], size: int) -> PartTree:
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


def join_trees(rounds: Sequence[PartTree]) -> PartTree:
    names = ("parents", "cut", "sizes", "low", "high")
    arrays = (np.concatenate([getattr(one, name) for one in rounds]) for name in names)
    return PartTree(rounds[0].columns, *arrays)


class Cut(NamedTuple):
    """A table cut into classes: from where to where each reaches per column, and its number in the tree."""

    pieces: Pieces
    reach: Stretches
    leaves: Array
    tree: PartTree


class Leaves:
    """Parts that are cut no further: classes in the order in which they were finished."""

    # `split`: the records of a cell may be in several classes.

    def __init__(self, rows: int, *, split: bool) -> None:
        self._class: Array | None = None if split else np.empty(rows, dtype=np.int32 if rows < 2**31 else np.int64)
        self._number = 0
        self._rows: list[tuple[Array, Array, Array]] = []
        self._reach: list[Stretches] = []
        self._leaves: list[Array] = []

    def add(self, cells: Array, counts: Array, lengths: Array, reach: Stretches, numbers: Array) -> None:
        """Add classes: class by class the cell of every row, and how many of its records there are."""
        classes = np.repeat(np.arange(self._number, self._number + len(lengths)), lengths)
        if self._class is None:
            self._rows.append((cells, classes, counts))
        else:
            self._class[cells] = classes
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


# Parts that are called alike become one class: where that could break the promise, cuts are taken back.


def namesakes(labels: Sequence[Labelling]) -> Grouping:
    """Group classes that are called the same in every column."""
    return group([column.codes for column in labels], [max(len(column.names), 1) for column in labels])


def label_cut(cut: Cut, columns: Sequence[CutColumn], *, apart: bool) -> tuple[Cut, tuple[Labelling, ...]]:
    """Say what the classes of a cut are called."""
    # `apart`: no two parts may be called the same: the smallest part that holds all of them, which keeps the promise,
    # takes their place, until all names differ.
    while True:
        labels = tuple(column.labels(cut.reach.at(index), cut.pieces) for index, column in enumerate(columns))
        if not apart or len(merged := namesakes(labels)) == len(cut.leaves):
            return cut, labels
        cut = _merge_namesakes(cut, columns, merged)


def _merge_namesakes(cut: Cut, columns: Sequence[CutColumn], merged: Grouping) -> Cut:
    """Put the parts of every group back into the smallest part that holds them all."""
    ways = cut.tree.paths(cut.leaves)
    ways = np.append(ways, np.full((len(ways), 1), -1), axis=1)
    each = np.arange(len(ways))
    ways[each, (ways >= 0).sum(axis=1)] = cut.leaves
    common = common_paths(ways, merged)
    last = common[np.arange(len(merged)), (common >= 0).sum(axis=1) - 1]
    stops = np.zeros(len(cut.tree) + 1, dtype=bool)
    stops[last[merged.sizes() > 1]] = True
    stops[cut.leaves] = True  # every way ends at its class, if not before
    leaves, numbers = np.unique(ways[each, stops[ways].argmax(axis=1)], return_inverse=True)
    old, classes = cut.pieces, numbers[cut.pieces.classes]
    both = group([old.cells, classes], [int(old.cells.max()) + 1, int(classes.max()) + 1])
    pieces = Pieces(old.cells[both.first], classes[both.first], both.sums(old.counts))
    return Cut(pieces, _reach(columns, pieces, len(leaves)), leaves, cut.tree)


def _reach(columns: Sequence[CutColumn], pieces: Pieces, number: int) -> Stretches:
    result = []
    for column in columns:
        places = column.place[column.codes[pieces.cells]]
        values = group([pieces.classes, places], [number, len(column.code)])
        distinct = np.bincount(pieces.classes[values.first], minlength=number)
        result.append((*class_extremes(places, pieces.classes, number), distinct))
    return Stretches(*(np.array(part) for part in zip(*result, strict=True)))
