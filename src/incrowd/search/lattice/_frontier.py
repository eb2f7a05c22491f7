"""``Frontier``: risk against utility, the best node for every k at once, from one walk through the lattice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Grid, Hint, ParameterError, Schema, unbroken_percent
from incrowd.measures import ClassObjective, Loss, Measure, Objective, SizeSums
from incrowd.models import All, KAnonymity, LDiversity, Model, PSensitive, sensitive_columns
from incrowd.search._problem import Counts, Ints, Node, Problem, Progress, least_size
from incrowd.search.lattice._acceptance import Acceptance, Tested
from incrowd.search.lattice._bounds import Bounds
from incrowd.search.lattice._masking import Mask
from incrowd.search.lattice._rollup import Levels, Rolled
from incrowd.search.lattice._sweep import Sweep, Visitor, refuse_large

OnProgress = Callable[[Progress], object]
BAR = 30  # so long is the bar of the highest cost, in characters


@dataclass(frozen=True, slots=True)
class Frontier:
    """The best node for every strength of a promise.

    Attributes
    ----------
    of
        What grows along the curve: ``k``, ``l`` or ``p``.
    measure
        The measure that is made small.
    beside
        The promises that every node keeps besides, as text; empty if there are none.
    values, nodes
        The strengths, and for each the best node; ``None`` where no node is strong enough.
    floor
        The levels below which nothing was looked at, by name, where the census would not fit into memory.
    notes
        What that means, in plain words.
    """

    of: str
    measure: str
    values: tuple[int, ...]
    nodes: tuple[Node | None, ...]
    floor: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    beside: str = ""

    def to_dict(self) -> dict[str, list[float | int | None]]:
        """Give a table with one row per strength: any frame can be made of it."""
        best = [
            (None,) * 4 if node is None else (node.kept, node.score, node.suppressed, node.classes)
            for node in self.nodes
        ]
        quasi = next((list(node.levels) for node in self.nodes if node is not None), [])
        levels = {name: [None if node is None else node.levels[name] for node in self.nodes] for name in quasi}
        names = ("detail_kept", self.measure, "suppressed", "classes")
        columns = zip(names, zip(*best, strict=True), strict=True)
        return {self.of: list(self.values), **{name: list(column) for name, column in columns}, **levels}

    def __str__(self) -> str:
        costs = [0.0 if node is None else node.score for node in self.nodes]
        most, width = max([1.0, *costs]), max(8, len(self.measure) + 1)
        return "\n".join([
            f"{self.of:>8}{'detail kept':>13}{self.measure:>{width}}{'left out':>10}{'groups':>9}",
            *(_frontier_row(value, node, width, most) for value, node in zip(self.values, self.nodes, strict=True)),
            *self._remarks(),
        ])  # fmt: skip

    def _repr_html_(self) -> str:
        best = zip(self.values, self.nodes, strict=True)
        rows = [
            (value, None, None, None, "nothing can be published")
            if node is None
            else (value, unbroken_percent(node.kept or 0), f"{node.score:.4g}", node.suppressed, f"{node.classes:,}")
            for value, node in best
        ]
        told = "".join(f"<p>{escape(line)}</p>" for line in self._remarks())
        return f"<div>{Grid((self.of, 'detail kept', self.measure, 'left out', 'groups'), rows).html()}{told}</div>"

    def _remarks(self) -> list[str]:
        kept = [f"Every line also keeps {self.beside}."] if self.beside else []
        named = ["loss: the geometric mean of losses, the measure of the search."] if self.measure == "loss" else []
        return [*named, *kept, *(f"note: {note}" for note in self.notes)]


def _frontier_row(value: int, node: Node | None, width: int, most: float) -> str:
    if node is None:
        return f"{value:>8,}  nothing can be published"
    shown = f"{node.score:>{width}.3f}" if most == 1 else f"{node.score:>{width},.4g}"
    bar = "#" * round(node.score / most * BAR)
    kept = unbroken_percent(node.kept or 0)
    return f"{value:>8,}{kept:>13}{shown}{node.suppressed:>10,}{node.classes:>9,}  {bar}".rstrip()


def growing_promise(counting: Model, promise: Model | None, schema: Schema) -> Model:
    """Put what grows along a curve in the place of what a promise says about it; all its other parts stay."""
    others = [one for part in (promise.parts if promise else ()) for one in _without_counting(part, counting, schema)]
    return All((counting, *others)) if others else counting


def _without_counting(part: Model, counting: Model, schema: Schema) -> Sequence[Model]:
    """Give a promise without what it says about the number that grows."""
    if isinstance(part, KAnonymity) and isinstance(counting, KAnonymity):
        return ()
    same = type(part) is type(counting) and getattr(part, "kind", None) == getattr(counting, "kind", None)
    same = same and part.missing == counting.missing
    if not same or not isinstance(part, LDiversity | PSensitive) or part.joint:
        return (part,)
    about, grown = (sensitive_columns(one.of, schema, type(one).__name__) for one in (part, counting))  # type: ignore[attr-defined]
    left = tuple(name for name in about if name not in grown)
    return (replace(part, of=left),) if left else ()


def find_frontier(
    problem: Problem, of: str, values: Sequence[int], measure: str | Measure, progress: OnProgress | None = None
) -> Frontier:
    """Walk once through the lattice, and keep for every strength the best node met."""
    # The first part of the promise must count something in every class, such as `KAnonymity(1)`: the number that is
    # measured is what grows along the curve. All others are kept by every node. `values` ascend.
    refuse_large(problem)
    objective = Measure.of(measure).bind(problem.census, problem.importance, problem.balance)
    walk = _Walk(problem, np.array(values), objective, progress)
    walk.run()
    beside = ", ".join(map(str, problem.model.parts[1:]))
    return Frontier(of, Measure.of(measure).name, tuple(values), tuple(walk.best), beside=beside)


class _Walk(Visitor):
    """A node is of interest as long as it may be best for some strength that it can reach."""

    def __init__(
        self, problem: Problem, values: Counts, objective: Objective, progress: OnProgress | None = None
    ) -> None:
        self._problem, self._values, self._objective = problem, values, objective
        self._progress, self._looked = progress, 0
        self._acceptance = Acceptance(problem)
        if problem.by_person:
            msg = "There is no curve where people are left out with all rows: no group keeps a k by itself."
            raise ParameterError(msg, hint=Hint("use {suppression}, and no promise of rows.", suppression="drop"))
        if not self._acceptance.has_number:
            msg = "A frontier needs a promise that counts something in every class: k, distinct l or p."
            raise ParameterError(msg)
        self._bounds = Bounds(problem, objective)
        self._enough = least_size(problem.model)
        self._arithmetic = Loss("arithmetic").bind(problem.census, {}, 0.5)
        self.best: list[Node | None] = [None] * len(values)
        self._ranks: list[tuple[float, int, Levels]] = [(np.inf, 0, ())] * len(values)
        self._scores = np.full(len(values), np.inf)
        self._masks: dict[int, Mask | None] = {}

    def run(self) -> None:
        """Visit the nodes; the bound of a node is the number of strengths that it cannot reach."""
        highs = tuple(high - low for low, high in zip(self._bounds.lows, self._bounds.highs, strict=True))
        Sweep(self, self._acceptance.rollup, (0,) * len(highs), highs).run()

    def begin(self, levels: npt.NDArray[np.int16]) -> None:
        places = self._bounds.places(levels)
        self._least = self._bounds.score(self._bounds.parts(places, np.zeros(levels.shape[1], dtype=np.int64)))

    def wanted(self, nodes: Counts, bounds: Counts) -> Counts:
        """Give the nodes that may be best for the largest strength that they reach, or for a smaller one."""
        worst = np.append(-np.inf, np.maximum.accumulate(self._scores))[len(self._values) - bounds]
        return nodes[self._least[nodes] <= worst]

    def wanted_above(self, cells: Rolled, nodes: Counts, bounds: Counts) -> Counts:
        if not isinstance(self._objective, ClassObjective):
            return nodes
        sums = SizeSums.of(self._acceptance.sizes(cells), self._enough)
        handed = self._objective.handed_up(sums, self._enough)
        least = self._objective.least(handed, np.zeros(1, dtype=np.int64), self._enough, self._problem.limit)
        return nodes if float(least[0]) <= float(self._scores.max()) else nodes[:0]

    def node_levels(self, nodes: Ints) -> Ints:
        return self._bounds.node_levels(nodes)

    def visit(self, nodes: Ints, cells: Rolled) -> list[int]:
        found = [self._visit(node, cells) for node in nodes]
        self._looked += len(nodes)
        if self._progress is not None:
            self._progress(Progress(self._looked, self._problem.nodes, None))
        return found

    def _visit(self, node: Ints, cells: Rolled) -> int:
        """Find the strengths that a node reaches, and compare it with the best of each."""
        rolled = self._acceptance.rollup.to(self.node_levels(node).tolist(), cells)
        found = self._acceptance.strengths(rolled)
        hoped, left_out = (self._left_out(found.sizes, strength) for strength in (found.possible, found.strength))
        reached = int((left_out <= self._problem.limit).sum())
        places = self._bounds.places(node[:, None])
        bound = self._bounds.score(self._bounds.parts(places, left_out[:reached]))
        for place in np.flatnonzero(bound <= self._scores[:reached]).tolist():
            ok = found.strength >= self._values[place]
            tested = Tested(int(left_out[place]), 0, acceptable=True, words=found.words, sizes=found.sizes, ok=ok)
            tested = self._acceptance.mask(rolled, tested, found.classes, self._mask(place))
            if tested.acceptable and tested.classes:  # nothing is no release
                self._compare(place, rolled, tested)
        return int((hoped > self._problem.limit).sum())

    def _left_out(self, sizes: Counts, strength: Counts) -> Counts:
        order = np.argsort(strength, kind="stable")
        below = np.concatenate(([0], np.cumsum(sizes[order])))
        return np.asarray(below[np.searchsorted(strength[order], self._values)])

    def _mask(self, place: int) -> Mask | None:
        """Give who decides what is masked at a strength: the whole promise counts for what is masked too."""
        if place not in self._masks:
            counting, *others = self._problem.model.parts
            stronger: Any = {counting.requirements[0].name: int(self._values[place])}
            model = All((replace(counting, **stronger), *others))  # type: ignore[type-var]
            self._masks[place] = self._acceptance.mask_for(self._problem.judges(model))
        return self._masks[place]

    def _compare(self, place: int, cells: Rolled, tested: Tested) -> None:
        published = self._acceptance.published(cells, tested)
        score = self._objective.score(published)
        rank = score, sum(cells.levels), cells.levels
        if self.best[place] is None or rank < self._ranks[place]:
            levels = dict(zip(self._problem.census.quasi, cells.levels, strict=True))
            self.best[place] = Node(
                levels, tested.suppressed, tested.classes, score, 1 - self._arithmetic.score(published)
            )
            self._ranks[place], self._scores[place] = rank, score
