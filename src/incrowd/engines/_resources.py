"""``Budget`` and ``Resources``: the memory that a run may use and who gets which part; libraries that are extras."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from incrowd.core import EngineError, Hint, ParameterError

SHARE = 0.75  # of what the machine or its container has left, so much is used where nothing is said
LIBRARIES = 460 * 10**6  # Python and all libraries take so much, with what they keep for themselves
LEAST = 800 * 10**6  # a table of many rows is refused with less: hardly anything would be left for it
SHORT_TABLE = 200_000  # so many rows are none too many, whatever is said
LEAST_ENGINE = 64 * 2**20  # DuckDB gets so much whatever is said: it cannot do with less
MOST = 10**18  # DuckDB gets no more whatever is said: it cannot count further, and no machine has it
A_THREAD = 64 * 2**20  # so much a thread of DuckDB needs to be of use
CELL = 150
"""Bytes that a cell takes at most while it is counted, searched and checked, besides 2 per column; see
``benchmarks/scale.py``."""

LOCAL_CELL = 250
"""The same where every cell may become something of its own: a local recoding lists them, and names every class."""

A_TEXT = 40  # bytes that a text takes on its way
FEW_ROWS = 20_000  # of a text file at least so many rows are looked at together
VALUE = 1_000  # bytes that a different value of a column takes at most, while it is read, searched and published
LABEL = 90  # bytes that each of its labels takes, where a mask gives it one for every character
VALUES, LABELS = 250_000, 1_000_000  # so many different values, and labels of masks, are taken whatever is said
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}


@dataclass(frozen=True, slots=True)
class Budget:
    """The memory of a run."""

    total: int  # bytes

    @classmethod
    def of(cls, memory: str | None) -> Budget:
        """Read a budget such as ``"4GB"``; without one, take a share of what the machine or its container has left."""
        return cls(int(SHARE * free_memory()) if memory is None else bytes_of(memory))

    @property
    def _left(self) -> int:
        """What is left beside libraries: two fifths each for DuckDB, and for census and search; the rest for rows.

        So little that hardly anything is left is said to try things out on short tables: others are refused.
        """
        return self.total - LIBRARIES if self.total >= LEAST else self.total

    @property
    def engine(self) -> int:
        return min(max(self._left * 2 // 5, LEAST_ENGINE), MOST)

    @property
    def threads(self) -> int | None:
        """How many threads DuckDB may use; ``None`` for one per core, if there is memory for each."""
        most = max(self.engine // A_THREAD, 1)
        return most if most < (os.cpu_count() or 1) else None

    def cells(self, columns: int, *, local: bool = False) -> int:
        """Say how many cells of so many columns a census may have; fewer where a local recoding is looked for."""
        return max(self._left * 2 // 5 // ((LOCAL_CELL if local else CELL) + 2 * columns), 1)

    def rows(self, columns: int) -> int:
        """Say how many rows of so many columns may be kept as codes: 2 bytes a code, and as a cell 32 to sort."""
        return min(self._left // 5 // (2 * columns), self._left * 2 // 5 // 32)

    def batch(self, columns: int) -> int:
        """Say how many rows of so many columns of texts are looked at together."""
        return max(self._left // 16 // (A_TEXT * columns), FEW_ROWS)

    @property
    def values(self) -> int:
        return max(self._left // VALUE, VALUES)

    @property
    def labels(self) -> int:
        """How many labels the values may have, where columns are masked."""
        return max(self._left * 2 // 5 // LABEL, LABELS)


@dataclass(frozen=True, slots=True)
class Resources:
    """What a table was opened with: the most memory that may be used, as it was said, and where to spill to.

    Without a memory, the budget is a share of what is left over when it is asked for.
    """

    memory: str | None = None
    temp: str | Path | None = None

    @property
    def budget(self) -> Budget:
        return Budget.of(self.memory)

    def takes_labels(self, number: int) -> bool:
        """Say whether columns that are masked may have so many labels; what is left is asked only where it matters."""
        return number <= LABELS or number <= self.budget.labels

    def refuse_too_little(self, rows: Callable[[], int]) -> None:
        """Refuse a long table, before any of it is read, where libraries alone would take nearly all of the memory."""
        total = self.budget.total
        if total < LEAST and rows() > SHORT_TABLE:
            msg = f"A table of more than {SHORT_TABLE:,} rows takes more memory than {total // 10**6:,} MB."
            raise EngineError(msg, hint=Hint("give it at least {memory}.", memory=f"{LEAST // 10**6}MB"))

    @property
    def options(self) -> dict[str, Any]:
        """What was said, as ``open_table`` takes it: another table is opened with the same."""
        said = {"memory": self.memory, "temp": self.temp}
        return {name: value for name, value in said.items() if value is not None}


DEFAULT_RESOURCES = Resources()


def check_values(column: str, values: int, most: int) -> None:
    """Refuse a column with which there are more different values than fit."""
    if values > most:
        msg = f"Column {column!r} has more different values than fit into memory: {most:,} of all columns do."
        hint = "give it more memory, such as 16GB; or make the column coarser before, or leave it out."
        raise EngineError(msg, hint=hint)


def bytes_of(memory: str) -> int:
    found = re.fullmatch(r"([0-9]{1,30}(?:\.[0-9]{1,30})?) ?([KMGT]I?|)B", str(memory).strip().upper())
    if found is None:
        msg = f"memory cannot be read: {str(memory)[:40]!r}."
        raise ParameterError(msg, hint="write a number and a unit, such as '500MB' or '4GB'.")
    amount = int(Fraction(found[1]) * _UNITS[found[2]])
    if not amount:
        msg = f"memory must be more than nothing, got {memory!r}."
        raise ParameterError(msg, hint="write a number and a unit, such as '500MB' or '4GB'.")
    return amount


def trim_memory() -> None:
    """Give the system back what was freed: some C libraries keep it, and a container counts it as used."""
    if (arrow := sys.modules.get("pyarrow")) is not None:
        arrow.default_memory_pool().release_unused()
    with suppress(AttributeError, OSError, TypeError):  # others do so by themselves
        ctypes.CDLL(None).malloc_trim(0)


def peak_memory() -> int | None:
    """Say how many bytes of memory this process has had at most; not every system tells."""
    told = (line.split() for line in _lines_of_file(Path("/proc/self/status")) if line.startswith("VmHWM:"))
    return next((int(kib) * 1024 for _, kib, *_ in told), None)


def free_memory() -> int:
    return min([_free_in_machine(), *_free_in_containers()])


def _free_in_machine() -> int:
    for line in _lines_of_file(Path("/proc/meminfo")):
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2  # what others use is not told
    except (AttributeError, ValueError, OSError):  # not on every system
        return 4 * 2**30


def _free_in_containers(own: Path = Path("/proc/self/cgroup"), mounted: Path = Path("/sys/fs/cgroup")) -> Iterator[int]:
    """Give what every limit around this process leaves; Linux has two ways to tell."""
    for line in _lines_of_file(own):
        _, kinds, path = (*line.split(":", 2), "", "")[:3]
        if kinds == "" and path:
            root, limit, used = mounted, "memory.max", "anon"
        elif "memory" in kinds.split(","):
            root, limit, used = mounted / "memory", "memory.limit_in_bytes", "total_rss"
        else:
            continue
        inside = root / path.lstrip("/")
        for folder in (inside, *inside.parents):
            if folder == root or root in folder.parents:
                yield from _free_bytes(folder, limit, used)


def _free_bytes(folder: Path, limit: str, used: str) -> Iterator[int]:
    told = _lines_of_file(folder / limit)
    if told and told[0].isdigit():  # else "max", or nothing
        stat = dict(line.split(maxsplit=1) for line in _lines_of_file(folder / "memory.stat") if " " in line)
        spent = stat.get(used, "")
        yield max(int(told[0]) - (int(spent) if spent.isdigit() else 0), 0)


def _lines_of_file(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return []
