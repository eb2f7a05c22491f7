"""What the knowledge of our own algorithms gives away, against a look at every record."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from attacks.slow import numbers
from incrowd.hierarchies import covers

TOWNS = {"west": ["bonn", "köln"], "north": ["kiel"], "south": ["ulm", "rom", "wien"]}
SCHEMA = ic.Schema(quasi={"age": ic.intervals(5, 10), "town": ic.tree(TOWNS)}, sensitive=["s"])
rows = st.lists(
    st.tuples(st.integers(20, 39), st.sampled_from(sum(TOWNS.values(), [])), st.sampled_from("abc")),  # noqa: RUF017
    min_size=4,
    max_size=24,
)
ALGORITHMS: list[Any] = [ic.Mondrian(), ic.Mondrian(labels="set"), ic.Mondrian(labels="hierarchy"), ic.TopDown()]


def released(people: list[Any], algorithm: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]], ic.Release]:
    """Give the table, what was published row by row, and the release."""
    table = [dict(zip(("age", "town", "s"), row, strict=True)) for row in people]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        release = ic.anonymize(table, SCHEMA, model="k>=2", algorithm=algorithm, order="keep")
    shown = [row | {name: str(row[name]) for name in ("age", "town")} for row in release.table]
    return table, shown, release


def covering(label: str, column: str, value: Any) -> bool:
    return covers(label, str(value)) or (column == "town" and value in TOWNS.get(label, []))


def test_the_ends_of_ranges_are_somebodys() -> None:
    table = [(21, "bonn", "a"), (25, "bonn", "b"), (28, "bonn", "a"), (39, "bonn", "b"), (33, "bonn", "c")]
    _, _, release = released(table, ic.Mondrian())
    labels = sorted({row["age"] for row in release.table})
    assert labels == ["21..28", "33..39"]
    found = ic.attack(release).get("downcoding")
    assert numbers(found.targets, found.right) == (4, 4)
    assert (found.exposed.classes, found.exposed.records) == (1, 2)
    assert found.worst == 1
    assert found.worst_class == {"age": "33..39", "town": "bonn"}
    # of everybody whom the labels cover, 1 of 3 has each end of the first range, and 1 of 2 each end of the second
    assert float(found.baseline) == pytest.approx((2 * (1 - 0.5**2) + 2 * (1 - (2 / 3) ** 3)) / 4)


def test_the_two_branches_of_a_label_occur() -> None:
    table = [(21, "bonn", "a"), (21, "köln", "b"), (21, "ulm", "a"), (21, "rom", "b"), (21, "wien", "b")]
    _, published, release = released(table, ic.TopDown())
    assert Counter(row["town"] for row in published) == {"west": 2, "south": 3}
    found = ic.attack(release).get("downcoding")
    assert numbers(found.targets, found.right, found.exposed.records) == (
        2,
        2,
        2,
    )  # south has three branches: nothing sure


@settings(max_examples=25)
@given(rows, st.sampled_from(ALGORITHMS))
def test_conclusions_from_tight_labels_are_right(people: list[Any], algorithm: Any) -> None:
    _, _, release = released(people, algorithm)
    found = ic.attack(release).get("downcoding")
    assert 0 <= found.right <= found.targets
    assert 0 <= found.baseline <= 1
    if isinstance(algorithm, ic.Mondrian):  # TopDown calls a class by where it stopped, which may be wider than it is
        assert found.right == found.targets


@settings(max_examples=25)
@given(rows, st.sampled_from(ALGORITHMS))
def test_conclusions_are_those_that_a_look_at_every_class_draws(people: list[Any], algorithm: Any) -> None:
    table, published, release = released(people, algorithm)
    classes: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for person, own in zip(table, published, strict=True):
        classes.setdefault((own["age"], own["town"]), []).append(person)
    made = right = 0
    for labels, members in classes.items():
        for column, label in zip(("age", "town"), labels, strict=True):
            everybody = {row[column] for row in table}
            claims = tight(label, column, everybody)
            made += len(claims)
            right += sum(any(member[column] in claim for member in members) for claim in claims)
    found = ic.attack(release).get("downcoding")
    assert numbers(found.targets, found.right) == (made, right)


def tight(label: str, column: str, everybody: set[Any]) -> list[set[Any]]:
    """Give the sets of values of which somebody in a class with this label must have one."""
    meant = {value for value in everybody if covering(label, column, value)}
    if len(meant) < 2:
        return []
    if label.startswith("{"):
        inside = label.strip("{}").split(", ")
        return [{value for value in everybody if covering(one, column, value)} for one in inside]
    if ".." in label:
        return [{value} for value in meant if str(value) in label.split("..")]
    if column == "town":
        groups = [set(towns) & everybody for towns in TOWNS.values()] if label == "*" else [{one} for one in meant]
    else:
        width = {"*": 10, 10: 5, 5: 1}["*" if label == "*" else _length(label)]
        groups = [{age for age in meant if age // width == start} for start in {age // width for age in meant}]
    parts = [group for group in groups if group]
    return parts if len(parts) == 2 else []


def _length(label: str) -> int:
    low, high = label.strip("[)").split(", ")
    return int(high) - int(low)


@settings(max_examples=25)
@given(rows, st.sampled_from(ALGORITHMS))
def test_the_narrowest_class_is_found_as_by_hand(people: list[Any], algorithm: Any) -> None:
    table, published, release = released(people, algorithm)
    classes = Counter((row["age"], row["town"]) for row in published)
    ages, towns = ({row[column] for row in table} for column in ("age", "town"))

    def width(label: tuple[str, str]) -> float:
        counts = [
            sum(covering(label[0], "age", age) for age in ages),
            sum(covering(label[1], "town", t) for t in towns),
        ]
        return sum(map(math.log, counts))

    right, before, there = Fraction(0), Fraction(0), 0
    for person, own in zip(table, published, strict=True):
        fits = [one for one in classes if all(covering(one[n], c, person[c]) for n, c in enumerate(("age", "town")))]
        least = min(map(width, fits))
        best = [one for one in fits if width(one) <= least + 1e-9]
        before += Fraction(1, sum(classes[one] for one in fits))
        if len(best) > 1:
            return  # which of two equally narrow ones is looked at does not matter
        if best == [(own["age"], own["town"])]:
            right += Fraction(1, classes[best[0]])
            there += 1
    found = ic.attack(release).get("narrowest group")
    assert (found.right, found.baseline) == (right, before / len(table))
    assert found.notes[0].startswith(f"narrowest group: {there} of {len(table)} people are in the narrowest group")


def test_one_level_per_column_has_no_such_attack() -> None:
    table = [{"age": age, "town": "bonn", "s": "a"} for age in (21, 22, 31, 32)]
    names = {entry.name for entry in ic.attack(ic.anonymize(table, SCHEMA, model="k>=2", algorithm=ic.Optimal()))}
    assert names.isdisjoint({"downcoding", "minimality", "narrowest group"})


def test_averages_take_no_part_in_linkage() -> None:
    averaged = ic.Schema(quasi={"age": ic.averaged(ic.intervals(5, 10)), "town": ic.tree(TOWNS)}, sensitive=["s"])
    table = [{"age": 20 + number, "town": "bonn", "s": "a"} for number in range(6)]
    release = ic.anonymize(table, averaged, model="k>=2", algorithm=ic.Mondrian())
    found = ic.attack(release, original=table).get("linkage")
    assert found.worst == Fraction(1, 6)
    assert "columns that are published as averages take no part in linkage." in found.notes


@settings(max_examples=25)
@given(rows, st.sampled_from(ALGORITHMS), st.sampled_from(ALGORITHMS))
def test_two_releases_leave_the_values_that_both_allow(people: list[Any], one: Any, two: Any) -> None:
    table, first, release = released(people, one)
    _, second, other = released(people, two)
    left: list[Any] = []
    for person in table:
        possible = [
            {row["s"] for row in rows if all(covering(row[c], c, person[c]) for c in ("age", "town"))}
            for rows in (first, second)
        ]
        left.append((possible[0] & possible[1], *map(len, possible)))
    found = ic.attack(release, original=table, other=other).get("intersection")
    assert found.right == found.exposed.records == sum(len(both) == 1 for both, *_ in left)
    alone = max(sum(sizes[side] == 1 for sizes in left) for side in (1, 2))
    assert found.baseline == Fraction(alone, len(table))
    for person, (both, *_) in zip(table, left, strict=True):
        assert person["s"] in both
    records = found.exposed_records()
    certain = {(str(p["age"]), p["town"]): p["s"] for p, (both, *_) in zip(table, left, strict=True) if len(both) == 1}
    assert dict(zip(zip(records["age"], records["town"], strict=True), records["s"], strict=True)) == certain


def test_two_releases_need_people_to_look_up() -> None:
    table = [{"age": age, "town": "bonn", "s": "a"} for age in (21, 22, 31, 32)]
    release = ic.anonymize(table, SCHEMA, model="k>=2")
    with pytest.raises(ic.ParameterError, match="it was not said who they are"):
        ic.attack(release, other=release)
    external = [{"age": 21, "town": "bonn"}]
    assert ic.attack(release, other=release, external=external).get("intersection").exposed.records == 1
    foreign = [{"age": "21", "town": "bonn", "t": 1}]
    with pytest.raises(ic.ParameterError, match="A table alone does not say"):
        ic.attack(release, other=foreign, original=table)


def test_a_saved_local_release_says_the_same(tmp_path: Path) -> None:
    people = [
        (20 + number, town, "ab"[number % 2]) for number, town in enumerate(["bonn", "köln", "kiel", "rom", "ulm"] * 3)
    ]
    for place, algorithm in enumerate(ALGORITHMS):
        table, _, _ = released(people, algorithm)
        release = ic.anonymize(table, SCHEMA, model="k>=2, l>=2", algorithm=algorithm)
        release.save(tmp_path / str(place))
        one, two = ic.attack(release, original=table), ic.attack(tmp_path / str(place), original=table)
        assert [(e.name, e.column) for e in one] == [(e.name, e.column) for e in two]
        for entry in one:
            if entry.name not in {
                "downcoding",
                "narrowest group",
                "linkage",
                "attribute linkage",
            }:  # hierarchies are lost
                assert entry.to_dict() == two.get(entry.name, entry.column).to_dict()


def test_a_data_file_that_was_replaced_is_not_the_one_of_the_recoding(tmp_path: Path) -> None:
    table = [{"age": age, "town": "bonn", "s": "ab"[age % 2]} for age in (21, 22, 31, 32)]
    ic.anonymize(table, SCHEMA, model="k>=2", algorithm=ic.Mondrian()).save(tmp_path / "out", format="csv")
    data = tmp_path / "out" / "public" / "data.csv"
    data.write_text("age,town,s\n" + "21..32,bonn,a\n" * 4, encoding="utf-8")
    with pytest.raises(ic.DataError, match="The recoding has other labels of column 'age'") as caught:
        ic.attack(tmp_path / "out")
    assert "21..22" not in str(caught.value)
