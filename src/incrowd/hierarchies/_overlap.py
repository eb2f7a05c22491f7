"""Whether published labels of one column can mean the same value (S4-SUPERSET asks for columns where none do)."""

from __future__ import annotations

import itertools
import math
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from incrowd.core import TOP
from incrowd.hierarchies._dates import begin_of_period
from incrowd.hierarchies._day_forms import read_moment
from incrowd.hierarchies._labels import EVERYTHING, Between, Masked, Moments, Period, members_of, read_label
from incrowd.hierarchies._numbers import read_decimal

End = tuple[Any, int]  # a number and where the end lies: 0 at it, 1 above it, -1 below it
Interval = tuple[End, End]

_EVER: Interval = ((-math.inf, 0), (math.inf, 0))
_MAY_BE_NUMBER = re.compile(r"[0-9+.eE*-]+")
_TENS = re.compile(r"[0-9]+\*")
_SHORTEST_DATE = 7  # letters of the shortest date, 2024W01
_DIGIT = re.compile(r"\d")
# Signs by which people say how far a label reaches: 20+, at least 20, 20 to 29 with a long dash
_REACHES = re.compile(r"[+<>\u2264\u2265\u2013\u2014~\u2026]")
_MOST_SHAPES = 64  # masks that hide more combinations of places than this are not compared


def disjoint(labels: Iterable[str | None]) -> bool:
    """Say whether no two different labels of a column can stand for one value; ``False`` where it cannot be told.

    Patterns are read as ``covers`` reads them. A text with a digit that follows none, such as ``20+`` or ``20 to 29``,
    may mean any of the numbers, ranges, masks, bounds and periods beside it. Of sets (``{a, b}``) the members are
    compared. All other texts stand for themselves: that ``Europe`` holds ``France`` is not known here.

    >>> from incrowd.hierarchies import disjoint
    >>> disjoint(["<30", "3*", ">=40"]), disjoint(["476**", "4767*"]), disjoint(["20-29", "25"])
    (True, False, False)
    """
    different = set(labels)
    texts = sorted(label for label in different if label is not None)
    if len(different) <= 1:
        return True
    members = [member for text in texts for member in members_of(text) or (text,)]
    if len(set(members)) < len(members):  # two sets, or a set and a value, that share a member
        return False
    texts = sorted(members)
    if any(text in EVERYTHING for text in texts):
        return False
    readings = {text: reading for text in texts if (reading := read_label(text)) is not None}
    return (
        _all_understood(texts, readings)
        and _texts_apart(texts, readings)
        and _numbers_apart(texts, readings)
        and _moments_apart(texts, readings)
    )


def _all_understood(texts: Sequence[str], readings: dict[str, Any]) -> bool:
    """Say whether no text is beside others that it may stand for, in a way of writing that is not known here."""
    others = [text for text in texts if text not in readings]
    unread = [text for text in others if _DIGIT.search(text) and not _is_value(text)]
    if not unread:
        return True
    beside = bool(readings) or any(map(_is_value, others))
    return not beside and (len(unread) == 1 or not any(map(_REACHES.search, unread)))


def _is_value(text: str) -> bool:
    return read_decimal(text) is not None or read_moment(text) is not None


def _texts_apart(texts: Sequence[str], readings: dict[str, Any]) -> bool:
    """Compare masks and texts by the letters that both show."""
    shapes: defaultdict[tuple[int, tuple[int, ...]], list[str]] = defaultdict(list)
    for text in texts:
        if not isinstance(readings.get(text), (Between, Moments)):
            hidden = tuple(place for place, letter in enumerate(text) if letter == TOP) if TOP in text else ()
            shapes[len(text), hidden].append(text)
    if len(shapes) > _MOST_SHAPES and any(hidden for _, hidden in shapes):
        return False
    for ((length, hidden), ones), ((other, also), others) in itertools.combinations(shapes.items(), 2):
        if length == other and (hidden or also):
            shown = sorted(set(range(length)) - set(hidden) - set(also))
            if {_pick(text, shown) for text in ones} & {_pick(text, shown) for text in others}:
                return False
    return True


def _pick(text: str, places: Sequence[int]) -> str:
    return "".join([text[place] for place in places])


def _numbers_apart(texts: Sequence[str], readings: dict[str, Any]) -> bool:
    intervals = [_between(reading) for reading in readings.values() if isinstance(reading, Between)]
    if not intervals:
        return True
    masks = [text for text, reading in readings.items() if isinstance(reading, Masked)]
    intervals += [_mask(text) for text in masks if _MAY_BE_NUMBER.fullmatch(text)]
    numbers = (read_decimal(text) for text in texts if not isinstance(readings.get(text), (Between, Masked)))
    return _apart(intervals, [Fraction(number) for number in numbers if number is not None])


def _between(reading: Between) -> Interval:
    low: End = _EVER[0] if reading.low is None else (reading.low, 0 if reading.holds_low else 1)
    high: End = _EVER[1] if reading.high is None else (reading.high, 0 if reading.holds_high else -1)
    return low, high


def _mask(text: str) -> Interval:
    """Read ``3*`` as 30 to 39; more hidden letters may be a point or an exponent, so they may be any number."""
    if _TENS.fullmatch(text) is None:
        return _EVER
    low = int(text[:-1]) * 10
    return (low, 0), (low + 9, 0)


def _moments_apart(texts: Sequence[str], readings: dict[str, Any]) -> bool:
    intervals = [_during(reading) for reading in readings.values() if isinstance(reading, (Period, Moments))]
    if not intervals:
        return True
    masks = (text for text, reading in readings.items() if isinstance(reading, Masked))
    intervals += [_EVER for text in masks if len(text) >= _SHORTEST_DATE]
    moments = (read_moment(text) for text in texts if text not in readings)
    return _apart(intervals, [_instant(np.datetime64(moment, "us")) for moment in moments if moment is not None])


def _during(reading: Period | Moments) -> Interval:
    if isinstance(reading, Moments):
        return (_instant(reading.first), 0), (_instant(reading.last), 0)
    begin, end = (_instant(begin_of_period(reading.number + later, reading.unit)) for later in (0, 1))
    return (begin, 0), (end, -1)


def _instant(moment: np.datetime64) -> int:
    return int(moment.astype("datetime64[us]").astype(np.int64))


def _apart(intervals: Iterable[Interval], points: Iterable[Any]) -> bool:
    """Say whether no two intervals meet, and no point lies in one; two points are two texts."""
    ordered = sorted(interval for interval in intervals if interval[0] <= interval[1])
    if any(after[0] <= before[1] for before, after in itertools.pairwise(ordered)):
        return False
    begins = [low for low, _ in ordered]
    for point in points:
        place = bisect_right(begins, (point, 0)) - 1
        if place >= 0 and (point, 0) <= ordered[place][1]:
            return False
    return True
