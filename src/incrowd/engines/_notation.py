"""How a text file writes numbers and days, and how it would write them plainly: ``1234.50`` and ``2024-12-31``.

A table with decimal commas must behave exactly as the same table with decimal points. So texts are made plain at the
door, a whole column or nothing of it: a column in which one value is written otherwise stays as it is.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import duckdb

from incrowd.core import DataError
from incrowd.engines._connection import quoted, text_literal

Written = Literal["number", "date"]
"""What a column was made plain as."""

THOUSANDS = {".": ".", ",": ",", " ": " \u00a0\u2009\u202f", "'": "'\u2019"}
"""Marks between groups of three digits, each with the signs that are meant by it."""
_DIRECTIVES = {"%d": "[0-9]{1,2}", "%m": "[0-9]{1,2}", "%Y": "[0-9]{4}", "%b": "[A-Za-z]{3}"}
_TIME = "(?:[ T]((?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?))?"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


@dataclass(frozen=True, slots=True)
class Notation:
    """How numbers and days are written.

    Attributes
    ----------
    decimal
        What stands before the decimals: ``.`` or ``,``.
    thousands
        What stands between groups of three digits, if anything: ``.``, ``,``, a blank of any width or ``'``.
    dates
        The form of days, as in ``strptime``, with ``%d``, ``%m`` or ``%b``, and ``%Y``; ``None`` for ISO 8601.
    """

    decimal: str = "."
    thousands: str | None = None
    dates: str | None = None

    @classmethod
    def of(cls, decimal: str | None, thousands: str | None, dates: str | None) -> Notation:
        """Check what was given; what was not is as in a plain file."""
        if decimal not in {None, ".", ","}:
            msg = f"The decimal mark must be '.' or ',', got {decimal!r}."
            raise DataError(msg, hint="for example decimal=','.")
        if thousands is not None and thousands not in THOUSANDS:
            msg = f"The mark between thousands must be one of {', '.join(map(repr, THOUSANDS))}, got {thousands!r}."
            raise DataError(msg, hint="for example thousands='.'; a blank stands for blanks of any width.")
        if thousands is not None and thousands == (decimal or "."):
            msg = f"The mark between thousands cannot be the decimal mark {thousands!r} too."
            raise DataError(msg, hint="for example decimal=',' and thousands='.'.")
        check_form(dates)
        return cls(decimal or ".", thousands, dates)

    @property
    def is_plain(self) -> bool:
        """Whether nothing has to be rewritten."""
        return self == Notation()

    @property
    def number(self) -> str:
        """The regular expression of a number."""
        signs = THOUSANDS.get(self.thousands or "", "")
        groups = f"|[0-9]{{1,3}}(?:[{signs}][0-9]{{3}})+" if signs else ""
        return f"-?(?:[0-9]+{groups})(?:[{self.decimal}][0-9]+)?(?:[eE][-+]?[0-9]{{1,3}})?"

    @property
    def day(self) -> str | None:
        """The regular expression of a day, with or without a time of day, which is its last group."""
        return None if self.dates is None else f"({pattern_of_form(self.dates)}){_TIME}"

    def number_sql(self, column: str) -> str:
        """Write the expression of the plain text of a number."""
        signs = THOUSANDS.get(self.thousands or "", "")
        bare = f"translate({column}, {text_literal(signs)}, '')" if signs else column
        return f"replace({bare}, '{self.decimal}', '.')" if self.decimal != "." else bare

    def day_sql(self, column: str) -> str:
        """Write the expression of the plain text of a day; null for one that no calendar has."""
        pattern, form = text_literal(str(self.day)), text_literal(str(self.dates))
        day = f"CAST(CAST(try_strptime(regexp_extract({column}, {pattern}, 1), {form}) AS DATE) AS VARCHAR)"
        time = f"regexp_extract({column}, {pattern}, 2)"
        padded = (
            f"CASE WHEN {time} = '' THEN '' ELSE ' ' || CASE WHEN {time}[2] = ':' THEN '0' ELSE '' END || {time} END"
        )
        return f"{day} || {padded}"


def plain_number(notation: Notation, text: str) -> str | None:
    """Write a number plainly; ``None`` for what is none."""
    if not re.fullmatch(notation.number, text):
        return None
    bare = "".join(sign for sign in text if sign not in THOUSANDS.get(notation.thousands or "", ""))
    return bare.replace(notation.decimal, ".")


def plain_day(notation: Notation, text: str) -> str | None:
    """Write a day plainly; ``None`` for what is none, or is in no calendar."""
    found = re.fullmatch(str(notation.day), text)
    if notation.dates is None or found is None:
        return None
    day, time = day_of(notation.dates, found[1]), found[2] or ""
    if day is None or not time:
        return day and day.isoformat()
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


def made_plain(
    relation: duckdb.DuckDBPyRelation, notation: Notation, missing: Sequence[str]
) -> tuple[duckdb.DuckDBPyRelation, Mapping[str, Written]]:
    """Rewrite the columns in which every value is such a number or such a day, and say which.

    Parameters
    ----------
    relation
        Texts.
    notation
        How numbers and days are written in it.
    missing
        Texts that count as missing: they stay as they are.
    """
    names = relation.columns
    tests = [test for name in names for test in _tests(quoted(name), notation, missing)]
    found: Any = relation.aggregate(", ".join(tests)).fetchall()[0]
    each = {name: found[4 * place : 4 * place + 4] for place, name in enumerate(names)}
    rewritten: dict[str, Written] = {}
    for name, (others, marked, no_days, days) in each.items():
        if days and not no_days:
            rewritten[name] = "date"
        elif marked and not others:
            rewritten[name] = "number"
    if not rewritten:
        return relation, rewritten
    columns = [_plain_sql(quoted(name), rewritten.get(name), notation, missing) for name in names]
    return relation.project(", ".join(columns)), rewritten


def _tests(column: str, notation: Notation, missing: Sequence[str]) -> Iterable[str]:
    """Count what is no number, what has a mark that plain numbers have not, what is no day, and the days."""
    there = f"{column} IS NOT NULL{_unless_missing(column, missing)}"
    marks = "".join(sorted({*THOUSANDS.get(notation.thousands or "", ""), notation.decimal} - {"."}))
    marks += "." if notation.thousands == "." else ""
    if marks:
        number = f"regexp_full_match({column}, {text_literal(notation.number)})"
        yield f"count(*) FILTER (WHERE {there} AND NOT {number})"
        yield f"count(*) FILTER (WHERE {there} AND regexp_matches({column}, {text_literal(f'[{marks}]')}))"
    else:
        yield from ("0", "0")
    if notation.day is None:
        yield from ("0", "0")
        return
    shaped = f"regexp_full_match({column}, {text_literal(notation.day)})"
    day = f"({shaped} AND {notation.day_sql(column)} IS NOT NULL)"
    yield f"count(*) FILTER (WHERE {there} AND NOT {day})"
    yield f"count(*) FILTER (WHERE {there} AND {day})"


def _plain_sql(column: str, kind: Written | None, notation: Notation, missing: Sequence[str]) -> str:
    if kind is None:
        return column
    plain = notation.number_sql(column) if kind == "number" else notation.day_sql(column)
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
        raise DataError(msg, hint="write the years out in the file, with four digits.")
    months = directives.count("%m") + directives.count("%b")
    if (directives.count("%d"), months, directives.count("%Y"), len(directives)) != (1, 1, 1, 3):
        msg = f"The form of dates {form!r} cannot be read."
        raise DataError(msg, hint="it has %d, %m (or %b) and %Y, each once, such as dates='%d.%m.%Y'.")
