"""How a text file is laid out: separator, header, encoding. Nothing is left for the engine to guess."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import shutil
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

from incrowd.core import DataError

SEPARATORS = (",", ";", "\t", "|")
_LOOK = 1 << 16
"""So many bytes of a file are enough to see its layout."""

_UTF8 = {"utf-8", "utf-8-sig", "ascii"}
"""Encodings that DuckDB reads as they are, by Python's names."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """What one needs to know to read a text file."""

    separator: str
    columns: tuple[str, ...]


def look_at(path: Path, encoding: str, separator: str | None) -> Dialect:
    """Read the beginning of a file and find out how it is laid out.

    Parameters
    ----------
    path
        The file, plain or ``.gz``.
    encoding
        How its characters are encoded.
    separator
        What stands between values; ``None`` to find out.
    """
    text = _beginning(path, encoding)
    if not text.strip():
        msg = f"The file {path.name!r} is empty."
        raise DataError(msg, hint="the first line must name the columns.")
    separator = separator or _separator(text)
    header = next(csv.reader(io.StringIO(text), delimiter=separator))
    _check_header(path, header)
    return Dialect(separator, tuple(header))


def is_utf8(encoding: str) -> bool:
    """Whether a file of this encoding can be read as it is."""
    return codecs.lookup(encoding).name in _UTF8


def copy_as_utf8(path: Path, encoding: str) -> Path:
    """Copy a file to a temporary one that is encoded in UTF-8."""
    with NamedTemporaryFile("w", suffix=".csv", encoding="utf-8", newline="", delete=False) as copy:
        try:
            with _open(path, encoding) as source:
                shutil.copyfileobj(source, copy)
        except BaseException:
            Path(copy.name).unlink()
            raise
    return Path(copy.name)


def check_encoding(encoding: str) -> None:
    """Refuse an encoding that Python does not know."""
    try:
        codecs.lookup(encoding)
    except LookupError:
        msg = f"There is no encoding {encoding!r}."
        raise DataError(msg, hint="common ones are 'utf-8', 'latin-1', 'cp1252' and 'utf-16'.") from None


def _open(path: Path, encoding: str) -> io.TextIOBase:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding=encoding, newline="")
    return path.open(encoding=encoding, newline="")


def _beginning(path: Path, encoding: str) -> str:
    encoding = "utf-8-sig" if codecs.lookup(encoding).name == "utf-8" else encoding
    try:
        with _open(path, encoding) as file:
            return file.read(_LOOK)
    except UnicodeError:
        pass
    msg = f"The file {path.name!r} is not valid {encoding.removesuffix('-sig')}."
    raise DataError(msg, hint="say the encoding, for example encoding='latin-1'.")


def _separator(text: str) -> str:
    """Choose the separator that cuts the first line into most columns; among equals the more common one."""
    widths = {sign: len(next(csv.reader(io.StringIO(text), delimiter=sign))) for sign in SEPARATORS}
    return max(SEPARATORS, key=lambda sign: widths[sign])


def _check_header(path: Path, header: list[str]) -> None:
    for number, name in enumerate(header, start=1):
        if not name.strip():
            msg = f"Column {number} of the file {path.name!r} has no name."
            raise DataError(msg, hint="the first line must name every column.")
    twice = next((name for name in header if header.count(name) > 1), None)
    if twice is not None:
        msg = f"The file {path.name!r} has two columns named {twice!r}."
        raise DataError(msg, hint="give every column a name of its own.")
