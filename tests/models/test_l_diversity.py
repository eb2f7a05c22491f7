from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, strategies as st

import incrowd as ic
from models import slow
from models.tables import bags, counted, judge

rows = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abcdef")), min_size=1, max_size=40)


@given(rows=rows, l=st.integers(1, 4))
def test_distinct_diversity_and_p_sensitivity_count_values(rows: list[Any], l: int) -> None:  # noqa: E741
    expected = [len(bag) >= l for bag in bags(rows)[0]]
    assert judge(ic.LDiversity(l), rows).ok.tolist() == expected
    assert judge(ic.PSensitive(l), rows).ok.tolist() == expected


@given(rows=rows, l=st.fractions(1, 4, max_denominator=6))
def test_probabilistic_diversity_bounds_the_largest_share(rows: list[Any], l: Fraction) -> None:  # noqa: E741
    expected = [max(slow.shares(bag).values()) <= 1 / l for bag in bags(rows)[0]]
    assert judge(ic.LDiversity(l, kind="probabilistic"), rows).ok.tolist() == expected
    assert judge(ic.AlphaAssociation(1 / l), rows).ok.tolist() == expected


@given(rows=rows)
def test_entropy_diversity_measures_the_effective_number_of_values(rows: list[Any]) -> None:
    measured = judge(ic.LDiversity(2, kind="entropy"), rows).measured[0].floats
    assert measured == pytest.approx([slow.entropy_l(bag) for bag in bags(rows)[0]])


@given(rows=rows, l=st.integers(1, 4), c=st.fractions(Fraction(1, 4), 4, max_denominator=4))
def test_recursive_diversity_compares_the_first_value_with_the_tail(rows: list[Any], l: int, c: Fraction) -> None:  # noqa: E741
    expected = [slow.recursive_ratio(bag, l) < c for bag in bags(rows)[0]]
    assert judge(ic.RecursiveDiversity(c, l), rows).ok.tolist() == expected


bag = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=12)


def test_entropy_of_many_values_is_not_lost_by_rounding() -> None:
    for count in (4548, 15_000):
        rows = [(1, value) for value in range(count)] * 3
        assert judge(ic.LDiversity(count, kind="entropy"), rows).ok.tolist() == [True]
    just_above = math.exp(math.log(3))  # 3.0000000000000004
    model = ic.LDiversity(just_above, kind="entropy")
    assert judge(model, counted({"a": 1, "b": 1, "c": 1})).ok.tolist() == [True]
    assert judge(model.implied, counted({"a": 1, "b": 1, "c": 1})).ok.tolist() == [True]


def counted_classes(rows: list[tuple[Any, Any, int]]) -> list[dict[str, Any]]:
    return [{"q": q, "s": s, "n": n} for q, s, n in rows]


def test_tails_and_weights_are_exact_beyond_floats() -> None:
    m = 2**53
    table = counted_classes([(1, "a", m + 1), (1, "b", m - 1), (1, "c", 2)])
    schema = ic.Schema(quasi=["q"], sensitive={"s": ic.categories({"x": ["a"], "y": ["b"], "z": ["c"]})}, count="n")
    assert not ic.check(table, schema, "recursive(c=1, l=2)").holds  # a tie; adding floats gives another number
    assert ic.check(table, schema, "recursive(c=1, l=2)").findings[0].measured == (3, 1)
    assert ic.check(table, schema, "p-alpha(p=1, alpha=1)").findings[0].measured[1] == Fraction(m - 1, 2) + 2
