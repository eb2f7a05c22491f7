"""How the values of a released text file are written: numbers and days as in the file that was read.

A cell is written otherwise than we write it only if it is nothing but a number with decimals, or a day, and only in
columns in which every cell can be read again. Labels such as ``[0.5, 1)`` stay: in them a comma parts two ends.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from incrowd.core import DataError, Hint, IncrowdError, ParameterError
from incrowd.engines.formats._csv import check_encoding
from incrowd.engines.formats._notation import are_numbers

# How a text file writes its table: what stands between values, in numbers, and in dates.


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text file was read, and how the release of it is written."""

    separator: str = ","
    encoding: str = "utf-8"
    mark: bool = False
    decimal: str = "."
    thousands: str | None = None  # it is read, never written
    dates: str | None = None  # as in ``strptime``; ``None`` for ISO 8601


ISO = "%Y-%m-%d"
_DIGITS = {"d": "([0-9]{2})", "m": "([0-9]{2})", "Y": "([0-9]{4})"}
_TIME = "( [0-9:.+]+)?"
"""What may stand after a day."""
_ENDS = {"utf-16": "utf-16-le", "utf-32": "utf-32-le", "utf-8-sig": "utf-8"}
"""Encodings that bring a byte order mark along, and how the rest of the file is encoded."""
_ENTANGLED = re.compile("utf-7|iso2022.*|idna|puny.*|.*escape|hz")
"""Encodings in which what a character looks like hangs on those before it, or that write it as letters and signs."""
_MARKED = {"utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"}
"""Encodings of files that may begin with a byte order mark."""


@dataclass(frozen=True, slots=True)
class Wording:
    """How a released text file is written, so that it can be read again."""

    dialect: Dialect = field(default_factory=Dialect)
    columns: tuple[str, ...] = ()  # those whose numbers and days are written by the dialect
    typed: bool = False  # still to be found out: then also columns that are of numbers or of days throughout

    @property
    def plain(self) -> dict[str, Any] | None:
        """What a certificate says of it; nothing for the usual CSV file."""
        if self == Wording():
            return None
        known = asdict(self.dialect)
        del known["thousands"]
        return {**known, "columns": list(self.columns)}

    @classmethod
    def of(cls, plain: Mapping[str, Any] | None) -> Wording:
        """Read what a certificate says, or refuse it."""
        if plain is None:
            return cls()
        try:
            known = dict(plain)
            columns = tuple(known.pop("columns"))
            dialect = Dialect(**known)
            check_dialect(dialect)
            fits = settled(dialect) == dialect and len(set(columns)) == len(columns)
        except (TypeError, KeyError, LookupError, ValueError, IncrowdError):
            fits = False
        if not fits:
            msg = "The certificate does not say how its file is written."
            raise DataError(msg, hint="incrowd verify says what is wrong with it.")
        return cls(dialect, columns)

    @classmethod
    def read_of(cls, plain: Mapping[str, Any]) -> Wording:
        """Read what ``plain`` wrote of a file that was read, which may be in ways that we do not write."""
        known = dict(plain)
        columns = tuple(known.pop("columns"))
        return cls(Dialect(**known), columns)

    @property
    def encoding(self) -> str:
        """How to read the file: a mark is no part of it."""
        dialect = self.dialect
        return dialect.encoding[:6] if dialect.mark and dialect.encoding != "utf-8" else dialect.encoding

    def asked_sql(self, cell: str) -> str:
        """Ask a column whether some numbers change, some days do, all can be read again, and all are typed."""
        dialect = self.dialect
        number = "false" if dialect.decimal == "." else f"bool_or({_is(cell, _number_pattern('.'))})"
        day = "false" if dialect.dates is None else f"bool_or({_is(cell, _day(ISO))})"
        every = f"bool_and({_read(dialect, _written(dialect, cell))} = {cell})"
        return f"{number}, {day}, {every}, {are_numbers(cell)} OR bool_and({_is(cell, _day(ISO))})"

    def fitting(self, answers: Mapping[str, Sequence[bool | None]]) -> Wording:
        """Keep to columns that can be written so: something in them changes, and all of it can be read again."""
        turned = {
            name: told
            for name, (*told, every, typed) in answers.items()
            if every and any(told) and (name in self.columns or (self.typed and typed))
        }
        numbers, days = (any(told[place] for told in turned.values()) for place in range(2))
        decimal, dates = self.dialect.decimal if numbers else ".", self.dialect.dates if days else None
        return Wording(replace(self.dialect, decimal=decimal, dates=dates), tuple(turned))

    def read_sql(self, name: str, cell: str) -> str:
        """Write the expression that gives the text of a cell as we write it."""
        return _read(self.dialect, cell) if name in self.columns else cell

    def kept_sql(self, cell: str) -> str:
        """Ask the cells of a column whether all are written so, and some otherwise than we write them."""
        read = _read(self.dialect, cell)
        return f"bool_and({_written(self.dialect, read)} = {cell}) AND bool_or({read} <> {cell})"

    def written_sql(self, name: str, cell: str) -> str:
        """Write the expression that gives the text of a cell as the file has it."""
        return _written(self.dialect, cell) if name in self.columns else cell


def settled(dialect: Dialect) -> Dialect:
    """Give a dialect that files are written by: in one of its ways to say it, and without what is only read."""
    name = codecs.lookup(dialect.encoding).name
    mark = name in _ENDS or (dialect.mark and name in _MARKED)
    dates = dialect.dates if dialect.dates is not None and is_of_days(dialect.dates) else None
    return replace(
        dialect,
        separator=dialect.separator if is_separator(dialect.separator) else ",",
        encoding="utf-8" if name == "ascii" else _ENDS.get(name, name),
        mark=mark,
        thousands=None,
        dates=None if dates == ISO else dates,
    )


def check_dialect(dialect: Dialect) -> None:
    """Refuse a dialect that no file can be written in."""
    separator, dates = dialect.separator, dialect.dates
    check_encoding(dialect.encoding)
    if _ENTANGLED.fullmatch(codecs.lookup(dialect.encoding).name):
        msg = f"A file is not written as {dialect.encoding!r}, in which characters do not stand for themselves."
        raise ParameterError(msg, hint=Hint("for example {encoding}.", encoding="utf-8"))
    if not isinstance(separator, str) or not is_separator(separator):
        msg = f"The separator must be one character and no letter, digit, quote or line break, got {separator!r}."
        raise ParameterError(msg, hint=Hint("for example {separator}.", separator=";"))
    if dialect.decimal not in {".", ","}:
        msg = f"The decimal mark must be '.' or ',', got {dialect.decimal!r}."
        raise ParameterError(msg)
    if not isinstance(dialect.mark, bool):
        msg = f"mark says whether the file begins with a byte order mark: true or false, got {dialect.mark!r}."
        raise ParameterError(msg)
    if dates is not None and not (isinstance(dates, str) and is_of_days(dates)):
        msg = f"Days cannot be written as {dates!r}."
        raise ParameterError(msg, hint="it has %d, %m and %Y, each once, such as %d.%m.%Y.")


def is_separator(sign: str) -> bool:
    """Say whether a sign can stand between values: no letter or digit, and nothing that quotes, escapes or ends."""
    return len(sign) == 1 and not sign.isalnum() and sign not in "\"'\r\n\0"


def is_of_days(form: str) -> bool:
    """Say whether days can be written in this form and read again: day, month and year, each with all its digits."""
    every = re.fullmatch("%([dmY])[./ -]?%([dmY])[./ -]?%([dmY])", form)
    return every is not None and len({*every.groups()}) == len(_DIGITS)


def _written(dialect: Dialect, cell: str) -> str:
    return _turned(cell, (".", dialect.decimal), (ISO, dialect.dates or ISO))


def _read(dialect: Dialect, cell: str) -> str:
    return _turned(cell, (dialect.decimal, "."), (dialect.dates or ISO, ISO))


def _turned(cell: str, marks: tuple[str, str], forms: tuple[str, str]) -> str:
    cases = []
    if marks[0] != marks[1]:
        cases.append(f"WHEN {_is(cell, _number_pattern(marks[0]))} THEN replace({cell}, '{marks[0]}', '{marks[1]}')")
    if forms[0] != forms[1]:
        places = {sign: f"\\{place}" for place, sign in enumerate(re.findall("%([dmY])", forms[0]), start=1)}
        form = re.sub("%([dmY])", lambda found: places[found[1]], forms[1]) + f"\\{len(places) + 1}"
        cases.append(f"WHEN {_is(cell, _day(forms[0]))} THEN regexp_replace({cell}, '^{_day(forms[0])}$', '{form}')")
    return f"CASE {' '.join(cases)} ELSE {cell} END" if cases else cell


def _is(cell: str, pattern: str) -> str:
    return f"regexp_full_match({cell}, '{pattern}')"


def _number_pattern(mark: str) -> str:
    return f"-?[0-9]+[{mark}][0-9]+([eE][-+]?[0-9]+)?"


def _day(form: str) -> str:
    return (
        re.sub("%([dmY])", lambda found: _DIGITS[found[1]], re.sub("[./ -]", lambda sign: f"[{sign[0]}]", form)) + _TIME
    )
