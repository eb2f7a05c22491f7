"""Files that a table can be read from or written to, each known by the ending of its name."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from incrowd.core import DataError
from incrowd.engines._duckdb import connect, quoted, reader_of, unless
from incrowd.engines.formats._csv import BROKEN
from incrowd.engines.formats._csv_output import write_text
from incrowd.engines.formats._excel import read_spreadsheet, write_spreadsheet
from incrowd.engines.formats._statistics import READERS, WRITERS, Codebook, read_statistics, write_statistics
from incrowd.engines.formats._wording import Wording

TEXTS = (".csv", ".tsv", ".txt")
ARROWS = (".arrow", ".feather", ".ipc")
SPREADSHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
READABLE = (*TEXTS, *(f"{text}.gz" for text in TEXTS), ".parquet", *ARROWS, *SPREADSHEETS, *READERS)
WRITABLE = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet", ".arrow", ".feather", ".xlsx", *WRITERS)
ESCAPED = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".xlsx")
"""Files in which texts that a spreadsheet would run are escaped."""


def ending_of(path: str | os.PathLike[str]) -> str:
    """Give the ending of a file's name that says what it is, in small letters; with ``.gz`` if it is compressed."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    return "".join(suffixes[-2:] if suffixes[-1:] == [".gz"] else suffixes[-1:])


def is_text(path: Path) -> bool:
    """Say whether a file is one of text, plain or compressed."""
    return ending_of(path).removesuffix(".gz") in TEXTS


def is_escaped(path: str | os.PathLike[str]) -> bool:
    """Say whether texts that a spreadsheet would run are escaped in a file that we write there."""
    return ending_of(path) in ESCAPED


def read_whole(path: Path, sheet: str | int | None) -> tuple[pa.Table, Codebook] | None:
    """Read a file that is not one of text or Parquet; ``None`` for one that we do not know."""
    ending = ending_of(path)
    if ending in ARROWS:
        return _read_arrow(path), Codebook()
    if ending in SPREADSHEETS:
        return read_spreadsheet(path, sheet), Codebook()
    return read_statistics(path) if ending in READERS else None


def _read_arrow(path: Path) -> pa.Table:
    """Map a file into memory: what is not looked at is not read."""
    for opened in (pyarrow.ipc.open_file, pyarrow.ipc.open_stream):
        try:
            with pa.memory_map(str(path)) as source:
                return opened(source).read_all()
        except PermissionError:
            raise
        except (pa.ArrowInvalid, OSError):
            continue
    msg = f"The file {path.name!r} is not an Arrow file, or is cut off."
    raise DataError(msg, hint=BROKEN)


def exactly(path: Path) -> str:
    """Write a path so that DuckDB takes it for this file alone and for no pattern."""
    return "".join(f"[{sign}]" if sign in "[*?" else sign for sign in str(path))


def check_suffix(path: Path) -> None:
    """Refuse to write what we could not read again."""
    if ending_of(path) not in WRITABLE:
        msg = f"Cannot write a table to {path.name!r}."
        raise DataError(msg, hint=f"the name must end in {', '.join(WRITABLE[:-1])} or {WRITABLE[-1]}.")


def by_duckdb(path: Path) -> bool:
    """Say whether DuckDB writes such a file."""
    return is_text(path) or ending_of(path) == ".parquet"


def write_arrow(table: pa.Table, path: Path, codebook: Codebook) -> None:
    """Write an Arrow table to a file that DuckDB does not write."""
    ending = ending_of(path)
    if ending in ARROWS:
        _write_batches(table.schema.remove_metadata(), table.to_batches(), path)
    elif ending in SPREADSHEETS:
        write_spreadsheet(table, path)
    else:
        write_statistics(table, path, codebook)


def write_relation(
    relation: duckdb.DuckDBPyRelation, path: Path, codebook: Codebook | None = None, wording: Wording | None = None
) -> Wording:
    """Write a relation to a file; say how, where it is one of text."""
    ending = ending_of(path)
    if ending == ".parquet":
        _held_by_parquet(relation).write_parquet(str(path), compression="zstd")
    elif is_text(path):
        return write_text(relation, path, wording)
    elif ending in ARROWS:
        reader = reader_of(relation)
        _write_batches(reader.schema, reader, path)
    else:
        write_arrow(reader_of(relation).read_all(), path, codebook or Codebook())
    return Wording()


def write_batches(
    batches: pa.RecordBatchReader,
    path: Path,
    wording: Wording | None = None,
    texts: Mapping[str, pa.Array] | None = None,
) -> Wording:
    """Write rows in the order in which they come to a file of text or Parquet, without ever holding all of them.

    Notes
    -----
    Arrow writes texts that are numbered already as they are. DuckDB would number them again, and several of its threads
    keep all of the file in memory to bring it into order.
    """
    if ending_of(path) != ".parquet":
        writer = connect(threads=1, preserve_insertion_order=True)  # before DuckDB 1.5 it must outlive its relations
        return write_text(writer.from_arrow(batches), path, wording, texts)
    with pyarrow.parquet.ParquetWriter(path, batches.schema, compression="zstd", store_schema=False) as file:
        for batch in batches:
            file.write_batch(batch)
    return Wording()


def _write_batches(schema: pa.Schema, batches: Any, path: Path) -> None:
    options = pyarrow.ipc.IpcWriteOptions(compression="zstd")
    with pyarrow.ipc.new_file(str(path), schema, options=options) as file:
        for batch in batches:
            file.write_batch(batch)


def _held_by_parquet(relation: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """Let DuckDB stop at a duration of which Parquet would lose the microseconds."""
    columns = [*zip(map(quoted, relation.columns), map(str, relation.types), strict=True)]
    if not any(type_ == "INTERVAL" for _, type_ in columns):
        return relation
    return relation.project(", ".join(_duration(number, *column) for number, column in enumerate(columns, start=1)))


def _duration(number: int, name: str, type_: str) -> str:
    if type_ != "INTERVAL":
        return name
    whole = f"datepart('microseconds', {name}) % 1000 = 0 OR {name} IS NULL"
    return f"{unless(whole, name, 'short', number)} AS {name}"
