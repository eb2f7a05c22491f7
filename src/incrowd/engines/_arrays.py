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
from incrowd.engines._columns import of_numbers, of_texts, of_truths, to_numpy

_KINDS = {"integers": pa.int64(), "floats": pa.float64(), "texts": pa.large_string()}


@guarded
def write_arrays(arrays: Mapping[str, Any], path: Path) -> None:
    """Write arrays of whole numbers, floats or texts."""
    columns = {kind: [] for kind in _KINDS}  # type: dict[str, list[Any]]
    for array in arrays.values():
        for kind, values in columns.items():
            values.append(_as_arrow(array) if kind == _kind_of(array) else None)
    table = {kind: _lists(values, _KINDS[kind]) for kind, values in columns.items()}
    pyarrow.parquet.write_table(pa.table({"name": of_texts(list(arrays)), **table}), path, compression="zstd")


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


def _kind_of(array: Any) -> str:
    return {"O": "texts", "f": "floats"}.get(array.dtype.kind, "integers")


def _as_arrow(array: Any) -> pa.Array:
    if array.dtype == object:
        return of_texts(array.tolist())
    return of_numbers(array.astype(np.float64 if array.dtype.kind == "f" else np.int64))


def _lists(values: list[Any], type_: pa.DataType) -> pa.Array:
    """Put arrays behind each other, as a column of lists; an absent one is null."""
    present = [value for value in values if value is not None]
    ends = np.cumsum([0, *(0 if value is None else len(value) for value in values)], dtype=np.int64)
    flat = pa.concat_arrays(present) if present else pa.nulls(0, type_)
    absent = of_truths(np.array([value is None for value in values], dtype=bool))
    return pa.LargeListArray.from_arrays(of_numbers(ends), flat, mask=absent)


def _objects(values: list[Any]) -> Any:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
