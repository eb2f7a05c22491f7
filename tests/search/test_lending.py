"""Records that large classes lend: written out, held to every promise, and not where a row is more than one record."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.search import Problem
from incrowd.search.levels_and_cells._records import shares
from search.slow import Ok, Row, labels
from search.tables import PROMISES, problem, rows as some_rows
from search.tables_levels import classes, rows, sizes

pytestmark = pytest.mark.filterwarnings("ignore:AlphaAssociation lists", "ignore:.* promises nothing")
many_alike = st.lists(st.tuples(some_rows, st.integers(1, 14)), min_size=1, max_size=6).map(
    lambda pairs: [row for row, number in pairs for _ in range(number)]
)


def test_one_record_that_stands_out_costs_one_other_a_star_and_not_everybody() -> None:
    table = rows(*[("20", "ulm")] * 299, ("47", "ulm"))
    found = ic.LevelsAndCells().search(problem(table, ic.KAnonymity(2)))
    assert sizes(found) == {("20", "f", "ulm"): 298, ("*", "f", "ulm"): 2}


def test_who_has_not_borrowed_joins_the_class_that_did() -> None:
    table = rows(*[("20", "ulm")] * 99, ("31", "ulm"), ("47", "ulm"))
    found = ic.LevelsAndCells().search(problem(table, ic.KAnonymity(5)))
    assert sizes(found) == {("20", "f", "ulm"): 95, ("*", "f", "ulm"): 6}


def test_a_class_that_would_be_too_small_lends_nothing() -> None:
    table = rows(*[("20", "ulm")] * 5, ("47", "ulm"))
    found = ic.LevelsAndCells().search(problem(table, ic.KAnonymity(4), at_least={"age": 0}, at_most={"age": 0}))
    assert sizes(found) == {("*", "f", "ulm"): 6}


def test_who_lacks_a_sensitive_value_borrows_it() -> None:
    ulm = [{**row, "disease": disease} for row, disease in zip(rows(*[("20", "ulm")] * 40), "ab" * 20, strict=True)]
    table = [*ulm, *rows(*[("20", "bonn")] * 3)]
    found = ic.LevelsAndCells().search(problem(table, ic.LDiversity(2)))
    lent = classes(found)["20", "f", "*"]
    assert Counter((row["town"], row["disease"]) for row in lent) == {
        ("bonn", "a"): 3,
        ("ulm", "b"): 1,
    }


def test_beside_a_value_that_is_lacking_records_are_lent_in_proportion() -> None:
    diseases = ["a"] * 60 + ["c"] * 30 + ["b"] * 10
    ulm = [{**row, "disease": disease} for row, disease in zip(rows(*[("20", "ulm")] * 100), diseases, strict=True)]
    table = [*ulm, *rows(*[("20", "bonn")] * 2)]
    found = ic.LevelsAndCells().search(problem(table, ic.KAnonymity(9) & ic.LDiversity(3)))
    lent = classes(found)["20", "f", "*"]
    assert Counter((row["town"], row["disease"]) for row in lent) == {
        ("bonn", "a"): 2,
        ("ulm", "a"): 4,
        ("ulm", "c"): 2,
        ("ulm", "b"): 1,
    }


def test_a_record_is_left_out_rather_than_hidden_by_many() -> None:
    table = rows(*[("20", "ulm")] * 99, ("47", "ulm"))
    found = ic.LevelsAndCells().search(problem(table, ic.KAnonymity(5), 1))
    assert sizes(found) == {("20", "f", "ulm"): 99, (): 1}


def test_rows_that_stand_for_several_records_and_rows_of_people_stay_together() -> None:
    counted = [{"age": "20", "number": 20}, {"age": "47", "number": 1}]
    people = [{"age": "20", "number": number} for number in range(20)] + [{"age": "47", "number": 20}]
    quasi = {"age": ic.flat()}
    for table, roles in ((counted, ic.Schema(quasi, count="number")), (people, ic.Schema(quasi, entity="number"))):
        found = ic.LevelsAndCells().search(Problem(ic.census(table, roles), roles, ic.KAnonymity(2)))
        assert found.classes == 1


def test_records_are_taken_in_proportion() -> None:
    assert shares(np.array([6, 3, 1]), 5).tolist() == [3, 2, 0]
    assert shares(np.array([1, 1, 1]), 2).tolist() == [1, 1, 0]


@given(many_alike, st.sampled_from(PROMISES), st.integers(0, 2))
@settings(max_examples=120, deadline=None)
def test_borrowers_and_lenders_keep_every_promise_and_no_record_is_lost(
    table: list[Row], promised: tuple[Any, Ok], limit: int
) -> None:
    model, ok = promised
    if not ok(table, table):
        return
    found = ic.LevelsAndCells().search(problem(table, model, limit))
    records = classes(found)
    levels = tuple((found.levels or {}).values())
    published = (tuple(sorted(row.items())) for inside in records.values() for row in inside)
    assert Counter(published) == Counter(tuple(sorted(row.items())) for row in table)
    assert len(records.pop((), [])) == found.suppressed <= limit
    for label, inside in records.items():
        assert ok(inside, table)
        assert all(
            text in ("*", value) for row in inside for text, value in zip(label, labels(row, levels), strict=True)
        )
