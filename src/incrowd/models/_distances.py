"""Distances between the distribution of a class and that of its table or region: equal, ordered, hierarchical, KL.

All classes are measured at once. Histograms are sparse, so every distance to the table walks over the values that a
class has, never over all values: what a class does not have follows from what the whole table has. Regions are many:
where a distance to them needs an order or a taxonomy, a few classes at a time are spread out over all values.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from incrowd.core import Classes, Histogram, Ladder, ParameterError, group
from incrowd.models._judge import Floats, Judge, Measured, Ratios, Roots, Sums

Array = npt.NDArray[Any]
Counts = npt.NDArray[np.int64]
Fractions = tuple[Array, Array]
"""Numerators and denominators."""

SPREAD = 4_000_000
"""So many counts are spread out at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Distributions:
    """The histograms and sizes of classes, and how often each code occurs in the table that they are compared with."""

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
        return arrays if largest < 2**31 else _as_objects(arrays)

    def entries(self, index: int) -> list[tuple[int, int]]:
        """Give the codes and counts of one class, as Python's integers."""
        rows = slice(self.histogram.starts[index], self.histogram.starts[index + 1])
        return list(zip(self.histogram.values[0][rows].tolist(), self.histogram.counts[rows].tolist(), strict=True))


def _as_objects(arrays: tuple[Array, ...]) -> tuple[Array, ...]:
    return tuple(array.astype(object) for array in arrays)


def distributions_for(judge: Judge, classes: Classes) -> Distributions:
    """Put classes beside the table that a judge compares them with; each person must have one value in either.

    A given reference was counted by somebody else, so there only the classes are looked at.
    """
    if judge.reference is None and classes.cells.person is not None:
        judge.histogram(classes.as_one(), distribution=True)
    return Distributions.of(classes, judge.histogram(classes, distribution=True), judge.columns[0], judge.reference)


def equal_distance(both: Distributions) -> Measured:
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


def ordered_distance(both: Distributions, ranks: Counts) -> Measured:
    """Give the earth mover's distance along an order (S4-ORD), each step of equal length."""
    below = np.cumsum(both.reference[np.argsort(ranks)])  # how many records have this value or an earlier one
    curve = _Curve(below, np.append(0.0, np.cumsum(below, dtype=np.float64)), both.total)
    histogram, owner, starts = both.histogram, both.histogram.classes, both.histogram.starts
    last, place, counts = len(both.reference) - 1, ranks[histogram.values[0]], histogram.counts
    along = owner * np.int64(last + 1) + place
    if (along[1:] < along[:-1]).any():  # numbers and dates stand in their order already
        order = np.argsort(along, kind="stable")
        place, counts = place[order], counts[order]
    ends = np.append(place[1:], last)
    ends[starts[1:] - 1] = last
    running = np.cumsum(counts)
    share = (running - np.append(0, running)[starts[:-1]][owner]) / both.sizes[owner]
    gaps = np.bincount(owner, weights=_gap(curve, share, place, ends), minlength=len(both.sizes))
    distance = gaps + curve.sums[place[starts[:-1]]] / both.total
    return Sums(distance / max(last, 1), partial(_ordered_exactly, both, ranks, below.tolist()))


def hierarchical_distance(both: Distributions, ladder: Ladder) -> Measured:
    """Give the earth mover's distance in a taxonomy (S4-HIER): moving costs the level of the lowest common ancestor."""
    distance = np.zeros(len(both.sizes))
    for level in range(1, ladder.height + 1 if len(distance) else 1):
        distance += level * _moves_at_level(both, ladder, level)
    whole = [_sums(groups, both.reference).tolist() for groups in ladder.groups]
    return Sums(distance / max(ladder.height, 1), partial(_hierarchical_exactly, both, ladder, whole))


class _Curve(NamedTuple):
    """How the whole table accumulates along an order: ``sums`` adds ``below`` up to every place, one longer than it."""

    below: Counts
    sums: Floats
    total: int


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


def _moves_at_level(both: Distributions, ladder: Ladder, level: int) -> Floats:
    """Say for every class how much moves between the children of the nodes of a level."""
    histogram, classes = both.histogram, len(both.sizes)
    child, parent = (ladder.groups[at][histogram.values[0]] for at in (level - 1, level))
    children, first = _extra(both, child, ladder.groups[level - 1], len(ladder.labels[level - 1]))
    nodes, _ = _extra(both, parent, ladder.groups[level], len(ladder.labels[level]))
    pairs = group([histogram.classes, parent], [classes, len(ladder.labels[level])])
    gained = np.bincount(pairs.ids[first], weights=np.maximum(children, 0), minlength=len(pairs))
    moved = np.minimum(gained, gained - nodes)
    return np.bincount(histogram.classes[pairs.first], weights=moved, minlength=classes).astype(np.float64)


def _extra(both: Distributions, node: Array, groups: Array, count: int) -> tuple[Floats, npt.NDArray[np.intp]]:
    """Say how much more of each node a class has than the table, and give one entry of the histogram for each."""
    histogram = both.histogram
    pairs = group([histogram.classes, node], [len(both.sizes), count])
    have = pairs.sums(histogram.counts) / both.sizes[histogram.classes[pairs.first]]
    whole = _sums(groups, both.reference) / both.total
    return have - whole[node[pairs.first]], pairs.first


def _sums(groups: Array, counts: Counts) -> Counts:
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


# The same distances to regions around classes, exactly.


@dataclass(frozen=True, slots=True, eq=False)
class RegionPairs:
    """Classes beside the regions that contain them."""

    inside: Histogram
    around: Histogram  # of all regions
    home: Array  # the region of each class
    sizes: Counts
    totals: Counts  # the size of the region of each class
    values: int  # how many the column has

    @classmethod
    def of(cls, classes: Classes, chosen: Array, regions: Classes, home: Array, column: str) -> RegionPairs:
        """Put some classes beside their regions; ``home`` is the region of each of them."""
        inside, around = _histogram_of(classes.histogram(column), chosen), regions.histogram(column)
        values = classes.cells.cardinalities[column]
        return cls(inside, around, home, classes.size[chosen], regions.size[home], values)

    def wide(self, times: int, *arrays: Array) -> tuple[Array, ...]:
        """Give arrays in which sizes may be multiplied: as Python's integers where 64 bits are too few."""
        largest = int(self.sizes.max(initial=0)) * int(self.totals.max(initial=0)) * times
        return arrays if largest < 2**62 else _as_objects(arrays)

    def counts_around(self) -> Counts:
        """Give for every entry of a class how often its value occurs in the region; at least as often as inside."""
        known = self.around.classes.astype(np.int64) * self.values + self.around.values[0]
        wanted = self.home[self.inside.classes].astype(np.int64) * self.values + self.inside.values[0]
        return self.around.counts[np.searchsorted(known, wanted)]

    def differences(self, times: int) -> Iterator[Array]:
        """Give for a few classes at a time, value by value, share inside less share around, times both sizes.

        What is given may be added up to ``times`` times without leaving its integers.
        """
        step = max(1, SPREAD // max(self.values, 1))
        sizes, totals = self.wide(times, self.sizes, self.totals)
        for start in range(0, len(sizes), step):
            rows = np.arange(start, min(start + step, len(sizes)))
            inside, around = _histogram_of(self.inside, rows), _histogram_of(self.around, self.home[rows])
            yield self._spread(inside, totals[rows]) - self._spread(around, sizes[rows])

    def _spread(self, histogram: Histogram, factor: Array) -> Array:
        result = np.zeros((len(factor), self.values), dtype=factor.dtype)
        result[histogram.classes, histogram.values[0]] = histogram.counts
        return result * factor[:, np.newaxis]


def equal_region_distance(pairs: RegionPairs) -> Fractions:
    """Give half the sum of all differences (S4-VAR): what the class has too much of."""
    inside = pairs.inside
    counts, around, sizes, totals = pairs.wide(1, inside.counts, pairs.counts_around(), pairs.sizes, pairs.totals)
    excess = np.maximum(counts * totals[inside.classes] - around * sizes[inside.classes], 0)
    return np.add.reduceat(excess, inside.starts[:-1]), sizes * totals


def region_kullback_leibler(pairs: RegionPairs) -> npt.NDArray[np.float64]:
    """Give the sum of p ln(p / q) (S4-KL)."""
    inside = pairs.inside
    p = inside.counts / pairs.sizes[inside.classes]
    q = pairs.counts_around() / pairs.totals[inside.classes]
    return np.bincount(inside.classes, weights=p * np.log(p / q), minlength=len(pairs.sizes)).astype(np.float64)


def ordered_region_distance(pairs: RegionPairs, ranks: Array) -> Fractions:
    """Give the earth mover's distance along an order (S4-ORD), each step of equal length."""
    steps = max(pairs.values - 1, 1)
    order = np.argsort(ranks)[:-1]
    return _exact_distances(pairs, steps, lambda parts: np.abs(np.cumsum(parts[:, order], axis=1)).sum(axis=1))


def hierarchical_region_distance(pairs: RegionPairs, ladder: Ladder) -> Fractions:
    """Give the earth mover's distance in a taxonomy (S4-HIER): moving costs the level of the lowest common ancestor."""

    def moved(children: Array) -> Array:
        result = np.zeros(len(children), dtype=children.dtype)
        for level in range(1, ladder.height + 1):
            parents = ladder.parent_groups(level - 1, level)
            gained, lost = (_parent_sums(np.maximum(part, 0), parents) for part in (children, -children))
            result = result + level * np.minimum(gained, lost).sum(axis=1)
            children = gained - lost
        return result

    return _exact_distances(pairs, max(ladder.height, 1), moved)


def _exact_distances(pairs: RegionPairs, steps: int, distance: Callable[[Array], Array]) -> Fractions:
    numerators = np.concatenate([distance(parts) for parts in pairs.differences(steps)])
    sizes, totals = pairs.wide(steps, pairs.sizes, pairs.totals)
    return numerators, sizes * totals * steps


def _parent_sums(parts: Array, parents: Array) -> Array:
    """Add up the columns of each parent."""
    order = np.argsort(parents, kind="stable")
    starts = np.searchsorted(parents[order], np.arange(int(parents.max()) + 1))
    return np.add.reduceat(parts[:, order], starts, axis=1)


def _histogram_of(histogram: Histogram, chosen: Array) -> Histogram:
    """Give the histogram of some classes only, in the given order and with new numbers."""
    lengths = np.diff(histogram.starts)[chosen]
    starts = np.append(0, np.cumsum(lengths))
    entries = np.arange(starts[-1]) + np.repeat(histogram.starts[chosen] - starts[:-1], lengths)
    values = tuple(codes[entries] for codes in histogram.values)
    return Histogram(starts, np.repeat(np.arange(len(chosen)), lengths), values, histogram.counts[entries])
