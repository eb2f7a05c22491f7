"""What values are decides more than what a column is called: people, towns, postcodes, numbers of persons."""

from __future__ import annotations

import random
from typing import Any

import pandas as pd
import pytest

import incrowd as ic
from incrowd.plan import ColumnSuggestion

DRAW = random.Random(11)
ROWS = 240
GIVEN = ["Anna", "Peter", "John", "Mary", "Hans", "Julia", "Carlos", "Lucía", "Noël", "Wei", "Aino", "Zsófia", "Ngozi"]
FAMILY = ["Smith", "Müller", "García", "Rossi", "O'Neil", "Jones", "Virtanen", "van Dijk", "Novák", "Okafor"]
TOWNS = ["Leeds", "Bristol", "Lyon", "Köln", "Sevilla", "Roma", "Chicago", "Wigan", "Otley", "Saint-Malo", "Bad Tölz"]
VALUES: dict[str, list[Any]] = {
    "full names": [f"{DRAW.choice(GIVEN)} {DRAW.choice(FAMILY)}" for _ in range(ROWS)],
    "family names first": [f"{DRAW.choice(FAMILY)}, {DRAW.choice(GIVEN)}" for _ in range(ROWS)],
    "titles": [f"Dr. {DRAW.choice(GIVEN)[0]}. {DRAW.choice(FAMILY)}" for _ in range(ROWS)],
    "Japanese names": [
        DRAW.choice(["佐藤", "鈴木", "高橋"]) + DRAW.choice(["太郎", "花子", "一郎"]) for _ in range(ROWS)
    ],
    "phones": [f"+44 20 7946 {DRAW.randrange(10_000):04}" for _ in range(ROWS)],
    "accounts": [f"DE89 3704 0044 0532 {DRAW.randrange(10_000):04} 00" for _ in range(ROWS)],
    "mail": [f"p{row}@example.org" for row in range(ROWS)],
    "towns": [DRAW.choice(TOWNS) for _ in range(ROWS)],
    "British postcodes": [f"M{DRAW.randrange(1, 9)} {DRAW.randrange(1, 9)}A{DRAW.choice('BDE')}" for _ in range(ROWS)],
    "Polish postcodes": [f"{DRAW.randrange(100):02}-{DRAW.randrange(1_000):03}" for _ in range(ROWS)],
    "Japanese postcodes": [f"{DRAW.randrange(100, 999)}-{DRAW.randrange(10_000):04}" for _ in range(ROWS)],
    "countries": [DRAW.choice(["DE", "FR", "IT", "ES", "PL", "NL"]) for _ in range(ROWS)],
}
NAMES = ["diagnosis", "bp", "income", "party", "offence", "treatment", "account", "insured", "smoker", "score"]


def found(table: dict[str, list[Any]]) -> dict[str, ColumnSuggestion]:
    return {column.name: column for column in ic.suggest(pd.DataFrame(table)).columns}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "what", ["full names", "family names first", "titles", "Japanese names", "phones", "accounts", "mail"]
)
def test_people_are_left_out_though_the_name_is_that_of_something_confidential(name: str, what: str) -> None:
    assert found({name: VALUES[what]})[name].role == "identifier"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("what", ["towns", "British postcodes", "Polish postcodes", "Japanese postcodes", "countries"])
def test_where_somebody_lives_becomes_vaguer_though_the_name_is_that_of_something_confidential(
    name: str, what: str
) -> None:
    assert found({name: VALUES[what]})[name].role == "quasi"


@pytest.mark.parametrize("name", ["insured", "doctor", "suspect", "Lehrer", "asegurado", "account"])
def test_a_word_for_people_with_unknown_names_is_a_column_of_people(name: str) -> None:
    words = ["Aukse", "Tuuli", "Bheki", "Kgosi", "Lwazi", "Rimas"]
    people = [f"{DRAW.choice(words)} {DRAW.choice(words)}ene" for _ in range(ROWS)]
    assert found({name: people})[name].role == "identifier"
    assert found({"insured": ["yes", "no"] * 120})["insured"].role == "sensitive"


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("cp", ["75001", "69002", "13003", "33000"], "quasi"),
        ("cap", ["00184", "20121", "80133", "10121", "50122"], "quasi"),
        ("CP", [75001, 69002, 13003, 33000, 6000], "quasi"),
        ("cp", [0, 1, 2, 3], "sensitive"),
        ("postnummer", [11122, 41101, 75310, 21120], "quasi"),
        ("treatment_site", ["North", "South", "East"], "quasi"),
        ("cancer_center", ["A", "B", "C", "D", "E"], "quasi"),
        ("tumor_site", ["lung", "breast", "colon", "skin", "liver"], "sensitive"),
        ("party_size", [1, 2, 3, 4, 5, 6], "quasi"),
        ("hobby", ["chess", "sailing", "piano", "hiking", "football"], "quasi"),
        ("sport", ["judo", "golf", "tennis", "none", "football"], "quasi"),
        ("Dienstgrad", ["Major", "Oberst", "Leutnant", "Gefreiter"], "quasi"),
        ("sex_worker", ["yes", "no"], "sensitive"),
        ("sexpart", [0, 1, 2, 3, 4, 5, 6, 7], "sensitive"),
        ("diab", [0, 1], "sensitive"),
        ("v130", [1, 2, 3, 4], "quasi"),
    ],
)
def test_names_and_values_together_decide(name: str, values: list[Any], role: str) -> None:
    assert (
        found({name: values * (ROWS // len(values)), "age": [40] * (ROWS // len(values) * len(values))})[name].role
        == role
    )


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("diagnosis", ["Diabetes Mellitus", "Heart Failure", "Multiple Sclerosis", "Lung Cancer", "Gout", "Stroke"]),
        ("medication", ["Aspirin", "Metformin", "Ramipril", "Simvastatin", "Insulin", "Marcumar"]),
        ("religion", ["Roman Catholic", "Church of England", "Sunni Islam", "Hindu", "None", "Jewish"]),
        ("offence", ["Theft", "Assault", "Drug Possession", "Fraud", "Arson", "Burglary"]),
        ("病名", ["糖尿病", "高血圧", "喘息", "肺炎", "胃癌", "白血病"]),
    ],
)  # fmt: skip
def test_words_of_something_confidential_are_no_people_and_no_towns(name: str, values: list[str]) -> None:
    assert found({name: values * 40})[name].role == "sensitive"


def test_hospitals_that_are_named_after_people_are_places() -> None:
    names = ["St. Mary Hospital", "Charlotte Clinic", "Johns Hopkins Hospital", "Robert Koch Institute", "Park Clinic"]
    assert found({"hospital": names * 48})["hospital"].role == "quasi"


def digits(form: str) -> list[str]:
    return ["".join(str(DRAW.randrange(1, 3)) if sign == "9" else sign for sign in form) for _ in range(ROWS)]


@pytest.mark.parametrize("name", ["diagnosis", "insurance", "cod_fisc", "offence"])
@pytest.mark.parametrize(
    "form",
    [
        "RSSMRA99A19H501Z", "ABCD991211HDFRRL09", "999.999.999-99", "756.9999.9999.99", "991219-9999", "19991219-9999",
        "111299-999X", "99.11.19-999.99", "AB 12 99 99 C", "9999 9999 9999", "9999 9999 9999 9999",
        "11010119991211999X",
    ],
)  # fmt: skip
def test_official_numbers_of_many_countries_are_left_out_whatever_the_name(name: str, form: str) -> None:
    assert found({name: digits(form)})[name].role == "identifier"


def test_long_numbers_that_each_occur_once_are_no_measurements() -> None:
    numbers = [44_051_401_359 + 98_765_433 * row for row in range(ROWS)]
    assert found({"diagnosis": numbers})["diagnosis"].role == "identifier"
    assert found({"diagnosis": [f"0{number}" for number in numbers]})["diagnosis"].role == "identifier"


def test_doctors_with_initials_or_family_names_are_not_published() -> None:
    initials = ["P. de Vries", "J. Bakker", "K. Visser", "M. Smit", "A. Mulder", "L. Bos"]
    assert found({"huisarts": initials * 40})["huisarts"].role == "identifier"
    assert found({"doctor": ["Shah", "Lowe", "Kerr", "Todd", "Ngata", "Berg"] * 40})["doctor"].role == "quasi"


def test_a_number_of_a_clinic_that_is_another_one_in_each_row_is_one_of_persons() -> None:
    assert found({"clinic_no": [*range(7_000, 7_000 + ROWS)]})["clinic_no"].role == "identifier"
    assert found({"clinic_no": [*range(20)] * 12})["clinic_no"].role == "quasi"


FEW_PEOPLE = ["Anna Lang", "Paul Weber", "Jane Roth", "Max Vogel"]
WRITTEN = {
    "in full": FEW_PEOPLE,
    "after a title": [f"Dr. {name.split()[1]}" for name in FEW_PEOPLE],
    "after a letter": [f"{name[0]}. {name.split()[1]}" for name in FEW_PEOPLE],
    "family name first": [", ".join(reversed(name.split())) for name in FEW_PEOPLE],
}


def role_beside_others(name: str, values: list[str]) -> str:
    rows = [{"age": 20 + place % 60, "sex": "fm"[place % 2], name: values[place % len(values)]} for place in range(600)]
    return next(column.role for column in ic.suggest(rows).columns if column.name == name)


@pytest.mark.parametrize("people", [2, 3, 4])
@pytest.mark.parametrize("written", WRITTEN)
@pytest.mark.parametrize("name", ["arzt", "therapist", "cause_of_death_doc", "patient", "username"])
def test_names_of_people_are_never_published_however_few_there_are(name: str, written: str, people: int) -> None:
    assert role_beside_others(name, WRITTEN[written][:people]) == "identifier"


@pytest.mark.parametrize("name", ["maiden", "mother_maiden"])
def test_a_maiden_name_is_a_name(name: str) -> None:
    assert role_beside_others(name, ["Schmidt", "Weber", "Lang", "Kurz", "Vogel", "Hahn"]) == "identifier"


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("arzt", ["Lang", "Roth", "Vogel"], "quasi"),
        ("doctor", ["Yes", "No"], "sensitive"),
        ("party", ["Christian Democrats", "Social Democrats", "Green Party"], "sensitive"),
        ("city", ["San Jose", "Saint Paul", "Santa Maria"], "quasi"),
        ("degree", ["Dr.", "Prof.", "Mag."], "quasi"),
    ],
)
def test_few_family_names_of_doctors_become_vaguer_and_other_words_are_no_names(
    name: str, values: list[str], role: str
) -> None:
    assert role_beside_others(name, values) == role
