"""The type of a column whose values have to tell it: the narrowest that holds them.

Cells of a spreadsheet, objects of Python and numbers of a database without a declared size say nothing of their column.
Such a type is found out again for what is published, or the values that were left out would be seen in it.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from incrowd.core import WHOLE_FLOATS, DataError, exact_number

_NO_COLUMN = (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError)
_DAY = 24 * 60 * 60 * 1_000_000
_DIGITS = 38
"""Decimal numbers have so many digits."""


def column_of_objects(name: str, values: Any) -> pa.Array:
    """Make a column of Python's objects; whole numbers beyond 64 bits are decimal numbers there.

    Parameters
    ----------
    name
        The column's name, so that messages can name it.
    values
        A list, or a series of pandas.
    """
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
    """Let numbers that are all whole be whole numbers, and timestamps that are all at midnight be dates.

    Parameters
    ----------
    column
        A column of Arrow. Decimal numbers get as many places as they need.
    """
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
    """Give what is published of a column the type that it would have had if there had been nothing else.

    Parameters
    ----------
    column
        Its different values. Nothing but missing ones are texts, as in any column of which nothing is known.
    """
    return column.cast(pa.string()) if column.null_count == len(column) else narrowest(column)


def type_sql(column: str, type_: str) -> str:
    """Write in DuckDB's SQL which type ``retyped`` gives a column.

    Parameters
    ----------
    column
        The name of the column, quoted.
    type_
        What DuckDB calls its type.
    """
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
