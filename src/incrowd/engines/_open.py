"""The door: any frame or file becomes an engine."""

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

from incrowd.core import DataError, SchemaError, UnknownColumnError
from incrowd.engines._answers import Remembered
from incrowd.engines._arrow import arrow_of_pandas, back_to_pandas, decoded, kind_of_type, numbers_as_objects, tidy
from incrowd.engines._border import guarded
from incrowd.engines._column_types import durations_in, refuse_of_polars
from incrowd.engines._eager import EagerEngine
from incrowd.engines._encoding import rows_within
from incrowd.engines._file_sets import (
    FOREIGN,
    Several,
    check_columns,
    check_keys,
    check_kind,
    damaged,
    files_of,
    parquet_columns,
)
from incrowd.engines._files import ARROWS, READABLE, SPREADSHEETS, ending_of, exactly, is_escaped, is_text, read_whole
from incrowd.engines._frame import FrameEngine
from incrowd.engines._home import DuckHome, PolarsHome, Stamp, Workshop, adopt, inner_names
from incrowd.engines._protocol import Engine, begin
from incrowd.engines._reference import ReferenceEngine
from incrowd.engines._resources import Resources
from incrowd.engines._tally import ParquetEngine
from incrowd.engines._text import TextEngine
from incrowd.engines.formats._csv import check_whole, copy_as_utf8, header_of, is_utf8
from incrowd.engines.formats._csv_output import unescaped_column, unescaped_sql
from incrowd.engines.formats._database import Database, read_database
from incrowd.engines.formats._excel import plain_cells
from incrowd.engines.formats._notation import Notation
from incrowd.engines.formats._statistics import Codebook, LabelledArrow
from incrowd.engines.formats._wording import Dialect, Wording
from incrowd.engines.spark._engine import is_spark, open_spark

_LITTLE = 256 * 2**20
"""So much memory any machine has: the limit of DuckDB, which takes a while to start, is asked for by larger frames."""


@guarded
def open_table(  # noqa: PLR0911, PLR0913 - each says how one kind of table is read
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
) -> Engine:
    """Open a table where it is.

    Parameters
    ----------
    source
        A pandas, Polars (eager or lazy) or PyArrow table, a DuckDB relation, a Spark DataFrame (classic or over
        Connect), a list of dicts, a ``Database``, or a path
        to a file of text (``.csv``, ``.tsv``, ``.txt``, each also ``.gz``), Parquet, Arrow (``.arrow``, ``.feather``),
        Excel (``.xlsx`` and its like), SPSS (``.sav``), Stata (``.dta``) or SAS (``.sas7bdat``). Of text and Parquet
        also a folder, or a pattern such as ``visits/*.parquet``. It is never changed.
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
        Whether the first line of a text file names the columns. Else they are called ``column1``, ``column2`` and so
        on, and the first line is a record.
    escaped
        Whether texts of a text file or spreadsheet were escaped so that no spreadsheet runs them, as in every file that
        incrowd writes; they are read as they were before. Such a text file has an empty text in quotes, and nothing at
        all where a value is missing.
    wording
        How the numbers and days of a text file that incrowd wrote are written there, if not as usual.
    memory
        The most that a run may use, such as ``"4GB"``; half of it is DuckDB's, and what is more spills to ``temp``.
        Without it, three quarters of what the machine or its container has left. A frame in memory is handed to DuckDB
        if its rows as numbers took more than half of that. Not for relations: their connection has its own limit.
    temp
        Where to make a private folder to spill to; by default where the system keeps temporary files. Folders that are
        made for it are gone afterwards.
    """
    reading: dict[str, Any] = {"missing_values": missing_values, "drop": drop_missing}
    resources = Resources(memory, temp)
    if isinstance(source, Remembered):
        return source  # opened already
    if isinstance(source, (str, os.PathLike)):
        notation = Notation.of(decimal, thousands, dates)
        layout = Layout(
            separator, encoding, sheet, notation, header=header, escaped=escaped, wording=wording or Wording()
        )
        return _open_file(Path(source), layout, resources, reading)
    _refuse_layout(type(source).__name__, decimal=decimal, thousands=thousands, dates=dates, header=header)
    if isinstance(source, list):
        return _open_list(source, resources, reading)
    if isinstance(source, Database):
        found, untyped = read_database(source, temp)
        return _open_eager(found, resources, reading, untyped)
    if isinstance(source, duckdb.DuckDBPyRelation):
        _check_names(source.columns, drop_missing)
        frame = nw.from_native(adopt(source, foreign=True))
        return FrameEngine(frame, DuckHome(source, resources=resources), source.columns, **reading)
    if (polars := sys.modules.get("polars")) and isinstance(source, polars.LazyFrame):
        names = source.collect_schema().names()
        _check_names(names, drop_missing)
        refuse_of_polars(source)
        renamed = source.rename(dict(zip(names, inner_names(len(names)), strict=True)))
        renamed = renamed.cast({polars.Null: polars.String})  # a column of nothing but null has no type
        return FrameEngine(nw.from_native(renamed), PolarsHome(resources), names, **reading)
    if is_spark(source):
        _check_names(source.columns, drop_missing)
        return open_spark(source, resources=resources, **reading)
    return _open_eager(source, resources, reading)


def _refuse_layout(what: str, **given: object) -> None:
    """Refuse to be told how a table is written that is not written in text: nothing is passed over in silence."""
    for name, value in given.items():
        if value is not None and value is not True:
            msg = f"{name}= says how a text file is written, and the table is of another kind: {what}."
            raise DataError(msg, hint=f"leave {name}= out.")


def _open_list(source: list[Any], resources: Resources, reading: Mapping[str, Any]) -> Engine:
    if not all(isinstance(row, Mapping) for row in source):
        msg = "A table given as a list must be a list of dicts, one per row."
        raise DataError(msg, hint="write [{'age': 34, 'zip': '01067'}, ...].")
    _check_names(list(source[0]) if source else [], reading["drop"] if source else ())
    return ReferenceEngine(source, **reading, resources=resources)


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


def _open_file(path: Path, layout: Layout, resources: Resources, reading: Mapping[str, Any]) -> Engine:
    found = files_of(path)
    if not path.is_file():
        check_kind(found)
    kind, notation = ending_of(found.files[0]), layout.notation
    if not is_text(found.files[0]):
        _refuse_layout(f"a file that ends in {kind}", header=layout.header)
    if not is_text(found.files[0]) and kind not in SPREADSHEETS:
        said = {"decimal": None if notation.decimal == "." else ",", "thousands": notation.thousands}
        _refuse_layout(f"a file that ends in {kind}", **said, dates=notation.dates)
    if kind == ".parquet":
        return _open_parquet(found, Workshop(resources), reading)
    if is_text(found.files[0]):
        return _open_text(found, Workshop(resources), layout, reading)
    stamp = Stamp.of(path)
    unused: tuple[str, ...] = ()
    begin("reading")
    read = read_whole(path, layout.sheet)
    if read is None:
        msg = f"Cannot read a table from {path.name!r}."
        raise DataError(msg, hint=f"the name must end in one of {', '.join(READABLE)}.")
    table, codebook = read
    stamp.check()
    if layout.escaped and is_escaped(path):
        table = pa.table({name: unescaped_column(table[name]) for name in table.column_names})
    if kind in SPREADSHEETS:
        table, unused = plain_cells(table, notation, reading["missing_values"])
    untyped = () if ending_of(path) in ARROWS else table.column_names  # a program's cells, not a column's type
    engine = _open_eager(codebook.attach(table) if codebook else table, resources, reading, untyped)
    engine.unused = unused
    return engine


def _open_parquet(found: Several, workshop: Workshop, reading: Mapping[str, Any]) -> Engine:
    stamp = Stamp.of(*found.files, source=found.source)
    columns = parquet_columns(found.files[0])
    names = [name for name, _ in columns]
    _check_names(names, reading["drop"])
    check_columns(found, [columns, *map(parquet_columns, found.files[1:])])
    check_keys(found, names)
    relation = _relation(found.files, workshop)
    home = DuckHome(relation, _as_arrow, workshop=workshop, stamp=stamp)
    return ParquetEngine(nw.from_native(adopt(relation)), home, names, refused=durations_in(columns), **reading)


def _relation(files: Sequence[Path], workshop: Workshop) -> duckdb.DuckDBPyRelation:
    every: Any = [*map(exactly, files)]  # DuckDB takes a list, and does not say so
    try:
        return workshop.connection.read_parquet(every, hive_partitioning=False)
    except FOREIGN:
        trouble = damaged(files, workshop.connection)
        if trouble is None:
            raise
    raise trouble


def _open_text(found: Several, workshop: Workshop, layout: Layout, reading: Mapping[str, Any]) -> Engine:
    encoding = layout.encoding
    stamp = Stamp.of(*found.files, source=found.source)
    header = header_of(found.files[0], encoding, layout.separator, named=layout.header)
    _check_names(header.columns, reading["drop"], show=False)
    others = [header_of(file, encoding, header.separator, named=layout.header) for file in found.files[1:]]
    check_columns(found, [header, *others])
    check_keys(found, header.columns)
    utf8 = is_utf8(encoding)
    for file in found.files if utf8 else ():
        check_whole(file)
    files = [file if utf8 else copy_as_utf8(file, encoding, folder=workshop.folder) for file in found.files]
    every: Any = [*map(exactly, files)]  # DuckDB takes a list, and does not say so
    relation = workshop.connection.read_csv(
        every,
        header=layout.header,
        sep=header.separator,
        quotechar='"',
        escapechar='"',
        columns=dict.fromkeys(inner_names(len(header.columns)), "VARCHAR"),
        auto_detect=False,
        allow_quoted_nulls=not layout.escaped or "" in reading["missing_values"],
        hive_partitioning=False,
        compression="gzip" if files[0].suffix.lower() == ".gz" else "none",
    )
    if layout.escaped:
        every_name = zip(header.columns, relation.columns, strict=True)
        cells = ((layout.wording.read_sql(name, cell), cell) for name, cell in every_name)
        relation = relation.project(", ".join(f"{unescaped_sql(text)} AS {cell}" for text, cell in cells))
    home = DuckHome(relation, _as_arrow, workshop=workshop, stamp=stamp)
    dialect = Dialect(header.separator, encoding, header.mark, *astuple(layout.notation))
    text = nw.from_native(relation)
    return TextEngine(text, home, header.columns, dialect=dialect, notation=layout.notation, **reading)


def _open_eager(
    source: Any, resources: Resources, reading: Mapping[str, Any], untyped: Collection[str] = ()
) -> EagerEngine | FrameEngine:
    """Encode a frame in this process if its rows fit as numbers; else DuckDB reads it in place, and may spill."""
    table, hand_back, objects = _hand_over(source)
    untyped = [*untyped, *objects]
    names = table.column_names
    _check_names(names, reading["drop"])
    table = tidy(table)
    rows = table.num_rows
    little = resources.memory is None and rows <= rows_within(_LITTLE, len(names))
    workshop = None if little else Workshop(resources)
    fits = workshop is None or rows <= rows_within(workshop.memory, len(names))
    if fits and all(kind_of_type(type_) for type_ in table.schema.types):
        columns = dict(zip(names, table.columns, strict=True))
        return EagerEngine(columns, hand_back, untyped=untyped, resources=resources, **reading)
    workshop = workshop or Workshop(resources)
    relation = workshop.connection.from_arrow(decoded(table).rename_columns(inner_names(len(names))))
    home = DuckHome(relation, hand_back, workshop=workshop)
    refused = durations_in(zip(names, table.schema.types, strict=True))
    return FrameEngine(nw.from_native(adopt(relation)), home, names, refused=refused, untyped=untyped, **reading)


def _hand_over(source: Any) -> tuple[pa.Table, Callable[[pa.Table], Any], Collection[str]]:
    """Give an eager frame to Arrow, copying no more than needed; say how to give it back, and what is untyped."""
    if isinstance(source, pa.Table):
        return source, LabelledArrow(Codebook.of(source.schema)), ()
    if (polars := sys.modules.get("polars")) and isinstance(source, polars.DataFrame):
        refuse_of_polars(source)
        return source.to_arrow(), polars.from_arrow, ()
    if (pandas := sys.modules.get("pandas")) and isinstance(source, pandas.DataFrame):
        _check_names(list(source.columns), ())
        table = arrow_of_pandas(source)
        return table, back_to_pandas(source, table), numbers_as_objects(source, table)
    msg = f"A table of type {type(source).__module__}.{type(source).__name__} cannot be opened."
    raise DataError(msg, hint="use pandas, Polars, PyArrow, DuckDB, Spark, a list of dicts, a Database, or a path.")


def _as_arrow(table: pa.Table) -> pa.Table:
    return table


def _check_names(names: Sequence[Any], drop: Sequence[str], *, show: bool = True) -> None:
    """Refuse names that no query could tell apart, and columns to drop by that are not there."""
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
