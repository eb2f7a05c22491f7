"""People with several rows: as candidates each of them counts once, and has the values of all rows that fit."""

from __future__ import annotations

import json
from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from attacks.slow import numbers
from incrowd.attacks import _candidates, _linkage
from incrowd.evidence import Attacks
from incrowd.hierarchies import covers

SCHEMA = ic.Schema(quasi=["age"], sensitive=["s"], entity="pid")
FLAT = ic.Schema(quasi={"age": ic.flat()}, sensitive=["s"], entity="pid")
SEVERAL = [
    {"pid": pid, "age": age, "s": s} for pid, age, s in zip("aabbcd", [30] * 4 + [70] * 2, "xyxyxy", strict=True)
]


def rows(*given: tuple[str, str, str]) -> list[dict[str, str]]:
    return [dict(zip(("pid", "age", "s"), row, strict=True)) for row in given]


def ann(table: list[dict[str, str]]) -> Attacks:
    return ic.attack(table, SCHEMA, external=[{"name": "Ann", "age": 32}], who="name")


def test_a_person_in_two_groups_is_one_candidate() -> None:
    found = ann(rows(("p1", "30-39", "flu"), ("p1", "30-34", "hiv"), ("p2", "50-59", "flu")))
    linked, value = found.get("linkage"), found.get("attribute linkage")
    assert numbers(linked.worst, linked.right, linked.exposed.records, linked.exposed.classes) == (1, 1, 1, 2)
    for entry in (linked, value):
        records = entry.exposed_records()
        assert (records["candidates"].tolist(), records["s"].tolist()) == ([1, 1], ["flu", "hiv"])


def test_all_values_that_every_candidate_has_are_told() -> None:
    both = rows(*((pid, "30-39", s) for pid in ("p1", "p2") for s in ("flu", "hiv")))
    assert ann(both).get("attribute linkage").exposed_records()["s"].tolist() == ["flu", "hiv"]
    more = [*both, *rows(("p3", "30-34", "flu"), ("p4", "30-34", "flu"))]
    value = ann(more).get("attribute linkage")
    records = value.exposed_records()
    assert (records["s"].tolist(), records["candidates"].tolist(), value.exposed.classes) == (["flu"], [4], 2)


def test_somebody_has_a_value_by_any_row_that_fits() -> None:
    table = rows(("p1", "30-39", "cold"), ("p1", "30-34", "flu"), ("p2", "30-34", "flu"))
    assert ann(table).get("attribute linkage").exposed_records()["s"].tolist() == ["flu"]
    other = rows(("p1", "30-39", "cold"), ("p1", "60", "flu"), ("p2", "30-34", "flu"))
    assert ann(other).get("attribute linkage").exposed.records == 0


def test_masked_rows_of_a_release_make_nobody_a_candidate_twice() -> None:
    given = [
        ("p1", 30, "flu"),
        ("p2", 30, "hiv"),
        ("p1", 50, "flu"),
        ("p2", 60, "hiv"),
        ("p3", 70, "x"),
        ("p4", 70, "y"),
    ]
    table = [{"pid": pid, "age": age, "s": s} for pid, age, s in given]
    schema = ic.Schema(quasi={"age": ic.flat()}, sensitive=["s"], entity="pid")
    release = ic.anonymize(table, schema, model="k>=2", max_suppressed=0.5, suppression="mask")
    found = ic.attack(release, original=table).get("linkage")
    assert (found.rate, found.worst) == (Fraction(5, 12), Fraction(1, 2))  # of 30, 50 and 60 two, of 70 four


@pytest.mark.parametrize(("model", "worst"), [("k>=2", Fraction(1, 2)), ("l>=2", Fraction(1))])
def test_where_nobody_says_whose_row_is_whose_no_chance_is_too_low(model: str, worst: Fraction) -> None:
    release = ic.anonymize(SEVERAL, FLAT, model=model)
    alone = ic.attack(release, external=[{"age": 30}]).get("linkage")
    assert alone.worst == worst  # four records of two persons
    assert any(note.startswith("linkage: the release does not say whose row is whose") for note in alone.notes)
    assert ic.attack(release, external=[{"age": 30}], original=SEVERAL).get("linkage").worst == Fraction(1, 2)


LABELS: dict[str, list[Any]] = {"a": ["1", "2", "1-2", "2..4", "*"], "b": ["x", "y", "{x, y}", "*"]}
published = st.lists(
    st.tuples(
        st.sampled_from("1234"), st.sampled_from(LABELS["a"]), st.sampled_from(LABELS["b"]), st.sampled_from("pqr")
    ),
    min_size=1,
    max_size=14,
)
outside = st.lists(st.tuples(st.integers(1, 4), st.sampled_from("xyz")), min_size=1, max_size=6)
WALKS: list[list[tuple[Any, str, int]]] = [
    [],
    [(_candidates, "TOGETHER", 1)],
    [(_linkage, "MOST", 2), (_linkage, "TABLE", 0), (_linkage, "FEW", 0), (_linkage, "BLOCK", 2)],
    [(_linkage, "MANY", 0), (_linkage, "FEW", 0)],
    [(_linkage, "SPARSE", 10**6)],
]


def fitting(release: list[Any], person: tuple[int, str]) -> list[Any]:
    return [row for row in release if covers(row[1], str(person[0])) and covers(row[2], person[1])]


def certain(fits: list[Any]) -> set[str]:
    """Give the values that every candidate has in some row."""
    values = defaultdict(set)
    for pid, _, _, s in fits:
        values[pid].add(s)
    return set.intersection(*values.values()) if values else set()


@settings(max_examples=30)
@given(published, outside, st.sampled_from(WALKS))
def test_candidates_are_persons_compared_one_by_one(
    release: list[Any], people: list[Any], walk: list[tuple[Any, str, int]]
) -> None:
    table = [dict(zip(("pid", "a", "b", "s"), row, strict=True)) for row in release]
    persons = [{"a": a, "b": b, "who": f"{number}"} for number, (a, b) in enumerate(people)]
    fits = [fitting(release, person) for person in people]
    with pytest.MonkeyPatch.context() as patch:
        for module, name, limit in walk:
            patch.setattr(module, name, limit)
        schema = ic.Schema(quasi=["a", "b"], sensitive=["s"], entity="pid")
        found = ic.attack(table, schema, external=persons, who="who")
    linked, value = found.get("linkage"), found.get("attribute linkage")
    candidates = [len({row[0] for row in some}) for some in fits]
    assert linked.right == sum((Fraction(1, many) for many in candidates if many), Fraction(0))
    alone = [number for number, many in enumerate(candidates) if many == 1]
    assert {int(who) for who in linked.exposed_records()["who"]} == set(alone)
    assert linked.exposed.classes == len({row[1:3] for number in alone for row in fits[number]})
    told = {(str(number), s) for number, some in enumerate(fits) for s in certain(some)}
    records = value.exposed_records()
    assert sorted(zip(records["who"].tolist(), records["s"].tolist(), strict=True)) == sorted(told)
    assert value.right == value.exposed.records == len({who for who, _ in told})
    assert value.exposed.classes == len({row[1:3] for who in {int(who) for who, _ in told} for row in fits[who]})


def saved_alone(folder: Path) -> Path:
    """Save a release of people with several rows, and give its public folder without the owner's."""
    ic.anonymize(SEVERAL, FLAT, model="k>=2").save(folder / "out")
    return (folder / "out" / "public").rename(folder / "public")


def test_of_a_public_folder_alone_no_chance_is_too_low_either(tmp_path: Path) -> None:
    alone = saved_alone(tmp_path)
    found = ic.attack(alone, external=[{"age": 30}])
    linked = found.get("linkage")
    assert (linked.worst, linked.right) == (Fraction(1, 2), Fraction(1, 2))  # four records of two persons
    assert "the 2 that the promise wants in every group" in linked.notes[1]
    assert "so records are counted in attacks on a group" in found.notes[0]
    rows = ic.attack(alone, original=SEVERAL).get("linkage")
    assert numbers(rows.targets, rows.right) == (6, 3)  # each row is one of two persons


def with_promise(folder: Path, promise: Any) -> Path:
    """Save a release whose certificate promises something else."""
    path = saved_alone(folder) / "release.json"
    certificate = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(certificate | {"promise": promise}), encoding="utf-8")
    return path


@pytest.mark.parametrize("broken", [None, 7])
def test_a_certificate_without_a_promise_is_refused(tmp_path: Path, broken: Any) -> None:
    with pytest.raises(ic.DataError, match="look at promise"):
        ic.attack(with_promise(tmp_path, broken), external=[{"age": 30}])


def test_a_certificate_with_a_promise_that_is_none_leaves_one_person_for_sure(tmp_path: Path) -> None:
    path = with_promise(tmp_path, "k>=no")
    assert ic.attack(path, external=[{"age": 30}]).get("linkage").worst == 1


def test_that_more_may_be_certain_of_people_with_several_rows_is_said() -> None:
    release = ic.anonymize(SEVERAL, FLAT, model="k>=2")
    value = ic.attack(release, external=[{"age": 30}]).get("attribute linkage")
    assert value.exposed.records == 0
    assert " ".join(value.notes) == (
        "attribute linkage: of people with several rows only those values are told that all rows of a group share. "
        "More may be certain; give the original to know."
    )
    value = ic.attack(release, external=[{"age": 30}], original=SEVERAL).get("attribute linkage")
    assert (value.exposed_records()["s"].tolist(), value.notes) == (["x", "y"], ())
