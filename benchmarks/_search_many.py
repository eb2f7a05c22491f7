"""Searches on the synthetic table: 500,000 rows against ARX, 5,000,000 against the bare group-by of its file."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from _searches import SYNTHETIC, Rows, Search, Targets, load_compiled, schema
from _timing import line, measure
from arx_peer import Case, run_arx

Timed = Callable[[], dict[str, Any]]
SCORE, SUPPRESSED = 0.1093882226, 135_006
"""The optimum of 5,000,000 rows; a search of all nodes found it."""


def group_by(path: str) -> Timed:
    """Let DuckDB count the file's columns as they are."""
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET preserve_insertion_order = false")
    source = f"read_csv('{path}', delim = ';', all_varchar = true)"
    query = f"SELECT {', '.join(SYNTHETIC)}, count(*) FROM {source} GROUP BY ALL"
    return lambda: {"groups": connection.sql(query).to_arrow_table().num_rows}


def from_file(path: str, prefix: str) -> Timed:
    """Read, encode, count and search."""
    import incrowd as ic

    roles = _prepared(path, prefix)
    return lambda: _facts(Search().of_census(ic.census(path, roles), roles))


def from_rows(path: str, prefix: str) -> Timed:
    """Count encoded rows and search."""
    import incrowd as ic

    roles = _prepared(path, prefix)
    rows = Rows.of(ic.census(path, roles), roles)
    return lambda: _facts(Search().of_rows(rows))


def from_census(path: str, prefix: str) -> Timed:
    """Search alone."""
    import incrowd as ic

    roles = _prepared(path, prefix)
    census = ic.census(path, roles)
    return lambda: _facts(Search().of_census(census, roles))


def _prepared(path: str, prefix: str) -> Any:
    """Read the hierarchies, and load what is loaded only when it is used: with the first rows of the table."""
    import numpy as np

    import incrowd as ic
    from incrowd.core.kernels import hash_rows

    hash_rows(np.arange(10))
    load_compiled()
    roles = schema(SYNTHETIC, prefix)
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small.csv"
        with Path(path).open(encoding="utf-8") as source:
            small.write_text("".join(islice(source, 2001)), encoding="utf-8")
        Search().of_census(ic.census(small, roles), roles)
    return roles


def _facts(outcome: Any) -> dict[str, Any]:
    best = outcome.best
    facts = {"tested": outcome.checked, "of": outcome.nodes, "levels": "".join(map(str, best.levels.values()))}
    return {**facts, "score": round(best.score, 10), "suppressed": best.suppressed}


def many(folder: Path, classpath: str | None, runs: int, targets: Targets) -> None:
    """Print both tables."""
    prefix = f"{folder}/synth5m_hierarchy_"
    _against_arx(folder / "synth500k.csv", prefix, classpath, runs, targets)
    path = folder / "synth5m.csv"
    print("synthetic, 5,000,000 rows, k=5, 5 %; ratios to the bare group-by")
    bare = measure(group_by, path, runs=runs)
    line("DuckDB, bare group-by of the file", bare, bare)
    whole = measure(from_file, path, prefix, runs=runs)
    line("incrowd, reading, census and search", whole, bare)
    counted = measure(from_rows, path, prefix, runs=runs)
    line("incrowd, census of encoded rows and search", counted, bare)
    line("incrowd, search alone", measure(from_census, path, prefix, runs=runs), bare)
    targets.at_most("5,000,000 rows, census and search", counted.seconds / bare.seconds, 3)
    targets.at_most("5,000,000 rows, reading included", whole.seconds / bare.seconds, 5)
    targets.at_most("5,000,000 rows, memory", whole.gib, 3, "GiB")
    found = whole.facts["score"], whole.facts["suppressed"]
    targets.same("5,000,000 rows, optimum", found, (SCORE, SUPPRESSED))


def _against_arx(path: Path, prefix: str, classpath: str | None, runs: int, targets: Targets) -> None:
    print("synthetic, 500,000 rows, k=5, 5 %; ratios to the bare group-by of the file")
    bare = measure(group_by, path, runs=runs)
    line("DuckDB, bare group-by of the file", bare, bare)
    ours = measure(from_rows, path, prefix, runs=runs)
    line("incrowd, census of encoded rows and search", ours, bare)
    if classpath:
        case = Case(path, {name: Path(f"{prefix}{name}.csv") for name in SYNTHETIC}, limit=0.05)
        facts = run_arx(classpath, case, repetitions=0, heap="12g")
        seconds = facts["cold_ms"] / 1e3
        levels = "".join(map(str, facts["levels"]))
        told = f"tested {facts['nodes_checked']}  levels {levels}  score {facts['score']:.10f}"
        later = measure(from_rows, path, prefix, runs=1)  # the machine may have been busier by then
        print(f"  {'ARX, one call':<44}{seconds:8.2f} s {'':26}{facts['peak_gib']:7.2f} GiB  {told}")
        line("incrowd, again", later, bare)
        targets.at_least("500,000 rows against ARX", seconds / max(ours.seconds, later.seconds), 100)
        targets.same("500,000 rows, levels", ours.facts["levels"], levels)
