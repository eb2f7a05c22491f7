"""From pandas to Arrow and back, column by column: what cannot be converted is named, what is given back is exact."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from incrowd.core import canonical_value, kind_of
from incrowd.engines._arrow import kind_of_type, plain_type
from incrowd.engines._column_types import column_of_objects


def arrow_of_pandas(frame: Any) -> pa.Table:
    """Convert a pandas frame without its index."""
    return pa.table({name: _column(name, frame[name]) for name in frame.columns})


def numbers_as_objects(frame: Any, table: pa.Table) -> list[str]:
    """Name the columns that hold numbers as objects or categories: what else there is decides how Arrow holds them."""
    objects = [name for name in frame.columns if frame[name].dtype == object or hasattr(frame[name], "cat")]
    return [name for name in objects if kind_of_type(plain_type(table[name].type)) == "number"]


def back_to_pandas(frame: Any, table: pa.Table) -> Callable[[pa.Table], Any]:
    """Say how to give a result back as a frame like the one that came: a column of the same type has its dtype again.

    Parameters
    ----------
    frame, table
        What came, and what became of it in Arrow.

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
