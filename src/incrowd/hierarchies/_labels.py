"""Read a published label: which numbers, moments or texts it stands for (spec S-COVER)."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

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


Reading = Masked | Between | Period | Moments

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


def read_label(label: str) -> Reading | None:
    """Read a label other than ``*``; nothing if it follows no pattern."""
    if TOP in label:
        return Masked(label)
    return _bound(label) or _brackets(label) or _plain_range(label) or _period(label) or _moments(label)


def _bound(label: str) -> Between | None:
    found = _BOUND.fullmatch(label)
    if found is None:
        return None
    sign, number = found[1], _fraction(found[2])
    if number is None:
        return None
    low, high = (number, None) if sign[0] == ">" else (None, number)
    return Between(low, high, sign == ">=", sign == "<=", kind="bound")


def _brackets(label: str) -> Between | None:
    found = _BRACKETS.fullmatch(label)
    if found is None:
        return None
    return _range(found[2], found[3], holds_low=found[1] == "[", holds_high=found[4] == "]")


def _plain_range(label: str) -> Between | None:
    found = _PLAIN.fullmatch(label)
    if found is None:
        return None
    low, sign, high = found.groups()
    # 02139-4307 is a zip code with its extension; 05-09 is a range.
    if sign == "-" and len(low) != len(high) and (_ZERO_FIRST.match(low) or _ZERO_FIRST.match(high)):
        return None
    return _range(low, high)


def _range(low: str, high: str, *, holds_low: bool = True, holds_high: bool = True) -> Between | None:
    """Build a range; 2024-03 is none, because a range does not run backwards."""
    ends = _fraction(low), _fraction(high)
    if ends[0] is None or ends[1] is None or ends[0] > ends[1]:
        return None
    return Between(ends[0], ends[1], holds_low, holds_high)


def _fraction(text: str) -> Fraction | None:
    try:
        return Fraction(text)
    except ZeroDivisionError:
        return None


def _period(label: str) -> Period | None:
    found = read_period(label)
    return None if found is None else Period(*found)


def _moments(label: str) -> Moments | None:
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
    reading = read_any(label)
    return None if reading is None else reading.kind


def read_any(label: str) -> Reading | None:
    """Read a label other than ``*``, ours or as others write it; nothing if it follows no pattern."""
    found = read_label(label)
    if found is not None:
        return found
    month = _MONTH.fullmatch(label)
    if month is not None:
        return Period("month", int(month[1]) * 12 + int(month[2]) - 1)
    plus = _PLUS.fullmatch(label)
    ours = label.translate(_FOREIGN_SIGNS) if plus is None else f">={plus[1]}"
    return None if ours == label else read_label(ours)


def read_hidden(label: str) -> Masked | None:
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
        """Say whether it is longer; what is open is."""
        return self.low is None or self.high is None or self.high - self.low > length


def span_of(label: str, kind: Kind, *, whole: bool) -> Span | None:
    """Read the stretch that a label names; nothing if it names none."""
    # Of whole numbers or days [20, 30) has ten, and 18..20 ends at 21.
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
