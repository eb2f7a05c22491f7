"""``Sweep``: visiting the nodes of a box, each rolled up from those before, and bounds handed down to nodes below.

Nodes are visited depth first, axis by axis, levels descending. So every node is met after all nodes above it, and what
was found there bounds it: classes only merge on the way up. The walk is a nested roll-up too: each step of it holds the
classes at the lowest levels that the nodes beyond it still need.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from incrowd.core import ParameterError
from incrowd.search._problem import Counts, Ints, Problem
from incrowd.search.lattice._acceptance import Acceptance, Tested
from incrowd.search.lattice._rollup import Levels, Rolled, Rollup, node_loops

MANY = 1 << 15  # more cells than this are dear to roll up
JOIN_TO = 16
"""More nodes than this have too little in common for one node above all of them, unless there are many cells."""
MOST = 4_000_000  # a lattice with more nodes is not looked at node by node
NOT_MONOTONE = "generalizing can break this promise where records are left out, so every node was looked at."


class Visitor(ABC):
    """Whoever wants to see nodes. Nodes are numbered within a box; levels count from the lowest of every axis."""

    join_from = sys.maxsize
    """From so many nodes on, the least node above all of them is visited first; it may be visited again later."""

    def direct_visit_limit(self, cells: Rolled) -> int:
        """Say how many nodes are best visited from these cells, instead of rolling up to what they have in common."""
        return 1

    def is_worth(self, node: Levels, bound: int, cells: Rolled) -> bool:
        """Say whether a node above others is worth asking first, from its bound and the cells to count it from."""
        return True

    def begin(self, levels: npt.NDArray[np.int16]) -> None:  # noqa: B027 - there may be nothing to do
        """Enter a box; ``levels`` has one row per axis, one column per node."""

    @abstractmethod
    def wanted(self, nodes: Counts, bounds: Counts) -> Counts:
        """Give the nodes that are still of interest, given the bounds that they inherited."""

    def wanted_above(self, cells: Rolled, nodes: Counts, bounds: Counts) -> Counts:
        """Give the nodes that are still of interest, given cells at or below all of them."""
        return nodes

    @abstractmethod
    def visit(self, nodes: Ints, cells: Rolled) -> Sequence[int]:
        """Look at nodes, given cells at or below all of them, and bound each of them and all nodes below it.

        Nodes stand in descending order. Those below another one that turns out to rule them out may be passed over.
        """

    def node_levels(self, nodes: Ints) -> Ints:
        """Give the level of every column for levels by axis; nodes are rows."""
        return nodes


class BoxBounds:
    """A number per node of a box, which holds for all nodes below it too, or for all above it: the largest known."""

    def __init__(self, lows: Sequence[int], highs: Sequence[int], *, warm: bool, upward: bool = False) -> None:
        self._ends = np.array(highs if upward else lows, dtype=np.int64)  # from where a node reaches
        self._sign = -1 if upward else 1
        self._shape = np.array([high - low + 1 for low, high in zip(lows, highs, strict=True)], dtype=np.int64)
        self._raised, self._warm = np.zeros(tuple(self._shape), dtype=np.int64), warm
        self._strides = np.array(self._raised.strides, dtype=np.int64) // self._raised.itemsize
        self.flat = self._raised.reshape(-1)[:: self._sign]

    def at(self, levels: Ints) -> Counts:
        """Give the numbers of nodes, one row per axis; 0 outside of the box."""
        steps = (levels.T - self._ends) * self._sign
        inside = ((steps >= 0) & (steps < self._shape)).all(axis=1)
        return np.where(inside, self._raised.reshape(-1)[np.where(inside, steps @ self._strides, 0)], 0)

    def raise_from(self, rows: Ints, numbers: Counts) -> None:
        """Take note of the numbers of nodes, which are rows of levels."""
        tops = np.ascontiguousarray((rows - self._ends) * self._sign, dtype=np.int64)
        if self._warm:
            node_loops().raise_below(self._raised.reshape(-1), self._shape, tops, numbers)
            return
        for top, number in zip(tops.tolist(), numbers.tolist(), strict=True):
            reached = self._raised[tuple(slice(0, max(level + 1, 0)) for level in top)]
            np.maximum(reached, number, out=reached)


class Sweep:
    """Visits the nodes of a box that are of interest."""

    def __init__(self, visitor: Visitor, rollup: Rollup, lows: Levels, highs: Levels) -> None:
        self._visitor, self._rollup, self._lows = visitor, rollup, lows
        shape = tuple(high - low + 1 for low, high in zip(lows, highs, strict=True))
        self._bounds = BoxBounds(lows, highs, warm=rollup.warm)
        self._flat = self._bounds.flat
        indices = np.indices(shape, dtype=np.int16).reshape(len(shape), -1)
        self._least = np.array(lows, dtype=np.int16)
        self.levels = indices + self._least[:, None]
        self._rows = np.ascontiguousarray(self.levels.T)
        self._news = 0  # how often something new was learned
        self._open = np.ones(len(self._flat), dtype=bool)
        visitor.begin(self.levels)

    def run(self, first: Sequence[int] | None = None) -> None:
        """Visit the nodes; those at or above ``first`` before all others."""
        nodes = self._wanted(np.arange(len(self._flat))[::-1])
        if first is not None:
            above = (self._rows[nodes] >= np.array(first)).all(axis=1)
            self._walk_from_table(self._wanted(nodes[above]))
            nodes = self._wanted(nodes[~above])
        self._walk_from_table(nodes)

    def unvisited(self) -> tuple[Counts, Counts]:
        nodes = np.flatnonzero(self._open)
        return nodes, self._flat[nodes]

    def raise_all(self, bounds: Counts) -> None:
        """Take over bounds that are known for every node."""
        np.maximum(self._flat, bounds, out=self._flat)

    def learn(self, rows: Ints, bounds: Sequence[int]) -> None:
        """Take note of the bounds of nodes: they bound all nodes below too."""
        self._bounds.raise_from(rows, np.array(bounds, dtype=np.int64))
        self._news += 1

    def _walk_from_table(self, nodes: Counts) -> None:
        """Roll the table up to what all nodes have in common, and go on from there."""
        if len(nodes):
            self._walk(0, self._rollup.to(self._common_levels(nodes)), nodes)

    def _common_levels(self, nodes: Counts) -> Levels:
        return tuple(self._visitor.node_levels(self._rows[nodes].min(axis=0)).tolist())

    def _walk(self, axis: int, cells: Rolled, nodes: Counts) -> None:
        """Go through the levels of an axis, descending; all nodes have the same levels on the axes before."""
        cuts = (np.flatnonzero(np.diff(self.levels[axis][nodes])) + 1).tolist()
        known = self._news  # nodes were kept with what was known then
        for begin, end in zip([0, *cuts], [*cuts, len(nodes)], strict=True):
            part = nodes[begin:end]
            inside = self._ask_above(part if known == self._news else self._wanted(part), cells)
            if len(inside) > self._visitor.direct_visit_limit(cells):
                rolled = self._rollup.to(self._common_levels(inside), cells)
                inside = self._visitor.wanted_above(rolled, inside, self._flat[inside])
                if len(inside):
                    self._walk(axis + 1, rolled, inside)
            elif len(inside):
                rows = self._rows[inside]
                self.learn(rows, self._visitor.visit(rows, cells))
                self._open[inside] = False

    def _ask_above(self, nodes: Counts, cells: Rolled) -> Counts:
        """Ask the least node above all of these first: what it leaves out, each of them does."""
        if len(nodes) < self._visitor.join_from or (len(nodes) > JOIN_TO and len(cells) <= MANY):
            return nodes
        top = self._rows[nodes].max(axis=0)
        if (top == self._rows[nodes[0]]).all():
            return nodes
        inherited = int(self._bounds.at(top[:, None])[0])
        if not self._visitor.is_worth(tuple(top.tolist()), inherited, cells):
            return nodes
        (bound,) = self._visitor.visit(top[None, :], cells)
        self.learn(top[None, :], [bound])
        return self._wanted(nodes)

    def _wanted(self, nodes: Counts) -> Counts:
        return self._visitor.wanted(nodes, self._flat[nodes]) if len(nodes) else nodes


# Every node of a lattice, for promises that nothing can be inferred about, and for whoever wants to see them all.


def refuse_large(problem: Problem) -> None:
    """Refuse a lattice that nobody can look at node by node."""
    if problem.nodes > MOST:
        msg = f"The lattice has {problem.nodes:,} nodes; looking at all of them stops at {MOST:,}."
        raise ParameterError(msg, hint="use Optimal, which needs no list of nodes, or set at_least and at_most.")


class _Everything(Visitor):
    def __init__(self, acceptance: Acceptance, found: Callable[[Rolled, Tested], object]) -> None:
        self._acceptance, self._found = acceptance, found

    def wanted(self, nodes: Counts, bounds: Counts) -> Counts:
        return nodes[bounds <= self._acceptance.limit]

    def visit(self, nodes: Ints, cells: Rolled) -> list[int]:
        bounds = []
        for node in nodes.tolist():
            rolled = self._acceptance.rollup.to(node, cells)
            tested = self._acceptance.test(rolled)
            if tested.acceptable:
                self._found(rolled, tested)
            bounds.append(tested.bound)
        return bounds


def visit_acceptable(problem: Problem, acceptance: Acceptance, found: Callable[[Rolled, Tested], object]) -> None:
    """Visit every node that may be acceptable; ``found`` is called with those that are."""
    refuse_large(problem)
    Sweep(_Everything(acceptance, found), acceptance.rollup, problem.lows, problem.highs).run()


def acceptable_nodes(problem: Problem, acceptance: Acceptance, *, empty: bool = True) -> Ints:
    """Give the levels of all acceptable nodes, one row each, in order, with or without those that publish nothing."""
    nodes: list[Levels] = []

    def found(cells: Rolled, tested: Tested) -> None:
        if tested.classes or empty:
            nodes.append(cells.levels)

    visit_acceptable(problem, acceptance, found)
    return np.array(sorted(nodes), dtype=np.int64).reshape(len(nodes), len(problem.lows))


def minimal_nodes(nodes: Ints) -> Ints:
    """Give the nodes below which there is no other one of them."""
    if not len(nodes):
        return nodes
    low = nodes.min(axis=0)
    known = np.zeros(nodes.max(axis=0) - low + 1, dtype=bool)
    known[tuple((nodes - low).T)] = True
    below = np.zeros_like(known)
    for axis in range(known.ndim):  # one step above one of them, then anywhere above that
        one_above = np.moveaxis(below, axis, 0)[1:]
        one_above |= np.moveaxis(known, axis, 0)[:-1]
    for axis in range(known.ndim):
        below = np.logical_or.accumulate(below, axis=axis)
    found: Ints = nodes[~below[tuple((nodes - low).T)]]
    return found
