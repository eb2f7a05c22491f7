"""Read and write files of lines: hierarchies as ARX has them, and categories.

ARX's format has no header, one line per value, and the levels as columns, the value first.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Literal, TextIO

from incrowd.core import DataError, HierarchyError, IncrowdError

SEPARATORS = (";", "\t", ",")
"""Tried in this order: a comma inside a label is common, a semicolon is not."""

Line = tuple[int, tuple[str, ...]]


def read_lines(path: str | os.PathLike[str]) -> list[Line]:
    """Read the fields of every line that is not blank, with its number; the separator is found out."""
    text = _read_text(path)
    tries = [(separator, _parse(text, separator)) for separator in SEPARATORS]
    for _, lines in tries:
        if isinstance(lines, list) and lines and len(lines[0][1]) > 1 and len({len(row) for _, row in lines}) == 1:
            return lines
    start = text.partition("\n")[0]
    _, lines = max(tries, key=lambda attempt: start.count(attempt[0]))
    if isinstance(lines, int):
        msg = f"The file {Path(path).name!r} has an unbalanced quote or an overlong field near line {lines}."
        raise HierarchyError(msg, hint='a quote inside a quoted field is written twice: "say ""ah""".')
    return lines


def write_lines(rows: Iterable[Sequence[str]], target: str | os.PathLike[str] | TextIO) -> None:
    """Write lines so that ``read_lines`` gives the same fields back."""
    rows = list(rows)
    # A single column has no separator to recognise, and these two characters are lost at a line's ends.
    careful = any(len(row) < 2 or any("\r" in field or "\ufeff" in field for field in row) for row in rows)
    with _open_to_write(target) as file:
        quoting: Literal[0, 1] = csv.QUOTE_ALL if careful else csv.QUOTE_MINIMAL
        csv.writer(file, delimiter=";", lineterminator="\n", quoting=quoting).writerows(rows)


def _open_to_write(target: str | os.PathLike[str] | TextIO) -> nullcontext[TextIO] | TextIO:
    if isinstance(target, str | os.PathLike):
        return Path(target).open("w", encoding="utf-8", newline="")
    return nullcontext(target)


def _read_text(path: str | os.PathLike[str]) -> str:
    """Read the whole file; errors are raised outside of the except block, whose context would keep the bytes."""
    trouble: IncrowdError
    try:
        return Path(path).read_bytes().decode("utf-8-sig")
    except OSError as error:
        msg = f"The file {_shown(path)!r} cannot be read: {error.strerror}."
        trouble = DataError(msg, hint="check the path and your rights.")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        msg = f"The file {_shown(path)!r} is not UTF-8: line {line} has other bytes."
        trouble = HierarchyError(msg, hint="save it as UTF-8.")
    raise trouble


def _shown(path: str | os.PathLike[str]) -> str:
    """Name a file as short as possible; ``.`` and ``/`` have no name of their own."""
    return Path(path).name or os.fspath(path)


def _parse(text: str, separator: str) -> list[Line] | int:
    """Split into fields; where the quotes are broken, give the line number instead."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        return [(reader.line_num, tuple(row)) for row in reader if row]
    except csv.Error:
        return reader.line_num
