"""A small table with everything that may go wrong in it, and how results are compared."""

from __future__ import annotations

import datetime as dt
import random
from collections import Counter
from typing import Any

import pyarrow as pa

import incrowd as ic

DISEASES = ("flu", "asthma", "hiv", "cancer")


def people(rows: int = 240, seed: int = 1) -> pa.Table:
    """Draw people: numbers, codes, missing values, dates, and visits that differ within a class."""
    draw = random.Random(seed)
    return pa.table(
        {
            "age": pa.array([draw.choice([None, *range(20, 60)]) for _ in range(rows)], pa.int32()),
            "zip": [draw.choice(["01067", "01069", "20095", "20097", "80331"]) for _ in range(rows)],
            "sex": [draw.choice(["f", "m", None]) for _ in range(rows)],
            "disease": draw.choices(DISEASES, [5, 4, 3, 3], k=rows),
            "cost": [draw.choice([10.5, 20.0, 40.0, 80.25]) for _ in range(rows)],
            "visit": [dt.date(2024, 1, 1) + dt.timedelta(days=draw.randrange(3)) for _ in range(rows)],
        }
    )


def schema(**more: Any) -> ic.Schema:
    """Give the roles of its columns."""
    disease = ic.categories({"grave": ["hiv", "cancer"], "mild": ["flu", "asthma"]})
    return ic.Schema(
        {"age": ic.intervals(5, 10, 20), "zip": ic.mask(), "sex": ic.flat()},
        {"disease": disease, "cost": None},
        insensitive=["visit"],
        **more,
    )


def tally(table: Any) -> Counter[tuple[Any, ...]]:
    """Count the rows of a released table, whatever their order."""
    arrow = table if isinstance(table, pa.Table) else table.toArrow()
    return Counter(tuple(row.values()) for row in arrow.to_pylist())
