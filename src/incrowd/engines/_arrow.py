"""Between Arrow columns and domains."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.core import DataError, Domain, Kind, canonical_value, kind_of
from incrowd.engines._column_types import column_of_objects

# Between Arrow and NumPy, past pandas: Arrow's own conversions import it where they can, which takes a second.


def to_numpy(column: pa.ChunkedArray | pa.Array) -> Any:
    """Give a column of numbers without nulls as an array."""
    chunk = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return np.from_dlpack(chunk) if len(chunk) else np.zeros(0, dtype=np.int64)


def without_nulls(column: pa.ChunkedArray | pa.Array, number: int) -> Any:
    """Give a column of 32-bit numbers as an array, with a number for null."""
    return to_numpy(pc.fill_null(column, of_numbers(np.array([number], dtype=np.int32))[0]))


def of_numbers(array: Any) -> pa.Array:
    """Give an array of numbers or dates as a column."""
    array = np.ascontiguousarray(array)
    if array.dtype.kind == "M":
        days = np.datetime_data(array.dtype)[0] == "D"
        ticks = array.astype(np.int64).astype(np.int32 if days else np.int64)
        return _primitive(ticks, pa.date32() if days else pa.timestamp("us"))
    return _primitive(array, pa.from_numpy_dtype(array.dtype))


def of_texts(texts: Sequence[str | None]) -> pa.Array:
    """Give texts as a column; ``None`` is null."""
    present = [text for text in texts if text is not None]
    joined = "".join(present)
    sizes = map(len, present if joined.isascii() else map(str.encode, present))
    lengths = np.zeros(len(texts) + 1, dtype=np.int64)
    valid = None
    if len(present) == len(texts):
        lengths[1:] = np.fromiter(sizes, dtype=np.int64, count=len(present))
    else:
        there = np.array([text is not None for text in texts], dtype=bool)
        lengths[1:][there] = np.fromiter(sizes, dtype=np.int64, count=len(present))
        valid = pa.py_buffer(np.packbits(there, bitorder="little"))
    ends = np.cumsum(lengths)
    return pa.Array.from_buffers(
        pa.large_string(), len(texts), [valid, pa.py_buffer(ends), pa.py_buffer(joined.encode())]
    )


def objects_of(texts: pa.Array) -> Any:
    """Give texts as an array of objects."""
    array = np.empty(len(texts), dtype=object)
    array[:] = texts.to_pylist()
    return array


def nulls_in(column: pa.Array) -> Any:
    """Give the places of the nulls."""
    return to_numpy(pc.indices_nonzero(column.is_null())) if column.null_count else np.zeros(0, dtype=np.int64)


def _primitive(array: Any, type_: pa.DataType) -> pa.Array:
    return pa.Array.from_buffers(type_, len(array), [None, pa.py_buffer(array)])


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


# From pandas to Arrow and back, column by column: what cannot be converted is named, what is given back is exact.


def arrow_of_pandas(frame: Any) -> pa.Table:
    """Convert a pandas frame without its index."""
    return pa.table({name: _column(name, frame[name]) for name in frame.columns})


def numbers_as_objects(frame: Any, table: pa.Table) -> list[str]:
    """Name the columns that hold numbers as objects or categories: what else there is decides how Arrow holds them."""
    objects = [name for name in frame.columns if frame[name].dtype == object or hasattr(frame[name], "cat")]
    return [name for name in objects if kind_of_type(plain_type(table[name].type)) == "number"]


def back_to_pandas(frame: Any, table: pa.Table) -> Callable[[pa.Table], Any]:
    """Say how to give a result back as a frame like the one that came: a column of the same type has its dtype again.

    Notes
    -----
    By itself pandas turns whole numbers beside missing ones into floats, which cannot hold those beyond 2**53.
    """
    types = dict(zip(table.column_names, table.schema.types, strict=True))
    dtypes = {name: dtype for name, dtype in frame.dtypes.items() if hasattr(dtype, "__from_arrow__")}

    def given_back(result: pa.Table) -> Any:
        found = result.to_pandas(integer_object_nulls=True)
        for name in result.column_names:
            if name in dtypes and result[name].type == types[name]:
                found[name] = dtypes[name].__from_arrow__(result[name])
        return found

    return given_back


def _column(name: str, series: Any) -> pa.Array:
    if series.dtype == object:
        _check_one_kind(name, series)
    return column_of_objects(name, series)


def _check_one_kind(name: str, series: Any) -> None:
    """Refuse what Arrow would change without a word: timestamps among dates, and nanoseconds."""
    values = series[series.notna()].tolist()
    samples: dict[Any, Any] = dict(zip(map(type, values), values, strict=True))
    if any(issubclass(type_, dt.datetime) for type_ in samples):  # with a zone or without is not seen by the type
        samples = {(type(value), getattr(value, "tzinfo", None) is None): value for value in values}
        canonical_value(name, next((value for value in values if getattr(value, "nanosecond", 0)), None))
    kind_of(name, samples.values())
