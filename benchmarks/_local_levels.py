"""Levels and cells on Adult and on the synthetic tables: what is lost, in what time, and the bound beside it."""

from __future__ import annotations

import functools
from pathlib import Path

from _local_cheapest import EIGHT, fastest
from _searches import ADULT, SYNTHETIC, Targets, schema

import incrowd as ic
from incrowd.models import promise
from incrowd.search import LevelsAndCells, Problem

LOSSES = {
    "k>=5": 0.090,
    "k>=10": 0.1175,
    "k>=5, l>=3[occupation]": None,
    "k>=5, t<=0.2[occupation]": None,
}
"""Promises on Adult, and the largest loss that is wanted of each."""
SECONDS = {"synth500k.csv": 20.0, "synth5m.csv": 180.0}


def levels_on_adult(folder: Path, calls: int, targets: Targets) -> None:
    """Print the searches on Adult, warm, from the census on."""
    print("levels and cells on Adult, nobody left out")
    for text, most in LOSSES.items():
        columns, sensitive = (EIGHT, ["occupation"]) if "[" in text else (ADULT, [])
        roles = schema(columns, f"{folder}/hierarchy_", sensitive)
        problem = Problem(ic.census(folder / "adult.csv", roles), roles, promise(text))
        task = functools.partial(LevelsAndCells().search, problem)
        task()
        measured = fastest(task, calls)
        print(f"  {text:<26}{measured}, at least {measured.outcome.lower_bound:.4f} whatever is done", flush=True)
        if most is not None:
            targets.at_most(f"Adult, {text}", measured.lost, most, "loss")
            targets.at_most(f"Adult, {text}", measured.wall, 1.0, "seconds")


def levels_on_many(folder: Path, targets: Targets) -> None:
    """Print the searches on the synthetic tables, from the census on."""
    print("levels and cells on synthetic tables, k=5")
    roles = schema(SYNTHETIC, f"{folder}/synth5m_hierarchy_")
    for name, most in SECONDS.items():
        problem = Problem(ic.census(folder / name, roles), roles, promise("k>=5"))
        measured = fastest(functools.partial(LevelsAndCells().search, problem), 1)
        print(f"  {name:<26}{measured}, levels {measured.outcome.levels}", flush=True)
        targets.at_most(name, measured.wall, most, "seconds")
