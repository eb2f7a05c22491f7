"""Promises of many kinds at 2 to 9 quasi-identifiers: Adult with a made-up health condition (S0-EXP-DATA)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
from _searches import Rows, Search, clock, load_compiled, read_rows, schema

import incrowd as ic

COLUMNS = (
    "age",
    "workclass",
    "marital-status",
    "race",
    "sex",
    "education",
    "native-country",
    "occupation",
    "salary-class",
)
CONDITIONS = ic.categories(
    {
        "most secret": ["Cancer", "HIV"],
        "secret": ["Hepatitis", "Phthisis"],
        "less secret": ["Asthma", "Obesity"],
        "not secret": ["Indigestion", "Flu"],
    }
)
PROMISES = (
    "k>=4",
    "k>=4, p>=2[health]",
    "k>=4, p-alpha(p=4, alpha=2)[health]",
    "k>=4, enhanced(p=4, alpha=2)[health]",
    "k>=4, l>=3[health]",
    "k>=4, entropy-l>=2[health]",
    "k>=4, recursive(c=2, l=3)[health]",
    "k>=4, t<=0.3[health]",
    "k>=4, alpha<=0.5[health]",
)


def table(adult: Path) -> pa.Table:
    """Give every record of Adult one of eight conditions, all equally likely."""
    rows = read_rows(adult / "adult.csv")
    columns = {name: pa.array([row[name] for row in rows]) for name in COLUMNS}
    values = [value for _, values in CONDITIONS.groups for value in values]
    drawn = np.random.default_rng(8).integers(0, len(values), len(rows))
    return pa.table({**columns, "health": pa.array([values[place] for place in drawn])})


def models(adult: Path, calls: int, sizes: tuple[int, ...] = tuple(range(2, 10))) -> None:
    """Print times and tested nodes."""
    print("best node on Adult with a made-up condition, 5 %: ms (fastest call, census included) and nodes tested")
    print(f"  {'quasi-identifiers':<38}" + "".join(f"{size:>15}" for size in sizes))
    people = table(adult)
    load_compiled()
    rows = {}
    for size in sizes:
        for sensitive in (False, True):
            roles = schema(COLUMNS[:size], f"{adult}/hierarchy_", {"health": CONDITIONS} if sensitive else ())
            rows[size, sensitive] = Rows.of(ic.census(people, roles), roles)
    for promise in PROMISES:
        cells = [_cell(Search(promise), rows[size, "health" in promise], calls) for size in sizes]
        print(f"  {promise:<38}" + "".join(cells), flush=True)
    nodes = [Search().of_rows(rows[size, False]).nodes for size in sizes]
    print(f"  {'nodes of the lattice':<38}" + "".join(f"{count:>15,}" for count in nodes), flush=True)


def _cell(search: Search, rows: Rows, calls: int) -> str:
    checked = search.of_rows(rows).checked
    return f"{min(clock(lambda: search.of_rows(rows), calls)) * 1e3:>8,.0f}{checked:>7,}"
