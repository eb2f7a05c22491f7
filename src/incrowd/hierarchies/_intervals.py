"""``intervals``: numbers become ``[20, 25)``, then ``[20, 30)``, and so on."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Domain, HierarchyError, Ladder, ParameterError, Step
from incrowd.hierarchies._numbers import (
    Number,
    NumberLine,
    decimal_text,
    decimal_texts,
    read_count,
    read_number,
    require_multiples,
    require_numbers,
    typed_numbers,
)


@dataclass(frozen=True, slots=True, repr=False)
class Intervals:
    """Numbers become intervals of growing width. Built by ``intervals``."""

    widths: tuple[Fraction, ...]
    start: Fraction
    bottom: Fraction | None
    top: Fraction | None

    def bind(self, domain: Domain) -> Ladder:
        line = require_numbers(domain, "intervals")
        steps = [self._step(line, width) for width in self.widths]
        return Ladder.climb(domain, [*steps, Step.top(domain)])

    def _step(self, line: NumberLine, width: Fraction) -> Step:
        place = line.floor(self.start, width)
        nobody = np.zeros(len(place), dtype=bool)
        below = nobody if self.bottom is None else line.below(self.bottom)
        above = nobody if self.top is None else ~line.below(self.top)
        inside = ~below & ~above
        found, group = np.unique(place[inside], return_inverse=True)
        groups = np.where(below, len(found), len(found) + 1)
        groups[inside] = group
        # A label of an open end that nobody has is dropped by the ladder.
        open_ends = (f"<{decimal_text(self.bottom or Fraction(0))}", f">={decimal_text(self.top or Fraction(0))}")
        return Step(groups, [*self._labels(found, width), *open_ends])

    def _labels(self, places: npt.NDArray[Any], width: Fraction) -> list[str]:
        """Write the intervals in whole units of a common denominator: a million labels must not take long."""
        bounds = [bound for bound in (self.bottom, self.top) if bound is not None]
        scale = math.lcm(*(number.denominator for number in (self.start, width, *bounds)))
        origin, step = int(self.start * scale), int(width * scale)
        lows = [origin + place * step for place in places.tolist()]
        highs = [low + step for low in lows]
        if self.bottom is not None:
            lows = [max(low, int(self.bottom * scale)) for low in lows]
        if self.top is not None:
            highs = [min(high, int(self.top * scale)) for high in highs]
        pairs = zip(decimal_texts(lows, scale), decimal_texts(highs, scale), strict=True)
        return [f"[{low}, {high})" for low, high in pairs]

    def __repr__(self) -> str:
        parts = [*map(decimal_text, self.widths), f"start={decimal_text(self.start)}"]
        parts += [f"bottom={decimal_text(self.bottom)}"] if self.bottom is not None else []
        parts += [f"top={decimal_text(self.top)}"] if self.top is not None else []
        return f"intervals({', '.join(parts)})"


def intervals(*widths: Number, start: Number = 0, bottom: Number | None = None, top: Number | None = None) -> Intervals:
    """Let numbers become intervals: one level per width, and ``*`` on top.

    Parameters
    ----------
    widths
        The widths, in the column's unit, growing. Each must be a whole multiple of the one before, so that an
        interval never straddles two of the next level.
    start
        Where one of the intervals begins; the others follow from it in both directions.
    bottom
        All numbers below become one group, ``<18``. It cuts the first interval: ``[18, 20)``.
    top
        This number and all above become one group, ``>=90``. It cuts the last interval.

    Notes
    -----
    Intervals hold their lower end and not their upper end, and bounds are compared exactly: ``0.3`` is the decimal
    three tenths. A column of text works where every text reads as a number (``007`` is seven).

    The widths are the same everywhere, so intervals in a sparse region hold few people: an interval is not a promise
    of a crowd. Without ``top`` the oldest patient keeps an interval of their own.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.intervals(5, 10, 20, bottom=18, top=90)
    intervals(5, 10, 20, start=0, bottom=18, top=90)
    """
    if not widths:
        msg = "intervals needs at least one width, got none."
        raise ParameterError(msg, hint="for example 5, 10, 20.")
    sizes = tuple(read_number("width", width) for width in widths)
    if sizes[0] <= 0:
        msg = f"width must be above 0, got {decimal_text(sizes[0])}."
        raise ParameterError(msg)
    require_multiples("widths", sizes)
    low = None if bottom is None else read_number("bottom", bottom)
    high = None if top is None else read_number("top", top)
    if low is not None and high is not None and low >= high:
        msg = f"bottom must be below top, got bottom={decimal_text(low)} and top={decimal_text(high)}."
        raise ParameterError(msg)
    return Intervals(sizes, read_number("start", start), low, high)


# Round widths for the numbers of a column, chosen from their spread; what lies far out gets an open end.

# The first level has at most so many intervals; up to the second number if only that gives enough levels
FINEST, FINER = 20, 50
STEPS = 3  # so many levels of intervals are looked for before ``*``
# Whole numbers that lie so close together become fives, tens and twenties, or pairs, fours and eights where that gives
# more levels; pairs begin with 1 where the numbers do
SMALL = 24
# Between these shares of the rows lies the bulk; what is farther from it than it is long is far out
ENDS = (Fraction(5, 100), Fraction(95, 100))


def intervals_for(domain: Domain) -> Intervals | None:
    """Give round intervals for a column of numbers, only with levels that change something; nothing if none does."""
    line, is_finite = typed_numbers(domain)
    if np.count_nonzero(is_finite) < 2:
        return None
    numbers = _Numbers(domain, line, is_finite)
    if numbers.whole and numbers.high - numbers.low <= SMALL:
        counted = intervals(2, 4, 8, start=1 if numbers.low == 1 else 0)
        both = filter(None, map(numbers.useful, (intervals(5, 10, 20), counted)))
        return max(both, key=lambda one: len(one.widths), default=None)
    low, high, span = numbers.ends()
    best: Intervals | None = None
    for widths in _width_chains(span, Fraction(2) if numbers.whole else Fraction(0)):
        bound = widths[:2][-1]  # an open end is rounder than what it cuts
        bottom = low // bound * bound if low > numbers.low else None
        top = (high // bound + 1) * bound if high < numbers.high else None
        found = numbers.useful(intervals(*widths, bottom=bottom, top=top))
        if found is not None and (best is None or len(found.widths) > len(best.widths)):
            best = found
        if best is not None and len(best.widths) >= STEPS:
            break
    return best


class _Numbers:
    """The finite numbers of a column, in their order."""

    def __init__(self, domain: Domain, line: NumberLine, is_finite: npt.NDArray[np.bool_]) -> None:
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
        nobody = np.zeros(len(self._values), dtype=bool)
        below = nobody if hierarchy.bottom is None else self._line.below(hierarchy.bottom)[self._is_finite]
        above = nobody if hierarchy.top is None else ~self._line.below(hierarchy.top)[self._is_finite]
        bottom, top = hierarchy.bottom if below.any() else None, hierarchy.top if above.any() else None
        kept, groups = [], len(self._values)
        for width in hierarchy.widths:
            places = self._line.floor(hierarchy.start, width)[self._is_finite][~below & ~above]
            inside = int(np.count_nonzero(places[1:] != places[:-1])) + bool(len(places))
            found = inside + int(below.any()) + int(above.any())
            if 1 < found < groups:
                kept.append(width)
                groups = found
        return intervals(*kept, start=hierarchy.start, bottom=bottom, top=top) if kept else None


def _width_chains(span: Fraction, smallest: Fraction) -> Iterator[tuple[Fraction, ...]]:
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


@dataclass(frozen=True, slots=True, repr=False)
class Quantiles:
    """Neighbours become groups of about as many rows. Built by ``quantiles``."""

    parts: tuple[int, ...]

    def bind(self, domain: Domain) -> Ladder:
        if domain.kind in {"text", "boolean"} and len(domain.values):
            msg = f"Column {domain.column!r} is of kind {domain.kind} and has no order of its own."
            raise HierarchyError(msg, hint="use ordered([...]) with the values from least to most.")
        texts = [str(text) for text in domain.texts[: len(domain.values)]]
        counts = domain.counts[: len(domain.values)]
        # The part that the middle one of each value's rows lies in.
        part = (2 * np.cumsum(counts) - counts) * self.parts[0] // max(2 * int(counts.sum()), 1)
        steps = []
        for parts in self.parts:
            _, group = np.unique(part * parts // self.parts[0], return_inverse=True)
            steps.append(Step(group, _range_labels(texts, group)))
        return Ladder.climb(domain, [*steps, Step.top(domain)])

    def __repr__(self) -> str:
        return f"quantiles({', '.join(map(str, self.parts))})"


def quantiles(*parts: int) -> Quantiles:
    """Let numbers and dates become ranges that hold about as many rows each: ``18..25``, ``26..31``, and ``*`` on top.

    Parameters
    ----------
    parts
        How many ranges there are at each level, falling; each a divisor of the one before, such as 8, 4, 2.

    Notes
    -----
    An alternative to ``intervals`` where numbers are spread unevenly, such as incomes. A value is never divided: where
    many rows have the same, there are fewer ranges. The ends are values of the table, and the ranges come from it:
    another table gets others, and they say where its quantiles lie. Missing values are not counted and stay apart.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.quantiles(8, 4, 2)
    quantiles(8, 4, 2)
    """
    counts = tuple(read_count("parts", part, at_least=2) for part in parts)
    if not counts:
        msg = "quantiles needs at least one number of ranges, got none."
        raise ParameterError(msg, hint="for example 8, 4, 2.")
    require_multiples("parts", [Fraction(count) for count in reversed(counts)])
    return Quantiles(counts)


def _range_labels(texts: list[str], group: npt.NDArray[np.integer]) -> list[str]:
    """Name ranges by their ends; groups are numbered along the values."""
    bounds = np.searchsorted(group, np.arange(int(group[-1]) + 2 if len(group) else 1)).tolist()
    return [
        texts[first] if end - first == 1 else f"{texts[first]}..{texts[end - 1]}"
        for first, end in itertools.pairwise(bounds)
    ]
