"""Between Arrow columns and domains."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.core import DataError, Domain, Kind
from incrowd.engines._columns import of_numbers, of_texts, to_numpy


def domain_of(column: str, values: pa.ChunkedArray, counts: pa.ChunkedArray, *, from_text: bool) -> Domain:
    """Make the domain of a column from its distinct values and their counts.

    Parameters
    ----------
    column
        The column's name.
    values, counts
        Distinct values and how often each occurs; null may be among them.
    from_text
        Whether the values come from a text file, where the texts decide what the column is.
    """
    present = pc.is_valid(values)
    nulls = pc.sum(counts.filter(pc.invert(present))).as_py() or 0
    values, tally = values.filter(present), to_numpy(counts.filter(present))
    if from_text:
        return Domain.of_texts(column, values.to_pylist(), tally, nulls)
    kind, array = _to_numpy(column, values)
    return Domain.build(column, kind, array, tally, nulls)


def keys_of(domain: Domain, type_: pa.DataType, *, from_text: bool) -> pa.Array:
    """Give a domain's values as the engine's column holds them, in the order of their codes, without null."""
    if from_text or domain.kind == "text" or pa.types.is_string(type_):
        return of_texts(domain.texts[: len(domain.values)].tolist())
    keys = pa.array(domain.values.tolist()) if domain.values.dtype.kind in "Ob" else of_numbers(domain.values)
    if domain.kind == "instant":
        return keys.cast(pa.timestamp("us", tz="UTC"))
    try:
        return keys.cast(type_)
    except pa.ArrowInvalid:  # a column without values has no type of its own to follow
        return keys


def table_of_columns(columns: Any) -> pa.Table:
    """Make an Arrow table of plain columns."""
    return pa.table(dict(columns))


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
        return "instant" if type_.tz else "datetime", _timestamps(column, values)
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


def _timestamps(column: str, values: pa.ChunkedArray) -> Any:
    try:
        whole = values.cast(pa.timestamp("us", tz=values.type.tz))
        return to_numpy(whole.cast(pa.int64())).astype("datetime64[us]")
    except pa.ArrowInvalid:
        pass
    msg = f"Column {column!r} holds timestamps finer than a microsecond."
    raise DataError(msg, hint="round them to microseconds first.")
