"""A private, silent DuckDB: connecting, quoting names and paths in SQL, streaming, and what its errors found."""

from __future__ import annotations

import os
import re
import shutil
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from secrets import token_hex
from threading import RLock
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import duckdb
import pyarrow as pa

from incrowd.core import DataError
from incrowd.engines._private_folder import NamelessFile, clear_room, make_room
from incrowd.engines._resources import DEFAULT_RESOURCES, Resources

T = TypeVar("T")

SHORT = 10_240
"""Rows that are held together where a Parquet file is written with little memory."""


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


class Database:
    """An embedded DuckDB of our own, and a private folder that it may spill to. Both end with the last who uses them.

    All tables that are opened with the same resources share one: what it kept for the first is there for the next, and
    both together take no more than one may.
    """

    def __init__(self, resources: Resources) -> None:
        budget = resources.budget
        self.folder, lock = make_room(resources.temp)
        weakref.finalize(self, clear_room, self.folder, lock)
        config: dict[str, Any] = {
            "autoinstall_known_extensions": False,  # nothing is fetched from anywhere
            "temp_directory": str(self.folder / "spill"),
            "memory_limit": f"{budget.engine}B",
        }
        self.connection = connect(**config, **({} if budget.threads is None else {"threads": budget.threads}))
        self.connection.execute("SET preserve_insertion_order = false")  # nothing here depends on the order of rows
        self.spared = False
        """Whether it was told to take as little memory as it can."""
        self._lock, self._in_order = RLock(), 0

    def need_order(self, by: int) -> None:
        """Say that one more, or one less, depends on the order of rows."""
        with self._lock:
            self._in_order += by
            self.connection.execute(f"SET preserve_insertion_order = {self._in_order > 0}")

    def spare(self) -> None:
        """Take one thread, which needs least memory."""
        self.spared = True
        self.connection.execute("SET threads = 1")


_databases: WeakValueDictionary[tuple[int, Resources], Database] = WeakValueDictionary()
_opening = RLock()


class Workshop:
    """A connection to our own DuckDB, and a private folder. The folder ends with its owner.

    A part of the memory is DuckDB's. If the temporary place does not exist it is made, and is gone afterwards.
    """

    def __init__(self, resources: Resources = DEFAULT_RESOURCES) -> None:
        self.resources = resources
        self.memory = resources.budget.total
        with _opening:
            key = os.getpid(), resources  # a copy of a process starts its own
            self.database = _databases.get(key) or _databases.setdefault(key, Database(resources))
        self.connection = _silent(self.database.connection.cursor())
        self.connection.execute("SET TimeZone = 'UTC'")
        self.folder = self.database.folder / token_hex(8)
        self.folder.mkdir(mode=0o700)
        self._copies: list[NamelessFile] = []
        weakref.finalize(self, _leave_room, self.folder, self._copies, os.getpid())

    def copy(self, name: str) -> NamelessFile:
        """Give a file for a copy of a table; it is closed when this ends."""
        self._copies.append(NamelessFile(self.folder, name))
        return self._copies[-1]

    @contextmanager
    def in_order(self) -> Iterator[None]:
        """Keep rows in their order inside of a block."""
        self.database.need_order(1)
        try:
            yield
        finally:
            self.database.need_order(-1)

    def keep_order(self) -> None:
        """Keep rows in their order as long as this lives."""
        self.database.need_order(1)
        weakref.finalize(self, self.database.need_order, -1)

    def sparingly(self, work: Callable[[int | None], T]) -> T:
        """Do some work; once more, told to take little, if DuckDB ran out of memory the first time.

        The work is told how many rows of a file it may hold together, if that matters. One thread and few rows take a
        part of what several threads and many rows do, and whether those fit can depend on which thread was first.
        """
        try:
            return work(SHORT if self.database.spared else None)
        except Exception as error:
            if self.database.spared or not is_out_of_memory(error):
                raise
        self.database.spare()
        return work(SHORT)


def _leave_room(folder: Path, copies: list[NamelessFile], process: int) -> None:
    for copy in copies:
        copy.close()
    if os.getpid() == process:  # else a copy of the process whose folder it is ends
        shutil.rmtree(folder, ignore_errors=True)


def is_out_of_memory(error: BaseException) -> bool:
    """Say whether memory ran out; what comes through Arrow only says so in words."""
    return isinstance(error, (MemoryError, duckdb.OutOfMemoryException, pa.ArrowMemoryError)) or (
        isinstance(error, (duckdb.Error, pa.ArrowException, OSError)) and "Out of Memory Error" in str(error)
    )


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
