"""Linking by what labels cover: the papers' examples, and agreement with a comparison of every pair."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from attacks.slow import numbers
from incrowd.attacks import Links, Matching, _linkage, link
from incrowd.hierarchies import covers

TABLES = Path(__file__).parents[1] / "published" / "tables"


def read(name: str) -> list[dict[str, str]]:
    with (TABLES / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_paper_000_table_1_3_finds_rajesh() -> None:
    schema = ic.Schema(quasi=["Zipcode", "Age", "Nationality"], sensitive=["Condition"])
    external = TABLES / "000_table1_3_driving_record.csv"
    found = ic.attack(TABLES / "000_table1_2_deidentified.csv", schema, external=external, who="Name")
    linked, value = found.get("linkage"), found.get("attribute linkage")
    assert numbers(linked.exposed.records, linked.targets, linked.right, linked.worst) == (1, 3, 1, 1)
    table = value.exposed_records()
    assert (table["Name"].tolist(), table["Condition"].tolist(), table["candidates"].tolist()) == (
        ["Rajesh"],
        ["HIV"],
        [1],
    )
    assert "Rajesh" not in str(found) + repr(found.entries) + str(found.to_dict(values=True))


def test_paper_002_tables_1_and_2_disclose_two_men_and_find_nobody() -> None:
    people = [{**row, "Age": str(int(row["Age"]) // 10 * 10)} for row in read("002_table2_external")]
    schema = ic.Schema(quasi=["Age", "ZipCode", "Sex"], sensitive=["Illness"])
    found = ic.attack(TABLES / "002_table1_patient_2anonymous.csv", schema, external=people, who="Name")
    linked, value = found.get("linkage"), found.get("attribute linkage")
    assert (linked.exposed.records, linked.worst, linked.rate) == (0, Fraction(1, 2), Fraction(1, 2))
    assert sorted(value.exposed_records()["Name"]) == ["Eric", "Sam"]
    assert set(value.exposed_records()["Illness"]) == {"Diabetes"}


RELEASE = [
    ("[20, 30)", "476**", "{f, m}", "flu"),
    ("[20, 30)", "476**", "{f, m}", "hiv"),
    ("25..40", "4767*", "f", "flu"),
    ("*", "48***", "m", "cold"),
    ("<30", "*", "*", "hiv"),
]


def test_labels_of_every_kind_are_matched_by_what_they_cover() -> None:
    table = [dict(zip(("age", "zip", "sex", "s"), row, strict=True)) for row in RELEASE]
    people = [
        {"alter": age, "zip": code, "sex": sex, "name": name}
        for age, code, sex, name in [
            (25, "47677", "f", "A"),
            (25, "47602", "m", "B"),
            (50, "48999", "m", "C"),
            (50, "47677", "f", "D"),
        ]
    ]
    on = {"age": "alter", "zip": "zip", "sex": "sex"}
    schema = ic.Schema(quasi=["age", "zip", "sex"], sensitive=["s"])
    found = ic.attack(table, schema, external=people, on=on, who="name").get("linkage")
    assert found.notes[0] == "linkage: 3 of 4 people have a candidate in the release."
    records = found.exposed_records()
    assert (records["name"].tolist(), records["s"].tolist()) == (["C"], ["cold"])
    assert found.right == Fraction(1, 4) + Fraction(1, 3) + 1
    assert found.worst_class == {"age": "*", "zip": "48***", "sex": "m"}
    by_zip = ic.attack(table, schema, external=people, on=["zip"]).get("linkage")
    assert by_zip.right == Fraction(1, 4) * 2 + Fraction(1, 3) + Fraction(1, 2)


def test_labels_of_a_hierarchy_are_matched_through_it() -> None:
    places = ic.tree({"Europe": ["FR", "DE"], "Asia": ["JP", "CN"]})
    table = [{"land": "Europe", "s": "a"}, {"land": "Asia", "s": "b"}, {"land": "Asia", "s": "b"}]
    people = [{"land": "FR"}, {"land": "JP"}, {"land": "XX"}, {"land": "Asia"}]
    schema = ic.Schema(quasi={"land": places}, sensitive=["s"])
    found = ic.attack(table, schema, external=people)
    assert found.get("linkage").exposed.records == 1
    assert found.get("attribute linkage").exposed.records == 3  # FR, JP, and who is called as the label is
    plain = ic.attack(table, ic.Schema(quasi=["land"], sensitive=["s"]), external=people)
    assert plain.get("attribute linkage").exposed.records == 1


def test_a_release_knows_what_its_labels_cover() -> None:
    table = [
        {"age": age, "job": job, "s": s} for age, job, s in zip(range(20, 32), "abcdabcdabcd", "xy" * 6, strict=True)
    ]
    schema = ic.Schema(
        quasi={"age": ic.intervals(6, 12), "job": ic.tree({"one": ["a", "b"], "two": ["c", "d"]})}, sensitive=["s"]
    )
    release = ic.anonymize(table, schema, model="k>=3", algorithm=ic.Optimal())
    found = ic.attack(release, original=table).get("linkage")
    assert found.targets == 12
    assert found.right == release.verdict.classes
    assert found.worst is not None
    assert found.worst <= Fraction(1, 3)
    others = [{"age": 21, "job": "z"}, {"age": 21, "job": "b"}]
    assert ic.attack(release, external=others).get("linkage").notes[0].startswith("linkage: 1 of 2 people")


LABELS: dict[str, list[Any]] = {
    "a": ["1", "2", "1-2", "2..4", "*", "{1, 4}", None, "<3", "3*"],
    "b": ["x", "y", "{x, y}", "*", "x*", "xy"],
}
VALUES: dict[str, list[Any]] = {"a": [1, 2, 3, 4, 31, None], "b": ["x", "y", "xy", "z", None]}
published = st.lists(
    st.tuples(st.sampled_from(LABELS["a"]), st.sampled_from(LABELS["b"]), st.sampled_from("pq")),
    min_size=1,
    max_size=12,
)
outside = st.lists(st.tuples(st.sampled_from(VALUES["a"]), st.sampled_from(VALUES["b"])), min_size=1, max_size=8)


WALKS: list[list[tuple[Any, str, int]]] = [
    [],
    [(_linkage, "MOST", 2), (_linkage, "TABLE", 0), (_linkage, "FEW", 0)],  # in pieces, without tables
    [(_linkage, "MANY", 0), (_linkage, "FEW", 0)],  # compiled
    [(_linkage, "MANY", 0), (_linkage, "MOST", 2), (_linkage, "TABLE", 0)],  # compiled and in pieces
    [(_linkage, "SPARSE", 10**6)],  # by kinds of people
]


@settings(max_examples=30)
@given(published, outside, st.sampled_from(WALKS))
def test_every_pair_is_compared_in_effect(
    release: list[Any], people: list[Any], walk: list[tuple[Any, str, int]]
) -> None:
    table = [{"a": a, "b": b, "s": s} for a, b, s in release]
    persons = [{"a": a, "b": b, "who": f"{number}"} for number, (a, b) in enumerate(people)]
    fits = [
        [s for one, two, s in release if covers(one, None if a is None else str(a)) and covers(two, b)]
        for a, b in people
    ]
    with pytest.MonkeyPatch.context() as patch:
        for module, name, limit in walk:
            patch.setattr(module, name, limit)
        schema = ic.Schema(quasi=["a", "b"], sensitive=["s"], missing_values=())
        found = ic.attack(table, schema, external=persons, who="who")
    linked, value = found.get("linkage"), found.get("attribute linkage")
    assert linked.right == sum((Fraction(1, len(some)) for some in fits if some), Fraction(0))
    assert {int(who) for who in linked.exposed_records()["who"]} == {n for n, some in enumerate(fits) if len(some) == 1}
    certain = {str(n): some[0] for n, some in enumerate(fits) if len(set(some)) == 1}
    records = value.exposed_records()
    assert dict(zip(records["who"].tolist(), records["s"].tolist(), strict=True)) == certain
    telling = {
        (one, two)
        for number, (a, b) in enumerate(people)
        if str(number) in certain
        for one, two, _ in release
        if covers(one, None if a is None else str(a)) and covers(two, b)
    }
    assert value.exposed.classes == len(telling)


@pytest.mark.parametrize("many", [0, 10**9])
def test_nobody_is_found_in_an_empty_release(monkeypatch: pytest.MonkeyPatch, many: int) -> None:
    monkeypatch.setattr(_linkage, "MANY", many)
    nothing = pl.DataFrame({"a": [], "b": [], "s": []}, schema=dict.fromkeys("abs", pl.String))
    people = [{"a": "1", "b": "2"}, {"a": "1", "b": "3"}]
    found = ic.attack(nothing, ic.Schema(quasi=["a", "b"], sensitive=["s"]), external=people).get("linkage")
    assert numbers(found.targets, found.right) == (2, 0)
    assert found.worst is None


def test_many_people_walk_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    matching = Matching.of([np.array([0, 1]), np.array([1])], 2)
    links = Links([np.array([0, 1])], [np.array([0, 1, 1, 0, 1])], [matching])
    pairs = [list(zip(*(part.tolist() for part in pairs), strict=True)) for *_, pairs in links.blocks(2)]
    assert [sorted(some) for some in pairs] == [[(0, 0), (1, 0), (1, 1)], [(2, 0), (2, 1), (3, 0)], [(4, 0), (4, 1)]]
    monkeypatch.setattr(_linkage, "MOST", 1)
    assert links.walk(0, 5)[0].tolist() == [0, 1, 1, 2, 2, 3, 4, 4]


def test_people_of_one_kind_walk_once() -> None:
    matchings = [
        Matching.of([np.array([0, 1, 2]), np.array([3])], 5),
        Matching.of([np.array([0]), np.array([0, 1])], 2),
    ]
    people = [np.array([0, 1, 2, 3, 4, 0]), np.array([0, 0, 1, 1, 0, 0])]
    links = Links([np.array([0, 0, 1]), np.array([0, 1, 1])], people, matchings)
    kinds = links.kinds()
    assert kinds is not None
    assert kinds[0].people == 4
    assert [len(set(kinds[1][[0, 1, 5]].tolist())), len(set(kinds[1].tolist()))] == [1, 4]
    found = link(links, np.array([10, 20, 30]), {"s": np.array([7, 7, -1])})
    assert found.candidates[found.kind].tolist() == [30, 30, 20, 30, 0, 30]
    assert found.values["s"][found.kind].tolist() == [7, 7, 7, -1, -1, 7]


@pytest.mark.parametrize(
    ("how", "error", "match"),
    [
        ({"on": ["s"]}, ic.UnknownColumnError, "no column 's' .given as quasi-identifier to join on"),
        ({"on": "age"}, ic.ParameterError, "on must be a list, got str"),
        ({"on": {"age": "nope"}}, ic.UnknownColumnError, "no column 'nope' .given as column to join on"),
        ({"on": ["age"], "who": "age"}, ic.ParameterError, "given twice"),
        ({"external": [{"z": 1}]}, ic.ParameterError, "has no column that is called like a quasi-identifier"),
        ({"external": None, "who": "z"}, ic.ParameterError, "none was given"),
    ],
)
def test_what_cannot_be_joined_is_refused(how: dict[str, Any], error: type[Exception], match: str) -> None:
    table = [{"age": "canary", "s": "canary"}]
    with pytest.raises(error, match=match) as caught:
        ic.attack(table, ic.Schema(quasi=["age"], sensitive=["s"]), **{"external": [{"age": "canary"}], **how})
    assert "canary" not in str(caught.value)


few = st.integers(0, 3)


@settings(max_examples=30)
@given(
    st.sets(st.tuples(few, few), min_size=1, max_size=8),
    st.lists(st.tuples(few, few, st.integers(1, 5)), max_size=20),
    st.tuples(*[st.lists(st.tuples(few, few), max_size=16)] * 2),
)
def test_people_that_fit_classes_are_counted_as_by_comparing_each_with_each(
    classes: set[tuple[int, int]],
    people: list[tuple[int, int, int]],
    fits: tuple[list[tuple[int, int]], list[tuple[int, int]]],
) -> None:
    labels = list(classes)
    covered = [
        [np.array([value for one, value in set(pairs) if one == label], np.intp) for label in range(4)]
        for pairs in fits
    ]
    table = np.array(people, dtype=np.int64).reshape(-1, 3)
    codes = [np.array(part) for part in zip(*labels, strict=True)]
    links = Links(codes, [table[:, 0], table[:, 1]], [Matching.of(column, 4) for column in covered])
    found = links.crowds(table[:, 2], len(labels))
    expected = [
        sum(count for one, two, count in people if (a, one) in fits[0] and (b, two) in fits[1]) for a, b in labels
    ]
    assert found.tolist() == expected


def test_a_value_without_a_label_fits_nothing() -> None:
    links = Links([np.array([0, 1])], [np.array([0, 1, 2])], [Matching.of([np.array([2]), np.array([0])], 3)])
    assert links.crowds(np.array([7, 8, 9]), 2).tolist() == [9, 7]
