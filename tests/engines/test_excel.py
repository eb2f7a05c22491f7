"""Sheets of spreadsheets: read as they are meant, and never written if they cannot hold a value."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import incrowd as ic
from engines.extras import needed
from incrowd.core import DataError
from incrowd.engines import open_table, write_table


@pytest.fixture(autouse=True)
def _extras_are_there() -> None:
    needed("fastexcel", "xlsxwriter")


def test_a_row_of_nothing_is_refused_by_excel(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot hold a row in which everything is missing"):
        write_table(pa.table({"x": [1, None]}), tmp_path / "t.xlsx")


def test_a_date_before_excel_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="'born': it has dates before March 1900"):
        write_table(pa.table({"born": [dt.date(1850, 1, 1)]}), tmp_path / "t.xlsx")


def two_sheets(path: Path) -> Path:
    import xlsxwriter  # noqa: PLC0415 - optional

    book = xlsxwriter.Workbook(str(path))
    for name, value in (("first", "a"), ("second", "b")):
        page = book.add_worksheet(name)
        page.write_column(0, 0, ["x", value])
    book.close()
    return path


@pytest.mark.parametrize(("sheet", "value"), [("first", "a"), ("second", "b"), (1, "a"), (2, "b")])
def test_a_sheet_is_named_or_numbered(sheet: str | int, value: str, tmp_path: Path) -> None:
    assert open_table(two_sheets(tmp_path / "t.xlsx"), sheet=sheet).materialise().to_pylist() == [{"x": value}]


@pytest.mark.parametrize("sheet", [None, "third", 0, 3])
def test_a_sheet_that_is_not_there_is_refused(sheet: Any, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="has 2 sheets"):
        open_table(two_sheets(tmp_path / "t.xlsx"), sheet=sheet)


def test_the_type_of_a_column_is_found_in_all_of_its_rows(tmp_path: Path) -> None:
    import xlsxwriter  # noqa: PLC0415 - optional

    book = xlsxwriter.Workbook(str(tmp_path / "t.xlsx"))
    book.add_worksheet().write_column(0, 0, ["x", *range(2000), "late"])
    book.close()
    domain = open_table(tmp_path / "t.xlsx").domains(["x"])["x"]
    assert (len(domain), domain.has_null, "late" in domain.texts.tolist()) == (2001, False, True)


@pytest.mark.parametrize(("header", "problem"), [(["x", "X"], "same name"), (["x", ""], "has no name")])
def test_the_header_of_a_sheet_is_checked(header: list[str], problem: str, tmp_path: Path) -> None:
    import xlsxwriter  # noqa: PLC0415 - optional

    book = xlsxwriter.Workbook(str(tmp_path / "t.xlsx"))
    page = book.add_worksheet()
    page.write_row(0, 0, header)
    page.write_row(1, 0, [1, 2])
    book.close()
    with pytest.raises(ic.IncrowdError, match=problem):
        open_table(tmp_path / "t.xlsx")
