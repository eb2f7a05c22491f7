"""Every node that keeps a promise, with what it leaves out and what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from incrowd.algorithms._acceptance import Acceptance, Tested
from incrowd.algorithms._exhaustive import Everything, minimal_nodes
from incrowd.algorithms._problem import Problem
from incrowd.algorithms._rollup import Rolled
from incrowd.measures import MEASURES

Rows = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True, eq=False)
class Solutions:
    """Every node that keeps a promise within the suppression limit.

    Attributes
    ----------
    quasi
        The quasi-identifiers.
    levels
        One row of levels per acceptable node, in the order of the quasi-identifiers; rows in ascending order.
    suppressed, classes
        How many records each node leaves out, and how many classes it publishes.
    measures
        Per measure, its value for every node; smaller is better.
    records
        How many records the table has. A node that leaves out all of them keeps every promise, and publishes nothing.
    floor
        The levels below which nothing was looked at, by name, where the census would not fit into memory.
    notes
        What is known about the levels below.
    """

    quasi: tuple[str, ...]
    levels: Rows = field(repr=False)
    suppressed: npt.NDArray[np.int64] = field(repr=False)
    classes: npt.NDArray[np.int64] = field(repr=False)
    measures: Mapping[str, npt.NDArray[np.float64]] = field(repr=False)
    records: int
    floor: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.levels)

    @property
    def acceptable(self) -> list[dict[str, int]]:
        """All acceptable nodes."""
        return self._named(self.levels)

    @property
    def minimal(self) -> list[dict[str, int]]:
        """The acceptable nodes below which there is no other."""
        return self._named(minimal_nodes(self.levels))

    @property
    def least_height(self) -> list[dict[str, int]]:
        """The acceptable nodes with the smallest sum of levels."""
        heights = self.levels.sum(axis=1)
        return self._named(self.levels[heights == heights.min()] if len(heights) else self.levels)

    def to_dict(self) -> dict[str, list[float]]:
        """Give a table with one column per quasi-identifier, and one per number: any frame can be made of it."""
        columns = {name: self.levels[:, place].tolist() for place, name in enumerate(self.quasi)}
        numbers = {"suppressed": self.suppressed, "classes": self.classes, **self.measures}
        return {**columns, **{name: values.tolist() for name, values in numbers.items()}}

    def _named(self, rows: Rows) -> list[dict[str, int]]:
        return [dict(zip(self.quasi, row, strict=True)) for row in rows.tolist()]


def all_solutions(problem: Problem) -> Solutions:
    """Look at every node of a lattice."""
    collect = _Collect(problem, Acceptance(problem))
    collect.run()
    order = sorted(range(len(collect.rows)), key=lambda place: collect.rows[place])
    levels = np.array([collect.rows[place] for place in order], dtype=np.int64).reshape(len(order), len(problem.lows))
    numbers = np.array([collect.numbers[place] for place in order], dtype=np.int64).reshape(len(order), 2)
    scores = np.array([collect.scores[place] for place in order]).reshape(len(order), len(collect.objectives))
    return Solutions(
        quasi=problem.census.quasi,
        levels=levels,
        suppressed=numbers[:, 0],
        classes=numbers[:, 1],
        measures=dict(zip(collect.objectives, scores.T, strict=True)),
        records=problem.census.records,
    )


class _Collect(Everything):
    def __init__(self, problem: Problem, acceptance: Acceptance) -> None:
        super().__init__(problem, acceptance)
        plain = dict.fromkeys(problem.importance, 1.0)
        by_class = {"discernibility", "aecs"}  # they know no columns
        self.objectives = {
            name: measure.bind(
                problem.census,
                plain if name in by_class else problem.importance,
                0.5 if name == "aecs" else problem.balance,
            )
            for name, measure in MEASURES.items()
        }
        self.rows: list[tuple[int, ...]] = []
        self.numbers: list[tuple[int, int]] = []
        self.scores: list[list[float]] = []

    def found(self, cells: Rolled, tested: Tested) -> None:
        published = self._acceptance.published(cells, tested)
        self.rows.append(cells.levels)
        self.numbers.append((tested.suppressed, tested.classes))
        self.scores.append([objective.score(published) for objective in self.objectives.values()])
