from __future__ import annotations

import datetime as dt
import random
from typing import Any

import pytest

import incrowd as ic
from plan.labelled import labelled, score


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
    assert found.dangerous == []
    assert found.missed == []
    assert found.right >= 0.92 * found.columns
    assert found.sure_right >= 0.97 * found.sure


PEOPLE = 60
DRAW = random.Random(7)


@pytest.fixture(autouse=True)
def draw_anew() -> None:
    """Let what a test draws not depend on the tests before it."""
    DRAW.seed(7)


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


@pytest.mark.parametrize("name", ["nr", "x", "pat", "subj", "sujet", "code"])
@pytest.mark.parametrize("mistakes", [0, 0.01])
def test_a_person_is_found_though_a_few_rows_have_typing_errors(name: str, mistakes: float) -> None:
    draw = random.Random(1)
    numbers = draw.sample(range(10**5, 10**6), 300)
    people = [(number, draw.choice("fm"), draw.randrange(1940, 2000)) for number in numbers]
    rows = [(*person, wave, draw.random() < mistakes) for person in people for wave in range(5)]
    found = suggested({
        name: [number for number, *_ in rows],
        "wave": [wave for *_, wave, _ in rows],
        "sex": [draw.choice("fm") if wrong else sex for _, sex, *_, wrong in rows],
        "yob": [draw.randrange(1940, 2000) if wrong else born for _, _, born, _, wrong in rows],
        "q1": [draw.choice("abcd") for _ in rows],
    })  # fmt: skip
    assert (found.entity, found.household) == (name, None)


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


@pytest.mark.parametrize("name", ["Name", "vorname", "nom", "apellidos"])
def test_names_name_somebody_however_few_there_are(name: str) -> None:
    rows = [{name: ["Anna Weber", "Jo Meier", "Zoe Blanc"][row % 3], "age": row % 60} for row in range(300)]
    assert ic.suggest(rows).columns[0].role == "identifier"


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


EVENTS = [
    "diagnosis_date", "dt_obito", "Aufnahmedatum", "fecha_ingreso", "date_deces", "data_ricovero", "opnamedatum",
    "hiv_test_date", "death", "diagnosis", "data_do_obito", "Sterbedatum", "fecha_de_diagnostico", "date_diagnostic",
    "data_dimissione", "ontslagdatum", "treatment_start", "abortion",
]  # fmt: skip
FORMS = [
    "%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%y", "%Y%m%d", "%Y-%m-%d %H:%M:%S", "%Y%m%d%H%M", "%d-%b-%Y", "%d%b%Y",
    "%B %d, %Y", "%b %Y", "%Y-%m", "%m/%d/%Y %I:%M %p",
]  # fmt: skip
DAYS = [dt.date(1990, 1, 1) + dt.timedelta(days=37 * day) for day in range(60)]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", EVENTS)
def test_the_day_of_an_event_becomes_vaguer_whatever_it_is_called_and_however_it_is_written(
    name: str, form: str
) -> None:
    table = {name: [day.strftime(form) for day in DAYS], "disease": ["a", "b", "c"] * 20}
    assert roles_of(table)[name] == "quasi"
    assert suggested(table).columns[0].hierarchy is not None


@pytest.mark.parametrize("name", EVENTS)
def test_days_as_dates_and_as_whole_numbers_become_vaguer_too(name: str) -> None:
    assert roles_of({name: DAYS})[name] == "quasi"
    assert roles_of({name: [int(day.strftime("%Y%m%d")) for day in DAYS]})[name] == "quasi"


@pytest.mark.parametrize(
    "word", ["Januar", "févr.", "März", "avril", "mayo", "giugno", "juli", "août", "setembro", "oct"]
)
def test_months_are_known_in_seven_languages(word: str) -> None:
    assert roles_of({"diagnosis": [f"{day}. {word} {1980 + day}" for day in range(1, 29)]})["diagnosis"] == "quasi"
    assert roles_of({"diagnosis": [f"stage {day}" for day in range(1, 29)] * 3})["diagnosis"] == "sensitive"


def test_times_of_the_day_become_vaguer() -> None:
    times = [f"{hour:02}:{minute:02}" for hour in range(24) for minute in (5, 40)]
    assert roles_of({"arrest": times, "offense": ["a", "b"] * 24})["arrest"] == "quasi"


@pytest.mark.parametrize("name", ["county_of_conviction", "region_of_diagnosis", "property_area", "treatment_city"])
def test_the_place_of_something_confidential_is_a_place(name: str) -> None:
    assert roles_of({name: ["a", "b", "c", "d", "e", "f"] * 10})[name] == "quasi"


def test_a_column_that_says_the_same_as_another_has_its_role() -> None:
    draw = random.Random(3)
    codes = [draw.choice([1, 2, 2, 3, 3, 3]) for _ in range(120)]
    found = suggested({"region": [f"r{code}" for code in codes], "zz": codes, "age": [*range(120)]})
    assert [(column.role, column.reason) for column in found.columns[1:2]] == [
        ("quasi", "nothing tells what it is: number, 3 values")
    ]
    found = suggested({"diagnosis": [f"d{code}" for code in codes], "zz": codes, "age": [*range(120)]})
    column = found.columns[1]
    assert (column.role, column.sure, column.reason) == (
        "sensitive", False, "says the same as 'diagnosis' in other words",
    )  # fmt: skip


def test_a_confidential_column_that_tells_what_others_know_becomes_vaguer_with_it() -> None:
    draw = random.Random(3)
    codes = [draw.choice([1, 2, 2, 3, 3, 3]) for _ in range(120)]
    found = roles_of({"education": [f"e{code}" for code in codes], "income": codes, "age": [*range(120)]})
    assert found == {"education": "quasi", "income": "quasi", "age": "quasi"}


def test_a_weight_beside_a_height_is_one_of_a_body() -> None:
    weights = [round(2.8 + 1.1 * place, 1) for place in range(200)]
    assert suggested({"weight": weights, "age": [*range(200)]}).weight == "weight"
    assert roles_of({"weight": weights, "height": [45 + place / 2 for place in range(200)]})["weight"] == "quasi"


def test_a_column_that_nobody_knows_is_not_published_because_others_are_confidential() -> None:
    answers: list[Any] = [0, 1] * 40
    table = {"rash": answers, "itch": answers, "q": answers, "age": [30, 31] * 40, "sex": ["f", "m"] * 40}
    assert roles_of(table)["q"] == "quasi"


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


@pytest.mark.parametrize(
    ("name", "answers"),
    [
        ("cities", ["too little", "about right", "too much"]),
        ("q", ["strongly agree", "agree", "neither", "disagree", "don't know"]),
        ("zz", ["sehr zufrieden", "zufrieden", "unzufrieden", "weiß nicht"]),
        ("zz", ["tout à fait d'accord", "d'accord", "pas d'accord"]),
        ("zz", ["muy satisfecho", "satisfecho", "insatisfecho"]),
        ("zz", ["molto felice", "felice", "infelice"]),
        ("zz", ["helemaal eens", "eens", "oneens"]),
        ("zz", ["concordo", "discordo", "neutro"]),
        ("zz", ["not", "notvery", "somewhat", "very"]),
        ("estado", ["bueno", "malo"]),
        ("zz", ["bottom 25%", "mid 50%", "top 25%"]),
    ],
)
def test_answers_and_verdicts_are_confidential_whatever_they_are_about(name: str, answers: list[str]) -> None:
    table: dict[str, list[Any]] = {name: [DRAW.choice(answers) for _ in range(200)]}
    assert roles_of(table)[name] == "sensitive"


@pytest.mark.parametrize(
    "values",
    [["Support", "Sales", "Trust office"], ["top floor", "ground floor"], ["very large town", "town", "village"]],
)
def test_values_that_only_share_a_word_with_answers_stay_known_to_others(values: list[str]) -> None:
    assert roles_of({"zz": [DRAW.choice(values) for _ in range(200)]})["zz"] == "quasi"


def test_what_is_the_same_for_all_of_a_school_is_known_to_others() -> None:
    schools = [1_000 + place % 20 for place in range(400)]
    table: dict[str, list[Any]] = {
        "school": schools,
        "homework": [school % 7 for school in schools],
        "math": [DRAW.randrange(10, 60) for _ in schools],
    }
    assert roles_of(table) == {"school": "quasi", "homework": "quasi", "math": "sensitive"}


def test_scores_that_are_scaled_to_a_spread_of_one_are_confidential() -> None:
    scores = [round(DRAW.gauss(0, 1), 3) for _ in range(3_000)]
    assert roles_of({"zz": scores})["zz"] == "sensitive"
    assert roles_of({"zz": [score + 3 for score in scores]})["zz"] == "quasi"


def test_a_column_without_a_telling_name_belongs_to_its_block() -> None:
    steps = [1, 2, 3, 4, 5] * 40
    opinions: dict[str, list[Any]] = {"trust_courts": steps, "trust_press": steps[::-1], "smith": sorted(steps)}
    assert roles_of(opinions)["smith"] == "sensitive"
    assert roles_of({**opinions, "children": steps})["smith"] == "quasi"
    money: dict[str, list[Any]] = {"il_debt": [*range(200)], "il_balance": [*range(200)], "open_il": [*range(50)] * 4}
    assert roles_of(money)["open_il"] == "sensitive"
    assert roles_of({**money, "il_age": steps})["open_il"] == "quasi"


def test_choices_of_one_question_about_work_are_known_to_others() -> None:
    jobs = ["web_developer", "data_analyst", "bank_clerk", "car_mechanic", "statistics", "math_background", "teacher"]
    table: dict[str, list[Any]] = {name: [DRAW.choice([0, 1]) for _ in range(200)] for name in jobs}
    assert set(roles_of(table).values()) == {"quasi"}


def test_children_and_mothers_that_are_numbered_are_persons_and_households() -> None:
    mothers = [place * 3 // 4 for place in range(600)]
    table: dict[str, list[Any]] = {"kid": [*range(600)], "mom": mothers, "vaccin": [DRAW.choice("yn") for _ in mothers]}
    assert roles_of(table) == {"kid": "identifier", "mom": "identifier", "vaccin": "sensitive"}
    assert suggested(table).household == "mom"
    assert roles_of({"kid": [0, 1, 2] * 40, "mom": [*range(20, 50)] * 4}) == {"kid": "quasi", "mom": "quasi"}


def test_a_state_is_no_way_to_reach_a_person() -> None:
    assert roles_of({"addr_state": ["NY", "CA", "TX", "FL", "OH"] * 20})["addr_state"] == "quasi"


def test_a_status_that_speaks_of_work_is_known_to_others_in_a_table_about_money() -> None:
    status = ["Full time employee", "Part time employee", "Retired"]
    money = [20_000 + 7 * place for place in range(300)]
    table: dict[str, list[Any]] = {"salary": money, "bonus": money[::-1], "status": status * 100}
    assert roles_of(table)["status"] == "quasi"


def test_of_several_weights_the_one_for_analyses_is_named() -> None:
    weights = [round(0.5 + place / 150, 3) for place in range(150)]
    table: dict[str, list[Any]] = {"design_weight": weights, "final_weight": weights[::-1], "age": [*range(20, 70)] * 3}
    assert suggested(table).weight == "final_weight"


@pytest.mark.parametrize("form", ["p{}@example.org", "+49 170 {:07}", "DE89 3704 0044 0532 {:04} 00"])
def test_somebody_known_by_an_address_or_an_account_is_a_person(form: str) -> None:
    rows = [
        {"key": form.format(row // 3), "sex": "fm"[row // 3 % 2], "birth_year": 1940 + row // 3 % 60, "fever": row % 7}
        for row in range(600)
    ]
    assert ic.suggest(rows).entity == "key"


def test_long_numbers_that_occur_once_stand_for_somebody() -> None:
    rows = [{"nsec": 180_000_000_000_000 + 7_919_000_003 * row, "age": row % 60} for row in range(300)]
    assert ic.suggest(rows).columns[0].role == "identifier"


FLAGS = [DRAW.randrange(2) for _ in range(400)]
SHORT: list[tuple[str, list[Any], str]] = [
    *((name, FLAGS, "sensitive") for name in ("af", "ckd", "hcv", "schiz", "lgbt", "conv")),
    ("hval", [DRAW.randrange(50, 900) * 1000 for _ in FLAGS], "sensitive"),
    ("audit", [DRAW.randrange(41) for _ in FLAGS], "sensitive"),
    ("orient", [DRAW.choice(["straight", "gay", "bi"]) for _ in FLAGS], "sensitive"),
    *((name, [round(DRAW.lognormvariate(0, 0.4), 4) for _ in FLAGS], "drop") for name in ("w", "w_1")),
    *((name, [round(DRAW.lognormvariate(6, 0.4), 3) for _ in FLAGS], "drop") for name in ("w", "w_1")),
    ("w", [round(DRAW.gauss(75, 12), 1) for _ in FLAGS], "quasi"),
]


@pytest.mark.parametrize(("name", "values", "role"), SHORT)
def test_short_names_are_known(name: str, values: list[Any], role: str) -> None:
    assert roles_of({"age": [DRAW.randrange(90) for _ in values], name: values})[name] == role


def test_tenure_is_housing_where_homes_are_owned_or_rented_and_else_work() -> None:
    homes = suggested({"tenure": [DRAW.choice(["own", "rent"]) for _ in FLAGS], "age": FLAGS})
    years = suggested({"tenure": [DRAW.randrange(40) for _ in FLAGS], "age": FLAGS})
    assert homes.columns[0].reason == "name suggests a dwelling or what is seen of it"
    assert years.columns[0].reason == "name suggests work"
