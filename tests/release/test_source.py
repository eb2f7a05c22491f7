"""Where identifiers repeat and nobody said whose row is whose, every release says that rows were counted."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

import incrowd as ic

NOTE = r"Groups may hold fewer people than rows: column 'nr' has 40 values in 120 rows"
QUASI = {"age": ic.intervals(10, 20)}


def visits(people: int = 40, each: int = 3) -> list[dict[str, Any]]:
    return [{"nr": f"p{n}", "age": 20 + n % 30, "fever": "nym"[n % 3]} for n in range(people) for _ in range(each)]


def test_an_identifier_that_repeats_is_said_by_anonymize_with_the_number() -> None:
    schema = ic.Schema(quasi=QUASI, sensitive=["fever"], identifiers=["nr"])
    with pytest.warns(ic.PrivacyWarning, match=NOTE):
        release = ic.anonymize(visits(), schema, model="k>=3", max_suppressed=0.1)
    assert release.recipe.repeated == ("nr",)
    assert any("call it the entity" in note for note in release.recipe.notes)


def test_the_certificate_and_both_reports_say_so(tmp_path: Path) -> None:
    schema = ic.Schema(quasi=QUASI, sensitive=["fever"], identifiers=["nr"])
    with pytest.warns(ic.PrivacyWarning, match=NOTE):
        ic.anonymize(
            visits(), schema, model="k>=3", max_suppressed=0.1, output=tmp_path / "out", format="csv", about={}
        )
    certificate = json.loads((tmp_path / "out" / "public" / "release.json").read_text(encoding="utf-8"))
    assert any("groups may hold fewer people than rows" in limit for limit in certificate["limits"])
    for folder in ("public", "owner"):
        page = (tmp_path / "out" / folder / "report.html").read_text(encoding="utf-8")
        assert "groups may hold fewer people than rows" in page
    owner = (tmp_path / "out" / "owner" / "report.html").read_text(encoding="utf-8")
    assert "has 40 values in 120 rows" in owner
    assert ic.verify(tmp_path / "out").holds


@pytest.mark.parametrize(
    ("rows", "more"),
    [
        (visits(), {"entity": "nr"}),
        (visits(120, 1), {"identifiers": ["nr"]}),
        ([*visits(119, 1), *visits(1, 1)], {"identifiers": ["nr"]}),
        (
            [row | {"sex": "fm"[row["age"] % 2], "nr": n} for n, row in enumerate(visits())],
            {"identifiers": ["nr", "sex"]},
        ),
        ([row | {"nr": None} for row in visits()], {"identifiers": ["nr"]}),
    ],
)
def test_nothing_is_said_where_people_are_counted_or_hardly_anybody_is_named_twice(
    rows: list[dict[str, Any]], more: dict[str, Any]
) -> None:
    release = ic.anonymize(rows, ic.Schema(quasi=QUASI, sensitive=["fever"], **more), model="k>=3", max_suppressed=0.1)
    assert release.recipe.repeated == ()
    assert not any("fewer people" in note for note in release.recipe.notes)


@pytest.mark.parametrize("each", [2, 3, 8])
def test_of_a_long_table_the_number_of_people_is_estimated_from_a_sample(each: int) -> None:
    table = pa.table({"nr": [f"p{n // each}" for n in range(60_000)], "age": [20 + n % 30 for n in range(60_000)]})
    schema = ic.Schema(quasi=QUASI, identifiers=["nr"])
    with pytest.warns(ic.PrivacyWarning, match=r"column 'nr' has about [\d,]+ values in 60,000 rows") as told:
        ic.anonymize(table, schema, model="k>=3")
    number = re.search(r"about ([\d,]+)", str(told[0].message))
    assert number is not None
    assert int(number[1].replace(",", "")) == pytest.approx(60_000 / each, rel=0.15)


def test_numbers_that_occur_once_are_said_nothing_about_however_long_the_table_is() -> None:
    table = pa.table({"nr": [f"p{n}" for n in range(30_000)], "age": [20 + n % 30 for n in range(30_000)]})
    assert ic.anonymize(table, ic.Schema(quasi=QUASI, identifiers=["nr"]), model="k>=3").recipe.repeated == ()


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([f"v{number}" for number in range(30)], "nearly every value occurs once among 30 records"),
        ([f"{number} came with a cold and left" for number in range(30)], "it holds free text"),
        ([f"n{number % 3}@example.org" for number in range(30)], "its values look like e-mail addresses"),
    ],
    ids=["unique", "text", "e-mail"],
)
def test_a_column_that_is_called_insensitive_and_does_not_look_like_it_warns(values: list[str], reason: str) -> None:
    table = [{"age": number % 2, "more": value} for number, value in enumerate(values)]
    roles = ic.Schema(quasi={"age": ic.flat()}, insensitive=["more"])
    with pytest.warns(ic.PrivacyWarning, match=f"Column 'more' is published as it is, and {reason}"):
        ic.anonymize(table, roles, model="k>=2")


def test_an_ordinary_insensitive_column_does_not_warn() -> None:
    table = [{"age": number % 2, "ward": f"ward {number % 4}"} for number in range(40)]
    ic.anonymize(table, ic.Schema(quasi={"age": ic.flat()}, insensitive=["ward"]), model="k>=2")
