"""Intervals of numbers: ``[20, 25)``, then ``[20, 30)``, and so on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Domain, Ladder, ParameterError, Step
from incrowd.hierarchies._numbers import Line, require_numbers
from incrowd.hierarchies._parameters import Number, plain, plain_texts, read_number, require_multiples


@dataclass(frozen=True, slots=True, repr=False)
class Intervals:
    """Numbers become intervals of growing width. Built by ``intervals``."""

    widths: tuple[Fraction, ...]
    start: Fraction
    bottom: Fraction | None
    top: Fraction | None

    def bind(self, domain: Domain) -> Ladder:
        """Fit the intervals to the numbers of one column."""
        line = require_numbers(domain, "intervals")
        steps = [self._step(line, width) for width in self.widths]
        return Ladder.climb(domain, [*steps, Step.top(domain)])

    def _step(self, line: Line, width: Fraction) -> Step:
        place = line.floor(self.start, width)
        below, above = self._outside(line, len(place))
        inside = ~below & ~above
        found, group = np.unique(place[inside], return_inverse=True)
        groups = np.where(below, len(found), len(found) + 1)
        groups[inside] = group
        return Step(groups, [*self._labels(found, width), *self._outer_labels()])

    def _outside(self, line: Line, count: int) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        nobody = np.zeros(count, dtype=bool)
        below = nobody if self.bottom is None else line.below(self.bottom)
        return below, nobody if self.top is None else ~line.below(self.top)

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
        pairs = zip(plain_texts(lows, scale), plain_texts(highs, scale), strict=True)
        return [f"[{low}, {high})" for low, high in pairs]

    def _outer_labels(self) -> list[str]:
        """Write the two open ends; a label nobody has is dropped by the ladder."""
        return [f"<{plain(self.bottom or Fraction(0))}", f">={plain(self.top or Fraction(0))}"]

    def __repr__(self) -> str:
        parts = [*map(plain, self.widths), f"start={plain(self.start)}"]
        parts += [f"bottom={plain(self.bottom)}"] if self.bottom is not None else []
        parts += [f"top={plain(self.top)}"] if self.top is not None else []
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
        msg = f"width must be above 0, got {plain(sizes[0])}."
        raise ParameterError(msg)
    require_multiples("widths", sizes)
    low = None if bottom is None else read_number("bottom", bottom)
    high = None if top is None else read_number("top", top)
    if low is not None and high is not None and low >= high:
        msg = f"bottom must be below top, got bottom={plain(low)} and top={plain(high)}."
        raise ParameterError(msg)
    return Intervals(sizes, read_number("start", start), low, high)
