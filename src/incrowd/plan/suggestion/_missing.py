"""Marks that perhaps mean missing (``n/a``, 999, 1900-01-01): found in columns, asked about, never assumed.

Only marks of a fixed list are ever named, and each is common to so many files that it tells nothing about a record.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Domain
from incrowd.hierarchies import forms_of, moments_of
from incrowd.plan.suggestion._words import word_list

NEGATIVE = (-1, -2, -7, -8, -9, -77, -88, -99, -999, -9999)
NINES = (9, 99, 999, 9999, 99999, 999999, 99999999)
# Numbers that often stand for one: where nothing else is negative, and where nothing else is nearly as large. Surveys
# take several last numbers for "not applicable", "does not know" and "refused"
LAST = ((7, 8, 9), (97, 98, 99), (77, 88, 99), (997, 998, 999), (777, 888, 999), (9997, 9998, 9999), (7777, 8888, 9999))
CODES = 12  # up to so many whole numbers from 0 or 1 on, without a hole, are codes: what stands apart is none of them
# Days with which programs fill what is missing: the first and the last that they know, or their day 0
PLACEHOLDERS = (
    "0001-01-01", "1582-10-15", "1600-01-01", "1601-01-01", "1753-01-01", "1800-01-01", "1899-12-30", "1899-12-31",
    "1900-01-01", "1901-01-01", "1970-01-01", "2099-12-31", "2100-01-01", "2199-12-31", "2999-12-31", "2999-01-01",
    "9999-01-01", "9999-12-30", "9999-12-31",
)  # fmt: skip
# Such a day is asked about where it is so far from all others, or far more frequent than they are
APART = np.timedelta64(5 * 365, "D")
NUMERALS = frozenset(map(str, (*NEGATIVE, *NINES, *(number for some in LAST for number in some))))
MISSING = "mean missing?"  # what is asked of every mark
# More values than that tell a number apart; so many columns are named; nines stand at least so far from the others
FEW, NAMED, NEAR = 3, 3, 5


@dataclass(frozen=True, slots=True)
class Gap:
    """A mark that perhaps stands for a missing value."""

    mark: str  # the text
    columns: Mapping[str, int]  # how often it stands in each column
    becoming: tuple[str, ...] = ()  # columns of texts that would be of numbers or dates without it
    number: bool = False  # whether it is a number among numbers or a date among dates
    # Columns in which it is a value as any other. It cannot be called missing for the whole table then
    elsewhere: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Gaps:
    """What perhaps stands for missing values in a table."""

    found: tuple[Gap, ...] = ()  # the marks, those in most rows first
    # The marks of each column as its values are written
    marks: Mapping[str, frozenset[str]] = field(default_factory=dict)
    missing: tuple[str, ...] = ("",)  # texts that count as missing already
    from_texts: bool = False  # whether numbers are read from texts, of which any can be called missing

    def questions(self, left_out: Collection[str]) -> Iterator[str]:
        """Ask about the marks and say what to do then: one line for all that can be called missing."""
        # Whether one is a value of a column that is left out does not matter.
        found = [
            replace(gap, elsewhere=tuple(one for one in gap.elsewhere if one not in left_out)) for gap in self.found
        ]
        called = [gap for gap in found if not gap.elsewhere and (self.from_texts or not gap.number)]
        if called:
            marks = (*self.missing, *(gap.mark for gap in called))
            line = ", ".join(json.dumps(text, ensure_ascii=False) for text in marks)
            typed = [*dict.fromkeys(name for gap in called for name in gap.becoming)]
            then = f"; {in_names(typed)} would then be of numbers or dates" if typed else ""
            does, others = ("does it", "") if len(called) == 1 else ("do these", " without those that do not")
            yield f"{_counts_text(called)}: {does} {MISSING} Then write missing = [{line}] below [data]{others}{then}"
        for gap in found:
            if gap not in called:
                beside = f" It is a value of {in_names(gap.elsewhere)} too." if gap.elsewhere else ""
                yield f"{_counts_text([gap])}: does it {MISSING}{beside} Then make it null in the table"


def is_mark(text: str) -> bool:
    """Say whether a text often stands for a missing value."""
    return not text.strip() or text.strip().casefold() in gap_marks()


@cache
def gap_marks() -> frozenset[str]:
    return frozenset(word_list("marks", "missing"))


def gaps_in(domains: Mapping[str, Domain], is_typed: Callable[[list[str]], bool]) -> list[Gap]:
    """Find marks that perhaps stand for missing values, those in most rows first."""
    found: dict[str, dict[str, int]] = {}
    numbers: set[str] = set()
    becoming: dict[str, list[str]] = {}
    for name, domain in domains.items():
        marks = {**marks_in(domain), **_numerals_in(domain, is_typed)}
        for mark, count in marks.items():
            found.setdefault(mark, {})[name] = count
        if domain.kind != "text":
            numbers |= {*marks}
        if marks and _is_typed_without_marks(domain, marks, is_typed):
            for mark in marks:
                becoming.setdefault(mark, []).append(name)
    gaps = [
        Gap(mark, columns, tuple(becoming.get(mark, ())), mark in numbers, _columns_as_value(mark, columns, domains))
        for mark, columns in found.items()
    ]
    return sorted(gaps, key=lambda gap: (-sum(gap.columns.values()), gap.mark))


def marks_in(domain: Domain) -> dict[str, int]:
    """Give the marks in a column that perhaps stand for missing values, and in how many rows each stands."""
    places: list[int] = []
    if len(domain.values) > 1 and domain.kind == "text":
        places = [place for place, text in enumerate(domain.values.tolist()) if is_mark(text)]
    elif len(domain.values) > 1 and domain.kind == "number" and domain.values.dtype.kind != "O":
        places = [*_negative_marks(domain), *_trailing_marks(domain)]
    return _counts_at(domain, places + _placeholder_days(domain))


def _counts_at(domain: Domain, places: Sequence[int]) -> dict[str, int]:
    return {text: int(domain.counts[place]) for text, place in zip(domain.texts_at(places), places, strict=True)}


def _counts_text(gaps: Sequence[Gap]) -> str:
    """Say of some marks how often each stands where; many are named first and counted together."""
    times = [sum(gap.columns.values()) for gap in gaps]
    if len(gaps) > 2 * NAMED:
        columns = len({name for gap in gaps for name in gap.columns})
        marks = ", ".join(repr(gap.mark) for gap in gaps)
        return f"{marks} stand {sum(times):,} times in {columns:,} column{'' if columns == 1 else 's'}"
    return ", ".join(
        f"{gap.mark!r} stands {many:,} time{'' if many == 1 else 's'} in {in_names([*gap.columns])}"
        for gap, many in zip(gaps, times, strict=True)
    )


def _columns_as_value(mark: str, columns: Mapping[str, int], domains: Mapping[str, Domain]) -> tuple[str, ...]:
    """Name the columns in which a number is a value as any other."""
    if mark not in NUMERALS:
        return ()
    wanted = {"number": int(mark), "text": mark}
    others = ((name, one) for name, one in domains.items() if name not in columns and one.kind in wanted)
    return tuple(name for name, one in others if (one.values == wanted[one.kind]).any())


def _numerals_in(domain: Domain, is_typed: Callable[[list[str]], bool]) -> dict[str, int]:
    """Find numbers among texts that have none, and those that make texts of what would be numbers or dates."""
    if domain.kind != "text":
        return {}
    texts = domain.values.tolist()
    places = [place for place, text in enumerate(texts) if text in NUMERALS]
    told = [text for text in texts if not is_mark(text)]
    others = [text for text in told if text not in NUMERALS]
    if not places or len(others) < 2:
        return {}
    words = not any(sign.isdigit() for text in others for sign in text)
    if not words and (len(others) <= FEW or is_typed(told) or not is_typed(others)):
        return {}
    return _counts_at(domain, places)


def _negative_marks(domain: Domain) -> list[int]:
    """Give the places of negative numbers that are all marks; a scale has as many on either side."""
    values = domain.values
    below = values[values < 0]
    if not 0 < len(below) < len(values) or not set(below.tolist()) <= {*NEGATIVE}:
        return []
    if len(values) <= 2 * len(below) + 1 and (values == -values[::-1]).all():
        return []
    return [*range(len(below))]


def _trailing_marks(domain: Domain) -> list[int]:
    """Give the places of the last numbers if they are marks: far from all others, or apart from a list of codes."""
    values, counts = domain.values, domain.counts[: len(domain.values)]
    several = max((_marks_at_end(values, some) for some in LAST), default=0)
    for many in range(max(several, int(values[-1] in NINES)), 0, -1):
        rest = values[:-many]
        rest = rest[rest >= 0]
        if not len(rest):
            continue
        first, second = values[-many], rest[-1]
        usual = float(np.median(counts[len(values) - many - len(rest) : -many]))
        often = first - second >= NEAR and counts[-many:].min() > NEAR * usual
        far = 2 * second <= first and len(rest) > 1 and values[-1] in NINES
        if often or far or (_are_codes(rest) and first - second > 1):
            return [*range(len(values) - many, len(values))]
    return []


def _marks_at_end(values: npt.NDArray[Any], marks: Sequence[int]) -> int:
    """Say how many of the last values are marks of one kind, the last of them among these."""
    if values[-1] not in marks[1:]:
        return 0
    return next((many for many, value in enumerate(values[::-1]) if value not in marks), len(values))


def _are_codes(values: npt.NDArray[Any]) -> bool:
    """Say whether numbers are all whole ones from 0 or 1 on, and few: a list of codes."""
    steps = values - np.arange(len(values))
    return steps[0] in {0, 1} and 1 < len(values) <= CODES and bool((steps == steps[0]).all())


def _placeholder_days(domain: Domain) -> list[int]:
    """Give the places of days that programs write where there is none: the first and the last, far from all others."""
    form = next(iter(forms_of(domain)), None)
    found = None if form is None and domain.kind in {"text", "number"} else moments_of(domain, form)
    if found is None or len(found[0]) <= FEW:
        return []
    days = found[0].astype("datetime64[D]")
    order = np.argsort(days, kind="stable")
    usual = float(np.median(domain.counts[: len(days)]))
    places = []
    for end, beside in ((order[0], order[1]), (order[-1], order[-2])):
        often = domain.counts[end] > max(NEAR * usual, NEAR)
        if str(days[end]) in PLACEHOLDERS and (abs(days[end] - days[beside]) >= APART or often):
            places.append(int(end))
    return places


def _is_typed_without_marks(domain: Domain, marks: Collection[str], is_typed: Callable[[list[str]], bool]) -> bool:
    """Say whether a column is one of numbers or days only without its marks."""
    if domain.kind not in {"text", "number"} or forms_of(domain):
        return False
    rest = domain.without(marks)
    return bool(forms_of(rest)) or (domain.kind == "text" and is_typed(rest.values.tolist()))


def in_names(names: Sequence[str]) -> str:
    """Name some columns, and count the others."""
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return f"{', '.join(map(repr, names[:NAMED]))}{more}"
