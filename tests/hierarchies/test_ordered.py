from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from incrowd.core import Domain, HierarchyError, ParameterError, UncoveredValuesError
from incrowd.hierarchies import ordered

SCHOOL = ["none", "primary", "secondary", "bachelor", "master"]


def names(ladder: Any) -> list[list[str | None]]:
    return [labels.tolist() for labels in ladder.labels]


def test_neighbours_become_groups_named_by_their_ends() -> None:
    ladder = ordered(SCHOOL, 2, 4).bind(Domain.of("school", SCHOOL))
    assert set(names(ladder)[1]) == {"none..primary", "secondary..bachelor", "master"}
    assert set(names(ladder)[2]) == {"none..bachelor", "master"}


def test_groups_count_the_values_of_the_order_not_only_those_of_the_table() -> None:
    ladder = ordered(SCHOOL, 2).bind(Domain.of("school", ["none", "master"]))
    assert dict(zip(ladder.labels[1], ladder.leaves[1].tolist(), strict=True)) == {"master": 1, "none..primary": 2}


def test_groups_can_be_named() -> None:
    level = {"high": ["bachelor", "master"], "low": ["none", "primary", "secondary"]}
    ladder = ordered(SCHOOL, level).bind(Domain.of("school", ["none", "master"]))
    assert names(ladder) == [["master", "none"], ["high", "low"], ["*"]]


def test_numbers_and_dates_bring_their_own_order() -> None:
    assert names(ordered(None, 2).bind(Domain.of("x", [10, 7, 300])))[1] == ["7..10", "300"]
    days = [dt.date(2024, 3, day) for day in (9, 5)]
    assert names(ordered(None, 2).bind(Domain.of("x", days)))[1] == ["2024-03-05..2024-03-09"]


def test_ranks_follow_the_given_order() -> None:
    assert ordered(SCHOOL).ranks(Domain.of("school", ["primary", "master", None])).tolist() == [4, 1]
    assert ordered().ranks(Domain.of("cost", [30.5, 10.5, 20.5])).tolist() == [0, 1, 2]


def test_numbers_may_be_given_as_numbers() -> None:
    assert ordered([3, 1, 2]).ranks(Domain.of("grade", [1, 2, 3])).tolist() == [1, 2, 0]


def test_without_levels_a_value_becomes_a_star() -> None:
    assert names(ordered().bind(Domain.of("x", [1, 2]))) == [["1", "2"], ["*"]]
    assert names(ordered(["b", "a"]).bind(Domain.of("x", ["a", "b"]))) == [["a", "b"], ["*"]]


@pytest.mark.parametrize("values", [["a", "b"], [True, False]])
def test_text_has_no_order_of_its_own(values: list[Any]) -> None:
    with pytest.raises(HierarchyError, match="has no order of its own"):
        ordered().bind(Domain.of("x", values))


def test_values_outside_the_order_are_counted_and_carried() -> None:
    with pytest.raises(UncoveredValuesError, match="1 of 2 values that are not covered by the tree") as caught:
        ordered(SCHOOL).bind(Domain.of("school", ["none", "canary"]))
    assert caught.value.values == ("canary",)
    with pytest.raises(UncoveredValuesError, match="not covered by the given order"):
        ordered(SCHOOL).ranks(Domain.of("school", ["canary"]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a", "a"],), "values must be distinct, got 2 of which 1 are different"),
        (([],), "values must be distinct, got 0"),
        (("abc",), "values must be a list from least to most, got str"),
        ((2, 4), "must be a list from least to most, got int"),
        ((None, 2, 5), "5 is not a whole multiple of 2"),
        ((None, 1), "level must be a whole number of at least 2, got 1"),
        ((SCHOOL, 1), "level must be a whole number of at least 2, got 1"),
        ((SCHOOL, "2"), "level must be a whole number of at least 2, got '2'"),
    ],
)
def test_wrong_parameters_are_found_when_written(arguments: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        ordered(*arguments)


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        (({"x": ["none", "secondary"]},), "Level 1 has a group that is no run of neighbours among the 5"),
        (({"x": ["none", "canary"]},), "no run of neighbours"),
        (({"x": []},), "no run of neighbours"),
        (({"x": ["none", "primary"]},), "does not put each of the 5 ordered values into exactly one group"),
        (({"x": SCHOOL, "y": ["none"]},), "into exactly one group"),
        ((2, {"x": SCHOOL[:3], "y": SCHOOL[3:]}), "The order, value 4: has the label of value 3 at level 1"),
        ((2, 3), "has the label of value 3 at level 1, but another one at level 2"),
        (({"none": SCHOOL[:2], "y": SCHOOL[2:]},), "means another set of values"),
    ],
)
def test_groups_that_are_no_runs_or_do_not_nest_are_refused(levels: Any, message: str) -> None:
    with pytest.raises(HierarchyError, match=message) as caught:
        ordered(SCHOOL, *levels)
    assert "canary" not in str(caught.value)


def test_the_repr_counts() -> None:
    assert repr(ordered(SCHOOL, 2)) == "Ordered(5 values, 1 levels of groups)"
    assert repr(ordered(None, 2, 4)) == "Ordered(own order, 2 levels of groups)"
