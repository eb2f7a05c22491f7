"""Cheapest label first on Adult and on the synthetic tables: what is lost, in what time."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from _local_mondrian import bare_group_by
from _searches import ADULT, SYNTHETIC, Targets, schema

import incrowd as ic
from incrowd.models import promise
from incrowd.search import CheapestFirst, LocalOutcome, Problem

EIGHT = tuple(name for name in ADULT if name != "occupation")
BARS = {
    "k>=5": 0.949,
    "k>=10": 0.925,
    "k>=25": 0.886,
    "k>=5, l>=3[occupation]": 0.968,
    "k>=10, l>=3[occupation]": None,
    "k>=25, l>=3[occupation]": None,
}
"""Promises, and the granularity on Adult that is wanted of each."""
LOSSES = {"synth500k.csv": 0.062, "synth5m.csv": 0.028}
"""The largest loss on the synthetic tables, k=5."""


@dataclass(frozen=True)
class Measured:
    """One search: what it found, and the seconds of the wall clock and of the processors."""

    outcome: LocalOutcome
    wall: float
    busy: float

    @property
    def lost(self) -> float:
        """The mean of what every published cell gives up."""
        records, columns = int(self.outcome.sizes.sum()), len(self.outcome.labels)
        return sum(float(column.lost @ self.outcome.sizes) for column in self.outcome.labels) / (records * columns)

    def __str__(self) -> str:
        told = f"loss {self.lost:.4f}, {self.outcome.classes:,} classes"
        return f"{told}, {self.wall:.2f} s ({self.busy:.2f} s of processors)"


def fastest(task: Callable[[], LocalOutcome], calls: int) -> Measured:
    """Call several times, and give the call that took the processors the least time."""
    found = []
    for _ in range(calls):
        start, busy = time.perf_counter(), time.process_time()
        outcome = task()
        found.append(Measured(outcome, time.perf_counter() - start, time.process_time() - busy))
    return min(found, key=lambda one: one.busy)


def adult(folder: Path, calls: int, targets: Targets, search: CheapestFirst | None = None) -> None:
    """Print the searches on Adult, warm, from the census on."""
    print("cheapest label first on Adult, nobody left out")
    for text, bar in BARS.items():
        columns, sensitive = (EIGHT, ["occupation"]) if "l>=" in text else (ADULT, [])
        roles = schema(columns, f"{folder}/hierarchy_", sensitive)
        problem = Problem(ic.census(folder / "adult.csv", roles), roles, promise(text))
        task = functools.partial((search or CheapestFirst()).search, problem)
        task()
        measured = fastest(task, calls)
        print(f"  {text:<26}{measured}", flush=True)
        if bar is not None:
            targets.at_least(f"Adult, {text}", 1 - measured.lost, bar, "granularity")


def synthetic(folder: Path, targets: Targets) -> None:
    """Print the searches on the synthetic tables, from the census on."""
    print("cheapest label first on synthetic tables, k=5, in blocks")
    roles = schema(SYNTHETIC, f"{folder}/synth5m_hierarchy_")
    for name, most in LOSSES.items():
        problem = Problem(ic.census(folder / name, roles), roles, promise("k>=5"))
        measured = fastest(functools.partial(CheapestFirst().search, problem), 2)
        print(f"  {name:<26}{measured}", flush=True)
        targets.at_most(name, measured.lost, most, "loss")
        targets.at_most(f"{name}, against the bare group-by", measured.wall / bare_group_by(folder / name), 30)
