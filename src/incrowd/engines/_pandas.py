"""From pandas to Arrow, column by column, so that a column that cannot be converted is named."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pyarrow as pa

from incrowd.core import DataError, kind_of


def arrow_of_pandas(frame: Any) -> pa.Table:
    """Convert a pandas frame without its index."""
    return pa.table({name: _column(name, frame[name]) for name in frame.columns})


def _column(name: str, series: Any) -> pa.Array:
    if series.dtype == object:
        _check_one_kind(name, series)
    try:
        return pa.Array.from_pandas(series)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        pass
    msg = f"Column {name!r} mixes types, or holds values that are too large or no plain values."
    raise DataError(msg, hint="make the column one type of ordinary size before handing it over.")


def _check_one_kind(name: str, series: Any) -> None:
    """Refuse objects of different kinds: Arrow would turn a timestamp into a date without a word."""
    values = series[series.notna()].tolist()
    samples: dict[Any, Any] = dict(zip(map(type, values), values, strict=True))
    if any(issubclass(type_, dt.datetime) for type_ in samples):  # with a zone or without is not seen by the type
        samples = {(type(value), getattr(value, "tzinfo", None) is None): value for value in values}
    kind_of(name, samples.values())
