"""A table out: to a file or to a database, whole or not at all."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from incrowd.core import DataError, atomic_path
from incrowd.engines._arrow import kind_of_type
from incrowd.engines._border import guarded
from incrowd.engines._files import check_suffix, ending_of, read_whole
from incrowd.engines._open import open_table
from incrowd.engines._resources import private_folder
from incrowd.engines._text import TextEngine
from incrowd.engines.formats._csv import BROKEN
from incrowd.engines.formats._database import Database, write_database
from incrowd.engines.formats._wording import Wording


def write_table(table: Any, target: str | os.PathLike[str] | Database, *, force: bool = False) -> None:
    """Write a table to a file or to a database, sorted by its values, whole or not at all.

    Parameters
    ----------
    table
        Whatever can be opened, such as ``release.table``. It is never changed.
    target
        A path, whose ending says what is written (``.csv``, ``.tsv``, each also ``.gz``, ``.parquet``, ``.arrow``,
        ``.feather``, ``.xlsx``, ``.sav``, ``.dta``), or a ``Database`` with the name of a table.
    force
        Whether an existing file or table may be replaced.

    Notes
    -----
    A file is written beside its target and renamed when all of it is on the disk; a table is made in one transaction.
    Texts of a text file or spreadsheet that a spreadsheet would run as a formula are escaped: ``unescape_formula``
    undoes it. What a format cannot hold exactly is refused.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from incrowd.engines import write_table
    >>> path = Path(tempfile.mkdtemp()) / "table.csv"
    >>> write_table([{"age": 34, "note": "=1+1"}, {"age": -5, "note": "none"}], path)
    >>> path.read_text().splitlines()
    ['age,note', '-5,none', "34,'=1+1"]
    """
    engine = open_table(table, missing_values=())
    if isinstance(target, Database):
        with private_folder() as folder:
            copy = folder / "table.arrow"
            engine.write(copy)
            write_database(copy, target, force=force)
        return
    check_suffix(Path(target))
    with atomic_path(target, force=force, reads=[table]) as part:
        engine.write(part)


# The first rows of a file as they stand in it: to be shown, never to be counted.


@guarded
def head_of(path: Path, rows: int, sheet: str | int | None = None) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Give the columns that have values, and the first rows, of a file that is none of text, in its order."""
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


# Whether a released text file is written as it is said to be: then no two of its cells are read as one.


@guarded
def is_written_by(path: Path, wording: Wording) -> bool:
    """Say whether every character, number and day of a file is written as a wording says, and in no other way."""
    if not _is_encoded_by(path, wording):
        return False
    file = open_table(path, missing_values=(), separator=wording.dialect.separator, encoding=wording.encoding)
    assert isinstance(file, TextEngine)  # noqa: S101 - it is one of text
    columns = {*wording.columns}
    return columns <= {*file.columns()} and file.keeps(dict.fromkeys(wording.columns, wording.kept_sql))


def _is_encoded_by(path: Path, wording: Wording) -> bool:
    """Say whether the characters of a file, encoded again, are its bytes."""
    found = gzip.decompress(path.read_bytes()) if path.suffix.lower() == ".gz" else path.read_bytes()
    try:
        text = found.decode(wording.dialect.encoding)
        return text.startswith("\ufeff") is wording.dialect.mark and text.encode(wording.dialect.encoding) == found
    except UnicodeError:
        return False
