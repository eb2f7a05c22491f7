"""A DuckDB of our own that never talks (what it prints would go to stdout, where results go), and names in its SQL."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import duckdb
import pyarrow as pa

from incrowd.core import DataError


def connect(**config: Any) -> duckdb.DuckDBPyConnection:
    """Open a DuckDB in memory, with these settings."""
    connection = duckdb.connect(config=config)
    connection.execute("SET enable_progress_bar = false")
    connection.execute("SET enable_progress_bar_print = false")  # some queries turn the bar on by themselves
    return connection


def quoted(name: str) -> str:
    """Write the name of a column so that DuckDB takes it as it is."""
    return '"' + name.replace('"', '""') + '"'


def text_literal(text: str) -> str:
    """Write a text so that DuckDB takes it as it is."""
    return "'" + text.replace("'", "''") + "'"


def reader_of(relation: Any, rows: int = 100_000) -> pa.RecordBatchReader:
    """Stream a relation, so many rows at a time."""
    read = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch  # before DuckDB 1.5
    reader: pa.RecordBatchReader = read(rows)
    return reader


# What DuckDB comes upon while it reads or writes rows: it can only say so in a message, and messages are withheld.

_MARK = re.compile(r"incrowd-([a-z]+)-in-column-([0-9]{1,9})-5d41c0")
_FOUND: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "fine": ("timestamps finer than a microsecond", "round them first."),
        "wide": ("whole numbers of more than 38 digits", "make them texts first, or numbers of ordinary size."),
        "short": ("durations finer than a millisecond, which Parquet cannot hold", "round them, or write .csv."),
    }
)


def unless(right: str, value: str, found: str, number: int) -> str:
    """Write a column so that DuckDB stops at a value that is not right."""
    return f"CASE WHEN {right} THEN {value} ELSE error('incrowd-{found}-in-column-{number}-5d41c0') END"


def found_by_duckdb(message: str) -> DataError | None:
    """Say what DuckDB came upon; ``None`` if its message is about something else."""
    mark = _MARK.search(message)
    if mark is None or mark[1] not in _FOUND:
        return None
    what, hint = _FOUND[mark[1]]
    where = "the release" if mark[1] == "short" else "the table"
    return DataError(f"Column {mark[2]} of {where} holds {what}.", hint=hint)


# The one text of every value in DuckDB's SQL, as ``Domain.texts`` writes it: no row passes through Python.


def text_sql(column: str, type_: str) -> str | None:
    """Write the expression that gives the texts of a column; ``None`` where a cast does."""
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
