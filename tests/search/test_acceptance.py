"""Levels that no acceptable node has."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.search import hopeless_levels, too_small_levels
from search import slow
from search.slow import QUASI
from search.tables import PROMISES, problem, tables

pytestmark = pytest.mark.filterwarnings("ignore:AlphaAssociation lists")


@settings(max_examples=30)
@given(table=tables, promise=st.sampled_from(PROMISES), share=st.sampled_from([0.0, 0.1, 0.3]))
def test_no_acceptable_node_has_a_level_that_is_called_hopeless(table: list[Any], promise: Any, share: float) -> None:
    model, ok = promise
    limit = int(share * len(table))
    asked = problem(table, model, limit)
    nodes = {node.levels for node in slow.acceptable(table, ok, limit)}
    for place, name in enumerate(QUASI):
        hopeless = hopeless_levels(asked, name)
        small = too_small_levels(model, asked.census.domains[name], asked.census.ladders[name], limit)
        lowest = min((levels[place] for levels in nodes), default=99)
        assert lowest >= hopeless
        assert lowest >= small or not nodes


@settings(max_examples=30)
@given(table=tables, share=st.sampled_from([0.0, 0.2]))
def test_for_k_alone_the_first_level_that_is_not_hopeless_has_an_acceptable_node(
    table: list[Any], share: float
) -> None:
    limit = int(share * len(table))
    asked = problem(table, ic.KAnonymity(3), limit)
    nodes = {node.levels for node in slow.acceptable(table, lambda group, _: len(group) >= 3, limit)}
    for place, name in enumerate(QUASI):
        lowest = min((levels[place] for levels in nodes), default=asked.highs[place] + 1)
        assert hopeless_levels(asked, name) == lowest


def test_levels_of_other_columns_that_may_not_be_exceeded_count_too() -> None:
    table = [{"age": age, "sex": sex} for age in (31, 32, 41, 42) for sex in "fm"]
    schema = ic.Schema(quasi={"age": ic.intervals(10, 100), "sex": ic.flat()})
    census = ic.census(table, schema)
    free = ic.search.Problem(census, schema, ic.KAnonymity(2))
    tied = ic.search.Problem(census, schema, ic.KAnonymity(2), at_most={"sex": 0})
    assert (hopeless_levels(free, "age"), hopeless_levels(tied, "age")) == (0, 1)


def test_how_often_values_occur_shows_what_is_too_small() -> None:
    table = [{"age": age} for age in (31, 32, 33, 44, 44)]
    census = ic.census(table, ic.Schema(quasi={"age": ic.intervals(10, 50, 100)}))
    age = census.domains["age"], census.ladders["age"]
    assert too_small_levels(ic.KAnonymity(2), *age, 0) == 1
    assert too_small_levels(ic.KAnonymity(3), *age, 2) == 1
    assert too_small_levels(ic.KAnonymity(3), *age, 1) == 2
    assert too_small_levels(ic.KAnonymity(2), *age, 3) == 0
    assert too_small_levels(ic.KAnonymity(6), *age, 0) == 4
