"""Files looked at as they stand: the first rows of one, and whether a text file is written as it is said to be."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from incrowd.engines._arrow import kind_of_type
from incrowd.engines._border import guarded
from incrowd.engines._files import damage_error, ending_of, read_whole
from incrowd.engines._tables import open_table
from incrowd.engines._text import TextEngine
from incrowd.engines.formats._csv import BROKEN
from incrowd.engines.formats._wording import Wording

# The first rows of a file as they stand in it: to be shown, never to be counted.


@guarded
def head_of(path: Path, rows: int, sheet: str | int | None = None) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Give the columns that have values, and the first rows, of a file that is none of text, in its order."""
    if ending_of(path) == ".parquet":
        table = _head_of_parquet(path, rows)
    else:  # all of it is read: the type of a column is that of all its cells
        table = read_whole(path, sheet, BROKEN)[0].slice(0, rows)
    shown = [name for name in table.column_names if kind_of_type(table.schema.field(name).type) is not None]
    return shown, [*zip(*(table[name].to_pylist() for name in shown), strict=True)]


def _head_of_parquet(path: Path, rows: int) -> pa.Table:
    try:
        with pa.parquet.ParquetFile(path) as file:
            if not file.metadata.num_rows:  # older Arrow cannot go through parts of which there are none
                return file.schema_arrow.empty_table()
            head = pa.Table.from_batches([next(file.iter_batches(batch_size=rows))])
            head.validate(full=True)
            return head
    except (OSError, ValueError, StopIteration, pa.ArrowException) as error:
        if getattr(error, "errno", None) is not None:  # the machine's fault
            raise
    raise damage_error(path)


# Whether a released text file is written as it is said to be: then no two of its cells are read as one.


@guarded
def is_written_by(path: Path, wording: Wording) -> bool:
    """Say whether every character, number and day of a file is written as a wording says, and in no other way."""
    if not _is_encoded_by(path, wording):
        return False
    file = open_table(path, missing_values=(), separator=wording.dialect.separator, encoding=wording.encoding)
    if not isinstance(file, TextEngine) or not {*wording.columns} <= {*file.columns()}:
        return False
    return file.cells_hold(dict.fromkeys(wording.columns, wording.kept_sql))


def _is_encoded_by(path: Path, wording: Wording) -> bool:
    """Say whether the characters of a file, encoded again, are its bytes."""
    found = gzip.decompress(path.read_bytes()) if path.suffix.lower() == ".gz" else path.read_bytes()
    try:
        text = found.decode(wording.dialect.encoding)
        return text.startswith("\ufeff") is wording.dialect.mark and text.encode(wording.dialect.encoding) == found
    except UnicodeError:
        return False
