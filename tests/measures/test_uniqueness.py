"""Estimates of who is one of a kind in the population: formulas by hand, and populations made up under the models."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings, strategies as st

from incrowd.measures import Sizes, estimated_uniqueness, expected_chance, pitman_fit
from incrowd.measures._uniqueness import ESTIMATORS, digamma

Counts = npt.NDArray[np.int64]
EULER = 0.5772156649015329


def restaurant(people: int, theta: float, alpha: float, seed: int) -> Counts:
    """Seat people one by one as Pitman's model does; give the class of each."""
    chance = np.random.default_rng(seed)
    table, sizes = np.empty(people, dtype=np.int64), [0] * people
    used = 0
    for person in range(people):
        if chance.random() * (theta + person) < theta + used * alpha:
            table[person], sizes[used], used = used, 1, used + 1
            continue
        while True:
            beside = table[chance.integers(person)]
            if chance.random() * sizes[beside] < sizes[beside] - alpha:
                break
        table[person] = beside
        sizes[beside] += 1
    return table


def sampled(table: Counts, share: float, seed: int) -> Counts:
    """Give the class sizes of a simple random sample."""
    drawn = np.random.default_rng(seed).choice(len(table), int(len(table) * share), replace=False)
    sizes = np.bincount(table[drawn])
    return sizes[sizes > 0]


def likelihood(sizes: list[int], alpha: float, theta: float) -> float:
    """Add up the logarithms of Pitman's sampling formula, factor by factor."""
    new = sum(math.log(theta + i * alpha) for i in range(1, len(sizes)))
    all_people = sum(math.log(theta + i) for i in range(1, sum(sizes)))
    return new - all_people + sum(math.log(j - alpha) for size in sizes for j in range(1, size))


def test_digamma_is_what_the_books_say() -> None:
    assert digamma(np.array([1.0, 2.0, 0.5])) == pytest.approx([-EULER, 1 - EULER, -EULER - 2 * math.log(2)])
    assert digamma(np.array([1e6]))[0] == pytest.approx(math.log(1e6) - 0.5e-6)


def test_zayatz_by_hand() -> None:
    """Classes of 1, 1 and 2 in a sample of 4 out of 10: P(one drawn) is 4/10 and 2·C(8,3)/C(10,4) = 8/15."""
    expected = 2 * (2 * 0.4) / (2 * 0.4 + 8 / 15)
    assert estimated_uniqueness(np.array([1, 1, 2]), 10).estimates["zayatz"] == pytest.approx(expected)


@given(st.lists(st.integers(1, 6), min_size=2, max_size=20), st.integers(1, 200))
def test_zayatz_is_bayes_rule_with_hypergeometric_chances(class_sizes: list[int], more: int) -> None:
    drawn, people = sum(class_sizes), sum(class_sizes) + more
    one = {
        size: size * math.comb(people - size, drawn - 1) / math.comb(people, drawn) for size in set(class_sizes) | {1}
    }
    alone = class_sizes.count(1)
    expected = alone * alone * one[1] / sum(one[size] for size in class_sizes) if alone else 0
    found = ESTIMATORS["zayatz"](Sizes.of(np.array(class_sizes), people)) if alone else 0
    assert found == pytest.approx(expected * people / drawn)


@settings(max_examples=30)
@given(st.lists(st.integers(1, 8), min_size=2, max_size=25).filter(lambda sizes: max(sizes) > 1))
def test_pitman_parameters_make_the_sample_most_likely(class_sizes: list[int]) -> None:
    fit = pitman_fit(Sizes.of(np.array(class_sizes), 1000))
    assert fit is not None
    best = likelihood(class_sizes, *fit)
    for alpha in np.linspace(1e-6, 0.98, 15):
        for above in np.geomspace(1e-3, 1e4, 30):
            assert likelihood(class_sizes, alpha, above - alpha) <= best + 1e-6


def test_pitman_expects_the_uniques_of_its_model() -> None:
    """Every further person opens a class of one, or makes one larger: step by step."""
    sizes = Sizes.of(np.array([1, 1, 1, 2, 3, 5]), 300)
    fit = pitman_fit(sizes)
    assert fit is not None
    alpha, theta = fit
    alone = math.prod((theta + alpha + i - 1) / (theta + i) for i in range(1, 300))
    assert ESTIMATORS["pitman"](sizes) == pytest.approx(300 * alone)


@pytest.mark.parametrize(("theta", "alpha"), [(50.0, 0.3), (100.0, 0.6)])
def test_pitman_finds_the_uniques_of_a_made_up_population(theta: float, alpha: float) -> None:
    table = restaurant(12_000, theta, alpha, seed=1)
    truth = int((np.bincount(table) == 1).sum())
    found = [ESTIMATORS["pitman"](Sizes.of(sampled(table, 0.1, seed), 12_000)) for seed in range(3)]
    assert np.mean([value for value in found if value is not None]) == pytest.approx(truth, rel=0.15)


def test_the_expected_chance_of_people_who_are_alone_in_a_sample_of_a_made_up_population() -> None:
    people = 12_000
    table = restaurant(people, 100, 0.6, seed=2)
    drawn = np.random.default_rng(3).choice(people, people // 20, replace=False)
    inside, everywhere = np.bincount(table[drawn], minlength=int(table.max()) + 1), np.bincount(table)
    truth = float((1 / everywhere[inside == 1]).mean())
    fit = pitman_fit(Sizes.of(inside[inside > 0], people))
    assert fit is not None
    alpha, theta = fit
    share = (theta + people / 20) / (theta + people)
    assert expected_chance(np.array([1]), np.array([share]), alpha)[0] == pytest.approx(truth, rel=0.2)
    assert expected_chance(np.array([1]), np.array([1 / 20]))[0] < truth / 2  # the individual risk is too low


@pytest.mark.parametrize(("size", "alpha", "theta"), [(1, 0.0, 90.0), (1, 0.5, 20.0), (2, 0.3, 50.0), (5, 0.6, 200.0)])
def test_the_expected_chance_is_that_of_the_urn_for_many_people(size: int, alpha: float, theta: float) -> None:
    """Under Pitman's model the rest of a class is beta-binomial; its limit, which is used, is never more hopeful."""
    drawn, people = 1000, 5000
    more, joins, others = people - drawn, size - alpha, theta + drawn - size + alpha

    def log_beta(one: float, two: float) -> float:
        return math.lgamma(one) + math.lgamma(two) - math.lgamma(one + two)

    ways = -math.log(more + 1) - log_beta(joins, others)
    exact = math.fsum(
        math.exp(ways + log_beta(n + joins, more - n + others) - log_beta(n + 1, more - n + 1)) / (size + n)
        for n in range(more + 1)
    )
    found = expected_chance(np.array([size]), np.array([(theta + drawn) / (theta + people)]), alpha)[0]
    assert exact <= found <= 1.01 * exact


def test_the_slide_negative_binomial_finds_the_uniques_of_a_made_up_population() -> None:
    people = 1 + np.random.default_rng(3).negative_binomial(1, 0.5, 10_000)
    table = np.repeat(np.arange(10_000), people)
    found = ESTIMATORS["slide negative binomial"](Sizes.of(sampled(table, 0.3, 4), len(table)))
    assert found == pytest.approx(int((people == 1).sum()), rel=0.1)


def test_a_sample_that_is_the_population_needs_no_estimate() -> None:
    found = estimated_uniqueness(np.array([1, 1, 4]), 6)
    assert dict(found.estimates) == dict.fromkeys(ESTIMATORS, 2.0)
    assert (found.sample, found.share, found.highest) == (2, 1 / 3, 1 / 3)


def test_where_nobody_is_alone_in_the_table_nobody_is_in_the_population() -> None:
    assert set(estimated_uniqueness(np.array([2, 3, 5]), 1000).estimates.values()) == {0.0}


def test_where_everybody_is_alone_some_estimators_have_no_answer() -> None:
    found = estimated_uniqueness(np.ones(5, dtype=np.int64), 100).estimates
    assert found == {"pitman": None, "zayatz": 5.0, "slide negative binomial": None}


def test_estimates_are_never_above_what_is_alone_in_the_table() -> None:
    chance = np.random.default_rng(5)
    for _ in range(5):
        sizes = chance.geometric(chance.uniform(0.2, 0.9), 50)
        found = estimated_uniqueness(sizes, int(sizes.sum()) * int(chance.integers(2, 100)))
        assert all(value is None or 0 <= value <= found.sample for value in found.estimates.values())


def test_an_empty_table_has_nobody() -> None:
    found = estimated_uniqueness(np.zeros(0, dtype=np.int64), 100)
    assert (found.sample, found.share, found.highest) == (0, 0.0, None)
