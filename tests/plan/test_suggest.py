"""What is suggested for columns, and that the plan made of it runs and shows no value."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pyarrow.csv
import pytest

import incrowd as ic


def role_of(name: str, values: list[Any]) -> tuple[str, bool, str]:
    (column,) = ic.suggest([{name: value} for value in values]).columns
    return column.role, column.sure, column.reason


def form_of(name: str, values: list[Any]) -> Any:
    (column,) = ic.suggest([{name: value} for value in values], roles={name: "quasi"}).columns
    form = column.hierarchy
    return form if form is None or isinstance(form, str) else form.model_dump(exclude_defaults=True)


@pytest.mark.parametrize(
    ("values", "what"),
    [
        (["a.b@example.org", "c@example.com"], "e-mail addresses"),
        (["+49 30 123456", "+49 40 987654"], "telephone numbers"),
        (["123-45-6789", "987-65-4321"], "official numbers of persons"),
        (["12345678Z", "87654321X"], "official numbers of persons"),
        (["1 85 05 78 006 084 36", "2 69 12 49 588 157 80"], "official numbers of persons"),
        (["DE89 3704 0044 0532 0130 00", "FR76 3000 6000 0112 3456 7890 189"], "bank accounts"),
        (["192.168.0.1", "10.0.0.7"], "network addresses"),
        (["https://a.example/1", "https://a.example/2"], "web addresses"),
        (["0f8fad5b-d9cb-469f-a165-70867728950e", "7c9e6679-7425-40de-944b-e07fc1f90ae7"], "unique identifiers"),
    ],
)
def test_values_that_point_at_persons_are_recognised_whatever_the_column_is_called(
    values: list[str], what: str
) -> None:
    assert role_of("x1", values) == ("identifier", True, f"values look like {what}")
    assert role_of("age", values)[0] == "identifier"


def test_free_text_names_a_person() -> None:
    texts = [f"Patient number {number} came in with a cough and left" for number in range(30)]
    assert role_of("x1", texts) == ("identifier", True, "free text, can name anybody")
    assert role_of("diagnosis", texts)[:2] == ("identifier", False)


@pytest.mark.parametrize(
    ("values", "role", "reason"),
    [
        ([f"v{number}" for number in range(30)], "identifier", "nearly every value occurs once"),
        (list(range(100, 130)), "identifier", "a running number"),
        ([number * 7 for number in range(30)], "quasi", "nothing tells what it is: number, 30 values"),
        (["a", "b"] * 20, "quasi", "nothing tells what it is: text, 2 values"),
        ([True, False] * 20, "quasi", "nothing tells what it is: boolean, 2 values"),
        (["same"] * 30, "quasi", "nothing tells what it is: text, 1 value"),
        ([None] * 30, "drop", "empty"),
    ],
)
def test_a_guess_by_values_alone_is_never_sure(values: list[Any], role: str, reason: str) -> None:
    assert role_of("x1", values) == (role, False, reason)


def test_a_name_that_its_values_contradict_is_not_sure() -> None:
    assert role_of("patient_id", ["p1", "p2"] * 20)[1] is False
    assert role_of("city", [f"town {number}" for number in range(40)])[1] is False
    assert role_of("diagnosis", [None] * 30) == ("drop", False, "empty")
    assert role_of("patient_id", [f"p{number}" for number in range(40)])[1] is True


def test_nothing_is_ever_suggested_to_be_harmless() -> None:
    found = ic.suggest(ic.hospital(200)).columns
    assert {column.role for column in found} == {"identifier", "quasi", "sensitive"}


@pytest.mark.parametrize(
    ("name", "values", "form"),
    [
        ("age", list(range(20, 80)), {"intervals": (5, 10, 20), "top": 90}),
        ("geburtsjahr", list(range(1940, 2000)), {"intervals": (5, 10, 20)}),
        ("x1", list(range(0, 1000, 7)), {"intervals": (50, 100, 200)}),
        ("plz", ["01067", "10115", "20095"], {"mask": "right"}),
        ("zip", [1067, 10115, 20095], {"mask": "right"}),
        ("x1", [dt.date(2020, 1, day) for day in range(1, 9)], {"dates": ("week",)}),
        (
            "x1",
            ["31.12.1990", "01.02.1985", "17.05.2001"],
            {"dates": ("month", "quarter", "year", "decade"), "format": "%d.%m.%Y"},
        ),
        ("sex", ["f", "m"], {"flat": True}),
        ("job", [f"job {letter}" for letter in "abcdefghijklm"], {"flat": True}),
        ("x1", [f"A{number:09d}B" for number in range(0, 90, 3)], {"flat": True}),
    ],
)
def test_hierarchies_are_suggested_from_name_and_values(name: str, values: list[Any], form: dict[str, Any]) -> None:
    assert form_of(name, values) == form


def test_days_and_months_that_could_be_either_are_to_be_checked() -> None:
    either = ic.suggest([{"x": text} for text in ["01/02/1990", "03/04/1985"]], roles={"x": "quasi"}).columns[0]
    certain = ic.suggest([{"x": text} for text in ["31/01/1990", "03/04/1985"]], roles={"x": "quasi"})
    assert either.check == "please check: are days and months read the right way round?"
    assert certain.columns[0].check == ""


def test_what_you_say_is_taken() -> None:
    found = ic.suggest(ic.hospital(100), roles={"sex": "sensitive", "cost": "insensitive"}, entity="name")
    said = {column.name: (column.role, column.reason, column.sure) for column in found.columns}
    assert said["sex"] == ("sensitive", "you said so", True)
    assert said["cost"] == ("insensitive", "you said so", True)
    assert found.plan("x.csv").data.entity == "name"
    with pytest.raises(ic.ParameterError, match="The role of 'sex' must be one of"):
        ic.suggest(ic.hospital(100), roles={"sex": "secret"})  # type: ignore[dict-item]
    with pytest.raises(ic.UnknownColumnError, match="did you mean 'sex'"):
        ic.suggest(ic.hospital(100), roles={"sx": "quasi"})


def test_a_table_in_which_nobody_can_be_recognised_gets_no_plan() -> None:
    with pytest.raises(ic.SchemaError, match="No column looks as if it could help recognise a person"):
        ic.suggest([{"name": "Ada"}]).plan("x.csv")


def test_a_promise_is_suggested_that_the_table_can_keep() -> None:
    table = [{"age": 30, "diagnosis": "flu", "religion": "none"}, {"age": 31, "diagnosis": "hiv", "religion": "none"}]
    assert str(ic.suggest(table).plan("x.csv").model()) == "k>=2"
    found = ic.suggest(ic.hospital(300)).plan("x.csv").model()
    assert str(found) == "k>=5, l>=3[diagnosis], t<=0.3[cost, ordered]"


def test_a_number_that_repeats_while_nothing_else_changes_is_counted_as_a_person(tmp_path: Path) -> None:
    visits = [{"patient_id": number % 20, "sex": "fm"[number % 2], "age": 30 + number % 20} for number in range(80)]
    ic.suggest(visits).write(tmp_path / "plan.toml", "visits.csv")
    text = (tmp_path / "plan.toml").read_text()
    assert 'entity = "patient_id"\n' in text
    assert "# please check: people are counted by 'patient_id' (20 in 80 rows)" in text


def test_a_suggested_plan_names_its_search() -> None:
    assert ic.suggest(ic.hospital(50)).plan("x.csv").algorithm() == ic.LevelsAndCells()


def test_a_first_line_that_is_a_record_is_refused_and_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "bare.csv"
    path.write_text("canary,1815-12-10,41\nBob,1990-01-01,30\n")
    with pytest.raises(ic.DataError, match="does not look like names of columns: 2 of 3") as caught:
        ic.suggest(path)
    assert "canary" not in str(caught.value)


def test_the_plan_for_the_hospital_runs(tmp_path: Path) -> None:
    pyarrow.csv.write_csv(ic.hospital(400), tmp_path / "hospital.csv")
    found = ic.suggest(tmp_path / "hospital.csv")
    plan = found.write(tmp_path / "plan.toml", "hospital.csv")
    assert ic.Plan.read(tmp_path / "plan.toml") == plan
    release = ic.Plan.read(tmp_path / "plan.toml").run()
    assert release.verdict.holds
    assert release.recipe.suppressed <= 20


def test_the_plan_for_adult_runs(adult_csv: Path, tmp_path: Path) -> None:
    found = ic.suggest(adult_csv)
    assert found.unsure == ("race",)
    found.write(tmp_path / "plan.toml", adult_csv)
    release = ic.Plan.read(tmp_path / "plan.toml").run()
    assert release.recipe.records == 30_162
    assert release.verdict.holds


def test_no_value_of_the_table_stands_in_the_plan(tmp_path: Path) -> None:
    table = [
        {
            "name": f"canary{number}",
            "job": f"canary{number % 13}",
            "diagnosis": f"canary{number % 7}",
            "zip": f"{7310 + number}",
        }
        for number in range(60)
    ]
    ic.suggest(table).write(tmp_path / "plan.toml", "x.csv")
    text = (tmp_path / "plan.toml").read_text()
    assert "canary" not in text
    assert "73" not in text
