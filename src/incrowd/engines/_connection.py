"""A DuckDB of our own that never talks (what it prints would go to stdout, where results go), and names in its SQL."""

from __future__ import annotations

from typing import Any

import duckdb
import pyarrow as pa


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
