"""``open_table``: the engine that a frame, file or database needs; ``write_table``, and the first rows of a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import duckdb
import narwhals.stable.v2 as nw
import pyarrow as pa
import pyarrow.parquet

from incrowd.core import DataError, SchemaError, UnknownColumnError
from incrowd.engines._arrow import (
    arrow_of_pandas,
    check_polars_types,
    column_of_objects,
    duration_columns,
    kind_of_type,
    spell_out,
    tidy,
)
from incrowd.engines._backend import DuckBackend, PolarsBackend, frame_of, inner_frame
from incrowd.engines._border import guarded
from incrowd.engines._duckdb import Workshop, inner_names
from incrowd.engines._eager_frame import EagerEngine
from incrowd.engines._encoding import PolarsFrame
from incrowd.engines._files import (
    ARROWS,
    SPREADSHEETS,
    FileSet,
    Stamp,
    files_of,
    read_whole,
)
from incrowd.engines._joined_tables import JoinedTables, RowsTable, rows_of
from incrowd.engines._lazy_frame import FrameEngine
from incrowd.engines._protocol import Engine, report_stage
from incrowd.engines._reference import ReferenceEngine
from incrowd.engines._remembered_table import Remembered
from incrowd.engines._resources import Budget, Resources
from incrowd.engines._tables_of_people import Tables
from incrowd.engines._tally import ParquetEngine
from incrowd.engines._text import TextEngine
from incrowd.engines.formats._csv import TextFiles
from incrowd.engines.formats._database import Database, read_database
from incrowd.engines.formats._excel import plain_cells
from incrowd.engines.formats._lists import NO_LISTS, Lists, with_texts
from incrowd.engines.formats._notation import Notation
from incrowd.engines.formats._output import is_escaped
from incrowd.engines.formats._stars import relation_with_stars, with_stars
from incrowd.engines.formats._statistics import Codebook, LabelledArrow
from incrowd.engines.formats._wording import Dialect, Wording, unescaped_column
from incrowd.engines.spark._engine import open_spark

MOST_COLUMNS = 10_000
LITTLE = Budget(256 * 2**20)
"""So much memory any machine has: the limit of DuckDB, which takes a while to start, is asked for by larger frames."""


@guarded
def open_table(  # noqa: PLR0913 - each says how one kind of table is read
    source: Any,
    *,
    missing_values: Sequence[str] = ("",),
    drop_missing: Sequence[str] = (),
    separator: str | None = None,
    encoding: str = "utf-8",
    sheet: str | int | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    dates: str | None = None,
    header: bool = True,
    escaped: bool = False,
    wording: Wording | None = None,
    memory: str | None = None,
    temp: str | Path | None = None,
    lists: Lists = NO_LISTS,
) -> Engine:
    """Open a table where it is.

    Parameters
    ----------
    source
        A pandas, Polars (eager or lazy) or PyArrow table, a DuckDB relation, a Spark DataFrame (classic or over
        Connect), a list of dicts, a ``Database``, or a path to a file of text (``.csv``, ``.tsv``, ``.txt``, each also
        ``.gz``), Parquet, Arrow (``.arrow``, ``.feather``), Excel (``.xlsx`` and its like), SPSS (``.sav``), Stata
        (``.dta``) or SAS (``.sas7bdat``). Of text and Parquet also a folder or pattern (``visits/*.parquet``).
    missing_values
        Texts that count as missing, besides null and NaN. An empty field of a text file is always missing; one in
        quotes too, unless the file is ``escaped`` and the empty text is none of these.
    drop_missing
        Columns in which a missing value removes the row.
    separator, encoding
        How a text file is laid out. By default the separator is found out.
    sheet
        The sheet of a spreadsheet, by its name or its number from 1. Not needed if there is only one.
    decimal, thousands, dates
        How numbers and days are written in a text file, or in texts of a spreadsheet: the decimal mark, ``.`` or ``,``;
        what stands between groups of three digits, ``.``, ``,``, a blank or ``'``; and the form of days, such as
        ``%d.%m.%Y``. A column in which every value is written so is read as if the file were a plain one.
    header
        Whether the first line of a text file names the columns; else it is a record, they are ``column1`` and so on.
    escaped
        Whether texts of a text file or spreadsheet were escaped so that no spreadsheet runs them, as in every file that
        incrowd writes; they are read as they were before. Such a text file has an empty text in quotes, and nothing at
        all where a value is missing.
    wording
        How stars, and the numbers and days of a text file, that incrowd wrote are written there, if not as usual.
    memory
        The most that a run may use, such as ``"4GB"``; half of it is DuckDB's, and what is more spills to ``temp``.
        Without it, three quarters of what the machine or its container has left. A frame in memory is handed to DuckDB
        if its rows as numbers took more than half of that. Not for relations: their connection has its own limit.
    temp
        Where to make a private folder to spill to, gone afterwards; by default with the temporary files of the system.
    lists
        Columns whose lists are read as texts, each with what is to stand between their items.
    """
    reading: dict[str, Any] = {"missing_values": missing_values, "drop": drop_missing}
    resources = Resources(memory, temp)
    if isinstance(source, Remembered):
        return source  # opened already
    if isinstance(source, Tables):
        told: dict[str, Any] = {"separator": separator, "encoding": encoding, "sheet": sheet, "decimal": decimal}
        told |= {"thousands": thousands, "dates": dates, "header": header, "escaped": escaped}
        return join_tables(source, missing_values=missing_values, memory=memory, temp=temp, **told).joined()
    if isinstance(source, (str, os.PathLike)):
        notation = Notation.of(decimal, thousands, dates)
        layout = Layout(separator, encoding, sheet, notation, header, escaped, wording or Wording(), lists)
        return _open_file(Path(source), layout, resources, reading)
    _refuse_layout(type(source).__name__, decimal=decimal, thousands=thousands, dates=dates, header=header)
    if isinstance(source, list):
        _check_list(source, drop_missing)
        return ReferenceEngine(with_texts(source, lists), **reading, resources=resources)
    if isinstance(source, Database):
        found, untyped = read_database(source, temp)
        return _open_eager(with_texts(found, lists), resources, reading, untyped)
    source = with_texts(source, lists)
    return _open_lazy(source, resources, reading) or _open_eager(source, resources, reading)


def join_tables(tables: Tables, *, ours: bool = False, check: bool = True, **reading: Any) -> JoinedTables:
    """Open several tables of the same people, and see that their keys hang together; ``ours`` if we wrote them."""
    engines: dict[str, Engine] = {}
    for name, source in tables.tables.items():
        how = {**reading, **tables.reading.get(name, {})}
        if isinstance(source, Tables):
            msg = f"Table {name!r} is several tables itself."
            raise DataError(msg, hint="name all tables side by side.")
        if isinstance(source, list):
            engines[name] = _open_rows(source, how)
        else:
            engines[name] = open_table(source, **how)
    joined = JoinedTables(tables, engines, Resources(reading.get("memory"), reading.get("temp")))
    if check:
        joined.check(ours=ours)
    return joined


def _open_rows(rows: list[Any], how: Mapping[str, Any]) -> Engine:
    """Open a list of dicts as the columns that it has."""
    _check_list(rows, ())
    if not rows:
        msg = "A table given as a list of dicts has no rows, so nobody knows its columns."
        raise DataError(msg, hint="hand over an empty frame that has them.")
    names = list(rows[0])
    columns = {name: column_of_objects(name, [row.get(name) for row in rows]) for name in names}
    reading = {"missing_values": how.get("missing_values", ("",)), "drop": ()}
    return _open_eager(RowsTable(pa.table(columns)), Resources(how.get("memory"), how.get("temp")), reading)


def _refuse_layout(what: str, **given: object) -> None:
    """Refuse to be told how a table is written that is not written in text: nothing is passed over in silence."""
    for name, value in given.items():
        if value is not None and value is not True:
            msg = f"{name}= says how a text file is written, and the table is of another kind: {what}."
            raise DataError(msg, hint=f"leave {name}= out.")


def _check_list(source: list[Any], drop: Sequence[str]) -> None:
    if not all(isinstance(row, Mapping) for row in source):
        msg = "A table given as a list must be a list of dicts, one per row."
        raise DataError(msg, hint="write [{'age': 34, 'zip': '01067'}, ...].")
    if source:
        _check_names(list(source[0]), drop)


@dataclass(frozen=True, slots=True)
class Layout:
    """How a file is laid out: what the reader of its kind must be told."""

    separator: str | None
    encoding: str
    sheet: str | int | None
    notation: Notation
    header: bool
    escaped: bool
    wording: Wording
    lists: Lists


def _open_file(path: Path, layout: Layout, resources: Resources, reading: Mapping[str, Any]) -> Engine:
    found, notation = files_of(path), layout.notation
    found.check_kind()
    if found.is_text:
        return _open_text(found, Workshop(resources), layout, reading)
    _refuse_layout(f"a file that ends in {found.ending}", header=layout.header)
    if found.ending not in SPREADSHEETS:
        said = {"decimal": None if notation.decimal == "." else ",", "thousands": notation.thousands}
        _refuse_layout(f"a file that ends in {found.ending}", **said, dates=notation.dates)
    if found.ending == ".parquet":
        return _open_parquet(found, Workshop(resources), layout, reading)
    stamp = Stamp.of(found)
    report_stage("reading")
    table, codebook = read_whole(path, layout.sheet)
    stamp.check()
    if layout.escaped and is_escaped(path):
        table = pa.table({name: unescaped_column(table[name]) for name in table.column_names})
    unused: tuple[str, ...] = ()
    if found.ending in SPREADSHEETS:
        table, unused = plain_cells(table, notation, reading["missing_values"])
    untyped = () if found.ending in ARROWS else table.column_names  # a program's cells, not a column's type
    table = with_stars(with_texts(table, layout.lists), layout.wording.stars)
    engine = _open_eager(codebook.attach(table) if codebook else table, resources, reading, untyped, stamp)
    engine.unused = unused
    return engine


def _open_parquet(found: FileSet, workshop: Workshop, layout: Layout, reading: Mapping[str, Any]) -> Engine:
    stamp = Stamp.of(found)
    columns = found.parquet_columns()
    names = [name for name, _ in columns[0]]
    _check_names(names, reading["drop"])
    found.check_columns(columns, names)
    workshop.resources.refuse_too_little(found.parquet_rows)
    relation = with_texts(found.parquet_relation(workshop.connection), layout.lists)
    relation = relation_with_stars(relation, {*layout.wording.stars} & {*names})
    home = DuckBackend(relation, _open_as_it_is, workshop=workshop, stamp=stamp)
    return ParquetEngine(inner_frame(relation), home, names, refused=duration_columns(columns[0]), **reading)


def _open_text(found: FileSet, workshop: Workshop, layout: Layout, reading: Mapping[str, Any]) -> Engine:
    stamp = Stamp.of(found)
    text = TextFiles.of(found.files, layout.encoding, layout.separator, named=layout.header)
    header = text.header
    _check_names(header.columns, reading["drop"], show=False)
    found.check_columns(text.headers, header.columns)
    workshop.resources.refuse_too_little(text.rows_at_least)
    relation, records = text.relation(workshop, quoted_nulls=not layout.escaped or "" in reading["missing_values"])
    if layout.escaped:
        relation = relation.project(layout.wording.read_sql(header.columns, relation.columns))
    home = DuckBackend(relation, _open_as_it_is, workshop=workshop, stamp=stamp)
    dialect = Dialect(header.separator, layout.encoding, header.mark, *astuple(layout.notation))
    how: dict[str, Any] = {"dialect": dialect, "rows": text.rows_about()}
    engine = TextEngine(nw.from_native(relation), home, header.columns, **how, **reading)
    engine.records = records
    return engine


def _open_as_it_is(table: pa.Table) -> pa.Table:
    return table


def _open_lazy(source: Any, resources: Resources, reading: Mapping[str, Any]) -> FrameEngine | None:
    """Open what is not in memory: a relation, a lazy frame or one of Spark; ``None`` for anything else."""
    if isinstance(source, duckdb.DuckDBPyRelation):
        _check_names(source.columns, reading["drop"])
        home = DuckBackend(source, resources=resources)
        return FrameEngine(inner_frame(source, foreign=True), home, source.columns, **reading)
    if (polars := sys.modules.get("polars")) and isinstance(source, polars.LazyFrame):
        names = source.collect_schema().names()
        _check_names(names, reading["drop"])
        check_polars_types(source)
        renamed = source.rename(dict(zip(names, inner_names(len(names)), strict=True)))
        renamed = renamed.cast({polars.Null: polars.String})  # a column of nothing but null has no type
        return FrameEngine(frame_of(renamed), PolarsBackend(resources), names, **reading)
    if (spark := sys.modules.get("pyspark.sql")) and isinstance(source, spark.DataFrame):
        _check_names(source.columns, reading["drop"])
        return open_spark(source, resources=resources, **reading)
    return None


def _open_eager(
    source: Any,
    resources: Resources,
    reading: Mapping[str, Any],
    untyped: Collection[str] = (),
    stamp: Stamp | None = None,
) -> EagerEngine | FrameEngine:
    """Encode a frame in this process if its rows fit as numbers; else DuckDB reads it in place, and may spill."""
    table, hand_back, objects = _hand_over(source)
    untyped = [*untyped, *objects]
    names = table.column_names
    _check_names(names, reading["drop"])
    table = tidy(table)
    rows = table.num_rows
    little = resources.memory is None and rows <= LITTLE.rows(len(names))
    workshop = None if little else Workshop(resources)
    fits = workshop is None or rows <= Budget(workshop.memory).rows(len(names))
    if fits and all(kind_of_type(type_) for type_ in table.schema.types):
        columns = dict(zip(names, table.columns, strict=True))
        engine = EagerEngine(columns, hand_back, untyped=untyped, resources=resources, **reading)
        engine.stamp = stamp
        return engine
    workshop = workshop or Workshop(resources)
    relation = workshop.connection.from_arrow(spell_out(table).rename_columns(inner_names(len(names))))
    home = DuckBackend(relation, hand_back, workshop=workshop, stamp=stamp)
    refused = duration_columns(zip(names, table.schema.types, strict=True))
    return FrameEngine(inner_frame(relation), home, names, refused=refused, untyped=untyped, **reading)


def _hand_over(source: Any) -> tuple[pa.Table, Callable[[pa.Table], Any], Collection[str]]:
    """Give an eager frame to Arrow, copying no more than needed; say how to give it back, and what is untyped."""
    if isinstance(source, RowsTable):
        return source.table, rows_of, ()
    if isinstance(source, pa.Table):
        return source, LabelledArrow(Codebook.of(source.schema)), ()
    if (polars := sys.modules.get("polars")) and isinstance(source, polars.DataFrame):
        check_polars_types(source)
        return source.to_arrow(), PolarsFrame(polars), ()
    if (pandas := sys.modules.get("pandas")) and isinstance(source, pandas.DataFrame):
        _check_names(list(source.columns), ())
        return arrow_of_pandas(source)
    if isinstance(source, Mapping):
        msg = f"{len(source):,} tables were given, and nothing says how they are linked."
        raise DataError(msg, hint="hand over Tables({...}, keys={...}, of={...}), as ic.Tables describes.")
    msg = f"A table of type {type(source).__module__}.{type(source).__name__} cannot be opened."
    raise DataError(msg, hint="use pandas, Polars, PyArrow, DuckDB, Spark, a list of dicts, a Database, or a path.")


def _check_names(names: Sequence[Any], drop: Sequence[str], *, show: bool = True) -> None:
    """Refuse names that no query could tell apart, and columns to drop by that are not there."""
    if len(names) > MOST_COLUMNS:
        msg = f"The table has {len(names):,} columns, and {MOST_COLUMNS:,} are the most."
        raise SchemaError(msg, hint="leave out what nobody needs: every column is looked at by itself.")
    seen: dict[str, int] = {}
    for number, name in enumerate(names):
        if not isinstance(name, str) or not name:
            kind = "no name" if name == "" else f"a name of type {type(name).__name__}"
            msg = f"Column {number + 1} of the table has {kind}."
            raise SchemaError(msg, hint="column names must be texts.")
        first = seen.setdefault(name.casefold(), number)
        if first != number:
            which = f": {names[first]!r} and {name!r}" if show else ""
            msg = f"Columns {first + 1} and {number + 1} of the table have the same name, whatever the case{which}."
            raise SchemaError(msg, hint="give every column a name of its own.")
    for name in drop:
        if name not in names:
            raise UnknownColumnError.of(name, list(names), given_as="quasi-identifier", show=show)
