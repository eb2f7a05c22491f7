"""Bounds hold, and compiled loops give those of the plain way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.measures import Measure
from incrowd.search import Problem
from incrowd.search.lattice import _rollup
from incrowd.search.lattice._acceptance import Acceptance
from incrowd.search.lattice._bounds import Bounds, pair_bounds
from incrowd.search.lattice._rollup import Rollup
from search import slow
from search.tables import problem, tables

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
