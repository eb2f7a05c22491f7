"""Decimal commas and forms of dates found out from the values of text columns, and asked where not sure.

A mark or a form is taken only if every value of some column is written so. What stays open is asked with the column's
name and counts, never with a value.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeVar

from incrowd.engines import Notation, day_of
from incrowd.plan.suggestion._missing import in_names, is_mark

Texts = Mapping[str, int]  # the texts of a column, and how often each occurs
Marks = tuple[str, str | None]  # a decimal mark, and what may stand between thousands
T = TypeVar("T")
DAY_FIRST = {"/": "%d/%m/%Y", "-": "%d-%m-%Y"}
MONTH_FIRST = {"/": "%m/%d/%Y", "-": "%m-%d-%Y"}
# Forms of days that are looked for, besides ISO 8601
FORMS = (
    "%d.%m.%Y", *DAY_FIRST.values(), *MONTH_FIRST.values(), "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%d-%b-%Y", "%d%b%Y",
    "%d %b %Y", "%Y年%m月%d日",
)  # fmt: skip
# Decimal marks with what may stand between thousands; the simpler ones first
MARKS: tuple[Marks, ...] = ((",", None), (",", "."), (",", " "), (",", "'"), (".", ","), (".", " "), (".", "'"))
TRIED = 200  # of so many values at least half must look like numbers or days
_LIKELY = re.compile(r"[-+]?[0-9][0-9.,'\u2019 \u00a0\u2009\u202f]*|[0-9].{4,18}")
_MARKED = re.compile(r".*[0-9][.,'\u2019 \u00a0\u2009\u202f][0-9].*")
_GROUP = re.compile(r"-?[1-9][0-9]{0,2}([.,])[0-9]{3}")
_DAY = re.compile(r"([0-9]{1,2})([./-])([0-9]{1,2})\2([0-9]{4})(?:[ T][0-9:]+)?")
_SHORT = re.compile(r"([0-9]{1,2})([./-])([0-9]{1,2})\2([0-9]{2})(?:[ T][0-9:]+)?")
_LIKE_NUMBER = re.compile(r"[-+]?[0-9][0-9.,'\u2019 \u00a0\u2009\u202f]*(?:[eE][-+]?[0-9]+)?")
_CLOCK = re.compile("[ T](?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?$")
_OTHERS = 5  # so few other texts among numbers are asked about: more are codes
_EDGED = re.compile(r"\A\s+\S|\S\s+\Z")
_CONTROL = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f\ufffd]")
_YEARS = range(1850, 2151)  # eight digits are taken for a day only of these years


def notation_in(columns: Mapping[str, Texts], *, day_first: bool, points: bool) -> dict[str, str]:
    """Find the marks and the form that most columns are written in throughout."""
    likely = [[*real_texts(texts)] for texts in columns.values() if _is_likely(texts)]
    # In Europe a comma stands before decimals, and the day before the month.
    european = day_first and not points
    decimal, thousands = _most_fitting(map(_marks_of, likely), MARKS, lambda one: (one[0] == ".") == european) or (
        None,
        None,
    )
    later = MONTH_FIRST if day_first or decimal == "," else DAY_FIRST
    form = _most_fitting(map(forms_of, likely), FORMS, lambda one: one in later.values())
    found = {"decimal": "," if decimal == "," else None, "thousands": thousands, "dates": form}
    return {name: value for name, value in found.items() if value is not None}


def questions_about(columns: Mapping[str, Texts]) -> Iterator[str]:
    """Ask about columns of texts that are numbers or days written in two ways, or in none that can be told."""
    yield from _ask_signs(columns)
    for name, texts in columns.items():
        if _is_likely(texts):
            real = {text: texts[text] for text in real_texts(texts)}
            yield from _ask_days(name, real)
            yield from _ask_numbers(name, real)


def real_texts(texts: Texts) -> Iterator[str]:
    """Give the texts that do not look like marks for missing ones."""
    return (text for text in texts if not is_mark(text))


def group_mark(texts: Texts) -> str | None:
    """Give the point or comma before three digits that could be decimals as well as a group of a larger number."""
    marked = [text for text in real_texts(texts) if _MARKED.fullmatch(text)]
    marks = {match[1] for text in marked if (match := _GROUP.fullmatch(text))}
    alike = len(marks) == 1 and all(map(_GROUP.fullmatch, marked))
    return marks.pop() if alike else None


def day_forms_by_column(columns: Mapping[str, Texts]) -> dict[str, list[str]]:
    """Give the columns of texts that are days throughout, and in which forms."""
    likely = {name: [*real_texts(texts)] for name, texts in columns.items() if _is_likely(texts)}
    return {name: forms for name, texts in likely.items() if (forms := forms_of(texts))}


def forms_of(texts: list[str]) -> list[str]:
    fitting = [form for form in FORMS if texts and _is_day(form, texts[0])]
    return [form for form in fitting if all(_is_day(form, text) for text in texts)]


def _is_day(form: str, text: str) -> bool:
    day = day_of(form, _CLOCK.sub("", text))
    return day is not None and (form != "%Y%m%d" or day.year in _YEARS)


def _marks_of(texts: list[str]) -> list[Marks]:
    """Give the marks by which all texts are numbers, if any of them has one."""
    if not any(map(_MARKED.fullmatch, texts)):
        return []

    def are_numbers(notation: Notation) -> bool:
        return all(map(re.compile(notation.number).fullmatch, texts))

    return [] if are_numbers(Notation()) else [marks for marks in MARKS if are_numbers(Notation(*marks))]


def _most_fitting(found: Iterable[list[T]], known: Sequence[T], comes_later: Callable[[T], bool]) -> T | None:
    """Give what most columns fit; among equals what does not come later, and is known first."""
    counts = Counter(one for some in found for one in some)
    preferred = sorted(known, key=comes_later)
    return max(counts, key=lambda one: (counts[one], -preferred.index(one))) if counts else None


def _is_likely(texts: Texts) -> bool:
    some = [*islice(real_texts(texts), TRIED)]
    return 2 * sum(bool(_LIKELY.fullmatch(text)) for text in some) >= max(len(some), 1) if some else False


def _ask_days(name: str, texts: Texts) -> Iterator[str]:
    shaped = {text: match for text in texts if (match := _DAY.fullmatch(text))}
    short = sum(texts[text] for text in texts if _SHORT.fullmatch(text))
    if 2 * short > sum(texts.values()):
        yield f"{name!r} has {short:,} days with years of two digits, and stays text: which century? Write them out"
    if 10 * len(shaped) < 9 * len(texts):
        return
    first = last = both = never = 0
    for text, match in shaped.items():
        one, other, year = int(match[1]), int(match[3]), match[4]
        day_first = day_of("%d.%m.%Y", f"{one}.{other}.{year}") is not None
        month_first = day_of("%d.%m.%Y", f"{other}.{one}.{year}") is not None
        count = texts[text]
        first += count * (day_first and not month_first)
        last += count * (month_first and not day_first)
        both += count * (day_first and month_first)
        never += count * (not day_first and not month_first)
    if first and last:
        orders = f"in {first:,} values the day comes first, in {last:,} the month, in {both:,} it could be either"
        yield f"{name!r} has days of two orders, and stays text: {orders}"
    if never:
        yield f"{name!r} has {never:,} values like days that no calendar has, and stays text: are they missing?"


def _ask_signs(columns: Mapping[str, Texts]) -> Iterator[str]:
    """Ask about what nobody sees: two texts that differ by it count as two."""
    signs: dict[str, Callable[[str], object]] = {
        "with blanks at an end, which count as part of them: should they be there?": _EDGED.search,
        "with signs that no text has: is the file damaged?": _CONTROL.search,
    }
    for words, has in signs.items():
        counts = {name: sum(count for text, count in texts.items() if has(text)) for name, texts in columns.items()}
        found = [name for name, count in counts.items() if count]
        if found:
            total = sum(counts.values())
            yield f"{in_names(found)} {'has' if len(found) == 1 else 'have'} {total:,} value{'s' * (total > 1)} {words}"


def _ask_numbers(name: str, texts: Texts) -> Iterator[str]:
    commas, points = (re.compile(Notation(decimal, None).number) for decimal in ",.")
    comma = sum(texts[text] for text in texts if "," in text and commas.fullmatch(text))
    point = sum(texts[text] for text in texts if "." in text and points.fullmatch(text))
    if comma and point and not _marks_of([*texts]):
        marks = f"{comma:,} numbers with a decimal comma and {point:,} with a decimal point"
        yield f"{name!r} has {marks}, and stays text: which is it?"
        return
    others = [text for text in texts if not _LIKE_NUMBER.fullmatch(text)]
    if others and len(others) <= min(_OTHERS, len(texts) / 10):
        times = sum(texts[text] for text in others)
        beside = "1 other value" if times == 1 else f"{times:,} other values"
        yield f"{name!r} has numbers beside {beside}, and stays text: are these missing?"
