"""How long a command takes on a short table: from starting Python to the prompt, against loading its libraries alone.

``python benchmarks/command.py [ROWS] [--times 5]``; 1,000 rows of the made-up hospital table by default. The plan is
the one that ``incrowd init`` suggests, and the same with the best node. Yardstick is a Python that only loads the
libraries without which no table is read, searched and written. Seconds on the clock, which people wait for, and of
the processors, which say more on a machine that others use; each the least of some runs. Compiled loops are there.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from _searches import Targets

import incrowd as ic
from incrowd.engines import write_table

LIBRARIES = "import duckdb, narwhals, numba, pyarrow.compute, pyarrow.parquet, pydantic, typer"
INCROWD = "from incrowd.cli import main; raise SystemExit(main())"
COMMANDS = {
    "--help": (["--help"], 0.2),
    "anonymize --help": (["anonymize", "--help"], 0.2),
    "anonymize, both reports": (["anonymize", "plan.toml", "--force"], 2.0),
    "anonymize --no-report": (["anonymize", "plan.toml", "--force", "--no-report"], 2.0),
    "anonymize, best node, both reports": (["anonymize", "best.toml", "--force"], 2.0),
}
"""What is run, and the most seconds that were wanted."""


class Spent(NamedTuple):
    """Seconds on the clock and of the processors."""

    clock: float
    processors: float


def spent_by(code: str, arguments: list[str], folder: Path) -> Spent:
    """Run a Python to its end."""
    start = time.perf_counter()
    with (folder / "said.txt").open("w") as said:
        child = subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=said, stderr=said, cwd=folder)
        _, status, used = os.wait4(child.pid, 0)  # alone tells the processors' time of this one
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit((folder / "said.txt").read_text())
    return Spent(time.perf_counter() - start, used.ru_utime + used.ru_stime)


def least_of(times: int, code: str, arguments: list[str], folder: Path) -> Spent:
    """Give the least clock and the least processor time of some runs, of which one comes before."""
    spent_by(code, arguments, folder)
    runs = [spent_by(code, arguments, folder) for _ in range(times)]
    return Spent(*map(min, zip(*runs, strict=True)))


def main(rows: int, times: int) -> None:
    """Print the table, then what was wanted."""
    targets = Targets()
    print(f"commands on {rows:,} rows: seconds on the clock and of processors; ratios to loading libraries alone")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_table(ic.hospital(rows), folder / "table.csv")
        spent_by(INCROWD, ["init", "table.csv"], folder)
        plan = (folder / "plan.toml").read_text(encoding="utf-8")
        (folder / "best.toml").write_text(plan.replace('"levels-and-cells"', '"optimal"'), encoding="utf-8")
        alone = least_of(times, LIBRARIES, [], folder)
        print(f"  {'libraries alone':<36}{alone.clock:8.2f} s{alone.processors:8.2f} s")
        for name, (arguments, wanted) in COMMANDS.items():
            found = least_of(times, INCROWD, arguments, folder)
            ratios = f"{found.clock / alone.clock:8.2f} x{found.processors / alone.processors:8.2f} x by processors"
            print(f"  {name:<36}{found.clock:8.2f} s{found.processors:8.2f} s{ratios}", flush=True)
            targets.at_most(name, found.clock, wanted, "seconds")
    targets.show()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="?", type=int, default=1_000)
    parser.add_argument("--times", type=int, default=5)
    main(**vars(parser.parse_args()))
