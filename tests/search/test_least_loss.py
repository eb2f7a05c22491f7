"""The bound of levels and cells: beside every node with every set of stars, record by record; at given levels."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.search._local_recoding import LocalTable
from incrowd.search.levels_and_cells import _walk
from incrowd.search.levels_and_cells._walk import least_loss
from search.slow import QUASI, Ok, Row, labels, nodes
from search.slow_cheapest import cost
from search.tables import PROMISES, problem, tables
from search.tables_levels import rows

pytestmark = pytest.mark.filterwarnings("ignore:AlphaAssociation lists", "ignore:.* promises nothing")


def slow(table: Sequence[Row], ok: Ok) -> Fraction:
    """Give the least over all nodes of what records lose under their cheapest label that keeps the promise."""
    return min(at_node(table, levels, ok) for levels in nodes()) / len(QUASI) / len(table)


def at_node(table: Sequence[Row], levels: tuple[int, ...], ok: Ok) -> Fraction:
    least: list[Fraction] = [Fraction(len(QUASI))] * len(table)
    for stars in itertools.product((False, True), repeat=len(QUASI)):
        found: defaultdict[tuple[Any, ...], list[int]] = defaultdict(list)
        for at, row in enumerate(table):
            name = labels(row, levels)
            found[tuple("*" if star else text for star, text in zip(stars, name, strict=True))].append(at)
        for label, inside in found.items():
            if ok([table[at] for at in inside], table):
                for at in inside:
                    least[at] = min(least[at], cost(label))
    return sum(least, Fraction(0))


def bound(table: Sequence[Row], model: Any, **limits: Any) -> float:
    asked = problem(table, model, **limits)
    return least_loss(LocalTable(asked if not asked.at_most else problem(table, model), whole=True), asked.highs, 1.0)


@given(tables, st.sampled_from(PROMISES[:3]))
@settings(max_examples=40, deadline=None)
def test_it_is_the_least_of_all_nodes_with_the_cheapest_stars_of_every_record(
    table: list[Row], promised: tuple[Any, Ok]
) -> None:
    model, ok = promised
    if ok(table, table):
        assert bound(table, model) == pytest.approx(float(slow(table, ok)))


@given(tables, st.sampled_from(PROMISES))
@settings(max_examples=40, deadline=None)
def test_it_is_no_more_than_that_for_every_promise_and_however_little_is_looked_at(
    table: list[Row], promised: tuple[Any, Ok]
) -> None:
    model, ok = promised
    if not ok(table, table):
        return
    found = bound(table, model)
    assert found <= float(slow(table, ok)) + 1e-9
    with pytest.MonkeyPatch.context() as patch:
        for looks in (0, 1, 3, 9):
            patch.setattr(_walk, "FEWEST_LOOKS", looks)
            patch.setattr(_walk, "BOUND_WORK", looks * len(table) * len(QUASI) ** 2)
            assert bound(table, model) <= found + 1e-9


def test_one_level_for_all_costs_more_than_a_label_for_each() -> None:
    table = rows(*[("20", "ulm"), ("25", "ulm")], *[("47", "ulm")] * 2)
    low, whole = ({"age": 0, "sex": 0, "town": 0}, {"age": 1, "sex": 0, "town": 0})
    assert bound(table, ic.KAnonymity(2), at_most=low) == pytest.approx(2 / 12)
    assert 0 < bound(table, ic.KAnonymity(2), at_most=whole) < 2 / 12


def test_it_is_never_above_what_was_found() -> None:
    table = rows(("20", "ulm"), ("47", "bonn"))
    asked = LocalTable(problem(table, ic.KAnonymity(2)), whole=True)
    assert least_loss(asked, asked.problem.highs, 0.25) == 0.25
