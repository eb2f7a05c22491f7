"""How a released text file writes numbers, days and separators (``Dialect``), and formulas escaped for spreadsheets.

A cell is written otherwise than we write it only if it is nothing but a number with decimals, or a day, and only in
columns in which every cell can be read again. Labels such as ``[0.5, 1)`` stay: in them a comma parts two ends.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from incrowd.core import TOP, DataError, Hint, IncrowdError, ParameterError
from incrowd.engines._arrow import is_text_type
from incrowd.engines.formats._csv import check_encoding
from incrowd.engines.formats._notation import are_numbers

# How a text file writes its table: what stands between values, in numbers, and in dates.


ISO = "%Y-%m-%d"
_DIGITS = {"d": "([0-9]{2})", "m": "([0-9]{2})", "Y": "([0-9]{4})"}
_TIME = "( [0-9:.+]+)?"  # what may stand after a day
_ENDS = {"utf-16": "utf-16-le", "utf-32": "utf-32-le", "utf-8-sig": "utf-8"}
"""Encodings that bring a byte order mark along, and how the rest of the file is encoded."""
_ENTANGLED = re.compile("utf-7|iso2022.*|idna|puny.*|.*escape|hz")
"""Encodings in which what a character looks like hangs on those before it, or that write it as letters and signs."""
_MARKED = {"utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"}
"""Encodings of files that may begin with a byte order mark."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text file was read, and how the release of it is written."""

    separator: str = ","
    encoding: str = "utf-8"
    mark: bool = False
    decimal: str = "."
    thousands: str | None = None  # it is read, never written
    dates: str | None = None  # as in ``strptime``; ``None`` for ISO 8601

    def writable(self) -> Dialect:
        """Give a dialect that files are written by: in one of its ways to say it, and without what is only read."""
        name = codecs.lookup(self.encoding).name
        return replace(
            self,
            separator=self.separator if is_separator(self.separator) else ",",
            encoding="utf-8" if name == "ascii" else _ENDS.get(name, name),
            mark=name in _ENDS or (self.mark and name in _MARKED),
            thousands=None,
            dates=self.dates if self.dates not in {None, ISO} and is_of_days(str(self.dates)) else None,
        )


@dataclass(frozen=True, slots=True)
class Wording:
    """How a released file is written, so that it can be read again; all but ``stars`` is about text files."""

    dialect: Dialect = field(default_factory=Dialect)
    columns: tuple[str, ...] = ()  # those whose numbers and days are written by the dialect
    typed: bool = False  # still to be found out: then also columns that are of numbers or of days throughout
    stars: tuple[str, ...] = ()  # those that have nothing where a star is published
    numbers: tuple[str, ...] = ()  # those to be written as whole numbers: they have no other labels
    untrue: tuple[str, ...] = ()  # those of which a file of SPSS or Stata says that they are not true

    @property
    def told_apart(self) -> tuple[str, ...]:
        """The columns that are written otherwise than they are published."""
        return tuple(dict.fromkeys((*self.stars, *self.numbers)))

    @property
    def plain(self) -> dict[str, Any] | None:
        """What a certificate says of the dialect; nothing for the usual CSV file."""
        if (self.dialect, self.columns) == (Dialect(), ()):
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
            fits = dialect.writable() == dialect and len(set(columns)) == len(columns)
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
        number = "false" if dialect.decimal == "." else f"bool_or({_matches_sql(cell, _number_pattern('.'))})"
        day = "false" if dialect.dates is None else f"bool_or({_matches_sql(cell, _day(ISO))})"
        every = f"bool_and({_read_sql(dialect, _written_sql(dialect, cell))} = {cell})"
        return f"{number}, {day}, {every}, {are_numbers(cell)} OR bool_and({_matches_sql(cell, _day(ISO))})"

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

    def read_sql(self, names: Sequence[str], cells: Sequence[str]) -> str:
        """Write the expressions that give the texts of columns as they were before they were written."""
        every = []
        for name, cell in zip(names, cells, strict=True):
            text = unescaped_sql(_read_sql(self.dialect, cell) if name in self.columns else cell)
            text = f"coalesce({text}, '{TOP}')" if name in self.stars else text
            every.append(f"{text} AS {cell}")
        return ", ".join(every)

    def kept_sql(self, cell: str) -> str:
        """Ask the cells of a column whether all are written so, and some otherwise than we write them."""
        read = _read_sql(self.dialect, cell)
        return f"bool_and({_written_sql(self.dialect, read)} = {cell}) AND bool_or({read} <> {cell})"

    def written_sql(self, name: str, cell: str) -> str:
        """Write the expression that gives the text of a cell as the file has it."""
        return _written_sql(self.dialect, cell) if name in self.columns else cell


def check_dialect(dialect: Dialect) -> None:
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


def _written_sql(dialect: Dialect, cell: str) -> str:
    return _converted_sql(cell, (".", dialect.decimal), (ISO, dialect.dates or ISO))


def _read_sql(dialect: Dialect, cell: str) -> str:
    return _converted_sql(cell, (dialect.decimal, "."), (dialect.dates or ISO, ISO))


def _converted_sql(cell: str, marks: tuple[str, str], forms: tuple[str, str]) -> str:
    cases = []
    if marks[0] != marks[1]:
        cases.append(
            f"WHEN {_matches_sql(cell, _number_pattern(marks[0]))} THEN replace({cell}, '{marks[0]}', '{marks[1]}')"
        )
    if forms[0] != forms[1]:
        places = {sign: f"\\{place}" for place, sign in enumerate(re.findall("%([dmY])", forms[0]), start=1)}
        form = re.sub("%([dmY])", lambda found: places[found[1]], forms[1]) + f"\\{len(places) + 1}"
        cases.append(
            f"WHEN {_matches_sql(cell, _day(forms[0]))} THEN regexp_replace({cell}, '^{_day(forms[0])}$', '{form}')"
        )
    return f"CASE {' '.join(cases)} ELSE {cell} END" if cases else cell


def _matches_sql(cell: str, pattern: str) -> str:
    return f"regexp_full_match({cell}, '{pattern}')"


def _number_pattern(mark: str) -> str:
    return f"-?[0-9]+[{mark}][0-9]+([eE][-+]?[0-9]+)?"


def _day(form: str) -> str:
    return (
        re.sub("%([dmY])", lambda found: _DIGITS[found[1]], re.sub("[./ -]", lambda sign: f"[{sign[0]}]", form)) + _TIME
    )


# Texts that a spreadsheet would run as a formula are escaped, by a rule that can be undone.

MARK = "'"
STARTS = "=+-@\t\r\n＝＋－＠﹦﹢﹣﹫"  # noqa: RUF001 - wide and small forms are meant: some programs read them alike
"""A spreadsheet may run a text that begins with one of these."""
_NUMBER = r"-[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?"  # a negative number, which runs nothing


def escape_formula(text: str) -> str:
    """Write a text so that no spreadsheet runs it: ``=1+1`` gets an apostrophe in front, ``-5`` stays as it is."""
    return MARK + text if _is_escaped(text) else text


def unescape_formula(text: str) -> str:
    """Read a text of a released CSV or Excel file as it was before it was escaped.

    Parameters
    ----------
    text
        A text as it stands in the file.

    Examples
    --------
    >>> from incrowd.engines import unescape_formula
    >>> unescape_formula("'=1+1"), unescape_formula("-5"), unescape_formula("''s-Hertogenbosch")
    ('=1+1', '-5', "'s-Hertogenbosch")
    """
    return text.removeprefix(MARK)


def _is_escaped(text: str) -> bool:
    return text[:1] == MARK or (text[:1] != "" and text[:1] in STARTS and re.fullmatch(_NUMBER, text) is None)


def escaped_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Escape a column of texts; any other stays as it is."""
    if not is_text_type(column.type):
        return column
    risky = pc.match_substring_regex(column, f"^[{re.escape(STARTS)}]")
    risky = pc.and_(risky, pc.invert(pc.match_substring_regex(column, f"^(?:{_NUMBER})$")))
    marked = pc.binary_join_element_wise(pa.scalar(MARK, column.type), column, pa.scalar("", column.type))
    return pc.if_else(pc.or_(risky, pc.starts_with(column, MARK)), marked, column)


def unescaped_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if not is_text_type(column.type):
        return column
    return pc.if_else(pc.starts_with(column, MARK), pc.utf8_slice_codeunits(column, 1), column)


def escaped_sql(column: str) -> str:
    """Write in DuckDB's SQL what ``escape_formula`` does."""
    signs = ", ".join(f"chr({ord(sign)})" for sign in STARTS)
    risky = f"substr({column}, 1, 1) IN ({signs}) AND NOT regexp_full_match({column}, '{_NUMBER}')"
    return f"CASE WHEN starts_with({column}, '''') OR ({risky}) THEN '''' || {column} ELSE {column} END"


def unescaped_sql(column: str) -> str:
    """Write in DuckDB's SQL what ``unescape_formula`` does."""
    return f"CASE WHEN starts_with({column}, '''') THEN substr({column}, 2) ELSE {column} END"


def check_header(names: Sequence[str]) -> None:
    """Refuse names that a spreadsheet would run: they are not escaped, or nobody would find the column again."""
    for number, name in enumerate(names, start=1):
        if _is_escaped(name) and name[:1] != MARK:
            msg = f"Column {number} has a name that a spreadsheet would run as a formula."
            raise DataError(msg, hint="give it a name that begins with a letter, or write another format: Parquet.")
