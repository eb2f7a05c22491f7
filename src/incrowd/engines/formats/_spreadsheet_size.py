"""How much a spreadsheet holds when it is unpacked: measured before anybody reads it, and refused if it is huge.

Readers keep a place for every cell between the first and the last, and end the process if there is no memory for them.
What is an archive of texts is measured here; the binary kinds are opened by another process first, which may die.
"""

from __future__ import annotations

import re
import subprocess
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from incrowd.core import DataError
from incrowd.engines.formats._csv import BROKEN

PACKED = (".xlsx", ".xlsm", ".ods")  # archives of texts
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

SECONDS = 60  # so long may another process take to open one
_OPEN = f"""
import sys
from contextlib import suppress
with suppress(ImportError, ValueError, OSError):
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, ({2**32}, {2**32}))
with suppress(Exception):
    import fastexcel
    book = fastexcel.read_excel(sys.argv[1])
    for sheet in book.sheet_names:
        with suppress(Exception):
            book.load_sheet(sheet, header_row=None)
"""

Key = tuple[str, int, int]
_SMALL: set[Key] = set()  # files that were measured already, by name, size and time


def refuse_huge(path: Path) -> None:
    """Refuse a spreadsheet that would fill the memory, however small its file is."""
    found = path.stat()
    key = str(path), found.st_size, found.st_mtime_ns
    if key in _SMALL:
        return
    if path.suffix.lower() in PACKED:
        _measure(path)
    else:
        _open_elsewhere(path)
    _SMALL.clear()
    _SMALL.add(key)


def not_a_spreadsheet(path: Path) -> DataError:
    return DataError(f"The file {path.name!r} is not a spreadsheet, or is broken.", hint=BROKEN)


def _open_elsewhere(path: Path) -> None:
    """Let another process open a file and read its sheets; refuse one at which it dies, or that takes it too long."""
    command = [sys.executable, "-P", "-c", _OPEN, str(path)]  # -P: what lies beside a table is no library
    try:
        done = subprocess.run(command, check=False, capture_output=True, timeout=SECONDS)  # noqa: S603 - our own
        code = done.returncode
    except subprocess.TimeoutExpired:
        code = 1
    if code:
        raise not_a_spreadsheet(path)


def _measure(path: Path) -> None:
    with path.open("rb") as file:
        try:
            with ZipFile(file) as archive:
                huge = _huge_in(archive, file)
        except Exception:  # noqa: BLE001 - a list of parts that is damaged can be so in any way
            huge = None
    if huge is None:
        raise not_a_spreadsheet(path)
    if huge:
        msg = f"The spreadsheet {path.name!r} {huge}: it is not read."
        raise DataError(msg, hint="delete what is not part of the table, or save the sheet as CSV.")


def _huge_in(archive: ZipFile, file: IO[bytes]) -> str:
    """Unpack every part of an archive bit by bit, and keep nothing: what its list says may be wrong."""
    left = MOST_BYTES
    if sum(part.file_size for part in archive.infolist()) > left:
        return _BYTES
    for part in archive.infolist():
        extent = _Extent()
        for chunk in _inflated_chunks(file, part):
            left -= len(chunk)
            if left < 0:
                return _BYTES
            extent.look_at(chunk)  # of every part: a sheet may have any name
        if extent.cells > MOST_CELLS:
            return _CELLS
    return ""


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
