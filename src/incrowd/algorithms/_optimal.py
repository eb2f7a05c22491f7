"""The best node of a lattice under a measure, and the proof that none is better (see docs/explanation/search.md)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from incrowd.algorithms._acceptance import Acceptance
from incrowd.algorithms._boxes import Boxes
from incrowd.algorithms._outcome import Outcome, Progress
from incrowd.algorithms._problem import Problem
from incrowd.core import ParameterError
from incrowd.measures import Measure, read_measure


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
        read_measure(self.measure)
        if self.seconds is not None and not (isinstance(self.seconds, (int, float)) and self.seconds > 0):
            msg = f"seconds must be above 0, got {self.seconds!r}."
            raise ParameterError(msg)

    def search(self, problem: Problem, progress: Callable[[Progress], bool | None] | None = None) -> Outcome:
        """Find the best node.

        Parameters
        ----------
        problem
            The census, the promise and the limits.
        progress
            Called now and then; the search stops with what it has when this returns ``False``.
        """
        until = None if self.seconds is None else time.monotonic() + self.seconds
        objective = read_measure(self.measure).bind(problem.census, problem.importance, problem.balance)
        return Boxes(problem, Acceptance(problem), objective, until, progress).run()
