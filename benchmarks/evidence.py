"""What one asks about a release (attacks, risk, utility) against the census of the same tables, in one run.

``python benchmarks/evidence.py [ROWS]``, 5 million rows by default. The made-up table is released with k=5 and l=3,
once with one level per column and once by Mondrian. What needs the release alone is compared with the census of the
release; what needs the original too with the censuses of both. The raw table stands for a release in which nearly every
record is a class of its own. The target is 3 times. Processor seconds, because they say more on a machine that others
use. Every question begins with nothing but the release, which knows the census that it was made from; the last but two
asks attacks, risk and utility of one release, which then reads its file once. Libraries are loaded by asking about a
small table first.
"""

from __future__ import annotations

import resource
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import made_up
from _timing import measure

Timed = Callable[[], dict[str, Any]]
RELEASE, BOTH, RAW = "release", "release and original", "original"
"""Which tables a question reads."""


def cpu() -> float:
    """Give the seconds that processors have spent on this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def evidence(path: str, small: str, algorithm: str) -> Timed:
    """Make a release; ask everything about it, and give the seconds of each question."""
    import incrowd as ic

    folder = Path(tempfile.mkdtemp())
    quasi: dict[str, Any] = {"age": ic.intervals(5, 10, 20), "zip": ic.mask()}
    quasi |= {name: ic.flat() for name in made_up.QUASI if name not in quasi}
    schema = ic.Schema({name: quasi[name] for name in made_up.QUASI}, list(made_up.SENSITIVE))

    def questions(table: str, to: Path) -> dict[str, Callable[[], Any]]:
        search = ic.Mondrian() if algorithm == "mondrian" else ic.Optimal()
        promise: Any = {"model": "k>=5, l>=3[disease]", "max_suppressed": 0.05, "algorithm": search}
        release = ic.anonymize(table, schema, output=to, format="parquet", **promise)
        return asked(release, table, schema)

    for ask in questions(small, folder / "small").values():
        ask()
    prepared = questions(path, folder / "large")

    def timed() -> dict[str, Any]:
        seconds = {}
        for name, ask in prepared.items():
            start = cpu()
            ask()
            seconds[name] = cpu() - start
        shutil.rmtree(folder)
        return seconds

    return timed


def asked(release: Any, table: str, schema: Any) -> dict[str, Callable[[], Any]]:
    """Give the questions: the censuses first, then each with the tables that it reads."""
    import incrowd as ic
    from incrowd.core import CensusRequest
    from incrowd.engines import open_table

    request = CensusRequest(made_up.QUASI, made_up.SENSITIVE)

    def everything() -> None:
        one = replace(release)
        ic.attack(one, original=table)
        ic.risk(one)
        ic.utility(one, table)

    return {
        f"census of the {RELEASE}": lambda: open_table(release.table, missing_values=()).census(request),
        f"census of the {RAW}": lambda: open_table(table).census(request),
        f"attack|{RELEASE}": lambda: ic.attack(release.table, schema),
        f"risk|{RELEASE}": lambda: ic.risk(replace(release)),
        f"assess|{RELEASE}": lambda: ic.assess(release.table, schema),
        f"attack, how it was made known|{BOTH}": lambda: ic.attack(replace(release)),
        f"attack with original|{BOTH}": lambda: ic.attack(replace(release), original=table),
        f"utility|{BOTH}": lambda: ic.utility(replace(release), table),
        f"attack with original, risk and utility|{BOTH}": everything,
        f"attack|{RAW}": lambda: ic.attack(table, schema),
        f"risk|{RAW}": lambda: ic.risk(table, schema),
    }


def main(rows: int = 5_000_000) -> None:
    """Print the tables."""
    print(f"questions about a release of {rows:,} rows; processor seconds, and ratios to the census of what they read")
    path, small = (str(made_up.files(number)["parquet"]) for number in (rows, 300_000))
    for algorithm in ("optimal", "mondrian"):
        seconds = measure(evidence, path, small, algorithm, runs=1).facts
        census = {name: seconds[f"census of the {name}"] for name in (RELEASE, RAW)}
        census[BOTH] = sum(census.values())
        print(algorithm)
        for name, spent in seconds.items():
            question, _, read = name.partition("|")
            ratio = f"{spent / census[read]:6.2f} x  of the {read}" if read else ""
            print(f"  {question:<44}{spent:8.2f} s {ratio}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
