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
    encoded = [b"" if text is None else text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    present = np.array([text is not None for text in texts], dtype=bool)
    valid = None if present.all() else pa.py_buffer(np.packbits(present, bitorder="little"))
    return pa.Array.from_buffers(
        pa.large_string(), len(encoded), [valid, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    )


def _primitive(array: Any, type_: pa.DataType) -> pa.Array:
    return pa.Array.from_buffers(type_, len(array), [None, pa.py_buffer(array)])
