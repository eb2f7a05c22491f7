"""``Optimal``: the best node of a lattice under a measure by branch and bound, and the proof that none is better."""

from __future__ import annotations

import heapq
import itertools
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from incrowd.core import ParameterError
from incrowd.measures import ClassObjective, Loss, Measure, Objective
from incrowd.search._problem import NEUTRAL, Counts, Ints, Node, OnProgress, Outcome, Problem, Progress
from incrowd.search.lattice._acceptance import Acceptance, Tested
from incrowd.search.lattice._bounds import Bounds, ClassBounds
from incrowd.search.lattice._rollup import Levels, Rolled
from incrowd.search.lattice._sweep import MANY, Sweep, Visitor

BOX = 1 << 18  # a box of so many nodes, or fewer, is swept with arrays over its nodes
FEW = 10  # so many nodes are counted at once, if there are not too many cells
JOIN_FROM = 32  # a node above others is asked first if it is known to leave out this part of what the best does
COARSE = 1 << 17  # from so many cells on the coarser nodes are searched first, for a good start
WAITING, LAST = 200_000, 1_000
"""So many boxes wait at most for their turn, and so many tested nodes are asked about a box."""
NEAR = 1e-11  # sums of parts that differ by less may round to the same score
UNKNOWN = -1  # the number of classes of a node that were not counted yet
EVERY = 0.2  # seconds between two calls of the progress function


@dataclass(order=True, slots=True)
class Box:
    """A part of the lattice that waits for its turn, as levels above the lowest of every axis, by its lower bound."""

    bound: float
    number: int
    lows: Levels = field(compare=False)
    highs: Levels = field(compare=False)

    @property
    def size(self) -> int:
        return math.prod(high - low + 1 for low, high in zip(self.lows, self.highs, strict=True))

    def halves(self) -> list[tuple[Levels, Levels]]:
        """Split along the axis that has most levels left."""
        axis = max(range(len(self.lows)), key=lambda axis: self.highs[axis] - self.lows[axis])
        middle = (self.lows[axis] + self.highs[axis]) // 2
        upper = (*self.lows[:axis], middle + 1, *self.lows[axis + 1 :]), self.highs
        lower = self.lows, (*self.highs[:axis], middle, *self.highs[axis + 1 :])
        return [upper, lower]


class _Stop(Exception):  # noqa: N818 - no error: the time is over, or the user wants no more
    """Ends the search with what there is."""


class BranchAndBound(Visitor):
    """A search for the best node of a lattice, box by box."""

    join_from = 4

    def __init__(
        self,
        problem: Problem,
        objective: Objective,
        until: float | None = None,
        progress: OnProgress | None = None,
        visits: int | None = None,
    ) -> None:
        self._problem, self._acceptance, self._objective = problem, Acceptance(problem), objective
        self._bounds = self._new_bounds()
        self._until, self._progress, self._called, self._visits = until, progress, time.monotonic(), visits
        self._known: dict[Levels, int] = {}  # what tested nodes leave out at least, levels by axis
        self.best: Node | None = None
        self._shown: tuple[Mapping[str, int] | None, float | None] = None, None  # a node's levels, the detail it keeps
        self._rank: tuple[int, Levels] = (0, ())
        self._better = self._worse = np.inf  # sums of parts that are surely better and surely worse than the best
        self._sweep: Sweep | None = None

    def _new_bounds(self) -> Bounds:
        by_person = self._acceptance.by_person and self._acceptance.limit  # who is left out leaves classes smaller
        if by_person or not isinstance(self._objective, ClassObjective):
            return Bounds(self._problem, self._objective, self._acceptance.rollup)
        largest = self._acceptance.largest_left_out
        return ClassBounds(self._problem, self._objective, self._acceptance.rollup, largest)

    def run(self) -> Outcome:
        """Search until nothing better can be left, or until it has to stop."""
        heights = [high - low for low, high in zip(self._bounds.lows, self._bounds.highs, strict=True)]
        waiting = [Box(-np.inf, 0, tuple(self._bounds.floor), tuple(heights))]
        proof = "optimal"
        try:
            if waiting[0].size > BOX or (self._acceptance.limit and len(self._acceptance.rollup.start) < COARSE):
                self._find_first(waiting[0])
            self._search(waiting)
        except _Stop:
            proof = "best found"
        if self.best is not None and self.best.classes == UNKNOWN:
            tested = self._acceptance.test(self._acceptance.rollup.to(list(self.best.levels.values())))
            self.best = replace(self.best, classes=tested.classes)
        best = np.inf if self.best is None else self.best.score
        left = [box.bound for box in waiting] + [self._unvisited_bound()]
        return Outcome(
            best=self.best,
            proof=proof,
            lower_bound=best if proof == "optimal" else min([best, *left]),
            checked=len(self._known),
            nodes=self._problem.nodes,
        )

    def _search(self, waiting: list[Box]) -> None:
        number = 0
        while waiting:
            self._report()
            box = heapq.heappop(waiting) if len(waiting) < WAITING else waiting.pop()  # depth first: no more memory
            if self.best is not None and box.bound > self.best.score:
                continue
            if box.size <= BOX:
                self._sweep_box(box)
                continue
            try:
                suppressed = self._tested_bound(box.highs)
            except _Stop:  # no more time for the box
                heapq.heappush(waiting, box)
                raise
            if suppressed <= self._acceptance.limit:
                for lows, highs in box.halves():
                    number += 1
                    bound = self._bounds.score(self._bounds.least(np.array(lows)[:, None], np.array([suppressed])))
                    heapq.heappush(waiting, Box(float(bound[0]), number, lows, highs))

    def _sweep_box(self, box: Box) -> None:
        """Sweep a box, with what the nodes tested last say about it."""
        self._bounds.enter(box.lows, box.highs)
        self._sweep = sweep = Sweep(self, self._acceptance.rollup, box.lows, box.highs)
        sweep.raise_all(self._bounds.suppressed_in_box(box.lows, box.highs, sweep.levels))
        last = list(itertools.islice(reversed(self._known), LAST))
        if last:
            sweep.learn(np.array(last), [self._known[node] for node in last])
        cells = len(self._acceptance.rollup.start)
        sweep.run(self._bounds.coarse_node(box.lows, box.highs, cells) if cells >= COARSE else None)
        self._sweep = None

    def _unvisited_bound(self) -> float:
        """Bound the scores of the nodes that an interrupted sweep did not visit."""
        if self._sweep is None:
            return np.inf
        nodes, suppressed = self._sweep.unvisited()
        possible = suppressed <= self._acceptance.limit
        least = self._bounds.least(self._levels[:, nodes[possible]], suppressed[possible])
        return float(self._bounds.score(least).min(initial=np.inf))

    def _find_first(self, box: Box) -> None:
        """Halve a chain of nodes from the top to the bottom, for a first node that is good."""
        chain = self._bounds.chain(box.lows, box.highs)
        low, high = 0, len(chain) - 1
        while low < high:
            middle = (low + high + 1) // 2
            before = self.best
            self._test(chain[middle])
            if self.best is not before:  # acceptable, and better than what is above it
                low = middle
            else:
                high = middle - 1

    def direct_visit_limit(self, cells: Rolled) -> int:
        """Let the compiled loop count several nodes at once, where that is cheap."""
        if len(cells) > MANY or not self._acceptance.counts_at_once:
            return 2
        return 2 * FEW if isinstance(self._bounds, ClassBounds) else FEW  # classes say more than a walk to few nodes

    def is_worth(self, node: Levels, bound: int, cells: Rolled) -> bool:
        """Whether a node may close nodes below: not if it was tested, nor if little is known to be left out there."""
        if node in self._known:
            return False
        return self.best is None or len(cells) > MANY or bound * JOIN_FROM >= self.best.suppressed

    def begin(self, levels: npt.NDArray[np.int16]) -> None:
        self._levels = levels
        self._stale = np.full(levels.shape[1], -np.inf)

    def node_levels(self, nodes: Ints) -> Ints:
        return self._bounds.node_levels(nodes)

    def wanted_above(self, cells: Rolled, nodes: Counts, bounds: Counts) -> Counts:
        """Give the nodes that a measure of classes leaves hope for above these cells."""
        self._report()
        if not isinstance(self._bounds, ClassBounds):
            return nodes
        self._bounds.hand_up_sizes(cells.levels, self._acceptance.sizes(cells))
        return self.wanted(nodes, bounds)

    def wanted(self, nodes: Counts, bounds: Counts) -> Counts:
        """Give the nodes that do not leave out too much, and may be better than the best."""
        if self.best is None:
            return nodes[bounds <= self._acceptance.limit]
        kept = self._bounds.open_nodes(nodes, bounds, self._levels, self._worse, self._stale)
        parts = self._stale[kept]
        near = np.flatnonzero(parts >= self._better).tolist()  # so near that rounding decides
        lost = [place for place in near if not self._is_better(parts[place], self._levels[:, kept[place]].tolist())]
        return np.delete(kept, lost) if lost else kept

    def visit(self, nodes: Ints, cells: Rolled) -> Sequence[int]:
        """Test nodes that were not tested before, and say what they leave out at least."""
        rows = [tuple(row) for row in nodes.tolist()]
        if len(cells) > MANY or not self._acceptance.counts_at_once:
            return self._test_each(rows, cells)
        self._report()
        if isinstance(self._bounds, ClassBounds) and not self._acceptance.rollup.has_tail:
            small, counted, sums = self._acceptance.count_sizes(self.node_levels(nodes), cells)
            self._bounds.hand_up(nodes[counted], sums)
            suppressed = bounds = list(map(int, small))
        else:
            suppressed, bounds = self._acceptance.count(self.node_levels(nodes), cells)
        promising = np.array(suppressed) <= self._acceptance.limit
        if self.best is not None and promising.any():
            promising &= self._bounds.least(nodes.T, np.array(suppressed)) <= self._worse
        for node, left_out, bound, good in zip(rows, suppressed, bounds, promising, strict=True):
            if good and node not in self._known and not (left_out == 0 and self._score_by_bound(node, cells)):
                self._test(node, cells)
            self._known[node] = bound
        return bounds

    def _score_by_bound(self, node: Levels, cells: Rolled) -> bool:
        """Compare a node that leaves nobody out by its bound, if that is its score; its classes are counted later."""
        score = self._bounds.exact_score(np.array(node)) if len(cells) else None
        if score is None:
            return False
        levels = tuple(self.node_levels(np.array(node)).tolist())
        self._keep_if_best(Node(self._by_name(levels), 0, UNKNOWN, score), levels)
        return True

    def _test_each(self, nodes: list[Levels], cells: Rolled) -> list[int]:
        """Test nodes, except those below one that leaves out too much."""
        bounds: list[int] = []
        for node in nodes:
            above = zip(nodes, bounds, strict=False)
            over = (bound for one, bound in above if bound > self._acceptance.limit and all(map(int.__le__, node, one)))
            ruled_out = next(over, None)
            bounds.append(self._tested_bound(node, cells) if ruled_out is None else ruled_out)
        return bounds

    def _tested_bound(self, node: Levels, cells: Rolled | None = None) -> int:
        return self._known[node] if node in self._known else self._test(node, cells).bound

    def _test(self, node: Levels, source: Rolled | None = None) -> Tested:
        self._report()
        cells = self._acceptance.rollup.to(self.node_levels(np.array(node)).tolist(), source)
        tested = self._acceptance.test(cells)
        self._known[node] = tested.bound
        if isinstance(self._bounds, ClassBounds):
            self._bounds.hand_up_sizes(cells.levels, tested.sizes)
        publishes = tested.acceptable and tested.classes  # nothing is no release
        if publishes and self._may_be_better(node, tested.suppressed):
            columns = not isinstance(self._objective, ClassObjective)
            score = self._objective.score(self._acceptance.published(cells, tested, columns=columns))
            best = Node(self._by_name(cells.levels), tested.suppressed, tested.classes, score)
            self._keep_if_best(best, cells.levels)
        return tested

    def _keep_if_best(self, node: Node, levels: Levels) -> None:
        rank = sum(levels), levels
        if self.best is None or (node.score, rank) < (self.best.score, self._rank):
            self.best, self._rank = node, rank
            key = self._objective.sum_of_score(node.score)
            slack = NEAR * max(1.0, abs(key))
            self._better, self._worse = key - slack, key + slack

    def _by_name(self, levels: Levels) -> dict[str, int]:
        return dict(zip(self._problem.census.quasi, levels, strict=True))

    def _may_be_better(self, node: Levels, suppressed: int) -> bool:
        if self.best is None:
            return True
        parts = float(self._bounds.least(np.array(node)[:, None], np.array([suppressed]))[0])
        return parts < self._better or (parts <= self._worse and self._is_better(parts, node))

    def _is_better(self, parts: float, node: Sequence[int]) -> bool:
        """Decide exactly whether a node may be better than the best: by score, or by rank at equal scores."""
        bound = float(self._bounds.score(np.array([parts]))[0])
        best = np.inf if self.best is None else self.best.score
        levels = tuple(self.node_levels(np.array(node)).tolist())
        return bound < best or (bound == best and (sum(levels), levels) < self._rank)

    def _report(self) -> None:
        """Tell how far it is, and stop where it must: when the time is over, or there were so many visits."""
        if self._visits is not None:
            self._visits -= 1
            if self._visits < 0:
                raise _Stop
        if self._until is None and self._progress is None:
            return
        now = time.monotonic()
        if self._until is not None and now >= self._until:
            raise _Stop
        if self._progress is not None and now - self._called >= EVERY:
            self._called = now
            best = None if self.best is None else self.best.score
            if self._progress(Progress(len(self._known), self._problem.nodes, best, self._detail_kept())) is False:
                raise _Stop

    def _detail_kept(self) -> float | None:
        """Give the detail that the best node so far keeps, whatever the measure of the search."""
        if self.best is not None and self.best.levels != self._shown[0]:
            cells = self._acceptance.rollup.to(list(self.best.levels.values()))
            published = self._acceptance.published(cells, self._acceptance.test(cells))
            lost = Loss("arithmetic").bind(self._problem.census, {}, NEUTRAL).score(published)
            self._shown = self.best.levels, 1 - lost
        return self._shown[1]


@dataclass(frozen=True)
class Optimal:
    """The node with the smallest measure of all nodes that keep the promise within the suppression limit.

    Parameters
    ----------
    measure
        What is made small: ``"loss"`` (the default), ``"distortion"``, ``"precision"``, ``"entropy"``, ``"height"``,
        ``"discernibility"``, ``"aecs"``, or a measure with parameters such as ``Loss("arithmetic")``.
    seconds
        The time it may take. When it is over the best node found so far is given, with a lower bound of what is
        possible; without a limit the search ends when the best node is proven to be the best.

    Notes
    -----
    Of nodes with equal measures (to twelve decimals) the lowest is taken, and of these the one whose levels come first
    in the order of the schema. Every promise is searched correctly: bounds come only from what is monotone.
    """

    local: ClassVar[bool] = False
    measure: str | Measure = "loss"
    seconds: float | None = None

    def __post_init__(self) -> None:
        Measure.of(self.measure)
        if self.seconds is not None and not (isinstance(self.seconds, (int, float)) and self.seconds > 0):
            msg = f"seconds must be above 0, got {self.seconds!r}."
            raise ParameterError(msg)

    def search(self, problem: Problem, progress: OnProgress | None = None) -> Outcome:
        """Find the best node.

        Parameters
        ----------
        problem
            The census, the promise and the limits.
        progress
            Called now and then; the search stops with what it has when this returns ``False``.
        """
        until = None if self.seconds is None else time.monotonic() + self.seconds
        objective = Measure.of(self.measure).bind(problem.census, problem.importance, problem.balance)
        return BranchAndBound(problem, objective, until, progress).run()
