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
    (pa.types.is_dictionary, lambda type_: type_.value_type),
    (pa.types.is_decimal256, lambda type_: pa.decimal128(38, type_.scale)),
    (lambda type_: pa.types.is_timestamp(type_) and type_.unit == "ns", lambda type_: pa.timestamp("us", type_.tz)),
)


def _tidy(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    if isinstance(column.type, pa.BaseExtensionType) and column.type.extension_name.startswith("pandas"):
        msg = f"Column {name!r} holds values of type {column.type.extension_name}."
        raise DataError(msg, hint="use numbers, booleans, dates, timestamps or text.")
    wanted = next((cast(column.type) for applies, cast in _CASTS if applies(column.type)), None)
    if wanted is None:
        return column
    try:
        return column.cast(wanted)
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
