"""Visiting the nodes of a box of the lattice, each rolled up from those before it.

Nodes are visited depth first, axis by axis, levels descending. So every node is met after all nodes above it, and what
was found there bounds it: classes only merge on the way up. The walk is a nested roll-up too: each step of it holds the
classes at the lowest levels that the nodes beyond it still need.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from incrowd.core import ParameterError
from incrowd.measures import Measure, read_measure
from incrowd.search._problem import Node, Problem
from incrowd.search.lattice._acceptance import Acceptance, Tested
from incrowd.search.lattice._rollup import Rolled, Rollup

MANY = 1 << 15
"""More cells than this are dear to roll up."""

JOIN_TO = 16
"""More nodes than this have too little in common for one node above all of them, unless there are many cells."""

Levels = tuple[int, ...]
Nodes = npt.NDArray[np.int64]
Rows = npt.NDArray[np.integer]
Worth = Callable[[Levels, int, Rolled], bool]


class Visitor(Protocol):
    """Whoever wants to see nodes. Nodes are numbered within a box; levels count from the lowest of every axis."""

    join_from: int
    """From so many nodes on, the least node above all of them is visited first; it may be visited again later."""

    def few(self, cells: Rolled) -> int:
        """Say how many nodes are best visited from these cells, instead of rolling up to what they have in common."""

    def begin(self, levels: npt.NDArray[np.int16]) -> None:
        """Enter a box; ``levels`` has one row per axis, one column per node."""

    def wanted(self, nodes: Nodes, bounds: Nodes) -> Nodes:
        """Give the nodes that are still of interest, given the bounds that they inherited."""

    def hopeful(self, cells: Rolled) -> bool:
        """Say whether nodes at or above these cells may be of interest."""

    def visit(self, nodes: Rows, cells: Rolled) -> Sequence[int]:
        """Look at nodes, given cells at or below all of them, and bound each of them and all nodes below it.

        Nodes stand in descending order. Those below another one that turns out to rule them out may be passed over.
        """

    def columns(self, nodes: Rows) -> Rows:
        """Give the level of every column for levels by axis; nodes are rows."""


class Sweep:
    """Visits the nodes of a box that are of interest.

    ``worth`` says whether a node above others is worth asking first, given its levels, its bound and the cells that it
    would be counted from; always by default.
    """

    def __init__(
        self, visitor: Visitor, rollup: Rollup, lows: Levels, highs: Levels, worth: Worth | None = None
    ) -> None:
        self._visitor, self._rollup, self._lows, self._worth = visitor, rollup, lows, worth
        shape = tuple(high - low + 1 for low, high in zip(lows, highs, strict=True))
        self._bounds = np.zeros(shape, dtype=np.int64)
        self._flat = self._bounds.reshape(-1)
        self._shape = np.array(shape)
        indices = np.indices(shape, dtype=np.int16).reshape(len(shape), -1)
        self._least = np.array(lows, dtype=np.int16)
        self.levels = indices + self._least[:, None]
        self._rows = np.ascontiguousarray(self.levels.T)
        self._news = 0  # how often something new was learned
        self._open = np.ones(len(self._flat), dtype=bool)
        visitor.begin(self.levels)

    def run(self, first: Sequence[int] | None = None) -> None:
        """Visit the nodes; those at or above ``first`` before all others."""
        nodes = self._keep(np.arange(len(self._flat))[::-1])
        if first is not None:
            above = (self._rows[nodes] >= np.array(first)).all(axis=1)
            self._start(self._keep(nodes[above]))
            nodes = self._keep(nodes[~above])
        self._start(nodes)

    def left(self) -> tuple[Nodes, Nodes]:
        """Give the nodes that were not visited, and their bounds."""
        nodes = np.flatnonzero(self._open)
        return nodes, self._flat[nodes]

    def start(self, bounds: npt.NDArray[np.int64]) -> None:
        """Take over bounds that are known for every node."""
        np.maximum(self._flat, bounds, out=self._flat)

    def know(self, node: Sequence[int], bound: int) -> None:
        """Take note of a bound of a node: it bounds all nodes below it too."""
        below = self._bounds[
            tuple(slice(0, max(level - low + 1, 0)) for level, low in zip(node, self._lows, strict=True))
        ]
        np.maximum(below, bound, out=below)
        self._news += 1

    def _learn(self, rows: Rows, bounds: Sequence[int]) -> None:
        """Take note of the bounds of several nodes."""
        if not self._rollup.warm:
            for row, bound in zip(rows.tolist(), bounds, strict=True):
                self.know(row, bound)
            return
        from incrowd.search.lattice._node_kernels import raise_below  # noqa: PLC0415 - numba is loaded only when it pays

        tops = np.ascontiguousarray(rows - self._least, dtype=np.int64)  # the one kind that the loop is compiled for
        raise_below(self._flat, self._shape, tops, np.array(bounds, dtype=np.int64))
        self._news += 1

    def _start(self, nodes: Nodes) -> None:
        """Roll the table up to what all nodes have in common, and go on from there."""
        if len(nodes):
            self._walk(0, self._rollup.to(self._common(nodes)), nodes)

    def _common(self, nodes: Nodes) -> Levels:
        return tuple(self._visitor.columns(self._rows[nodes].min(axis=0)).tolist())

    def _walk(self, axis: int, cells: Rolled, nodes: Nodes) -> None:
        """Go through the levels of an axis, descending; all nodes have the same levels on the axes before."""
        cuts = (np.flatnonzero(np.diff(self.levels[axis][nodes])) + 1).tolist()
        known = self._news  # nodes were kept with what was known then
        for begin, end in zip([0, *cuts], [*cuts, len(nodes)], strict=True):
            part = nodes[begin:end]
            inside = self._join(part if known == self._news else self._keep(part), cells)
            if len(inside) > self._visitor.few(cells):
                rolled = self._rollup.to(self._common(inside), cells)
                if self._visitor.hopeful(rolled):
                    self._walk(axis + 1, rolled, inside)
            elif len(inside):
                self._look(inside, cells)

    def _join(self, nodes: Nodes, cells: Rolled) -> Nodes:
        """Ask the least node above all of these first: what it leaves out, each of them does."""
        if len(nodes) < self._visitor.join_from or (len(nodes) > JOIN_TO and len(cells) <= MANY):
            return nodes
        top = self._rows[nodes].max(axis=0)
        if (top == self._rows[nodes[0]]).all() or not self._joins(top, cells):
            return nodes
        (bound,) = self._visitor.visit(top[None, :], cells)
        self._learn(top[None, :], [bound])
        return self._keep(nodes)

    def _joins(self, top: Rows, cells: Rolled) -> bool:
        """Whether a node may leave out so much that it closes nodes below: what it inherited tells."""
        inherited = int(self._bounds[tuple((top - self._least).tolist())])
        return self._worth is None or self._worth(tuple(top.tolist()), inherited, cells)

    def _look(self, nodes: Nodes, cells: Rolled) -> None:
        rows = self._rows[nodes]
        self._learn(rows, self._visitor.visit(rows, cells))
        self._open[nodes] = False

    def _keep(self, nodes: Nodes) -> Nodes:
        return self._visitor.wanted(nodes, self._flat[nodes]) if len(nodes) else nodes


# Every node of a lattice, for promises that nothing can be inferred about, and for whoever wants to see them all.

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

    def few(self, cells: Rolled) -> int:
        """Visit one node at a time."""
        return 1

    def begin(self, levels: npt.NDArray[np.int16]) -> None:
        """Enter the lattice."""

    def wanted(self, nodes: Nodes, bounds: Nodes) -> Nodes:
        """Give the nodes that do not leave out too much."""
        return nodes[bounds <= self._acceptance.limit]

    def hopeful(self, cells: Rolled) -> bool:
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
