"""Every node of a lattice, for promises that nothing can be inferred about, and for whoever wants to see them all."""

from __future__ import annotations

import sys

import numpy as np
import numpy.typing as npt

from incrowd.algorithms._acceptance import Acceptance, Tested
from incrowd.algorithms._outcome import Node
from incrowd.algorithms._problem import Problem
from incrowd.algorithms._rollup import Rolled
from incrowd.algorithms._sweep import Levels, Nodes, Rows, Sweep
from incrowd.core import ParameterError
from incrowd.measures import Measure, read_measure

NOT_MONOTONE = "generalizing can break this promise where records are left out, so every node was looked at."

MOST = 4_000_000
"""A lattice with more nodes is not looked at node by node."""


def need_small(problem: Problem) -> None:
    """Refuse a lattice that nobody can look at node by node."""
    if problem.nodes > MOST:
        msg = f"The lattice has {problem.nodes:,} nodes; looking at all of them stops at {MOST:,}."
        raise ParameterError(msg, hint="use Optimal, which needs no list of nodes, or set at_least and at_most.")


class Everything:
    """Visits every node that may be acceptable; ``found`` is called with those that are."""

    join_from = sys.maxsize

    def __init__(self, problem: Problem, acceptance: Acceptance) -> None:
        need_small(problem)
        self._acceptance = acceptance
        self._sweep = Sweep(self, acceptance.rollup, problem.lows, problem.highs)

    def run(self) -> None:
        """Visit the nodes."""
        self._sweep.run()

    def found(self, cells: Rolled, tested: Tested) -> None:
        """Look at an acceptable node."""

    def few(self, cells: Rolled) -> int:  # noqa: ARG002
        """Visit one node at a time."""
        return 1

    def begin(self, levels: npt.NDArray[np.int16]) -> None:
        """Enter the lattice."""

    def wanted(self, nodes: Nodes, bounds: Nodes) -> Nodes:
        """Give the nodes that do not leave out too much."""
        return nodes[bounds <= self._acceptance.limit]

    def hopeful(self, cells: Rolled) -> bool:  # noqa: ARG002
        """Hope for every node."""
        return True

    def columns(self, nodes: Rows) -> Rows:
        """Give the level of every column."""
        return nodes

    def visit(self, nodes: Rows, cells: Rolled) -> list[int]:
        """Test nodes."""
        return [self._test(node, cells) for node in nodes.tolist()]

    def _test(self, node: list[int], cells: Rolled) -> int:
        rolled = self._acceptance.rollup.to(node, cells)
        tested = self._acceptance.test(rolled)
        if tested.acceptable:
            self.found(rolled, tested)
        return tested.bound


class _Collect(Everything):
    def __init__(self, problem: Problem, acceptance: Acceptance, *, empty: bool) -> None:
        super().__init__(problem, acceptance)
        self._empty = empty
        self.nodes: list[Levels] = []

    def found(self, cells: Rolled, tested: Tested) -> None:
        if tested.classes or self._empty:
            self.nodes.append(cells.levels)


def acceptable_nodes(problem: Problem, acceptance: Acceptance, *, empty: bool = True) -> Rows:
    """Give the levels of all acceptable nodes, one row each, in order, with or without those that publish nothing."""
    collect = _Collect(problem, acceptance, empty=empty)
    collect.run()
    return np.array(sorted(collect.nodes), dtype=np.int64).reshape(len(collect.nodes), len(problem.lows))


def minimal_nodes(nodes: Rows) -> Rows:
    """Give the nodes below which there is no other one of them."""
    order = np.argsort(nodes.sum(axis=1), kind="stable")
    result: list[int] = []
    for place in order.tolist():
        if not (nodes[result] <= nodes[place]).all(axis=1).any():
            result.append(place)
    return nodes[sorted(result)]


def best_of(problem: Problem, acceptance: Acceptance, nodes: Rows, measure: str | Measure) -> Node | None:
    """Give the node with the smallest measure that publishes something.

    Of equal ones it is the lowest, then the first in the order of the levels.
    """
    objective = read_measure(measure).bind(problem.census, problem.importance, problem.balance)
    best: tuple[float, int, tuple[int, ...]] | None = None
    result = None
    for row in nodes.tolist():
        cells = acceptance.rollup.to(row)
        tested = acceptance.test(cells)
        if not tested.classes:  # nothing is no release
            continue
        rank = objective.score(acceptance.published(cells, tested)), sum(row), tuple(row)
        if best is None or rank < best:
            best = rank
            levels = dict(zip(problem.census.quasi, row, strict=True))
            result = Node(levels, tested.suppressed, tested.classes, rank[0])
    return result
