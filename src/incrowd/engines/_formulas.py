"""Texts that a spreadsheet would run as a formula are escaped, by a rule that can be undone.

A text gets an apostrophe in front if a spreadsheet would run it, or if it begins with one already. So no two texts
become one, and whoever takes one apostrophe off every text that begins with one has the texts again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from incrowd.core import DataError

MARK = "'"
STARTS = "=+-@\t\r\n＝＋－＠﹦﹢﹣﹫"  # noqa: RUF001 - wide and small forms are meant: some programs read them alike
"""A spreadsheet may run a text that begins with one of these."""
_NUMBER = r"-[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?"
"""A negative number, which runs nothing."""


def escape_formula(text: str) -> str:
    """Write a text so that no spreadsheet runs it.

    Parameters
    ----------
    text
        Any text. One that runs nothing, such as ``-5``, stays as it is, unless it begins with an apostrophe.

    Examples
    --------
    >>> from incrowd.engines import escape_formula
    >>> escape_formula("=1+1"), escape_formula("-5"), escape_formula("'s-Hertogenbosch")
    ("'=1+1", '-5', "''s-Hertogenbosch")
    """
    return MARK + text if _is_escaped(text) else text


def unescape_formula(text: str) -> str:
    """Read a text of a released CSV or Excel file as it was before it was escaped.

    Parameters
    ----------
    text
        A text as it stands in the file.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.unescape_formula("'=1+1"), ic.unescape_formula("-5"), ic.unescape_formula("''s-Hertogenbosch")
    ('=1+1', '-5', "'s-Hertogenbosch")
    """
    return text.removeprefix(MARK)


def _is_escaped(text: str) -> bool:
    return text[:1] == MARK or (text[:1] != "" and text[:1] in STARTS and re.fullmatch(_NUMBER, text) is None)


def escaped_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Escape a column of texts; any other stays as it is."""
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    risky = pc.match_substring_regex(column, f"^[{re.escape(STARTS)}]")
    risky = pc.and_(risky, pc.invert(pc.match_substring_regex(column, f"^(?:{_NUMBER})$")))
    marked = pc.binary_join_element_wise(pa.scalar(MARK, column.type), column, pa.scalar("", column.type))
    return pc.if_else(pc.or_(risky, pc.starts_with(column, MARK)), marked, column)


def unescaped_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Undo what ``escaped_column`` did."""
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    return pc.if_else(pc.starts_with(column, MARK), pc.utf8_slice_codeunits(column, 1), column)


def escaped_sql(column: str) -> str:
    """Write in DuckDB's SQL what ``escape_formula`` does.

    Parameters
    ----------
    column
        An expression of texts.
    """
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
