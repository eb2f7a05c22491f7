"""Named arrays in one Parquet file: a row per array, so that any reader can look one up by its name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from incrowd.core import DataError
from incrowd.engines._border import guarded
from incrowd.engines._columns import of_numbers, of_texts, to_numpy

_KINDS = {"integers": pa.int64(), "floats": pa.float64(), "texts": pa.large_string()}


@guarded
def write_arrays(arrays: Mapping[str, Any], path: Path) -> None:
    """Write arrays of whole numbers, floats or texts."""
    schema = pa.schema([("name", pa.large_string()), *((kind, pa.large_list(type_)) for kind, type_ in _KINDS.items())])
    with pyarrow.parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for name, array in arrays.items():  # one after the other: there may be no room for all of them in 64 bits
            lists = [_list(array if kind == _kind_of(array) else None, schema.field(kind).type) for kind in _KINDS]
            writer.write_batch(pa.record_batch([of_texts([name]), *lists], schema=schema))


@guarded
def read_arrays(path: Path) -> dict[str, Any]:
    """Read arrays that ``write_arrays`` wrote; whole numbers have 64 bits, texts are objects."""
    if not path.is_file():
        msg = f"There is no file {path.name!r}."
        raise DataError(msg)
    table = pyarrow.parquet.read_table(path)
    found: dict[str, Any] = {}
    for row, name in enumerate(table["name"].to_pylist()):
        kind = next(kind for kind in _KINDS if table[kind][row].is_valid)
        values = table[kind][row].values
        found[name] = _objects(values.to_pylist()) if kind == "texts" else to_numpy(values).copy()
        if kind == "floats":
            found[name] = found[name].astype(np.float64)
    return found


@guarded
def read_texts(path: Path, missing: str) -> dict[str, list[str]]:
    """Read the columns of a Parquet file as texts, in the order of its rows.

    Parameters
    ----------
    path
        The file.
    missing
        What stands for a missing value.
    """
    if not path.is_file():
        msg = f"There is no file {path.name!r}."
        raise DataError(msg)
    table = pyarrow.parquet.read_table(path)
    return {name: _texts(table[name].to_pylist(), missing) for name in table.column_names}


def _texts(values: list[Any], missing: str) -> list[str]:
    return [missing if value is None else str(value) for value in values]


def _kind_of(array: Any) -> str:
    return {"O": "texts", "f": "floats"}.get(array.dtype.kind, "integers")


def _as_arrow(array: Any) -> pa.Array:
    if array.dtype == object:
        return of_texts(array.tolist())
    return of_numbers(array.astype(np.float64 if array.dtype.kind == "f" else np.int64))


def _list(array: Any | None, type_: pa.DataType) -> pa.Array:
    """Give a column of one list, or of nothing."""
    if array is None:
        return pa.nulls(1, type_)
    return pa.LargeListArray.from_arrays(of_numbers(np.array([0, len(array)])), _as_arrow(array))


def _objects(values: list[Any]) -> Any:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
