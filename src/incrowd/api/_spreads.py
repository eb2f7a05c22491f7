"""What a local recoding did to a table, added up part by part."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from incrowd.algorithms import LocalOutcome, Problem
from incrowd.api._explain import Explanation, Spread
from incrowd.core import TOP, Domain, Ladder
from incrowd.measures import LabelSums, costs_of_sums


class Spreads:
    """What became of the quasi-identifiers.

    Parameters
    ----------
    domains, ladders
        Per quasi-identifier its values in the whole table, and its hierarchy.
    """

    def __init__(self, domains: list[Domain], ladders: list[Ladder]) -> None:
        self._domains, self._ladders = domains, ladders
        none = np.zeros(len(domains))
        self._sums = LabelSums(none, none, none, 0.0, 0, 0)
        self._labels: list[set[str | None]] = [set() for _ in domains]
        self._as_it_is, self._hidden = np.zeros((2, len(domains)), dtype=np.int64)

    @classmethod
    def of(cls, problem: Problem) -> Spreads:
        """Begin with nothing."""
        census = problem.census
        return cls([census.domains[name] for name in census.quasi], [census.ladders[name] for name in census.quasi])

    def add(self, outcome: LocalOutcome) -> None:
        """Take in a part, or the whole table."""
        self._sums += LabelSums.of(outcome.labels, outcome.sizes)
        for place, column in enumerate(outcome.labels):
            self._labels[place].update(column.names[np.unique(column.codes)].tolist())
            self._as_it_is[place] += outcome.sizes[column.climbed == 0].sum()
            self._hidden[place] += outcome.sizes[column.texts == TOP].sum()

    def costs(self) -> Mapping[str, float]:
        """Give what it cost, by the name of the measure."""
        return costs_of_sums(self._sums, self._ladders, [domain.counts for domain in self._domains])

    def explanation(self) -> Explanation:
        """Say what was done to every column."""
        records = max(self._sums.records, 1)
        return Explanation(
            spreads=tuple(
                Spread(
                    column=domain.column,
                    values=len(domain),
                    labels=len(self._labels[place]),
                    as_it_is=int(self._as_it_is[place]) / records,
                    hidden=int(self._hidden[place]) / records,
                    lost=float(self._sums.lost[place]) / records,
                )
                for place, domain in enumerate(self._domains)
            )
        )


def local_explanation_of(problem: Problem, outcome: LocalOutcome) -> Explanation:
    """Say what a local recoding did to every column."""
    spreads = Spreads.of(problem)
    spreads.add(outcome)
    return spreads.explanation()
