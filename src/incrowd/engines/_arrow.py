"""Between Arrow columns and domains."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.core import DataError, Domain, Kind
from incrowd.engines._columns import to_numpy


def domain_of(column: str, values: pa.ChunkedArray, counts: pa.ChunkedArray) -> Domain:
    """Make the domain of a column from its distinct values, null among them or not, and how often each occurs."""
    present = pc.is_valid(values)
    nulls = pc.sum(counts.filter(pc.invert(present))).as_py() or 0
    kind, array = _to_numpy(column, values.filter(present))
    return Domain.build(column, kind, array, to_numpy(counts.filter(present)), nulls)


def table_of_columns(columns: Mapping[str, Any]) -> pa.Table:
    """Make an Arrow table of plain columns."""
    return pa.table(dict(columns))


def tidy(table: pa.Table) -> pa.Table:
    """Give the columns of a table types that every engine reads alike; refuse what cannot have one."""
    arrays = [_tidy(name, column) for name, column in zip(table.column_names, table.columns, strict=True)]
    return pa.Table.from_arrays(arrays, table.column_names)


_CASTS: tuple[tuple[Callable[[Any], bool], Callable[[Any], Any]], ...] = (
    (pa.types.is_null, lambda _: pa.string()),
    (pa.types.is_float16, lambda _: pa.float32()),
    (pa.types.is_date64, lambda _: pa.date32()),
    (pa.types.is_decimal256, lambda type_: pa.decimal128(38, type_.scale)),
    (lambda type_: pa.types.is_timestamp(type_) and type_.tz is not None, lambda _: pa.timestamp("us", "UTC")),
    (lambda type_: pa.types.is_timestamp(type_) and type_.unit == "ns", lambda _: pa.timestamp("us")),
)


def decoded(table: pa.Table) -> pa.Table:
    """Write out the values of columns that Arrow holds as numbers and a dictionary."""
    arrays = [column.cast(plain_type(column.type)) for column in table.columns]
    return pa.Table.from_arrays(arrays, table.column_names)


_KINDS: tuple[tuple[tuple[Callable[[Any], bool], ...], Kind], ...] = (
    ((pa.types.is_boolean,), "boolean"),
    ((pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal128), "number"),
    ((pa.types.is_date32,), "date"),
    ((pa.types.is_string, pa.types.is_large_string), "text"),
)


def kind_of_type(type_: pa.DataType) -> Kind | None:
    """Say what values of a tidy type are; ``None`` for those that Arrow cannot number and sort."""
    type_ = plain_type(type_)
    if pa.types.is_timestamp(type_):
        return "instant" if type_.tz else "datetime"
    return next((kind for types, kind in _KINDS if any(is_one(type_) for is_one in types)), None)


def plain_type(type_: pa.DataType) -> pa.DataType:
    """Give the type of a column's values, whether Arrow holds them in a dictionary or not."""
    return type_.value_type if pa.types.is_dictionary(type_) else type_


def _tidy(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    if isinstance(column.type, pa.BaseExtensionType) and column.type.extension_name.startswith("pandas"):
        msg = f"Column {name!r} holds values of type {column.type.extension_name}."
        raise DataError(msg, hint="use numbers, booleans, dates, timestamps or text.")
    plain = plain_type(column.type)
    wanted = next((cast(plain) for applies, cast in _CASTS if applies(plain)), plain)
    if wanted == plain:
        return column
    try:
        return column.cast(plain).cast(wanted)
    except pa.ArrowInvalid:
        pass
    msg = f"Column {name!r} of type {column.type} holds values that {wanted} cannot hold exactly."
    raise DataError(msg, hint="round timestamps to microseconds and decimals to 38 digits first.")


def _to_numpy(column: str, values: pa.ChunkedArray) -> tuple[Kind, Any]:
    type_ = values.type
    if pa.types.is_boolean(type_):
        return "boolean", np.array(values.to_pylist(), dtype=bool)
    if pa.types.is_integer(type_) or pa.types.is_floating(type_):
        return "number", _numbers(values)
    if pa.types.is_decimal(type_):
        return "number", _objects(values)
    if pa.types.is_date(type_):
        return "date", to_numpy(values.cast(pa.date32()).cast(pa.int32())).astype("datetime64[D]")
    if pa.types.is_timestamp(type_):
        whole = _tidy(column, values).cast(pa.timestamp("us", type_.tz)).cast(pa.int64())
        return "instant" if type_.tz else "datetime", to_numpy(whole).astype("datetime64[us]")
    return "text", _objects(values)


def _numbers(values: pa.ChunkedArray) -> Any:
    array = to_numpy(values)
    if array.dtype.kind == "f":
        return array.astype(np.float64)
    if array.dtype == np.uint64 and len(array) and array.max() > np.iinfo(np.int64).max:
        return _objects(values)
    return array.astype(np.int64)


def _objects(values: pa.ChunkedArray) -> Any:
    listed = values.to_pylist()
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array
