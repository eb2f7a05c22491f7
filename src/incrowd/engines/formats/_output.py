"""Writing a file: text with every value as its one text in the wanted wording; Parquet and Arrow; others as a whole."""

from __future__ import annotations

import codecs
import csv
import gzip
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import IO, Any

import duckdb
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from incrowd.core import DataError
from incrowd.engines._duckdb import Workshop, checked_sql, connect_to_shared, name_sql, reader_of
from incrowd.engines._files import ARROWS, SPREADSHEETS, ending_of, is_text
from incrowd.engines._resources import Resources
from incrowd.engines.formats._excel import write_spreadsheet
from incrowd.engines.formats._stars import batches_without_stars, relation_without_stars, without_stars
from incrowd.engines.formats._statistics import NO_CODEBOOK, WRITERS, Codebook, write_statistics
from incrowd.engines.formats._wording import Dialect, Wording, check_header, escaped_sql

ESCAPED = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".xlsx")
"""Files in which texts that a spreadsheet would run are escaped."""
STREAMED = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet")
"""Files that are written while rows come; others are written as a whole."""
WRITABLE = (*STREAMED[:4], ".parquet", ".arrow", ".feather", ".xlsx", *WRITERS)

_BLOCK = 1 << 20
_PLAIN = ("BOOLEAN", "TIME", "DATE", "DECIMAL")  # types whose values never begin with what a spreadsheet runs
_TURNED = ("VARCHAR", "DOUBLE", "FLOAT", "DECIMAL", "DATE", "TIMESTAMP")
"""Types whose values may be numbers with decimals, or days."""
OTHER_ENCODING = "write it in 'utf-8': [output] dialect = {encoding = \"utf-8\"}, or dialect={'encoding': 'utf-8'}."


def is_escaped(path: str | os.PathLike[str]) -> bool:
    """Say whether texts that a spreadsheet would run are escaped in a file that we write there."""
    return ending_of(path) in ESCAPED


def check_suffix(path: Path) -> None:
    """Refuse to write what we could not read again."""
    if ending_of(path) not in WRITABLE:
        msg = f"Cannot write a table to {path.name!r}."
        raise DataError(msg, hint=f"the name must end in {', '.join(WRITABLE[:-1])} or {WRITABLE[-1]}.")


def write_arrow(
    table: pa.Table, path: Path, resources: Resources, codebook: Codebook = NO_CODEBOOK, wording: Wording | None = None
) -> Wording:
    """Write an Arrow table as a relation is written, so that all engines write the same file."""
    table = without_stars(table, wording)
    if ending_of(path) in STREAMED:
        workshop = Workshop(resources)
        in_one_piece = table.combine_chunks()  # pieces are scanned side by side, and may come out in another order
        with workshop.in_order():
            return write_relation(workshop.connection.from_arrow(in_one_piece), path, wording=wording)
    if ending_of(path) in ARROWS:
        _write_ipc(table.schema.remove_metadata(), table.to_batches(), path)
    else:
        _write_whole(table, path, codebook, wording)
    return Wording()


def _write_whole(table: pa.Table, path: Path, codebook: Codebook, wording: Wording | None) -> None:
    if ending_of(path) in SPREADSHEETS:
        write_spreadsheet(table, path)
    else:
        write_statistics(table, path, codebook if wording is None else codebook.with_untrue(wording.untrue))


def write_relation(
    relation: duckdb.DuckDBPyRelation,
    path: Path,
    codebook: Codebook = NO_CODEBOOK,
    wording: Wording | None = None,
    *,
    rows: int | None = None,
) -> Wording:
    """Write a relation to a file; say how, where it is one of text."""
    relation = relation_without_stars(relation, wording)
    if is_text(path):
        return write_text(relation, path, wording)
    if ending_of(path) == ".parquet":
        write_parquet(_with_checked_durations(relation), path, rows)
    elif ending_of(path) in ARROWS:
        reader = reader_of(relation)
        _write_ipc(reader.schema, reader, path)
    else:
        _write_whole(reader_of(relation).read_all(), path, codebook, wording)
    return Wording()


def write_parquet(
    relation: duckdb.DuckDBPyRelation, path: Path, rows: int | None = None, *, direct: bool = False
) -> None:
    """Write a relation to a Parquet file, so many rows together; directly where a path leads to an open file."""
    relation.write_parquet(str(path), compression="zstd", row_group_size=rows, use_tmp_file=False if direct else None)


def write_batches(
    batches: pa.RecordBatchReader,
    path: Path,
    wording: Wording | None = None,
    texts: Mapping[str, pa.Array] | None = None,
) -> Wording:
    """Write rows in the order in which they come to a file of text or Parquet, without ever holding all of them.

    Arrow writes texts that are numbered already as they are. DuckDB would number them again, and several of its threads
    keep all of the file in memory to bring it into order.
    """
    check_suffix(path)
    batches = batches_without_stars(batches, wording)
    if is_text(path):
        writer = connect_to_shared()  # before DuckDB 1.5 it must outlive its relations
        return write_text(writer.from_arrow(batches), path, wording, texts)
    with pyarrow.parquet.ParquetWriter(path, batches.schema, compression="zstd", store_schema=False) as file:
        for batch in batches:
            file.write_batch(batch)
    return Wording()


def _write_ipc(schema: pa.Schema, batches: Any, path: Path) -> None:
    options = pyarrow.ipc.IpcWriteOptions(compression="zstd")
    with pyarrow.ipc.new_file(str(path), schema, options=options) as file:
        for batch in batches:
            file.write_batch(batch)


def _with_checked_durations(relation: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """Let DuckDB stop at a duration of which Parquet would lose the microseconds."""
    columns = [*zip(map(name_sql, relation.columns), map(str, relation.types), strict=True)]
    whole = "datepart('microseconds', {0}) % 1000 = 0 OR {0} IS NULL"
    cells = [
        f"{checked_sql(whole.format(name), name, 'short', number)} AS {name}" if type_ == "INTERVAL" else name
        for number, (name, type_) in enumerate(columns, start=1)
    ]
    return relation.project(", ".join(cells)) if any(type_ == "INTERVAL" for _, type_ in columns) else relation


# Text.


def write_text(
    relation: duckdb.DuckDBPyRelation,
    path: Path,
    wording: Wording | None = None,
    texts: Mapping[str, pa.Array] | None = None,
) -> Wording:
    """Write a relation to a text file; say how. Its rows are asked for twice where their texts are not known."""
    check_header(relation.columns)
    wanted = wording or Wording()
    dialect = wanted.dialect.writable()
    if path.name.lower().removesuffix(".gz").endswith(".tsv"):
        dialect = replace(dialect, separator="\t")
    wording = _wording(replace(wanted, dialect=dialect), relation, texts)
    alone = connect_to_shared()  # several threads write their rows as they come
    names = {name: name_sql(name) for name in relation.columns}
    cells = ", ".join(f"{wording.written_sql(name, cell)} AS {cell}" for name, cell in names.items())
    with _utf_8_file(path, wording.dialect) as (target, compression):
        written = _as_texts(alone.from_arrow(reader_of(relation))).project(cells)
        written.write_csv(str(target), header=True, sep=wording.dialect.separator, compression=compression)
    return wording


def _wording(wanted: Wording, relation: duckdb.DuckDBPyRelation, texts: Mapping[str, pa.Array] | None) -> Wording:
    plain = (wanted.dialect.decimal, wanted.dialect.dates) == (".", None)
    types = zip(relation.columns, map(str, relation.types), strict=True)
    possible = [name for name, type_ in types if not plain and type_.startswith(_TURNED)]
    asked = {name: wanted.asked_sql(name_sql(name)) for name in possible if wanted.typed or name in wanted.columns}
    if texts is not None:
        alone = connect_to_shared()
        values = {name: _as_texts(alone.from_arrow(pa.table({name: texts[name]}))) for name in asked}
        return wanted.fitting({name: values[name].aggregate(asked[name]).fetchall()[0] for name in asked})
    found = _as_texts(relation).aggregate(", ".join(asked.values())).fetchall()[0] if asked else ()
    return wanted.fitting({name: found[4 * place : 4 * place + 4] for place, name in enumerate(asked)})


def _as_texts(relation: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    columns = zip(map(name_sql, relation.columns), map(str, relation.types), strict=True)
    return relation.project(", ".join(f"{_cell_sql(name, type_)} AS {name}" for name, type_ in columns))


def _cell_sql(name: str, type_: str) -> str:
    """Give the text of every value, escaped where it may begin with anything."""
    if text := text_sql(name, type_):
        return text
    if type_.startswith(_PLAIN) or type_.endswith(("INT", "INTEGER")):
        return f"CAST({name} AS VARCHAR)"
    return escaped_sql(name if type_ == "VARCHAR" else f"CAST({name} AS VARCHAR)")


@contextmanager
def _utf_8_file(path: Path, dialect: Dialect) -> Iterator[tuple[Path, str]]:
    """Give a file to write in UTF-8; what was written there is in the encoding of the dialect afterwards."""
    compression = "gzip" if path.suffix.lower() == ".gz" else "none"
    if dialect.encoding == "utf-8" and not dialect.mark:
        yield path, compression
        return
    beside = path.with_name(f".{path.name}.utf8")
    try:
        yield beside, "none"
        with beside.open(encoding="utf-8", newline="") as source, _open_to_write(path, compression) as target:
            encoder = codecs.getincrementalencoder(dialect.encoding)()
            target.write(encoder.encode("\ufeff") if dialect.mark else b"")
            try:
                while block := source.read(_BLOCK):
                    target.write(encoder.encode(block))
                target.write(encoder.encode("", final=True))
                trouble = None
            except UnicodeEncodeError:
                trouble = _unwritable_error(beside, dialect)
        if trouble is not None:
            path.unlink()
            raise trouble
    finally:
        beside.unlink(missing_ok=True)


def _open_to_write(path: Path, compression: str) -> IO[bytes]:
    return path.open("wb") if compression == "none" else gzip.GzipFile(path, "wb", mtime=0)  # type: ignore[return-value]


def _unwritable_error(path: Path, dialect: Dialect) -> DataError:
    """Name the column with a character that an encoding does not have."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file, delimiter=dialect.separator)
        header = next(rows)
        numbers = (
            number for row in chain([header], rows) for number, cell in enumerate(row) if not _can_encode(cell, dialect)
        )
        number = next(numbers)
    named = repr(header[number]) if _can_encode(header[number], dialect) else str(number + 1)
    msg = f"Column {named} of the release has a character that a file in {dialect.encoding} cannot hold."
    return DataError(msg, hint=OTHER_ENCODING)


def _can_encode(text: str, dialect: Dialect) -> bool:
    try:
        text.encode(dialect.encoding)
    except UnicodeEncodeError:
        return False
    return True


# The one text of every value in DuckDB's SQL, as ``Domain.texts`` writes it: no row passes through Python.


def text_sql(column: str, type_: str) -> str | None:
    """Write the expression that gives the texts of a column; ``None`` where a cast does."""
    if type_ in {"DOUBLE", "FLOAT"}:
        return _float_sql(column)
    if type_.startswith("DECIMAL"):
        return None if type_.endswith(",0)") else _decimal_sql(f"CAST({column} AS VARCHAR)")
    if type_.startswith("TIMESTAMP WITH"):
        return f"{_moment_sql(f'make_timestamp(epoch_us({column}))')} || '+00:00'"
    if type_.startswith("TIMESTAMP"):
        midnight = f"date_trunc('day', {column}) = {column}"
        return f"CASE WHEN {midnight} THEN {_day_sql(column)} ELSE {_moment_sql(column)} END"
    return None


def _decimal_sql(text: str) -> str:
    """Take off the zeros at the end, and put one in front of a point that has none there."""
    return f"regexp_replace(rtrim(rtrim({text}, '0'), '.'), '^(-?)(\\.|$)', '\\10\\2')"


def _float_sql(column: str) -> str:
    """Write whole numbers as such, and exponents as zeros; what a spreadsheet would run is escaped."""
    text = f"CAST({column} AS VARCHAR)"
    exponent = f"CAST(regexp_extract({text}, 'e(.*)$', 1) AS INTEGER)"
    digits = f"replace(regexp_extract({text}, '^-?([0-9.]+)e', 1), '.', '')"
    sign = f"CASE WHEN {column} < 0 THEN '-' ELSE '' END"
    return (
        f"CASE WHEN isinf({column}) THEN CASE WHEN {column} < 0 THEN '''-inf' ELSE 'inf' END "
        f"WHEN abs({column}) >= 1e16 THEN {sign} || rpad({digits}, {exponent} + 1, '0') "
        f"WHEN {column} <> 0 AND abs({column}) < 1e-4 THEN {sign} || '0.' || repeat('0', -1 - {exponent}) || {digits} "
        f"WHEN {column} = trunc({column}) THEN CAST(CAST({column} AS BIGINT) AS VARCHAR) "
        f"ELSE {text} END"
    )


def _day_sql(column: str) -> str:
    return f"CAST(CAST({column} AS DATE) AS VARCHAR)"


def _moment_sql(column: str) -> str:
    """Write day and time, and a fraction of a second only if there is one, in microseconds."""
    whole = f"date_trunc('second', {column}) = {column}"
    time = f"CASE WHEN {whole} THEN strftime({column}, '%H:%M:%S') ELSE strftime({column}, '%H:%M:%S.%f') END"
    return f"{_day_sql(column)} || ' ' || {time}"
