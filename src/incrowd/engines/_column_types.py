"""The type of a column whose values have to tell it: the narrowest that holds them.

Cells of a spreadsheet, objects of Python and numbers of a database without a declared size say nothing of their column.
Such a type is found out again for what is published, or the values that were left out would be seen in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from incrowd.core import WHOLE_FLOATS, DataError, exact_number

_NO_COLUMN = (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError)
_DAY = 24 * 60 * 60 * 1_000_000
_DIGITS = 38
"""Decimal numbers have so many digits."""


def column_of_objects(name: str, values: Any) -> pa.Array:
    """Make a column of Python's objects; whole numbers beyond 64 bits are decimal numbers there."""
    try:
        column = pa.array(values, from_pandas=True)
        long = pa.types.is_decimal256(column.type)
        return column.cast(pa.decimal128(_DIGITS, column.type.scale)) if long else column
    except (*_NO_COLUMN, OverflowError):
        exact = [None if value is None or value != value else value for value in values]  # noqa: PLR0124 - NaN
    try:
        return _decimals(exact)
    except (*_NO_COLUMN, ArithmeticError, TypeError, ValueError):
        msg = f"Column {name!r} mixes types, or holds values that are too large or no plain values."
    raise DataError(msg, hint="make the column one type of ordinary size before handing it over.")


def _decimals(values: list[Any]) -> pa.Array:
    """Make a column of integers and decimal numbers: Arrow looks at the decimal ones alone for the digits it needs."""
    if not all(isinstance(value, int | Decimal | None) for value in values):
        raise TypeError
    numbers = [None if value is None else Decimal(exact_number(value)) for value in values]
    places = (int(number.as_tuple().exponent) for number in numbers if number is not None)
    return pa.array(numbers, pa.decimal128(_DIGITS, -min([0, *places])))


def tightened(table: pa.Table) -> pa.Table:
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
        try:
            return column.cast(type_)
        except pa.ArrowInvalid:
            continue
    return column.cast(pa.decimal128(_DIGITS, column.type.scale))


def retyped(column: pa.Array) -> pa.Array:
    """Give what is published of a column the type that it would have had if there had been nothing else."""
    return column.cast(pa.string()) if column.null_count == len(column) else narrowest(column)


def type_sql(column: str, type_: str) -> str:
    """Write in DuckDB's SQL which type ``retyped`` gives a column."""
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


def check_held(written: pa.Table, read: pa.Table, path: Path, *, empty_is_missing: bool = False) -> None:
    """Refuse a file that does not hold what was written to it."""
    if read.num_rows != written.num_rows:
        msg = f"A file ending in {path.suffix!r} cannot hold a row in which everything is missing."
        raise DataError(msg, hint="choose another format: Parquet holds everything.")
    lost = [
        name
        for name, left, right in zip(written.column_names, written.columns, read.columns, strict=True)
        if not _same(left, right, empty_is_missing=empty_is_missing)
    ]
    if lost:
        named = ", ".join(map(repr, lost[:5])) + (" and others" if len(lost) > 5 else "")
        msg = f"A file ending in {path.suffix!r} cannot hold every value exactly as it is: {named}."
        raise DataError(msg, hint="make such a column text first, or choose another format: Parquet holds everything.")


def check_finite(table: pa.Table, program: str) -> None:
    """Refuse infinite numbers, which some programs do not know."""
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_floating(column.type) and pc.any(pc.is_inf(column)).as_py():
            msg = f"{program} cannot hold column {name!r}: it has infinite numbers."
            raise DataError(msg, hint="make it text first, or write Parquet or CSV.")


def _same(written: pa.ChunkedArray, read: pa.ChunkedArray, *, empty_is_missing: bool) -> bool:
    try:
        left, right = _common(written), _common(read)
    except pa.ArrowInvalid:
        return False
    if empty_is_missing and pa.types.is_large_string(left.type):
        left = pc.if_else(pc.equal(left, ""), None, left)
    if left.null_count == len(left):
        return bool(right.null_count == len(right))
    return bool(left.type == right.type and left.equals(right))


def _common(column: pa.ChunkedArray) -> pa.ChunkedArray:
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


def durations_in(types: Iterable[tuple[str, pa.DataType]]) -> frozenset[str]:
    """Name the columns of durations: DuckDB takes them for months, days and microseconds."""
    return frozenset(name for name, type_ in types if _of_durations(type_))


def refuse_of_polars(frame: Any) -> None:
    """Refuse columns of a Polars frame, eager or lazy, of a type that only Polars knows."""
    for name, type_ in frame.collect_schema().items():
        kind = str(type_.base_type())
        if kind in _ONLY_POLARS:
            msg = f"Column {name!r} holds values of the type {kind} of Polars, which nothing else can read."
            raise DataError(msg, hint=_ONLY_POLARS[kind])


def holds_durations(name: str) -> DataError:
    """Say that a column of durations cannot be used."""
    return DataError(f"Column {name!r} holds durations, which would come back as something else.", hint=_NUMBER)


def _of_durations(type_: pa.DataType) -> bool:
    if pa.types.is_dictionary(type_):
        return _of_durations(type_.value_type)
    inside = any(_of_durations(type_.field(number).type) for number in range(type_.num_fields))
    return inside or pa.types.is_duration(type_) or pa.types.is_interval(type_)
