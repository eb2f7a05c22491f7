"""How long does a census take, against the bare group-by-count of the same columns over the same file?"""

from __future__ import annotations

import time
from typing import Any

import made_up
from _timing import Result, line, measure

COLUMNS = [*made_up.QUASI, *made_up.SENSITIVE]


def duckdb_group_by(path: str) -> dict[str, Any]:
    """Group by all columns and fetch the groups as Arrow."""
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET preserve_insertion_order = false")
    source = f"read_csv('{path}', all_varchar = true)" if path.endswith(".csv") else f"'{path}'"
    groups = connection.sql(f"SELECT {', '.join(COLUMNS)}, count(*) FROM {source} GROUP BY ALL").to_arrow_table()
    return {"groups": groups.num_rows}


def polars_group_by(path: str) -> dict[str, Any]:
    """Group by all columns with the streaming engine."""
    import polars as pl

    source = pl.scan_csv(path, infer_schema=False) if path.endswith(".csv") else pl.scan_parquet(path)
    return {"groups": source.group_by(COLUMNS).len().collect(engine="streaming").height}


def census(path: str, memory: str | None = None) -> dict[str, Any]:
    """Open, look at the domains, take the census."""
    from incrowd.core import CensusRequest
    from incrowd.engines import open_table

    result = open_table(path, memory=memory).census(CensusRequest(made_up.QUASI, made_up.SENSITIVE))
    return {"cells": len(result), "census GiB": round(result.nbytes / 2**30, 2)}


def eager(path: str, kind: str) -> dict[str, Any]:
    """Take the census of a frame in memory; handing it over is shown apart."""
    import pyarrow.parquet

    from incrowd.core import CensusRequest
    from incrowd.engines import open_table

    table = pyarrow.parquet.read_table(path)
    if kind == "pandas":
        frame = table.to_pandas()
    elif kind == "polars":
        import polars

        frame = polars.from_arrow(table)
    else:
        frame = table
    start = time.perf_counter()
    engine = open_table(frame)
    handed = time.perf_counter()
    result = engine.census(CensusRequest(made_up.QUASI, made_up.SENSITIVE))
    end = time.perf_counter()
    return {"seconds": end - handed, "handing over": f"{handed - start:.2f} s", "cells": len(result)}


def main(rows: int = 10_000_000) -> None:
    """Print the table."""
    print(f"census of {rows:,} rows, 8 quasi-identifiers and 1 sensitive column; ratios to the faster group-by")
    for kind, path in made_up.files(rows).items():
        print(kind)
        peers: dict[str, Result] = {
            "DuckDB bare group-by": measure(duckdb_group_by, path),
            "Polars bare group-by": measure(polars_group_by, path),
        }
        yardstick = min(peers.values(), key=lambda result: result.seconds)
        for what, result in peers.items():
            line(what, result, yardstick)
        line("incrowd census", measure(census, path), yardstick)
        line("incrowd census, memory limit 1 GB", measure(census, path, "1GB", runs=1), yardstick)
    print("frames in memory; ratios to DuckDB's group-by over the Parquet file")
    path = made_up.files(rows)["parquet"]
    yardstick = measure(duckdb_group_by, path)
    for kind in ("pyarrow", "polars", "pandas"):
        line(f"incrowd census of a {kind} table", measure(eager, path, kind, runs=1), yardstick)


if __name__ == "__main__":
    import sys

    main(*map(int, sys.argv[1:]))
