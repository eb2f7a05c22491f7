"""``Incognito``: all nodes that keep the promise, found subset by subset of the quasi-identifiers."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from incrowd.measures import Measure
from incrowd.search._problem import Bools, Counts, Ints, OnProgress, Outcome, Problem
from incrowd.search.lattice._acceptance import Acceptance
from incrowd.search.lattice._bounds import best_node
from incrowd.search.lattice._rollup import Rolled
from incrowd.search.lattice._sweep import NOT_MONOTONE, acceptable_nodes, minimal_nodes, refuse_large

Columns = tuple[int, ...]
FEW = 32  # so many nodes are counted from the same cells


@dataclass(frozen=True, slots=True, eq=False)
class Iteration:
    """What Incognito did with one subset of the quasi-identifiers.

    Nodes are rows of levels: ``tested`` ones were counted, ``marked`` ones are acceptable because one below them is,
    ``pruned`` ones are out because a smaller subset is.
    """

    columns: tuple[str, ...]
    tested: Ints
    suppressed: Counts
    acceptable: Bools
    marked: Ints
    pruned: Ints

    @property
    def survivors(self) -> Ints:
        """The acceptable nodes, tested or marked, in the order of their levels."""
        rows = np.concatenate([self.tested[self.acceptable], self.marked])
        return rows[np.lexsort(rows.T[::-1])]


@dataclass(frozen=True)
class Incognito:
    """All nodes that keep the promise within the suppression limit, and the best of the minimal ones.

    Parameters
    ----------
    measure
        Which of the minimal nodes is taken: the one with the smallest measure.

    Notes
    -----
    Needs a promise that generalizing cannot break: upward closed, or union closed where nothing is left out. For others
    every node is tested instead, and the outcome says so.

    References
    ----------
    K. LeFevre, D. J. DeWitt, R. Ramakrishnan. *Incognito: efficient full-domain k-anonymity.* SIGMOD 2005.
    """

    local: ClassVar[bool] = False
    measure: str | Measure = "loss"

    def __post_init__(self) -> None:
        Measure.of(self.measure)

    def search(self, problem: Problem, progress: OnProgress | None = None) -> Outcome:
        """Find all acceptable nodes."""
        refuse_large(problem)
        acceptance = Acceptance(problem)
        notes: tuple[str, ...] = ()
        trace: tuple[Iteration, ...] = ()
        if acceptance.monotone:
            search = _Search(problem, acceptance)
            nodes, trace = search.run(), tuple(search.trace)
            checked = sum(len(step.tested) for step in trace)
        else:
            nodes, checked = acceptable_nodes(problem, acceptance), problem.nodes
            notes = (NOT_MONOTONE,)
        minimal = minimal_nodes(nodes)
        best = best_node(problem, acceptance, minimal, self.measure)
        if best is None and problem.limit >= problem.census.records:  # the minimal ones publish nothing
            best = best_node(problem, acceptance, nodes, self.measure)
        return Outcome(
            best=best,
            proof="all minimal nodes",
            lower_bound=0.0,
            checked=checked,
            nodes=problem.nodes,
            notes=notes,
            acceptable=nodes,
            minimal=minimal,
            trace=trace,
        )


class _Search:
    def __init__(self, problem: Problem, acceptance: Acceptance) -> None:
        self._problem, self._acceptance = problem, acceptance
        self._lows, self._highs = problem.lows, problem.highs
        self._tops = [problem.census.ladders[name].height for name in problem.census.quasi]
        sizes = [len(problem.census.domains[name]) for name in problem.census.quasi]
        self._order = sorted(range(len(sizes)), key=lambda column: -sizes[column])
        self._alive: dict[Columns, Bools] = {}
        self.trace: list[Iteration] = []

    def run(self) -> Ints:
        """Go through all subsets, small ones first; give the acceptable nodes of all columns."""
        columns = range(len(self._lows))
        for size in range(1, len(self._lows) + 1):
            for subset in itertools.combinations(columns, size):
                self._alive[subset] = self._search_subset(subset)
        nodes: Ints = np.argwhere(self._alive[tuple(columns)]) + np.array(self._lows)
        return nodes

    def _search_subset(self, subset: Columns) -> Bools:
        candidates = self._candidates(subset)
        good, left_out = np.zeros_like(candidates), np.full(candidates.shape, -1, dtype=np.int64)
        nodes = np.argwhere(candidates)
        order = np.argsort(nodes.sum(axis=1), kind="stable")
        nodes, places = nodes[order], np.flatnonzero(candidates)[order]
        waiting, heights = np.arange(len(nodes)), nodes.sum(axis=1)
        cells: Rolled | None = None
        while len(waiting):
            lowest = waiting[heights[waiting] == heights[waiting[0]]]
            rows, least = nodes[lowest], nodes[waiting].min(axis=0)
            cells = self._acceptance.rollup.to(self._levels(subset, least).tolist(), cells)
            counted = np.zeros(len(rows), dtype=np.int64)
            self._count_left_out(self._levels(subset, rows), np.arange(len(rows)), cells, counted)
            left_out.reshape(-1)[places[lowest]] = counted
            for row in rows[counted <= self._acceptance.limit].tolist():
                good[tuple(slice(level, None) for level in row)] = True
            waiting = waiting[len(lowest) :]
            waiting = waiting[~good.reshape(-1)[places[waiting]]]
        good &= candidates  # above an acceptable node every candidate is: smaller subsets see to that
        self._add_to_trace(subset, candidates, good, left_out)
        return good

    def _candidates(self, subset: Columns) -> Bools:
        """Keep the nodes whose part on every smaller subset is acceptable."""
        shape = [self._highs[column] - self._lows[column] + 1 for column in subset]
        result = np.ones(shape, dtype=bool)
        if len(subset) > 1:
            for axis in range(len(subset)):
                result &= np.expand_dims(self._alive[subset[:axis] + subset[axis + 1 :]], axis)
        return result

    def _levels(self, subset: Columns, nodes: Ints) -> Ints:
        """Give the levels of all columns: those of the subset as the nodes say, all others at their tops."""
        levels = np.broadcast_to(np.array(self._tops), (*nodes.shape[:-1], len(self._tops))).copy()
        levels[..., list(subset)] = nodes + np.array([self._lows[column] for column in subset])
        return levels

    def _count_left_out(
        self, nodes: Ints, places: npt.NDArray[np.intp], cells: Rolled, counted: Ints, depth: int = 0
    ) -> None:
        """Say what nodes leave out; many are parted by the level of a column, and rolled up to what they share."""
        acceptance = self._acceptance
        if len(places) > FEW and depth < len(self._order):
            level = nodes[places, self._order[depth]]
            for one in np.unique(level).tolist():
                part = places[level == one]
                shared = acceptance.rollup.to(nodes[part].min(axis=0).tolist(), cells)
                self._count_left_out(nodes, part, shared, counted, depth + 1)
        elif acceptance.counts_at_once:
            counted[places] = np.maximum(*acceptance.count(nodes[places], cells, exact=True))
        else:
            rolled = (acceptance.rollup.to(node, cells) for node in nodes[places].tolist())
            results = [acceptance.test(one, exact=True) for one in rolled]
            counted[places] = [one.suppressed if one.acceptable else max(one.suppressed, one.bound) for one in results]

    def _add_to_trace(self, subset: Columns, candidates: Bools, good: Bools, left_out: Counts) -> None:
        lows = np.array([self._lows[column] for column in subset])
        tested = left_out >= 0
        self.trace.append(
            Iteration(
                columns=tuple(self._problem.census.quasi[column] for column in subset),
                tested=np.argwhere(tested) + lows,
                suppressed=left_out[tested],
                acceptable=good[tested],
                marked=np.argwhere(good & ~tested) + lows,
                pruned=np.argwhere(~candidates) + lows,
            )
        )
