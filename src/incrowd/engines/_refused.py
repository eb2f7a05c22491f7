"""Types of columns that nobody can publish: what would come back of them is something else."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from incrowd.core import DataError

_NUMBER = "make it a number first, such as days or seconds, or leave the column out."
_WIDE = "cast it to Int64 first, or to Decimal(38, 0), or leave the column out."
_PLAIN = "make it numbers, booleans, dates, timestamps or text first, or leave the column out."
_ONLY_POLARS = {"Int128": _WIDE, "UInt128": _WIDE, "Object": _PLAIN}


def durations_in(types: Iterable[tuple[str, pa.DataType]]) -> frozenset[str]:
    """Name the columns of durations: DuckDB takes them for months, days and microseconds.

    Parameters
    ----------
    types
        The columns: name and type.
    """
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
