"""A relation as a text file: every value as its one text, in the dialect that it is asked for."""

from __future__ import annotations

import codecs
import csv
import gzip
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import IO

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.core import DataError
from incrowd.engines._duckdb import connect, quoted, reader_of, text_sql
from incrowd.engines.formats._wording import Dialect, Wording, settled

# Texts that a spreadsheet would run as a formula are escaped, by a rule that can be undone.

MARK = "'"
STARTS = "=+-@\t\r\n＝＋－＠﹦﹢﹣﹫"  # noqa: RUF001 - wide and small forms are meant: some programs read them alike
"""A spreadsheet may run a text that begins with one of these."""
_NUMBER = r"-[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?"
"""A negative number, which runs nothing."""


def escape_formula(text: str) -> str:
    """Write a text so that no spreadsheet runs it.

    Parameters
    ----------
    text
        Any text. One that runs nothing, such as ``-5``, stays as it is, unless it begins with an apostrophe.

    Examples
    --------
    >>> from incrowd.engines import escape_formula
    >>> escape_formula("=1+1"), escape_formula("-5"), escape_formula("'s-Hertogenbosch")
    ("'=1+1", '-5', "''s-Hertogenbosch")
    """
    return MARK + text if _is_escaped(text) else text


def unescape_formula(text: str) -> str:
    """Read a text of a released CSV or Excel file as it was before it was escaped.

    Parameters
    ----------
    text
        A text as it stands in the file.

    Examples
    --------
    >>> from incrowd.engines import unescape_formula
    >>> unescape_formula("'=1+1"), unescape_formula("-5"), unescape_formula("''s-Hertogenbosch")
    ('=1+1', '-5', "'s-Hertogenbosch")
    """
    return text.removeprefix(MARK)


def _is_escaped(text: str) -> bool:
    return text[:1] == MARK or (text[:1] != "" and text[:1] in STARTS and re.fullmatch(_NUMBER, text) is None)


def escaped_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Escape a column of texts; any other stays as it is."""
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    risky = pc.match_substring_regex(column, f"^[{re.escape(STARTS)}]")
    risky = pc.and_(risky, pc.invert(pc.match_substring_regex(column, f"^(?:{_NUMBER})$")))
    marked = pc.binary_join_element_wise(pa.scalar(MARK, column.type), column, pa.scalar("", column.type))
    return pc.if_else(pc.or_(risky, pc.starts_with(column, MARK)), marked, column)


def unescaped_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Undo what ``escaped_column`` did."""
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    return pc.if_else(pc.starts_with(column, MARK), pc.utf8_slice_codeunits(column, 1), column)


def escaped_sql(column: str) -> str:
    """Write in DuckDB's SQL what ``escape_formula`` does."""
    signs = ", ".join(f"chr({ord(sign)})" for sign in STARTS)
    risky = f"substr({column}, 1, 1) IN ({signs}) AND NOT regexp_full_match({column}, '{_NUMBER}')"
    return f"CASE WHEN starts_with({column}, '''') OR ({risky}) THEN '''' || {column} ELSE {column} END"


def unescaped_sql(column: str) -> str:
    """Write in DuckDB's SQL what ``unescape_formula`` does."""
    return f"CASE WHEN starts_with({column}, '''') THEN substr({column}, 2) ELSE {column} END"


def check_header(names: Sequence[str]) -> None:
    """Refuse names that a spreadsheet would run: they are not escaped, or nobody would find the column again."""
    for number, name in enumerate(names, start=1):
        if _is_escaped(name) and name[:1] != MARK:
            msg = f"Column {number} has a name that a spreadsheet would run as a formula."
            raise DataError(msg, hint="give it a name that begins with a letter, or write another format: Parquet.")


_BLOCK = 1 << 20
_PLAIN = ("BOOLEAN", "TIME", "DATE", "DECIMAL")
"""Types whose values never begin with what a spreadsheet runs."""
_TURNED = ("VARCHAR", "DOUBLE", "FLOAT", "DECIMAL", "DATE", "TIMESTAMP")
"""Types whose values may be numbers with decimals, or days."""
OTHER_ENCODING = "write it in 'utf-8': [output] dialect = {encoding = \"utf-8\"}, or dialect={'encoding': 'utf-8'}."


def write_text(
    relation: duckdb.DuckDBPyRelation,
    path: Path,
    wording: Wording | None = None,
    texts: Mapping[str, pa.Array] | None = None,
) -> Wording:
    """Write a relation to a text file; say how. Its rows are asked for twice where their texts are not known."""
    check_header(relation.columns)
    wanted = wording or Wording()
    dialect = settled(wanted.dialect)
    if path.name.lower().removesuffix(".gz").endswith(".tsv"):
        dialect = replace(dialect, separator="\t")
    wording = _wording(replace(wanted, dialect=dialect), relation, texts)
    alone = connect(threads=1)  # several threads write their rows as they come
    names = {name: quoted(name) for name in relation.columns}
    cells = ", ".join(f"{wording.written_sql(name, cell)} AS {cell}" for name, cell in names.items())
    with _in_utf8(path, wording.dialect) as (target, compression):
        written = _texts(alone.from_arrow(reader_of(relation))).project(cells)
        written.write_csv(str(target), header=True, sep=wording.dialect.separator, compression=compression)
    return wording


def _wording(wanted: Wording, relation: duckdb.DuckDBPyRelation, texts: Mapping[str, pa.Array] | None) -> Wording:
    """Say how the values will be written."""
    plain = (wanted.dialect.decimal, wanted.dialect.dates) == (".", None)
    types = zip(relation.columns, map(str, relation.types), strict=True)
    possible = [name for name, type_ in types if not plain and type_.startswith(_TURNED)]
    asked = {name: wanted.asked_sql(quoted(name)) for name in possible if wanted.typed or name in wanted.columns}
    if texts is not None:
        alone = connect(threads=1)
        values = {name: _texts(alone.from_arrow(pa.table({name: texts[name]}))) for name in asked}
        return wanted.fitting({name: values[name].aggregate(asked[name]).fetchall()[0] for name in asked})
    found = _texts(relation).aggregate(", ".join(asked.values())).fetchall()[0] if asked else ()
    return wanted.fitting({name: found[4 * place : 4 * place + 4] for place, name in enumerate(asked)})


def _texts(relation: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """Give every value as its one text."""
    columns = zip(map(quoted, relation.columns), map(str, relation.types), strict=True)
    return relation.project(", ".join(f"{_cell(name, type_)} AS {name}" for name, type_ in columns))


def _cell(name: str, type_: str) -> str:
    """Give the text of every value, escaped where it may begin with anything."""
    if text := text_sql(name, type_):
        return text
    if type_.startswith(_PLAIN) or type_.endswith(("INT", "INTEGER")):
        return f"CAST({name} AS VARCHAR)"
    return escaped_sql(name if type_ == "VARCHAR" else f"CAST({name} AS VARCHAR)")


@contextmanager
def _in_utf8(path: Path, dialect: Dialect) -> Iterator[tuple[Path, str]]:
    """Give a file to write in UTF-8; what was written there is in the encoding of the dialect afterwards."""
    compression = "gzip" if path.suffix.lower() == ".gz" else "none"
    if dialect.encoding == "utf-8" and not dialect.mark:
        yield path, compression
        return
    beside = path.with_name(f".{path.name}.utf8")
    try:
        yield beside, "none"
        with beside.open(encoding="utf-8", newline="") as source, _opened(path, compression) as target:
            encoder = codecs.getincrementalencoder(dialect.encoding)()
            target.write(encoder.encode("\ufeff") if dialect.mark else b"")
            try:
                while block := source.read(_BLOCK):
                    target.write(encoder.encode(block))
                target.write(encoder.encode("", final=True))
                trouble = None
            except UnicodeEncodeError:
                trouble = _not_held(beside, dialect)
        if trouble is not None:
            path.unlink()
            raise trouble
    finally:
        beside.unlink(missing_ok=True)


def _opened(path: Path, compression: str) -> IO[bytes]:
    return path.open("wb") if compression == "none" else gzip.GzipFile(path, "wb", mtime=0)  # type: ignore[return-value]


def _not_held(path: Path, dialect: Dialect) -> DataError:
    """Name the column with a character that an encoding does not have."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file, delimiter=dialect.separator)
        header = next(rows)
        numbers = (
            number for row in chain([header], rows) for number, cell in enumerate(row) if not _holds(cell, dialect)
        )
        number = next(numbers)
    named = repr(header[number]) if _holds(header[number], dialect) else str(number + 1)
    msg = f"Column {named} of the release has a character that a file in {dialect.encoding} cannot hold."
    return DataError(msg, hint=OTHER_ENCODING)


def _holds(text: str, dialect: Dialect) -> bool:
    try:
        text.encode(dialect.encoding)
    except UnicodeEncodeError:
        return False
    return True
