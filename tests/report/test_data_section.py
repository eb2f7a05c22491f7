"""Reports on tables in which something is missing: whom they count, and who is told."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import incrowd as ic
from incrowd.release._about import About
from incrowd.report._data_section import data_section
from incrowd.report._evidence_section import confidential_sections


def test_where_a_row_stands_for_several_records_those_with_a_missing_value_are_counted() -> None:
    table = [
        {"age": 30, "ward": "a", "disease": "flu", "n": 10},
        {"age": 31, "ward": None, "disease": None, "n": 10},
        {"age": 31, "ward": "b", "disease": "hiv", "n": 1},
        {"age": 32, "ward": None, "disease": "flu", "n": 1},
    ]
    roles = ic.Schema(quasi={"age": ic.intervals(10)}, sensitive=["disease"], insensitive=["ward"], count="n")
    found = data_section(ic.anonymize(table, roles, model="k>=2").charts, About({})).tables[1].rows
    assert [(row[0], row[-1]) for row in found] == [
        ("age", "0"),
        ("disease", "10 (45.5%)"),
        ("ward", "11 (50.0%)"),
        ("n", "0"),
    ]


def _with_gaps(**more: Any) -> ic.Release:
    ages = (30, 31, 32, 33, 80, None, None)
    table = [{"who": number, "age": age, "disease": "ab"[number % 2], "n": 3} for number, age in enumerate(ages)]
    roles = ic.Schema(quasi={"age": ic.intervals(10)}, sensitive=["disease"], missing="drop", **more)
    return ic.anonymize(table, roles, model="k>=2", max_suppressed=0.3, others="drop")


def test_the_owner_is_told_of_records_that_were_removed_first(tmp_path: Path) -> None:
    page = json.loads(_with_gaps().report(tmp_path / "r.json").read_text(encoding="utf-8"))
    parts = {section["name"]: section for section in page["sections"]}
    assert page["facts"]["published records"] == "4 of 7"
    assert parts["summary"]["words"][0].startswith(
        "4 of 7 records are published. 2 (28.6%) were removed first, because a quasi-identifier is missing; 1 (14.3%) "
        'is left out. The removed records are not counted under "before". The promises'
    )
    assert parts["data"]["tables"][0]["rows"][:4] == [
        ["records", "7"],
        ["records removed first, as a quasi-identifier is missing", "2"],
        ["records that are left", "5"],
        ["people", "7, one record each"],
    ]
    assert parts["data"]["tables"][1]["caption"] == "Published columns, counted without the records removed first"
    assert parts["changed"]["words"][:2] == [
        "2 of 7 records were removed first, because a quasi-identifier is missing.",
        "1 of the other 5 records is left out (20.0%).",
    ]


def test_records_that_were_removed_first_are_counted_as_rows_say() -> None:
    facts = data_section(_with_gaps(count="n").charts, About({})).tables[0].rows
    assert [row[1] for row in facts[:4]] == ["21", "6", "15", "21, one record each"]
    people = data_section(_with_gaps(entity="who").charts, About({})).tables[0].rows[3]
    assert list(people) == ["people", "5 in the records that are left"]


def test_the_public_are_not_told_how_many_records_were_removed_first(tmp_path: Path) -> None:
    def text(found: ic.Release, name: str) -> str:
        told = found.report(tmp_path / name, public=True).read_text(encoding="utf-8")
        return re.sub(r"(?s)<svg.*?</svg>|\d{4}-\d\d-\d\d", "", told)  # no drawing, and not the day

    roles = ic.Schema(quasi={"age": ic.intervals(10)}, sensitive=["disease"], missing="drop")
    table = [{"age": age, "disease": "ab"[number % 2]} for number, age in enumerate((30, 31, 32, 33, 80, *[None] * 3))]
    more = ic.anonymize(table, roles, model="k>=2", max_suppressed=0.3)
    assert (_with_gaps().recipe.dropped, more.recipe.dropped) == (2, 3)
    assert text(_with_gaps(), "two.html") == text(more, "three.html")
    assert "removed first" not in text(more, "again.html")


def test_a_bound_on_guesses_stands_beside_the_measure_that_it_bounds() -> None:
    secrets = ["flu", "hiv", None, None]
    rows = [{"age": 30 + n // 4, "disease": secrets[n % 4]} for n in range(40)]
    schema = ic.Schema(quasi={"age": ic.intervals(10, 20)}, sensitive=["disease"])
    made = ic.anonymize(rows, schema, model=ic.KAnonymity(2) & ic.LDiversity(2, "disease", "probabilistic"))
    (section,) = confidential_sections(made.charts)
    rows_said = {row[0]: list(row[2:]) for row in section.tables[0].rows}
    assert rows_said["most certain guess in any group"] == ["25.0%", "", ""]
    assert rows_said["most certain guess where the value is known"] == ["50.0%", "at most 50.0%", "kept"]
