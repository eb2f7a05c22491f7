"""A private, silent DuckDB: connecting, quoting names and paths in SQL, streaming, and what its errors found."""

from __future__ import annotations

import os
import re
import weakref
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from incrowd.core import DataError
from incrowd.engines._private_folder import NamelessFile, clear_room, make_room
from incrowd.engines._resources import DEFAULT_RESOURCES, Resources


def connect(**config: Any) -> duckdb.DuckDBPyConnection:
    return _silent(duckdb.connect(config=config))


def _silent(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    connection.execute("SET enable_progress_bar = false")
    connection.execute("SET enable_progress_bar_print = false")  # some queries turn the bar on by themselves
    return connection


def connect_to_shared() -> duckdb.DuckDBPyConnection:
    """Connect to the one DuckDB of this process that has a single thread: rows leave it as they come.

    To start a DuckDB takes longer than to write a short table.
    """
    return _silent(_shared(os.getpid()).cursor())


@cache
def _shared(process: int) -> duckdb.DuckDBPyConnection:  # noqa: ARG001 - a copy of a process starts its own
    return connect(threads=1)


class Workshop:
    """An embedded DuckDB of our own, and a private folder that it may spill to. Both end with their owner.

    A part of the memory is DuckDB's. If the temporary place does not exist it is made, and is gone afterwards.
    """

    def __init__(self, resources: Resources = DEFAULT_RESOURCES) -> None:
        self.resources, budget = resources, resources.budget
        self.memory = budget.total
        self.folder, lock = make_room(resources.temp)
        self._copies: list[NamelessFile] = []
        weakref.finalize(self, _leave_room, self.folder, lock, self._copies)
        config: dict[str, Any] = {
            "autoinstall_known_extensions": False,  # nothing is fetched from anywhere
            "temp_directory": str(self.folder / "spill"),
            "memory_limit": f"{budget.engine}B",
        }
        self.connection = connect(**config, **({} if budget.threads is None else {"threads": budget.threads}))
        self.connection.execute("SET TimeZone = 'UTC'")
        self.connection.execute("SET preserve_insertion_order = false")  # nothing here depends on the order of rows

    def copy(self, name: str) -> NamelessFile:
        """Give a file for a copy of a table; it is closed when this ends."""
        self._copies.append(NamelessFile(self.folder, name))
        return self._copies[-1]


def _leave_room(folder: Path, lock: int | None, copies: list[NamelessFile]) -> None:
    for copy in copies:
        copy.close()
    clear_room(folder, lock)


def name_sql(name: str) -> str:
    """Write the name of a column so that DuckDB takes it as it is."""
    return '"' + name.replace('"', '""') + '"'


def text_literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def exact_path(path: Path) -> str:
    """Write a path so that DuckDB takes it for this file alone and for no pattern."""
    return "".join(f"[{sign}]" if sign in "[*?" else sign for sign in str(path))


def inner_names(count: int) -> list[str]:
    """Name so many columns as they are called inside an engine: what a user calls them never reaches a query."""
    return [f"c{number}" for number in range(count)]


def reader_of(relation: Any, rows: int = 100_000) -> pa.RecordBatchReader:
    """Stream a relation, so many rows at a time."""
    read = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch  # before DuckDB 1.5
    reader: pa.RecordBatchReader = read(rows)
    return reader


# What DuckDB comes upon while it reads or writes rows: it can only say so in a message, and messages are withheld.

_MARK = re.compile(r"incrowd-([a-z]+)-in-column-([0-9]{1,9})-5d41c0")
_FOUND = {
    "fine": ("timestamps finer than a microsecond", "round them first."),
    "wide": ("whole numbers of more than 38 digits", "make them texts first, or numbers of ordinary size."),
    "short": ("durations finer than a millisecond, which Parquet cannot hold", "round them, or write .csv."),
}


def checked_sql(right: str, value: str, found: str, number: int) -> str:
    """Write a column, by its number from 1, so that DuckDB stops at a value that is not right and says what it is."""
    return f"CASE WHEN {right} THEN {value} ELSE error('incrowd-{found}-in-column-{number}-5d41c0') END"


def duckdb_finding(message: str) -> DataError | None:
    """Say what DuckDB came upon; ``None`` if its message is about something else."""
    mark = _MARK.search(message)
    if mark is None or mark[1] not in _FOUND:
        return None
    what, hint = _FOUND[mark[1]]
    where = "the release" if mark[1] == "short" else "the table"
    return DataError(f"Column {mark[2]} of {where} holds {what}.", hint=hint)
