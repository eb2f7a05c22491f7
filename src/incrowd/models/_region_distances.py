"""How far the distribution of a class is from that of a region around it (spec 2.6), for many classes at once.

Unlike the whole table, regions are many. Where a distance needs only the values that a class has, sparse histograms are
enough; where it needs an order or a taxonomy, a few classes at a time are spread out over all values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Classes, Histogram, Ladder

Array = npt.NDArray[Any]
Counts = npt.NDArray[np.int64]

SPREAD = 4_000_000
"""So many counts are spread out at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class RegionPairs:
    """Classes beside the regions that contain them.

    Attributes
    ----------
    inside
        The values of the classes.
    around
        The values of all regions.
    home
        The region of each class.
    sizes, totals
        The size of each class, and of its region.
    values
        How many values the column has.
    """

    inside: Histogram
    around: Histogram
    home: Array
    sizes: Counts
    totals: Counts
    values: int

    @classmethod
    def of(cls, classes: Classes, chosen: Array, regions: Classes, home: Array, column: str) -> RegionPairs:
        """Put some classes beside their regions; ``home`` is the region of each of them."""
        inside, around = _take(classes.histogram(column), chosen), regions.histogram(column)
        values = classes.cells.cardinalities[column]
        return cls(inside, around, home, classes.size[chosen], regions.size[home], values)

    def wide(self, times: int, *arrays: Array) -> tuple[Array, ...]:
        """Give arrays in which sizes may be multiplied: as Python's integers where 64 bits are too few."""
        largest = int(self.sizes.max(initial=0)) * int(self.totals.max(initial=0)) * times
        return arrays if largest < 2**62 else tuple(array.astype(object) for array in arrays)

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
            inside, around = _take(self.inside, rows), _take(self.around, self.home[rows])
            yield self._spread(inside, totals[rows]) - self._spread(around, sizes[rows])

    def _spread(self, histogram: Histogram, factor: Array) -> Array:
        result = np.zeros((len(factor), self.values), dtype=factor.dtype)
        result[histogram.classes, histogram.values[0]] = histogram.counts
        return result * factor[:, np.newaxis]


Fractions = tuple[Array, Array]
"""Numerators and denominators."""


def equal(pairs: RegionPairs, ground: object = None) -> Fractions:  # noqa: ARG001 - all distances are called alike
    """Give half the sum of all differences (S4-VAR): what the class has too much of."""
    inside = pairs.inside
    counts, around, sizes, totals = pairs.wide(1, inside.counts, pairs.counts_around(), pairs.sizes, pairs.totals)
    excess = np.maximum(counts * totals[inside.classes] - around * sizes[inside.classes], 0)
    return np.add.reduceat(excess, inside.starts[:-1]), sizes * totals


def kullback_leibler(pairs: RegionPairs) -> npt.NDArray[np.float64]:
    """Give the sum of p ln(p / q) (S4-KL)."""
    inside = pairs.inside
    p = inside.counts / pairs.sizes[inside.classes]
    q = pairs.counts_around() / pairs.totals[inside.classes]
    return np.bincount(inside.classes, weights=p * np.log(p / q), minlength=len(pairs.sizes)).astype(np.float64)


def ordered(pairs: RegionPairs, ranks: Array) -> Fractions:
    """Give the earth mover's distance along an order (S4-ORD), each step of equal length."""
    steps = max(pairs.values - 1, 1)
    order = np.argsort(ranks)[:-1]
    return _collect(pairs, steps, lambda parts: np.abs(np.cumsum(parts[:, order], axis=1)).sum(axis=1))


def hierarchical(pairs: RegionPairs, ladder: Ladder) -> Fractions:
    """Give the earth mover's distance in a taxonomy (S4-HIER): moving costs the level of the lowest common ancestor."""

    def moved(children: Array) -> Array:
        result = np.zeros(len(children), dtype=children.dtype)
        for level in range(1, ladder.height + 1):
            parents = ladder.step(level - 1, level)
            gained, lost = (_add_up(np.maximum(part, 0), parents) for part in (children, -children))
            result = result + level * np.minimum(gained, lost).sum(axis=1)
            children = gained - lost
        return result

    return _collect(pairs, max(ladder.height, 1), moved)


def _collect(pairs: RegionPairs, steps: int, distance: Callable[[Array], Array]) -> Fractions:
    numerators = np.concatenate([distance(parts) for parts in pairs.differences(steps)])
    sizes, totals = pairs.wide(steps, pairs.sizes, pairs.totals)
    return numerators, sizes * totals * steps


def _add_up(parts: Array, parents: Array) -> Array:
    """Add up the columns of each parent."""
    order = np.argsort(parents, kind="stable")
    starts = np.searchsorted(parents[order], np.arange(int(parents.max()) + 1))
    return np.add.reduceat(parts[:, order], starts, axis=1)


def _take(histogram: Histogram, chosen: Array) -> Histogram:
    """Give the histogram of some classes only, in the given order and with new numbers."""
    lengths = np.diff(histogram.starts)[chosen]
    starts = np.append(0, np.cumsum(lengths))
    entries = np.arange(starts[-1]) + np.repeat(histogram.starts[chosen] - starts[:-1], lengths)
    values = tuple(codes[entries] for codes in histogram.values)
    return Histogram(starts, np.repeat(np.arange(len(chosen)), lengths), values, histogram.counts[entries])
