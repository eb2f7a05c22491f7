"""What compiled loops count at once is what the plain way counts node by node."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.measures import SizeSums
from incrowd.search import Optimal, Problem
from incrowd.search.lattice import _optimal as _boxes, _rollup
from incrowd.search.lattice._acceptance import Acceptance
from incrowd.search.lattice._node_kernels import raise_below
from incrowd.search.lattice._rollup import Rollup
from incrowd.search.lattice._sweep import Sweep, Visitor
from models import slow as slow_models
from search import slow
from search.tables import bag, both, distinct, k, problem, tables

NODES = list(slow.nodes())


def close(t: Fraction) -> slow.Ok:
    return lambda group, table: slow_models.variational(bag(group), bag(table)) <= t


AT_ONCE: list[tuple[Any, slow.Ok]] = [
    (ic.KAnonymity(3), k(3)),
    (ic.KAnonymity(2) & ic.LDiversity(2), both(k(2), distinct(2))),
    (ic.PSensitive(3), distinct(3)),
    (ic.TCloseness(Fraction(1, 3)), close(Fraction(1, 3))),
    (ic.KAnonymity(2) & ic.LDiversity(2) & ic.TCloseness(0.4), both(both(k(2), distinct(2)), close(Fraction(2, 5)))),
    (ic.TCloseness(0), close(Fraction(0))),
    (ic.TCloseness(1), close(Fraction(1))),
]


@pytest.fixture(autouse=True, scope="module")
def compiled() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_rollup, "COMPILE_AFTER", -1)
        yield


def plainly(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(_rollup, "COMPILE_AFTER", 2**62)


@settings(max_examples=30)
@given(table=tables, promise=st.sampled_from(AT_ONCE), share=st.sampled_from([0.0, 0.3]))
def test_many_nodes_are_counted_as_one_by_one(table: list[Any], promise: Any, share: float) -> None:
    model, ok = promise
    asked = problem(table, model, int(share * len(table)))
    acceptance = Acceptance(asked)
    assert acceptance.counts_at_once
    expected = [slow.visit(table, levels, ok).suppressed for levels in NODES]
    start = acceptance.rollup.start
    suppressed, bounds = acceptance.count(np.array(NODES), start, exact=True)
    assert suppressed == expected
    tested = [acceptance.test(acceptance.rollup.to(levels), exact=True) for levels in NODES]
    assert bounds == [one.bound for one in tested]


@settings(max_examples=20)
@given(table=tables, promise=st.sampled_from(AT_ONCE), share=st.sampled_from([0.0, 0.2]))
def test_a_node_that_is_passed_over_leaves_out_too_much(table: list[Any], promise: Any, share: float) -> None:
    model, ok = promise
    limit = int(share * len(table))
    acceptance = Acceptance(problem(table, model, limit))
    suppressed, bounds = acceptance.count(np.array(NODES[::-1]), acceptance.rollup.start)
    for levels, count, bound in zip(NODES[::-1], suppressed, bounds, strict=True):
        exact = slow.visit(table, levels, ok).suppressed
        assert (count <= limit) == (exact <= limit)
        assert bound <= max(exact, limit + 1)
        if exact <= limit:
            assert count == exact


@settings(max_examples=30)
@given(table=tables, k=st.integers(1, 4), share=st.sampled_from([0.0, 0.2, 1.0]))
def test_classes_are_summed_up_for_the_nodes_that_are_counted(table: list[Any], k: int, share: float) -> None:
    acceptance = Acceptance(problem(table, ic.KAnonymity(k), int(share * len(table))))
    small, counted, sums = acceptance.count_sizes(np.array(NODES[::-1]), acceptance.rollup.start)
    sizes = [acceptance.rollup.to(levels).counts for levels in NODES[::-1]]
    plain = [SizeSums.of(one, k) for one, known in zip(sizes, counted, strict=True) if known]
    assert np.array_equal(np.array(sums), np.concatenate(plain, axis=1))
    assert np.array_equal(small[counted], sums.small)
    assert (small[~counted] > acceptance.limit).all()


def test_promises_that_the_loop_cannot_judge_are_left_to_their_judges() -> None:
    rows = [{"age": "20", "sex": "f", "town": "ulm", "disease": one} for one in "ab"]
    for model in (ic.LDiversity(2, kind="entropy"), ic.TCloseness(0.3, distance="kl"), ic.BetaLikeness(1)):
        assert not Acceptance(problem(rows, model)).counts_at_once
    assert not Acceptance(
        problem(rows, ic.TCloseness(Fraction(1, 2**61)))
    ).counts_at_once  # products would not be exact
    assert not Acceptance(problem(rows, ic.KAnonymity(2) & ic.LDiversity(2), policy="small_only")).counts_at_once


@settings(max_examples=20)
@given(
    table=st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 30), st.integers(0, 9)), min_size=1, max_size=60),
    levels=st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 1)),
)
def test_rolling_up_merges_the_same_cells(table: list[Any], levels: tuple[int, ...]) -> None:
    roles = ic.Schema(quasi={"a": ic.intervals(10, 100), "b": ic.intervals(5), "c": ic.flat()}, sensitive=["s"])
    census = ic.census([{"a": a, "b": b, "c": c % 4, "s": c} for a, b, c in table], roles)
    target = [min(one, census.ladders[name].height) for one, name in zip(levels, census.quasi, strict=True)]
    fast = Rollup(census, ["s"]).to(target)
    with pytest.MonkeyPatch.context() as patch:
        plainly(patch)
        plain = Rollup(census, ["s"]).to(target)
    order = np.argsort(fast.words[0])
    assert fast.words[0][order].tolist() == plain.words[0].tolist()
    assert fast.counts[order].tolist() == plain.counts.tolist()


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


def test_tables_that_neighbours_share_change_nothing() -> None:
    asked = wide()
    acceptance = Acceptance(asked)
    nodes = np.array([(0, 0, 0, 0), (1, 0, 1, 1), (0, 1, 0, 2), (1, 1, 1, 3), (2, 2, 1, 1), (0, 0, 0, 3), (1, 2, 0, 2)])
    (small, _) = acceptance.count(nodes, acceptance.rollup.start, exact=True)
    sizes = [asked.census.classes(node).size for node in nodes.tolist()]
    assert small == [int(size[size < 4].sum()) for size in sizes]
    small, _ = acceptance.count(nodes, acceptance.rollup.start, exact=True)  # the room it counts in is empty again
    assert small == [int(size[size < 4].sum()) for size in sizes]


@settings(max_examples=50)
@given(
    shape=st.lists(st.integers(1, 4), min_size=1, max_size=5),
    tested=st.lists(st.tuples(st.lists(st.integers(0, 6), min_size=5, max_size=5), st.integers(0, 9)), max_size=6),
)
def test_what_a_node_leaves_out_all_nodes_below_it_do(shape: list[int], tested: Any) -> None:
    tops = [[level - 1 for level in levels[: len(shape)]] for levels, _ in tested]
    bounds = np.zeros(int(np.prod(shape)), dtype=np.int64)
    raise_below(
        bounds,
        np.array(shape),
        np.array(tops, dtype=np.int64).reshape(len(tops), len(shape)),
        np.array([bound for _, bound in tested], dtype=np.int64),
    )
    for number, node in enumerate(np.ndindex(*shape)):
        above = [bound for top, (_, bound) in zip(tops, tested, strict=True) if all(map(int.__le__, node, top))]
        assert bounds[number] == max(above, default=0)


@settings(max_examples=30)
@given(table=tables, k=st.integers(1, 4))
def test_a_node_publishes_the_same_either_way(table: list[Any], k: int) -> None:
    asked = problem(table, ic.KAnonymity(k), len(table))
    for levels in NODES[::7]:
        acceptance = Acceptance(asked)
        cells = acceptance.rollup.to(levels)
        fast = acceptance.published(cells, acceptance.test(cells))
        acceptance.rollup.warm = False
        plain = acceptance.published(cells, acceptance.test(cells))
        assert [kept.tolist() for kept in fast.kept] == [kept.tolist() for kept in plain.kept]


@pytest.mark.parametrize("measure", ["loss", "height", "discernibility", "aecs"])
@pytest.mark.parametrize("share", [0.0, 0.05, 1.0])
def test_the_optimum_is_the_same_to_the_last_bit(measure: str, share: float) -> None:
    asked = wide()
    asked = Problem(asked.census, asked.schema, asked.model, int(share * asked.census.records))
    fast = Optimal(measure).search(asked).best
    with pytest.MonkeyPatch.context() as patch:
        plainly(patch)
        plain = Optimal(measure).search(asked).best
        patch.setattr(_boxes, "BOX", 8)
        assert Optimal(measure).search(asked).best == plain
    assert fast == plain


def test_a_sweep_learns_from_tested_nodes_either_way() -> None:
    asked = wide(300)
    rollup = Rollup(asked.census, [])
    sweeps = []
    for rollup.warm in (True, False):
        sweep = Sweep(_Nobody(), rollup, (1, 0, 0, 0), (2, 2, 1, 3))
        sweep.learn(np.array([(2, 1, 1, 2), (1, 2, 0, 3), (0, 2, 1, 3)], dtype=np.int16), [5, 7, 9])
        sweeps.append(sweep.unvisited()[1].tolist())
    assert sweeps[0] == sweeps[1]
    assert set(sweeps[0]) == {0, 5, 7}


class _Nobody(Visitor):
    """Wants nothing."""

    def wanted(self, nodes: Any, bounds: Any) -> Any:
        return nodes[len(bounds) :]

    def visit(self, *_: Any) -> list[int]:
        return []
