"""What a search found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from incrowd.search._local import LocalOutcome
from incrowd.search._problem import Problem
from incrowd.search.lattice._acceptance import Acceptance


@dataclass(frozen=True, slots=True)
class Node:
    """A node that keeps the promise."""

    levels: Mapping[str, int]
    suppressed: int
    classes: int
    score: float

    @property
    def height(self) -> int:
        """The sum of the levels."""
        return sum(self.levels.values())


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a search has come.

    ``best`` is the smallest score so far; ``None`` if no node was good enough yet.
    """

    checked: int
    nodes: int
    best: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What a search found.

    ``best`` is ``None`` if there is none, or none was found in time; ``proof`` is ``"optimal"`` or, where the search
    was stopped, ``"best found"``; no acceptable node scores below ``lower_bound``. ``acceptable`` and ``minimal`` (with
    none below) have one row of levels per node, and are ``None`` where the search does not look for them.
    """

    best: Node | None
    proof: str
    lower_bound: float
    checked: int
    nodes: int
    notes: tuple[str, ...] = ()
    acceptable: npt.NDArray[np.integer] | None = field(default=None, repr=False)
    minimal: npt.NDArray[np.integer] | None = field(default=None, repr=False)
    trace: tuple[Any, ...] = field(default=(), repr=False)

    @property
    def gap(self) -> float:
        """How much better the best node could be at most: 0 where it is proven."""
        return 0.0 if self.best is None else max(0.0, self.best.score - self.lower_bound)


@runtime_checkable
class Algorithm(Protocol):
    """A search."""

    local: ClassVar[bool]
    """Whether it gives a local recoding; else one level per column."""

    def search(
        self, problem: Problem, progress: Callable[[Progress], bool | None] | None = None
    ) -> Outcome | LocalOutcome:
        """Find what every record is published as."""


def is_monotone(problem: Problem) -> bool:
    """Say whether generalizing never leaves out more, so that the most general node leaves out least."""
    return Acceptance(problem).monotone


def left_out_by(problem: Problem) -> Callable[[Sequence[int]], int]:
    """Give a function that says how many records a node leaves out, whether or not so many may be."""
    acceptance = Acceptance(replace(problem, limit=problem.census.records))
    return lambda levels: acceptance.test(acceptance.rollup.to(levels)).suppressed
