"""Small files that are huge inside are refused before anybody reads them."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pytest

from incrowd.core import DataError
from incrowd.engines import open_table
from incrowd.web import _spreadsheet_size as _unpacked
from incrowd.web._spreadsheet_size import refuse_huge
from web.serving import Visitor

SHEET = "xl/worksheets/sheet1.xml"
FAR = b'<sheetData><row r="1"><c r="A1"/></row><row r="1048576"><c r="XFD1048576"/></row></sheetData>'


def packed(path: Path, parts: Iterable[tuple[str, bytes]]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in parts:
            archive.writestr(name, content)
    return path


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a megabyte be huge, so that tests need not write a real bomb."""
    monkeypatch.setattr(_unpacked, "MOST_BYTES", 2**20)


def test_an_ordinary_spreadsheet_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    open_table(pa.table({"age": list(range(1_000)), "sex": ["f", "m"] * 500})).write(path)
    refuse_huge(path)


@pytest.mark.usefixtures("small")
def test_what_is_large_when_it_is_unpacked_is_refused(tmp_path: Path) -> None:
    bomb = packed(tmp_path / "bomb.xlsx", [(SHEET, b" " * (2**20 + 1))])
    assert bomb.stat().st_size < 2_000
    with pytest.raises(DataError, match="is larger than 2 GB when it is unpacked"):
        refuse_huge(bomb)


@pytest.mark.usefixtures("small")
def test_many_parts_are_added_up(tmp_path: Path) -> None:
    bomb = packed(tmp_path / "bomb.xlsx", [(f"{number}.xml", b" " * 2**18) for number in range(5)])
    with pytest.raises(DataError, match="when it is unpacked"):
        refuse_huge(bomb)


@pytest.mark.usefixtures("small")
def test_a_list_that_lies_about_sizes_is_not_believed(tmp_path: Path) -> None:
    bomb = packed(tmp_path / "bomb.xlsx", [(SHEET, b" " * 2**22)])
    content = bytearray(bomb.read_bytes())
    listed = content.index(b"PK\x01\x02")  # the list of parts says how large they are
    content[listed + 24 : listed + 28] = (100).to_bytes(4, "little")
    bomb.write_bytes(content)
    assert zipfile.ZipFile(bomb).infolist()[0].file_size == 100
    with pytest.raises(DataError, match="when it is unpacked"):
        refuse_huge(bomb)


@pytest.mark.parametrize(
    "sheet",
    [
        FAR,
        FAR.replace(b'"', b"'").replace(b"<c ", b'<x:c s="1" '),
        b'<row r="1048576"><c r="A1048576"/></row><row r="1">' + b"<c/>" * 100 + b"</row>",
        b" " * (2**20 - 20) + FAR,  # on the border of two chunks
    ],
)
def test_a_sheet_that_reaches_far_is_refused_whatever_it_is_called(tmp_path: Path, sheet: bytes) -> None:
    bomb = packed(tmp_path / "bomb.xlsx", [("xl/elsewhere.xml", sheet)])
    with pytest.raises(DataError, match="spans more than 50,000,000 cells"):
        refuse_huge(bomb)


@pytest.mark.parametrize("content", [b"PK\x03\x04no archive", b"", zlib.compress(b"no archive")])
def test_a_broken_archive_is_said_to_be_broken(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(content)
    with pytest.raises(DataError, match="is not a spreadsheet, or is broken"):
        refuse_huge(path)


def test_a_bomb_that_is_uploaded_or_named_by_a_plan_does_not_go_off(planned: Visitor, folder: Path) -> None:
    bomb = packed(folder / "far.xlsx", [(SHEET, FAR)])
    name = planned.ask("POST", "/api/files", 201, params={"name": "far.xlsx"}, content=bomb.read_bytes())["name"]
    for known in (name, "far.xlsx"):
        told = planned.ask("POST", "/api/open", 422, json={"name": known})
        assert "spans more than" in told["message"]
        assert "save the sheet as CSV" in told["hint"]
    text = planned.ask("GET", "/api/plan")["text"].replace("patients.csv", "far.xlsx")
    planned.ask("PUT", "/api/plan/text", json={"text": text})
    assert "spans more than" in planned.ask("GET", "/api/table/profile", 422)["message"]
    for kind in ("run", "alternatives", "frontier"):
        assert "spans more than" in planned.work(kind=kind)["error"]["message"]
