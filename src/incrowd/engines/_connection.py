"""A DuckDB of our own that never talks (what it prints would go to stdout, where results go), and names in its SQL."""

from __future__ import annotations

from typing import Any

import duckdb


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
