"""Many rows in bounded memory: ``incrowd anonymize`` on folders of Parquet files, each run a process of its own.

``python benchmarks/scale.py [ROWS ...] [--memory 6GB] [--cells 2000000] [--distinct] [--csv] [--folder PLACE]``; 1, 10
and 100 million rows by default. 8 quasi-identifiers and a disease. The tables of the first kind have the same census,
whatever their length: rows are drawn from so many combinations, each of which occurs. With ``--distinct`` columns are
independent and nearly every row is a combination of its own, so that the census does not fit and is taken at a floor.
Printed are seconds, rows per second and the peak of the process. The tables are made first and removed at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

CHUNK, FILE = 1_000_000, 10_000_000
"""Rows that are drawn together, and rows of a file."""

VALUES = {
    "age": 100,
    "zip": 20_000,
    "sex": 2,
    "race": 5,
    "marital": 7,
    "education": 16,
    "country": 41,
    "occupation": 14,
    "disease": 30,
}

PLAN = """
version = 1
[data]
path = "{path}"
[columns.age]
role = "quasi"
hierarchy = {{ intervals = [5, 10, 20] }}
[columns.zip]
role = "quasi"
hierarchy = {{ mask = "right" }}
{flat}
[columns.disease]
role = "sensitive"
[privacy]
promise = ["k>=5", "l>=2[disease]"]
max_suppressed = 0.02
[search]
algorithm = "{algorithm}"
[output]
folder = "out"
force = true
[report]
write = {report}
"""


def labels(name: str, count: int) -> pa.Array:
    """Give the values of a column; ages are numbers."""
    if name == "age":
        return pa.array(np.arange(count, dtype=np.uint8))
    return pa.array([f"{10_000 + 4 * code}" if name == "zip" else f"{name}{code:02}" for code in range(count)])


def draw(rows: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Draw codes: each column skewed, all independent."""
    return {name: np.minimum(rng.integers(0, n, rows), rng.integers(0, n, rows)) for name, n in VALUES.items()}


def pool(cells: int) -> dict[str, np.ndarray]:
    """Draw so many different combinations, of few neighbourhoods: people who live close to each other are alike."""
    rng = np.random.default_rng(7)
    codes = draw(2 * cells, rng)
    for name in ("race", "education", "country", "occupation"):
        codes[name] = (codes["zip"] // 500 + rng.integers(0, 3, 2 * cells)) % VALUES[name]
    packed = np.zeros(2 * cells, dtype=np.int64)
    for name, count in VALUES.items():
        packed = packed * count + codes[name]
    _, first = np.unique(packed, return_index=True)
    chosen = np.sort(rng.permutation(first)[:cells])
    return {name: column[chosen] for name, column in codes.items()}


def chunks(rows: int, cells: int | None) -> Iterator[pa.Table]:
    """Draw a table, some rows at a time; a number of cells is that of the pool, each of which occurs."""
    rng, known = np.random.default_rng(1), None if cells is None else pool(cells)
    texts = {name: labels(name, count) for name, count in VALUES.items()}
    for start in range(0, rows, CHUNK):
        number = min(CHUNK, rows - start)
        if known is None:
            codes = draw(number, rng)
        else:
            here = np.arange(start, start + number)
            size = len(known["age"])
            drawn = (size * rng.random(number) ** 2).astype(np.int64)  # some combinations are much more common
            taken = np.where(here < size, here, drawn)
            codes = {name: column[taken] for name, column in known.items()}
        columns = {name: texts[name].take(pa.array(codes[name])) for name in VALUES}
        yield pa.table(columns)


def make(folder: Path, rows: int, cells: int | None, kind: str) -> int:
    """Write a table as several files; give their bytes."""
    folder.mkdir()
    writer: Any = None
    for number, chunk in enumerate(chunks(rows, cells)):
        if number % (FILE // CHUNK) == 0:
            if writer is not None:
                writer.close()
            path = str(folder / f"part-{number:04}.{kind}")
            if kind == "csv":
                writer = pyarrow.csv.CSVWriter(path, chunk.schema)
            else:
                writer = pyarrow.parquet.ParquetWriter(path, chunk.schema, compression="zstd")
        writer.write_table(chunk)
    writer.close()
    return sum(path.stat().st_size for path in folder.iterdir())


def run(folder: Path, memory: str) -> dict[str, Any]:
    """Run the command in a process of its own; give its facts, its seconds and its peak in GiB."""
    script = "from incrowd.cli import main; raise SystemExit(main())"
    command = [sys.executable, "-c", script, "anonymize", "plan.toml", "--memory", memory, "--json", "--quiet"]
    start = time.perf_counter()
    with (folder / "facts.json").open("w") as facts:
        child = subprocess.Popen(command, stdout=facts, cwd=folder)
        _, status, used = os.wait4(child.pid, 0)  # alone tells the peak of this one
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        msg = f"incrowd anonymize failed: {child.returncode}"
        raise SystemExit(msg)
    known = json.loads((folder / "facts.json").read_text())
    seconds = time.perf_counter() - start
    return {**known, "seconds": seconds, "cpu": used.ru_utime + used.ru_stime, "gib": used.ru_maxrss / 2**20}


def main(arguments: list[str]) -> None:
    """Make, run and print, one length after the other."""
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", nargs="*", type=int, default=[1_000_000, 10_000_000, 100_000_000])
    parser.add_argument("--memory", default="6GB")
    parser.add_argument("--cells", type=int, default=500_000)
    parser.add_argument("--distinct", action="store_true")
    parser.add_argument("--csv", action="store_true")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--algorithm", default="optimal")
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args(arguments)
    print(f"incrowd anonymize --memory {given.memory}, {os.cpu_count()} cores")
    for rows in given.rows:
        place = Path(tempfile.mkdtemp(prefix="scale_", dir=given.folder))
        try:
            _one(place, rows, given)
        finally:
            shutil.rmtree(place)


def _one(place: Path, rows: int, given: argparse.Namespace) -> None:
    kind = "csv" if given.csv else "parquet"
    size = make(place / "table", rows, None if given.distinct else given.cells, kind)
    others = [name for name in VALUES if name not in {"age", "zip", "disease"}]
    flat = "\n".join(f'[columns.{name}]\nrole = "quasi"\nhierarchy = "flat"' for name in others)
    report = "true" if given.report else "false"
    plan = PLAN.format(path=place / "table", flat=flat, report=report, algorithm=given.algorithm)
    (place / "plan.toml").write_text(plan)
    facts = run(place, given.memory)
    print(
        f"  {rows:>11,} rows  {size / 2**30:5.2f} GiB {kind}  {facts['seconds']:7.1f} s  cpu {facts['cpu']:7.1f} s"
        f"  {rows / facts['seconds']:>9,.0f} rows/s  peak {facts['gib']:.2f} GiB  {facts['classes']:,} groups"
        f"  levels {list((facts['levels'] or {}).values())}  {facts['proof']}",
        flush=True,
    )
    for note in facts["notes"]:
        print(f"      {note}")


if __name__ == "__main__":
    main(sys.argv[1:])
