"""How a text file writes numbers and days: found out, and asked where it is not sure."""

from __future__ import annotations

from pathlib import Path

import pytest

from plan.plans import suggested


@pytest.mark.parametrize(("separator", "form"), [(";", "dd/mm/yyyy"), (",", "mm/dd/yyyy")])
def test_days_that_could_be_months_are_asked_about(separator: str, form: str, tmp_path: Path) -> None:
    lines = [f"{n % 12 + 1}/{n % 7 + 1}/1990{separator}{n}" for n in range(50)]
    found = suggested(tmp_path / "t.csv", "\n".join([f"born{separator}x", *lines]))
    assert found.asked[0] == f"no day of 'born' tells day from month: they are read as {form}. Is that right?"
    assert found.asked[0] in found.questions


def test_another_column_tells_day_from_month(tmp_path: Path) -> None:
    lines = [f"{n % 12 + 1}/{n % 7 + 1}/1990,{n % 28 + 1}/{n % 12 + 1}/2020" for n in range(50)]
    found = suggested(tmp_path / "t.csv", "\n".join(["born,seen", *lines]))
    assert (found.reading["dates"], found.asked) == ("%d/%m/%Y", ())


@pytest.mark.parametrize(
    ("values", "asked"),
    [
        (["13/01/2020", "01/13/2020", "02/02/2020"], "has days of two orders, and stays text: in 30 values the day"),
        (
            ["31.02.2020", "01.03.2020", *(f"{n}.04.2020" for n in range(1, 30))],
            "has 30 values like days that no calendar",
        ),
        (["1,5", "2.5", "3,25"], "has 60 numbers with a decimal comma and 30 with a decimal point, and stays text"),
        (["01.02.24", "03.04.23"], "has 60 days with years of two digits, and stays text: which century"),
    ],
)
def test_what_is_written_in_two_ways_is_asked_by_name_and_count(values: list[str], asked: str, tmp_path: Path) -> None:
    lines = [f"{value};a{n}" for n in range(30) for value in values]
    found = suggested(tmp_path / "t.csv", "\n".join(["x;y", *lines]))
    assert any(question.startswith(f"'x' {asked}") for question in found.asked)
    assert found.profile["x"].kind == "text"
    assert not any(value in question for question in found.asked for value in values)
