"""Round widths for the numbers of a column, chosen from their spread; what lies far out gets an open end."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from incrowd.core import Domain
from incrowd.hierarchies._intervals import Intervals, intervals
from incrowd.hierarchies._numbers import Line, typed_numbers
from incrowd.hierarchies._parameters import read_number

FINEST, FINER = 20, 50
"""The first level has at most so many intervals; up to the second number if only that gives enough levels."""

STEPS = 3
"""So many levels of intervals are looked for before ``*``."""

SMALL = 24
"""Whole numbers that lie so close together become fives, tens and twenties, or pairs, fours and eights where that gives
more levels; pairs begin with 1 where the numbers do."""

ENDS = (Fraction(5, 100), Fraction(95, 100))
"""Between these shares of the rows lies the bulk; what is farther from it than it is long is far out."""


def intervals_for(domain: Domain) -> Intervals | None:
    """Give round intervals for a column of numbers, only with levels that change something; nothing if none does."""
    line, is_finite = typed_numbers(domain)
    if np.count_nonzero(is_finite) < 2:
        return None
    numbers = _Numbers(domain, line, is_finite)
    if numbers.whole and numbers.high - numbers.low <= SMALL:
        counted = intervals(2, 4, 8, start=1 if numbers.low == 1 else 0)
        return max(filter(None, map(numbers.useful, (intervals(5, 10, 20), counted))), key=_steps, default=None)
    low, high, span = numbers.ends()
    best: Intervals | None = None
    for widths in _chains(span, Fraction(2) if numbers.whole else Fraction(0)):
        bound = widths[:2][-1]  # an open end is rounder than what it cuts
        bottom = low // bound * bound if low > numbers.low else None
        top = (high // bound + 1) * bound if high < numbers.high else None
        found = numbers.useful(intervals(*widths, bottom=bottom, top=top))
        if found is not None and (best is None or len(found.widths) > len(best.widths)):
            best = found
        if best is not None and len(best.widths) >= STEPS:
            break
    return best


def _steps(hierarchy: Intervals) -> int:
    return len(hierarchy.widths)


class _Numbers:
    """The finite numbers of a column, in their order."""

    def __init__(self, domain: Domain, line: Line, is_finite: npt.NDArray[np.bool_]) -> None:
        self._line, self._is_finite = line, is_finite
        self._values, self._counts = domain.values[is_finite], domain.counts[: len(is_finite)][is_finite]
        self.low, self.high = (read_number("value", self._values[place]) for place in (0, -1))
        self.whole = self._values.dtype.kind == "i"

    def ends(self) -> tuple[Fraction, Fraction, Fraction]:
        """Give where the numbers begin and end, without those that lie far out, and how long their bulk is."""
        weights = self._counts
        first, last = (self._quantile(share, weights) for share in ENDS)
        if first == last:  # most rows have one value: look at the values instead
            weights = np.ones_like(self._counts)
            first, last = (self._quantile(share, weights) for share in ENDS)
        bulk = last - first
        near = self._line.up_to(last + bulk) & ~self._line.below(first - bulk)
        places = np.flatnonzero(near[self._is_finite])
        low, high = (read_number("value", self._values[places[end]]) for end in (0, -1))
        return low, high, min(high, last + bulk / 10) - max(low, first - bulk / 10)

    def _quantile(self, share: Fraction, weights: npt.NDArray[np.int64]) -> Fraction:
        """Give the lowest number that such a share of the rows does not exceed."""
        rows = np.cumsum(weights)
        place = int(np.searchsorted(rows, math.ceil(share * int(rows[-1]))))
        return read_number("value", self._values[min(place, len(self._values) - 1)])

    def useful(self, hierarchy: Intervals) -> Intervals | None:
        """Leave out widths that give the same groups as the one before, or only one, and ends that hold nothing."""
        bottom, top = hierarchy.bottom, hierarchy.top
        below = self._below(bottom)
        above = ~self._below(top) if top is not None else np.zeros_like(below)
        bottom, top = bottom if below.any() else None, top if above.any() else None
        kept, groups = [], len(self._values)
        for width in hierarchy.widths:
            places = self._line.floor(hierarchy.start, width)[self._is_finite][~below & ~above]
            inside = int(np.count_nonzero(places[1:] != places[:-1])) + bool(len(places))
            found = inside + int(below.any()) + int(above.any())
            if 1 < found < groups:
                kept.append(width)
                groups = found
        return intervals(*kept, start=hierarchy.start, bottom=bottom, top=top) if kept else None

    def _below(self, bound: Fraction | None) -> npt.NDArray[np.bool_]:
        if bound is None:
            return np.zeros(len(self._values), dtype=bool)
        return self._line.below(bound)[self._is_finite]


def _chains(span: Fraction, smallest: Fraction) -> Iterator[tuple[Fraction, ...]]:
    """Give growing round widths, each a multiple of the one before: from 20 intervals on, from more, or doubled."""
    beginnings = list(itertools.takewhile(lambda width: width < span, _round_widths(max(span / FINER, smallest))))
    usual = [width for width in beginnings if width * FINEST >= span]
    beginnings = [*usual, *reversed(beginnings[: len(beginnings) - len(usual)])]
    for first in beginnings:
        widths = [first]
        for width in itertools.takewhile(lambda width: width < span, _round_widths(first * 2)):
            if width % widths[-1] == 0:
                widths.append(width)
        yield tuple(widths)
    yield from ((first, first * 2, first * 4) for first in beginnings)


def _round_widths(at_least: Fraction) -> Iterator[Fraction]:
    """Count 1, 2, 5, 10, 20, 50, ... from the first that is large enough."""
    power = Fraction(10) ** (len(str(int(at_least))) - 1)
    while power > at_least:
        power /= 10
    while True:
        yield from (power * digit for digit in (1, 2, 5) if power * digit >= at_least)
        power *= 10
