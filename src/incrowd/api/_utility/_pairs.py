"""Two columns at a time: how they go together before and after, and how far off counts over ranges are."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from incrowd.api._utility._result import PairChange, QueryErrors
from incrowd.api._utility._tables import Compared
from incrowd.measures import Ranges, answers, cramers_v, rounded

Floats = npt.NDArray[np.float64]

RANGE = 0.3
"""Which share of the records a range of a query has, about."""


class Pairs:
    """Compares all pairs of columns that have a quasi-identifier among them.

    Parameters
    ----------
    both
        The table before and after.
    queries
        How many queries to ask in all; each pair gets about as many.
    chance
        Where chance comes from.
    """

    def __init__(self, both: Compared, queries: int, chance: np.random.Generator) -> None:
        self._both, self._chance = both, chance
        self._sides = both.before, both.after
        self._shares = [
            {name: side.on_groups(name, groups) for name, groups in both.groups.items()} for side in self._sides
        ]
        self._people = {name: _in_line(both, name) for name in both.columns}
        self._changes: list[PairChange] = []
        self._errors: list[float] = []
        self._floor = both.census.records / 1000
        quasi = set(both.census.quasi)
        names = [pair for pair in itertools.combinations(both.columns, 2) if quasi & set(pair)]
        for number, pair in enumerate(names):
            self._compare(pair, len(range(number, queries, len(names))) if both.census.records else 0)

    @property
    def changes(self) -> tuple[PairChange, ...]:
        """How columns go together, before and after."""
        return tuple(self._changes)

    @property
    def errors(self) -> QueryErrors:
        """How far off the answers from the release are."""
        if not self._errors:
            return QueryErrors(0, None, None, self._floor)
        median, high = np.quantile(self._errors, [0.5, 0.9]).tolist()
        return QueryErrors(len(self._errors), median, high, self._floor)

    def _compare(self, pair: tuple[str, str], queries: int) -> None:
        joints = [side.joint(*pair) for side in self._sides]
        before, after = (
            joint.on_groups(*(shares[name] for name in pair))
            for joint, shares in zip(joints, self._shares, strict=True)
        )
        shape = int((before.sum(axis=1) > 0).sum()), int((before.sum(axis=0) > 0).sum())
        strengths = rounded(np.array([cramers_v(before, shape), cramers_v(after, shape)])).tolist()
        self._changes.append(PairChange(pair, *strengths))
        if queries:
            people = self._people[pair[0]], self._people[pair[1]]
            asked = [Ranges.draw(self._chance, *people, RANGE) for _ in range(queries)]
            truth, answer = (
                answers(asked, joint, side.covers[pair[0]], side.covers[pair[1]])
                for joint, side in zip(joints, self._sides, strict=True)
            )
            self._errors += (np.abs(answer - truth) / np.maximum(truth, self._floor)).tolist()


def _in_line(both: Compared, name: str) -> npt.NDArray[np.int64]:
    """Give the records of the original table at every position of a column."""
    people = np.zeros(len(both.places[name]), dtype=np.int64)
    people[both.places[name]] = both.before.tallies[name]
    return people
