"""Levels that no node can have: what one column shows already is true of every node with that level.

Raising all other columns only merges classes. So what the node with this level, and the highest one of every other
column, must leave out by a part of the promise that generalizing cannot break, every node with the level must.
"""

from __future__ import annotations

import numpy as np

from incrowd.algorithms._acceptance import Acceptance
from incrowd.algorithms._least_size import least_size
from incrowd.algorithms._problem import Problem
from incrowd.core import Domain, Ladder, add_up
from incrowd.models import Model


def hopeless_levels(problem: Problem, column: str) -> int:
    """Say how many of the lowest levels of a column no acceptable node has.

    Parameters
    ----------
    problem
        What is searched. Of its census only this column need be counted at its lowest level.
    column
        The quasi-identifier.
    """
    place = problem.census.quasi.index(column)
    acceptance = Acceptance(problem)
    for level in range(problem.census.floor[place], problem.highs[place] + 1):
        levels = [*problem.highs[:place], level, *problem.highs[place + 1 :]]
        if acceptance.test(acceptance.rollup.to(levels)).bound <= problem.limit:
            return level
    return problem.highs[place] + 1


def too_small_levels(model: Model, domain: Domain, ladder: Ladder, limit: int) -> int:
    """Say the same by nothing but how often each value occurs: too many records are in groups that are too small."""
    least = least_size(model)
    for level, groups in enumerate(ladder.groups):
        sizes = add_up(groups, domain.counts, len(ladder.labels[level]))
        if int(sizes[sizes < least].sum(dtype=np.int64)) <= limit:
            return level
    return ladder.height
