"""The main job on Spark, against reading, grouping and writing the same file with the same Spark, in one run.

``python benchmarks/spark.py [ROWS]``, 20 million rows by default. One Spark, ``local[2]``, reads the file and groups it
by all columns, reads it and writes it back as Parquet; then the job: it searches the best table with k=5 and l=3,
writes it, checks what it wrote, and writes certificate and recipe. The target is 2 times the yardstick. The embedded
engine does the same job on the same file beside it. Seconds of the processors, of Java and of Python, are shown too:
they say more on a machine that others use.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import made_up
import pyarrow.parquet
from _timing import DATA

PIECE = 5_000_000


def file(rows: int) -> Path:
    """Give a Parquet file of so many rows, drawn in pieces; make it the first time."""
    path = DATA / f"spark_{rows}.parquet"
    if not path.exists():
        DATA.mkdir(exist_ok=True)
        sizes = [min(PIECE, rows - start) for start in range(0, rows, PIECE)]
        schema = made_up.table(1).schema
        with pyarrow.parquet.ParquetWriter(path, schema, compression="zstd") as writer:
            for number, size in enumerate(sizes):
                writer.write_table(made_up.table(size, seed=number + 1))
    return path


class Clock:
    """Times pieces of work: on the wall, and on the processors of Java and of this process."""

    def __init__(self, java: int) -> None:
        self._java = Path(f"/proc/{java}/stat")
        self.walls: dict[str, float] = {}
        self.cpus: dict[str, float] = {}

    def time(self, name: str, work: Callable[[], Any]) -> Any:
        """Do some work and print what it took."""
        wall, cpu = time.perf_counter(), self._cpu()
        result = work()
        self.walls[name], self.cpus[name] = time.perf_counter() - wall, self._cpu() - cpu
        print(f"  {name:<44}{self.walls[name]:8.1f} s{self.cpus[name]:8.1f} s of processors", flush=True)
        return result

    def _cpu(self) -> float:
        ticks = self._java.read_text().rpartition(")")[2].split()[11:13]
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK") + time.process_time()


def job(source: Any, folder: Path) -> dict[str, Any]:
    """Publish a table."""
    import incrowd as ic

    quasi = {"age": ic.intervals(5, 10, 20), "zip": ic.mask()}
    quasi |= {name: ic.flat() for name in made_up.QUASI if name not in quasi}
    schema = ic.Schema({name: quasi[name] for name in made_up.QUASI}, list(made_up.SENSITIVE))
    release = ic.anonymize(source, schema, model="k>=5, l>=3[disease]", max_suppressed=0.05, output=folder)
    levels = "".join(str(level) for level in (release.recipe.levels or {}).values())
    return {"levels": levels, "left out": release.recipe.suppressed, "classes": release.verdict.classes}


def main(rows: int = 20_000_000) -> None:
    """Print the table."""
    from incrowd.engines import spark_session

    path, folder = file(rows), Path(tempfile.mkdtemp())
    print(f"main job on {rows:,} rows, 8 quasi-identifiers and 1 sensitive column, local[2]")
    with spark_session("local[2]") as spark:
        spark.conf.set("spark.sql.shuffle.partitions", "16")
        clock = Clock(spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid())
        table = spark.read.parquet(str(path))
        table.limit(1000).groupBy(*table.columns).count().collect()  # what only the first job pays
        grouped = table.groupBy(*table.columns).count().write.format("noop").mode("overwrite")
        clock.time("Spark, read and group", grouped.save)
        clock.time("Spark, read and write", lambda: table.write.parquet(str(folder / "copy")))
        facts = clock.time("incrowd on Spark", lambda: job(table, folder / "spark"))
        here = clock.time("incrowd on the embedded engine", lambda: job(path, folder / "here"))
    for kind, times in {"wall": clock.walls, "processors": clock.cpus}.items():
        ratio = times["incrowd on Spark"] / (times["Spark, read and group"] + times["Spark, read and write"])
        print(f"  {kind}: {ratio:.2f} times the yardstick; the target is 2")
    print("  " + "  ".join(f"{name} {value}" for name, value in facts.items()), "the same" if facts == here else here)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
