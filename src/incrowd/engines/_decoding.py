"""In which encoding a text file can be read, where the one that was given fails."""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

from incrowd.core import DataError

_BLOCK = 1 << 20
_BLOCKS = 256
"""So many blocks of a file are looked at: a hint need not wait for all of a large one."""
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_CONTROLS = bytes(range(0x80, 0xA0))
"""Latin-1 has control signs here, which no table has; Windows has letters and the sign of the euro."""


def wrong_encoding(path: Path | None, problem: str) -> DataError:
    """Say which encoding would read a file.

    Parameters
    ----------
    path
        The file, plain or ``.gz``, if it is known.
    problem
        What is wrong with it.
    """
    if path is None:
        return DataError(problem, hint="say how it was saved, such as encoding='cp1252'.")
    found = readable_as(path)
    if found is not None:
        return DataError(problem, hint=f"it can be read with encoding='{found}'.")
    if any(0 in block for block in _blocks(path)):
        return DataError(problem, hint="it does not look like a text file: is the ending of its name the right one?")
    return DataError(problem, hint="say how it was saved, such as encoding='cp437'. No usual encoding fits.")


def readable_as(path: Path) -> str | None:
    """Name the most likely encoding that reads all of a file; ``None`` if no usual one does."""
    first = next(_blocks(path), b"")
    marked = next((name for mark, name in _MARKS if first.startswith(mark)), None)
    likely = [marked] if marked else _without_mark(first)
    if not marked and 0 not in first:
        extra = any(byte in _CONTROLS for block in _blocks(path) for byte in set(block))
        likely = ["utf-8", "cp1252" if extra else "latin-1"]
    return next((name for name in likely if _reads(path, name)), None)


def begins_with_mark(path: Path) -> bool:
    """Whether a file begins with a byte order mark."""
    first = next(_blocks(path), b"")
    return any(first.startswith(mark) for mark, _ in _MARKS)


def _without_mark(first: bytes) -> list[str]:
    """Name the kind of UTF-16 in which most second bytes are zero, as in texts of Latin letters."""
    half = len(first) // 2 * 0.4
    by_order = {"utf-16-le": first[1::2].count(0), "utf-16-be": first[::2].count(0)}
    return [name for name, zeros in by_order.items() if zeros > half]


def _reads(path: Path, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for block in _blocks(path):
            decoder.decode(block)
    except UnicodeError:
        return False
    return True


def _blocks(path: Path) -> Iterator[bytes]:
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            for _ in range(_BLOCKS):
                if not (block := file.read(_BLOCK)):
                    return
                yield block
    except (OSError, EOFError, zlib.error):
        return
