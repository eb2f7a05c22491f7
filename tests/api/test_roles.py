from __future__ import annotations

import random
from typing import Any

import pytest

import incrowd as ic
from api.labelled import labelled, score


def suggested(table: dict[str, list[Any]]) -> ic.Suggestion:
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    return ic.suggest(rows)


def roles_of(table: dict[str, list[Any]]) -> dict[str, str]:
    return {column.name: column.role for column in suggested(table).columns}


def test_roles_of_tables_that_the_words_were_learnt_from() -> None:
    found = score([*labelled("learnt.txt")])
    assert found.dangerous == []
    assert found.missed == []
    assert found.right >= 0.96 * found.columns
    assert found.sure_right >= 0.99 * found.sure


def test_roles_of_tables_that_were_looked_at_only_at_the_end() -> None:
    found = score([*labelled("held_out.txt")])
    assert found.missed == []
    assert found.right >= 0.92 * found.columns
    assert found.sure_right >= 0.97 * found.sure


PEOPLE = 60
DRAW = random.Random(7)
SEX = [DRAW.choice("fm") for _ in range(PEOPLE)]
BORN = [DRAW.randrange(1940, 2000) for _ in range(PEOPLE)]
WAVES = [2019, 2020, 2021, 2022]


def test_a_number_within_which_sex_and_birth_stay_the_same_is_a_person() -> None:
    rows = [(person, wave) for person in range(PEOPLE) for wave in WAVES]
    found = suggested({
        "nr": [1000 + person for person, _ in rows],
        "wave": [wave for _, wave in rows],
        "sex": [SEX[person] for person, _ in rows],
        "born": [BORN[person] for person, _ in rows],
    })  # fmt: skip
    assert (found.entity, found.household) == ("nr", None)
    assert found.columns[0].role == "identifier"
    assert found.columns[0].reason == "stands for a person: 60 values in 240 rows"
    assert found.plan("x.csv").data.entity == "nr"


def test_a_number_within_which_sex_differs_and_the_place_does_not_is_a_household() -> None:
    found = suggested({
        "ident": [place // 3 for place in range(180)],
        "sex": [DRAW.choice("fm") for _ in range(180)],
        "age": [DRAW.randrange(90) for _ in range(180)],
        "region": [f"r{place // 3 % 7}" for place in range(180)],
    })  # fmt: skip
    assert (found.entity, found.household) == (None, "ident")
    assert found.columns[0].role == "identifier"
    assert found.plan("x.csv").data.entity is None


def test_a_village_is_no_household_and_no_person() -> None:
    found = suggested({
        "villnum": [place % 12 for place in range(600)],
        "sex": [DRAW.choice("fm") for _ in range(600)],
        "roof": [f"r{place % 12 % 4}" for place in range(600)],
    })  # fmt: skip
    assert (found.entity, found.household, found.columns[0].role) == (None, None, "quasi")


def test_a_number_that_occurs_once_per_wave_is_a_person_though_nothing_else_is_known_of_them() -> None:
    rows = [(person, wave) for person in range(50) for wave in WAVES]
    found = suggested({
        "id": [person for person, _ in rows],
        "year": [wave for _, wave in rows],
        "wage": [DRAW.randrange(1000, 9000) for _ in rows],
    })  # fmt: skip
    assert found.entity == "id"


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("weight", [round(DRAW.gauss(75, 12), 1) for _ in range(200)], "quasi"),
        ("weight", [round(DRAW.uniform(10, 990), 2) for _ in range(200)], "drop"),
        ("peso", [round(DRAW.uniform(0.05, 4.5), 3) for _ in range(200)], "drop"),
        ("wt82_71", [round(DRAW.uniform(-40, 40), 1) for _ in range(200)], "quasi"),
        ("sampling_weight", [100] * 200, "drop"),
    ],
)
def test_the_weight_of_a_body_is_no_weight_of_a_survey(name: str, values: list[float], role: str) -> None:
    found = suggested({name: values, "age": [DRAW.randrange(90) for _ in values]})
    assert found.columns[0].role == role
    assert found.weight == (name if role == "drop" else None)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("diagnosis", ["12.03.1999", "31.12.2001", "01.01.1970", "15.06.1988", "07.07.2007"]),
        ("death", ["1999-03-12", "2001-12-31", "1970-01-01", "1988-06-15", "2007-07-07"]),
        ("hiv_test", [19990312, 20011231, 19700101, 19880615, 20070707]),
        ("treatment", ["12/03/1999", "31/12/2001", "01/01/1970", "15/06/1988", "07/07/2007"]),
    ],
)
def test_the_day_of_an_event_is_never_published_though_its_name_sounds_of_health(name: str, values: list[Any]) -> None:
    assert roles_of({name: values * 8})[name] == "quasi"


def test_days_counted_from_a_date_are_days() -> None:
    days = [DRAW.randrange(8_000, 12_000) for _ in range(200)]
    alive = [DRAW.choice("DA") for _ in days]
    assert roles_of({"diag": days, "death": [day + 90 for day in days], "status": alive}) == {
        "diag": "quasi",
        "death": "quasi",
        "status": "sensitive",
    }
    assert roles_of({"death": [0, 1] * 100})["death"] == "sensitive"


@pytest.mark.parametrize(
    ("values", "role", "what"),
    [
        (["I21.0", "J18.9", "E11.9", "C50.4", "F32.1"], "sensitive", "codes of diseases (ICD-10)"),
        (["C09AA02", "A10BA02", "N06AB04", "B01AC06", "C07AB02"], "sensitive", "codes of medicines (ATC)"),
        (["SW1A 1AA", "M1 1AE", "B33 8TH", "CR2 6XH", "DN55 1PT"], "quasi", "postcodes"),
        (["1012 AB", "3511 CE", "9712 GH", "5611 XZ", "2511 VA"], "quasi", "postcodes"),
        (["DE212", "FR101", "ITC4", "ES300", "AT130"], "quasi", "codes of regions (NUTS)"),
        (["DE", "FR", "IT", "ES", "PL"], "quasi", "countries"),
        (["NY", "CA", "TX", "FL", "OH"], "quasi", "states of the USA"),
    ],
)  # fmt: skip
def test_codes_are_known_by_their_shape(values: list[str], role: str, what: str) -> None:
    (column,) = suggested({"x1": values * 20}).columns
    assert (column.role, column.reason) == (role, f"values look like {what}")


def test_the_same_word_means_what_the_table_is_about() -> None:
    school: dict[str, list[Any]] = {
        "grade": ["9", "10", "11", "12"] * 20,
        "age": [14, 15, 16, 17] * 20,
        "smoke": ["y", "n"] * 40,
    }
    tumour = {
        "grade": [1, 2, 3, 2] * 20,
        "nodes": [0, 1, 5, 9] * 20,
        "hormone": [0, 1] * 40,
        "age": [50, 61, 72, 83] * 20,
    }
    assert roles_of(school)["grade"] == "quasi"
    assert roles_of(tumour)["grade"] == "sensitive"


def test_a_name_that_says_nothing_is_confidential_in_a_table_of_symptoms() -> None:
    answers = [0, 1] * 40
    table = {"rash": answers, "itch": answers, "fever": answers, "q": answers, "age": [30, 31] * 40}
    assert roles_of(table)["q"] == "sensitive"
    assert roles_of({"job": ["a", "b"] * 40, "q": answers, "age": [30, 31] * 40})["q"] == "quasi"


def test_an_account_is_money_and_an_account_number_is_an_identifier() -> None:
    assert roles_of({"checking_account": ["none", "low", "high", "low"] * 20})["checking_account"] == "sensitive"
    assert roles_of({"account_number": [7_000 + 3 * place for place in range(80)]})["account_number"] == "identifier"
