"""How much memory a different value of a column takes, by what it is and what it is for.

``python benchmarks/values.py``: tables with 100,000 and with 400,000 different values in one column are published
within 1 GB, each in a process of its own. The difference of the peaks, divided by 300,000, is what a value takes. The
yardstick is what a budget reckons with (``engines/_resources.py``): 1,000 bytes, and for a mask 90 for every label.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from _timing import measure

FEW, MANY = 100_000, 400_000
KINDS = ("number", "text", "time")
ROLES = {
    "flat": KINDS,
    "intervals": ("number",),
    "dates": ("time",),
    "mask": ("text",),
    "sensitive": ("number", "text"),
    "entity": ("number", "text"),
}


def file(folder: str, kind: str, rows: int) -> str:
    """Give a file in which every row has a value of its own."""
    path, numbers = Path(folder) / f"{kind}{rows}.parquet", np.random.default_rng(0).permutation(rows) * 7919
    values = {
        "number": lambda: pa.array(numbers),
        "text": lambda: pa.array([f"{number:012d}" for number in numbers.tolist()]),
        "time": lambda: pa.array(numbers * 1_000_000, pa.timestamp("us")),
    }[kind]()
    pyarrow.parquet.write_table(pa.table({"value": values, "group": numbers % 5}), path)
    return str(path)


def published(path: str, role: str, folder: str) -> Callable[[], dict[str, Any]]:
    """Publish a file."""
    import incrowd as ic

    ways = {"intervals": ic.intervals(1000, 10000), "dates": ic.dates("day", "year"), "mask": ic.mask()}
    if role in {"sensitive", "entity"}:
        roles: dict[str, Any] = {"sensitive": {"sensitive": ["value"]}, "entity": {"entity": "value"}}[role]
        schema = ic.Schema({"group": ic.flat()}, **roles)
    else:
        schema = ic.Schema({"value": ways.get(role, ic.flat()), "group": ic.flat()})
    model = "k>=2, l>=2[value]" if role == "sensitive" else "k>=2"

    def timed() -> dict[str, Any]:
        ic.anonymize(path, schema, model=model, max_suppressed=1, memory="1GB", output=Path(folder) / "out", force=True)
        return {}

    return timed


def main() -> None:
    """Print the table."""
    print(f"bytes per value, from the peaks with {FEW:,} and {MANY:,} different values; a budget reckons with 1,000")
    with tempfile.TemporaryDirectory() as folder:
        for role, kinds in ROLES.items():
            for kind in kinds:
                few, many = (measure(published, file(folder, kind, rows), role, folder, runs=1) for rows in (FEW, MANY))
                print(f"  {role:<12}{kind:<10}{(many.gib - few.gib) * 2**30 / (MANY - FEW):8.0f}", flush=True)


if __name__ == "__main__":
    main()
