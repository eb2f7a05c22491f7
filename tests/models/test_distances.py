from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from models import slow
from models.tables import bags, counted, judge

rows = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abcdef")), min_size=1, max_size=40)
numbers = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), min_size=1, max_size=40)
TREE = ic.tree({"x": {"ab": ["a", "b"], "c": ["c"]}, "y": {"de": ["d", "e"], "f": ["f"]}})
LEAF = {"a": "ab", "b": "ab", "c": "c", "d": "de", "e": "de", "f": "f"}
TOP = {"a": "x", "b": "x", "c": "x", "d": "y", "e": "y", "f": "y"}


@given(rows=rows, t=st.fractions(0, 1, max_denominator=12))
def test_equal_distance_is_half_the_sum_of_differences(rows: list[Any], t: Fraction) -> None:
    classes, whole = bags(rows)
    distances = [slow.variational(bag, whole) for bag in classes]
    result = judge(ic.TCloseness(t), rows)
    assert [result.measured[0].at(i) for i in range(len(classes))] == distances
    assert result.ok.tolist() == [distance <= t for distance in distances]


@given(rows=numbers, t=st.fractions(0, 1, max_denominator=12))
def test_ordered_distance_is_exact(rows: list[Any], t: Fraction) -> None:
    classes, whole = bags(rows)
    distances = [slow.ordered(bag, whole, sorted(whole)) for bag in classes]
    result = judge(ic.TCloseness(t, distance="ordered"), rows)
    assert [result.measured[0].at(i) for i in range(len(classes))] == distances
    assert result.measured[0].floats == pytest.approx([float(distance) for distance in distances], abs=1e-12)
    assert result.ok.tolist() == [distance <= t for distance in distances]


@given(rows=st.lists(st.tuples(st.integers(0, 2), st.sampled_from("abcdef")), min_size=1, max_size=14))
@settings(max_examples=30)
def test_closed_forms_equal_an_exact_transport_solver(rows: list[Any]) -> None:
    classes, whole = bags(rows)
    order = sorted(whole)
    steps = max(len(order) - 1, 1)
    line = {(a, b): Fraction(abs(order.index(a) - order.index(b)), steps) for a in order for b in order}
    height = {
        (a, b): Fraction(0 if a == b else 1 if LEAF[a] == LEAF[b] else 2 if TOP[a] == TOP[b] else 3, 3)
        for a in order
        for b in order
    }
    flat = {(a, b): Fraction(a != b) for a in order for b in order}
    for distance, cost, meaning in (
        ("ordered", line, ic.ordered(order)),
        ("hierarchical", height, TREE),
        ("equal", flat, None),
    ):
        measured = judge(ic.TCloseness(1, distance=distance), rows, meaning).measured[0]  # type: ignore[arg-type]
        expected = [slow.transport(bag, whole, cost) for bag in classes]
        assert [measured.at(i) for i in range(len(classes))] == expected
        assert measured.floats == pytest.approx([float(value) for value in expected], abs=1e-12)


def test_published_distances() -> None:
    income = {3: 1, 4: 1, 5: 1, 6: 1, 7: 1, 8: 1, 9: 1, 10: 1, 11: 1}
    low, spread = {3: 1, 4: 1, 5: 1}, {6: 1, 8: 1, 11: 1}
    rest = {value: 1 for value in income if value not in low and value not in spread}
    result = judge(ic.TCloseness(1, distance="ordered"), counted(low, spread, rest))
    assert [result.measured[0].at(i) for i in (0, 1)] == [Fraction(3, 8), Fraction(1, 6)]  # 004-EMD-P1, 004-EMD-P2
    assert judge(ic.TCloseness(1), counted(low, spread, rest)).measured[0].at(0) == Fraction(2, 3)


bag = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=12)
