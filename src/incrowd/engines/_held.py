"""Files of programs that know fewer types than Arrow: what is written is read again and compared."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from incrowd.core import DataError


def check_held(written: pa.Table, read: pa.Table, path: Path, *, empty_is_missing: bool = False) -> None:
    """Refuse a file that does not hold what was written to it.

    Parameters
    ----------
    written, read
        The table, and what a reader finds in the file.
    path
        The file.
    empty_is_missing
        Whether an empty text stands for nothing there.
    """
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
