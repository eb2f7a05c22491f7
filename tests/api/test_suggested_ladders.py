"""Ladders that make sense without work: what a column is suggested, and what comes of it."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import incrowd as ic
from incrowd.api._plan._sections import plain_of
from incrowd.api._suggest._hierarchies import suggest_hierarchy
from incrowd.core import Domain


def suggested(values: Any, about: str | None = None, name: str = "x") -> Any:
    form, _ = suggest_hierarchy(Domain.of(name, values), about)
    return form if isinstance(form, str) else plain_of(form)


def days_of(count: int) -> list[dt.date]:
    return [dt.date(2024, 1, 1) + dt.timedelta(7 * number % 89) for number in range(count)]


@pytest.mark.parametrize(
    ("values", "about", "form"),
    [
        (range(18, 95), "an age", {"intervals": (5, 10, 20), "top": 90}),
        (range(12, 19), "an age", {"intervals": (2, 4)}),
        (range(1930, 2010), "a date of birth", {"intervals": (5, 10, 20)}),
        (range(2015, 2025), "a date that others may know", {"intervals": (2, 4, 8), "start": 1}),
        ([f"{day:%d.%m.%Y}" for day in days_of(200)], None, {"dates": ("week", "month"), "format": "%d.%m.%Y"}),
        ([str(day) for day in days_of(200)], "a date of birth", {"dates": ("week", "month")}),
        ([int(f"{day:%Y%m%d}") for day in days_of(200)], None, {"dates": ("week", "month"), "format": "%Y%m%d"}),
        ([f"job {number}" for number in range(300)], None, {"flat": True}),
    ],
)
def test_a_column_gets_the_ladder_that_people_are_used_to(values: Any, about: str | None, form: Any) -> None:
    assert suggested(values, about) == form


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%Y%m%d"])
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_days_as_text_in_a_frame_give_the_release_of_the_same_file(form: str, frame: Any, tmp_path: Path) -> None:
    days = [f"{day:{form}}" for day in days_of(240)]
    rows = {"admitted": days, "sex": ["f", "m"] * 120}
    pl.DataFrame(rows).write_csv(tmp_path / "table.csv")
    schema = ic.Schema(quasi={"admitted": None, "sex": None})
    tables = [ic.anonymize(table, schema, model="k>=8").table for table in (frame(rows), str(tmp_path / "table.csv"))]
    first, second = ([list(map(str, column)) for column in _columns(table)] for table in tables)
    assert first == second
    assert first[0][0].startswith("2024-M01")


def _columns(table: Any) -> list[list[Any]]:
    found = pl.from_pandas(table) if isinstance(table, pd.DataFrame) else pl.DataFrame(table)
    return [found[name].to_list() for name in found.columns]
