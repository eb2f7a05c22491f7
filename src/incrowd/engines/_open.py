"""The door: any frame or file becomes an engine."""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import narwhals.stable.v2 as nw
import pyarrow as pa

from incrowd.core import DataError, SchemaError, UnknownColumnError
from incrowd.engines._border import guarded
from incrowd.engines._csv import check_encoding, copy_as_utf8, is_utf8, look_at
from incrowd.engines._frame import FrameEngine
from incrowd.engines._home import DuckHome, Home, PolarsHome
from incrowd.engines._protocol import Engine
from incrowd.engines._reference import ReferenceEngine
from incrowd.engines._text import TextEngine


@guarded
def open_table(
    source: Any,
    *,
    missing_values: Sequence[str] = ("",),
    drop_missing: Sequence[str] = (),
    separator: str | None = None,
    encoding: str = "utf-8",
    memory: str | None = None,
    temp: str | Path | None = None,
) -> Engine:
    """Open a table where it is.

    Parameters
    ----------
    source
        A pandas, Polars (eager or lazy) or PyArrow table, a DuckDB relation, a list of dicts, or a path to a ``.csv``,
        ``.csv.gz`` or ``.parquet`` file. It is never changed.
    missing_values
        Texts that count as missing, besides null and NaN.
    drop_missing
        Columns in which a missing value removes the row.
    separator, encoding
        How a text file is laid out. By default the separator is found out.
    memory
        The most that DuckDB may use for a file, such as ``"4GB"``. Beyond it spills to ``temp``.
    temp
        Where to spill; by default beside where the system keeps temporary files.
    """
    if isinstance(source, (str, os.PathLike)):
        connection = _connect(memory, temp)
        opened = _open_file(Path(source), connection, separator, encoding)
    elif isinstance(source, list):
        _check_names(list(source[0]) if source else [], drop_missing)
        return ReferenceEngine(source, missing_values, drop_missing)
    else:
        opened = _open_frame(source, memory, temp)
    kind, frame, home = opened
    _check_names(frame.collect_schema().names(), drop_missing)
    return kind(frame, home, missing_values=missing_values, drop=drop_missing)


Opened = tuple[type[FrameEngine], nw.LazyFrame[Any], Home]


def _connect(memory: str | None, temp: str | Path | None) -> duckdb.DuckDBPyConnection:
    """Start an embedded DuckDB that fetches nothing from anywhere."""
    config: dict[str, Any] = {"autoinstall_known_extensions": False}
    if memory:
        config["memory_limit"] = memory
    if temp:
        config["temp_directory"] = str(temp)
    connection = duckdb.connect(config=config)
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET preserve_insertion_order = false")  # nothing here depends on the order of rows
    return connection


def _open_file(path: Path, connection: duckdb.DuckDBPyConnection, separator: str | None, encoding: str) -> Opened:
    if not path.is_file():
        msg = f"There is no file {path.name!r}."
        raise DataError(msg, hint="check the path; folders and patterns are not read yet.")
    if path.suffix == ".parquet":
        relation = connection.read_parquet(str(path))
        return FrameEngine, nw.from_native(relation), DuckHome(relation, _as_arrow, connection=connection)
    if path.suffixes[-1:] == [".csv"] or path.suffixes[-2:] == [".csv", ".gz"]:
        return _open_text(path, connection, separator, encoding)
    msg = f"Cannot read a table from {path.name!r}."
    raise DataError(msg, hint="the name must end in .csv, .csv.gz or .parquet.")


def _open_text(path: Path, connection: duckdb.DuckDBPyConnection, separator: str | None, encoding: str) -> Opened:
    check_encoding(encoding)
    dialect = look_at(path, encoding, separator)
    file = path if is_utf8(encoding) else copy_as_utf8(path, encoding)
    relation = connection.read_csv(
        str(file),
        header=True,
        sep=dialect.separator,
        quotechar='"',
        escapechar='"',
        columns=dict.fromkeys(dialect.columns, "VARCHAR"),
        auto_detect=False,
    )
    home = DuckHome(relation, _as_arrow, connection=connection)
    if file != path:  # the copy lives as long as the engine
        weakref.finalize(home, file.unlink, missing_ok=True)
    return TextEngine, nw.from_native(relation), home


def _open_frame(source: Any, memory: str | None, temp: str | Path | None) -> Opened:
    if isinstance(source, duckdb.DuckDBPyRelation):
        _check_unique(source.columns)
        return FrameEngine, nw.from_native(source), DuckHome(source)
    if (polars := sys.modules.get("polars")) and isinstance(source, polars.LazyFrame):
        return FrameEngine, nw.from_native(source), PolarsHome()
    table, hand_back = _hand_over(source)
    connection = _connect(memory, temp)
    relation = connection.from_arrow(table)
    return FrameEngine, nw.from_native(relation), DuckHome(relation, hand_back, connection=connection)


def _hand_over(source: Any) -> tuple[pa.Table, Callable[[pa.Table], Any]]:
    """Give an eager frame to Arrow without copying what need not be copied, and say how to give it back."""
    if isinstance(source, pa.Table):
        _check_unique(source.column_names)
        return source, _as_arrow
    if (polars := sys.modules.get("polars")) and isinstance(source, polars.DataFrame):
        return source.to_arrow(), polars.from_arrow
    if (pandas := sys.modules.get("pandas")) and isinstance(source, pandas.DataFrame):
        _check_unique(list(source.columns))
        return _from_pandas(source), lambda table: table.to_pandas()
    msg = f"A table of type {type(source).__module__}.{type(source).__name__} cannot be opened."
    raise DataError(msg, hint="use pandas, Polars, PyArrow, DuckDB, a list of dicts, or a path to a file.")


def _from_pandas(source: Any) -> pa.Table:
    """Convert column by column, so that a column that cannot be converted is named."""
    arrays = {}
    for name in source.columns:
        try:
            arrays[name] = pa.Array.from_pandas(source[name])
            continue
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
            pass
        msg = f"Column {name!r} mixes types or holds objects that are no plain values."
        raise DataError(msg, hint="make the column one type before handing it over.")
    return pa.table(arrays)


def _as_arrow(table: pa.Table) -> pa.Table:
    return table


def _check_unique(names: Sequence[Any]) -> None:
    for number, name in enumerate(names):
        if not isinstance(name, str):
            msg = f"Column {number + 1} of the table has a name of type {type(name).__name__}."
            raise SchemaError(msg, hint="column names must be texts.")
        if name in names[:number]:
            msg = f"The table has two columns named {name!r}."
            raise SchemaError(msg, hint="give every column a name of its own.")


def _check_names(available: Sequence[str], wanted: Sequence[str]) -> None:
    for name in wanted:
        if available and name not in available:
            raise UnknownColumnError.of(name, available, given_as="quasi-identifier")
