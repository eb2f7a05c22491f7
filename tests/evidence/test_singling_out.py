"""Who is one of a kind: people where the schema says whose row it is, and rows as often as they count."""

from __future__ import annotations

from fractions import Fraction

import incrowd as ic
from incrowd.evidence import one_of_a_kind

ROWS = [("a", 30, "f"), ("a", 30, "f"), ("b", 30, "m"), ("c", 41, "m"), ("d", 41, "m")]
TABLE = [{"who": who, "age": age, "sex": sex} for who, age, sex in ROWS]


def test_rows_are_counted_where_nobody_says_whose_they_are() -> None:
    found = one_of_a_kind(TABLE, ic.Schema(quasi=["age", "sex"], identifiers=["who"]))
    assert (found.records, found.people, found.together.alone) == (5, 5, 1)  # b alone
    assert {one.columns: one.alone for one in found.single} == {("age",): 0, ("sex",): 0}


def test_people_with_several_rows_are_counted_as_people() -> None:
    found = one_of_a_kind(TABLE, ic.Schema(quasi=["age", "sex"], entity="who"))
    assert (found.people, found.together.alone, found.together.share) == (4, 2, Fraction(1, 2))  # a and b
    assert {one.columns: one.alone for one in found.single} == {("sex",): 1, ("age",): 0}


def test_a_row_counts_as_often_as_it_says() -> None:
    table = [{"age": 30, "n": 4}, {"age": 31, "n": 1}, {"age": 32, "n": 1}, {"age": 33, "n": 2}]
    found = one_of_a_kind(table, ic.Schema(quasi=["age"], count="n"))
    assert (found.records, found.together.alone, found.together.share) == (8, 2, Fraction(1, 4))


def test_without_each_column_and_by_pairs_the_worst_come_first() -> None:
    table = [{"a": number, "b": number // 2, "c": number // 4} for number in range(8)]
    found = one_of_a_kind(table, ic.Schema(quasi=["a", "b", "c"]))
    assert [(one.columns, one.alone) for one in found.without] == [
        (("b", "c"), 0),
        (("a", "c"), 8),
        (("a", "b"), 8),
    ]
    assert [(one.columns, one.alone) for one in found.pairs] == [(("a", "b"), 8), (("a", "c"), 8), (("b", "c"), 0)]
