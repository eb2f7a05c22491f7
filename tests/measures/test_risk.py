"""Chances of intruders: by hand, against published numbers, and against slow and obvious counts."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st

import incrowd as ic
from incrowd.measures import (
    HouseholdRisk,
    best_guess,
    chances_in_population,
    chances_in_table,
    expected_chance,
    expected_chances,
    persons_alone,
)
from models.tables import classes_of

FIFTH = Fraction(1, 5)


def test_the_prosecutor_has_one_chance_in_the_size_of_the_class() -> None:
    found = chances_in_table(np.array([1, 2, 5]), FIFTH)
    assert (found.highest, found.average) == (1, Fraction(3, 8))
    assert found.above.tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("size", "threshold", "above"),
    [(5, "1/5", False), (4, "1/5", True), (11, "0.09", True), (12, "0.09", False), (3, "1", False), (1, "0", True)],
)
def test_a_chance_of_exactly_the_threshold_is_not_above_it(size: int, threshold: str, above: bool) -> None:
    assert chances_in_table(np.array([size]), Fraction(threshold)).above.tolist() == [above]


def test_the_journalist_must_find_the_person_in_the_population() -> None:
    found = chances_in_population(np.array([1, 3]), np.array([4, 6]), FIFTH)
    assert found.highest == Fraction(1, 4)
    assert found.average == pytest.approx((1 / 4 + 3 / 6) / 4)
    assert found.above.tolist() == [True, False]


def test_an_empty_table_gives_nobody_a_chance() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    for found in (
        chances_in_table(nothing, FIFTH),
        chances_in_population(nothing, nothing, FIFTH),
        expected_chances(nothing, np.zeros(0), FIFTH),
    ):
        assert (found.highest, found.average, len(found.above)) == (0, 0, 0)


def test_individual_risks_of_the_published_example() -> None:
    """Capobianchi, Polettini, Lucarelli 2001: eight records, their class sizes and the sums of their weights."""
    sizes = np.array([2, 2, 1, 1, 1, 1])
    people = np.array([110, 84.5, 17, 541, 8, 5])
    found = expected_chance(sizes, sizes / people)
    assert found == pytest.approx([0.01714426, 0.02204233, 0.17707583, 0.01165448, 0.29706308, 0.40235948], abs=5e-9)


@given(st.integers(1, 60), st.floats(0.05, 1.0), st.sampled_from([0.0, 0.25, 0.5, 0.9]))
def test_the_expected_chance_is_the_mean_of_one_over_a_negative_binomial_number(
    size: int, share: float, discount: float
) -> None:
    shape, total, weight = size - discount, 0.0, share ** (size - discount)
    for more in range(20_000):
        total += weight / (size + more)
        weight *= (1 - share) * (shape + more) / (more + 1)
        if weight < 1e-18 and more > 10 * shape:
            break
    found = expected_chance(np.array([size]), np.array([share]), discount)
    assert found[0] == pytest.approx(total, rel=1e-9)


def test_all_people_in_the_sample_means_one_over_the_size() -> None:
    assert expected_chance(np.array([1, 4, 50]), np.ones(3)) == pytest.approx([1, 0.25, 0.02])


def test_with_a_discount_of_nearly_one_who_is_alone_in_the_sample_is_alone_everywhere() -> None:
    assert expected_chance(np.array([1]), np.array([0.001]), 1 - 1e-9)[0] == pytest.approx(1)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4)), max_size=40))
def test_persons_alone_by_the_set_of_their_classes(rows: list[tuple[int, int]]) -> None:
    visited: defaultdict[int, set[int]] = defaultdict(set)
    for person, visit in rows:
        visited[person].add(visit)
    alike = Counter(frozenset(classes) for classes in visited.values())
    table = np.array(rows, dtype=np.int64).reshape(-1, 2)
    assert persons_alone(table[:, 1], table[:, 0]) == sum(count == 1 for count in alike.values())


def test_persons_with_many_rows_each() -> None:
    persons = np.repeat(np.arange(3), 40)
    classes = np.concatenate([np.arange(40), np.arange(40), np.arange(1, 41)])
    assert persons_alone(classes, persons) == 1


@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from("abc")), min_size=1, max_size=30))
def test_the_best_guess_is_the_most_frequent_value_of_each_class(rows: list[tuple[int, str]]) -> None:
    classes, _ = classes_of(rows)
    bags: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for owner, value in rows:
        bags[owner][value] += 1
    found = best_guess(classes, "s")
    assert found.highest == max(Fraction(max(bag.values()), bag.total()) for bag in bags.values())
    assert found.average == Fraction(sum(max(bag.values()) for bag in bags.values()), len(rows))
    assert found.without == Fraction(max(Counter(value for _, value in rows).values()), len(rows))
    assert found.certain == sum(bag.total() for bag in bags.values() if len(bag) == 1)


def test_nobody_can_be_guessed_in_an_empty_table() -> None:
    table = pl.DataFrame(schema={"q": pl.String, "s": pl.String})
    found = best_guess(ic.census(table, ic.Schema(quasi=["q"], sensitive=["s"])).classes(), "s")
    assert (float(found.highest), float(found.average), found.certain) == (0, 0, 0)


def test_the_best_guess_counts_persons_where_they_are_known() -> None:
    rows = [(1, "a", "p"), (1, "a", "p"), (1, "b", "q"), (2, "a", "p"), (2, "a", "q")]
    found = best_guess(classes_of(rows, entity=True)[0], "s")
    shares = [found.highest, found.average, found.without]
    assert (shares, found.certain) == ([Fraction(1), Fraction(3, 4), Fraction(3, 4)], 2)


def household_risk(members: list[int], chances: list[float], threshold: Fraction = Fraction(1, 5)) -> HouseholdRisk:
    home, ones = np.array(members, dtype=np.int64), np.ones(len(members), dtype=np.int64)
    return HouseholdRisk.of("home", home, ones, np.array(chances), threshold)


def test_a_household_is_found_by_some_member() -> None:
    one = household_risk([0, 0, 0], [0.02, 0.03, 0.03])
    assert one.highest == pytest.approx(0.077918, abs=1e-9)  # 1 - 0.98 * 0.97 * 0.97; printed as 0.0779
    both = household_risk([0, 0, 0, 1], [0.02, 0.03, 0.03, 1.0])
    assert (both.highest, both.households, both.above) == (1.0, 2, 1)
    assert both.average == pytest.approx((1 + one.highest) / 2)
    assert both.expected == pytest.approx(1 + one.highest)


def test_exactly_the_threshold_is_not_above_it() -> None:
    assert household_risk([0, 1, 1], [0.2, 0.5, 0.5], Fraction(1, 5)).above == 1
    assert household_risk([0, 0], [0.5, 0.5], Fraction(3, 4)).above == 0
    assert household_risk([], []).households == 0
