"""The bytes of a text file, and whether an encoding reads all of them."""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

_BLOCK = 1 << 20
_BLOCKS = 256
"""So many blocks of a file are looked at: a hint need not wait for all of a large one."""
MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def begins_with_mark(path: Path) -> bool:
    """Whether a file begins with a byte order mark."""
    first = next(blocks_of(path), b"")
    return any(first.startswith(mark) for mark, _ in MARKS)


def without_mark(first: bytes) -> list[str]:
    """Name the kind of UTF-16 in which most second bytes are zero, as in texts of Latin letters."""
    half = len(first) // 2 * 0.4
    by_order = {"utf-16-le": first[1::2].count(0), "utf-16-be": first[::2].count(0)}
    return [name for name, zeros in by_order.items() if zeros > half]


def reads(path: Path, encoding: str) -> bool:
    """Whether an encoding reads all of a file."""
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for block in blocks_of(path):
            decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeError:
        return False
    return True


def blocks_of(path: Path) -> Iterator[bytes]:
    """Give the bytes of a file, plain or ``.gz``, piece by piece; what cannot be unpacked ends them."""
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            for _ in range(_BLOCKS):
                if not (block := file.read(_BLOCK)):
                    return
                yield block
    except (OSError, EOFError, zlib.error):
        return
