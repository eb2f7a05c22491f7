"""The stretch of numbers or days that a label names, for anybody who reads it: ``[20, 30)``, ``2024-Q1``, ``476**``."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from incrowd.core import Kind
from incrowd.hierarchies._day_forms import read_moment
from incrowd.hierarchies._labels import Between, Masked, Moments, Period
from incrowd.hierarchies._notations import read_any
from incrowd.hierarchies._numbers import read_decimal
from incrowd.hierarchies._periods import begin_of_period

_DIGITS = re.compile(r"[0-9]+\*+")
_DAY = np.timedelta64(1, "D")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a line, without its upper end; an end that is missing is open, and one of no length is a point.

    Numbers are as they are, days are counted from 1970, and moments in microseconds from there.
    """

    low: float | None
    high: float | None

    def is_longer_than(self, length: float) -> bool:
        """Say whether it is longer; what is open is."""
        return self.low is None or self.high is None or self.high - self.low > length


def span_of(label: str, kind: Kind, *, whole: bool) -> Span | None:
    """Read the stretch that a label names; nothing if it names none.

    Parameters
    ----------
    label
        A published text that is no value of the table.
    kind
        What the column's values are: numbers, dates or moments.
    whole
        Whether they are whole numbers or days: ``[20, 30)`` then has ten of them.

    Examples
    --------
    >>> from incrowd.hierarchies import span_of
    >>> span_of("[20, 30)", "number", whole=True), span_of("18..20", "number", whole=True)
    (Span(low=20.0, high=30.0), Span(low=18.0, high=21.0))
    """
    found = read_any(label)
    if kind == "number":
        return _numbers(label, found, whole=whole)
    if isinstance(found, Period):
        begin, end = (begin_of_period(found.number + later, found.unit) for later in (0, 1))
        return Span(_place(begin, whole=whole), _place(end, whole=whole))
    if isinstance(found, Moments):
        last = found.last.astype("datetime64[D]") + _DAY if whole else found.last
        return Span(_place(found.first, whole=whole), _place(last, whole=whole))
    moment = read_moment(label)
    if moment is None:
        return None
    place = _place(np.datetime64(moment, "us"), whole=whole)
    return Span(place, place + whole)


def _numbers(label: str, found: object, *, whole: bool) -> Span | None:
    if isinstance(found, Between):
        ends = (found.low, found.high)
        if not whole:
            return Span(*(None if end is None else float(end) for end in ends))
        low = None if ends[0] is None else float(_next(ends[0], holds=found.holds_low))
        return Span(low, None if ends[1] is None else float(_next(ends[1], holds=not found.holds_high)))
    if isinstance(found, Masked) and _DIGITS.fullmatch(label):
        return Span(float(label.replace("*", "0")), float(label.replace("*", "9")) + 1)
    number = read_decimal(label)  # a mean is a point
    return None if number is None else Span(float(number), float(number))


def _next(end: Fraction, *, holds: bool) -> int:
    """Give the first whole number from an end on, or after it where the end is not held."""
    return math.ceil(end) if holds else math.floor(end) + 1


def _place(moment: np.datetime64, *, whole: bool) -> float:
    return float(moment.astype("datetime64[D]" if whole else "datetime64[us]").astype(np.int64))
