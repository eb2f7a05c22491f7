"""What cannot be meant by an argument is refused in our words: what was given, for what, and what would be right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import incrowd as ic
from incrowd.attacks import expected_homogeneity
from incrowd.experiments import reproduce
from incrowd.release._about import About

CANARY = "canary"
TABLE = [
    {"age": age, "zip": town, "disease": disease, "w": 2.5}
    for age, town, disease in ((30, "1234", CANARY), (30, "1234", "b"), (40, "1299", "a"), (40, "1299", "b"))
]
SCHEMA = ic.Schema(quasi=["age", "zip"], sensitive=["disease"])


@pytest.fixture(scope="module")
def release() -> ic.Release:
    roles = ic.Schema(quasi={"age": ic.intervals(10)}, sensitive=["disease"], insensitive=["zip", "w"])
    return ic.anonymize(TABLE, roles, model="k>=2")


def refused(call: Callable[[], object], match: str) -> None:
    """See that a call is refused, and that the message shows no value."""
    with pytest.raises(ic.ParameterError, match=match) as raised:
        call()
    assert CANARY not in str(raised.value)


@pytest.mark.parametrize("wrong", [5, ["w"], TABLE])
def test_a_column_is_named_by_a_text(release: ic.Release, wrong: Any) -> None:
    got = f"must be the name of a column, got {type(wrong).__name__}"
    refused(lambda: ic.risk(TABLE, SCHEMA, weight=wrong), f"weight {got}")
    refused(lambda: ic.utility(release, TABLE, target=wrong), f"target {got}")
    refused(lambda: ic.attack(TABLE, SCHEMA, external=TABLE, who=wrong), f"who {got}")
    refused(lambda: ic.attack(TABLE, SCHEMA, external=TABLE, on=[wrong]), f"Every part of on {got}")
    refused(lambda: ic.attack(TABLE, SCHEMA, external=TABLE, on={"age": wrong}), f"Every part of on {got}")
    for draw in (release.charts.tree, release.charts.marginals, release.charts.confidence, release.charts.bipartite):
        refused(lambda draw=draw: draw(wrong), f"column {got}")  # type: ignore[misc]


def test_columns_to_join_on_are_a_list_or_a_dict() -> None:
    given: Any = 5
    refused(lambda: ic.attack(TABLE, SCHEMA, external=TABLE, on=given), "on must be a list, got int")
    names: Any = (name for name in ("age", "zip"))
    assert ic.attack(TABLE, SCHEMA, external=TABLE, on=names).get("linkage").targets == 4


@pytest.mark.parametrize("wrong", ["x", {}, TABLE])
def test_an_intruder_is_an_intruder(wrong: Any) -> None:
    refused(lambda: ic.attack(TABLE, SCHEMA, intruder=wrong), f"must be an Intruder, got {type(wrong).__name__}")


@pytest.mark.parametrize(
    ("wrong", "why"),
    [("x", "a whole number, got the text 'x'"), (-1, "at least 0, got -1"), (1.5, "a whole number, got 1.5")],
)
def test_the_seed_of_utility_is_a_whole_number(release: ic.Release, wrong: Any, why: str) -> None:
    refused(lambda: ic.utility(release, TABLE, seed=wrong), f"seed must be {why}")


@pytest.mark.parametrize("wrong", [TABLE, pl.DataFrame(TABLE)])
def test_a_table_given_for_a_number_is_refused_without_showing_it(release: ic.Release, wrong: Any) -> None:
    got = f"got {type(wrong).__name__}"
    refused(lambda: ic.KAnonymity(wrong), f"k must be a whole number, {got}")
    refused(lambda: ic.risk(TABLE, SCHEMA, threshold=wrong), f"threshold must be a number, {got}")
    refused(lambda: ic.utility(release, TABLE, queries=wrong), f"queries must be a whole number, {got}")
    refused(lambda: ic.Intruder(excluded=wrong), f"excluded must be a whole number of at least 0, {got}")
    refused(lambda: ic.Intruder(sure=wrong), f"sure must be a number from 0 to 1, {got}")
    refused(lambda: ic.Intruder(values={"disease": [wrong]}), "values of column 'disease' cannot hold")
    refused(lambda: expected_homogeneity(wrong, 2, [3]), f"n must be a whole number of at least 0, {got}")


def test_a_number_of_thousands_of_digits_is_refused_without_writing_it() -> None:
    huge, got = 10**5000, "got a number of more than 100 digits"
    refused(lambda: ic.KAnonymity(huge), got)
    refused(lambda: ic.Intruder(seed=-huge), got)
    refused(lambda: ic.Intruder(sure=huge), got)
    refused(lambda: ic.Intruder(excluded=huge), "excluded must be below")
    refused(lambda: ic.risk(TABLE, SCHEMA, population=-huge), "population must be from 1 to")


@pytest.mark.parametrize("wrong", [[], ["wp216"], 5, TABLE, pl.DataFrame(TABLE)])
def test_presets_and_experiments_are_named_by_a_text(wrong: Any) -> None:
    got = f"got {type(wrong).__name__}"
    refused(lambda: ic.preset(wrong), f"must be one of 'ema-0.09', .*, {got}")
    refused(lambda: ic.risk(TABLE, SCHEMA).against(wrong), f"must be one of 'ema-0.09', .*, {got}")
    refused(lambda: reproduce(wrong), f"An experiment is named by a text, {got}")


def test_the_safe_harbor_asks_for_a_dict_of_kinds_a_list_of_codes_and_a_year() -> None:
    harbor: Any = ic.safe_harbor
    refused(lambda: harbor(TABLE, kinds=None), "kinds must be a dict from column to kind, got NoneType")
    refused(lambda: harbor(TABLE, kinds=["age"]), "kinds must be a dict from column to kind, got list")
    refused(lambda: harbor(TABLE, kinds={5: "age"}), "Every key of kinds must be the name of a column, got int")
    refused(lambda: harbor(TABLE, kinds={"zip": "zip"}, populous=5), "populous must be a list, got int")
    refused(lambda: harbor(TABLE, kinds={"zip": "zip"}, populous="036"), "populous must be a list, got str")
    refused(lambda: harbor(TABLE, kinds={"zip": "zip"}, populous=[36]), "three digits each, and 1 of 1 are something")
    refused(
        lambda: harbor(TABLE, kinds={"age": "birth date"}, year="2020"),
        "a whole number, got the text '2020'",
    )


def test_a_quasi_identifier_is_no_weight_whatever_holds_the_table(release: ic.Release, tmp_path: Path) -> None:
    frame = pl.DataFrame(TABLE)
    frame.write_csv(tmp_path / "table.csv")
    saved = release.save(tmp_path / "out")
    tables: list[tuple[Any, ic.Schema | None]] = [
        *((table, SCHEMA) for table in (TABLE, frame, tmp_path / "table.csv")),
        (release, None),
        (saved, None),
    ]
    for table, schema in tables:
        with pytest.raises(ic.SchemaError, match="'age' cannot be the weight: its role is quasi-identifier"):
            ic.risk(table, schema, weight="age")
    assert ic.risk(release, weight="w").journalist is not None


@pytest.mark.parametrize("digits", [10, 17, 30, 5000])
def test_a_population_that_nobody_means_is_refused(digits: int, release: ic.Release, tmp_path: Path) -> None:
    people, most = 10**digits + 1, "10,000,000,000"
    refused(lambda: ic.risk(TABLE, SCHEMA, population=people), f"population must be from 1 to {most} people")
    about: Any = {"population": people}
    refused(lambda: release.report(tmp_path / "r.html", about=about), f"a whole number of people, from 1 to {most}")
    assert not list(tmp_path.iterdir())


def test_everybody_on_earth_can_be_the_population() -> None:
    found = ic.risk(TABLE, SCHEMA, population=10**10)
    assert found.journalist is not None
    assert 0 < float(found.journalist.highest or 0) < 1


def test_a_population_of_nobody_is_not_one_that_was_not_stated() -> None:
    stated: Any = {"population": 0}
    refused(lambda: About(stated), "population must be a whole number of people, from 1 to")
    refused(lambda: About({"population": "9" * 5000}), "population must be a whole number of people, from 1 to")
    assert About({"population": f"{'0' * 30}1,200_000"}).population == 1_200_000
    assert About({"population": ""}).population is None


def test_a_threshold_too_long_to_be_meant_is_refused_at_once() -> None:
    refused(lambda: About({"threshold": "1e-999999999"}), "threshold must be a chance above 0, and 1 at most")


@pytest.mark.parametrize(("key", "written", "meant"), [("population", "x", 1200000), ("threshold", "2", 0.09)])
def test_what_a_hint_says_can_be_written_into_a_plan(key: str, written: str, meant: float) -> None:
    with pytest.raises(ic.ParameterError) as raised:
        About({key: written})
    assert f"{key} = {meant}" in raised.value.hint
    plan = {
        "version": 1,
        "data": {"path": "people.csv"},
        "columns": {"age": {"role": "quasi"}},
        "privacy": {"promise": "k>=5"},
        "report": {key: meant},
    }
    assert About(ic.Plan.of(plan).report.about).stated == {key: str(meant)}


def test_a_report_is_written_to_a_file(release: ic.Release) -> None:
    path: Any = 5
    refused(lambda: release.report(path), "A report is written to a file, got int")
    about: Any = []
    refused(lambda: release.report("r.html", about=about), "about must be a dict of what the owner says, got list")


def test_a_wrong_search_is_refused_before_the_table_is_opened() -> None:
    with pytest.raises(ic.ParameterError, match="algorithm must be a search"):
        ic.anonymize("not-there.csv", ic.Schema(quasi=["age"]), model="k>=2", algorithm="mondrian")  # type: ignore[arg-type]
