"""Local recodings: what each loses beside the best node, and how long it takes beside ARX and the bare group-by.

``python benchmarks/local.py [--adult FOLDER] [--synth FOLDER] [--sdc FOLDER] [--arx CLASSPATH] [--quick]``. Folders and
class path are as in ``search.py``; that of ``--sdc`` has ``testdata.csv`` and ``testdata2.csv`` of sdcMicro. What is
not given is left out. anonypy takes part where it is installed.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from pathlib import Path

import numpy as np
from _local_candidates import candidates_on_adult, candidates_on_sdc, stars_on_hospital
from _local_cheapest import adult as cheapest_on_adult, synthetic as cheapest_on_many
from _local_improved import improved
from _local_levels import levels_on_adult, levels_on_many
from _local_mondrian import EIGHT, mondrian, mondrian_of_many
from _local_top_down import top_down
from _searches import ADULT, Targets, schema
from arx_peer import Case, classpath_of, run_arx

import incrowd as ic
from incrowd.models import promise, suppression_limit
from incrowd.release._recipe import Basis, prediction_of
from incrowd.search import (
    Algorithm,
    CheapestFirst,
    Datafly,
    Inspection,
    LevelsAndCells,
    LocalOutcome,
    Mondrian,
    MuArgus,
    Optimal,
    Problem,
    SwapDiversity,
    TopDown,
)

SHARE = 0.05
"""The share that the best node may leave out; the others publish everybody."""


def searches(*, diverse: bool) -> dict[str, Algorithm]:
    """Give the searches of the quality table, by the names of its rows."""
    known: dict[str, Algorithm] = {
        "best node, nobody left out": Optimal(),
        f"best node, {SHARE:.0%} left out": Optimal(),
        "Datafly": Datafly(),
        "MuArgus": MuArgus(),
        "LevelsAndCells": LevelsAndCells(),
        "Mondrian, labels of hierarchies": Mondrian(labels="hierarchy"),
        "TopDown": TopDown(),
        "TopDown, by loss, retry": TopDown(best="loss", retry=True),
        "CheapestFirst": CheapestFirst(),
        "Mondrian, ranges": Mondrian(),
        "CheapestFirst, ranges": CheapestFirst(labels="range"),
    }
    if diverse:
        del known["Datafly"], known["MuArgus"]
        known["SwapDiversity"] = SwapDiversity()
    return known


def quality(adult: Path, targets: Targets) -> None:
    """Print what every search loses on Adult, and hold CheapestFirst against the others."""
    for columns, sensitive, more in ((ADULT, (), ""), (EIGHT, ("occupation",), ", l>=3[occupation]")):
        roles = schema(columns, f"{adult}/hierarchy_", list(sensitive))
        census = ic.census(adult / "adult.csv", roles)
        for k in (5, 10, 25):
            text = f"k>={k}{more}"
            print(f"\nAdult, {len(columns)} columns, {text}: loss as arithmetic mean over all cells")
            head = f"{'loss':>9}{'distortion':>12}{'discernibility':>16}{'classes':>9}{'left out':>10}{'s':>8}"
            print(f"  {'':<34}{head}")
            lost = {}
            for name, search in searches(diverse=bool(more)).items():
                share = SHARE if name.endswith("left out") and "nobody" not in name else 0
                limit = suppression_limit(census.records, share)
                lost[name] = _row(name, search, Problem(census, roles, promise(text), limit))
            ours = {name: one for name, one in lost.items() if name.startswith("CheapestFirst")}
            plain = [one for name, one in lost.items() if "ranges" not in name]
            targets.at_most(
                f"CheapestFirst against all others, {text}", ours["CheapestFirst"] / min(plain), 1, "of the least loss"
            )
            targets.at_most(
                f"CheapestFirst with ranges, {text}",
                ours["CheapestFirst, ranges"] / min(lost.values()),
                1,
                "of the least loss",
            )


def _row(name: str, search: Algorithm, problem: Problem) -> float:
    """Print what one search gives, and give back its loss."""
    start = time.process_time()
    found = search.search(problem)
    seconds = time.process_time() - start
    if isinstance(found, LocalOutcome):
        labels, sizes, costs = found.labels, found.sizes, found.costs
    else:
        inspected = Inspection(problem, found.best.levels)
        basis = Basis(None, {}, problem, prediction_of(problem, inspected.recoding()))
        labels, sizes, costs = basis.labels, basis.sizes, inspected.costs()
    records = problem.census.records
    left_out = records - int(sizes.sum())
    lost = (float(np.mean([column.lost @ sizes for column in labels])) + left_out) / records
    numbers = f"{lost:9.4f}{costs['distortion']:12.4f}{costs['discernibility']:16,.0f}{len(sizes):9,}{left_out:10,}"
    print(f"  {name:<34}{numbers}{seconds:8.2f}", flush=True)
    return lost


def against_arx(adult: Path, classpath: str, calls: int, targets: Targets) -> None:
    """Print the local recoding of ARX beside ours: ARX gives every record a level of its own, which mixes labels."""
    print("\nlocal recoding of Adult, 9 columns, nobody left out: seconds of warm calls, ARX in 100 rounds")
    roles = schema(ADULT, f"{adult}/hierarchy_")
    census = ic.census(adult / "adult.csv", roles)
    for k in (5, 10, 25):
        problem = Problem(census, roles, promise(f"k>={k}"))
        mine, kept = seconds_and_detail(CheapestFirst(), problem, calls)
        cells, with_cells = seconds_and_detail(LevelsAndCells(), problem, calls)
        quasi = {name: adult / f"hierarchy_{name}.csv" for name in ADULT}
        case = Case(adult / "adult.csv", quasi, k=k, limit=0.99, local=100, balance=0.0)
        arx = run_arx(classpath, case, repetitions=calls + 2)
        theirs = min(arx["warm_ms"]) / 1e3
        print(
            f"  k={k:<3} CheapestFirst {mine:6.2f} s, granularity {kept:.4f}; LevelsAndCells {cells:6.2f} s, "
            f"{with_cells:.4f}; ARX {theirs:6.2f} s, {arx['granularity']:.4f}",
            flush=True,
        )
        targets.at_least(f"CheapestFirst against ARX, k={k}", theirs / mine, 3)
        targets.at_least(f"granularity against ARX, k={k}", kept - arx["granularity"], 0, "more")


def seconds_and_detail(search: Algorithm, problem: Problem, calls: int) -> tuple[float, float]:
    """Give the seconds of a warm search, and the detail that it keeps, which ARX calls granularity."""
    search.search(problem)
    ours = []
    for _ in range(calls):
        start = time.perf_counter()
        found = search.search(problem)
        ours.append(time.perf_counter() - start)
    lost = np.mean([labels.lost @ found.sizes for labels in found.labels]) / problem.census.records
    return statistics.median(ours), 1 - float(lost)


def main(arguments: list[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Local recodings against each other, ARX and the bare group-by.")
    parser.add_argument("--adult", type=Path, help="a folder with adult.csv and ARX's hierarchies")
    parser.add_argument("--synth", type=Path, help="a folder with the synthetic table")
    parser.add_argument("--sdc", type=Path, help="a folder with testdata.csv and testdata2.csv of sdcMicro")
    parser.add_argument("--arx", help="the class path of ARX, or a file that holds it")
    parser.add_argument("--quick", action="store_true", help="measure less")
    given = parser.parse_args(arguments)
    calls = 1 if given.quick else 3
    targets = Targets()
    print(f"load of the machine {os.getloadavg()[0]:.1f} with {os.cpu_count()} processors")
    if given.adult:
        mondrian(given.adult, targets)
        top_down(given.adult, calls)
        cheapest_on_adult(given.adult, calls, targets)
        levels_on_adult(given.adult, calls, targets)
        candidates_on_adult(given.adult)
        improved(given.adult)
        quality(given.adult, targets)
        if given.arx:
            against_arx(given.adult, classpath_of(given.arx), calls, targets)
    stars_on_hospital()
    if given.sdc:
        candidates_on_sdc(given.sdc)
    if given.synth:
        mondrian_of_many(given.synth, targets)
        cheapest_on_many(given.synth, targets)
        levels_on_many(given.synth, targets)
    targets.show()


if __name__ == "__main__":
    main()
