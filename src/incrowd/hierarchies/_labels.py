"""Reading a published label: which numbers, moments or texts a range, set, period or mask stands for."""

from __future__ import annotations

import itertools
import json
import math
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from incrowd.core import TOP, Kind
from incrowd.hierarchies._dates import Unit, begin_of_period, read_period
from incrowd.hierarchies._day_forms import read_moment
from incrowd.hierarchies._numbers import NUMBER, read_decimal

EVERYTHING = (TOP, "")  # a suppressed cell; others leave it empty (spec N-EXACT)

LabelKind = Literal["everything", "set", "mask", "bound", "range", "period"]


@dataclass(frozen=True, slots=True)
class Masked:
    """Texts of the same length that agree wherever the mask shows a character."""

    text: str
    kind: LabelKind = "mask"


@dataclass(frozen=True, slots=True)
class Between:
    """Numbers between two ends; an end that is missing is open for ever."""

    low: Fraction | None
    high: Fraction | None
    holds_low: bool = True
    holds_high: bool = True
    kind: LabelKind = "range"


@dataclass(frozen=True, slots=True)
class Period:
    """Moments inside one period of the calendar."""

    unit: Unit
    number: int
    kind: LabelKind = "period"


@dataclass(frozen=True, slots=True)
class Moments:
    """Moments between two moments, both included; a day as the end holds all of that day."""

    first: np.datetime64
    last: np.datetime64
    kind: LabelKind = "range"


LabelMeaning = Masked | Between | Period | Moments

_FRACTION = rf"(?:-?[0-9]+/[0-9]+|{NUMBER})"
_BOUND = re.compile(rf"(<=|>=|<|>)\s*({_FRACTION})")
_PLAIN = re.compile(rf"({NUMBER})\s*(-|\.\.)\s*({NUMBER})")
_BRACKETS = re.compile(rf"([\[(\]])\s*({_FRACTION})\s*(?:,|-|\.\.)\s*({_FRACTION})\s*([\])\[])")
_ZERO_FIRST = re.compile(r"0[0-9]")
_SIGNS, _COMMA = re.compile('[{}"]'), re.compile(", ?")
_MEMBER = re.compile(r'(?P<text>"(?:[^"\\]|\\.)*"|[^{},"]*)(?P<end>, ?|$)', re.DOTALL)


def members_of(label: str) -> tuple[str, ...] | None:
    """Read a set of values or labels; nothing if it is none. In quotation marks JSON's escapes are read.

    >>> from incrowd.hierarchies import members_of
    >>> members_of('{bonn, "c, d"}')
    ('bonn', 'c, d')
    """
    if len(label) <= 2 or label[0] + label[-1] != "{}":
        return None
    members, inside, start = [], label[1:-1], 0
    if not _SIGNS.search(inside):
        return tuple(_COMMA.split(inside))
    while found := _MEMBER.match(inside, start):
        text = found["text"]
        try:
            members.append(json.loads(text, strict=False) if text.startswith('"') else text)
        except ValueError:
            return None
        if not found["end"]:
            return tuple(members)
        start = found.end()
    return None


def read_own_label(label: str) -> LabelMeaning | None:
    """Read a label other than ``*``; nothing if it follows no pattern."""
    if TOP in label:
        return Masked(label)
    period = read_period(label)
    return _read_bound(label) or _number_range(label) or (Period(*period) if period else _read_moments(label))


def _read_bound(label: str) -> Between | None:
    found = _BOUND.fullmatch(label)
    number = _read_fraction(found[2]) if found else None
    if found is None or number is None:
        return None
    low, high = (number, None) if found[1][0] == ">" else (None, number)
    return Between(low, high, found[1] == ">=", found[1] == "<=", kind="bound")


def _number_range(label: str) -> Between | None:
    if found := _BRACKETS.fullmatch(label):
        return _range_of_ends(found[2], found[3], holds_low=found[1] == "[", holds_high=found[4] == "]")
    found = _PLAIN.fullmatch(label)
    if found is None:
        return None
    low, sign, high = found.groups()
    # 02139-4307 is a zip code with its extension; 05-09 is a range.
    is_code = sign == "-" and len(low) != len(high) and (_ZERO_FIRST.match(low) or _ZERO_FIRST.match(high))
    return None if is_code else _range_of_ends(low, high)


def _range_of_ends(low: str, high: str, *, holds_low: bool = True, holds_high: bool = True) -> Between | None:
    """Build a range; 2024-03 is none, because a range does not run backwards."""
    ends = _read_fraction(low), _read_fraction(high)
    if ends[0] is None or ends[1] is None or ends[0] > ends[1]:
        return None
    return Between(ends[0], ends[1], holds_low, holds_high)


def _read_fraction(text: str) -> Fraction | None:
    try:
        return Fraction(text)
    except ZeroDivisionError:
        return None


def _read_moments(label: str) -> Moments | None:
    first, _, last = label.partition("..")
    begin, end = read_moment(first), read_moment(last)
    if begin is None or end is None or begin > end:
        return None
    whole_day = read_period(last) is not None
    length = np.timedelta64(1, "D") - np.timedelta64(1, "us") if whole_day else np.timedelta64(0, "us")
    return Moments(np.datetime64(begin, "us"), np.datetime64(end, "us") + length)


# Ways in which others write labels, read as ours (spec S-COVER): ``90+``, ``2022-03``, ``476xx``, long dashes.

_PLUS = re.compile(rf"({NUMBER})\s*\+")
_MONTH = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])")
_FOREIGN_SIGNS = str.maketrans({"\u2264": "<=", "\u2265": ">=", "\u2013": "-", "\u2014": "-", "\u2212": "-"})
_HIDDEN = re.compile(r"(?=[^xX]*[0-9])([^xX]*)(x+|X+)")


def kind_of_label(label: str) -> LabelKind | None:
    """Say how a label can be read; ``None`` for one that covers only itself unless a hierarchy knows it.

    >>> from incrowd.hierarchies import kind_of_label
    >>> kind_of_label("[20, 25)"), kind_of_label("476**"), kind_of_label("2024-Q1"), kind_of_label("Europe")
    ('range', 'mask', 'period', None)
    """
    if label in EVERYTHING:
        return "everything"
    if members_of(label) is not None:
        return "set"
    reading = read_label(label)
    return None if reading is None else reading.kind


def read_label(label: str) -> LabelMeaning | None:
    """Read a label other than ``*``, ours or as others write it; nothing if it follows no pattern."""
    found = read_own_label(label)
    if found is not None:
        return found
    month = _MONTH.fullmatch(label)
    if month is not None:
        return Period("month", int(month[1]) * 12 + int(month[2]) - 1)
    plus = _PLUS.fullmatch(label)
    ours = label.translate(_FOREIGN_SIGNS) if plus is None else f">={plus[1]}"
    return None if ours == label else read_own_label(ours)


def read_mask_of_x(label: str) -> Masked | None:
    """Read a mask with the letter x instead of stars; only who knows the column's values can tell if it is one."""
    found = _HIDDEN.fullmatch(label)
    return None if found is None else Masked(found[1] + TOP * len(found[2]))


# The stretch of numbers or days that a label names, for anybody who reads it: ``[20, 30)``, ``2024-Q1``, ``476**``.

_DIGITS = re.compile(r"[0-9]+\*+")
_DAY = np.timedelta64(1, "D")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a line, without its upper end; an end that is missing is open, and one of no length is a point."""

    low: float | None  # numbers as they are, days counted from 1970, and moments in microseconds from there
    high: float | None

    def is_longer_than(self, length: float) -> bool:
        return self.low is None or self.high is None or self.high - self.low > length


def span_of(label: str, kind: Kind, *, whole: bool) -> Span | None:
    """Read the stretch that a label names; nothing if it names none."""
    # Of whole numbers or days [20, 30) has ten, and 18..20 ends at 21.
    found = read_label(label)
    if kind == "number":
        return _span_of_numbers(label, found, whole=whole)
    if isinstance(found, Period):
        begin, end = (begin_of_period(found.number + later, found.unit) for later in (0, 1))
        return Span(_place_of_moment(begin, whole=whole), _place_of_moment(end, whole=whole))
    if isinstance(found, Moments):
        last = found.last.astype("datetime64[D]") + _DAY if whole else found.last
        return Span(_place_of_moment(found.first, whole=whole), _place_of_moment(last, whole=whole))
    moment = read_moment(label)
    if moment is None:
        return None
    place = _place_of_moment(np.datetime64(moment, "us"), whole=whole)
    return Span(place, place + whole)


def _span_of_numbers(label: str, found: object, *, whole: bool) -> Span | None:
    if isinstance(found, Between):
        ends = ((found.low, found.holds_low), (found.high, not found.holds_high))
        if not whole:
            return Span(*(None if end is None else float(end) for end, _ in ends))
        # The first whole number from an end on, or after it where the end is not held.
        return Span(
            *(None if end is None else float(math.ceil(end) if on else math.floor(end) + 1) for end, on in ends)
        )
    if isinstance(found, Masked) and _DIGITS.fullmatch(label):
        return Span(float(label.replace("*", "0")), float(label.replace("*", "9")) + 1)
    number = read_decimal(label)  # a mean is a point
    return None if number is None else Span(float(number), float(number))


def _place_of_moment(moment: np.datetime64, *, whole: bool) -> float:
    return float(moment.astype("datetime64[D]" if whole else "datetime64[us]").astype(np.int64))


# Whether labels of one column can mean the same value (S4-SUPERSET asks for columns where none do).

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
    if len(different) <= 1:
        return True
    texts = sorted(member for text in different if text is not None for member in members_of(text) or (text,))
    shared = len(set(texts)) < len(texts)  # by two sets, or a set and a value
    if shared or any(text in EVERYTHING for text in texts):
        return False
    readings = {text: reading for text in texts if (reading := read_own_label(text)) is not None}
    return (
        _are_all_understood(texts, readings)
        and _are_texts_apart(texts, readings)
        and _are_numbers_apart(texts, readings)
        and _are_moments_apart(texts, readings)
    )


def _are_all_understood(texts: Sequence[str], readings: dict[str, Any]) -> bool:
    """Say whether no text is beside others that it may stand for, in a way of writing that is not known here."""
    others = [text for text in texts if text not in readings]
    unread = [text for text in others if _DIGIT.search(text) and not _is_value(text)]
    if not unread:
        return True
    beside = bool(readings) or any(map(_is_value, others))
    return not beside and (len(unread) == 1 or not any(map(_REACHES.search, unread)))


def _is_value(text: str) -> bool:
    return read_decimal(text) is not None or read_moment(text) is not None


def _are_texts_apart(texts: Sequence[str], readings: dict[str, Any]) -> bool:
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
            letters = ({tuple(text[place] for place in shown) for text in texts} for texts in (ones, others))
            if set.intersection(*letters):
                return False
    return True


def _are_numbers_apart(texts: Sequence[str], readings: dict[str, Any]) -> bool:
    intervals = [_ends_of_range(reading) for reading in readings.values() if isinstance(reading, Between)]
    if not intervals:
        return True
    masks = [text for text, reading in readings.items() if isinstance(reading, Masked)]
    intervals += [_ends_of_mask(text) for text in masks if _MAY_BE_NUMBER.fullmatch(text)]
    numbers = (read_decimal(text) for text in texts if not isinstance(readings.get(text), (Between, Masked)))
    return _are_apart(intervals, [Fraction(number) for number in numbers if number is not None])


def _ends_of_range(reading: Between) -> Interval:
    low: End = _EVER[0] if reading.low is None else (reading.low, 0 if reading.holds_low else 1)
    high: End = _EVER[1] if reading.high is None else (reading.high, 0 if reading.holds_high else -1)
    return low, high


def _ends_of_mask(text: str) -> Interval:
    """Read ``3*`` as 30 to 39; more hidden letters may be a point or an exponent, so they may be any number."""
    if _TENS.fullmatch(text) is None:
        return _EVER
    low = int(text[:-1]) * 10
    return (low, 0), (low + 9, 0)


def _are_moments_apart(texts: Sequence[str], readings: dict[str, Any]) -> bool:
    intervals = [_ends_of_time(reading) for reading in readings.values() if isinstance(reading, (Period, Moments))]
    if not intervals:
        return True
    masks = (text for text, reading in readings.items() if isinstance(reading, Masked))
    intervals += [_EVER for text in masks if len(text) >= _SHORTEST_DATE]
    moments = (read_moment(text) for text in texts if text not in readings)
    return _are_apart(intervals, [_instant(np.datetime64(moment, "us")) for moment in moments if moment is not None])


def _ends_of_time(reading: Period | Moments) -> Interval:
    if isinstance(reading, Moments):
        return (_instant(reading.first), 0), (_instant(reading.last), 0)
    begin, end = (_instant(begin_of_period(reading.number + later, reading.unit)) for later in (0, 1))
    return (begin, 0), (end, -1)


def _instant(moment: np.datetime64) -> int:
    return int(moment.astype("datetime64[us]").astype(np.int64))


def _are_apart(intervals: Iterable[Interval], points: Iterable[Any]) -> bool:
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
