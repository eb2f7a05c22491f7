"""A column of sets: 100,000 records of 10 diagnoses, any 2 of which may be known, published and verified.

``python benchmarks/items.py [RECORDS] [ITEMS] [M]`` prints seconds. Few diagnoses are common, and many are rare.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

import incrowd as ic

CHAPTERS, BLOCKS, CODES = 10, 5, 8


def made_up(records: int, items: int) -> pa.Table:
    """Draw people with an age, a region and so many different diagnoses."""
    draw = np.random.default_rng(1)
    codes = np.array([f"{chr(65 + c)}{b}{n}" for c in range(CHAPTERS) for b in range(BLOCKS) for n in range(CODES)])
    rank = draw.permutation(len(codes))
    weights = 1.0 / (1 + rank) ** 0.8
    keys = draw.exponential(size=(records, len(codes))) / weights
    chosen = np.argpartition(keys, items, axis=1)[:, :items]
    lists = ["|".join(row) for row in codes[chosen].tolist()]
    ages, regions = draw.integers(0, 100, records), draw.integers(0, 16, records)
    return pa.table({"age": ages, "region": [f"R{number:02}" for number in regions], "diagnoses": lists})


def schema() -> ic.Schema:
    """Ages in intervals, regions in four parts, diagnoses with blocks and chapters."""
    tree = ic.tree(
        {
            f"chapter {chr(65 + c)}": {
                f"block {chr(65 + c)}{b}": [f"{chr(65 + c)}{b}{n}" for n in range(CODES)] for b in range(BLOCKS)
            }
            for c in range(CHAPTERS)
        }
    )
    regions = ic.tree({f"part {p}": [f"R{p * 4 + n:02}" for n in range(4)] for p in range(4)})
    return ic.Schema({"age": ic.intervals(10, 20, 100, start=0), "region": regions, "diagnoses": ic.items(tree)})


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Print what each step takes."""
    records, items, m = (int(text) for text in [*sys.argv[1:], *("100000", "10", "2")[len(sys.argv) - 1 :]])
    table, roles, promise = made_up(records, items), schema(), f"k>=5[diagnoses, any {m} items]"
    with tempfile.TemporaryDirectory() as folder:
        begun, used = time.perf_counter(), cpu()

        def tell(what: str) -> None:
            nonlocal begun, used
            print(f"{what:<12}{time.perf_counter() - begun:8.1f} s{cpu() - used:8.1f} s CPU")
            begun, used = time.perf_counter(), cpu()

        verdict = ic.check(table, roles, promise)
        tell("check")
        release = ic.anonymize(table, roles, model=promise, max_suppressed=0.02)
        tell("anonymize")
        release.save(Path(folder) / "out", format="csv")
        tell("save")
        outcome = ic.verify(Path(folder) / "out").outcome
        tell("verify")
    before, after = verdict.findings[0], release.verdict.findings[0]
    print(f"{records:,} records of {items} items, m = {m}: {before.failing_records:,} stood out before.")
    print(
        f"{dict(release.recipe.levels)}, {release.recipe.suppressed:,} left out, least {after.measured[0]}, {outcome}."
    )
    print(f"{release.recipe.checked} nodes of {release.recipe.nodes} looked at.")
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.1f} GiB at most.")


if __name__ == "__main__":
    main()
