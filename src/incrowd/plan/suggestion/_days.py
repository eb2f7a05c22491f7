"""Columns of days however they are written: their hierarchy, what else stands among them, days that stand for none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Domain, Hierarchy
from incrowd.hierarchies import (
    ISO,
    MOST,
    dates,
    dates_for,
    flat,
    forms_of,
    likely_forms,
    moments_of,
    newest_for,
    sample_of_texts,
)
from incrowd.plan.suggestion._missing import is_mark, marks_in

MOST_AMONG = 0.8  # a column is one of days if so large a share of its values is, whatever the rest means
ORDER = "please check: are days and months read the right way round?"
CENTURY = "please check the century: years of two digits are read as of the hundred years up to newest"
WHICH_CENTURY = (
    "years of two digits do not tell their century, so no period is published: "
    '{ dates = ["year", "decade"], format = "%s", newest = 2020 } reads them as of 1921 to 2020'
)
AMONG = "days and something else: missing = [...] names what means missing, and the days get periods"
# How what is said of days without periods begins: they are alike by the calendar, and by nothing else
UNREAD = (AMONG, WHICH_CENTURY.partition("%")[0])


def dates_in(domain: Domain) -> tuple[Hierarchy | None, str]:
    """Give the periods that texts or numbers which write days can become, and what to check about it."""
    # Where something else stands among the days, none of them is shown unless many share it.
    if domain.kind not in {"text", "number"} or len(domain.values) < 2:
        return None, ""
    forms = forms_of(domain)
    if forms:
        form = None if forms[0] == ISO else forms[0]
        newest = newest_for(domain, form) if form is not None and "%y" in form else None
        if newest is None and "%y" in forms[0]:
            return flat(), WHICH_CENTURY % form
        found = dates_for(domain, form) or (
            dates("month", "quarter", "year", "decade", format=form, newest=newest) if domain.kind == "text" else flat()
        )
        return found, ORDER if len(forms) > 1 else CENTURY if "%y" in forms[0] else ""
    return (flat(), AMONG) if others_among_days(domain) else (None, "")


def are_days(domain: Domain) -> bool:
    """Say whether texts or numbers are days or months, but for a few that perhaps mean missing."""
    return len(domain.values) > 1 and (bool(forms_of(domain)) or others_among_days(domain) > 0)


def others_among_days(domain: Domain) -> int:
    """Say in how many rows something else stands among days; 0 if nothing does, or if there are no days."""
    if domain.kind == "number":
        marks = marks_in(domain)
        rest = domain.without(marks)
        return sum(marks.values()) if marks and len(rest.values) > 1 and forms_of(rest) else 0
    if domain.kind != "text" or len(domain.values) < 2 or forms_of(domain):
        return 0
    for form in likely_forms(domain.values.tolist(), MOST_AMONG):
        found = moments_of(domain, form)
        if found is not None and found[1].mean() >= MOST_AMONG:
            return int(domain.counts[: len(found[1])][~found[1]].sum())
    return 0


def questions_of_days(domains: Mapping[str, Domain]) -> Iterator[str]:
    """Ask what stands among days, where it is no mark that is asked about anyway."""
    for name, domain in domains.items():
        if domain.kind != "text":
            continue
        marks = {text: int(domain.counts[place]) for place, text in enumerate(domain.values.tolist()) if is_mark(text)}
        others = others_among_days(domain.without(marks))
        if others:
            yield f"{name!r} has days beside {others:,} other values, and stays text: are these missing?"


# When something happened, however it is written: days and months in digits, ranges of days, weeks, counted days.

Numbers = npt.NDArray[Any]

NEARLY_ALL = 0.95  # so many numbers must be days; the rest may stand for missing ones
SAMPLE = 500  # so many values are looked at, evenly spaced
FEW = 5  # so many different numbers of six digits are needed: fewer are days by chance
MANY = 20  # so many different counted days are needed: they have no form of their own
YEARS = (1_900, 2_050)  # years in which people that are in tables were born, fell ill or died
SERIAL = (7_000, 60_000)  # days since 1900, 1960 or 1970, from the seventies on: as spreadsheets, SAS and R count them
SECONDS = (300_000_000, 2_500_000_000)  # seconds since 1970, from 1979 on; thousand times as many are milliseconds
SINCE_1582 = (12_000_000_000, 14_800_000_000)  # seconds since 1582, as SPSS counts them
_DAY = r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2}))"
_YEAR = r"(?:19|20)\d{2}"
# What is found in a text that says when: a day, a month or a week with its year, or a day without
_WITHIN = (
    rf"(?<!\d){_DAY}(?!\d)",
    rf"(?<![\d.,])(?:0?[1-9]|1[0-2])[-/.]{_YEAR}(?!\d)",
    rf"(?<!\d){_YEAR}[-/.](?:0?[1-9]|1[0-2])(?!\d)",
    r"\d{1,4}年\d{1,2}月",
    r"(?<![\w.])[MTSHR]\d{1,2}\.\d{1,2}\.\d{1,2}(?![\d.])",
    rf"(?i)(?<![a-z])(?:kw|w|cw|wk|week|woche|sem|semaine|semana|settimana|vecka|uge)\.? ?\d{{1,2}}[-/ ,]*{_YEAR}",
    rf"(?i)(?<![a-z])[qt][1-4][-/ .]*{_YEAR}",
    rf"(?i)(?<!\d)[1-4](?:\.|st|nd|rd|th|e|er|o)? ?[a-z]*(?:quart|trim|kwart)[a-z]*\.?[-/ ]*{_YEAR}",
    r"^(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.$",
)


def says_when(domain: Domain) -> bool:
    """Whether most texts hold a day, a month or a week, or numbers are days or months by their digits."""
    if domain.kind == "text" and _hold_days(sample_of_texts(domain, SAMPLE)):
        return True
    if _is_fraction(domain) and len(domain.values) >= FEW and _are_within(domain.values, 1, 13):
        some = domain.texts_at(range(0, len(domain.values), max(len(domain.values) // SAMPLE, 1)))
        return sum(bool(re.fullmatch(rf"(?:0?[1-9]|1[0-2])\.{_YEAR}", text)) for text in some) >= NEARLY_ALL * len(some)
    return any(_fits_nearly_all(days) for days in _day_masks_in_digits(_whole_numbers(domain)))


def could_say_when(domain: Domain) -> bool:
    """Whether numbers could be years, or days or seconds that were counted: the name has to say of what."""
    if _is_fraction(domain):
        values = domain.values
        return len(values) >= FEW and (_are_within(values, *YEARS) or _are_within(values, 30_000, SERIAL[1]))
    values = _whole_numbers(domain)
    seconds = [(SECONDS[0] * 1_000**thousands, SECONDS[1] * 1_000**thousands) for thousands in range(4)]
    if len(values) > 1 and any(_are_within(values, *ends) for ends in (YEARS, SINCE_1582, *seconds)):
        return True
    if len(values) >= FEW and _are_within(values, YEARS[0] * 1_000, YEARS[1] * 1_000):  # the day of the year
        return _fits_nearly_all((values % 1_000 >= 1) & (values % 1_000 <= 366))
    return len(values) >= MANY and _are_within(values, *SERIAL)


def _hold_days(texts: Sequence[str]) -> bool:
    if len(texts) < 2:
        return False
    found = sum(any(re.search(form, text.strip()) for form in _WITHIN) for text in texts)
    return found >= MOST * len(texts) or (len(texts) >= FEW and _are_short_days(texts))


def _are_short_days(texts: Sequence[str]) -> bool:
    """Whether texts are two numbers of two digits, one of them always a month."""
    pairs = [text.split("/") for text in texts if re.fullmatch(r"\d{2}/\d{2}", text.strip())]
    if len(pairs) < NEARLY_ALL * len(texts):
        return False
    return any(all(1 <= int(pair[place]) <= 12 for pair in pairs) for place in (0, 1))


def _day_masks_in_digits(values: Numbers) -> Iterator[npt.NDArray[np.bool_]]:
    """Say of each number whether it is a day or a month, for every way to write these in digits alone."""

    def lie(part: Numbers, low: int, high: int) -> npt.NDArray[np.bool_]:
        return (part >= low) & (part <= high)

    front, middle, back = values // 10_000, values // 100 % 100, values % 100
    if len(values) > 1:
        year, second, first = lie(values % 10_000, *YEARS), front % 100, values // 1_000_000
        yield lie(front, *YEARS) & lie(middle, 1, 12) & lie(back, 1, 31)  # yyyymmdd
        yield year & lie(second, 1, 12) & lie(first, 1, 31)  # ddmmyyyy
        yield year & lie(second, 1, 31) & lie(first, 1, 12)  # mmddyyyy
    if len(values) >= FEW and _are_within(values, 10_101, 999_999):
        yield lie(values // 100, *YEARS) & lie(back, 1, 12)  # yyyymm
        yield lie(middle, 1, 12) & lie(back, 1, 31)  # yymmdd
        yield lie(front, 1, 31) & lie(middle, 1, 12)  # ddmmyy
        yield lie(front, 1, 12) & lie(middle, 1, 31)  # mmddyy


def _whole_numbers(domain: Domain) -> Numbers:
    """Give the numbers of a column, also of texts that are digits alone; none if there are others."""
    if domain.kind == "number" and domain.values.dtype.kind == "i":
        return domain.values[:: max(len(domain.values) // SAMPLE, 1)]
    texts = [text.strip() for text in sample_of_texts(domain, SAMPLE)]
    digits = [int(text) for text in texts if text.isdecimal() and text.isascii() and len(text) <= 18]
    return np.array(digits if digits and len(digits) >= NEARLY_ALL * len(texts) else [], dtype=np.int64)


def _is_fraction(domain: Domain) -> bool:
    return domain.kind == "number" and domain.values.dtype.kind == "f"


def _are_within(values: Numbers, low: int, high: int) -> bool:
    return _fits_nearly_all((values >= low) & (values <= high))


def _fits_nearly_all(holds: npt.NDArray[np.bool_]) -> bool:
    return bool(len(holds) and holds.mean() >= NEARLY_ALL)
