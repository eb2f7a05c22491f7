"""How far the distribution of a class is from that of the whole table (spec 2.6), for all classes at once.

Histograms are sparse, so every distance here walks over the values that a class has, never over all values: what a
class does not have follows from what the whole table has.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Classes, Histogram, Ladder, ParameterError, group
from incrowd.models._judge import Judge
from incrowd.models._measurement import Measured, Ratios, Roots, Sums

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Distributions:
    """The histograms of classes beside that of the whole table.

    Attributes
    ----------
    histogram
        The values of every class.
    sizes
        The size of every class.
    reference
        How often each code occurs in the table that classes are compared with.
    """

    histogram: Histogram
    sizes: Counts
    reference: Counts

    @classmethod
    def of(
        cls, classes: Classes, histogram: Histogram, column: str, reference: Mapping[str, Counts] | None = None
    ) -> Distributions:
        """Put classes beside the whole table, or beside the reference that was given (N-REF)."""
        if reference is not None:
            if (reference[column][histogram.values[0]] == 0).any():
                msg = f"The reference lacks values of {column!r} that the classes have."
                raise ParameterError(msg, hint="give the counts of the table that the classes were made of.")
            return cls(histogram, classes.size, reference[column])
        whole = classes.reference(column)
        counts = np.zeros(classes.cells.cardinalities[column], dtype=np.int64)
        counts[whole.values[0]] = whole.counts
        return cls(histogram, classes.size, counts)

    @property
    def total(self) -> int:
        """The size of the table that classes are compared with."""
        return int(self.reference.sum())

    def wide(self, *arrays: Any) -> tuple[Any, ...]:
        """Give arrays whose products with the total are exact: as Python's integers where 64 bits are too few."""
        largest = max(self.total, int(self.sizes.max(initial=0)))
        return arrays if largest < 2**31 else tuple(array.astype(object) for array in arrays)

    def entries(self, index: int) -> list[tuple[int, int]]:
        """Give the codes and counts of one class, as Python's integers."""
        rows = slice(self.histogram.starts[index], self.histogram.starts[index + 1])
        return list(zip(self.histogram.values[0][rows].tolist(), self.histogram.counts[rows].tolist(), strict=True))


def beside(judge: Judge, classes: Classes) -> Distributions:
    """Put classes beside the table that a judge compares them with; each person must have one value in either.

    A given reference was counted by somebody else, so there only the classes are looked at.
    """
    if judge.reference is None and classes.cells.person is not None:
        judge.histogram(classes.whole(), distribution=True)
    return Distributions.of(classes, judge.histogram(classes, distribution=True), judge.columns[0], judge.reference)


def equal(both: Distributions) -> Measured:
    """Give half the sum of all differences (S4-VAR): what the class has too much of."""
    histogram, total = both.histogram, both.total
    counts, sizes, reference = both.wide(histogram.counts, both.sizes, both.reference[histogram.values[0]])
    excess = np.maximum(counts * total - reference * sizes[histogram.classes], 0)
    numerators = np.add.reduceat(excess, histogram.starts[:-1]) if len(excess) else excess
    return Ratios(numerators, sizes * total)


def kullback_leibler(both: Distributions) -> Measured:
    """Give the sum of p ln(p / q) (S4-KL)."""
    histogram = both.histogram
    p = histogram.counts / both.sizes[histogram.classes]
    q = both.reference[histogram.values[0]] / both.total
    terms = p * np.log(p / q)
    return Roots(np.bincount(histogram.classes, weights=terms, minlength=len(both.sizes)).astype(np.float64))


def ordered(both: Distributions, ranks: Counts) -> Measured:
    """Give the earth mover's distance along an order (S4-ORD), each step of equal length."""
    curve = _Curve.of(both, ranks)
    histogram, owner, starts = both.histogram, both.histogram.classes, both.histogram.starts
    order = np.lexsort((ranks[histogram.values[0]], owner))
    place = ranks[histogram.values[0][order]]
    last = len(both.reference) - 1
    ends = np.append(place[1:], last)
    ends[starts[1:] - 1] = last
    running = np.cumsum(histogram.counts[order])
    share = (running - np.append(0, running)[starts[:-1]][owner]) / both.sizes[owner]
    gaps = np.bincount(owner, weights=_gap(curve, share, place, ends), minlength=len(both.sizes))
    distance = gaps + curve.sums[place[starts[:-1]]] / both.total
    steps = max(last, 1)
    exact = curve.below.tolist()
    return Sums(distance / steps, partial(_ordered_exactly, both, ranks, exact))


def hierarchical(both: Distributions, ladder: Ladder) -> Measured:
    """Give the earth mover's distance in a taxonomy (S4-HIER): moving costs the level of the lowest common ancestor."""
    distance = np.zeros(len(both.sizes))
    for level in range(1, ladder.height + 1 if len(distance) else 1):
        distance += level * _moved(both, ladder, level)
    height = max(ladder.height, 1)
    whole = [_sums(groups, both.reference).tolist() for groups in ladder.groups]
    return Sums(distance / height, partial(_hierarchical_exactly, both, ladder, whole))


@dataclass(frozen=True, slots=True, eq=False)
class _Curve:
    """How the whole table accumulates along an order.

    Attributes
    ----------
    below
        How many records have this value or an earlier one.
    sums
        The sums of ``below`` up to every place, one longer than it.
    total
        The number of records.
    """

    below: Counts
    sums: Floats
    total: int

    @classmethod
    def of(cls, both: Distributions, ranks: Counts) -> _Curve:
        below = np.cumsum(both.reference[np.argsort(ranks)])
        return cls(below, np.append(0.0, np.cumsum(below, dtype=np.float64)), both.total)


def _gap(curve: _Curve, share: Floats, start: Counts, end: Counts) -> Floats:
    """Add up |share - below[i] / total| for every i from start to before end; below only grows, so it crosses once."""
    turn = np.clip(np.searchsorted(curve.below, share * curve.total), start, end)
    under = share * (turn - start) - (curve.sums[turn] - curve.sums[start]) / curve.total
    over = (curve.sums[end] - curve.sums[turn]) / curve.total - share * (end - turn)
    return np.asarray(under + over, dtype=np.float64)


def _ordered_exactly(both: Distributions, ranks: Counts, below: list[int], index: int) -> Fraction:
    """Do the same for one class with Python's integers, over one common denominator."""
    size, total = int(both.sizes[index]), both.total
    entries = sorted((int(ranks[code]), count) for code, count in both.entries(index))
    ends = [place for place, _ in entries[1:]] + [len(below) - 1]
    result = size * sum(below[: entries[0][0]])
    share = 0
    for (place, count), end in zip(entries, ends, strict=True):
        share += count
        turn = min(max(bisect_left(below, Fraction(share * total, size)), place), end)
        result += share * total * (turn - place) - size * sum(below[place:turn])
        result += size * sum(below[turn:end]) - share * total * (end - turn)
    return Fraction(result, size * total * max(len(below) - 1, 1))


def _moved(both: Distributions, ladder: Ladder, level: int) -> Floats:
    """Say for every class how much moves between the children of the nodes of a level."""
    histogram, classes = both.histogram, len(both.sizes)
    child, parent = (ladder.groups[at][histogram.values[0]] for at in (level - 1, level))
    children = _extra(both, child, ladder.groups[level - 1], len(ladder.labels[level - 1]))
    nodes = _extra(both, parent, ladder.groups[level], len(ladder.labels[level]))
    pairs = group([histogram.classes, parent], [classes, len(ladder.labels[level])])
    child_node = pairs.ids[children.first]
    gained = np.bincount(child_node, weights=np.maximum(children.extra, 0), minlength=len(pairs))
    moved = np.minimum(gained, gained - nodes.extra)
    return np.bincount(histogram.classes[pairs.first], weights=moved, minlength=classes).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class _Extras:
    """How much more of each node a class has than the table, and one entry of the histogram for each."""

    extra: npt.NDArray[np.float64]
    first: npt.NDArray[np.intp]


def _extra(both: Distributions, node: npt.NDArray[np.integer], groups: npt.NDArray[np.integer], count: int) -> _Extras:
    histogram = both.histogram
    pairs = group([histogram.classes, node], [len(both.sizes), count])
    have = pairs.sums(histogram.counts) / both.sizes[histogram.classes[pairs.first]]
    whole = _sums(groups, both.reference) / both.total
    return _Extras(have - whole[node[pairs.first]], pairs.first)


def _sums(groups: npt.NDArray[np.integer], counts: Counts) -> Counts:
    """Add up the counts of every group, as whole numbers."""
    sums = np.zeros(int(groups.max()) + 1 if len(groups) else 0, dtype=np.int64)
    np.add.at(sums, groups, counts)
    return sums


def _hierarchical_exactly(both: Distributions, ladder: Ladder, whole: list[list[int]], index: int) -> Fraction:
    """Do the same for one class with Python's fractions; ``whole`` has the table's counts per level and group."""
    entries, size, total = both.entries(index), int(both.sizes[index]), both.total
    have: list[dict[int, int]] = [{} for _ in ladder.groups]
    parent: list[dict[int, int]] = [{} for _ in ladder.groups]
    for code, count in entries:
        for level, groups in enumerate(ladder.groups):
            node = int(groups[code])
            have[level][node] = have[level].get(node, 0) + count
            parent[level][node] = int(ladder.groups[min(level + 1, ladder.height)][code])
    result = Fraction(0)
    for level in range(1, ladder.height + 1):
        gained = dict.fromkeys(have[level], Fraction(0))
        for child, count in have[level - 1].items():
            extra = Fraction(count, size) - Fraction(whole[level - 1][child], total)
            gained[parent[level - 1][child]] += max(extra, Fraction(0))
        for node, gain in gained.items():
            extra = Fraction(have[level][node], size) - Fraction(whole[level][node], total)
            result += level * min(gain, gain - extra)
    return result / max(ladder.height, 1)
