"""Labels that nobody can read make a linkage incomplete, and it says so; what others write is read."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import incrowd as ic
from incrowd.evidence import Attack

ALONE = "linkage: whether a candidate is the person is known only if the person is in the release."
STRANGE = "are no values of these people and cannot be read; each stands for itself."


def linked(labels: list[str], people: list[Any], hierarchy: Any = None) -> Attack:
    table = [{"b": label, "v": place} for place, label in enumerate(labels)]
    schema = ic.Schema(quasi={"b": hierarchy}, sensitive=["v"])
    return ic.attack(table, schema, external=[{"b": value} for value in people]).get("linkage")


def test_unread_labels_are_counted_and_not_shown() -> None:
    found = linked(["2022-03", "Europe", "Europe", "*"], ["2022-03-31", "DE"])
    assert (found.unread, found.to_dict()["unread"]) == (2, 2)
    assert found.notes == (
        "linkage: 2 of 2 people have a candidate in the release.",
        f"linkage: 1 of 3 labels of column 'b' {STRANGE}",
        (
            "linkage: 2 of 4 records have such labels: if they are vague, people and candidates are missing. "
            "The hierarchy of the column would tell; flat() says that it is exact."
        ),
        ALONE,
    )


def test_a_result_with_unread_labels_does_not_look_like_good_news() -> None:
    schema = ic.Schema(quasi=["b"], sensitive=["v"])
    printed = str(ic.attack([{"b": "Europe", "v": 1}], schema, external=[{"b": "DE"}]))
    assert f"{'linkage':<34}{'0.0 %?':>9}" in printed
    assert printed.splitlines()[-1].startswith("?: incomplete")
    assert "Europe" not in printed
    whole = str(ic.attack([{"b": "D*", "v": 1}], schema, external=[{"b": "DE"}]))
    assert "?" not in whole


@pytest.mark.parametrize(
    ("label", "value", "other"),
    [
        ("90+", 95, 89),
        (">=90", 90, 89),
        ("\u226590", 90, 89),
        ("<=18", 18, 19),
        ("\u226418", 18, 19),
        ("<18", 17, 18),
        (">90", 91, 90),
        ("20-29", 29, 30),
        ("20\u201329", 20, 19),
        ("476xx", "47605", "47705"),
        ("476XX", 47605, 47705),
        ("2022-03", dt.date(2022, 3, 31), dt.date(2022, 4, 1)),
        ("2022-03", "2022-03-01 12:00:00", "2022-02-28 23:00:00"),
        ("2022", "2022-12-31", "2021-12-31"),
    ],
)
def test_common_notations_are_read(label: str, value: Any, other: Any) -> None:
    found = linked([label], [value, other])
    assert (found.unread, found.right, found.exposed.records) == (0, Fraction(1), 1)


def test_hierarchies_and_certificates_explain_labels(tmp_path: Path) -> None:
    places = ic.tree({"Europe": ["FR", "DE"], "Asia": ["JP", "CN"]})
    assert linked(["Europe", "Asia"], ["FR"]).unread == 2
    assert linked(["Europe", "Asia", "JP"], ["FR"], places).unread == 0
    assert linked(["Mars", "Asia"], ["FR"], places).unread == 1
    assert linked(["f"], ["m"]).unread == 1
    assert linked(["f"], ["m"], ic.flat()).unread == 0
    people = [{"land": land, "sex": sex, "s": s} for s, land in enumerate(["FR", "DE"]) for sex in "fm"]
    schema = ic.Schema(quasi={"land": places, "sex": ic.flat()}, sensitive=["s"])
    release = ic.anonymize(people, schema, model="k>=2", algorithm=ic.Optimal())
    assert release.recoding.levels == {"land": 1, "sex": 0}
    release.save(tmp_path / "out")
    outsiders = [{"land": "JP", "sex": "f"}]
    assert ic.attack(release, external=outsiders).get("linkage").unread == 0
    (tmp_path / "out" / "owner").rename(tmp_path / "kept")
    found = ic.attack(tmp_path / "out", external=outsiders).get("linkage")
    assert (found.unread, found.notes[1].split(" labels")[0]) == (4, "linkage: 1 of 1")
    assert ic.attack(tmp_path / "out", external=outsiders, on=["sex"]).get("linkage").unread == 0


def test_two_releases_with_unread_labels_are_incomplete_too() -> None:
    schema = ic.Schema(quasi=["b"], sensitive=["v"])
    tables = [[{"b": label, "v": value} for value in (1, 2)] for label in ("Europe", "*")]
    people = [{"b": "DE", "v": 1}, {"b": "FR", "v": 2}]
    found = ic.attack(tables[1], schema, external=people, other=tables[0]).get("intersection")
    assert (found.unread, found.notes[1]) == (
        2,
        f"intersection: 1 of 1 labels of column 'b' {STRANGE}",
    )


def test_people_with_several_rows_are_counted_as_persons() -> None:
    rows = [
        (person, age + shift, s) for person, age, s in [(1, 30, "a"), (2, 50, "b"), (3, 70, "c")] for shift in (0, 1)
    ]
    people = [{"pid": person, "age": age, "s": s} for person, age, s in rows]
    schema = ic.Schema(quasi=["age"], sensitive=["s"], entity="pid")
    found = ic.attack(people, schema, original=people)
    linkage = found.get("linkage")
    assert linkage.notes[0] == "linkage: 6 of 6 different rows of 3 persons have a candidate in the release."
    assert (linkage.exposed.records, linkage.exposed.persons, linkage.exposed.share) == (6, 3, Fraction(1))
    disclosed = found.get("attribute linkage").exposed
    assert (disclosed.records, disclosed.persons) == (6, 3)
    both = ic.attack(people, schema, original=people, other=people).get("intersection")
    assert (both.exposed.persons, both.notes[0]) == (
        3,
        "intersection: for 0 of 6 different rows of 3 persons both releases leave fewer values than each alone.",
    )


def test_an_empty_table_leaves_nothing_to_guess() -> None:
    schema = ic.Schema(quasi=["b"], sensitive=["v"])
    found = ic.attack([{"b": "x", "v": 1}], schema, external=[{"b": "x"}])
    assert found.get("linkage").baseline == 1
    nobody = ic.attack(pl.DataFrame({"b": [], "v": []}, schema={"b": pl.String, "v": pl.Int64}), schema)
    assert nobody.get("singling out").baseline == 0


def test_all_who_are_exposed_are_in_one_table() -> None:
    table = [{"people": 1, "records": "x", "s": "flu"}, {"people": 2, "records": "y", "s": "hiv"}]
    schema = ic.Schema(quasi=["people"], sensitive=["s"], insensitive=["records"])
    found = ic.attack(table, schema, external=[{"people": 1, "name": "Ada"}], who="name")
    rows = found.exposed_records()
    assert list(rows) == ["attack", "about", "people", "s", "records", "name", "people_", "candidates"]
    assert len({len(column) for column in rows.values()}) == 1
    (place,) = (at for at, name in enumerate(rows["attack"]) if name == "linkage")
    assert {name: column[place] for name, column in rows.items() if column[place] is not None} == {
        "attack": "linkage",
        "name": "Ada",
        "people": "1",
        "people_": 1,
        "candidates": 1,
        "s": "flu",
    }


def test_groups_that_were_formed_from_a_table_are_not_formed_anew_from_others() -> None:
    found = linked(["a", "rare (<3)"], ["a", "a", "a", "b", "b", "b", "c"], ic.frequent(3))
    assert (found.unread, found.notes[0]) == (1, "linkage: 3 of 7 people have a candidate in the release.")


def test_a_set_is_read_though_nobody_has_some_of_its_members() -> None:
    found = linked(["{Bonn, Jena}", "{Kiel, Ulm}"], ["Bonn", "Kiel"])
    assert (found.unread, found.notes[0]) == (0, "linkage: 2 of 2 people have a candidate in the release.")


def test_under_a_mask_a_text_without_its_sign_is_a_value() -> None:
    assert linked(["Bonn", "Ulm", "Kie*"], ["Bonn", "Kiel"], ic.mask()).unread == 0
