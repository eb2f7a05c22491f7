"""The walk over levels: where it starts and ends, limits of stars, and never worse than the best node."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.measures import Loss
from incrowd.search import Problem
from incrowd.search.levels_and_cells import _walk
from search.slow import HEIGHTS, PATHS, QUASI, Ok, Row, labels, visit
from search.tables import PROMISES, problem, tables
from search.tables_levels import classes, lost_by, rows, sizes

pytestmark = pytest.mark.filterwarnings("ignore:AlphaAssociation lists", "ignore:.* promises nothing")
promises = st.sampled_from(PROMISES)


def test_a_column_that_would_say_one_thing_only_is_worth_some_loss_in_others(monkeypatch: pytest.MonkeyPatch) -> None:
    table = rows(*[("31", "kiel")] * 2, ("31", "bonn"), ("20", "bonn"), ("25", "kiel"), ("25", "bonn"))
    asked = problem(table, ic.KAnonymity(2))
    found = ic.LevelsAndCells().search(asked)
    assert sizes(found) == {("20s", "f", "bonn"): 2, ("30s", "f", "kiel"): 2, ("*", "f", "*"): 2}
    monkeypatch.setattr(_walk, "CHARGE", 0.0)
    without = ic.LevelsAndCells().search(asked)
    assert sizes(without) == {("young", "f", "bonn"): 3, ("young", "f", "kiel"): 3}
    assert lost_by(without) < lost_by(found)


def test_a_walk_from_below_the_highest_levels_finds_what_one_from_the_lowest_misses() -> None:
    table = rows(("20", "bonn"), ("20", "kiel"), ("31", "bonn"), ("31", "ulm"), ("47", "bonn"), ("62", "ulm"))
    asked = problem(table, ic.KAnonymity(2))
    found = ic.LevelsAndCells().search(asked)
    assert found.levels == {"age": 0, "sex": 0, "town": 1}
    low = {"age": 2, "sex": 0, "town": 0}  # where the walk from the lowest levels ends
    there = ic.LevelsAndCells().search(problem(table, ic.KAnonymity(2), at_least=low, at_most=low))
    assert lost_by(found) < lost_by(there)


def test_a_column_with_one_label_for_all_is_starred_in_every_cell() -> None:
    table = rows(*((age, "ulm") for age in ("20", "25", "47", "62")))
    asked = problem(table, ic.KAnonymity(4))
    assert sizes(ic.LevelsAndCells().search(asked)) == {("*", "f", "ulm"): 4}
    with pytest.raises(ic.NoSafeRelease, match=r"the nearest stars 'age' 100\.0%"):
        ic.LevelsAndCells(most_stars={"age": 0.9}).search(asked)
    as_asked = problem(table, ic.KAnonymity(4), at_least={"age": 3})
    assert sizes(ic.LevelsAndCells(most_stars={"age": 0}).search(as_asked)) == {("*", "f", "ulm"): 4}


def test_levels_are_walked_under_the_limits_of_stars() -> None:
    roles = ic.Schema(quasi={"birth_date": ic.dates("year", "decade"), "sex": ic.flat(), "zip": ic.mask()})
    table = ic.hospital(800).select(["birth_date", "sex", "zip"])
    asked = Problem(ic.census(table, roles), roles, ic.KAnonymity(5))
    for most in ({"birth_date": 0.05}, {"zip": 0.02}):
        found = ic.LevelsAndCells(most_stars=most).search(asked)
        assert found.levels is not None
        assert found.levels["birth_date"] == 2
        stars = {
            name: int(found.sizes[[text == "*" for text in labels.texts]].sum())
            for name, labels in zip(roles.quasi_names, found.labels, strict=True)
        }
        assert all(stars[name] <= share * 800 for name, share in most.items())
        assert found.score is not None
        assert found.score < 0.2


@given(tables, promises, st.integers(min_value=0, max_value=2))
@settings(max_examples=60, deadline=None)
def test_without_stars_something_is_found_wherever_a_node_keeps_the_promise(
    table: list[Row], promised: tuple[Any, Ok], limit: int
) -> None:
    model, ok = promised
    asked = problem(table, model, limit)
    highs = {name: highest_level_with_values(table, name) for name in QUASI}
    try:
        outcome = ic.LevelsAndCells(most_stars=0).search(asked)
    except ic.NoSafeRelease:
        whole = ic.Optimal().search(problem(table, model, limit, at_most=highs))
        assert not ok(table, table) or whole.best is None
        return
    found = classes(outcome)
    levels = tuple((outcome.levels or {}).values())
    assert len(found.pop((), [])) <= limit
    assert set(found) <= {labels(row, levels) for row in table}
    assert all(level <= highs[name] for name, level in zip(QUASI, levels, strict=True))


def highest_level_with_values(table: Sequence[Row], name: str) -> int:
    labels_at = [{PATHS[name][row[name]][level] for row in table} for level in range(HEIGHTS[name] + 1)]
    return HEIGHTS[name] if len(labels_at[0]) == 1 else sum(len(found) > 1 for found in labels_at) - 1


@given(tables, promises, st.integers(min_value=0, max_value=3))
@settings(max_examples=120, deadline=None)
def test_it_never_loses_more_than_the_best_node_but_for_values_of_more_columns(
    table: list[Row], promised: tuple[Any, Ok], limit: int
) -> None:
    model, ok = promised
    asked = problem(table, model, limit)
    best = ic.Optimal(Loss("arithmetic")).search(asked).best
    if best is None or not ok(table, table):
        return
    found = ic.LevelsAndCells().search(asked)
    assert found.score is not None
    if found.score > best.score + 1e-9:
        levels = tuple(best.levels.values())
        there = [labels(kept[0], levels) for kept in visit(table, levels, ok).kept]
        assert columns_with_values(classes(found)) > columns_with_values(there)


def columns_with_values(found: Iterable[tuple[Any, ...]]) -> int:
    return sum(len({label[at] for label in found if label} - {"*"}) > 1 for at in range(len(QUASI)))
