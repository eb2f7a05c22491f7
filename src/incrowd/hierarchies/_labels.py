"""Read a published label: which numbers, moments or texts it stands for (spec S-COVER)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from incrowd.core import TOP
from incrowd.hierarchies._day_forms import read_moment
from incrowd.hierarchies._numbers import NUMBER
from incrowd.hierarchies._periods import Unit, read_period

EVERYTHING = (TOP, "")
"""A suppressed cell; others leave it empty (spec N-EXACT)."""

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
    """Read a set of values or labels, ``{a, b, "c, d"}``; nothing if it is none.

    Parameters
    ----------
    label
        A published text. A member with a brace, a comma or a quotation mark stands in quotation marks, as JSON writes
        it.

    Examples
    --------
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
