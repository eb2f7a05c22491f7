"""Columns of Arrow: one tidy type per kind, the narrowest; to and from NumPy, Python's objects and pandas."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.core import WHOLE_FLOATS, DataError, Kind, canonical_value, exact_number, kind_of

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
        return _array_of_buffer(ticks, pa.date32() if days else pa.timestamp("us"))
    return _array_of_buffer(array, pa.from_numpy_dtype(array.dtype))


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


def objects_of(values: pa.ChunkedArray | pa.Array) -> Any:
    """Give texts or other values as an array of objects."""
    array = np.empty(len(values), dtype=object)
    array[:] = values.to_pylist()
    return array


def nulls_in(column: pa.Array) -> Any:
    return to_numpy(pc.indices_nonzero(column.is_null())) if column.null_count else np.zeros(0, dtype=np.int64)


def _array_of_buffer(array: Any, type_: pa.DataType) -> pa.Array:
    return pa.Array.from_buffers(type_, len(array), [None, pa.py_buffer(array)])


def table_of_columns(columns: Mapping[str, Any]) -> pa.Table:
    return pa.table(dict(columns))


# Types that every engine reads alike.


def tidy(table: pa.Table) -> pa.Table:
    """Give the columns of a table types that every engine reads alike; refuse what cannot have one."""
    arrays = [tidy_column(name, column) for name, column in zip(table.column_names, table.columns, strict=True)]
    return pa.Table.from_arrays(arrays, table.column_names)


_CASTS: tuple[tuple[Callable[[Any], bool], Callable[[Any], Any]], ...] = (
    (pa.types.is_null, lambda _: pa.string()),
    (pa.types.is_float16, lambda _: pa.float32()),
    (pa.types.is_date64, lambda _: pa.date32()),
    (pa.types.is_decimal256, lambda type_: pa.decimal128(38, type_.scale)),
    (lambda type_: pa.types.is_timestamp(type_) and type_.tz is not None, lambda _: pa.timestamp("us", "UTC")),
    (lambda type_: pa.types.is_timestamp(type_) and type_.unit == "ns", lambda _: pa.timestamp("us")),
)


def spell_out(table: pa.Table) -> pa.Table:
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


def is_text_type(type_: pa.DataType) -> bool:
    return bool(pa.types.is_string(type_) or pa.types.is_large_string(type_))


def plain_type(type_: pa.DataType) -> pa.DataType:
    """Give the type of a column's values, whether Arrow holds them in a dictionary or not."""
    return type_.value_type if pa.types.is_dictionary(type_) else type_


def tidy_column(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    if isinstance(column.type, pa.BaseExtensionType) and column.type.extension_name.startswith("pandas"):
        msg = f"Column {name!r} holds values of type {column.type.extension_name}."
        raise DataError(msg, hint="use numbers, booleans, dates, timestamps or text.")
    plain = plain_type(column.type)
    wanted = next((cast(plain) for applies, cast in _CASTS if applies(plain)), plain)
    if wanted == plain:
        return column
    with suppress(pa.ArrowInvalid):
        return column.cast(plain).cast(wanted)
    msg = f"Column {name!r} of type {column.type} holds values that {wanted} cannot hold exactly."
    raise DataError(msg, hint="round timestamps to microseconds and decimals to 38 digits first.")


# The type of a column whose values have to tell it: the narrowest that holds them. Cells of a spreadsheet, objects of
# Python and numbers of a database without a declared size say nothing of their column. Such a type is found out again
# for what is published, or the values that were left out would be seen in it.

_NO_COLUMN = (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError)
_DAY = 24 * 60 * 60 * 1_000_000
_DIGITS = 38  # decimal numbers have so many digits


def column_of_objects(name: str, values: Any) -> pa.Array:
    """Make a column of Python's objects; whole numbers beyond 64 bits are decimal numbers there."""
    try:
        column = pa.array(values, from_pandas=True)
        long = pa.types.is_decimal256(column.type)
        return column.cast(pa.decimal128(_DIGITS, column.type.scale)) if long else column
    except (*_NO_COLUMN, OverflowError):
        exact = [None if value is None or value != value else value for value in values]  # noqa: PLR0124 - NaN
    try:
        return _decimal_column(exact)
    except (*_NO_COLUMN, ArithmeticError, TypeError, ValueError):
        msg = f"Column {name!r} mixes types, or holds values that are too large or no plain values."
    raise DataError(msg, hint="make the column one type of ordinary size before handing it over.")


def _decimal_column(values: list[Any]) -> pa.Array:
    """Make a column of integers and decimal numbers: Arrow looks at the decimal ones alone for the digits it needs."""
    if not all(isinstance(value, int | Decimal | None) for value in values):
        raise TypeError
    numbers = [None if value is None else Decimal(exact_number(value)) for value in values]
    places = (int(number.as_tuple().exponent) for number in numbers if number is not None)
    return pa.array(numbers, pa.decimal128(_DIGITS, -min([0, *places])))


def with_narrowest_types(table: pa.Table) -> pa.Table:
    """Give every column of a table the narrowest type that holds its values."""
    return pa.table({name: narrowest(table[name]) for name in table.column_names})


def narrowest(column: Any) -> Any:
    """Let numbers that are all whole be so, decimals have the places they need, timestamps all at midnight be dates."""
    if column.null_count == len(column):
        return column
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), None, column)
        whole = pc.and_(pc.equal(column, pc.trunc(column)), pc.less_equal(pc.abs(column), WHOLE_FLOATS))
        return column.cast(pa.int64()) if pc.all(whole).as_py() else column
    if pa.types.is_uint64(column.type):
        column = column.cast(pa.decimal128(_DIGITS, 0))
    if pa.types.is_decimal(column.type):
        return _fewest_places(column)
    if pa.types.is_timestamp(column.type) and column.type.tz is None:
        column = column.cast(pa.timestamp("us"))
        ticks = column.cast(pa.int64())
        days = pc.floor(pc.divide(ticks.cast(pa.float64(), safe=False), float(_DAY))).cast(pa.int64())
        midnight = pc.all(pc.equal(pc.multiply(days, _DAY), ticks)).as_py()
        return column.cast(pa.date32()) if midnight else column
    return column


def _fewest_places(column: Any) -> Any:
    for type_ in (pa.int64(), *(pa.decimal128(_DIGITS, places) for places in range(column.type.scale))):
        with suppress(pa.ArrowInvalid):
            return column.cast(type_)
    return column.cast(pa.decimal128(_DIGITS, column.type.scale))


def with_own_type(column: pa.Array) -> pa.Array:
    """Give what is published of a column the type that it would have had if there had been nothing else."""
    return column.cast(pa.string()) if column.null_count == len(column) else narrowest(column)


def type_sql(column: str, type_: str) -> str:
    """Write in DuckDB's SQL which type ``with_own_type`` gives a column."""
    if type_.startswith(("DECIMAL", "UBIGINT")):
        places = f"max(length(rtrim(split_part(CAST({column} AS VARCHAR), '.', 2), '0')))"
        narrow = f"{places} = 0 AND min({column}) >= -9223372036854775808 AND max({column}) <= 9223372036854775807"
        wide = f"'DECIMAL({_DIGITS}, ' || {places} || ')'"
    else:
        narrow = {
            "DOUBLE": f"bool_and({column} = trunc({column}) AND abs({column}) <= {WHOLE_FLOATS})",
            "TIMESTAMP": f"bool_and(date_trunc('day', {column}) = {column})",
        }.get(type_, "false")
        wide = f"'{type_}'"
    less = "DATE" if type_ == "TIMESTAMP" else "BIGINT"
    return f"CASE WHEN count({column}) = 0 THEN 'VARCHAR' WHEN {narrow} THEN '{less}' ELSE {wide} END"


# Files of programs that know fewer types than Arrow: what is written is read again and compared.


def check_written_values(written: pa.Table, read: pa.Table, path: Path, *, empty_is_missing: bool = False) -> None:
    if read.num_rows != written.num_rows:
        msg = f"A file ending in {path.suffix!r} cannot hold a row in which everything is missing."
        raise DataError(msg, hint="choose another format: Parquet holds everything.")
    lost = [
        name
        for name, left, right in zip(written.column_names, written.columns, read.columns, strict=True)
        if not _has_same_values(left, right, empty_is_missing=empty_is_missing)
    ]
    if lost:
        named = ", ".join(map(repr, lost[:5])) + (" and others" if len(lost) > 5 else "")
        msg = f"A file ending in {path.suffix!r} cannot hold every value exactly as it is: {named}."
        raise DataError(msg, hint="make such a column text first, or choose another format: Parquet holds everything.")


def check_finite(table: pa.Table, program: str) -> None:
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_floating(column.type) and pc.any(pc.is_inf(column)).as_py():
            msg = f"{program} cannot hold column {name!r}: it has infinite numbers."
            raise DataError(msg, hint="make it text first, or write Parquet or CSV.")


def _has_same_values(written: pa.ChunkedArray, read: pa.ChunkedArray, *, empty_is_missing: bool) -> bool:
    try:
        left, right = _cast_to_kind(written), _cast_to_kind(read)
    except pa.ArrowInvalid:
        return False
    if empty_is_missing and pa.types.is_large_string(left.type):
        left = pc.if_else(pc.equal(left, ""), None, left)
    if left.null_count == len(left):
        return bool(right.null_count == len(right))
    return bool(left.type == right.type and left.equals(right))


def _cast_to_kind(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Give a column the one type that stands for its kind."""
    type_ = column.type
    if pa.types.is_integer(type_) or pa.types.is_floating(type_) or pa.types.is_decimal(type_):
        return column.cast(pa.float64())
    if pa.types.is_boolean(type_):
        return column.cast(pa.int8()).cast(pa.float64())
    if pa.types.is_date(type_) or (pa.types.is_timestamp(type_) and type_.tz is None):
        return column.cast(pa.timestamp("us"))
    return column.cast(pa.large_string()) if pa.types.is_string(type_) or pa.types.is_null(type_) else column


# Types of columns that nobody can publish: what would come back of them is something else.

_NUMBER = "make it a number first, such as days or seconds, or leave the column out."
_WIDE = "cast it to Int64 first, or to Decimal(38, 0), or leave the column out."
_PLAIN = "make it numbers, booleans, dates, timestamps or text first, or leave the column out."
_ONLY_POLARS = {"Int128": _WIDE, "UInt128": _WIDE, "Object": _PLAIN}


def duration_columns(types: Iterable[tuple[str, pa.DataType]]) -> frozenset[str]:
    """Name the columns of durations: DuckDB takes them for months, days and microseconds."""
    return frozenset(name for name, type_ in types if _is_of_durations(type_))


def check_polars_types(frame: Any) -> None:
    """Refuse columns of a Polars frame, eager or lazy, of a type that only Polars knows."""
    for name, type_ in frame.collect_schema().items():
        kind = str(type_.base_type())
        if kind in _ONLY_POLARS:
            msg = f"Column {name!r} holds values of the type {kind} of Polars, which nothing else can read."
            raise DataError(msg, hint=_ONLY_POLARS[kind])


def duration_error(name: str) -> DataError:
    return DataError(f"Column {name!r} holds durations, which would come back as something else.", hint=_NUMBER)


def _is_of_durations(type_: pa.DataType) -> bool:
    if pa.types.is_dictionary(type_):
        return _is_of_durations(type_.value_type)
    inside = any(_is_of_durations(type_.field(number).type) for number in range(type_.num_fields))
    return inside or pa.types.is_duration(type_) or pa.types.is_interval(type_)


# From pandas to Arrow and back, column by column: what cannot be converted is named, what is given back is exact.


def arrow_of_pandas(frame: Any) -> tuple[pa.Table, Callable[[pa.Table], Any], list[str]]:
    """Convert a pandas frame without its index; say how a result is given back, and which columns have no type.

    Those hold numbers as objects or categories: what else there is decides how Arrow holds them. A column that has its
    type at the end has its dtype again: by itself pandas turns whole numbers beside missing ones into floats, which
    cannot hold those beyond 2**53.
    """
    table = pa.table({name: _column_of_series(name, frame[name]) for name in frame.columns})
    dtypes = {name: dtype for name, dtype in frame.dtypes.items() if hasattr(dtype, "__from_arrow__")}

    def pandas_of(result: pa.Table) -> Any:
        found = result.to_pandas(integer_object_nulls=True)
        for name in result.column_names:
            if name in dtypes and result[name].type == table[name].type:
                found[name] = dtypes[name].__from_arrow__(result[name])
        return found

    objects = [name for name in frame.columns if frame[name].dtype == object or hasattr(frame[name], "cat")]
    return table, pandas_of, [name for name in objects if kind_of_type(table[name].type) == "number"]


def _column_of_series(name: str, series: Any) -> pa.Array:
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
