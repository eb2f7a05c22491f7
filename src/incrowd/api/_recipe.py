"""How a release was made: everything that is needed to make it again."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from incrowd.api._census import AS_READ
from incrowd.engines import Wording, digest_of_files, files_of

LIBRARIES = ("incrowd", "duckdb", "narwhals", "numpy", "pandas", "polars", "pyarrow", "pyspark")


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a release was made.

    Attributes
    ----------
    promise
        The promise, as its text.
    algorithm
        The search, with its parameters.
    proof
        What the search shows: ``"optimal"``, ``"all minimal nodes"``, ``"least height"``, ``"best found"``.
    levels
        The level of every quasi-identifier; ``None`` for a local recoding.
    records, suppressed
        How many records the table had, and how many are left out of the release, or masked in it.
    max_suppressed_records
        How many might have been left out.
    dropped
        How many records were removed first because a quasi-identifier is missing.
    checked, nodes
        How many nodes of the lattice were tested, of how many.
    lower_bound
        No release of this kind has a smaller measure than this.
    notes
        What the search had to do differently, and what a careful reader should know.
    engine, input
        What read the table, and what is known about it: ``kind``, how many ``files`` and their ``sha256``, ``rows``,
        ``columns``. As confidential as the table: a hash confirms guesses.
    versions
        The versions of incrowd and of the libraries that took part.
    order, suppression
        Whether rows are sorted or keep their order, and whether suppressed records are dropped or masked.
    pseudonymised
        The columns that are published as pseudonyms. Their keys are nowhere.
    repeated
        Identifiers that name fewer people than there are rows, though every row was counted as another person.
    sample
        How many records were tried out; ``None`` for a whole table. What came of a sample is no result.
    floor
        The columns whose finest levels were not counted, because the census would not have fit into memory, each with
        the level from which on it was; ``notes`` say what is known about the levels below.
    """

    promise: str
    algorithm: str
    proof: str
    levels: Mapping[str, int] | None
    records: int
    suppressed: int
    max_suppressed_records: int
    dropped: int
    checked: int
    nodes: int
    lower_bound: float
    notes: tuple[str, ...]
    engine: str
    input: Mapping[str, Any]
    versions: Mapping[str, str]
    order: str = "sorted"
    suppression: str = "drop"
    pseudonymised: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    sample: int | None = None
    floor: Mapping[str, int] = field(default_factory=dict)

    @property
    def published(self) -> int:
        """How many records are published, masked or not."""
        return self.records - self.suppressed + self.masked

    @property
    def masked(self) -> int:
        """How many records are published with nothing in their quasi-identifiers."""
        return self.suppressed if self.suppression == "mask" else 0

    @property
    def wording(self) -> Wording | None:
        """How the file that was read is written; ``None`` if it was no text file."""
        if "dialect" in self.input:
            return Wording.read_of(self.input["dialect"])
        return Wording() if self.input["kind"] in {"csv", "tsv", "txt", "gz"} else None


def versions() -> dict[str, str]:
    """Give the versions of Python, of incrowd and of the libraries that are installed."""
    return {"python": platform.python_version(), **{name: found for name in LIBRARIES if (found := _version(name))}}


def described(
    table: Any, columns: list[str], rows: int, read: Wording | None, reading: Mapping[str, Any]
) -> dict[str, Any]:
    """Describe the input: a file by its hash, how it is written and how it was read, anything else by its size."""
    known: dict[str, Any] = {"kind": type(table).__name__, "sha256": None, "rows": rows, "columns": columns}
    if isinstance(table, (str, os.PathLike)):
        files = files_of(table).files
        kind = files[0].suffix.lstrip(".").lower() or "file"
        known |= {"kind": kind, "sha256": digest_of_files(table), "files": len(files)}
        said = {name: reading[name] for name in AS_READ if name in reading}
        known |= {"reading": said} if said else {}
    return known | ({} if read is None or read.plain is None else {"dialect": read.plain})


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
