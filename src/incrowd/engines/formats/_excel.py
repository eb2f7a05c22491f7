"""Excel: reading one sheet, writing one sheet, and cells of text that are numbers or days."""

from __future__ import annotations

import datetime as dt
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.core import DataError, Domain, Hint, import_extra
from incrowd.engines._arrow import check_finite, check_written_values, is_text_type, with_narrowest_types
from incrowd.engines.formats._notation import Notation, plain_texts
from incrowd.engines.formats._spreadsheet_size import not_a_spreadsheet, refuse_huge
from incrowd.engines.formats._wording import check_header, escaped_column

MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384  # what a sheet of Excel can hold, the header among the rows
_NAMED = 10  # so many sheets are named
_MADE = dt.datetime(1980, 1, 1, tzinfo=dt.UTC)
"""When the file says that it was made: always then, so that equal tables give equal files."""


def read_spreadsheet(path: Path, sheet: str | int | None = None) -> pa.Table:
    """Read a sheet. Its first row names the columns."""
    book = _open_book(path)
    number = _sheet_number(path, book.sheet_names, sheet)
    with _without_log():
        first = book.load_sheet(number, header_row=None, n_rows=1, dtypes="string")
        names = [values[0] for values in first.to_arrow().to_pydict().values()] if first.width else []
        _check_names(path, names)
        read = book.load_sheet(number, schema_sample_rows=None).to_arrow()  # by default it guesses from 1,000 rows
    return with_narrowest_types(pa.Table.from_batches([read]).rename_columns(names))


def plain_cells(table: pa.Table, notation: Notation, missing: Sequence[str]) -> tuple[pa.Table, tuple[str, ...]]:
    """Make numbers and days of texts that are written as such in every cell of a column; say what no column has."""
    if notation.is_plain:
        return table, ()
    names = [field.name for field in table.schema if is_text_type(field.type)]
    found, unused = plain_texts(
        {name: table[name].combine_chunks().cast(pa.large_string()) for name in names}, notation, missing
    )
    for name, (_, plain) in found.items():
        texts = [None if text in missing else text for text in plain.to_pylist()]
        table = table.set_column(table.column_names.index(name), name, _typed_column(name, texts))
    return table, unused


def _typed_column(name: str, texts: Sequence[str | None]) -> pa.Array:
    counts = Counter(text for text in texts if text is not None)
    domain = Domain.of_texts(name, list(counts), np.array(list(counts.values())))
    values = dict(zip(domain.texts.tolist(), domain.values.tolist(), strict=True))
    return pa.array([None if text is None else values[text] for text in texts])


def sheets_of(path: Path) -> list[str]:
    return list(_open_book(path).sheet_names)


def _open_book(path: Path) -> Any:
    fastexcel = import_extra("fastexcel", extra="files", what="Reading a spreadsheet")
    refuse_huge(path)
    with suppress(fastexcel.FastExcelError):
        return fastexcel.read_excel(path)
    raise not_a_spreadsheet(path)


def _sheet_number(path: Path, names: Sequence[str], sheet: str | int | None) -> int:
    if sheet is None and len(names) == 1:
        return 0
    if isinstance(sheet, str) and sheet in names:
        return names.index(sheet)
    if isinstance(sheet, str) and sheet.isdecimal():  # as it is typed on a command line; a name comes first
        sheet = int(sheet)
    if isinstance(sheet, int) and not isinstance(sheet, bool) and 1 <= sheet <= len(names):
        return sheet - 1
    if not names:
        raise not_a_spreadsheet(path)
    count = "1 sheet" if len(names) == 1 else f"{len(names)} sheets"
    msg = f"The file {path.name!r} has {count}" + ("." if sheet is None else f", and none is {sheet!r}.")
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    listed = ", ".join(map(repr, names[:_NAMED]))
    hint = Hint("say which one by its name, or by its number from 1: {sheet}. ", sheet=1)
    raise DataError(msg, hint=hint + f"It has {listed}{more}.")


def _check_names(path: Path, names: Sequence[str | None]) -> None:
    if not names:
        msg = f"The sheet of the file {path.name!r} is empty."
        raise DataError(msg, hint="the first row must name the columns.")
    for number, name in enumerate(names, start=1):
        if name is None or not name.strip():
            msg = f"Column {number} of the file {path.name!r} has no name."
            raise DataError(msg, hint="the first row must name every column, and nothing may stand above it.")


@contextmanager
def _without_log() -> Iterator[None]:
    """Keep the reader from logging that a column is empty."""
    logger = logging.getLogger("fastexcel.types.dtype")
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


def write_spreadsheet(table: pa.Table, path: Path) -> None:
    """Write a table to the only sheet of a new file; texts that Excel would run are escaped."""
    xlsxwriter = import_extra("xlsxwriter", extra="files", what="Writing a spreadsheet")
    check_header(table.column_names)
    if table.num_rows >= MOST_ROWS or table.num_columns > MOST_COLUMNS:
        msg = f"A sheet of Excel cannot hold {table.num_rows:,} rows and {table.num_columns:,} columns."
        raise DataError(msg, hint=f"it holds {MOST_ROWS - 1:,} rows below its header; write Parquet or CSV.")
    _check_dates(table)
    check_finite(table, "Excel")
    table = pa.table({name: escaped_column(table[name]) for name in table.column_names})
    book = xlsxwriter.Workbook(str(path), {"constant_memory": True})
    book.set_properties({"created": _MADE})
    page = book.add_worksheet("data")
    for column, name in enumerate(table.column_names):
        page.write_string(0, column, name)
    writers = [_cell_writer(page, book, number, table.field(number)) for number in range(table.num_columns)]
    row = 0
    for batch in table.to_batches(max_chunksize=10_000):
        for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            row += 1
            for write, value in zip(writers, values, strict=True):
                if value is not None:
                    write(row, value)
    book.close()
    check_written_values(table, read_spreadsheet(path), path)


def _check_dates(table: pa.Table) -> None:
    """Refuse dates before March 1900: Excel counts a day that never was, and shows none before 1900."""
    for name, column in zip(table.column_names, table.columns, strict=True):
        is_date = pa.types.is_date(column.type) or pa.types.is_timestamp(column.type)
        first = pc.min(column).as_py() if is_date else None
        if first is not None and (first.year, first.month) < (1900, 3):
            msg = f"Excel cannot hold column {name!r}: it has dates before March 1900."
            raise DataError(msg, hint="make it text first, or write Parquet.")


def _cell_writer(page: Any, book: Any, column: int, field: pa.Field) -> Callable[[int, Any], Any]:
    type_ = field.type
    if pa.types.is_boolean(type_):
        return lambda row, value: page.write_boolean(row, column, value)
    if pa.types.is_integer(type_) or pa.types.is_floating(type_) or pa.types.is_decimal(type_):
        return lambda row, value: page.write_number(row, column, float(value))
    if pa.types.is_date(type_) or (pa.types.is_timestamp(type_) and type_.tz is None):
        shown = book.add_format({"num_format": "yyyy-mm-dd" if pa.types.is_date(type_) else "yyyy-mm-dd hh:mm:ss.000"})
        return lambda row, value: page.write_datetime(row, column, value, shown)
    if pa.types.is_string(type_) or pa.types.is_large_string(type_) or pa.types.is_null(type_):
        return lambda row, value: page.write_string(row, column, value)
    msg = f"Excel cannot hold column {field.name!r}, which is of type {type_}."
    raise DataError(msg, hint="make it text first, or write Parquet.")
