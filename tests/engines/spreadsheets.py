"""Spreadsheets of the kinds that we cannot write, with cells where a test wants them."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

from engines.mutations import packed

Cells = Sequence[tuple[int, int, str | float]]
"""Row and column of each from 0, row by row, and what stands there."""

_OFFICE = "urn:oasis:names:tc:opendocument:xmlns"
_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_SECTOR = 512


def ods(rows: Iterable[Sequence[str | float]]) -> bytes:
    """Pack rows as OpenDocument has them."""
    cells = ("".join(map(_ods_cell, row)) for row in rows)
    table = "".join(f"<table:table-row>{row}</table:table-row>" for row in cells)
    names = " ".join(f'xmlns:{name}="{_OFFICE}:{name}:1.0"' for name in ("office", "text", "table"))
    inside = f'<office:spreadsheet><table:table table:name="S">{table}</table:table></office:spreadsheet>'
    document = f"<office:document-content {names}><office:body>{inside}</office:body></office:document-content>"
    content = f'<?xml version="1.0"?>{document}'
    kind = b"application/vnd.oasis.opendocument.spreadsheet"
    entry = '<m:file-entry m:full-path="content.xml" m:media-type="text/xml"/>'
    listed = f'<?xml version="1.0"?><m:manifest xmlns:m="{_OFFICE}:manifest:1.0">{entry}</m:manifest>'
    return packed({"mimetype": kind, "META-INF/manifest.xml": listed.encode(), "content.xml": content.encode()})


def _ods_cell(value: str | float) -> str:
    kind = "string" if isinstance(value, str) else f'float" office:value="{value}'
    return f'<table:table-cell office:value-type="{kind}"><text:p>{value}</text:p></table:table-cell>'


def xlsb(cells: Cells) -> bytes:
    """Pack cells as the binary format of Excel since 2007 has them."""
    book = _part(0x83) + _part(0x8F) + _part(0x9C, struct.pack("<II", 0, 1) + _wide("rId1") + _wide("S"))
    extent = struct.pack("<IIII", 0, max(row for row, _, _ in cells), 0, max(column for _, column, _ in cells))
    sheet, last = _part(0x81) + _part(0x94, extent) + _part(0x91), -1
    for row, column, value in cells:
        sheet += _part(0, struct.pack("<I", row) + bytes(21)) if row != last else b""
        place = struct.pack("<II", column, 0)
        is_text = isinstance(value, str)
        sheet += _part(6, place + _wide(str(value))) if is_text else _part(5, place + struct.pack("<d", value))
        last = row
    schema = "http://schemas.openxmlformats.org"
    target = f'Id="rId1" Type="{schema}/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.bin"'
    related = f'<Relationships xmlns="{schema}/package/2006/relationships"><Relationship {target}/></Relationships>'
    return packed(
        {
            "[Content_Types].xml": b"<Types/>",
            "xl/workbook.bin": book + _part(0x90) + _part(0x84),
            "xl/_rels/workbook.bin.rels": related.encode(),
            "xl/worksheets/sheet1.bin": sheet + _part(0x92) + _part(0x82),
        }
    )


def _part(kind: int, content: bytes = b"") -> bytes:
    number = bytes([kind]) if kind < 128 else bytes([kind & 0x7F | 0x80, kind >> 7])
    return number + bytes([len(content)]) + content


def _wide(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def xls(cells: Cells) -> bytes:
    """Pack cells as Excel had them before 2007."""
    sheet = _begin(0x10)
    for row, column, value in cells:
        place = struct.pack("<HHH", row, column, 0)
        if isinstance(value, str):
            sheet += _record(0x204, place + struct.pack("<HB", len(value), 0) + value.encode())
        else:
            sheet += _record(0x203, place + struct.pack("<d", value))
    return _compound(_book(len(_book(0))) + sheet + _record(0x0A))


def _book(offset: int) -> bytes:
    sheet = struct.pack("<IBBBB", offset, 0, 0, 1, 0) + b"S"
    return _begin(5) + _record(0x42, struct.pack("<H", 1200)) + _record(0x85, sheet) + _record(0x0A)


def _begin(kind: int) -> bytes:
    return _record(0x809, struct.pack("<HHHHII", 0x600, kind, 0, 0, 0, 6))


def _record(kind: int, content: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(content)) + content


def _compound(stream: bytes) -> bytes:
    """Put a stream into a compound file: a header, the stream's sectors, the folder, and the chains of sectors."""
    count = max(-(-len(stream) // _SECTOR), 8)
    tables = -(-(count + 2) // 127)
    chains = [*range(1, count), _END, _END, *[_FAT] * tables]
    chains += [_FREE] * (tables * 128 - len(chains))
    folder = _entry("Root Entry", 5, 1, _END, 0) + _entry("Workbook", 2, _FREE, 0, count * _SECTOR) + bytes(256)
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    head += struct.pack("<IIIIIIIII", 0, tables, count, 0, 4096, _END, 0, _END, 0)
    head += b"".join(struct.pack("<I", count + 1 + number) for number in range(tables))
    written = head.ljust(_SECTOR, b"\xff") + stream.ljust(count * _SECTOR, b"\0") + folder
    return written + struct.pack(f"<{len(chains)}I", *chains)


def _entry(name: str, kind: int, child: int, start: int, size: int) -> bytes:
    wide = name.encode("utf-16-le") + b"\0\0"
    ids = struct.pack("<HBBIII", len(wide), kind, 1, _FREE, _FREE, child)
    return wide.ljust(64, b"\0") + ids + bytes(36) + struct.pack("<IQ", start, size)
