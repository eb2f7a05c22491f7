"""Whether every record of a text file was read: its line ends, zeros and a last line too long, told by its bytes alone.

DuckDB leaves out a last line that is longer than its buffer, and says nothing. Nothing is taken on trust here:
records are counted a second time, by a program that knows no more of a file than its separator.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.core import DataError

LONGEST = 2_000_000  # bytes that DuckDB takes for a line
TOO_LONG = "a line may have 2 MB; is a quote never closed?"
TAIL = LONGEST + 2  # with the end of the line
_BLOCK = 1 << 20
_SMALL = 1 << 18  # so many bytes are looked at before anything would be compiled
_END, _ZERO = ord("\n"), b"\0"


def check_end(path: Path, name: str) -> None:
    """Refuse a file whose last line is too long, or that ends in zeros: it was not written to its end."""
    with path.open("rb") as file:
        file.seek(max(path.stat().st_size - TAIL, 0))
        check_tail(file.read(), path, name)


def check_tail(tail: bytes, path: Path, name: str) -> None:
    """Do that by the last bytes of a file, which may be a compressed one."""
    if tail.endswith(_ZERO):
        raise _zero_found(path, name)
    if len(tail) == TAIL and not {*b"\r\n"} & {*tail[:-2]}:
        lines = sum(block.count(b"\n") for block in _blocks_of(path)) + (not tail.endswith(b"\n"))
        msg = f"Line {lines:,} of the file {name!r} is too long."
        raise DataError(msg, hint=TOO_LONG)


def _zero_found(path: Path, name: str) -> DataError:
    """Say where the first zero stands."""
    line, place = 1, 1
    for block in _blocks_of(path):
        found = block.find(_ZERO)
        line += block.count(b"\n", 0, found if found >= 0 else None)
        place += found if found >= 0 else len(block)
        if found >= 0:
            break
    msg = f"Line {line:,} of the file {name!r} has a zero where a letter should be, at byte {place:,}."
    return DataError(msg, hint="the file is damaged, or was not written to its end: copy it again from where it came.")


def _blocks_of(path: Path) -> Iterator[bytes]:
    with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb", buffering=0) as file:
        while block := file.read(_BLOCK):
            yield block


@dataclass(frozen=True)
class RecordCount:
    """Text files as they are read, and how many records their bytes hold."""

    files: Sequence[Path]
    names: Sequence[str]  # as messages say them: a copy has the name of its file
    separator: str
    columns: int
    named: bool

    def begin(self) -> None:
        """Count lines while others work: there can be no more records than these."""
        self._lines.running()

    @cached_property
    def _lines(self) -> Future[int]:
        beside = ThreadPoolExecutor(max_workers=1)
        try:
            return beside.submit(self._count_lines)
        finally:
            beside.shutdown(wait=False)

    def check(self, read: int) -> None:
        """Refuse a table of which not every record was read, and one with zeros."""
        if read == self._lines.result():
            return
        if read != (found := sum(map(self._count_records, self.files))):
            where = f"the file {self.names[0]!r}" if len(self.names) == 1 else f"{len(self.names):,} files"
            msg = f"Of {where}, {read:,} records were read, and there are {found:,}."
            raise DataError(msg, hint="write it anew, as Parquet or with quotes around its texts.")

    def _count_lines(self) -> int:
        return sum(map(self._lines_of, self.files, self.names))

    def _lines_of(self, path: Path, name: str) -> int:
        lines, last = 0, b"\n"
        for block in _blocks_of(path):
            if _ZERO in block:
                raise _zero_found(path, name)
            lines += int(np.count_nonzero(np.frombuffer(block, dtype=np.uint8) == _END))
            last = block[-1:]
        return lines + (last != b"\n") - self.named

    def _count_records(self, path: Path) -> int:
        """Count what stands between line ends that are not quoted; empty lines are records of a single column only."""
        step = _walk if path.stat().st_size <= _SMALL else _compiled_walk()
        state, records, empty = _START, 0, 0
        for block in _blocks_of(path):
            found = np.frombuffer(block, dtype=np.uint8)
            state, records, empty = step(found, state, records, empty, self.separator.encode()[-1])
        records += state not in {_START, _AFTER_RETURN}
        return int(records) - self.named + (int(empty) if self.columns == 1 else 0)


# A record ends where a line ends, unless that stands in quotes; quotes count where a value begins.

_START, _VALUE, _PLAIN, _QUOTED, _QUOTE, _AFTER_RETURN = range(6)


def _walk(block: Any, state: int, records: int, empty: int, separator: int) -> tuple[int, int, int]:
    """Go through some bytes; give where that ends, and how many records and empty lines came to an end."""
    for byte in block:
        if state == _QUOTED:
            if byte == 34:
                state = _QUOTE
        elif byte == 10 and state == _AFTER_RETURN:
            state = _START
        elif byte in (10, 13):
            if state in (_START, _AFTER_RETURN):
                empty += 1
            else:
                records += 1
            state = _START if byte == 10 else _AFTER_RETURN
        elif byte == 34:
            state = _PLAIN if state == _PLAIN else _QUOTED
        elif byte == separator or (byte == 32 and state in (_START, _VALUE, _AFTER_RETURN)):
            state = _VALUE
        else:
            state = _PLAIN
    return state, records, empty


def _compiled_walk() -> Callable[..., tuple[int, int, int]]:
    from incrowd.core.kernels import compiled  # noqa: PLC0415 - numba is loaded only when it pays

    return compiled(_walk)
