"""The day of an event is never published as it is, however it is written and wherever the table lives."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import incrowd as ic

DRAW = random.Random(5)
DAYS = [dt.date(2012, 1, 1) + dt.timedelta(days=DRAW.randrange(3_000)) for _ in range(240)]
FIVE = dt.timedelta(days=5)


def since(year: int, month: int, day: int, seconds: int = 0) -> Callable[[dt.date], int]:
    first = dt.date(year, month, day)
    return lambda when: (when - first).days * (seconds or 1) + (DRAW.randrange(seconds) if seconds else 0)


WRITTEN: dict[str, Callable[[dt.date], Any]] = {
    "yymmdd": lambda day: f"{day:%y%m%d}",
    "yymmdd as a number": lambda day: int(f"{day:%y%m%d}"),
    "ddmmyyyy": lambda day: f"{day:%d%m%Y}",
    "ddmmyyyy as a number": lambda day: int(f"{day:%d%m%Y}"),
    "mmddyyyy": lambda day: f"{day:%m%d%Y}",
    "mmddyy as a number": lambda day: int(f"{day:%m%d%y}"),
    "yyyymm": lambda day: f"{day:%Y%m}",
    "yyyymm as a number": lambda day: int(f"{day:%Y%m}"),
    "mm/yyyy": lambda day: f"{day:%m/%Y}",
    "mm.yyyy": lambda day: f"{day:%m.%Y}",
    "mm/yy": lambda day: f"{day:%m/%y}",
    "dd.mm.": lambda day: f"{day:%d.%m.}",
    "day of the year": lambda day: int(f"{day:%Y%j}"),
    "week": lambda day: f"KW {day:%V/%G}",
    "quarter": lambda day: f"Q{(day.month + 2) // 3} {day.year}",
    "range": lambda day: f"{day:%d.%m.%Y} - {day + FIVE:%d.%m.%Y}",
    "range without its first year": lambda day: f"{day:%d.%m.}-{day + FIVE:%d.%m.%Y}",
    "range of ISO dates": lambda day: f"{day}/{day + FIVE}",
    "range in words": lambda day: f"{day:%m/%d/%Y} to {day + FIVE:%m/%d/%Y}",
    "with a remark": lambda day: f"{day:%d/%m/%Y} (approx.)",
    "Japanese": lambda day: f"{day.year}年{day.month}月{day.day}日",
    "Japanese era": lambda day: f"令和{day.year - 2010}年{day.month}月{day.day}日",
    "spreadsheet": since(1899, 12, 30),
    "spreadsheet with the hour": lambda day: (day - dt.date(1899, 12, 30)).days + DRAW.randrange(1, 24) / 24,
    "days since 1970": since(1970, 1, 1),
    "days since 1960": since(1960, 1, 1),
    "seconds since 1970": since(1970, 1, 1, 86_400),
    "milliseconds since 1970": since(1970, 1, 1, 86_400_000),
    "seconds since 1582": since(1582, 10, 14, 86_400),
    "decimal year": lambda day: round(day.year + day.timetuple().tm_yday / 366, 3),
    "year": lambda day: day.year,
}
NAMES = ["diagnosis_date", "diagnosis", "admission", "dod", "surgery", "death", "hiv_test", "Entlassung", "prison"]


def role_of(table: Any, name: str) -> str:
    return next(column.role for column in ic.suggest(table).columns if column.name == name)


@pytest.mark.parametrize("form", WRITTEN)
@pytest.mark.parametrize("name", NAMES)
def test_the_time_of_an_event_is_not_confidential_but_known_to_others(name: str, form: str) -> None:
    values = [WRITTEN[form](day) for day in DAYS]
    frame = pd.DataFrame({name: values, "age": [place % 70 for place in range(240)]})
    assert role_of(frame, name) == "quasi"


@pytest.mark.parametrize("form", WRITTEN)
def test_it_is_seen_in_files_and_in_every_kind_of_frame(form: str, tmp_path: Path) -> None:
    columns = {"admission": [WRITTEN[form](day) for day in DAYS], "age": [place % 70 for place in range(240)]}
    frame = pd.DataFrame(columns)
    frame.to_csv(tmp_path / "t.csv", index=False)
    tables = [tmp_path / "t.csv", frame, pl.DataFrame(columns)]
    assert [role_of(table, "admission") for table in tables] == ["quasi"] * 3


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("platelets", [DRAW.randrange(150_000, 400_000) for _ in range(240)]),
        ("diagnosis", [f"{DRAW.choice('ABC')}{DRAW.randrange(10, 99)}.{DRAW.randrange(9)}" for _ in range(240)]),
        ("cholesterol", [DRAW.randrange(110, 330) for _ in range(240)]),
        ("income", [DRAW.randrange(20_000, 60_000) for _ in range(240)]),
        ("blood_pressure", [f"{DRAW.randrange(90, 180)}/{DRAW.randrange(60, 99)}" for _ in range(240)]),
        ("creatinine", [round(DRAW.uniform(0.4, 9), 4) for _ in range(240)]),
    ],
)
def test_measured_numbers_are_not_taken_for_days(name: str, values: list[Any]) -> None:
    assert role_of(pd.DataFrame({name: values}), name) == "sensitive"
