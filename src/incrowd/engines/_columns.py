"""Between Arrow and NumPy, past pandas: Arrow's own conversions import it where they can, which takes a second."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


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
