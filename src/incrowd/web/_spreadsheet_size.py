"""How much a spreadsheet holds when it is unpacked: measured before anybody reads it, and refused if it is huge."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from incrowd.core import DataError
from incrowd.engines import ending_of

PACKED = (".xlsx", ".ods")  # spreadsheets that are archives
MOST_BYTES, MOST_CELLS = 2**31, 50_000_000
"""What a spreadsheet may hold: bytes when it is unpacked, and cells of a sheet from the first to the last."""
_BYTES = f"is larger than {MOST_BYTES / 2**30:g} GB when it is unpacked"
_CELLS = f"has a sheet that spans more than {MOST_CELLS:,} cells"
CHUNK = 2**20
HEADER = 30  # the bytes of a file's header in an archive before its name

_ROW = re.compile(rb"<(?:\w+:)?row\b")
_PLACE = re.compile(rb"<(?:\w+:)?row\b[^>]{0,2000}?\sr\s*=\s*[\"'](\d{1,18})")
_CELL = re.compile(rb"<(?:\w+:)?c\b[^>]{0,2000}?\sr\s*=\s*[\"']([A-Za-z]{1,7})(\d{1,18})[\"']")
_UNPLACED = re.compile(rb"<(?:\w+:)?c(?=[\s/>])(?![^>]{0,2000}?\sr\s*=)")
KEPT = 4096  # bytes of a chunk that are looked at again with the next one: a tag may lie on the border

Key = tuple[str, int, int]
_SMALL: set[Key] = set()  # files that were measured already, by name, size and time


def refuse_huge(path: Path) -> None:
    """Refuse a spreadsheet that would fill the memory, however small its file is."""
    if ending_of(path) not in PACKED or not path.is_file():
        return
    found = path.stat()
    key = str(path), found.st_size, found.st_mtime_ns
    if key in _SMALL:
        return
    try:
        with path.open("rb") as file, ZipFile(file) as archive:
            _refuse_huge_parts(archive, file)
    except (BadZipFile, zlib.error, NotImplementedError, EOFError, OSError) as error:
        msg = f"The file {path.name!r} is not a spreadsheet, or is broken."
        raise DataError(msg, hint="open it in Excel and save it again.") from error
    _SMALL.clear()
    _SMALL.add(key)


def _refuse_huge_parts(archive: ZipFile, file: IO[bytes]) -> None:
    """Unpack every part of an archive bit by bit, and keep nothing: what its list says may be wrong."""
    left = MOST_BYTES
    if sum(part.file_size for part in archive.infolist()) > left:
        raise _too_large_error(_BYTES)
    for part in archive.infolist():
        extent = _Extent()
        for chunk in _inflated_chunks(file, part):
            left -= len(chunk)
            if left < 0:
                raise _too_large_error(_BYTES)
            extent.look_at(chunk)  # of every part: a sheet may have any name
        if extent.cells > MOST_CELLS:
            raise _too_large_error(_CELLS)


def _inflated_chunks(file: IO[bytes], part: ZipInfo) -> Iterator[bytes]:
    """Unpack a part of an archive, whatever size it claims to have."""
    if part.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
        msg = "unknown method"
        raise BadZipFile(msg)
    file.seek(part.header_offset)
    header = file.read(HEADER)
    if len(header) < HEADER or header[:4] != b"PK\x03\x04":
        msg = "no header"
        raise BadZipFile(msg)
    file.seek(int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little"), 1)
    inflate = zlib.decompressobj(-15)
    left = part.compress_size
    while left > 0 and (packed := file.read(min(CHUNK // 16, left))):
        left -= len(packed)
        if part.compress_type == ZIP_STORED:
            yield packed
            continue
        while packed and not inflate.eof:
            yield inflate.decompress(packed, CHUNK)
            packed = inflate.unconsumed_tail


@dataclass
class _Extent:
    """How far a sheet reaches: readers keep a place for every cell between the first and the last."""

    rows: int = 0
    columns: int = 0
    rest: bytes = b""

    @property
    def cells(self) -> int:
        return self.rows * self.columns

    def look_at(self, chunk: bytes) -> None:
        """Go on with what was unpacked; what lies on the border is seen again with the next chunk."""
        text = self.rest + chunk
        placed = _CELL.findall(text)
        self.columns = max([self.columns, *map(_column_number_of_letters, {letters for letters, _ in placed})])
        self.rows = max([self.rows, *map(int, {row for _, row in placed}), *map(int, set(_PLACE.findall(text)))])
        if _UNPLACED.search(text):  # such cells stand side by side
            self.columns = max(self.columns, *(len(_UNPLACED.findall(row)) for row in _ROW.split(text)))
        self.rest = text[-KEPT:]


def _column_number_of_letters(letters: bytes) -> int:
    """Give the number of a column that is written as letters: A is 1, AA is 27."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - 64
    return number


def _too_large_error(what: str) -> DataError:
    msg = f"The spreadsheet {what}: it is not read."
    return DataError(msg, hint="delete what is not part of the table, or save the sheet as CSV.")
