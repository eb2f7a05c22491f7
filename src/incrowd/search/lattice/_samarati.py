"""``Samarati``: binary search on the height of the lattice, with the two necessary conditions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Literal, get_args

import numpy as np

from incrowd.measures import Measure
from incrowd.models import feasibility
from incrowd.search._problem import Counts, Ints, OnProgress, Outcome, Problem, check_choice, least_size
from incrowd.search.lattice._acceptance import Acceptance
from incrowd.search.lattice._bounds import best_node
from incrowd.search.lattice._rollup import Levels
from incrowd.search.lattice._sweep import NOT_MONOTONE, acceptable_nodes, minimal_nodes, refuse_large

Every = Literal["one", "height", "minimal"]
PROOFS: dict[Every, str] = {
    "one": "least height",
    "height": "all nodes of least height",
    "minimal": "all minimal nodes",
}


@dataclass(slots=True)
class Savings:
    """What the two necessary conditions saved.

    ``tested`` nodes were judged class by class; ``too_small`` ones have too many records in classes smaller than k,
    ``too_many`` ones more classes than any release can have (S2-COND2), so that ``classes`` need not be judged.
    ``infeasible``: no node was looked at, because no release can keep the promise (S2-COND1).
    """

    tested: int = 0
    too_small: int = 0
    too_many: int = 0
    classes: int = 0
    infeasible: bool = False
    heights: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Samarati:
    """A node of least height that keeps the promise within the suppression limit.

    Parameters
    ----------
    every
        ``"one"``: the first such node. ``"height"``: all of that height, and the best of them. ``"minimal"``: all nodes
        below which there is no acceptable one, and the best of them.
    conditions
        Pass nodes over by the two necessary conditions before their classes are judged; without them every node is
        judged class by class. The result is the same.
    measure
        Which of several nodes is taken: the one with the smallest measure.

    Notes
    -----
    Needs a promise that generalizing cannot break: upward closed, or union closed where nothing is left out. For others
    every node is tested instead, and the outcome says so.

    References
    ----------
    P. Samarati. *Protecting respondents' identities in microdata release.* IEEE TKDE 13(6), 2001.
    T. M. Truta, B. Vinay. *Privacy protection: p-sensitive k-anonymity property.* ICDE Workshops, 2006.
    """

    local: ClassVar[bool] = False
    every: Every = "one"
    conditions: bool = True
    measure: str | Measure = "loss"

    def __post_init__(self) -> None:
        check_choice("every", self.every, get_args(Every))
        Measure.of(self.measure)

    def search(self, problem: Problem, progress: OnProgress | None = None) -> Outcome:
        """Find a node of least height."""
        refuse_large(problem)
        search = _Search(problem, conditions=self.conditions)
        monotone = search.acceptance.monotone
        nodes = self._nodes_by_bisection(problem, search) if monotone else self._nodes_of_whole_lattice(problem, search)
        return Outcome(
            best=best_node(problem, search.acceptance, nodes, self.measure),
            proof=PROOFS[self.every],
            lower_bound=0.0,
            checked=search.savings.tested,
            nodes=problem.nodes,
            notes=() if monotone else (NOT_MONOTONE,),
            minimal=nodes,
            trace=(search.savings,),
        )

    def _nodes_by_bisection(self, problem: Problem, search: _Search) -> Ints:
        found = search.least_height()
        if found is None:
            return np.zeros((0, len(problem.lows)), dtype=np.int64)
        if self.every == "minimal":
            return self._nodes_of_whole_lattice(problem, search)
        nodes = [found]
        if self.every == "height":
            nodes = [node for node in search.nodes_of(sum(found)) if search.accepts(node)]
        return np.array(nodes, dtype=np.int64)

    def _nodes_of_whole_lattice(self, problem: Problem, search: _Search) -> Ints:
        nodes = acceptable_nodes(problem, search.acceptance, empty=False)
        search.savings.tested = problem.nodes
        if self.every == "minimal":
            return minimal_nodes(nodes)
        heights = nodes.sum(axis=1)
        least = nodes[heights == heights.min()] if len(nodes) else nodes
        return least if self.every == "height" else least[:1]


class _Search:
    def __init__(self, problem: Problem, *, conditions: bool) -> None:
        self._problem, self._conditions = problem, conditions
        self.acceptance = Acceptance(problem)
        self.savings = Savings()
        self._k = least_size(problem.model)
        known = feasibility(problem.judges(), problem.census.classes(), problem.limit)
        self._feasible, self._most = known.feasible, known.max_classes

    def least_height(self) -> Levels | None:
        top = self._problem.highs
        if self._conditions and not self._feasible:
            self.savings.infeasible = True
            return None
        if not self.accepts(top):
            return None
        found, low, high = top, sum(self._problem.lows), sum(top)
        while low < high:
            middle = (low + high) // 2
            self.savings.heights.append(middle)
            here = next((node for node in self.nodes_of(middle) if self.accepts(node)), None)
            if here is None:
                low = middle + 1
            else:
                found, high = here, middle
        return found

    def nodes_of(self, height: int) -> Iterator[Levels]:
        ranges = [range(low, high + 1) for low, high in zip(self._problem.lows, self._problem.highs, strict=True)]
        *firsts, last = ranges
        for node in itertools.product(*firsts):
            rest = height - sum(node)
            if rest in last:
                yield (*node, rest)

    def accepts(self, node: Levels) -> bool:
        cells = self.acceptance.rollup.to(node)
        if self._conditions and self._is_ruled_out(self.acceptance.sizes(cells)):
            return False
        self.savings.tested += 1
        tested = self.acceptance.test(cells)
        return tested.acceptable and tested.classes > 0  # nothing is no release

    def _is_ruled_out(self, sizes: Counts) -> bool:
        """Ask what the sizes of the classes tell: the sound form of both conditions where records are left out."""
        small, limit = sizes < self._k, self._problem.limit
        left_out, large = int(sizes[small].sum()), int((~small).sum())
        if left_out > limit:
            self.savings.too_small += 1
        elif large - (limit - left_out) // self._k > self._most and limit < int(sizes.sum()):
            self.savings.too_many += 1
        else:
            return False
        self.savings.classes += len(sizes)
        return True
