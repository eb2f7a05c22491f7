"""Ladders that make sense without work: what a column is suggested, and what comes of it."""

from __future__ import annotations

import datetime as dt
import itertools
import os
import re
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import incrowd as ic
from core.faults import KINDS, failing, tree, watched
from incrowd.core import Domain
from incrowd.plan._sections import PostcodesForm, plain_of
from incrowd.plan.suggestion._ladders import ladder_files, suggest_hierarchy


def suggested(values: Any, about: str | None = None, name: str = "x") -> Any:
    form, _ = suggest_hierarchy(Domain.of(name, values), about)
    return form if isinstance(form, str) else plain_of(form)


def days_of(count: int) -> list[dt.date]:
    return [dt.date(2024, 1, 1) + dt.timedelta(7 * number % 89) for number in range(count)]


@pytest.mark.parametrize(
    ("values", "about", "form"),
    [
        (range(18, 95), "an age", {"intervals": (5, 10, 20), "top": 90}),
        (range(12, 19), "an age", {"intervals": (2, 4)}),
        (range(1930, 2010), "a date of birth", {"intervals": (5, 10, 20)}),
        (range(2015, 2025), "a date that others may know", {"intervals": (2, 4, 8)}),
        (range(18, 31), "an age", {"intervals": (5, 10, 20)}),
        (range(2009, 2020), None, {"intervals": (2, 4, 8)}),
        ([*range(62), 400], None, {"intervals": (5, 10, 20), "top": 70}),
        ([f"{day:%d.%m.%Y}" for day in days_of(200)], None, {"dates": ("week", "month"), "format": "%d.%m.%Y"}),
        ([str(day) for day in days_of(200)], "a date of birth", {"dates": ("week", "month")}),
        ([int(f"{day:%Y%m%d}") for day in days_of(200)], None, {"dates": ("week", "month"), "format": "%Y%m%d"}),
        ([f"job {number}" for number in range(300)], None, {"flat": True}),
        (["France", "Germany", "Italy", "Spain", "Japan", "USA"], None, {"classification": "countries"}),
        (["FR", "DE", "IT", "ES", "JP", "US"], None, {"classification": "countries"}),
        (["BW", "BY", "BE", "HB", "HH", "HE", "MV", "NI"], None, {"flat": True}),
        (["E11.9", "E10.0", "I21.0", "I20.1", "J45.0"], "health", {"classification": "icd-10"}),
        (["A10BA02", "A10BB01", "N02BE01", "N02BA01", "C09AA01"], None, {"classification": "atc"}),
        (["Bachelors", "HS-grad", "11th", "Masters", "9th"], "education", {"classification": "isced"}),
        (["Bachelors", "HS-grad", "11th", "Masters", "9th"], None, {"flat": True}),
        (["SW1A 1AA", "SW1A 2AA", "M1 1AE", "M1 2AB", "EC1A 1BB"], "postcodes", {"postcodes": "GB"}),
        (["02139", "02139-4307", "02138", "10001", "10002"], "a postcode", {"postcodes": "US"}),
        (["02139", "02138", "10001", "10002", "10003"], "a postcode", {"mask": "right"}),
    ],
)
def test_a_column_gets_the_ladder_that_people_are_used_to(values: Any, about: str | None, form: Any) -> None:
    assert suggested(values, about) == form


@pytest.mark.parametrize(
    ("name", "values", "form"),
    [
        ("plz", ["01069", "01097", "10115", "10117", "20095"], {"postcodes": "DE"}),
        ("plz_at", ["8010", "8020", "1010", "1020", "4020"], {"postcodes": "AT"}),
        ("PLZ", ["8010", "8020", "1010", "1020", "4020"], {"mask": "right"}),
        ("PLZ", [8010, 8020, 1010, 1020, 4020], {"mask": "right"}),
        ("postnr", [8010, 8020, 1010, 1020, 4020], {"mask": "right"}),
        ("code_postal", [1000, 1050, 4000, 9000, 8000], {"mask": "right"}),
        ("PLZ", [1067, 1097, 10115, 10117, 20095], {"postcodes": "DE"}),
        ("PLZ", [8010, 8020, 1010, 1020, 4020, 80331], {"mask": "right"}),
        ("code_postal", ["75001", "75002", "69001", "69002", "97400"], {"postcodes": "FR"}),
        ("zip", ["02139", "02138", "10001", "10002", "10003"], {"mask": "right"}),
    ],
)
def test_a_postcode_is_of_a_country_if_the_name_says_so(name: str, values: list[str], form: Any) -> None:
    assert suggested(values, "a postcode", name) == form


AUSTRIAN = ["1010", "1020", "8010", "5020", "6020", "4020"]


@pytest.mark.parametrize("name", ["PLZ", "postcode", "code_postal", "postnr"])
@pytest.mark.parametrize(
    "codes", [AUSTRIAN, [*AUSTRIAN, "80331"], ["1067", "80331", "10115", "20095", "50667", "60311"]]
)
def test_postcodes_of_another_length_are_asked_about_and_the_suggestion_can_be_used(
    name: str, codes: list[str], tmp_path: Path
) -> None:
    rows = {name: [codes[number % len(codes)] for number in range(210)], "sex": ["f", "m", "m"] * 70}
    pl.DataFrame(rows).write_csv(tmp_path / "table.csv")
    numbers = pl.DataFrame({**rows, name: [*map(int, rows[name])]})
    published = []
    for table in (tmp_path / "table.csv", numbers, pl.DataFrame(rows), pd.DataFrame(rows)):
        found = ic.suggest(table)
        column = found.columns[0]
        assert "countr" in column.check
        ic.anonymize(table, found.schema, model="k>=5", **found.reading)
        published.append(form_name(column.hierarchy))
    assert published[0] == published[1]
    if AUSTRIAN[0] in codes:
        assert published == ["mask"] * 4


def test_codes_are_known_by_the_name_of_the_column() -> None:
    assert suggested([2211, 2212, 2221, 9334, 9333], None, "isco") == {"classification": "isco-08"}
    assert suggested(["62.01", "62.02", "47.11", "47.19", "01.11"], None, "nace_code") == {"classification": "nace-2"}


@pytest.mark.parametrize(
    "values", [["01.11", "10.51", "47.11", "86.10", "85.20"], ["01.11", "10.51"], ["A01.1", "C10.5", "G47.1", "Q86.1"]]
)
def test_a_column_that_is_called_like_a_classification_has_its_codes_however_few(values: list[str]) -> None:
    assert suggested(values * 9, None, "nace") == {"classification": "nace-2"}


DISEASES = ["E119", "I10", "F321", "J450", "C509", "I214", "K358", "N390", "M545", "S7200", "E105", "I20"]


def test_diseases_are_known_with_and_without_points() -> None:
    assert suggested(DISEASES * 9, "health", "v7") == {"classification": "icd-10"}
    assert suggested(["E11.9", "E10.1", "I10", "I21.4", "F32.1"] * 9, "health") == {"classification": "icd-10"}
    assert suggested(DISEASES[:6] * 9, "health", "diag") == {"classification": "icd-10"}
    assert suggested(DISEASES * 9, None, "v7") == {"classification": "icd-10"}
    rooms = [f"{letter}{number}" for letter in "ABCD" for number in (101, 102, 203)]
    assert suggested(rooms * 9) != {"classification": "icd-10"}


def test_some_countries_that_are_not_known_become_one_group() -> None:
    values = ["France", "Germany", "Italy", "Spain", "Japan", "Hong", "Cuba"] * 2
    form, check = suggest_hierarchy(Domain.of("land", values * 4 + ["France"] * 50), None)
    assert plain_of(form) == {"classification": "countries", "others": "other"}
    assert check == "some values are not in the classification: they are one group"


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%Y%m%d"])
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_days_as_text_in_a_frame_give_the_release_of_the_same_file(form: str, frame: Any, tmp_path: Path) -> None:
    days = [f"{day:{form}}" for day in days_of(240)]
    rows = {"admitted": days, "sex": ["f", "m"] * 120}
    pl.DataFrame(rows).write_csv(tmp_path / "table.csv")
    schema = ic.Schema(quasi={"admitted": None, "sex": None})
    tables = [ic.anonymize(table, schema, model="k>=8").table for table in (frame(rows), str(tmp_path / "table.csv"))]
    first, second = ([list(map(str, column)) for column in _columns(table)] for table in tables)
    assert first == second
    assert first[0][0].startswith("2024-M01")


def _columns(table: Any) -> list[list[Any]]:
    found = pl.from_pandas(table) if isinstance(table, pd.DataFrame) else pl.DataFrame(table)
    return [found[name].to_list() for name in found.columns]


JOBS = ["baker", "cook", "judge", "lawyer", "nurse", "physician"]


def people(jobs: list[str] = JOBS, name: str = "job") -> pl.DataFrame:
    """Make a table in which jobs go in pairs with the town."""
    rows = [(job, f"town {place // 2}", 20 + number % 50) for place, job in enumerate(jobs) for number in range(60)]
    return pl.DataFrame(rows, schema=[name, "town", "age"], orient="row")


def test_names_without_a_classification_get_a_tree_of_what_they_go_with() -> None:
    found = ic.suggest(people(), roles={"job": "quasi", "town": "quasi", "age": "quasi"})
    tree = {column.name: column.tree for column in found.columns}["job"]
    assert tree is not None
    assert {path[1] for path in tree.paths} == {"{baker, cook}", "{judge, lawyer}", "{nurse, physician}"}


def test_a_plan_holds_no_value_and_its_schema_has_the_tree(tmp_path: Path) -> None:
    found = ic.suggest(people(), roles={"job": "quasi", "town": "quasi", "age": "quasi"})
    plan = found.plan("people.csv")
    assert not any(job in plan.text() or job in repr(plan) or job in repr(found) for job in JOBS)
    assert dict(plan.schema().quasi)["job"] == {column.name: column.tree for column in found.columns}["job"]
    people().write_csv(tmp_path / "people.csv")
    found.write(tmp_path / "plan.toml", "people.csv")
    written = ic.Plan.read(tmp_path / "plan.toml")
    assert 'hierarchy = { tree = "plan-ladders/job.csv", from_data = true }' in (tmp_path / "plan.toml").read_text()
    assert dict(written.schema().quasi)["job"] == dict(plan.schema().quasi)["job"]
    assert not any(job in (tmp_path / "plan.toml").read_text() for job in JOBS)
    assert ic.Plan.of(written.to_dict()).schema() == written.schema()


def test_a_plan_can_stand_alone_without_trees(tmp_path: Path) -> None:
    found = ic.suggest(people(), roles={"job": "quasi", "town": "quasi", "age": "quasi"}).without_trees()
    assert all(column.tree is None for column in found.columns)
    found.write(tmp_path / "plan.toml", "people.csv")
    assert [file.name for file in tmp_path.iterdir()] == ["plan.toml"]
    assert "hierarchy = { flat = true }  # a tree of your own keeps more" in (tmp_path / "plan.toml").read_text()


def test_ladders_are_not_replaced_unasked_and_all_or_none_are_written(tmp_path: Path) -> None:
    found = ic.suggest(people(), roles={"job": "quasi", "town": "quasi", "age": "quasi"})
    (tmp_path / "plan-ladders").mkdir()
    (tmp_path / "plan-ladders" / "job.csv").write_text("mine")
    with pytest.raises(ic.DataError, match=r"'job.csv' exists already"):
        found.write(tmp_path / "plan.toml", "people.csv")
    assert [file.name for file in tmp_path.iterdir()] == ["plan-ladders"]
    assert (tmp_path / "plan-ladders" / "job.csv").read_text() == "mine"
    found.write(tmp_path / "plan.toml", "people.csv", force=True)
    assert (tmp_path / "plan-ladders" / "job.csv").read_text().startswith("baker;{baker, cook};")


def test_whatever_call_fails_a_plan_and_its_ladders_are_written_or_nothing_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each call fails once: first with nothing there, then with a plan of ours that is to be replaced."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    found = ic.suggest(people(), roles={"job": "quasi", "town": "quasi", "age": "quasi"})
    place, after, named = tmp_path / "place", tmp_path / "after", {"plan.toml", "plan-ladders", "job.csv", "town.csv"}
    for folder in (place, after):
        folder.mkdir()
    found.write(after / "plan.toml", "people.csv")
    for before in ({}, {"plan.toml": b"old", "plan-ladders/job.csv": b"old"}):
        for number in itertools.count():
            for name, text in before.items():
                (place / name).parent.mkdir(exist_ok=True)
                (place / name).write_bytes(text)
            trouble = ""
            with watched(place) as faults:
                faults.begin(number, failing(KINDS[number % len(KINDS)]))
                try:
                    found.write(place / "plan.toml", "people.csv", force=True)
                except (OSError, ic.IncrowdError) as error:
                    trouble = str(error)
            if len(faults.names) <= number:
                break
            found_there = tree(place) or {}
            there = {name: text for name, text in found_there.items() if ".part/" not in name}
            assert trouble == "" or there == found_there  # the removal of what was replaced may fail
            assert there == tree(after) or (
                there == before and named & set(re.split("[ '/]", trouble))
            )  # it is read when it is written
            shutil.rmtree(place)
            place.mkdir()
        assert number > 60
        assert (place / "plan-ladders/job.csv").read_bytes() != b"old"


def test_no_ladder_is_written_beside_a_plan_that_may_not_be_replaced(tmp_path: Path) -> None:
    found = ic.suggest(people(), roles={"job": "quasi", "town": "quasi", "age": "quasi"})
    (tmp_path / "plan.toml").write_text("mine")
    with pytest.raises(ic.DataError, match=r"'plan.toml' exists already"):
        found.write(tmp_path / "plan.toml", "people.csv")
    assert [file.name for file in tmp_path.iterdir()] == ["plan.toml"]


def test_files_of_ladders_have_safe_names_and_none_twice() -> None:
    names = ["job", "Job", "../job", "a/b", "a b", "", "é", "con", "x" * 200]
    files = ladder_files(Path("here/plan.toml"), names)
    assert [files[name].name for name in names[:5]] == ["job.csv", "Job-2.csv", "job-3.csv", "a_b.csv", "a_b-2.csv"]
    assert {file.parent for file in files.values()} == {Path("here/plan-ladders")}
    assert len({file.name.casefold() for file in files.values()}) == len(names)
    assert files["con"].name == "con_column.csv"
    assert max(len(file.name) for file in files.values()) <= 70


def test_the_tree_is_the_same_in_any_order_of_rows_and_on_every_engine() -> None:
    roles: Any = {"job": "quasi", "town": "quasi", "age": "quasi"}
    table = people()
    tables = [table, table.reverse(), table.to_pandas(), table.to_arrow()]
    trees = [{column.name: column.tree for column in ic.suggest(one, roles=roles).columns} for one in tables]
    assert all(tree == trees[0] for tree in trees)


def test_a_table_too_large_to_count_gets_no_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("incrowd.plan.suggestion._protection.fits_in_memory", lambda *_: False)
    found = ic.suggest(people(), roles={"job": "quasi", "town": "quasi", "age": "quasi"})
    assert all(column.tree is None for column in found.columns)


def test_labels_of_a_classification_link_people_that_the_release_never_saw(tmp_path: Path) -> None:
    rows = [{"land": land, "age": age} for land in ("France", "Austria", "Japan", "China") for age in (30, 40, 50)] * 2
    schema = ic.Schema(quasi={"land": ic.classification("countries"), "age": ic.intervals(10)})
    release = ic.anonymize(rows, schema, model="k>=3", at_least={"land": 1})
    release.save(tmp_path / "out")
    found = ic.attack(tmp_path / "out", external=[{"land": "Belgium", "age": 30}, {"land": "Brazil", "age": 30}])
    linkage = found.get("linkage")
    assert (linkage.targets, linkage.worst) == (2, Fraction(1, 4))  # four in Western Europe, nobody in Brazil
    assert not any("read" in note for note in linkage.notes)


CODES = ("race", "marital_status", "familienstand", "etat_civil", "region", "religion", "occupation", "beruf", "sector")


@pytest.mark.parametrize("name", CODES)
def test_numbers_that_name_things_never_become_ranges(name: str) -> None:
    rows = [{name: number % 7 + 1, "age": 20 + number % 50} for number in range(700)]
    column = ic.suggest(rows, roles={name: "quasi"}).columns[0]
    assert form_name(column.hierarchy) in {"flat", "frequent"}


@pytest.mark.parametrize("name", ["children", "household_size", "hours_worked", "years_of_experience"])
def test_numbers_that_count_become_ranges(name: str) -> None:
    rows = [{name: number % 17 + 1} for number in range(700)]
    assert form_name(ic.suggest(rows, roles={name: "quasi"}).columns[0].hierarchy) == "intervals"


def form_name(form: Any) -> str:
    return str(next(iter(plain_of(form))))


def test_values_that_go_with_nothing_get_no_tree() -> None:
    random = np.random.default_rng(7)
    noise = {f"c{place}": random.choice(list("abcde"), 600).tolist() for place in range(6)}
    found = ic.suggest(pl.DataFrame(noise), roles=dict.fromkeys(noise, "quasi"))
    assert [column.tree for column in found.columns] == [None] * 6


def test_values_that_go_with_others_get_a_tree_also_where_they_are_numbers() -> None:
    random = np.random.default_rng(7)
    region = random.integers(1, 7, 600)
    table = pl.DataFrame({"region": region, "town": [f"t{one // 2}" for one in region], "age": region * 10 + 1})
    found = {column.name: column.tree for column in ic.suggest(table, roles={"town": "quasi"}).columns}
    assert found["region"] is not None


def test_german_postcodes_that_are_called_postcode_become_german_areas_and_are_to_be_checked() -> None:
    codes = ["10115", "80331", "20095", "50667", "60311", "70173", "01067"]
    german = ic.suggest([{"postcode": codes[number % 7]} for number in range(70)]).columns[0]
    assert isinstance(german.hierarchy, PostcodesForm)
    assert german.hierarchy.postcodes == "DE"
    assert "another country" in german.check
    other = ic.suggest([{"postcode": [*codes, "62000"][number % 8]} for number in range(80)]).columns[0]
    assert form_name(other.hierarchy) == "mask"


JOBS = ["1211", "2111", "2211", "2221", "2341", "3112", "4110", "5120", "5223", "7115", "8322", "9112"]
TRADES = ["01.11", "10.71", "25.62", "41.20", "43.21", "45.20", "47.11", "56.10", "62.01", "68.20", "85.20", "86.10"]


@pytest.mark.parametrize(
    ("values", "form"),
    [
        (JOBS, "isco-08"),
        ([int(code) for code in JOBS], "isco-08"),
        (TRADES, "nace-2"),
        ([code.replace(".", "") for code in TRADES], "nace-2"),
    ],
)
def test_codes_of_jobs_and_trades_are_known_by_their_values(values: Any, form: str) -> None:
    assert suggested(values, None, "v17") == {"classification": form}


@pytest.mark.parametrize(
    "values",
    [
        [*range(2008, 2024)],
        [*range(1950, 2021)],
        [*range(1100, 9900, 350)],
        [*range(2111, 2123)],
        [f"{number / 100:.2f}" for number in range(1050, 4000, 175)],
        JOBS[:6],
    ],
)
def test_years_amounts_and_a_few_codes_are_taken_for_no_jobs_and_trades(values: Any) -> None:
    assert "classification" not in suggested(values, None, "v17")
