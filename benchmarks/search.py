"""Searches for the best node against ARX, and against the bare group-by of the same columns.

``python benchmarks/search.py [--adult FOLDER] [--synth FOLDER] [--arx CLASSPATH] [--quick]``. The first folder holds
``adult.csv`` and ARX's hierarchies of it; the second the synthetic table, ``synth500k.csv`` and ``synth5m.csv`` with
``synth5m_hierarchy_*.csv``. CLASSPATH is what ``java -cp`` wants, or a file that holds it. What is not given is left
out; without ARX the yardstick is DuckDB. ``--quick`` measures less often, and spares ARX's longest call.

Libraries are imported, and compiled loops loaded, before a clock starts; only the last table shows what that takes.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _search_adult import incognito, optimal, public_call, times_hundred
from _search_many import many
from _search_models import models
from _searches import ADULT, SYNTHETIC, Targets
from _timing import HERE
from arx_peer import classpath_of

WAIT = 5.0
"""The few seconds that a user may wait once, for compiling."""


def first_calls(table: Path, prefix: str, columns: tuple[str, ...], targets: Targets) -> None:
    """Print the seconds from starting Python to the best node, in fresh processes."""
    print(f"first call on {table.name}, 5 %, from starting Python to the best node")

    def twice(what: str, how: str) -> tuple[float, str]:
        """Give the seconds that only the first process waits, and what it told."""
        with tempfile.TemporaryDirectory() as cache:
            first = _first(table, prefix, columns, how, cache)
            second = _first(table, prefix, columns, how, cache)
        print(f"  {what:<18}{first[0]:8.2f} s, second process{second[0]:6.2f} s  {first[1]}", flush=True)
        return first[0] - second[0], first[1]

    seconds, told = twice("as it is", "usual")
    if "compiled" not in told:
        twice("compiled at once", "compiled")
    twice("never compiled", "sorted")
    targets.at_most(f"first call on {table.name}, beyond what every call takes", seconds, WAIT, "seconds")


def _first(table: Path, prefix: str, columns: tuple[str, ...], how: str, cache: str) -> tuple[float, str]:
    """Run one process that finds its compiled loops in a folder, or leaves them there."""
    command = [sys.executable, str(HERE / "_first_call.py"), str(table), prefix, how, *columns]
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    start = time.perf_counter()
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    return time.perf_counter() - start, done.stdout.strip()


def main(arguments: list[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Searches against ARX and the bare group-by.")
    parser.add_argument("--adult", type=Path, help="a folder with adult.csv and ARX's hierarchies")
    parser.add_argument("--synth", type=Path, help="a folder with the synthetic table")
    parser.add_argument("--arx", help="the class path of ARX, or a file that holds it")
    parser.add_argument("--quick", action="store_true", help="measure less")
    given = parser.parse_args(arguments)
    classpath = given.arx and classpath_of(given.arx)
    targets = Targets()
    rounds, calls = (1, 1) if given.quick else (2, 3)
    print(f"load of the machine {os.getloadavg()[0]:.1f} with {os.cpu_count()} processors")
    if given.adult:
        optimal(given.adult, classpath, rounds, targets)
        incognito(given.adult, classpath, rounds, targets)
        public_call(given.adult, calls, targets)
        times_hundred(given.adult, calls, targets)
        models(given.adult, calls, (2, 5, 9) if given.quick else tuple(range(2, 10)))
        first_calls(given.adult / "adult.csv", f"{given.adult}/hierarchy_", ADULT, targets)
    if given.synth:
        many(given.synth, None if given.quick else classpath, calls, targets)
        first_calls(given.synth / "synth500k.csv", f"{given.synth}/synth5m_hierarchy_", SYNTHETIC, targets)
    targets.show()


if __name__ == "__main__":
    main()
