"""``least_loss``: what no levels and no stars come below, by the cheapest label of every record."""

from __future__ import annotations

import heapq
from dataclasses import replace

from incrowd.search._local_recoding import LocalTable
from incrowd.search._problem import Counts
from incrowd.search.cheapest._formation import STEPS
from incrowd.search.cheapest._kernels import Support, least_costs
from incrowd.search.cheapest._search_space import LabelColumn, PointNeeds, SearchSpace

WORK, FEWEST = 4_000_000, 20
"""What may be looked at, a point times the square of the columns each time; nothing if that is for fewer looks."""
DIGITS = 12
"""Losses that agree to so many decimals are equal."""

Fixed = tuple[int | None, ...]
"""The level of every column in the order of the search; of those that may have any level nothing."""


class Bound:
    """Bounds of what levels and stars lose, some columns being at given levels and the others at any.

    Whatever is published for a record is a label that covers enough records of the table, and no such label costs less
    than the cheapest; who is left out loses all.
    """

    def __init__(self, table: LocalTable, highs: tuple[int, ...]) -> None:
        self._board = SearchSpace.of(table, "hierarchy")
        self._support: Support = PointNeeds.of(table).support(self._board)
        self._total = sum(column.full for column in self._board.columns) * max(int(self._board.weights.sum()), 1)
        self.levels = [range(one.namer.floor, highs[one.namer.column] + 1) for one in self._board.columns]
        looks = WORK // max(len(self._board.points) * len(self.levels) ** 2, 1)
        self.looks = looks if looks >= FEWEST else 0

    def at(self, fixed: Fixed) -> int:
        """Give what is lost at least, in whole numbers, as the total is."""
        columns = tuple(
            column if level is None else _at_level(column, level)
            for column, level in zip(self._board.columns, fixed, strict=True)
        )
        tables = replace(self._board, columns=columns).tables()
        return exact_dot(least_costs(tables, self._support, STEPS), self._board.weights)

    def share(self, lost: int) -> float:
        return round(lost / self._total, DIGITS)


def least_loss(table: LocalTable, highs: tuple[int, ...], found: float) -> float:
    """Give a loss that no levels up to some, and no stars come below; ``found`` is one that was reached.

    Columns get their levels one after the other: each time the choice is divided that has the lowest bound, until all
    columns have one or enough was looked at.
    """
    bound = Bound(table, highs)
    nothing: Fixed = (None,) * len(bound.levels)
    open_ = [(bound.at(nothing), 0, nothing)]
    looks = bound.looks
    while None in open_[0][2] and looks > 0 and bound.share(open_[0][0]) < found:
        _, depth, fixed = heapq.heappop(open_)
        for level in bound.levels[depth]:
            chosen = (*fixed[:depth], level, *fixed[depth + 1 :])
            heapq.heappush(open_, (bound.at(chosen), depth + 1, chosen))
            looks -= 1
    return min(bound.share(open_[0][0]), found)


def _at_level(column: LabelColumn, level: int) -> LabelColumn:
    """Give a column that has one level, and the highest for stars."""
    at = level - column.namer.floor
    if at == column.height:
        return replace(column, nodes=column.nodes[-1:], costs=column.costs[-1:])
    return replace(column, nodes=(column.nodes[at], column.nodes[-1]), costs=(column.costs[at], column.costs[-1]))


def exact_dot(costs: Counts, weights: Counts) -> int:
    """Multiply and add up without rounding: halves of costs stay far below what 64 bits hold."""
    high, low = costs >> 24, costs & (2**24 - 1)
    return (int((high * weights).sum()) << 24) + int((low * weights).sum())
