"""The one text of every value in DuckDB's SQL, as ``Domain.texts`` writes it: no row passes through Python."""

from __future__ import annotations


def text_sql(column: str, type_: str) -> str | None:
    """Write the expression that gives the texts of a column; ``None`` where a cast does.

    Parameters
    ----------
    column
        The name of the column, quoted.
    type_
        What DuckDB calls its type.
    """
    if type_ in {"DOUBLE", "FLOAT"}:
        return _float(column)
    if type_.startswith("DECIMAL"):
        return None if type_.endswith(",0)") else _decimal(f"CAST({column} AS VARCHAR)")
    if type_.startswith("TIMESTAMP WITH"):
        return f"{_moment(f'make_timestamp(epoch_us({column}))')} || '+00:00'"
    if type_.startswith("TIMESTAMP"):
        midnight = f"date_trunc('day', {column}) = {column}"
        return f"CASE WHEN {midnight} THEN {_day(column)} ELSE {_moment(column)} END"
    return None


def _decimal(text: str) -> str:
    """Take off the zeros at the end, and put one in front of a point that has none there."""
    return f"regexp_replace(rtrim(rtrim({text}, '0'), '.'), '^(-?)(\\.|$)', '\\10\\2')"


def _float(column: str) -> str:
    """Write whole numbers as such, and exponents as zeros; what a spreadsheet would run is escaped."""
    text = f"CAST({column} AS VARCHAR)"
    exponent = f"CAST(regexp_extract({text}, 'e(.*)$', 1) AS INTEGER)"
    digits = f"replace(regexp_extract({text}, '^-?([0-9.]+)e', 1), '.', '')"
    sign = f"CASE WHEN {column} < 0 THEN '-' ELSE '' END"
    return (
        f"CASE WHEN isinf({column}) THEN CASE WHEN {column} < 0 THEN '''-inf' ELSE 'inf' END "
        f"WHEN abs({column}) >= 1e16 THEN {sign} || rpad({digits}, {exponent} + 1, '0') "
        f"WHEN {column} <> 0 AND abs({column}) < 1e-4 THEN {sign} || '0.' || repeat('0', -1 - {exponent}) || {digits} "
        f"WHEN {column} = trunc({column}) THEN CAST(CAST({column} AS BIGINT) AS VARCHAR) "
        f"ELSE {text} END"
    )


def _day(column: str) -> str:
    return f"CAST(CAST({column} AS DATE) AS VARCHAR)"


def _moment(column: str) -> str:
    """Write day and time, and a fraction of a second only if there is one, in microseconds."""
    whole = f"date_trunc('second', {column}) = {column}"
    time = f"CASE WHEN {whole} THEN strftime({column}, '%H:%M:%S') ELSE strftime({column}, '%H:%M:%S.%f') END"
    return f"{_day(column)} || ' ' || {time}"
