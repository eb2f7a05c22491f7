"""Datafly: the paper's table, a slow twin, and what every outcome must keep."""

from __future__ import annotations

import csv
import random
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.search import Datafly, LocalTable, Problem
from incrowd.search._datafly import raise_levels
from search import slow_raised as slow
from search.slow import Row
from search.tables import problem, tables

PAPER = Path(__file__).parents[1] / "published" / "tables"
ILLUSTRATION = ic.Schema(
    quasi={
        "Race": ic.tree(PAPER / "hier_003_race.csv"),
        "Date_of_birth": ic.tree(PAPER / "hier_003_date_of_birth.csv"),
        "Gender": ic.tree(PAPER / "hier_003_gender.csv"),
        "ZIP": ic.tree(PAPER / "hier_003_zip4.csv"),
    },
    sensitive=["Problem"],
    identifiers=["ID", "Name"],
)
outliers = st.sampled_from([None, 0, 1, 3, 8, 30])


def illustration(model: ic.KAnonymity | Any = None, limit: int = 0) -> Problem:
    """Ask about Table 7 of the paper."""
    census = ic.census(PAPER / "003_table7_illustration.csv", ILLUSTRATION)
    return Problem(census, ILLUSTRATION, ic.KAnonymity(2) if model is None else model, limit)


def datafly_rows() -> Counter[tuple[str, ...]]:
    """Give Table 9 of the paper: what plain Datafly publishes."""
    with (PAPER / "003_table9_datafly.csv").open(encoding="utf-8", newline="") as file:
        return Counter(tuple(row) for row in list(csv.reader(file))[1:])


def rows(published: slow.Published) -> Counter[tuple[str, ...]]:
    found = Counter[tuple[str, ...]]()
    for (_, disease, names), count in published.items():
        found[*names, disease] += count
    return found


def one_column(counts: Mapping[str, int], k: int, **more: Any) -> Problem:
    """Ask about a table with one quasi-identifier that has values and ``*`` only."""
    schema = ic.Schema(quasi={"sex": ic.flat()}, sensitive=["disease"])
    table = [{"sex": value, "disease": "flu"} for value, count in counts.items() for _ in range(count)]
    return Problem(ic.census(table, schema), schema, ic.KAnonymity(k), **more)


def sizes(outcome: Any) -> dict[str, int]:
    return dict(zip(outcome.labels[0].texts.tolist(), outcome.sizes.tolist(), strict=True))


def test_the_papers_table_needs_one_step_of_the_date_of_birth() -> None:
    assert raise_levels(LocalTable(illustration()), k=2, outliers=2).levels == (0, 1, 0, 0)


def test_plain_datafly_publishes_table_9_of_the_paper() -> None:
    outcome = Datafly(improved=False).search(illustration(limit=2))
    assert rows(slow.published_by(outcome)) == datafly_rows()
    assert outcome.suppressed == 2
    assert outcome.notes == (
        "Plain Datafly is a baseline: it deletes the records that are left in small classes. Datafly() loses none.",
    )


def test_improved_datafly_keeps_the_race_of_the_two_records_that_plain_datafly_deletes() -> None:
    published = rows(slow.published_by(Datafly().search(illustration())))
    assert published - datafly_rows() == Counter(
        [("white", "*", "*", "****", "Pulmonary vascular"), ("white", "*", "*", "****", "Cardiomyopathy")]
    )
    assert datafly_rows() - published == Counter()


@settings(max_examples=50)
@given(tables, st.integers(1, 6), outliers)
def test_improved_datafly_equals_its_slow_twin(table: list[Row], k: int, allowed: int | None) -> None:
    if k > len(table):
        return
    outcome = Datafly(outliers=allowed).search(problem(table, ic.KAnonymity(k)))
    twin = slow.published(slow.datafly(table, k, k if allowed is None else allowed))
    assert slow.published_by(outcome) == twin


@settings(max_examples=50)
@given(tables, st.integers(1, 6), outliers)
def test_improved_datafly_keeps_its_promises(table: list[Row], k: int, allowed: int | None) -> None:
    if k > len(table):
        return
    outcome = Datafly(outliers=allowed).search(problem(table, ic.KAnonymity(k)))
    published = slow.published_by(outcome)
    found = slow.classes_of(published)
    assert min(values.total() for values in found.values()) >= k
    assert sorted(values.total() for values in found.values()) == sorted(outcome.sizes.tolist())
    assert slow.originals(published) == slow.records_of(table)
    assert slow.covered(published)
    assert outcome.costs["loss"] == pytest.approx(slow.loss(published), abs=1e-11)
    assert outcome.costs["discernibility"] == sum(values.total() ** 2 for values in found.values())


@settings(max_examples=50)
@given(tables, st.integers(2, 6), outliers)
def test_plain_datafly_deletes_the_small_classes_of_its_levels(table: list[Row], k: int, allowed: int | None) -> None:
    if k > len(table):
        return
    records, _ = slow.raised(table, k, k if allowed is None else allowed)
    gone = {id(one) for one in slow.small(records, k)}
    kept = [one for one in records if id(one) not in gone]
    if not kept:
        return
    outcome = Datafly(improved=False, outliers=allowed).search(problem(table, ic.KAnonymity(k), len(gone)))
    assert slow.published_by(outcome) == slow.published(kept)
    assert outcome.suppressed == len(gone)


@settings(max_examples=50)
@given(tables, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(table: list[Row], chance: random.Random) -> None:
    shuffled = chance.sample(table, len(table))
    k = min(3, len(table))
    one, other = (Datafly().search(problem(rows, ic.KAnonymity(k))) for rows in (table, shuffled))
    assert slow.published_by(one) == slow.published_by(other)


def test_a_record_with_nothing_left_borrows_from_the_smallest_class_that_can_spare_some() -> None:
    assert sizes(Datafly().search(one_column({"f": 5, "m": 1, "x": 3}, k=2))) == {"f": 5, "x": 2, "*": 2}


def test_the_last_records_of_a_class_are_lent_in_canonical_order() -> None:
    schema = ic.Schema(quasi={"sex": ic.flat()}, sensitive=["disease"])
    table = [{"sex": "f", "disease": disease} for disease in ("a", "b", "c", "c")] + [{"sex": "m", "disease": "a"}]
    outcome = Datafly().search(Problem(ic.census(table, schema), schema, ic.KAnonymity(2)))
    assert slow.classes_of(slow.published_by(outcome)) == {
        ("f",): Counter({"a": 1, "b": 1, "c": 1}),
        ("*",): Counter({"a": 1, "c": 1}),
    }


def test_with_little_more_than_k_records_a_whole_class_joins() -> None:
    assert sizes(Datafly().search(one_column({"f": 2, "m": 1}, k=2))) == {"*": 3}


def test_of_two_classes_that_cannot_spare_any_the_first_smallest_one_joins() -> None:
    assert sizes(Datafly().search(one_column({"f": 3, "m": 1, "x": 3}, k=3))) == {"x": 3, "*": 4}


def test_more_outliers_keep_levels_low() -> None:
    table = illustration(ic.KAnonymity(3))
    assert raise_levels(LocalTable(table), 3, 12).levels == (0, 0, 0, 0)
    assert raise_levels(LocalTable(table), 3, 3).levels == (0, 2, 0, 1)


def test_the_lowest_levels_that_are_allowed_are_where_it_begins() -> None:
    census = illustration().census
    asked = Problem(census, ILLUSTRATION, ic.KAnonymity(2), at_least={"Race": 1})
    outcome = Datafly().search(asked)
    assert set(outcome.labels[0].texts.tolist()) == {"*"}
    assert outcome.sizes.min() >= 2


def test_an_averaged_column_is_published_as_the_mean_of_the_class() -> None:
    schema = ic.Schema(quasi={"age": ic.averaged(ic.intervals(10)), "sex": ic.flat()}, sensitive=["disease"])
    table = [{"age": age, "sex": "f", "disease": "flu"} for age in (21, 23, 28, 34, 36)]
    outcome = Datafly(outliers=0).search(Problem(ic.census(table, schema), schema, ic.KAnonymity(2)))
    assert dict(zip(outcome.labels[0].texts, outcome.sizes.tolist(), strict=True)) == {"24": 3, "35": 2}


def test_more_than_k_anonymity_is_refused() -> None:
    with pytest.raises(ic.ParameterError, match=r"Datafly keeps k-anonymity and nothing else, .* has l>=2"):
        Datafly().search(illustration(ic.KAnonymity(2) & ic.LDiversity(2)))


def test_rows_of_one_person_are_refused() -> None:
    table = [{"age": "20", "sex": "f", "town": "ulm", "disease": "a", "person": str(person)} for person in (1, 1, 2)]
    with pytest.raises(ic.ParameterError, match=r"counts and moves single records, .* \('person'\) are one"):
        Datafly().search(problem(table, ic.KAnonymity(2)))


def test_fewer_records_than_k_have_no_release() -> None:
    with pytest.raises(ic.NoSafeRelease, match="Even all 3 records in one class break k>=4"):
        Datafly().search(one_column({"f": 3}, k=4))


def test_plain_datafly_says_how_many_records_it_would_have_to_delete() -> None:
    with pytest.raises(ic.NoSafeRelease, match=r"deletes 2 of 12 records, and 1 may be left out") as caught:
        Datafly(improved=False).search(illustration(limit=1))
    assert caught.value.nearest == 2
    assert caught.value.hint == "allow max_suppressed_records=2, or use Datafly(), which loses no record."


def test_plain_datafly_never_deletes_everybody() -> None:
    with pytest.raises(ic.NoSafeRelease, match="deletes 2 of 2 records") as caught:
        Datafly(improved=False).search(one_column({"f": 1, "m": 1}, k=2, limit=2))
    assert caught.value.nearest is None


@pytest.mark.parametrize("wrong", [-1, 1.5, True, "many"])
def test_outliers_are_a_number_of_records(wrong: Any) -> None:
    with pytest.raises(ic.ParameterError, match="outliers must be a number of records, 0 or more"):
        Datafly(outliers=wrong)


def test_a_release_of_datafly_keeps_its_promise() -> None:
    release = ic.anonymize(ic.hospital(300), ic.hospital_schema(), model="k>=4", algorithm=Datafly(outliers=40))
    assert release.verdict.holds
    assert len(release.table) == 300


def test_the_raising_ends_at_the_top_where_there_are_too_few_records() -> None:
    assert raise_levels(LocalTable(one_column({"f": 2, "m": 1}, k=1)), k=4, outliers=0).levels == (1,)
