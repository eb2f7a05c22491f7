"""What is done differently for many people or large counts says the same."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.attacks import AttackOutcome, Links, Matching, Members, _background, _linkage, _members, _original, link
from incrowd.core import Classes, _grouping as _packing
from incrowd.evidence import _subject
from incrowd.evidence._class_attacks import attack_of
from incrowd.models import Ratios

ratios = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 60), st.integers(1, 9)), min_size=1, max_size=12)


@given(ratios, st.sampled_from(["chance", "gain", "width"]), st.sampled_from([1, 3, 10**9 + 7]))
def test_people_are_counted_exactly_at_every_bound(rows: list[Any], unit: Any, times: int) -> None:
    table = [{"q": str(place)} for place, (_, _, size) in enumerate(rows) for _ in range(size)]
    classes = ic.census(table, ic.Schema(quasi={"q": None})).classes()
    place = [int(text) for text in classes.texts(0)]
    above, below = (np.array([rows[one][part] for one in place], dtype=np.int64) * times for part in (0, 1))
    found = attack_of(_outcome(classes, Ratios(above, below), unit), classes, ["q"])
    for bound, people in found.distribution:
        shares = [(Fraction(top, low), size) for top, low, size in rows]
        assert people == sum(size for share, size in shares if (share <= bound if unit == "width" else share >= bound))


def _outcome(classes: Classes, measured: Ratios, unit: Any) -> AttackOutcome:
    nobody = np.zeros(len(classes), dtype=bool)
    return AttackOutcome(
        name="some", means="little", measured=measured, exposed=nobody, right=0, baseline=Fraction(0), unit=unit
    )


@given(st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=5), min_size=1, max_size=6), st.integers(0, 3))
def test_large_counts_are_ruled_out_as_small_ones_are(classes: list[list[int]], excluded: int) -> None:
    counts = np.array([count for some in classes for count in some], dtype=np.int64)
    starts = np.cumsum([0, *map(len, classes)]).astype(np.intp)
    small = _background.guess_excluding(counts, starts, excluded)
    large = _background.guess_excluding(counts << 52, starts, excluded)
    assert large.right == small.right * 2**52
    assert (large.chance.numerators >> 52).tolist() == small.chance.numerators.tolist()
    assert large.certain.tolist() == small.certain.tolist()


TABLE = [{"age": age, "job": job, "s": s} for age in range(20, 36) for job in "abc" for s in "xy"]
SCHEMA = ic.Schema(quasi={"age": ic.intervals(4, 8), "job": ic.flat()}, sensitive=["s"])


@pytest.mark.parametrize("algorithm", [ic.Optimal(), ic.Mondrian()], ids=str)
def test_tables_of_all_pairs_are_used_only_where_there_is_room(monkeypatch: pytest.MonkeyPatch, algorithm: Any) -> None:
    release = ic.anonymize(TABLE, SCHEMA, model="k>=7", algorithm=algorithm)
    found = ic.attack(release, original=TABLE).to_dict(values=True)
    monkeypatch.setattr(_subject, "MARKED", 0)
    monkeypatch.setattr(_original, "SPARSE", 0)
    assert ic.attack(release, original=TABLE).to_dict(values=True) == found


@pytest.mark.parametrize("algorithm", [ic.Mondrian(), ic.Mondrian(labels="set"), ic.TopDown()], ids=str)
@pytest.mark.parametrize("left_out", [0, 0.2])
def test_compiled_loops_find_the_same(monkeypatch: pytest.MonkeyPatch, algorithm: Any, left_out: float) -> None:
    release = ic.anonymize(TABLE[:-3], SCHEMA, model="k>=6", algorithm=algorithm, max_suppressed=left_out)
    few = ic.attack(release, original=TABLE[:-3])
    monkeypatch.setattr(_members, "MANY", 0)
    monkeypatch.setattr(_linkage, "MANY", 0)
    many = ic.attack(release, original=TABLE[:-3])
    assert many.to_dict(values=True) == few.to_dict(values=True)
    for one, other in zip(many, few, strict=True):
        tables = [{name: column.tolist() for name, column in found.exposed_records().items()} for found in (one, other)]
        assert tables[0] == tables[1]


people = st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=12)
covered = st.lists(st.frozensets(st.integers(0, 4)), min_size=3, max_size=3)


@settings(max_examples=30)
@given(people, people, st.lists(covered, min_size=3, max_size=3), st.integers(0, 3), st.sampled_from([6, 63]))
def test_the_compiled_walk_says_what_the_other_one_says(
    release: list[Any], persons: list[Any], reached: list[list[frozenset[int]]], few: int, bits: int
) -> None:
    classes = np.array(sorted({tuple(label % 3 for label in labels) for labels in release})).T
    matchings = [Matching.of([np.array(sorted(some), dtype=np.int64) for some in column], 5) for column in reached]
    number = classes.shape[1]
    sizes, certain = np.arange(1, number + 1), {"s": np.arange(number) % 3 - 1, "t": np.zeros(number, dtype=np.int64)}
    widths = (np.arange(number) * 7 % 5).astype(np.float64)
    said = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_packing, "WORD_BITS", bits)  # with 6 of them three columns take several words
        patch.setattr(_linkage, "SPARSE", 0)
        patch.setattr(_linkage, "FEW", few)
        links = Links(list(classes), list(np.array(persons).T), matchings)
        for many in (10**9, 0):
            patch.setattr(_linkage, "MANY", many)
            found = link(links, sizes, certain, widths)
            parts = [found.candidates, found.only, found.narrowest, *found.values.values()]
            said.append([np.asarray(part)[found.kind].tolist() for part in parts])
    assert said[0] == said[1]


entries = st.lists(st.tuples(st.integers(-1, 3), st.integers(0, 3), st.integers(1, 5)), min_size=1, max_size=20)
claims = st.lists(st.lists(st.integers(0, 1), max_size=3), min_size=2, max_size=2)


@settings(max_examples=30)
@given(entries, claims, st.lists(st.integers(0, 1), min_size=4, max_size=4), st.sampled_from([0, 10**9]))
def test_members_are_looked_at_one_by_one_in_effect(
    rows: list[Any], claimed: list[list[int]], which: list[int], many: int
) -> None:
    classes, codes, counts = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    groups, starts = np.array([0, 0, 1, 1]), np.cumsum([0, *map(len, claimed)])
    flat = np.array([group for some in claimed for group in some], dtype=np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_members, "MANY", many)
        members, labels, marks = Members(classes, counts, 4), np.array(which), np.zeros((2, 4), dtype=bool)
        members.mark(codes, labels, marks)
        right = members.true_claims(codes, groups, (starts, flat), labels)
        published, there = members.people_found(
            (codes, np.array([1, 0, 1, 2])), np.array([0, 1, 5]), np.array([0, 1, 5, 9])
        )
    inside = [row for row in rows if row[0] >= 0]
    assert members.sizes.tolist() == [sum(count for one, _, count in inside if one == place) for place in range(4)]
    pairs = {(which[one], code) for one, code, _ in inside}
    assert marks.tolist() == [[(label, code) in pairs for code in range(4)] for label in range(2)]
    held = [{groups[code] for one, code, _ in inside if one == place} for place in range(4)]
    assert right.tolist() == [sum(group in held[place] for group in claimed[which[place]]) for place in range(4)]
    answers = [(one, [1, 0, 1, 2][code], count) for one, code, count in inside]
    assert published.tolist() == [sum(count for _, answer, count in answers if answer == place) for place in range(3)]
    looked = [
        sum(count for one, answer, count in answers if answer == place == (0, 1, 2, 9)[one]) for place in range(3)
    ]
    assert there.tolist() == looked
