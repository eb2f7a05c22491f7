"""Mondrian on Adult, promise by promise, and on the synthetic table against the bare group-by of its columns."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from _searches import ADULT, SYNTHETIC, Targets, schema

import incrowd as ic
from incrowd.models import promise
from incrowd.search import CutOutcome, Mondrian, Problem

EIGHT = tuple(name for name in ADULT if name != "occupation")
PROMISES = ("k>=5", "k>=5, l>=3[occupation]", "k>=5, t<=0.2[occupation]", "k>=5, nt(n=1000, t=0.2)[occupation, path]")


def fastest(task: Callable[[], Any], calls: int) -> tuple[float, Any]:
    """Give the least processor time of several calls, and what they gave."""
    seconds = []
    for _ in range(calls):
        start = time.process_time()
        found = task()
        seconds.append(time.process_time() - start)
    return min(seconds), found


def mondrian(adult: Path, targets: Targets, calls: int = 7) -> None:
    """Print how long each promise takes on Adult, and what is lost."""
    print("Mondrian on Adult: ms of processor time from the census, least of several calls")
    roles = schema(ADULT, f"{adult}/hierarchy_")
    census = ic.census(adult / "adult.csv", roles)
    for how in (Mondrian(), Mondrian(labels="hierarchy"), Mondrian(strict=False)):
        seconds, found = fastest(functools.partial(how.search, Problem(census, roles, promise("k>=5"))), calls)
        _show(f"9 columns, k>=5, {how.labels}{'' if how.strict else ', relaxed'}", seconds, found)
        if how == Mondrian() and (theirs := _anonypy(adult)):
            targets.at_least("Mondrian, Adult, 9 columns, k=5, against anonypy", theirs / seconds, 100)
    roles = schema(EIGHT, f"{adult}/hierarchy_", ["occupation"])
    census = ic.census(adult / "adult.csv", roles)
    plain = 0.0
    for text in PROMISES:
        seconds, found = fastest(functools.partial(Mondrian().search, Problem(census, roles, promise(text))), calls)
        plain = plain or seconds
        _show(f"8 columns, {text}", seconds, found)
        if "nt" not in text:
            targets.at_most(f"Mondrian, Adult, {text}, against k alone", seconds / plain, 3)


def _show(what: str, seconds: float, found: CutOutcome) -> None:
    facts = f"loss {found.costs['loss']:.4f}  distortion {found.costs['distortion']:.4f}"
    print(f"  {what:<58}{seconds * 1e3:9.1f}  {found.classes:>9,} classes  {facts}", flush=True)


def _anonypy(adult: Path) -> float | None:
    """Time the same cut by anonypy, which is not among our tools: only where somebody installed it."""
    try:
        import anonypy
        import pandas as pd
    except ImportError:
        return None
    table = pd.read_csv(adult / "adult.csv", sep=";")
    for name in ADULT:
        if name != "age":
            table[name] = table[name].astype("category")
    table["one"] = "1"
    start = time.process_time()
    anonypy.Preserver(table, list(ADULT), "one").anonymize_k_anonymity(k=5)
    return time.process_time() - start


def bare_group_by(path: Path, calls: int = 3) -> float:
    """Print and give the seconds of the faster of Polars' and DuckDB's group-by of the synthetic columns in memory."""
    import duckdb
    import polars as pl

    frame = pl.read_csv(path, separator=";", infer_schema=False)
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE many AS SELECT * FROM read_csv('{path}', delim = ';', all_varchar = true)")
    query = f"SELECT {', '.join(SYNTHETIC)}, count(*) FROM many GROUP BY ALL"
    bare = min(
        _clock(lambda: frame.group_by(SYNTHETIC).len(), calls),
        _clock(lambda: connection.sql(query).to_arrow_table(), calls),
    )
    connection.close()
    print(f"  {f'bare group-by of {path.name}, the faster of Polars and DuckDB':<64}{bare:9.2f}", flush=True)
    return bare


def mondrian_of_many(folder: Path, targets: Targets, calls: int = 3) -> None:
    """Print how long 5,000,000 rows take, beside the bare group-by of the same columns."""
    print("Mondrian on the synthetic 5,000,000 rows, k>=5: seconds by the clock, least of several calls")
    path = folder / "synth5m.csv"
    bare = bare_group_by(path, calls)
    roles = schema(SYNTHETIC, f"{folder}/synth5m_hierarchy_")
    asked = Problem(ic.census(path, roles), roles, promise("k>=5"))
    ours = _clock(functools.partial(Mondrian().search, asked), calls)
    print(f"  {'search from the census':<64}{ours:9.2f}{ours / bare:7.1f} x", flush=True)
    targets.at_most("Mondrian, 5,000,000 rows, against the bare group-by", ours / bare, 10)


def _clock(task: Callable[[], Any], calls: int) -> float:
    seconds = []
    for _ in range(calls):
        start = time.perf_counter()
        task()
        seconds.append(time.perf_counter() - start)
    return min(seconds)
