"""People of an original who are not in the release: nobody finds them there, and what they are told may be wrong."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from attacks.slow import numbers
from incrowd.core import LocalRecoding
from incrowd.hierarchies import covers
from incrowd.search import LocalOutcome, LocalTable, Pieces, Problem, Progress

SCHEMA = ic.Schema(quasi=["age"], sensitive=["s"])


def people(*given: tuple[Any, str]) -> list[dict[str, Any]]:
    return [{"age": age, "s": s} for age, s in given]


RELEASE = people(("30-39", "flu"), ("30-39", "flu"))
ORIGINAL = people((31, "flu"), (35, "flu"), (38, "hiv"), (38, "hiv"))


def test_who_is_not_published_is_not_found_and_not_told_the_truth() -> None:
    found = ic.attack(RELEASE, SCHEMA, original=ORIGINAL, other=RELEASE)
    linked, value, both = (found.get(name) for name in ("linkage", "attribute linkage", "intersection"))
    assert numbers(linked.targets, linked.right, linked.worst) == (4, 1, Fraction(1, 2))
    assert "linkage: nobody knows who of the original is in this table" in linked.notes[-1]
    for entry in (value, both):
        records = entry.exposed_records()
        assert numbers(entry.targets, entry.right, entry.exposed.records) == (4, 2, 2)
        assert (records["age"].tolist(), records["s"].tolist()) == (["31", "35"], ["flu", "flu"])
    assert both.baseline == Fraction(2, 4)


def test_those_who_look_alike_are_told_apart_by_what_they_have() -> None:
    original = people((31, "flu"), (31, "hiv"), (31, "flu"))
    value = ic.attack(RELEASE, SCHEMA, original=original).get("attribute linkage")
    records = value.exposed_records()
    assert (records["age"].tolist(), records["people"].tolist(), value.exposed.records) == (["31"], [2], 2)


def test_a_value_that_the_original_writes_otherwise_may_be_true_of_everybody() -> None:
    release = people(("30-39", "infection"), ("30-39", "infection"))
    assert ic.attack(release, SCHEMA, original=ORIGINAL).get("attribute linkage").exposed.records == 4


def test_nobody_is_told_anything_where_all_of_it_is_wrong() -> None:
    original = people((31, "hiv"), (35, "hiv"), (60, "flu"))
    value = ic.attack(RELEASE, SCHEMA, original=original).get("attribute linkage")
    assert numbers(value.right, value.worst, value.exposed.classes) == (0, 0, 0)
    assert (value.worst_class, len(value.exposed_records()["age"])) == ({}, 0)


def test_persons_have_the_values_of_all_their_rows() -> None:
    schema = ic.Schema(quasi=["age"], sensitive=["s"], entity="pid")
    release = [{"pid": pid, "age": "30-39", "s": s} for pid in "ab" for s in ("flu", "hiv")]
    given = [
        ("a", 31, "flu"),
        ("a", 32, "hiv"),
        ("b", 35, "flu"),
        ("b", 35, "hiv"),
        ("c", 36, "flu"),
        ("d", 37, "cold"),
    ]
    original = [{"pid": pid, "age": age, "s": s} for pid, age, s in given]
    value = ic.attack(release, schema, original=original).get("attribute linkage")
    records = value.exposed_records()
    assert list(zip(records["age"].tolist(), records["s"].tolist(), strict=True)) == [
        *((age, s) for age in ("31", "32", "35") for s in ("flu", "hiv")),
        ("36", "flu"),
    ]
    assert (value.exposed.records, value.exposed.persons, value.exposed.share) == (4, 3, Fraction(3, 4))


LABELS = ["1", "2", "1-2", "2..4", "*", "{1, 4}"]
row = st.tuples(st.integers(1, 4), st.sampled_from("xy"), st.sampled_from([None, *LABELS]))


@given(st.lists(row, min_size=1, max_size=12))
def test_the_chance_to_be_right_is_never_told_too_low(rows: list[Any]) -> None:
    chosen = [(age, s, label) for age, s, label in rows if label is not None and covers(label, str(age))]
    if not chosen:
        return
    table = people(*((label, s) for _, s, label in chosen))
    found = ic.attack(table, SCHEMA, original=people(*(row[:2] for row in rows)))
    fits = [[s for _, s, label in chosen if covers(label, str(age))] for age, *_ in rows]
    true = sum(
        (Fraction(1, len([one for one in chosen if covers(one[2], str(age))])) for age, *_ in chosen), Fraction(0)
    )
    linked = found.get("linkage")
    assert true <= linked.right <= sum((Fraction(1, len(some)) for some in fits if some), Fraction(0))
    if all(label.isdigit() for *_, label in chosen):
        assert linked.right == true == len({label for *_, label in chosen})
    told = [set(some) == {s} for (_, s, _), some in zip(rows, fits, strict=True)]
    assert found.get("attribute linkage").right == sum(told)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.sampled_from("1234"), row), min_size=1, max_size=12))
def test_persons_may_be_found_by_each_of_their_rows(rows: list[Any]) -> None:
    chosen = [(pid, s, label) for pid, (age, s, label) in rows if label is not None and covers(label, str(age))]
    if not chosen:
        return
    schema = ic.Schema(quasi=["age"], sensitive=["s"], entity="pid")
    table = [{"pid": pid, "age": label, "s": s} for pid, s, label in chosen]
    original = [{"pid": pid, "age": age, "s": s} for pid, (age, s, _) in rows]
    found = ic.attack(table, schema, original=original)
    targets = {(pid, age) for pid, (age, *_) in rows}
    fits = {age: [one for one in chosen if covers(one[2], str(age))] for _, age in targets}
    candidates = {age: {pid for pid, *_ in some} for age, some in fits.items()}
    chances = [Fraction(1, len(candidates[age])) for pid, age in targets if pid in candidates[age]]
    most = sum((Fraction(1, len(candidates[age])) for _, age in targets if candidates[age]), Fraction(0))
    assert sum(chances, Fraction(0)) <= found.get("linkage").right <= most
    certain = {age: _everybodys(some) for age, some in fits.items()}
    having = {pid: {s for other, (_, s, _) in rows if other == pid} for pid, _ in targets}
    value = found.get("attribute linkage")
    told = [(pid, age) for pid, age in targets if certain[age] & having[pid]]
    assert (value.exposed.records, value.exposed.persons) == (len(told), len({pid for pid, _ in told}))


def _everybodys(fits: list[Any]) -> set[str]:
    values = [{s for other, s, _ in fits if other == pid} for pid in {pid for pid, *_ in fits}]
    return set.intersection(*values) if values else set()


@dataclass(frozen=True)
class Shuffled:
    """Records are put into classes of two or three in some order; the first ones are left out."""

    order: tuple[int, ...]
    left_out: int
    local: ClassVar[bool] = True

    def search(
        self,
        problem: Problem,
        progress: Callable[[Progress], bool | None] | None = None,  # noqa: ARG002
    ) -> LocalOutcome:
        table = LocalTable(problem)
        cells = np.repeat(np.arange(len(table.census)), table.census.counts)[list(self.order)]
        classes = np.minimum(np.arange(len(cells)) // 2, (len(cells) - self.left_out) // 2 - 1)
        pieces = Pieces(cells, np.roll(classes, self.left_out), np.ones(len(cells), dtype=np.int64))
        pieces.classes[: self.left_out] = -1
        return table.outcome(pieces, table.labels(pieces, "range"))


@settings(max_examples=40)
@given(
    st.permutations(range(9)), st.lists(st.tuples(st.integers(20, 29), st.sampled_from("ab")), min_size=9, max_size=9)
)
def test_who_was_left_out_of_a_release_is_not_found(order: list[int], rows: list[Any]) -> None:
    schema = ic.Schema(quasi={"age": ic.intervals(5, 10)}, sensitive=["s"])
    search: Any = Shuffled(tuple(order), 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        release = ic.anonymize(people(*rows), schema, model="k>=2", algorithm=search, max_suppressed=0.5)
    recoding, labels = release.recoding, [str(row["age"]) for row in release.table]
    assert isinstance(recoding, LocalRecoding)
    texts = recoding.domains["age"].texts[recoding.codes[0]].tolist()
    ages = list(_published(texts, recoding))
    chances = [Fraction(1, sum(covers(label, text) for label in labels)) for text in ages]
    found = ic.attack(release, original=people(*rows))
    assert len(chances) == 6
    assert (found.get("linkage").right, found.get("linkage").worst) == (sum(chances, Fraction(0)), max(chances))
    told = [{row["s"] for row in release.table if covers(str(row["age"]), str(age))} == {s} for age, s in rows]
    assert found.get("attribute linkage").right == sum(told)


def _published(texts: list[str], recoding: LocalRecoding) -> Iterator[str]:
    """Give the value of every record that is published."""
    for text, label, many in zip(texts, recoding.classes.tolist(), recoding.counts.tolist(), strict=True):
        yield from [text] * (many if label >= 0 else 0)


def test_the_baseline_is_about_the_people_who_are_attacked() -> None:
    table = [*people((30, "flu"), (30, "hiv"), (31, "flu")), {"age": 31, "s": None}, *people((60, "q"))]
    schema = ic.Schema(quasi={"age": ic.intervals(10)}, sensitive=["s"], missing="drop")
    release = ic.anonymize(table, schema, model="k>=2", max_suppressed=0.3, at_most={"age": 0})
    assert len(release.table) == 4
    found = ic.attack(release, original=table).get("background knowledge")
    assert (found.rate, found.baseline) == (
        Fraction(3, 4),
        Fraction(3, 4),
    )  # of flu flu hiv and nothing, all but the last


def test_a_saved_release_knows_too_who_was_left_out(tmp_path: Path) -> None:
    table = people(*zip(range(20, 29), "aabbabaab", strict=True))
    schema = ic.Schema(quasi={"age": ic.intervals(5, 10)}, sensitive=["s"])
    search: Any = Shuffled((4, 1, 7, 0, 8, 2, 3, 5, 6), 3)
    release = ic.anonymize(table, schema, model="k>=2", algorithm=search, max_suppressed=0.5)
    release.save(tmp_path / "out")
    found, kept = (ic.attack(one, original=table).get("linkage") for one in (release, tmp_path / "out"))
    assert found.notes[0] == "linkage: 9 of 9 people have a candidate in the release."
    assert (found.right, found.distribution) == (kept.right, kept.distribution)
    assert found.distribution[0][1] == 6


@pytest.mark.parametrize("entity", ["pid", None])
@pytest.mark.parametrize(
    ("model", "algorithm"), [("k>=2", Shuffled((4, 1, 7, 0, 8, 2, 3, 5, 6), 3)), ("k>=5", ic.Optimal())]
)
def test_where_nobody_counted_who_was_left_out_a_note_says_so(entity: str | None, model: str, algorithm: Any) -> None:
    table = [{"pid": place, **row} for place, row in enumerate(people(*zip(range(20, 29), "aabbabaab", strict=True)))]
    schema = ic.Schema(quasi={"age": ic.intervals(5, 10)}, sensitive=["s"], entity=entity)
    by_levels = isinstance(algorithm, ic.Optimal)
    how: Any = {"algorithm": algorithm, "at_most": {"age": 1} if by_levels else None}
    release = ic.anonymize(table, schema, model=model, max_suppressed=0.5, others="drop", **how)
    assert len(release.table) < len(table)
    notes = ic.attack(release, original=table).get("linkage").notes
    bound = any("right is an upper bound" in note for note in notes)
    assert bound == (not by_levels and entity is not None)  # one level per column leaves out whole groups


def test_people_are_compared_by_the_columns_that_are_no_averages() -> None:
    schema = ic.Schema(quasi={"age": ic.averaged(ic.intervals(5, 10)), "town": ic.flat()}, sensitive=["s"])
    release = [{"age": "31", "town": "bonn", "s": "flu"}, {"age": "31", "town": "bonn", "s": "flu"}]
    original = [
        {"age": age, "town": town, "s": s}
        for age, town, s in [(30, "bonn", "flu"), (32, "bonn", "flu"), (40, "bonn", "hiv"), (41, "kiel", "flu")]
    ]
    found = ic.attack(release, schema, original=original)
    assert numbers(found.get("linkage").right, found.get("attribute linkage").right) == (1, 2)
    assert found.get("attribute linkage").exposed_records()["people"].tolist() == [2]
