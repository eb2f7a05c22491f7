"""Two releases together: all that one of them says alone is certain still, and what is left by both beside it."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from attacks.slow import numbers
from incrowd.hierarchies import covers

SCHEMA = ic.Schema(quasi={"age": ic.flat()}, sensitive=["s"], entity="pid")
TABLE = [{"pid": pid, "age": age, "s": s} for pid, age, s in zip("aabbcd", [30] * 4 + [70] * 2, "xyxyxy", strict=True)]


def test_values_that_one_release_tells_alone_stay_certain() -> None:
    release = ic.anonymize(TABLE, SCHEMA, model="k>=2")
    found = ic.attack(release, original=TABLE, other=release)
    both, records = found.get("intersection"), found.get("intersection").exposed_records()
    assert numbers(both.targets, both.right, both.baseline, both.exposed.persons) == (4, 2, Fraction(1, 2), 2)
    assert (records["age"].tolist(), records["s"].tolist()) == (["30", "30"], ["x", "y"])


def test_the_persons_of_the_other_release_are_counted_too() -> None:
    coarse = ic.Schema(quasi={"age": ic.intervals(100)}, sensitive=["s"], entity="pid")
    vague = ic.anonymize(TABLE, coarse, model="k>=4")
    exact = ic.anonymize(TABLE, SCHEMA, model="k>=2")
    both = ic.attack(vague, original=TABLE, other=exact).get("intersection")
    assert numbers(both.right, both.baseline, both.exposed.persons) == (2, Fraction(1, 2), 2)
    assert len(both.notes) == 1


def test_another_release_of_other_people_is_read_by_its_records() -> None:
    release = ic.anonymize(TABLE, SCHEMA, model="k>=2")
    later = ic.anonymize([*TABLE, *({**row, "pid": "e"} for row in TABLE[:2])], SCHEMA, model="k>=2")
    both = ic.attack(release, original=TABLE, other=later).get("intersection")
    assert numbers(both.right, both.baseline) == (2, Fraction(1, 2))
    assert "intersection: of people with several rows only those values are told" in both.notes[-1]


def test_who_is_told_different_things_may_be_told_the_truth_by_one_of_them() -> None:
    schema = ic.Schema(quasi=["age"], sensitive=["s"])
    one, two = ([{"age": "30-39", "s": s}] * 2 for s in ("flu", "hiv"))
    original = [{"age": age, "s": s} for age, s in ((31, "flu"), (31, "hiv"), (32, "hiv"), (33, "cold"))]
    both = ic.attack(one, schema, original=original, other=two).get("intersection")
    assert numbers(both.targets, both.right, both.baseline) == (4, 3, Fraction(2, 4))
    records = both.exposed_records()
    assert list(zip(*(records[name].tolist() for name in ("age", "s", "people")), strict=True)) == [
        ("31", "flu", 1),
        ("31", "hiv", 1),
        ("32", "hiv", 1),
    ]
    outside = ic.attack(one, schema, external=original, other=two).get("intersection")
    assert numbers(outside.right, outside.baseline) == (4, 1)


LABELS = ["1", "2", "1-2", "2..3", "*"]
published = st.lists(
    st.tuples(st.sampled_from("1234"), st.sampled_from(LABELS), st.sampled_from("pqr")), min_size=1, max_size=8
)
people = st.lists(st.tuples(st.sampled_from("1234"), st.integers(1, 4), st.sampled_from("pq")), min_size=8, max_size=10)


def certain(fits: list[Any]) -> set[str]:
    values = defaultdict(set)
    for pid, _, s in fits:
        values[pid].add(s)
    return set.intersection(*values.values()) if values else set()


@pytest.mark.parametrize("entity", ["pid", None])
@settings(max_examples=30)
@given(published, published, people)
def test_together_they_tell_what_each_tells_and_what_is_left(
    entity: str | None, one: list[Any], two: list[Any], rows: list[Any]
) -> None:
    if entity is None:  # every row is a person
        one, two, rows = ([(str(place), *row[1:]) for place, row in enumerate(some)] for some in (one, two, rows))
    tables = [[dict(zip(("pid", "age", "s"), row, strict=True)) for row in some] for some in (one, two, rows)]
    schema = ic.Schema(quasi=["age"], sensitive=["s"], entity=entity)
    found = ic.attack(tables[0], schema, original=tables[2], other=tables[1]).get("intersection")
    written, has = {s for *_, s in rows}, defaultdict(set)
    for pid, _, s in rows:
        has[pid].add(s)
    right, alone, targets = 0, [0, 0], 0
    for pid, age in {row[:2] for row in rows}:
        fits = [[row for row in some if covers(row[1], str(age))] for some in (one, two)]
        if not all(fits):
            continue
        targets += 1
        told = [certain(some) for some in fits]
        left = {s for *_, s in fits[0]} & {s for *_, s in fits[1]}
        together = told[0] | told[1] | (left if len(left) == 1 else set())
        right += any(s in has[pid] or s not in written for s in together)
        for side, values in enumerate(told):
            alone[side] += any(s in has[pid] or s not in written for s in values)
    assert numbers(found.targets, found.right) == (targets, right)
    assert found.baseline == Fraction(max(alone), max(targets, 1))
    assert found.exposed.records == right >= max(alone)
