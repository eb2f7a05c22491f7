"""What differs between lazy DuckDB relations and Polars frames: joins with small tables, order, sampling, files.

Inside an engine columns are called ``c0``, ``c1``, … in their order. What a user calls them never reaches a query:
names may hold dots, quotes, stars, or look like our own.
"""

from __future__ import annotations

import secrets
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import duckdb
import narwhals.stable.v2 as nw
import pyarrow as pa
import pyarrow.parquet

from incrowd.core import DataError, EngineError, Kind
from incrowd.engines._arrow import is_text_type, type_sql
from incrowd.engines._duckdb import Workshop, checked_sql, inner_names, name_sql, reader_of
from incrowd.engines._files import Stamp, damage_in
from incrowd.engines._resources import DEFAULT_RESOURCES, Resources
from incrowd.engines.formats._output import write_arrow, write_parquet, write_relation
from incrowd.engines.formats._statistics import NO_CODEBOOK, Codebook
from incrowd.engines.formats._wording import Wording

Frame = nw.LazyFrame[Any]
T = TypeVar("T")

A_CELL = 64  # bytes that a value takes while DuckDB joins and sorts in one go
ROW = "row"  # the column with the number of a row, where the order of the table is kept
HANDED_OVER = (
    "hand over relation.to_arrow_table() instead; or SET python_enable_replacements = true, and connect without "
    "enable_external_access = false."
)


def frame_of(native: Any) -> Frame:
    frame: Frame = nw.from_native(native)
    return frame


class Backend(ABC):
    """What the one engine over narwhals needs from the library under a frame."""

    codebook: Codebook = NO_CODEBOOK
    can_spill: ClassVar[bool] = False
    has_order: ClassVar[bool] = True
    """Whether the rows of a frame have an order."""
    stamp: Stamp | None = None

    def __init__(self, resources: Resources = DEFAULT_RESOURCES) -> None:
        self.resources = resources

    @property
    def memory(self) -> int:
        return self.resources.budget.total

    @abstractmethod
    def bring(self, table: pa.Table) -> Frame:
        """Put a small table beside the frame, so that the two can be joined."""

    def look_up(self, frame: Frame, tables: Mapping[str, pa.Table]) -> Frame:
        """Join to every row what small tables have under its values of some columns, or null: the key comes first."""
        brought = [self.bring(table) for table in tables.values()]  # all before: DuckDB binds joins anew after each
        for (column, table), other in zip(tables.items(), brought, strict=True):
            frame = frame.join(other, left_on=column, right_on=table.column_names[0], how="left")
        return frame

    def ordered(self, frame: Frame, by: Sequence[str]) -> Frame:
        return frame.sort(by, nulls_last=True)

    def fetched(self, frame: Frame, once: Sequence[str] = ()) -> pa.Table:
        """Fetch a frame; where that is possible, without holding a text of some columns more than once."""
        del once
        return frame.collect(backend="pyarrow").to_native()

    def spill(self, frame: Frame, path: Path) -> None:
        """Write a frame that nobody else will read to a Parquet file."""
        del frame, path
        msg = "What this kind of table counts cannot be kept on the disk."
        raise EngineError(msg)

    def copy(self, frame: Frame, path: Path) -> None:
        """Write a frame that we read again to a Parquet file."""
        if self.can_spill:
            self.spill(frame, path)
        else:
            pyarrow.parquet.write_table(self.fetched(frame), str(path))
        self.check()

    def settled(self, frame: Frame, rows: int) -> Frame:
        """Do what a frame of about so many rows asks for, where what is asked of it next would not fit beside it."""
        del rows
        return frame

    def staged(self, frame: Frame) -> Frame:
        """Keep a frame of ours, in its order, where that is possible: what is asked of it again is cheap then."""
        return frame

    def with_own_types(self, frame: Frame, columns: Sequence[str]) -> Frame:
        """Give columns the types that their values tell, where values alone do."""
        del columns
        return frame

    @abstractmethod
    def write(self, frame: Frame, names: Sequence[str], path: Path, wording: Wording | None = None) -> Wording:
        """Write a frame to a file, its columns under their own names; say how, where it is one of text."""

    @abstractmethod
    def hand_back(self, table: pa.Table) -> Any:
        """Turn a result into the kind of frame that came in."""

    def check(self) -> None:
        """Refuse files that changed since they were opened; of what else a library reads, only it knows."""
        if self.stamp is not None:
            self.stamp.check()

    @abstractmethod
    def shifted(self, frame: Frame, column: str, days: str) -> Frame:
        """Shift the dates or moments of a column by the whole days of another, each 24 hours in any zone."""

    @abstractmethod
    def numbered(self, frame: Frame) -> Frame:
        """Add the number of every row, in the order of the table, as the column ``row``."""

    @abstractmethod
    def sampled(self, frame: Frame, rows: int) -> Frame:
        """Take so many rows by a hash of their content."""


class DuckBackend(Backend):
    """DuckDB: for its own relations, in whose catalog nothing is left, for files, and for eager frames in place."""

    can_spill = True

    def __init__(
        self,
        relation: duckdb.DuckDBPyRelation,
        hand_back: Callable[[pa.Table], Any] | None = None,  # else a result is a relation on the same connection
        *,
        workshop: Workshop | None = None,  # where the relation lives, if that is ours: it must not end before it
        stamp: Stamp | None = None,
        resources: Resources = DEFAULT_RESOURCES,
    ) -> None:
        super().__init__(resources if workshop is None else workshop.resources)
        self.codebook = getattr(hand_back, "codebook", NO_CODEBOOK)
        self._relation, self._hand_back = relation, hand_back
        self._workshop, self.stamp = workshop, stamp

    @property
    def memory(self) -> int:
        return super().memory if self._workshop is None else self._workshop.memory

    @property
    def files(self) -> tuple[Path, ...]:
        return () if self.stamp is None else self.stamp.found.files

    def bring(self, table: pa.Table) -> Frame:
        return frame_of(self._scan(table))

    def write(self, frame: Frame, names: Sequence[str], path: Path, wording: Wording | None = None) -> Wording:
        new = zip(inner_names(len(names)), map(name_sql, names), strict=True)
        named = frame.to_native().project(", ".join(f"{inner} AS {name}" for inner, name in new))
        return self.sparingly(lambda rows: write_relation(named, path, self.codebook, wording, rows=rows))

    def hand_back(self, table: pa.Table) -> Any:
        return self._scan(table) if self._hand_back is None else self._hand_back(table)

    def damage(self) -> DataError | None:
        """Say which of the files cannot be read; ``None`` if all can, or there are none."""
        return None if self._workshop is None else damage_in(self.files, self._workshop.connection)

    def shifted(self, frame: Frame, column: str, days: str) -> Frame:
        relation = frame.to_native()
        type_ = str(dict(zip(relation.columns, relation.types, strict=True))[column])
        by = f"CAST({days} AS INTEGER)" if type_ == "DATE" else f"to_hours(24 * {days})"
        kept = "TIMESTAMP" if type_ == "TIMESTAMP_NS" else type_  # nanoseconds end in the year 2262
        return frame_of(relation.project(f"* REPLACE (CAST({column} + {by} AS {kept}) AS {column})"))

    def numbered(self, frame: Frame) -> Frame:
        if self._workshop is not None:  # a connection of the user's has its own settings
            self._workshop.keep_order()
        return frame_of(frame.to_native().project(f"*, row_number() OVER () AS {ROW}"))

    def sampled(self, frame: Frame, rows: int) -> Frame:
        relation = frame.to_native()
        by = f"hash({', '.join(map(name_sql, relation.columns))})"
        return frame_of(relation.order(f"{by} ASC").limit(rows))

    def ordered(self, frame: Frame, by: Sequence[str]) -> Frame:
        # A connection of the user's may have a default order: none is taken for granted.
        return frame_of(frame.to_native().order(", ".join(f'"{name}" ASC NULLS LAST' for name in by)))

    def staged(self, frame: Frame) -> Frame:
        if self._workshop is None:
            return frame
        path, connection = self._workshop.copy(f"{secrets.token_hex(8)}.parquet").path, self._workshop.connection
        with self._workshop.in_order():
            self.spill(frame, path)
        self.check()
        return frame_of(connection.read_parquet(str(path)))

    def settled(self, frame: Frame, rows: int) -> Frame:
        if self._workshop is None or rows * A_CELL * len(frame.collect_schema()) < self.resources.budget.engine:
            return frame
        path = self._workshop.copy(f"{secrets.token_hex(8)}.parquet").path
        self.spill(frame, path)
        self.check()
        return frame_of(self._workshop.connection.read_parquet(str(path)))

    def spill(self, frame: Frame, path: Path) -> None:
        self.sparingly(lambda rows: write_parquet(frame.to_native(), path, rows, direct=True))

    def fetched(self, frame: Frame, once: Sequence[str] = ()) -> pa.Table:
        return self.sparingly(lambda _: self._fetched(frame, once))

    def sparingly(self, work: Callable[[int | None], T]) -> T:
        """Do some work, a second time with less memory if the first time takes too much; a user's DuckDB is theirs."""
        return work(None) if self._workshop is None else self._workshop.sparingly(work)

    def _fetched(self, frame: Frame, once: Sequence[str]) -> pa.Table:
        if not once:
            return super().fetched(frame)
        reader = reader_of(frame.to_native())
        read = [_with_texts_once(pa.Table.from_batches([batch]), once) for batch in reader]
        return pa.concat_tables(read) if read else reader.schema.empty_table()

    def with_own_types(self, frame: Frame, columns: Sequence[str]) -> Frame:
        relation = frame.to_native()
        types = dict(zip(relation.columns, map(str, relation.types), strict=True))
        found = relation.aggregate(", ".join(type_sql(column, types[column]) for column in columns)).fetchall()[0]
        types |= dict(zip(columns, found, strict=True))
        cast = (f"CAST({name} AS {type_}) AS {name}" if name in columns else name for name, type_ in types.items())
        return frame_of(relation.project(", ".join(cast)))

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
        if is_text_type(column.type):
            table = table.set_column(table.column_names.index(name), name, column.dictionary_encode())
    return table


class PolarsBackend(Backend):
    def __init__(self, resources: Resources = DEFAULT_RESOURCES) -> None:
        super().__init__(resources)
        self._polars: Any = sys.modules["polars"]  # a frame of it came

    def bring(self, table: pa.Table) -> Frame:
        return frame_of(self._polars.DataFrame(table).lazy())

    def write(self, frame: Frame, names: Sequence[str], path: Path, wording: Wording | None = None) -> Wording:
        return write_arrow(self.fetched(frame).rename_columns(list(names)), path, self.resources, wording=wording)

    def hand_back(self, table: pa.Table) -> Any:
        return self.bring(table).to_native()

    def shifted(self, frame: Frame, column: str, days: str) -> Frame:
        native, polars = frame.to_native(), self._polars
        type_ = native.collect_schema()[column]
        if getattr(type_, "time_unit", None) == "ns":  # nanoseconds end in the year 2262
            type_ = polars.Datetime("us", type_.time_zone)
        moved = polars.col(column).cast(type_) + polars.duration(days=polars.col(days))
        return frame_of(native.with_columns(moved.cast(type_)))

    def numbered(self, frame: Frame) -> Frame:
        return frame_of(frame.to_native().with_row_index(ROW))

    def sampled(self, frame: Frame, rows: int) -> Frame:
        content = self._polars.struct(self._polars.all()).hash(0)
        return frame_of(frame.to_native().sort(content).head(rows))


def select_columns(frame: Frame, names: Sequence[str]) -> Frame:
    """Select columns by name, as expressions: DuckDB before 2.0 reads a bare text as SQL."""
    return frame.select(*(nw.col(name) for name in names))


# Relations of DuckDB as our engines want them: with our names, and types that compare as they are printed.

_AS_TEXT = {"UUID", "JSON", '"NULL"', "NULL"}
_WIDE = {"HUGEINT", "UHUGEINT"}


def inner_frame(relation: duckdb.DuckDBPyRelation, *, foreign: bool = False) -> Frame:
    """Give a relation our names, and comparable types; a foreign one may compare texts without regard to case."""
    columns = zip(inner_names(len(relation.columns)), relation.columns, map(str, relation.types), strict=True)
    read = (
        f"{_comparable_sql(name_sql(name), type_, number, foreign=foreign)} AS {inner}"
        for number, (inner, name, type_) in enumerate(columns, start=1)
    )
    return frame_of(relation.project(", ".join(read)))


def _comparable_sql(name: str, type_: str, number: int, *, foreign: bool) -> str:
    if type_ in _AS_TEXT:
        return f"CAST({name} AS VARCHAR)"
    if type_ in _WIDE:  # some settings hand these over as bytes, and Parquet holds floats of them
        decimal = f"TRY_CAST({name} AS DECIMAL(38, 0))"
        return checked_sql(f"{decimal} IS NOT NULL OR {name} IS NULL", decimal, "wide", number)
    if type_ == "TIMESTAMPTZ_NS":
        whole = f"epoch_ns({name}) % 1000 = 0 OR {name} IS NULL"
        return checked_sql(whole, f"CAST({name} AS TIMESTAMPTZ)", "fine", number)
    return f'{name} COLLATE "binary"' if type_ == "VARCHAR" and foreign else name


_KINDS: tuple[tuple[tuple[type[nw.dtypes.DType], ...], Kind], ...] = (
    ((nw.Boolean,), "boolean"),
    ((nw.Date,), "date"),
    ((nw.String, nw.Categorical, nw.Enum), "text"),
)


def kind_of_dtype(dtype: nw.dtypes.DType) -> Kind | None:
    """Say which kind of values a column declares; ``None`` for what cannot be grouped."""
    if dtype.is_numeric():
        return "number"
    if isinstance(dtype, nw.Datetime):
        return "instant" if dtype.time_zone else "datetime"
    return next((kind for types, kind in _KINDS if isinstance(dtype, types)), None)


def cleaned_column(inner: str, dtype: nw.dtypes.DType, missing_values: Sequence[str]) -> nw.Expr:
    """Read one column: NaN and the texts that mean missing become null, -0.0 becomes 0.0, categories become text."""
    column = nw.col(inner)
    if dtype.is_float():
        column = column if isinstance(dtype, nw.Float64) else column.cast(nw.Float64)
        column = nw.when(~column.is_nan()).then(nw.when(column == 0).then(column.abs()).otherwise(column))
    elif kind_of_dtype(dtype) == "text":
        column = column if isinstance(dtype, nw.String) else column.cast(nw.String)
        if missing_values:  # comparing one by one: engines are slow at looking into lists
            column = nw.when(*(column != text for text in missing_values)).then(column)
    return column.alias(inner)
