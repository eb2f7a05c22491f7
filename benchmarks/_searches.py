"""What the benchmarks of searches share: rows as codes, one search, its time, and the targets."""

from __future__ import annotations

import csv
import gc
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import incrowd as ic
from incrowd.core import Census, CensusRequest, Packing, tally
from incrowd.models import promise, suppression_limit
from incrowd.search import Algorithm, Optimal, Outcome, Problem
from incrowd.search.lattice import _rollup as rollup

ADULT = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)
SYNTHETIC = ("age", "zip", "sex", "race", "marital", "education", "country", "occupation")


def schema(columns: Iterable[str], prefix: str, sensitive: Any = ()) -> ic.Schema:
    """Take the hierarchies from files whose names begin alike and end in the column."""
    return ic.Schema(quasi={name: ic.tree(f"{prefix}{name}.csv") for name in columns}, sensitive=sensitive)


@dataclass(frozen=True, eq=False)
class Rows:
    """A table as codes, one array per column, its rows in random order."""

    census: Census
    schema: ic.Schema
    codes: Sequence[Any]

    @classmethod
    def of(cls, census: Census, schema: ic.Schema, times: int = 1) -> Rows:
        """Turn a census back into rows, each of them several times."""
        cells = np.repeat(np.arange(len(census)), census.counts.astype(np.int64) * times)
        np.random.default_rng(1).shuffle(cells)
        return cls(census, schema, [codes[cells] for codes in census.codes])

    def count(self) -> Census:
        """Take the census of the rows."""
        known = self.census
        packing = Packing.of([len(known.domains[name]) for name in (*known.quasi, *known.sensitive)])
        words, counts = tally(packing.pack(self.codes))
        request = CensusRequest(known.quasi, known.sensitive, known.ladders)
        return Census.assemble(request, known.domains, packing.unpack(words), counts)


@dataclass(frozen=True)
class Search:
    """What is asked: a promise, the share of records that may be left out, and how to search."""

    promise: str = "k>=5"
    share: float = 0.05
    algorithm: Algorithm = field(default_factory=Optimal)

    def of_census(self, census: Census, schema: ic.Schema) -> Outcome:
        """Search alone."""
        limit = suppression_limit(census.records, self.share)
        return self.algorithm.search(Problem(census, schema, promise(self.promise), limit))

    def of_rows(self, rows: Rows) -> Outcome:
        """Take the census, and search."""
        return self.of_census(rows.count(), rows.schema)


def load_compiled() -> None:
    """Use the compiled loops from now on, as a process does once it has sorted enough words."""
    rollup.Rollup._sorted = rollup.COMPILE_AFTER + 1


@dataclass(frozen=True)
class Times:
    """The seconds of several calls."""

    seconds: list[float]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    def __str__(self) -> str:
        return f"{_milliseconds(self.median)} ({_milliseconds(min(self.seconds)).strip()})"


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:8,.1f}" if seconds < 0.1 else f"{seconds * 1e3:8,.0f}"


def clock(task: Callable[[], Any], calls: int, processor: list[float] | None = None) -> list[float]:
    """Time calls one by one; rubbish is collected before, not during them.

    The seconds of ``processor`` are added to it: they say more on a machine that others use.
    """
    seconds = []
    for _ in range(calls):
        gc.collect()
        start, spent = time.perf_counter(), time.process_time()
        task()
        seconds.append(time.perf_counter() - start)
        if processor is not None:
            processor.append(time.process_time() - spent)
    return seconds


class Targets:
    """What was wanted, and what was measured."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def at_least(self, what: str, value: float, bound: float, unit: str = "times as fast") -> None:
        self._note(what, f"{value:.4g} {unit}, wanted at least {bound:.4g}", met=value >= bound)

    def at_most(self, what: str, value: float, bound: float, unit: str = "times as long") -> None:
        self._note(what, f"{value:.4g} {unit}, wanted at most {bound:.4g}", met=value <= bound)

    def same(self, what: str, value: object, wanted: object) -> None:
        self._note(what, f"{value}" if value == wanted else f"{value}, wanted {wanted}", met=value == wanted)

    def show(self) -> None:
        """Print one line per target."""
        print("targets")
        for line in self._lines:
            print(f"  {line}")

    def _note(self, what: str, measured: str, *, met: bool) -> None:
        self._lines.append(f"{'met' if met else 'MISSED':<8}{what}: {measured}")


def read_rows(path: Path, separator: str = ";") -> list[dict[str, str]]:
    """Read a small CSV file."""
    with path.open(newline="", encoding="utf-8") as source:
        return list(csv.DictReader(source, delimiter=separator))
