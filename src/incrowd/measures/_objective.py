"""What a search makes small: a score of every node, and a bound on the scores that lie above a node.

Most measures charge every record a cost per column that depends on what is published of it, and more when the record is
left out. Their score grows with the total of every column, so cheap totals give a lower bound before a node is counted.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

DIGITS = 12
"""Scores that agree to so many decimals are equal; then the tie rule decides."""


@dataclass(frozen=True, slots=True, eq=False)
class Published:
    """What a node publishes, as far as a measure asks.

    Attributes
    ----------
    levels
        The level of every quasi-identifier.
    kept
        Per quasi-identifier, how many of the records that are published have each group.
    suppressed
        How many records are left out.
    sizes
        The number of records of every published class.
    """

    levels: tuple[int, ...]
    kept: tuple[Counts, ...]
    suppressed: int
    sizes: Counts

    @property
    def records(self) -> int:
        """How many records there are, published or left out."""
        return int(self.sizes.sum()) + self.suppressed


class Objective(ABC):
    """A measure that has met a census. Smaller is better."""

    looks_at_classes: ClassVar[bool] = False
    """Whether ``above`` says something."""

    @abstractmethod
    def score(self, node: Published) -> float:
        """Give the score of a node, rounded so that equal scores are equal."""

    def part(self, column: int, level: int, suppressed: Counts) -> Floats:  # noqa: ARG002
        """Bound from below what a column at a level adds, for each number of records that are left out at least."""
        return np.zeros(len(suppressed))

    def finish(self, parts: Floats) -> Floats:
        """Turn sums of parts into a lower bound of the score, rounded down no further than a score is."""
        return parts

    def unfinish(self, score: float) -> float:
        """Give the sum of parts that has this score."""
        return score

    def above(self, sizes: Counts) -> float:  # noqa: ARG002
        """Bound from below the score of every node at or above one with classes of these sizes."""
        return -np.inf


@dataclass(frozen=True, slots=True, eq=False)
class Costs:
    """What publishing a record costs in one column, and what leaving it out does.

    Attributes
    ----------
    levels
        Per level, the cost of a record in each group. Cheaper below than above.
    most
        The cost of a record of which nothing is published.
    counts
        Per level, how many records of the table each group has.
    published, left_out
        How much publishing and leaving out weigh, each from 0 to 1 and one of them 1. A record that is left out costs
        what it would cost at its level, and of the rest up to ``most`` the share ``left_out``: never less than if it
        were published.
    """

    levels: tuple[npt.NDArray[Any], ...]
    most: float
    counts: tuple[Counts, ...]
    published: float = 1.0
    left_out: float = 1.0

    def total(self, level: int, kept: Counts) -> float:
        """Add up the costs of all records, of which these are published; whole numbers exactly."""
        gone = self.counts[level] - kept
        return float(self.published * (kept @ self.levels[level]) + gone @ self._without(level))

    def least(self, level: int, suppressed: Counts) -> Floats:
        """Bound the total from below: whoever is left out, it adds at least what leaving out the cheapest adds."""
        cost, counts = self.published * self.levels[level], self.counts[level]
        if not suppressed.any():
            return np.full(len(suppressed), float(counts @ cost))
        extra = self._without(level) - cost
        order = np.argsort(extra, kind="stable")
        people = np.concatenate(([0], np.cumsum(counts[order])))
        added = np.concatenate(([0.0], np.cumsum(counts[order] * extra[order], dtype=np.float64)))
        return float(counts @ cost) + np.interp(suppressed, people, added)

    def _without(self, level: int) -> npt.NDArray[Any]:
        """Give what a record of each group costs if it is left out."""
        cost = self.levels[level]
        return cost + self.left_out * (self.most - cost)


class CellObjective(Objective):
    """A score that grows with the total cost of every column.

    Parameters
    ----------
    costs
        Per quasi-identifier, what a record costs.
    """

    def __init__(self, costs: Sequence[Costs]) -> None:
        self._costs = tuple(costs)

    @abstractmethod
    def share(self, column: int, total: Floats) -> Floats:
        """Turn the total of a column into its part of the score."""

    def part(self, column: int, level: int, suppressed: Counts) -> Floats:
        """Bound from below what a column at a level adds."""
        return self.share(column, self._costs[column].least(level, suppressed))

    def score(self, node: Published) -> float:
        """Give the score of a node."""
        totals = [
            costs.total(level, kept) for costs, level, kept in zip(self._costs, node.levels, node.kept, strict=True)
        ]
        parts = [self.share(column, np.array([total])) for column, total in enumerate(totals)]
        return float(rounded(self.finish(np.sum(parts, axis=0)))[0])


def rounded(scores: Floats) -> Floats:
    """Round scores to what counts."""
    return np.round(scores, DIGITS)
