"""What a report says about risk: which chance is accepted, and every sensitive column."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import pytest

import incrowd as ic
from incrowd.release._about import About
from incrowd.report._charts import Charts
from incrowd.report._data_section import scenario_section
from incrowd.report._evidence_section import chances_figure, confidential_sections, risk_section
from incrowd.report._verdict_section import highest_row

TABLE = [
    {"age": age, "disease": "ab"[number % 2]} for age, size in ((20, 3), (30, 4), (40, 25)) for number in range(size)
]


@cache
def release(model: str) -> ic.Release:
    """Publish groups of 3, 4 and 25 as they are, where the promise allows it."""
    return ic.anonymize(TABLE, ic.Schema(quasi={"age": ic.flat()}, sensitive=["disease"]), model=model)


def told(model: str, threshold: Fraction | None = None) -> dict[str, Any]:
    """Give what the section says: its words, and per question what was measured and the verdict."""
    section = risk_section(Charts(release(model), threshold=threshold))
    rows = {row[0]: row[1:] for table in section.tables for row in table.rows}
    return {"words": section.words[0], **rows}


@pytest.mark.parametrize(
    ("model", "threshold", "words", "above", "verdict"),
    [
        ("k>=3", None, "33.3% counts as too high: k>=3 accepts 1 in 3", ["33.3%", "0", "0"], "PASS"),
        ("l>=2", None, "20.0% counts as too high, which is usual: no k is promised", ["20.0%", "7", "7"], "FAIL"),
        ("k>=20", None, "5.0% counts as too high: k>=20 accepts 1 in 20", ["5.0%", "7", "0"], "PASS"),
        ("k>=3", Fraction(3, 10), "30.0% counts as too high: the owner of the data", ["30.0%", "3", "3"], "FAIL"),
        ("k>=20", Fraction(1, 2), "50.0% counts as too high: the owner of the data", ["50.0%", "0", "0"], "PASS"),
    ],
)
def test_risk_is_judged_by_the_chance_that_the_promise_accepts(
    model: str, threshold: Fraction | None, words: str, above: list[str], verdict: str
) -> None:
    """Groups of 3, 4 and 25 people have chances of 1/3, 1/4 and 1/25."""
    found = told(model, threshold)
    assert found["words"].startswith(f"A chance above {words}")
    share, before, after = above
    assert found[f"prosecutor: people above {share}"][:2] == [before, after]
    assert found["linkability"][2] == verdict


def test_the_limit_of_the_highest_chance_is_the_one_that_is_accepted() -> None:
    promised = highest_row(Charts(release("k>=3")), 3)
    assert promised[1:] == ["33.3%", "33.3%", "at most 33.3%", "kept"]
    assert highest_row(Charts(release("l>=2")), 1)[3:] == ["", ""]
    stated = highest_row(Charts(release("k>=3"), threshold=Fraction(9, 100)), 3)
    assert stated[1:] == ["33.3%", "33.3%", "at most 9.0%", "EXCEEDED"]
    drawn = chances_figure(Charts(release("l>=2"))).chart.svg
    assert ">limit</text>" in drawn


def test_the_scenario_says_which_chance_is_accepted_and_who_says_so() -> None:
    def row(model: str, about: About | None) -> list[str]:
        found = scenario_section(release(model), about).tables[0].rows
        return [text for name, text in found if name == "highest chance that is accepted"]

    assert row("k>=3", About({})) == row("k>=3", None) == ["1 in 3 (33.33%)"]
    assert row("l>=2", About({})) == ["1 in 5 (20.00%), the usual limit: no k is promised"]
    assert row("k>=3", About({"threshold": "0.09"})) == ["9.00%, set by the owner of the data"]
    assert row("l>=2", None) == []


def test_a_threshold_is_read_as_it_is_written() -> None:
    assert About({"threshold": "0.09"}).threshold == Fraction(9, 100)
    assert About({"threshold": "1/11"}).threshold == Fraction(1, 11)
    assert About({}).threshold is None
    for wrong in ("0", "1.1", "-1", "many", "1/0"):
        with pytest.raises(ic.ParameterError, match="threshold must be a chance above 0, and 1 at most"):
            About({"threshold": wrong})


def test_a_plan_says_which_chance_is_accepted() -> None:
    plan = ic.Plan.of(
        {
            "version": 1,
            "data": {"path": "people.csv"},
            "columns": {"age": {"role": "quasi"}},
            "privacy": {"promise": "k>=5"},
            "report": {"threshold": 0.09},
        }
    )
    assert plan.report.about == {"threshold": "0.09"}


def test_every_sensitive_column_of_several_rows_per_person_stands_in_the_report() -> None:
    """The age tells the diagnosis for certain, and no promise names that."""
    table = [
        {"who": number // 2, "age": 20 + 10 * (number % 3), "income": number % 4, "diag": "abc"[number % 3]}
        for number in range(60)
    ]
    roles = ic.Schema(quasi={"age": ic.flat()}, sensitive=["income", "diag"], entity="who")
    charts = ic.anonymize(table, roles, model="k>=2, l>=2[income]").charts
    rules = next(table for table in risk_section(charts).tables if "WP216" in table.caption)
    inference = next(row for row in rules.rows if row[0] == "inference")
    assert "diag: 30 certain" in inference[1]
    assert inference[3] == "FAIL"
    (section,) = confidential_sections(charts)
    assert [table.caption for table in section.tables] == [
        "What groups tell about income",
        "What groups tell about diag",
    ]
    certain = next(row for row in section.tables[1].rows if row[0] == "people whose group has one value")
    assert certain[1:3] == ["30", "30"]
