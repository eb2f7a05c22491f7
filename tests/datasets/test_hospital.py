from __future__ import annotations

import datetime as dt
import hashlib
import statistics
from collections import Counter
from typing import Any

import pytest

from incrowd.core import Domain, ParameterError
from incrowd.datasets import _hospital_weights as data
from incrowd.datasets._hospital import hospital, hospital_columns, hospital_schema

Columns = dict[str, list[Any]]


@pytest.fixture(scope="module")
def columns() -> Columns:
    return hospital_columns(20_000)


def ages_of(columns: Columns, diagnosis: str) -> list[float]:
    rows = zip(columns["admission_date"], columns["birth_date"], columns["diagnosis"], strict=True)
    return [(admitted - born).days / 365.25 for admitted, born, ill in rows if ill == diagnosis]


def sexes_of(columns: Columns, category: str) -> set[str]:
    names = {one.name for one in data.DIAGNOSES[category]}
    return {sex for sex, ill in zip(columns["sex"], columns["diagnosis"], strict=True) if ill in names}


def shares(values: list[str]) -> list[float]:
    return [count / len(values) for _, count in Counter(values).most_common()]


def test_the_first_rows_of_the_default_table_never_change() -> None:
    rows = list(zip(*hospital_columns().values(), strict=True))
    assert rows[3] == (
        *("Greta Fink", dt.date(1965, 4, 7), "female", "01029", "Germany", "bricklayer"),
        *(dt.date(2024, 9, 27), "Gallstones", 5622),
    )
    assert rows[7] == (
        *("Anna Lindner", dt.date(1996, 12, 12), "female", "14477", "Turkey", "student"),
        *(dt.date(2024, 5, 9), "Anorexia", 9959),
    )


def test_the_whole_default_table_never_changes() -> None:
    text = "\n".join(";".join(map(str, row)) for row in zip(*hospital_columns().values(), strict=True))
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert digest == "2bf5eb29092c9f0f159be9742ddcb65f4126143a91499736f20015b8cad9c893"


def test_another_seed_is_another_hospital() -> None:
    assert hospital_columns(50, seed=1) != hospital_columns(50, seed=2)


def test_has_nine_columns_in_order() -> None:
    assert list(hospital_columns(1)) == [
        *("name", "birth_date", "sex", "zip", "nationality", "job", "admission_date", "diagnosis", "cost")
    ]


@pytest.mark.parametrize("rows", [0, 1, 1_000])
def test_every_column_has_as_many_rows_as_asked_for(rows: int) -> None:
    assert {len(values) for values in hospital_columns(rows).values()} == {rows}


def test_few_diagnoses_are_common_and_many_are_rare(columns: Columns) -> None:
    found = shares(columns["diagnosis"])
    assert found[0] > 0.10
    assert found[-1] < 0.01
    assert len(found) == 36


def test_most_patients_share_one_nationality(columns: Columns) -> None:
    found = shares(columns["nationality"])
    assert found[0] > 0.5
    assert found[-1] < 0.001


def test_only_women_are_pregnant(columns: Columns) -> None:
    assert sexes_of(columns, "Pregnancy and birth") == {"female"}


def test_only_men_have_prostate_cancer(columns: Columns) -> None:
    pairs = zip(columns["sex"], columns["diagnosis"], strict=True)
    assert {sex for sex, ill in pairs if ill == "Prostate cancer"} == {"male"}


def test_dementia_is_for_the_old_and_tonsillitis_for_the_young(columns: Columns) -> None:
    assert statistics.median(ages_of(columns, "Dementia")) > 70
    assert statistics.median(ages_of(columns, "Tonsillitis")) < 25


def test_jobs_follow_age(columns: Columns) -> None:
    rows = zip(columns["admission_date"], columns["birth_date"], columns["job"], strict=True)
    ages = [((admitted - born).days / 365.25, job) for admitted, born, job in rows]
    assert {job for age, job in ages if age < 5.9} == {"pre-school child"}
    assert statistics.median(age for age, job in ages if job == "retired") > 65


def test_nationality_follows_the_zip_code(columns: Columns) -> None:
    pairs = list(zip(columns["zip"], columns["nationality"], strict=True))
    turkish = {
        prefix: [land == "Turkey" for code, land in pairs if code.startswith(prefix)] for prefix in ("123", "275")
    }
    assert statistics.mean(turkish["123"]) > 3 * statistics.mean(turkish["275"])


def test_zip_codes_are_five_digits_and_some_start_with_zero(columns: Columns) -> None:
    assert all(len(code) == 5 and code.isdigit() for code in columns["zip"])
    assert any(code.startswith("0") for code in columns["zip"])


def test_admissions_lie_within_two_years_and_after_birth(columns: Columns) -> None:
    assert min(columns["admission_date"]) >= dt.date(2024, 1, 1)
    assert max(columns["admission_date"]) <= dt.date(2025, 12, 31)
    assert all(
        born <= admitted for born, admitted in zip(columns["birth_date"], columns["admission_date"], strict=True)
    )


def test_costs_are_whole_euros_with_a_long_tail(columns: Columns) -> None:
    costs = columns["cost"]
    assert all(type(cost) is int and cost > 0 for cost in costs)
    assert statistics.mean(costs) > 1.2 * statistics.median(costs)


def test_large_tables_repeat_names(columns: Columns) -> None:
    assert len(set(columns["name"])) < len(columns["name"]) / 2


def test_a_large_table_is_as_skewed_as_a_small_one() -> None:
    large = hospital_columns(100_000)
    assert shares(large["diagnosis"])[0] == pytest.approx(0.145, abs=0.01)


@pytest.mark.parametrize("given", [-1, 1.5, "7", None, True])
@pytest.mark.parametrize("name", ["rows", "seed"])
def test_names_a_parameter_that_is_no_whole_number(name: str, given: object) -> None:
    with pytest.raises(ParameterError, match=f"{name} must be a whole number of 0 or more"):
        hospital_columns(**{name: given})  # type: ignore[arg-type]


def test_every_column_has_a_role() -> None:
    schema = hospital_schema()
    assert schema.check_columns(list(hospital_columns(1))) == ()
    assert schema.role("name") == "identifier"
    assert schema.role("zip") == "quasi-identifier"
    assert schema.sensitive_names == ("diagnosis", "cost")


def test_the_schema_covers_every_value(columns: Columns) -> None:
    schema = hospital_schema()
    for column, part in (*schema.quasi, *schema.sensitive):
        assert part is not None
        part.bind(Domain.of(column, columns[column]))


def test_the_table_has_the_columns_of_the_lists() -> None:
    table = hospital(30, seed=5)
    assert table.to_pydict() == hospital_columns(30, seed=5)
