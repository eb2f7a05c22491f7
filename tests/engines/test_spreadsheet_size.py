"""Small files that are huge inside are refused before anybody reads them."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest

from engines.extras import needed
from engines.mutations import packed
from engines.spreadsheets import Cells, xls, xlsb
from incrowd.core import DataError
from incrowd.engines import head_of, open_table, sheets_of
from incrowd.engines.formats import _spreadsheet_size
from incrowd.engines.formats._spreadsheet_size import refuse_huge

SHEET = "xl/worksheets/sheet1.xml"
FAR = b'<sheetData><row r="1"><c r="A1"/></row><row r="1048576"><c r="XFD1048576"/></row></sheetData>'


def written(path: Path, parts: dict[str, bytes]) -> Path:
    path.write_bytes(packed(parts))
    return path


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a megabyte be huge, so that tests need not write a real bomb."""
    monkeypatch.setattr(_spreadsheet_size, "MOST_BYTES", 2**20)


def test_an_ordinary_spreadsheet_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    open_table(pa.table({"age": list(range(1_000)), "sex": ["f", "m"] * 500})).write(path)
    refuse_huge(path)


@pytest.mark.usefixtures("small")
def test_what_is_large_when_it_is_unpacked_is_refused(tmp_path: Path) -> None:
    bomb = written(tmp_path / "bomb.xlsx", {SHEET: b" " * (2**20 + 1)})
    assert bomb.stat().st_size < 2_000
    with pytest.raises(DataError, match="is larger than 2 GB when it is unpacked"):
        refuse_huge(bomb)


@pytest.mark.usefixtures("small")
def test_many_parts_are_added_up(tmp_path: Path) -> None:
    bomb = written(tmp_path / "bomb.xlsx", {f"{number}.xml": b" " * 2**18 for number in range(5)})
    with pytest.raises(DataError, match="when it is unpacked"):
        refuse_huge(bomb)


@pytest.mark.usefixtures("small")
def test_a_list_that_lies_about_sizes_is_not_believed(tmp_path: Path) -> None:
    bomb = written(tmp_path / "bomb.xlsx", {SHEET: b" " * 2**22})
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
    bomb = written(tmp_path / "bomb.xlsx", {"xl/elsewhere.xml": sheet})
    with pytest.raises(DataError, match="spans more than 50,000,000 cells"):
        refuse_huge(bomb)


@pytest.mark.parametrize("content", [b"PK\x03\x04no archive", b"", zlib.compress(b"no archive")])
def test_a_broken_archive_is_said_to_be_broken(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(content)
    with pytest.raises(DataError, match="is not a spreadsheet, or is broken"):
        refuse_huge(path)


NEAR: Cells = [(0, 0, "age"), (0, 1, "sex"), (1, 0, 31.0), (1, 1, "f")]


def test_a_sheet_that_reaches_far_is_refused_however_it_is_opened(tmp_path: Path) -> None:
    needed("fastexcel")
    far = written(tmp_path / "far.xlsx", {SHEET: FAR})
    for open_it in (open_table, sheets_of, partial(head_of, rows=1)):
        with pytest.raises(DataError, match=r"The spreadsheet 'far\.xlsx' has a sheet that spans more than 50,000,000"):
            open_it(far)


@pytest.mark.parametrize("write", [xls, xlsb])
def test_a_binary_spreadsheet_at_which_a_reader_dies_is_refused(
    write: Callable[[Cells], bytes], tmp_path: Path
) -> None:
    needed("fastexcel")
    near, far = (tmp_path / f"{name}.{write.__name__}" for name in ("near", "far"))
    near.write_bytes(write(NEAR))
    assert open_table(near).materialise().to_pylist() == [{"age": 31, "sex": "f"}]
    far.write_bytes(write([*NEAR, (65_535, 65_535, 1.0)]))
    with pytest.raises(DataError, match=rf"'far\.{write.__name__}' is not a spreadsheet, or is broken"):
        open_table(far)


def test_a_binary_spreadsheet_that_takes_a_reader_too_long_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_spreadsheet_size, "SECONDS", 0.01)
    (tmp_path / "slow.xls").write_bytes(xls(NEAR))
    with pytest.raises(DataError, match="is not a spreadsheet, or is broken"):
        refuse_huge(tmp_path / "slow.xls")
