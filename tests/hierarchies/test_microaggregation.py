"""Numbers that are published as the mean or median of their class."""

from __future__ import annotations

import statistics
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import incrowd as ic
from incrowd.core import Domain
from incrowd.hierarchies import averaged, averages, intervals

MEMBERS = st.lists(st.tuples(st.integers(-50, 50), st.integers(0, 3), st.integers(1, 4)), min_size=1, max_size=20)


@given(MEMBERS, st.sampled_from(["mean", "median"]))
def test_averages_are_those_of_the_records_rounded_half_to_even(members: list[tuple[int, int, int]], by: str) -> None:
    numbers = sorted({number for number, _, _ in members})
    owners = sorted({owner for _, owner, _ in members})
    domain = Domain.of("x", numbers)
    found = averages(
        averaged(intervals(10), by),  # type: ignore[arg-type]
        domain,
        np.array([numbers.index(number) for number, _, _ in members]),
        np.array([owners.index(owner) for _, owner, _ in members]),
        np.array([count for _, _, count in members]),
    )
    for text, owner in zip(found, owners, strict=True):
        records = [Fraction(number) for number, own, count in members if own == owner for _ in range(count)]
        assert int(text) == round(getattr(statistics, by)(records))


def test_averages_have_as_many_places_as_the_column() -> None:
    domain = Domain.of("x", [0.5, 1.25, 3.0])
    found = averages(averaged(intervals(1)), domain, np.array([0, 1, 2]), np.array([0, 0, 1]), np.array([1, 1, 1]))
    assert found == ["0.88", "3.00"]  # 0.875 and 3


def test_long_and_tiny_numbers_are_written_out_exactly() -> None:
    long = [Decimal("1234567890123456789.1234567890123451"), Decimal("1234567890123456789.1234567890123453")]
    both, pair = (np.array([0, 0]), np.array([1, 1]))
    codes = np.array([0, 1])
    means = averages(averaged(intervals(1)), Domain.of("x", long), codes, both, pair)
    assert means == ["1234567890123456789.1234567890123452"]
    assert averages(averaged(intervals(1)), Domain.of("x", [1e-7, 3e-7]), codes, both, pair) == ["0.0000002"]


def test_a_column_without_values_has_nothing_to_average() -> None:
    domain = Domain.of("x", [None])
    assert averaged(intervals(10)).bind(domain).height > 0
    assert averages(averaged(intervals(10)), domain, np.array([0]), np.array([0]), np.array([2])) == ["0"]  # not used


def test_only_numbers_are_averaged() -> None:
    with pytest.raises(ic.HierarchyError, match="'age' cannot be averaged: it has values that are not finite"):
        averaged(intervals(10)).bind(Domain.of("age", [1.0, float("inf")]))
    with pytest.raises(ic.HierarchyError, match="'town' cannot be averaged"):
        averaged(intervals(10)).bind(Domain.of("town", ["ulm"]))
    with pytest.raises(ic.ParameterError, match="by must be 'mean' or 'median'"):
        averaged(intervals(10), "mode")  # type: ignore[arg-type]
