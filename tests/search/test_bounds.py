"""Bounds hold, and compiled loops give those of the plain way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.measures import ClassObjective, Measure
from incrowd.search import Optimal, Problem
from incrowd.search.lattice import _rollup
from incrowd.search.lattice._acceptance import Acceptance
from incrowd.search.lattice._bounds import Bounds, ClassBounds, pair_bounds
from incrowd.search.lattice._rollup import Rollup
from search import slow
from search.tables import PROMISES, k, problem, rows, tables

pytestmark = pytest.mark.filterwarnings("ignore:AlphaAssociation lists")
NODES = list(slow.nodes())


@pytest.fixture(autouse=True, scope="module")
def compiled() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_rollup, "COMPILE_AFTER", -1)
        yield


def wide(rows: int = 9000) -> Problem:
    """More cells than neighbouring fields have combinations, and more than a block."""
    generator = np.random.default_rng(4)
    columns = {"a": (50, 6), "b": (30, 5), "c": (3, 3), "d": (4000, 4000)}
    table = [
        dict(zip(columns, row, strict=True))
        for row in zip(*(generator.integers(0, high, rows).tolist() for high, _ in columns.values()), strict=True)
    ]
    roles = ic.Schema(quasi={"a": ic.intervals(10), "b": ic.intervals(5), "c": ic.flat(), "d": ic.intervals(100, 1000)})
    return Problem(ic.census(table, roles), roles, ic.KAnonymity(4), rows // 20)


def test_pairs_are_counted_as_plainly() -> None:
    asked = wide()
    rollup = Rollup(asked.census, [])
    fast, plain = pair_bounds(asked.census, 4, rollup), pair_bounds(asked.census, 4)
    assert fast.keys() == plain.keys()
    assert all(np.array_equal(fast[pair], plain[pair]) for pair in plain)


@settings(max_examples=20)
@given(table=tables, limit=st.sampled_from([0, 3, 24]), measure=st.sampled_from(["loss", "height", "entropy"]))
def test_bounds_are_those_of_the_plain_way(table: list[Any], limit: int, measure: str) -> None:
    asked = problem(table, ic.KAnonymity(3), limit)
    objective = Measure.of(measure).bind(asked.census, {}, 0.5)
    fast, plain = Bounds(asked, objective, Acceptance(asked).rollup), Bounds(asked, objective)
    lows, highs = (1, 0, 0), tuple(high - low for low, high in zip(plain.lows, plain.highs, strict=True))
    shape = [high - low + 1 for low, high in zip(lows, highs, strict=True)]
    levels = np.indices(shape).reshape(3, -1).astype(np.int16) + np.array(lows, dtype=np.int16)[:, None]
    assert fast.floor == plain.floor
    bounds = fast.suppressed_in_box(lows, highs, levels)
    assert bounds.tolist() == plain.suppressed_in_box(lows, highs, levels).tolist() == plain.suppressed(levels).tolist()
    nodes = np.arange(levels.shape[1])[::-1]
    least = plain.least(levels, bounds)
    assert fast.least(levels, bounds) == pytest.approx(least, abs=1e-14)
    worse = float(np.median(least)) + 1e-9
    known = [np.full(len(nodes), -np.inf) for _ in range(2)]
    kept = [
        way.open_nodes(nodes, bounds[::-1], levels, worse, seen) for way, seen in zip((fast, plain), known, strict=True)
    ]
    assert kept[0].tolist() == kept[1].tolist()
    assert known[0] == pytest.approx(known[1], abs=1e-14)


@settings(max_examples=30)
@given(table=tables, measure=st.sampled_from(["loss", "distortion", "precision", "entropy"]))
def test_a_bound_is_the_score_where_nobody_is_left_out(table: list[Any], measure: str) -> None:
    asked = problem(table, ic.KAnonymity(1))
    objective = Measure.of(measure).bind(asked.census, {}, 0.5)
    acceptance = Acceptance(asked)
    bounds = Bounds(asked, objective, acceptance.rollup)
    for levels in NODES[::5]:
        cells = acceptance.rollup.to(levels)
        score = objective.score(acceptance.published(cells, acceptance.test(cells)))
        told = bounds.exact_score(np.array(levels)[bounds.axes])
        assert told is None or told == score


@settings(max_examples=60)
@given(
    table=st.lists(rows, min_size=12, max_size=24),
    promise=st.sampled_from(PROMISES),
    share=st.sampled_from([0.0, 0.2, 1.0]),
    measure=st.sampled_from([("discernibility", 0.5), ("discernibility", 0.2), ("discernibility", 0.9), ("aecs", 0.5)]),
    how=st.sampled_from([{}, {"suppression": "mask"}, {"policy": "small_only"}]),
)
def test_nodes_below_and_above_bound_a_score_of_classes(
    table: list[Any], promise: Any, share: float, measure: tuple[str, float], how: Any
) -> None:
    name, balance = measure
    asked = problem(table, promise[0], int(share * len(table)), balance=balance, **how)
    objective = Measure.of(name).bind(asked.census, {}, balance)
    assert isinstance(objective, ClassObjective)
    acceptance = Acceptance(asked)
    found = {}
    for levels in NODES:
        cells = acceptance.rollup.to(levels)
        tested = acceptance.test(cells)
        found[levels] = tested, objective.score(acceptance.published(cells, tested, columns=False))
    for below in NODES:
        bounds = ClassBounds(asked, objective, acceptance.rollup, acceptance.largest_left_out)
        bounds.enter((0, 0, 0), tuple(bounds.highs))
        bounds.hand_up_sizes(below, found[below][0].sizes)
        for node, (tested, score) in found.items():
            if tested.acceptable and tested.classes:
                place = np.array(node)[bounds.axes][:, None]
                above = [one.bound for levels, (one, _) in found.items() if all(map(int.__le__, node, levels))]
                assert (bounds.least(np.repeat(place, len(above), axis=1), np.array(above)) <= score).all()


@settings(max_examples=25)
@given(table=tables, balance=st.sampled_from([0.0, 0.2, 0.8, 1.0]), share=st.sampled_from([0.0, 0.3, 1.0]))
def test_a_balance_weighs_classes_against_records_that_are_left_out(
    table: list[Any], balance: float, share: float
) -> None:
    def score(node: slow.Found) -> float:
        squares = sum(len(group) ** 2 for group in node.kept)
        return min(1, 2 * (1 - balance)) * squares + min(1, 2 * balance) * node.suppressed * node.records

    limit = int(share * len(table))
    best = Optimal("discernibility").search(problem(table, ic.KAnonymity(3), limit, balance=balance)).best
    scores = [score(node) for node in slow.acceptable(table, k(3), limit) if node.kept]
    assert (best is None) == (not scores)
    if best is not None:
        assert best.score == pytest.approx(min(scores), abs=1e-10)
