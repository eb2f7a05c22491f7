"""A DuckDB of our own, which never talks: what it would print goes to stdout, where results go."""

from __future__ import annotations

from typing import Any

import duckdb


def connect(**config: Any) -> duckdb.DuckDBPyConnection:
    """Open a DuckDB in memory, with these settings."""
    connection = duckdb.connect(config=config)
    connection.execute("SET enable_progress_bar = false")
    connection.execute("SET enable_progress_bar_print = false")  # some queries turn the bar on by themselves
    return connection
