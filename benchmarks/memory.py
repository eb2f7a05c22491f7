"""Whether what is said about memory holds: every algorithm, format and budget, each run a process of its own.

``python benchmarks/memory.py [ROWS] [--memory 500MB 800MB 1GB 1500MB 3GB] [--algorithm ...] [--format csv parquet]
[--times 1] [--others] [--folder PLACE]``; 2,000,000 rows by default, nearly each a combination of its own. A small
number such as 300000 shows the same in a few minutes. With ``--others`` one column is published that no promise is
about, so that rows are read again. Each run is ``incrowd anonymize`` from a file to a file of the same format, and gets
a verdict: *kept* if there is a release and the peak of the process was within the budget, *refused* if that was said
before anything was counted. Anything else is wrong, and so is another outcome of the same run; then the exit code is 1.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from scale import PLAN, VALUES, make

from incrowd.engines import Budget

ALGORITHMS = ("levels-and-cells", "optimal", "mondrian", "top-down", "cheapest-first")
BUDGETS = ("500MB", "800MB", "1GB", "1500MB", "3GB")
REFUSED = "rows takes more memory than"
NEVER_READ = 300 * 10**6
"""A process that has read nothing stays below."""


@dataclass(frozen=True)
class Outcome:
    """How a run ended."""

    verdict: str
    seconds: float
    peak: int

    @property
    def is_wrong(self) -> bool:
        """Whether it is neither a release within the budget nor a refusal."""
        return self.verdict not in {"kept", "refused"}


def attempt(folder: Path, memory: str) -> Outcome:
    """Run the plan of a folder within a budget, in a process of its own."""
    script = "from incrowd.cli import main; raise SystemExit(main())"
    command = [sys.executable, "-c", script, "anonymize", "plan.toml", "--memory", memory, "--quiet"]
    start, place = time.perf_counter(), {**os.environ, "TMPDIR": str(folder)}
    with (folder / "said.txt").open("w") as said:
        child = subprocess.Popen(command, stdout=said, stderr=said, cwd=folder, env=place)
        _, status, used = os.wait4(child.pid, 0)  # alone tells the peak of this one
    child.returncode = os.waitstatus_to_exitcode(status)
    peak = used.ru_maxrss * 1024
    shutil.rmtree(folder / "out", ignore_errors=True)
    return Outcome(_verdict(folder, child.returncode, peak, memory), time.perf_counter() - start, peak)


def _verdict(folder: Path, code: int, peak: int, memory: str) -> str:
    said = " ".join((folder / "said.txt").read_text().split())
    if code == 0:
        return "kept" if peak <= Budget.of(memory).total else "PASSED"
    return "refused" if REFUSED in said and peak < NEVER_READ else f"FAILED ({code}): {said[:120]}"


def make_beside(place: Path, rows: int, kind: str) -> None:
    """Make a table in a process of its own: a process that is started counts the peak of the one that starts it."""
    child = multiprocessing.get_context("spawn").Process(target=make, args=(place, rows, None, kind))
    child.start()
    child.join()
    if child.exitcode:
        raise SystemExit(child.exitcode)


def write_plan(folder: Path, table: Path, algorithm: str, kind: str, *, others: bool) -> None:
    """Write the plan of a run; a column that no promise is about makes rows be read again."""
    roles = {name: "quasi" for name in VALUES if name not in {"age", "zip", "disease"}}
    roles |= {"occupation": "insensitive"} if others else {}
    flat = "\n".join(
        f'[columns.{name}]\nrole = "{role}"' + ('\nhierarchy = "flat"' if role == "quasi" else "")
        for name, role in roles.items()
    )
    plan = PLAN.format(path=table, flat=flat, report="false", algorithm=algorithm)
    (folder / "plan.toml").write_text(plan.replace('folder = "out"', f'folder = "out"\nformat = "{kind}"'))


def main(arguments: list[str]) -> int:
    """Print the matrix, one run after the other; give how many were wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", nargs="?", type=int, default=2_000_000)
    parser.add_argument("--memory", nargs="+", default=BUDGETS)
    parser.add_argument("--algorithm", nargs="+", default=ALGORITHMS)
    parser.add_argument("--format", nargs="+", default=("csv", "parquet"))
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--others", action="store_true")
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args(arguments)
    print(f"{given.rows:,} rows, nearly each a combination of its own; peak of the process in MB, and verdict")
    place, wrong = Path(tempfile.mkdtemp(prefix="memory_", dir=given.folder)), 0
    try:
        for kind in given.format:
            make_beside(place / kind, given.rows, kind)
            for algorithm in given.algorithm:
                write_plan(place, place / kind, algorithm, kind, others=given.others)
                for memory in given.memory:
                    outcomes = [attempt(place, memory) for _ in range(given.times)]
                    wrong += sum(one.is_wrong for one in outcomes) + len({one.verdict for one in outcomes}) - 1
                    told = "  ".join(f"{one.peak / 1e6:6,.0f} {one.verdict} ({one.seconds:.0f} s)" for one in outcomes)
                    print(f"  {kind:<8} {algorithm:<17} {memory:>7}  {told}", flush=True)
    finally:
        shutil.rmtree(place)
    return wrong


if __name__ == "__main__":
    raise SystemExit(min(main(sys.argv[1:]), 1))
