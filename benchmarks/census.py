"""A census against the bare group-by-count of the same columns over the same file, in one run.

``python benchmarks/census.py [ROWS]``, 10 million rows by default. The yardstick is the faster of DuckDB and Polars,
which group the values as they are and keep the groups as Arrow columns. Libraries are imported before the clock starts.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import made_up
from _timing import Result, line, measure

COLUMNS = [*made_up.QUASI, *made_up.SENSITIVE]
Timed = Callable[[], dict[str, Any]]


def duckdb_group_by(path: str) -> Timed:
    """Group by all columns and fetch the groups as Arrow."""
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET preserve_insertion_order = false")
    source = f"read_csv('{path}', all_varchar = true)" if path.endswith(".csv") else f"'{path}'"
    query = f"SELECT {', '.join(COLUMNS)}, count(*) FROM {source} GROUP BY ALL"
    return lambda: {"groups": connection.sql(query).to_arrow_table().num_rows}


def polars_group_by(path: str) -> Timed:
    """Group by all columns with the streaming engine."""
    import polars as pl

    source = pl.scan_csv(path, infer_schema=False) if path.endswith(".csv") else pl.scan_parquet(path)
    query = source.group_by(COLUMNS).len()
    return lambda: {"groups": query.collect(engine="streaming").height}


def census(path: str, memory: str | None = None) -> Timed:
    """Open the file, look at the domains, take the census."""
    from incrowd.core import CensusRequest
    from incrowd.engines import open_table

    def timed() -> dict[str, Any]:
        result = open_table(path, memory=memory).census(CensusRequest(made_up.QUASI, made_up.SENSITIVE))
        return {"cells": len(result), "of": f"{result.nbytes / 2**30:.2f} GiB"}

    return timed


def eager(path: str, kind: str) -> Timed:
    """Take the census of a frame in memory; handing the frame over is told apart."""
    import pyarrow.parquet

    from incrowd.core import CensusRequest
    from incrowd.engines import open_table

    frame = pyarrow.parquet.read_table(path)
    if kind == "pandas":
        frame = frame.to_pandas()
    elif kind == "polars":
        import polars as pl

        frame = pl.from_arrow(frame)
    start = time.perf_counter()
    engine = open_table(frame)
    handed = time.perf_counter() - start
    return lambda: {
        "cells": len(engine.census(CensusRequest(made_up.QUASI, made_up.SENSITIVE))),
        "handing over": f"{handed:.2f} s",
    }


def main(rows: int = 10_000_000) -> None:
    """Print the table."""
    print(f"census of {rows:,} rows, 8 quasi-identifiers and 1 sensitive column; ratios to the faster group-by")
    print("seconds on the clock, then of the processors")
    for kind, path in made_up.files(rows).items():
        peers = {"DuckDB": measure(duckdb_group_by, path), "Polars": measure(polars_group_by, path)}
        yardstick: Result = min(peers.values(), key=lambda result: result.seconds)
        print(kind)
        for name, peer in peers.items():
            line(f"{name}, bare group-by", peer, yardstick)
        line("incrowd, census", measure(census, path), yardstick)
        line("incrowd, census within 1 GB", measure(census, path, "1GB"), yardstick)
        if kind == "parquet":
            for frame in ("pyarrow", "polars", "pandas"):
                line(f"incrowd, census of a {frame} table", measure(eager, path, frame), yardstick)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
