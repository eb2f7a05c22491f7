"""How many classes hold one value by chance alone."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import incrowd as ic
from incrowd.attacks import expected_from_counts, expected_homogeneity


def test_the_formula_of_paper_001() -> None:
    found = expected_homogeneity(60_000, 5, [3])
    assert (found.per_class, found.classes, found.people) == (Fraction(1, 81), Fraction(4000, 27), Fraction(20000, 27))
    assert "equally frequent" in found.ASSUMES


def test_curves_over_n_and_k() -> None:
    found = expected_homogeneity(60_000, 5, [3])
    assert found.over_n([10_000, 20_000]) == {10_000: Fraction(2000, 81), 20_000: Fraction(4000, 81)}
    assert found.over_k([2, 3]) == {2: 10_000, 3: Fraction(20_000, 9)}


def test_any_column_is_likelier_than_all_columns() -> None:
    both = expected_homogeneity(12, 4, [3, 2])
    either = expected_homogeneity(12, 4, [3, 2], attributes="any")
    assert both.classes == Fraction(1, 72)
    assert either.classes == 3 * (1 - (1 - Fraction(1, 27)) * (1 - Fraction(1, 8)))


def test_whole_classes_only() -> None:
    assert expected_homogeneity(14, 4, [3], whole=True).classes == Fraction(1, 9)
    assert expected_homogeneity(14, 4, [3]).classes == Fraction(14, 4) / 27


def test_classes_of_one_and_columns_of_one_value_are_always_homogeneous() -> None:
    assert expected_homogeneity(7, 1, [3]).classes == 7
    assert expected_homogeneity(8, 4, [1]).classes == 2


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ((10, 0, [3]), "k must be a whole number of at least 1, got 0"),
        ((-1, 2, [3]), "n must be a whole number of at least 0, got -1"),
        ((10, 2, [0]), "values must be a whole number of at least 1, got 0"),
        ((10, 2.0, [3]), "k must be a whole number"),
    ],
)
def test_what_is_no_number_of_people_is_refused(arguments: tuple[Any, ...], match: str) -> None:
    with pytest.raises(ic.ParameterError, match=match):
        expected_homogeneity(*arguments)


def test_a_curve_needs_a_list_of_numbers() -> None:
    found: Any = expected_homogeneity(10, 2, [3])
    with pytest.raises(ic.ParameterError, match="over_n needs a list of numbers, got int"):
        found.over_n(5)
    with pytest.raises(ic.ParameterError, match="over_k needs a list of numbers, got NoneType"):
        found.over_k(None)


def test_attributes_are_all_or_any() -> None:
    with pytest.raises(ic.ParameterError, match="attributes must be 'all' or 'any'"):
        expected_homogeneity(4, 2, [2], attributes="some")  # type: ignore[arg-type]


def test_the_expectation_from_counts_is_the_mean_over_all_ways_to_deal_the_values() -> None:
    values, sizes = "aaabbc", [2, 3, 1]
    deals = [(deal[:2], deal[2:5], deal[5:]) for deal in permutations(values)]
    mean = sum(sum(len(set(part)) == 1 for part in deal) for deal in deals) / len(deals)
    counts = np.array(list(Counter(values).values()))
    assert expected_from_counts(np.array(sizes), counts) == pytest.approx(mean)


@given(st.lists(st.integers(1, 6), min_size=1, max_size=6), st.lists(st.integers(1, 9), min_size=1, max_size=5))
def test_the_expectation_is_the_sum_of_binomials(sizes: list[int], weights: list[int]) -> None:
    n = sum(sizes)
    counts = [weight for weight in weights if weight <= n][:1]
    counts = [*counts, *([n - sum(counts)] if n > sum(counts) else [])]
    exact = sum(Fraction(math.comb(count, size), math.comb(n, size)) for size in sizes for count in counts)
    assert expected_from_counts(np.array(sizes), np.array(counts)) == pytest.approx(float(exact))


def test_an_attack_says_what_chance_would_make() -> None:
    rows = [{"q": q, "s": s} for q, s in [(1, "a"), (1, "a"), (2, "b"), (2, "a")]]
    found = ic.attack(rows, ic.Schema(quasi=["q"], sensitive=["s"])).get("homogeneity")
    assert found.exposed.classes == 1
    assert found.expected == pytest.approx(2 * 3 / 6)


@pytest.mark.parametrize("values", [3, "3"], ids=["number", "text"])
def test_the_numbers_of_values_come_as_a_list(values: Any) -> None:
    with pytest.raises(
        ic.ParameterError, match="values must be a list with a number for every sensitive column"
    ) as error:
        expected_homogeneity(10, 2, values)
    assert "write [3]" in error.value.hint
