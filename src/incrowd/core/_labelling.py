"""``Namer``: what classes of a local recoding are called in one column (group, range, set), and what that gives up."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from incrowd.core._census import Census
from incrowd.core._domain import Domain
from incrowd.core._grouping import Ints, add_up, group, smallest_unsigned
from incrowd.core._ladder import TOP, Ladder

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Labelling:
    """What classes are called in one quasi-identifier, and what that gives up.

    A class that is called by a value has ``lost`` nothing, one that is called ``*`` all (1), the others the share of
    the hierarchy's values that their label stands for beyond one.
    """

    names: npt.NDArray[np.object_] = field(repr=False)  # the labels, each once; None for a missing value
    codes: Ints = field(repr=False)  # per class the position of its label
    lost: Floats = field(repr=False)
    climbed: Ints = field(repr=False)  # per class the lowest level of the ladder at which its members look alike
    covered: npt.NDArray[np.int64] = field(repr=False)  # per class how many records have a value that its label covers

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def texts(self) -> npt.NDArray[np.object_]:
        """What is published for each class."""
        return self.names[self.codes]

    def of(self, classes: Ints) -> Labelling:
        """Give the labels of some of the classes, by their numbers."""
        codes = self.codes[classes].astype(smallest_unsigned(len(self.names)))
        climbed = self.climbed[classes].astype(smallest_unsigned(int(self.climbed.max(initial=0)) + 1))
        return Labelling(self.names, codes, self.lost[classes], climbed, self.covered[classes])


class Namer:
    """Names classes in one quasi-identifier of a census, by what their members are.

    ``place`` has the position of every code when codes are sorted by the hierarchy, so that the members of every group
    of every level stand side by side; ``code`` has the code at every position. The census may be that of a ``part`` of
    the table, which its domains count as a whole.
    """

    def __init__(self, census: Census, column: int, *, part: bool = False) -> None:
        name = census.quasi[column]
        self.column = column
        self.ladder: Ladder = census.ladders[name]
        self.domain: Domain = census.domains[name]
        self.floor = census.floor[column]
        levels = range(self.floor, self.ladder.height + 1)
        self._up = {level: self.ladder.parent_groups(self.floor, level) for level in levels}
        self.code = np.lexsort([self._up[level] for level in levels])
        self.place = np.empty(len(self.code), dtype=np.int64)
        self.place[self.code] = np.arange(len(self.code))
        self._records = census.marginals[column]
        if part:
            self._records = add_up(self.ladder.groups[self.floor], self.domain.counts, len(self.code))
        self._flatten()

    @property
    def height(self) -> int:
        """The highest level."""
        return self.ladder.height

    def group_of(self, level: int) -> Ints:
        """Give for every code its group at a level."""
        return self._up[level]

    def lost(self, level: int) -> Floats:
        """Give for every group of a level the share of the hierarchy's values that it stands for beyond one."""
        start = self._starts[level - self.floor]
        return self._lost[start : start + len(self.ladder.labels[level])]

    def common_group(self, low: Ints, high: Ints) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Give the lowest level, and the group there, that holds all codes from one *position* to another."""
        first, last = self.code[low], self.code[high]
        levels = np.full(len(first), self.height, dtype=np.int64)
        groups = np.zeros(len(first), dtype=np.int64)
        for level in range(self.height, self.floor - 1, -1):
            one, other = self._up[level][first], self._up[level][last]
            same = one == other
            levels[same], groups[same] = level, one[same]
        return levels, groups

    def by_group(self, levels: Ints, groups: Ints) -> Labelling:
        """Call every class by a group of the ladder."""
        place = self._starts[np.asarray(levels) - self.floor] + groups
        return Labelling(
            names=self._names,
            codes=self._canonical[place],
            lost=self._lost[place],
            climbed=np.asarray(levels, dtype=np.int64),
            covered=self._covered[place],
        )

    def by_members(self, codes: Ints, classes: Ints, number: int) -> Labelling:
        """Call every class by the lowest group that holds all its members; no class is empty."""
        return self.by_group(*self.common_group(*class_extremes(self.place[codes], classes, number)))

    def by_range(self, codes: Ints, classes: Ints, number: int) -> Labelling:
        """Call every class by the smallest and the largest of its numbers or dates.

        A class with missing values beside others is called ``*``. Where the column has no order, or is counted at a
        coarser level, groups of the ladder take the place of ranges.
        """
        if not self.has_ranges:
            return self.by_members(codes, classes, number)
        low, high = class_extremes(codes, classes, number)
        values = len(self.domain.values)
        mixed = (high >= values) & (low < values)
        pairs = group([low, high], [len(self.domain)] * 2)
        names, ids = distinct_texts(self._range_texts(low[pairs.first], high[pairs.first]))
        sums, line = np.concatenate(([0], np.cumsum(self._records))), self._line()
        return Labelling(
            names=names,
            codes=ids[pairs.ids],
            lost=np.where(mixed, 1.0, line[high] - line[low]),
            climbed=np.where(mixed, self.height, self._range_levels(low, high)),
            covered=np.where(mixed, sums[-1], sums[high + 1] - sums[low]),
        )

    def by_set(self, codes: Ints, classes: Ints, number: int) -> Labelling:
        """Call every class by the set of its values; by a range where the column has an order."""
        if self.has_ranges:
            return self.by_range(codes, classes, number)
        if self.floor:
            return self.by_members(codes, classes, number)
        sets = group([classes, codes], [number, len(self.domain)])
        owner, inside = classes[sets.first], codes[sets.first]
        starts = np.searchsorted(owner, np.arange(number + 1))
        texts = self.domain.texts
        names = np.empty(number, dtype=object)
        names[:] = [_set_text(texts[inside[low:high]].tolist()) for low, high in itertools.pairwise(starts.tolist())]
        distinct, ids = distinct_texts(names)
        whole = self.by_members(codes, classes, number)
        stars = names == TOP
        lost = np.where(stars, 1.0, (np.diff(starts) - 1) / max(self._leaves - 1, 1))
        covered = np.where(stars, self._records.sum(), add_up(owner, self._records[inside], number))
        return Labelling(distinct, ids, lost, np.where(stars, self.height, whole.climbed), covered)

    def by_text(self, texts: Sequence[str], codes: Ints, classes: Ints, number: int) -> Labelling:
        """Call every class by a given text, such as a mean; what it gives up is that of its range.

        Classes with missing values are called as their range is.
        """
        ranged = self.by_range(codes, classes, number)
        _, high = class_extremes(codes, classes, number)
        names = np.where(high >= len(self.domain.values), ranged.texts, np.array(texts, dtype=object))
        distinct, ids = distinct_texts(names)
        return Labelling(distinct, ids, ranged.lost, ranged.climbed, ranged.covered)

    @property
    def has_ranges(self) -> bool:
        """Whether classes can be called by ranges: numbers and dates, counted as they are."""
        return self.floor == 0 and self.domain.kind in {"number", "date", "datetime", "instant"}

    def _range_levels(self, low: Ints, high: Ints) -> npt.NDArray[np.int64]:
        """Give the lowest level at which all values from the first to the last are in one group."""
        levels = np.full(len(low), self.height, dtype=np.int64)
        for level in range(self.height, self.floor - 1, -1):
            changes = np.concatenate(([0], np.cumsum(np.diff(self._up[level].astype(np.int64)) != 0)))
            levels[changes[low] == changes[high]] = level
        return levels

    def _range_texts(self, low: Ints, high: Ints) -> npt.NDArray[np.object_]:
        texts, values = self.domain.texts, len(self.domain.values)
        names = np.empty(len(low), dtype=object)
        names[:] = [
            texts[one] if one == other else TOP if other >= values else f"{texts[one]}..{texts[other]}"
            for one, other in zip(low.tolist(), high.tolist(), strict=True)
        ]
        return names

    def _line(self) -> Floats:
        """Give every code's distance from the first value, of the widest that there can be; null has none."""
        values = self.domain.values
        if not len(values):
            return np.zeros(len(self.domain))
        if values.dtype.kind == "M":
            from_first = (values - values[0]).astype(np.float64)
        else:
            from_first = np.array([float(value - values[0]) for value in values.tolist()])
        if not np.isfinite(from_first).all():  # infinitely far apart: each is one step from the next
            from_first = np.arange(len(values), dtype=np.float64)
        widest = from_first[-1]
        if values.dtype.kind == "i":  # a hierarchy of whole numbers may know more of them than the table has
            widest = max(widest, float(self._leaves - 1))
        return np.append(from_first / (widest or 1.0), [0.0] * self.domain.has_null)

    def _flatten(self) -> None:
        """Put the groups of all levels side by side, and give labels that occur on several levels one number."""
        levels = range(self.floor, self.ladder.height + 1)
        sizes = [len(self.ladder.labels[level]) for level in levels]
        self._starts = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.int64)
        labels = np.concatenate([self.ladder.labels[level] for level in levels])
        self._leaves = int(self.ladder.leaves[-1][0])
        leaves = np.concatenate([self.ladder.leaves[level] for level in levels])
        self._lost = (leaves - 1) / max(self._leaves - 1, 1)
        covered = [add_up(self._up[level], self._records, size) for level, size in zip(levels, sizes, strict=True)]
        self._covered = np.concatenate(covered)
        self._names, self._canonical = distinct_texts(labels)


def class_extremes(places: Ints, classes: Ints, number: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Give the smallest and the largest place in every class; no class is empty."""
    low = np.full(number, np.iinfo(np.int64).max)
    high = np.full(number, -1, dtype=np.int64)
    np.minimum.at(low, classes, places)
    np.maximum.at(high, classes, places)
    return low, high


def distinct_texts(texts: npt.NDArray[np.object_]) -> tuple[npt.NDArray[np.object_], npt.NDArray[np.int64]]:
    """Give every text once, in the order of their first appearance, and the number of each."""
    known: dict[str | None, int] = {}
    codes = np.array([known.setdefault(text, len(known)) for text in texts.tolist()], dtype=np.int64)
    names = np.empty(len(known), dtype=object)
    names[:] = list(known)
    return names, codes


def text_domain(column: str, texts: npt.NDArray[np.object_], counts: npt.NDArray[np.integer]) -> Domain:
    """Give the domain of labels, of which each stands for so many records."""
    names, which = distinct_texts(texts)
    missing = np.array([one is None for one in names.tolist()], dtype=bool)
    records = add_up(which, counts, len(names))
    return Domain.build(column, "text", names[~missing], records[~missing], int(records[missing].sum()))


def _set_text(texts: list[str | None]) -> str | None:
    """Write a set of values: one as it is, several in braces; with a missing value among them it is ``*``."""
    if len(texts) == 1:
        return texts[0]
    names = [
        json.dumps(text, ensure_ascii=False) if set(text) & set('{},"') else text for text in texts if text is not None
    ]
    return TOP if None in texts else "{" + ", ".join(names) + "}"
