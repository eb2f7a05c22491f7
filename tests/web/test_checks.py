"""What the page asks somebody to check, and who a row is about."""

from __future__ import annotations

from pathlib import Path

import pytest

from web.serving import Visitor

PANEL = "nr,wave,sex,birth_year,income,smokes\n" + "".join(
    f"{1_000 + person},{wave},{'fm'[person % 2]},{1950 + person % 40},{1_000 + 37 * person % 900},{'ny'[person % 2]}\n"
    for person in range(80)
    for wave in range(5)
)
"""Eighty people with five rows each."""


@pytest.fixture
def panel(visitor: Visitor, folder: Path) -> Visitor:
    (folder / "panel.csv").write_text(PANEL, encoding="utf-8")
    visitor.ask("POST", "/api/open", json={"name": "panel.csv"})
    return visitor


def test_people_with_several_rows_are_found_and_asked_about_first(panel: Visitor) -> None:
    plan = panel.ask("GET", "/api/plan")
    assert plan["plan"]["data"]["entity"] == "nr"
    assert (plan["about"]["entity"], plan["about"]["people"], plan["about"]["records"]) == ("nr", 80, 400)
    first = plan["checks"][0]
    assert (first["column"], first["screen"]) == ("nr", "open")
    assert first["words"].startswith("Is “nr” a person? People are counted by it (80 values in 400 rows).")


def test_whoever_says_that_rows_are_people_hears_that_they_repeat(panel: Visitor) -> None:
    plan = panel.ask("PATCH", "/api/plan", json={"data": {"entity": None}})
    assert "groups hold fewer people than rows" in plan["checks"][0]["words"]
    assert plan["checks"][0]["screen"] == "open"


def test_a_person_that_was_confirmed_is_not_asked_about_again(panel: Visitor) -> None:
    plan = panel.ask("POST", "/api/plan/confirm", json={"columns": ["nr"]})
    assert "nr" not in [one["column"] for one in plan["checks"]]


def test_what_is_published_as_it_is_comes_before_what_becomes_vaguer(visitor: Visitor, folder: Path) -> None:
    rows = "".join(f"{row % 5},{row % 7},{row % 3}\n" for row in range(60))
    (folder / "odd.csv").write_text(f"alpha,beta,gamma\n{rows}", encoding="utf-8")
    plan = visitor.ask("POST", "/api/open", json={"name": "odd.csv"})
    unsure = [one["column"] for one in plan["checks"] if one["column"]]
    assert sorted(unsure) == sorted(plan["unsure"]) == ["alpha", "beta", "gamma"]
    visitor.ask("PATCH", "/api/plan", json={"columns": {"gamma": {"role": "sensitive"}}})
    words = [one["words"] for one in visitor.ask("GET", "/api/plan")["checks"]]
    assert words[0] == "Nothing is promised about what is confidential in “gamma”: a whole group may share it."
    assert all("is published vaguer" in one for one in words[1:])


def test_a_promise_settles_what_is_confidential(planned: Visitor) -> None:
    assert planned.ask("GET", "/api/plan")["checks"] == [
        {
            "column": None,
            "words": "Nothing is promised about what is confidential in “disease”: a whole group may share it.",
            "screen": "promise",
        }
    ]
    assert planned.ask("PATCH", "/api/plan", json={"privacy": {"promise": ["k>=2", "l>=2[disease]"]}})["checks"] == []


def test_households_and_weights_are_said(visitor: Visitor, folder: Path) -> None:
    rows = "".join(f"{row},{row // 4},{20 + row % 60},{'fm'[row % 2]},{1 + row % 9 / 10:.1f}\n" for row in range(400))
    (folder / "survey.csv").write_text(f"id,household_id,age,sex,survey_weight\n{rows}", encoding="utf-8")
    plan = visitor.ask("POST", "/api/open", json={"name": "survey.csv"})
    assert (plan["about"]["household"], plan["about"]["households"]) == ("household_id", 100)
    assert plan["about"]["weight"] == "survey_weight"
    words = {one["column"]: one["words"] for one in plan["checks"]}
    assert "it stands for a household (100 in 400 rows)" in words["household_id"]


def test_no_check_quotes_a_value(visitor: Visitor, folder: Path) -> None:
    rows = "".join(f"CANARY{row},{row}\n" for row in range(30))
    (folder / "c.csv").write_text(f"thing,size\n{rows}", encoding="utf-8")
    assert "CANARY" not in str(visitor.ask("POST", "/api/open", json={"name": "c.csv"})["checks"])


def test_that_every_row_is_another_person_is_kept_when_the_file_is_read_again(panel: Visitor) -> None:
    panel.ask("PATCH", "/api/plan", json={"data": {"entity": None}})
    plan = panel.ask("POST", "/api/open", json={"name": "panel.csv", "encoding": "utf-8", "again": True})
    assert "entity" not in plan["plan"]["data"]
    assert plan["about"]["entity"] == "nr"
    assert panel.ask("POST", "/api/open", json={"name": "panel.csv"})["plan"]["data"]["entity"] == "nr"


def test_a_column_that_could_stand_for_people_is_asked_about_first(visitor: Visitor, folder: Path) -> None:
    rows = "".join(f"{row // 3},{20 + 7 * row % 41},{'fm'[row * row % 7 % 2]}\n" for row in range(300))
    (folder / "visits.csv").write_text(f"id,age,sex\n{rows}", encoding="utf-8")
    plan = visitor.ask("POST", "/api/open", json={"name": "visits.csv"})
    assert (plan["about"]["entity"], plan["about"]["perhaps"], plan["about"]["people"]) == (None, "id", 100)
    assert plan["checks"][0]["words"].startswith("Does “id” stand for a person (100 values in 300 rows)?")
    assert [one["column"] for one in plan["checks"]].count("id") == 1
    plan = visitor.ask("PATCH", "/api/plan", json={"data": {"entity": "id"}})
    assert "id" not in [one["column"] for one in plan["checks"] if one["screen"] == "open"]
