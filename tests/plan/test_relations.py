"""What a confidential column gives away about others is said before it is published."""

from __future__ import annotations

import datetime as dt
import random
from typing import Any

import pandas as pd
import pytest

import incrowd as ic

DRAW = random.Random(3)
ROWS = 300
ADMITTED = [dt.date(2020, 1, 1) + dt.timedelta(days=DRAW.randrange(900)) for _ in range(ROWS)]
STAYED = [DRAW.randrange(1, 40) for _ in range(ROWS)]
CODES = [DRAW.randrange(90) for _ in range(ROWS)]
LEFT = [day + dt.timedelta(days=days) for day, days in zip(ADMITTED, STAYED, strict=True)]


def suggested(table: dict[str, Any]) -> ic.Suggestion:
    return ic.suggest(pd.DataFrame(table))


@pytest.mark.parametrize("name", ["length_of_stay", "LOS", "Verweildauer", "care_days"])
@pytest.mark.parametrize("more", [0, 1])
def test_the_days_between_two_dates_become_vaguer_with_them(name: str, more: int) -> None:
    table = {"admission": ADMITTED, "discharge": LEFT, name: [days + more for days in STAYED], "diagnosis": CODES}
    found = {column.name: column for column in suggested(table).columns}
    assert found[name].role == "quasi"
    assert not found[name].sure
    assert found[name].reason == (
        "the time between 'admission' and 'discharge': with one of them it gives back the other"
    )
    assert found["diagnosis"].role == "sensitive"


def test_a_stay_without_its_dates_stays_confidential() -> None:
    (column, _) = suggested({"length_of_stay": STAYED, "admission": ADMITTED}).columns
    assert column.role == "sensitive"


def test_a_stay_by_its_name_is_seen_where_dates_are_text_or_missing() -> None:
    left = [None if row % 9 == 0 else f"{day:%d.%m.%Y}" for row, day in enumerate(LEFT)]
    table = {"Aufnahme": [f"{day:%d.%m.%Y}" for day in ADMITTED], "Entlassung": left, "Verweildauer": STAYED}
    assert suggested(table).columns[2].role == "quasi"


def test_a_code_that_tells_the_department_is_asked_about() -> None:
    codes = [DRAW.choice(["I21.0", "I50.1", "J18.9", "J44.1", "C50.4", "C34.1"]) for _ in range(ROWS)]
    wards = [{"I": "cardiology", "J": "lungs", "C": "oncology"}[code[0]] for code in codes]
    found = suggested({"icd10": codes, "ward": wards, "age": [DRAW.randrange(90) for _ in codes]})
    assert [column.role for column in found.columns] == ["sensitive", "quasi", "quasi"]
    assert found.columns[0].reason == (
        "tells 'ward', which becomes vaguer: each value goes with one of it (name suggests health)"
    )
    assert any(question.startswith("'icd10' is published as it is") for question in found.questions)
    other = suggested({"icd10": codes, "ward": wards[1:] + wards[:1], "age": [40] * ROWS})
    assert other.columns[0].sure
