"""The first page of a report: its colour is that of the worst finding, and it says what is gone."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import incrowd as ic
from incrowd.models import KAnonymity, LDiversity, PSensitive
from incrowd.release._about import QUESTIONS, About
from incrowd.release._recipe import described_search
from incrowd.report import Page, Section, Table, html_of, letter_of
from incrowd.report._data_section import columns_section, technique
from incrowd.report._method_section import search_text
from incrowd.report._report import charts_of, owner_page, public_page
from incrowd.report._verdict_section import doubts, open_questions

ALL_OF_THEM = "A person with several rows may have all of them, so a value can still be certain."
STATED = {key: "said" for key, one in QUESTIONS.items() if one.asked and key not in {"threshold", "population"}}


def safe() -> ic.Release:
    """Two groups of 20 people, in which ten diseases are equally frequent."""
    table = [{"q": str(number // 20), "disease": "abcdefghij"[number % 10]} for number in range(40)]
    return ic.anonymize(table, ic.Schema(quasi={"q": ic.flat()}, sensitive=["disease"]), model="k>=20, l>=5[disease]")


@cache
def several() -> ic.Release:
    """Everybody has both diseases of the own group: each is certain, though every group has two."""
    groups = [(number, number % 40 // 20) for number in range(200)]
    table = [{"id": number // 2, "q": str(group), "d": "abcd"[2 * group + number % 2]} for number, group in groups]
    return ic.anonymize(table, ic.Schema(quasi={"q": ic.flat()}, sensitive=["d"], entity="id"), model="k>=5, l>=2[d]")


def page(release: ic.Release, **about: str) -> Page:
    said = About(about)
    return owner_page(charts_of(release, said), said)


def test_a_banner_is_green_only_if_everything_is_answered_and_nothing_found() -> None:
    found = page(safe(), **STATED)
    assert (found.state, found.reasons) == ("good", ())
    assert found.word == "✓ MEETS the policy: k>=20, l>=5[disease]"


def test_nothing_is_green_over_not_stated() -> None:
    found = page(safe(), **{key: said for key, said in STATED.items() if key not in {"purpose", "valid_until"}})
    assert (found.state, found.meets) == ("doubt", True)
    (reason,) = found.reasons
    assert reason == (
        "NOT STATED: purpose of the release, date of the next review. Fill this in under [report] in the "
        "plan, or in step 7 of the page."
    )


def test_every_answer_that_is_missed_can_be_given_in_the_plan() -> None:
    plan: Any = {"version": 1, "data": {"path": "a.csv"}, "columns": {"age": {"role": "quasi"}}}
    told = ic.Plan.of({**plan, "privacy": {"promise": "k>=2"}, "report": STATED}).report.about
    assert open_questions(About(told)) == []


def test_certain_values_of_people_with_several_rows_are_not_green() -> None:
    found = page(several(), **STATED)
    assert (found.state, found.meets) == ("bad", True)
    assert found.word == "✗ KEEPS its promises (k>=5, l>=2[d]), but look at what was found"
    assert found.reasons[0] == "A value of d is certain for 100 of 100 people: everybody in their group has it."


def test_the_owners_own_limit_is_a_finding_too() -> None:
    found = page(safe(), **STATED, threshold="0.04")
    assert (found.state, found.reasons[0]) == (
        "bad",
        "The highest chance to find a person is 5.0%, above the limit of 4.0%.",
    )


def test_the_public_are_shown_no_colour() -> None:
    found = public_page(safe(), About({}))
    assert (found.state, found.word, found.reasons) == ("plain", "It promises k>=20, l>=5[disease]", ())


@pytest.mark.parametrize("public", [False, True])
def test_what_a_promise_means_for_people_with_several_rows_is_said(tmp_path: Path, *, public: bool) -> None:
    text = several().report(tmp_path / "r.html", public=public).read_text(encoding="utf-8")
    assert ALL_OF_THEM in text
    assert "no group shares a single value" not in text


@pytest.mark.parametrize(
    ("model", "once", "often"),
    [
        (
            KAnonymity(5),
            "Everybody looks like at least 4 others in the quasi-identifiers.",
            "Each row looks like those of at least 4 others; all rows together may single one out.",
        ),
        (
            LDiversity(2),
            "Every group has at least 2 different values, so no group shares a single value.",
            f"Every group has at least 2 different values. {ALL_OF_THEM}",
        ),
        (
            PSensitive(3),
            "Every group has at least 3 different values.",
            f"Every group has at least 3 different values. {ALL_OF_THEM}",
        ),
    ],
)
def test_promises_mean_less_where_people_have_several_rows(model: Any, once: str, often: str) -> None:
    assert (model.meaning(), model.meaning(several=True)) == (once, often)


def gone() -> ic.Release:
    """Of eight columns five have to go: everybody differs in them."""
    table = [
        {f"q{place}": str(number if place < 5 else number % 2) for place in range(8)} | {"d": "ab"[number % 2]}
        for number in range(40)
    ]
    schema = ic.Schema(quasi={f"q{place}": ic.flat() for place in range(8)}, sensitive=["d"])
    return ic.anonymize(table, schema, model="k>=5")


def test_the_first_page_says_which_columns_carry_nothing_any_more() -> None:
    words = "5 of 8 columns that could help to recognise somebody carry nothing any more: q0, q1, q2, q3, q4"
    release = gone()
    assert release.explanation.empty == ("q0", "q1", "q2", "q3", "q4")
    found = page(release)
    assert f"{words}. What would bring them back stands in the first table." in found.reasons
    lost, _, compared = found.sections[0].tables
    assert lost.caption == "Columns of which nothing or little is left"
    assert lost.rows[0] == ("q0", "nothing", "No single change that was tried brings it back.")
    rows = {row[0]: row[2] for row in compared.rows}
    assert rows["quasi-identifiers that still say something"] == "3"
    assert rows["detail kept, average of these columns"] == "37.5%"  # the geometric mean said 45.8%
    assert f"{words}." in release.explain()


def test_a_verdict_is_not_green_where_a_column_carries_nothing() -> None:
    table = [{"age": 30 + number % 30, "sex": "fm"[number % 2]} for number in range(300)]
    schema = ic.Schema(quasi={"age": ic.flat(), "sex": ic.flat()})
    found = {k: page(ic.anonymize(table, schema, model=f"k>={k}"), **STATED) for k in (10, 60)}
    assert [one.state for one in found.values()] == ["good", "doubt"]
    assert [reason.partition(":")[0] for reason in found[60].reasons] == [
        "1 of 2 columns that could help to recognise somebody carries nothing any more"
    ]


def test_the_command_line_says_it_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from incrowd.cli._text import Paper, facts_of, release_lines  # noqa: PLC0415 - a door of its own

    monkeypatch.chdir(tmp_path)
    said = " ".join(release_lines(gone(), Paper()))
    assert "5 of 8 columns that could help to recognise somebody carry nothing any more" in said
    assert facts_of(gone())["carry_nothing"] == ["q0", "q1", "q2", "q3", "q4"]


def test_a_local_recoding_says_what_carries_nothing() -> None:
    table = [{"a": str(number), "b": number % 4, "d": "xy"[number % 2]} for number in range(40)]
    schema = ic.Schema(quasi={"a": ic.flat(), "b": ic.intervals(2)}, sensitive=["d"])
    assert ic.anonymize(table, schema, model="k>=5", algorithm=ic.Datafly()).explanation.empty == ("a",)


def test_no_engine_and_no_text_of_a_program_is_in_a_report(tmp_path: Path) -> None:
    text = gone().report(tmp_path / "r.html").read_text(encoding="utf-8")
    words = re.sub(r"(?s)<svg.*?</svg>|<style.*?</style>|<[^>]*>", " ", text)
    assert not re.findall(r"(?i)duckdb|polars|pyarrow|pandas|narwhals|numpy|python 3", words)
    assert not re.findall(r"\b[A-Z]\w+\([a-z_]*=?|None\b|Fraction|\bTrue\b|\bFalse\b", words)


@pytest.mark.parametrize(
    ("search", "plain"),
    [
        (ic.Optimal(), "optimal (measure loss)"),
        (ic.Mondrian(), "mondrian (strict true, labels range)"),
        (ic.LevelsAndCells(), "levels-and-cells (most_stars 1.0)"),
        (
            ic.LevelsAndCells(most_stars={"age": 0.1, "zip": 0}, together=[["zip", "town"], ["age", "born"]]),
            "levels-and-cells (most_stars age 0.1 and zip 0, together zip with town and age with born)",
        ),
        (None, "apply"),
    ],
)
def test_a_search_is_called_as_in_a_plan(search: Any, plain: str) -> None:
    assert search_text(described_search(search)) == plain


def test_long_tables_are_cut_in_print_and_whole_as_json(tmp_path: Path) -> None:
    rows = [[str(number), "x"] for number in range(40)]
    shown = html_of(Page("t", True, "v", [], [Section("s", "S", tables=[Table("c", ["a", "b"], rows)])]))
    assert shown.count('<th scope="row">') == 15
    assert "25 more rows in report.json" in shown
    one_more = html_of(Page("t", True, "v", [], [Section("s", "S", tables=[Table("c", ["a", "b"], rows[:16])])]))
    assert one_more.count('<th scope="row">') == 16  # a line that says "1 more" would be as long
    plain = json.loads(gone().report(tmp_path / "r.json").read_text(encoding="utf-8"))
    assert (plain["state"], plain["meets"]) == ("bad", True)  # all of a group have one value


def test_letters_go_on_behind_z() -> None:
    assert [letter_of(place) for place in (0, 25, 26, 27, 51, 52)] == ["A", "Z", "AA", "AB", "AZ", "BA"]


# What turns a green verdict amber.


def doubtful(*diseases: str) -> list[str]:
    """Publish classes of 20 people with these diseases, and say what is doubtful about it."""
    table = [{"q": str(place), "disease": one} for place, text in enumerate(diseases) for one in text]
    release = ic.anonymize(table, ic.Schema(quasi={"q": ic.flat()}, sensitive=["disease"]), model="k>=2, l>=2")
    return doubts(release.charts)


def guesses(said: Sequence[str]) -> list[str]:
    return [one for one in said if one.startswith("Best guess")]


def test_a_guess_that_is_right_seven_times_of_ten_is_nearly_certain() -> None:
    said = doubtful("a" * 14 + "bcbcbc", "abc" * 7)
    words = "70.0% sure in the worst group, which is nearly certain (51.2% for everybody without the release)."
    assert guesses(said) == [f"Best guess of disease: {words}"]


def test_one_person_fewer_is_not() -> None:
    assert doubtful("a" * 13 + "bcbcbcb", "abc" * 7) == []


def test_a_rule_that_nobody_named_casts_no_doubt() -> None:
    assert doubtful("abcd" * 2, "abcd" * 5) == []  # groups of 8, where EMA asks for 12


def test_a_rule_that_was_named_and_fails_does() -> None:
    table = [{"q": str(place), "disease": one} for place, text in enumerate(["abcd" * 2, "abcd" * 5]) for one in text]
    release = ic.anonymize(table, ic.Schema(quasi={"q": ic.flat()}, sensitive=["disease"]), model="k>=2, l>=2")
    rule = "The rule of EMA and Health Canada (ema-0.09) does not hold"
    said = doubts(release.charts, [release.charts.risk_after.against("ema-0.09")])
    assert said == [f"{rule} (highest chance): 0.1250 (the smallest class has 8 records)."]


def test_a_report_on_levels_and_cells_says_what_was_done_to_each_column() -> None:
    table = [{"age": 20 + row % 2, "sex": "fm"[row % 2], "zip": f"0{row}"} for row in range(8)]
    table.append({"age": 47, "sex": "f", "zip": "09"})
    schema = ic.Schema(quasi={"age": ic.intervals(10), "sex": None, "zip": ic.mask()})
    levels = {"age": 1, "sex": 0, "zip": 2}
    how: dict[str, Any] = {"at_least": levels, "at_most": levels, "algorithm": ic.LevelsAndCells()}
    release = ic.anonymize(table, schema, model="k>=2", **how)
    known = {name: technique(release, name) for name in levels}
    assert known == {
        "age": "generalization and local suppression",
        "sex": "none",
        "zip": "attribute suppression",
    }
    (shown,) = columns_section(release).tables
    assert [row[-1] for row in shown.rows] == [
        "at level 1 of its hierarchy, with stars in single cells",
        "as it is",
        "without its values: every value is a star",
    ]
