"""The main job, from a CSV file to a release in Parquet, against reading, grouping and writing the same file.

``python benchmarks/main_job.py [ROWS]``, 10 million rows by default. The yardstick is DuckDB alone: it reads the file,
groups it by the same columns, and writes it back as Parquet. The job reads the file, searches the best table with k=5
and l=3, writes it sorted, checks what it wrote, and writes certificate and recipe. The target is 3 times the yardstick.
Seconds of the processors are shown too: they say more on a machine that others use.
"""

from __future__ import annotations

import resource
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import made_up
from _timing import line, measure

COLUMNS = ", ".join([*made_up.QUASI, *made_up.SENSITIVE])
Timed = Callable[[], dict[str, Any]]


def cpu() -> float:
    """Give the seconds that processors have spent on this process, its start included."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def duckdb_alone(path: str) -> Timed:
    """Group by all columns, and copy the file to Parquet."""
    import duckdb

    folder = Path(tempfile.mkdtemp())
    connection = duckdb.connect()
    connection.execute("SET preserve_insertion_order = false")
    source = f"read_csv('{path}', all_varchar = true)"

    def timed() -> dict[str, Any]:
        groups = connection.sql(f"SELECT {COLUMNS}, count(*) FROM {source} GROUP BY ALL").to_arrow_table().num_rows
        connection.execute(f"COPY (FROM {source}) TO '{folder / 'out.parquet'}' (FORMAT parquet, COMPRESSION zstd)")
        shutil.rmtree(folder)
        return {"cpu": f"{cpu():.1f} s", "groups": groups}

    return timed


def incrowd(path: str) -> Timed:
    """Publish the file."""
    import incrowd as ic

    folder = Path(tempfile.mkdtemp())
    quasi = {"age": ic.intervals(5, 10, 20), "zip": ic.mask()}
    quasi |= {name: ic.flat() for name in made_up.QUASI if name not in quasi}
    schema = ic.Schema({name: quasi[name] for name in made_up.QUASI}, list(made_up.SENSITIVE))

    def timed() -> dict[str, Any]:
        asked: dict[str, Any] = {"model": "k>=5, l>=3[disease]", "algorithm": ic.Optimal(), "max_suppressed": 0.05}
        release = ic.anonymize(path, schema, **asked, output=folder / "out", format="parquet")
        shutil.rmtree(folder)
        levels = "".join(str(level) for level in (release.recipe.levels or {}).values())
        facts = {"levels": levels, "left out": release.recipe.suppressed, "groups": release.verdict.classes}
        return {"cpu": f"{cpu():.1f} s", **facts}

    return timed


def main(rows: int = 10_000_000, runs: int = 3) -> None:
    """Print the table."""
    print(f"main job on {rows:,} rows, 8 quasi-identifiers and 1 sensitive column; ratios to DuckDB alone")
    path = made_up.files(rows)["csv"]
    yardstick = measure(duckdb_alone, path, runs=runs)
    line("DuckDB, read, group and write", yardstick)
    line("incrowd, k>=5 and l>=3", measure(incrowd, path, runs=runs), yardstick)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
