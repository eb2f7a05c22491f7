"""Where a lazy frame lives: what differs between DuckDB and Polars, and nothing else.

Inside an engine columns are called ``c0``, ``c1``, … in their order. What a user calls them never reaches a query:
names may hold dots, quotes, stars, or look like our own.
"""

from __future__ import annotations

import math
import os
import secrets
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import duckdb
import narwhals.stable.v2 as nw
import pyarrow as pa

from incrowd.core import DataError, EngineError
from incrowd.engines._column_types import type_sql
from incrowd.engines._duckdb import connect, quoted, reader_of, unless
from incrowd.engines._file_sets import damaged, files_of
from incrowd.engines._files import by_duckdb, write_arrow, write_relation
from incrowd.engines._resources import DEFAULT_RESOURCES, Resources, clear_room, make_room
from incrowd.engines.formats._statistics import Codebook, codebook_of
from incrowd.engines.formats._wording import Wording

Frame = nw.LazyFrame[Any]

ROW = "row"
"""The column with the number of a row, where the order of the table is kept."""

HANDED_OVER = (
    "hand over relation.to_arrow_table() instead; or SET python_enable_replacements = true, and connect without "
    "enable_external_access = false."
)

WAIT = "take a copy first, or wait until nobody writes to it."


def inner_names(count: int) -> list[str]:
    """Name so many columns as they are called inside an engine."""
    return [f"c{number}" for number in range(count)]


class Home(Protocol):
    """What the one engine over narwhals needs from the library under a frame."""

    @property
    def resources(self) -> Resources:
        """The memory and the temporary place that the table was opened with."""

    def bring(self, table: pa.Table) -> Frame:
        """Put a small table beside the frame, so that the two can be joined."""

    def look_up(self, frame: Frame, tables: Mapping[str, pa.Table]) -> Frame:
        """Join to every row what small tables have under its values of some columns, or null: the key comes first."""

    def write(self, frame: Frame, names: Sequence[str], path: Path, wording: Wording | None = None) -> Wording:
        """Write a frame to a file, its columns under their own names; say how, where it is one of text."""

    def hand_back(self, table: pa.Table) -> Any:
        """Turn a result into the kind of frame that came in."""

    def check(self) -> None:
        """Refuse what was read if it changed meanwhile."""

    def numbered(self, frame: Frame) -> Frame:
        """Add the number of every row, in the order of the table, as the column ``row``."""

    def sampled(self, frame: Frame, rows: int) -> Frame:
        """Take so many rows by a hash of their content."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """Files as they were when they were opened; the folder or pattern that they are all of, if there is one."""

    paths: tuple[Path, ...]
    states: tuple[tuple[int, int], ...]
    source: Path | None = None

    @classmethod
    def of(cls, *paths: Path, source: Path | None = None) -> Stamp:
        """Look at some files."""
        return cls(paths, tuple(map(_state, paths)), source)

    def check(self) -> None:
        """Refuse a file that is not as it was, and one that came or went."""
        for path, state in zip(self.paths, self.states, strict=True):
            if not path.exists() or _state(path) != state:
                msg = f"The file {path.name!r} changed while it was being read."
                raise DataError(msg, hint=WAIT)
        if self.source is not None and files_of(self.source).files != self.paths:
            msg = f"A file came to {self.source.name!r} while it was being read."
            raise DataError(msg, hint=WAIT)


def _state(path: Path) -> tuple[int, int]:
    found = os.stat(path)  # noqa: PTH116 - one call for both numbers
    return found.st_size, found.st_mtime_ns


class Workshop:
    """An embedded DuckDB of our own, and a private folder that it may spill to. Both end with their owner.

    A part of the memory is DuckDB's. If the temporary place does not exist it is made, and is gone afterwards.
    """

    def __init__(self, resources: Resources = DEFAULT_RESOURCES) -> None:
        self.resources, budget = resources, resources.budget
        self.folder, lock = make_room(resources.temp)
        weakref.finalize(self, clear_room, self.folder, lock)
        config: dict[str, Any] = {
            "autoinstall_known_extensions": False,  # nothing is fetched from anywhere
            "temp_directory": str(self.folder / "spill"),
        }
        self.memory = budget.total
        config["memory_limit"] = f"{budget.engine}B"
        if budget.threads is not None:
            config["threads"] = budget.threads
        self.connection = connect(**config)
        self.connection.execute("SET TimeZone = 'UTC'")
        self.connection.execute("SET preserve_insertion_order = false")  # nothing here depends on the order of rows


class DuckHome:
    """DuckDB: for its own relations, in whose catalog nothing is left, for files, and for eager frames in place."""

    def __init__(
        self,
        relation: duckdb.DuckDBPyRelation,
        hand_back: Callable[[pa.Table], Any] | None = None,  # else a result is a relation on the same connection
        *,
        workshop: Workshop | None = None,  # where the relation lives, if that is ours: it must not end before it
        stamp: Stamp | None = None,
        resources: Resources = DEFAULT_RESOURCES,
    ) -> None:
        self.resources = resources if workshop is None else workshop.resources
        self._relation = relation
        self._hand_back = hand_back
        self._workshop = workshop
        self._stamp = stamp

    @property
    def memory(self) -> float:
        """The most that may be used, in bytes; without end for a connection that is not ours."""
        return math.inf if self._workshop is None else self._workshop.memory

    @property
    def codebook(self) -> Codebook:
        """What columns and codes mean, where the table came with that."""
        return codebook_of(self._hand_back)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files behind the relation."""
        return () if self._stamp is None else self._stamp.paths

    def bring(self, table: pa.Table) -> Frame:
        brought: Frame = nw.from_native(self._scan(table))
        return brought

    def look_up(self, frame: Frame, tables: Mapping[str, pa.Table]) -> Frame:
        return _joined(frame, tables, {column: self.bring(table) for column, table in tables.items()})

    def write(self, frame: Frame, names: Sequence[str], path: Path, wording: Wording | None = None) -> Wording:
        new = zip(inner_names(len(names)), map(quoted, names), strict=True)
        named = frame.to_native().project(", ".join(f"{inner} AS {name}" for inner, name in new))
        return write_relation(named, path, self.codebook, wording)

    def hand_back(self, table: pa.Table) -> Any:
        return self._scan(table) if self._hand_back is None else self._hand_back(table)

    def check(self) -> None:
        if self._stamp is not None:
            self._stamp.check()

    def damaged(self) -> DataError | None:
        """Say which of the files cannot be read; ``None`` if all can, or there are none."""
        return None if self._workshop is None else damaged(self.files, self._workshop.connection)

    def numbered(self, frame: Frame) -> Frame:
        if self._workshop is not None:  # a connection of the user's has its own settings
            self._workshop.connection.execute("SET preserve_insertion_order = true")
        numbered: Frame = nw.from_native(frame.to_native().project(f"*, row_number() OVER () AS {ROW}"))
        return numbered

    def sampled(self, frame: Frame, rows: int) -> Frame:
        relation = frame.to_native()
        by = f"hash({', '.join(map(quoted, relation.columns))})"
        sampled: Frame = nw.from_native(relation.order(f"{by} ASC").limit(rows))
        return sampled

    def staged(self, frame: Frame) -> Frame:
        """Keep a frame in our private folder, in its order: what is asked of it again is cheap then."""
        assert self._workshop is not None  # noqa: S101 - only what we opened ourselves is staged
        path, connection = self._workshop.folder / f"{secrets.token_hex(8)}.parquet", self._workshop.connection
        connection.execute("SET preserve_insertion_order = true")
        self.spill(frame, path)
        connection.execute("SET preserve_insertion_order = false")
        self.check()
        staged: Frame = nw.from_native(connection.read_parquet(str(path)))
        return staged

    def spill(self, frame: Frame, path: Path) -> None:
        """Write a frame that nobody else will read to a Parquet file."""
        frame.to_native().write_parquet(str(path), compression="zstd")

    def fetched(self, frame: Frame, labels: Sequence[str]) -> pa.Table:
        """Fetch a frame, so many rows at a time, of which every text of these columns is kept once."""
        reader = reader_of(frame.to_native())
        read = [_with_texts_once(pa.Table.from_batches([batch]), labels) for batch in reader]
        return pa.concat_tables(read) if read else reader.schema.empty_table()

    def retyped(self, frame: Frame, columns: Sequence[str]) -> Frame:
        """Give columns the types that their values tell."""
        relation = frame.to_native()
        types = dict(zip(relation.columns, map(str, relation.types), strict=True))
        found = relation.aggregate(", ".join(type_sql(column, types[column]) for column in columns)).fetchall()[0]
        types |= dict(zip(columns, found, strict=True))
        cast = (f"CAST({name} AS {type_}) AS {name}" if name in columns else name for name, type_ in types.items())
        retyped: Frame = nw.from_native(relation.project(", ".join(cast)))
        return retyped

    def _scan(self, table: pa.Table) -> Any:
        incrowd_brought_5d41c0 = table  # noqa: F841 - DuckDB finds it here by its name
        name = f"incrowd_{secrets.token_hex(8)}"
        try:
            brought = self._relation.query(name, "FROM incrowd_brought_5d41c0")
        except duckdb.CatalogException:
            brought = None
        self._relation.query(name, f"DROP VIEW IF EXISTS {name}")  # DuckDB before 2.0 makes one and leaves it
        if brought is None:
            msg = "The connection of this relation does not let tables of Python be joined with its own."
            raise EngineError(msg, hint=HANDED_OVER)
        return brought


def _with_texts_once(table: pa.Table, names: Sequence[str]) -> pa.Table:
    for name in names:
        column = table[name]
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            table = table.set_column(table.column_names.index(name), name, column.dictionary_encode())
    return table


class PolarsHome:
    """A Polars lazy frame stays with Polars."""

    def __init__(self, resources: Resources = DEFAULT_RESOURCES) -> None:
        self.resources = resources

    def bring(self, table: pa.Table) -> Frame:
        import polars as pl  # noqa: PLC0415 - only who uses Polars needs it

        return nw.from_native(pl.DataFrame(table).lazy())

    def look_up(self, frame: Frame, tables: Mapping[str, pa.Table]) -> Frame:
        return _joined(frame, tables, {column: self.bring(table) for column, table in tables.items()})

    def write(self, frame: Frame, names: Sequence[str], path: Path, wording: Wording | None = None) -> Wording:
        table = frame.collect(backend="pyarrow").to_native().rename_columns(list(names))
        return write_table(table, path, wording=wording)

    def hand_back(self, table: pa.Table) -> Any:
        return self.bring(table).to_native()

    def check(self) -> None:
        """Polars knows what it scans; we do not."""

    def numbered(self, frame: Frame) -> Frame:
        numbered: Frame = nw.from_native(frame.to_native().with_row_index(ROW))
        return numbered

    def sampled(self, frame: Frame, rows: int) -> Frame:
        import polars as pl  # noqa: PLC0415 - only who uses Polars needs it

        sampled: Frame = nw.from_native(frame.to_native().sort(pl.struct(pl.all()).hash(0)).head(rows))
        return sampled


def _joined(frame: Frame, tables: Mapping[str, pa.Table], brought: Mapping[str, Frame]) -> Frame:
    """Join what was brought, all of it before the first join: DuckDB binds every join anew after something came."""
    for column, table in tables.items():
        frame = frame.join(brought[column], left_on=column, right_on=table.column_names[0], how="left")
    return frame


def only(frame: Frame, names: Sequence[str]) -> Frame:
    """Select columns by name, as expressions: DuckDB before 2.0 reads a bare text as SQL."""
    return frame.select(*(nw.col(name) for name in names))


def write_table(
    table: pa.Table, path: Path, codebook: Codebook | None = None, wording: Wording | None = None
) -> Wording:
    """Write an Arrow table as a relation is written, so that all engines write the same file."""
    if not by_duckdb(path):
        write_arrow(table, path, codebook or Codebook())
        return Wording()
    workshop = Workshop()
    workshop.connection.execute("SET preserve_insertion_order = true")
    in_one_piece = table.combine_chunks()  # pieces are scanned side by side, and may come out in another order
    return write_relation(workshop.connection.from_arrow(in_one_piece), path, wording=wording)


# Relations of DuckDB as our engines want them: with our names, and types that compare as they are printed.

_AS_TEXT = {"UUID", "JSON", '"NULL"', "NULL"}
_WIDE = {"HUGEINT", "UHUGEINT"}


def adopt(relation: duckdb.DuckDBPyRelation, *, foreign: bool = False) -> Any:
    """Give a relation our names, and comparable types; a foreign one may compare texts without regard to case."""
    columns = zip(inner_names(len(relation.columns)), relation.columns, map(str, relation.types), strict=True)
    read = (
        f"{_comparable(quoted(name), type_, number, foreign)} AS {inner}"
        for number, (inner, name, type_) in enumerate(columns, start=1)
    )
    return relation.project(", ".join(read))


def _comparable(name: str, type_: str, number: int, foreign: bool) -> str:  # noqa: FBT001
    """Write a column so that it compares as it is printed."""
    if type_ in _AS_TEXT:
        return f"CAST({name} AS VARCHAR)"
    if type_ in _WIDE:  # some settings hand these over as bytes, and Parquet holds floats of them
        decimal = f"TRY_CAST({name} AS DECIMAL(38, 0))"
        return unless(f"{decimal} IS NOT NULL OR {name} IS NULL", decimal, "wide", number)
    if type_ == "TIMESTAMPTZ_NS":
        whole = f"epoch_ns({name}) % 1000 = 0 OR {name} IS NULL"
        return unless(whole, f"CAST({name} AS TIMESTAMPTZ)", "fine", number)
    return f'{name} COLLATE "binary"' if type_ == "VARCHAR" and foreign else name
