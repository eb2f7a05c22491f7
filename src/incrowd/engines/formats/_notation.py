"""Numbers and days read as a file writes them (``1.234,50``, ``31.12.2024``), and rewritten plainly.

A table with decimal commas must behave exactly as the same table with decimal points. So texts are made plain at the
door, a whole column or nothing of it: a column in which one value is written otherwise stays as it is.
"""

from __future__ import annotations

import datetime as dt
import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import duckdb
import pyarrow as pa

from incrowd.core import DataError, Hint
from incrowd.engines._duckdb import connect_to_shared, inner_names, name_sql, reader_of, text_literal

Written = Literal["number", "date"]  # what a column was made plain as
THOUSANDS = {".": ".", ",": ",", " ": " \u00a0\u2009\u202f", "'": "'\u2019"}
"""Marks between groups of three digits, each with the signs that are meant by it."""
_DIRECTIVES = {"%d": "[0-9]{1,2}", "%m": "[0-9]{1,2}", "%Y": "[0-9]{4}", "%b": "[A-Za-z]{3}"}
_TIME = "(?:[ T]((?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?))?"
_FIRST = 1000  # so many rows tell which columns need not be looked at
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


@dataclass(frozen=True, slots=True)
class Notation:
    decimal: str = "."
    thousands: str | None = None  # a blank means one of any width
    dates: str | None = None  # the form of days as in ``strptime``; ``None`` for ISO 8601

    @classmethod
    def of(cls, decimal: str | None, thousands: str | None, dates: str | None) -> Notation:
        """Check what was given; what was not is as in a plain file."""
        if decimal not in {None, ".", ","}:
            msg = f"The decimal mark must be '.' or ',', got {decimal!r}."
            raise DataError(msg, hint=Hint("for example {decimal}.", decimal=","))
        if thousands is not None and thousands not in THOUSANDS:
            msg = f"The mark between thousands must be one of {', '.join(map(repr, THOUSANDS))}, got {thousands!r}."
            hint = Hint("for example {thousands}; a blank stands for blanks of any width.", thousands=".")
            raise DataError(msg, hint=hint)
        if thousands is not None and thousands == (decimal or "."):
            msg = f"The mark between thousands cannot be the decimal mark {thousands!r} too."
            raise DataError(msg, hint=Hint("for example {decimal} and {thousands}.", decimal=",", thousands="."))
        check_form(dates)
        return cls(decimal or ".", thousands, dates)

    @property
    def is_plain(self) -> bool:
        return self == Notation()

    @property
    def unusual(self) -> tuple[str, ...]:
        """What is written otherwise than plainly."""
        told = {"decimal": self.decimal == ",", "thousands": self.thousands, "dates": self.dates}
        return tuple(name for name, said in told.items() if said)

    @property
    def groupers(self) -> str:
        """The signs that may stand between groups of three digits."""
        return THOUSANDS[self.thousands] if self.thousands else ""

    @property
    def marks(self) -> str:
        """The signs that a number has here and no plain number has."""
        return self.groupers + ("," if self.decimal == "," else "")

    @property
    def number(self) -> str:
        groups = f"|[1-9][0-9]{{0,2}}(?:[{self.groupers}][0-9]{{3}})+" if self.groupers else ""
        return f"-?(?:[0-9]+{groups})(?:[{self.decimal}][0-9]+)?(?:[eE][-+]?[0-9]{{1,3}})?"

    @property
    def day(self) -> str | None:
        """The regular expression of a day, with or without a time of day, which is its last group."""
        return None if self.dates is None else f"({pattern_of_form(self.dates)}){_TIME}"

    def number_sql(self, column: str) -> str:
        bare = f"translate({column}, {text_literal(self.groupers)}, '')" if self.groupers else column
        return f"replace({bare}, '{self.decimal}', '.')" if self.decimal != "." else bare

    def day_sql(self, column: str, *, timed: bool) -> str:
        """Write the expression of the plain text of a day; null for one that no calendar has."""
        pattern, form = text_literal(str(self.day)), text_literal(str(self.dates))
        if not timed:
            return _day_sql(column, form)
        day = _day_sql(f"regexp_extract({column}, {pattern}, 1)", form)
        time = f"regexp_extract({column}, {pattern}, 2)"
        zero = f"CASE WHEN {time}[2] = ':' THEN '0' ELSE '' END"
        return f"{day} || CASE WHEN {time} = '' THEN '' ELSE ' ' || {zero} || {time} END"


def _day_sql(text: str, form: str) -> str:
    """Read a day and write it plainly; null for one that no calendar has, such as any of the year 0."""
    day = f"CAST(try_strptime({text}, {form}) AS DATE)"
    return f"CASE WHEN year({day}) > 0 THEN CAST({day} AS VARCHAR) END"


def plain_number(notation: Notation, text: str) -> str | None:
    if not re.fullmatch(notation.number, text):
        return None
    bare = "".join(sign for sign in text if sign not in notation.groupers)
    return bare.replace(notation.decimal, ".")


def plain_day(notation: Notation, text: str) -> str | None:
    """Write a day plainly; ``None`` for what is none, or is in no calendar."""
    found = re.fullmatch(str(notation.day), text)
    if notation.dates is None or found is None:
        return None
    day, time = day_of(notation.dates, found[1]), found[2] or ""
    if day is None:
        return None
    if not time:
        return day.isoformat()
    return f"{day.isoformat()} {'0' if time[1] == ':' else ''}{time}"


def day_of(form: str, text: str) -> dt.date | None:
    """Read a day; ``None`` for one that is written otherwise or that no calendar has."""
    found = re.fullmatch(pattern_of_form(form, named=True), text)
    if found is None:
        return None
    parts = found.groupdict()
    month = _MONTHS.index(parts["b"].lower()) + 1 if parts.get("b", "").lower() in _MONTHS else int(parts.get("m") or 0)
    try:
        return dt.date(int(parts["Y"]), month, int(parts["d"]))
    except ValueError:
        return None


@functools.lru_cache(maxsize=64)
def pattern_of_form(form: str, *, named: bool = False) -> str:
    """Give the regular expression of days in a form; parts that touch each other have all of their digits."""
    parts = re.split(r"(%[dmYb])", form)
    touching = any(not part for part in parts[2:-1:2])
    found = []
    for part in parts:
        pattern = _DIRECTIVES.get(part)
        if pattern is None:
            found.append(re.escape(part))
            continue
        pattern = pattern.replace("{1,2}", "{2}") if touching else pattern
        found.append(f"(?P<{part[1]}>{pattern})" if named else pattern)
    return "".join(found)


def plain_relation(
    relation: duckdb.DuckDBPyRelation, notation: Notation, missing: Sequence[str]
) -> tuple[duckdb.DuckDBPyRelation, Mapping[str, Written], tuple[str, ...]]:
    """Rewrite the columns in which every value is such a number or such a day; say which, and what no column has."""
    likely, quiet = _likely_columns(relation, notation, missing)
    rewritten: dict[str, Written] = {}
    timed, used = set(), set()
    while likely or quiet:
        tests = [test for name, kind in likely for test in _test_expressions(name_sql(name), kind, notation, missing)]
        tests += [_marked_count_sql(name_sql(name), notation.marks, missing) for name in quiet]
        answers: Any = relation.aggregate(", ".join(tests)).fetchall()[0]
        for place, (name, kind) in enumerate(likely):
            values, others, marked, grouped, typed = answers[5 * place : 5 * place + 5]
            if not values or others or name in rewritten:
                continue
            if kind == "date":
                rewritten[name] = kind
                timed |= {name} if marked else set()
                used.add("dates")
            elif marked or grouped:
                used |= {name for name, count in (("decimal", marked), ("thousands", grouped)) if count}
                if typed or not grouped:  # texts that would be no numbers without the marks keep them
                    rewritten[name] = kind
        loud = zip(quiet, answers[5 * len(likely) :], strict=True)
        likely, quiet = [(name, "number") for name, marks in loud if marks and name not in rewritten], []
    unused = tuple(name for name in notation.unusual if name not in used)
    if not rewritten:
        return relation, {}, unused
    columns = [
        _plain_sql(name_sql(name), rewritten.get(name), notation, missing, timed=name in timed)
        for name in relation.columns
    ]
    return relation.project(", ".join(columns)), rewritten, unused


def _likely_columns(
    relation: duckdb.DuckDBPyRelation, notation: Notation, missing: Sequence[str]
) -> tuple[list[tuple[str, Written]], list[str]]:
    """Give the columns that could be numbers or days by their first values: the others need not be looked at.

    Numbers whose first values have no mark are given apart: most are whole, and then have none.
    """
    found: list[tuple[str, Written]] = []
    quiet = []
    rows: Any = relation.limit(_FIRST).fetchall()
    for name, column in zip(relation.columns, zip(*rows, strict=True), strict=bool(rows)):
        texts = {text for text in column if text is not None and text not in missing}
        if notation.day is not None and all(plain_day(notation, text) for text in texts):
            found.append((name, "date"))
        if notation.marks and all(plain_number(notation, text) for text in texts):
            if any(mark in text for text in texts for mark in notation.marks):
                found.append((name, "number"))
            else:
                quiet.append(name)
    return found, quiet


def _test_expressions(column: str, kind: Written, notation: Notation, missing: Sequence[str]) -> Iterable[str]:
    """Count values, others, decimals or times of day, and marks between thousands; ask whether numbers read as such."""
    there = f"{column} IS NOT NULL{_unless_missing(column, missing)}"
    groups = notation.groupers
    if kind == "number":
        number = f"regexp_full_match({column}, {text_literal(notation.number)})"
        typed = f"coalesce(({are_numbers(notation.number_sql(column), f' FILTER (WHERE {there})')}), false)"
        marks = notation.decimal if notation.decimal == "," else ""
    else:
        shaped = f"regexp_full_match({column}, {text_literal(f'({pattern_of_form(str(notation.dates))})')})"
        timed = f"regexp_full_match({column}, {text_literal(str(notation.day))})"
        plain, long = (notation.day_sql(column, timed=one) for one in (False, True))
        number = f"CASE WHEN {shaped} THEN {plain} IS NOT NULL WHEN {timed} THEN {long} IS NOT NULL ELSE false END"
        typed, marks, groups = "true", ":", ""
    yield f"count(*) FILTER (WHERE {there})"
    yield f"count(*) FILTER (WHERE {there} AND NOT {number})"
    yield _marked_count_sql(column, marks, missing)
    yield _marked_count_sql(column, groups, missing)
    yield typed


def _marked_count_sql(column: str, marks: str, missing: Sequence[str]) -> str:
    marked = " OR ".join(f"contains({column}, {text_literal(mark)})" for mark in marks) or "false"
    return f"count(*) FILTER (WHERE ({marked}){_unless_missing(column, missing)})"


def are_numbers(cell: str, among: str = "") -> str:
    """Whether plain texts are read as numbers: one of codes such as ``01.1``, or ``1.10`` beside ``1.1``, is not."""
    whole, decimals = "-?(0|[1-9][0-9]*)", f"length({cell}) - strpos({cell}, '.')"
    plain = f"regexp_full_match({cell}, '{whole}([.]([0-9]*[1-9]|0))?([eE][-+]?[0-9]+)?')"
    fixed = f"regexp_full_match({cell}, '{whole}[.][0-9]+')"
    same = f"min({decimals}){among} = max({decimals}){among}"
    return f"bool_and({plain}){among} OR (bool_and({fixed}){among} AND {same})"


def _plain_sql(column: str, kind: Written | None, notation: Notation, missing: Sequence[str], *, timed: bool) -> str:
    if kind is None:
        return column
    plain = notation.number_sql(column) if kind == "number" else notation.day_sql(column, timed=timed)
    kept = _unless_missing(column, missing).removeprefix(" AND ")
    return f"{f'CASE WHEN {kept} THEN {plain} ELSE {column} END' if kept else plain} AS {column}"


def _unless_missing(column: str, missing: Sequence[str]) -> str:
    told = ", ".join(text_literal(text) for text in missing if text)
    return f" AND {column} NOT IN ({told})" if told else ""


def check_form(form: str | None) -> None:
    """Refuse a form of dates that does not tell day, month and year."""
    if form is None:
        return
    directives = re.findall(r"%.?", form)
    if "%y" in directives:
        msg = f"The form of dates {form!r} has years of two digits, which do not tell the century."
        hint = "write them out in the file, or give the column a ladder: dates(..., format='%d.%m.%y', newest=2020)."
        raise DataError(msg, hint=hint)
    months = directives.count("%m") + directives.count("%b")
    if (directives.count("%d"), months, directives.count("%Y"), len(directives)) != (1, 1, 1, 3):
        msg = f"The form of dates {form!r} cannot be read."
        hint = Hint("it has %d, %m (or %b) and %Y, each once, such as {dates}.", dates="%d.%m.%Y")
        raise DataError(msg, hint=hint)


# The different texts of columns made plain: what a file writes a million times is rewritten once.

_SHORT = 1_000  # columns of up to so many texts are looked at together; beyond, those of about as many


def plain_texts(
    texts: Mapping[str, pa.Array], notation: Notation, missing: Sequence[str]
) -> tuple[dict[str, tuple[Written, pa.Array]], tuple[str, ...]]:
    """Rewrite the columns in which every text is a number or a day of a notation; say what of it no column has."""
    found: dict[str, tuple[Written, pa.Array]] = {}
    unused = set(notation.unusual)
    alone = connect_to_shared()  # several threads would hand texts back as they come
    lengths: dict[int, list[str]] = {}  # columns together of which none is more than twice as long, or all are short
    for name, column in texts.items():
        lengths.setdefault(max(len(column), _SHORT).bit_length(), []).append(name)
    for names in lengths.values():
        longest = max(len(texts[name]) for name in names)
        inner = dict(zip(inner_names(len(names)), names, strict=True))
        nulls = (pa.nulls(longest - len(texts[name]), pa.large_string()) for name in names)  # which nobody counts
        columns = [pa.concat_arrays([texts[name], behind]) for name, behind in zip(names, nulls, strict=True)]
        table = pa.table(columns, [*inner])
        relation, rewritten, others = plain_relation(alone.from_arrow(table), notation, missing)
        unused.intersection_update(others)
        if not rewritten:
            continue
        plain = reader_of(relation.project(", ".join(rewritten))).read_all()
        for cell, kind in rewritten.items():
            name = inner[cell]
            found[name] = kind, plain[cell].combine_chunks().cast(pa.large_string())[: len(texts[name])]
    return found, tuple(name for name in notation.unusual if name in unused)
