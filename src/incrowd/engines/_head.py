"""The first rows of a file as they stand in it: to be shown, never to be counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from incrowd.core import DataError
from incrowd.engines._arrow import kind_of_type
from incrowd.engines._border import guarded
from incrowd.engines._csv import BROKEN
from incrowd.engines._files import ending_of, read_whole


@guarded
def head_of(path: Path, rows: int, sheet: str | int | None = None) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Give the columns that have values, and the first rows of a file that is none of text, in the order of the file.

    Parameters
    ----------
    path
        The file.
    rows
        How many rows; all if there are no more.
    sheet
        The sheet of a spreadsheet, by its name or its number from 1.
    """
    table = _first_of_parquet(path, rows) if ending_of(path) == ".parquet" else _first_of_whole(path, rows, sheet)
    shown = [name for name in table.column_names if kind_of_type(table.schema.field(name).type) is not None]
    return shown, [*zip(*(table[name].to_pylist() for name in shown), strict=True)]


def _first_of_parquet(path: Path, rows: int) -> pa.Table:
    with pa.parquet.ParquetFile(path) as file:
        if not file.metadata.num_rows:  # older Arrow cannot go through parts of which there are none
            return file.schema_arrow.empty_table()
        return pa.Table.from_batches([next(file.iter_batches(batch_size=rows))])


def _first_of_whole(path: Path, rows: int, sheet: str | int | None) -> pa.Table:
    """Read all of it: a type of a column is that of all its cells."""
    read = read_whole(path, sheet)
    if read is None:
        msg = f"Cannot read a table from {path.name!r}."
        raise DataError(msg, hint=BROKEN)
    return read[0].slice(0, rows)
