"""A node and those just below it, looked at closely: the census is prepared once for all of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from incrowd.algorithms._acceptance import Acceptance, Tested
from incrowd.algorithms._problem import Problem
from incrowd.algorithms._rollup import Rolled
from incrowd.core import FullDomainRecoding
from incrowd.measures import MEASURES


class Inspected:
    """A node of a lattice.

    Parameters
    ----------
    problem
        What the search was asked.
    levels
        The level of every quasi-identifier, by name.
    """

    def __init__(self, problem: Problem, levels: Mapping[str, int]) -> None:
        self._problem = problem
        self._levels = tuple(levels[name] for name in problem.census.quasi)
        self._acceptance = Acceptance(replace(problem, limit=problem.census.records))  # whether or not so many may be

    def costs(self) -> dict[str, float]:
        """Give every measure, all columns weighing the same."""
        published = self._acceptance.published(self._cells, self._tested)
        census = self._problem.census
        return {name: measure.bind(census, {}, 0.5).score(published) for name, measure in MEASURES.items()}

    @property
    def classes(self) -> int:
        """How many classes are published."""
        return self._tested.classes

    def recoding(self) -> FullDomainRecoding:
        """Give what every record is published as."""
        census, rollup, tested = self._problem.census, self._acceptance.rollup, self._tested
        words = tuple(word[~tested.ok] for word in tested.words)
        codes = [rollup.codes(words, column, level) for column, level in enumerate(self._levels)]
        order = np.lexsort(codes[::-1]) if len(codes[0]) else np.zeros(0, dtype=np.intp)
        return FullDomainRecoding(
            domains={name: census.domains[name] for name in census.quasi},
            ladders={name: census.ladders[name] for name in census.quasi},
            levels=dict(zip(census.quasi, self._levels, strict=True)),
            suppressed=tuple(code[order] for code in codes),
        )

    def left_out(self, levels: Sequence[int] | None = None) -> int:
        """Say how many records are left out; here, or at a node at most one level lower in every column."""
        return self._acceptance.test(self._at(levels)).suppressed

    def left_out_alone(self, levels: Sequence[int] | None = None) -> dict[str, int]:
        """Say for every promise how many records it leaves out alone."""
        parts = [(str(part), self._problem.judges(part)) for part in self._problem.model.parts]
        found = self._acceptance.left_out_by_each(self._at(levels), [judges for _, judges in parts])
        return {text: count for (text, _), count in zip(parts, found, strict=True)}

    def _at(self, levels: Sequence[int] | None) -> Rolled:
        return self._cells if levels is None else self._acceptance.rollup.to(levels, self._below)

    @cached_property
    def _below(self) -> Rolled:
        """The cells at the node that is one level lower wherever it can be: all neighbours are rolled up from there."""
        pairs = zip(self._levels, self._problem.lows, strict=True)
        return self._acceptance.rollup.to([max(level - 1, low) for level, low in pairs])

    @cached_property
    def _cells(self) -> Rolled:
        return self._acceptance.rollup.to(self._levels)

    @cached_property
    def _tested(self) -> Tested:
        return self._acceptance.test(self._cells)
