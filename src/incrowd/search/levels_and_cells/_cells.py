"""The stars of one node: columns at given levels, and in every record the cheapest cells to hide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Self

import numpy as np

from incrowd.core import Grouping, Labelling, Namer, add_up, group
from incrowd.measures import column_loss, mean_detail
from incrowd.search._local_recoding import LocalTable, Pieces
from incrowd.search._problem import Bools, Counts, Floats, Ints, Problem, least_size
from incrowd.search.cheapest._formation import BLOCK, STEPS, WHOLE, Effort, class_boxes, cut_into_blocks
from incrowd.search.cheapest._kernels import Tables, least_costs
from incrowd.search.cheapest._search_space import UNIT, PointNeeds, PointSpace, SearchSpace
from incrowd.search.levels_and_cells._candidates import Points, Wanted, with_fewer_stars
from incrowd.search.levels_and_cells._lending import LendingFormation, Records

END = Effort(0.5)
"""At the end half of the labels of a round are taken."""
DIGITS = 12
"""Losses that agree to so many decimals are equal; then the lower levels win."""


@dataclass(frozen=True, slots=True, eq=False)
class Bundle:
    """Columns that are starred together, mostly a single one: per point its values, and what values and stars cost."""

    columns: tuple[int, ...]
    values: Grouping
    costs: Counts
    full: int

    @property
    def has_stars(self) -> bool:
        """Whether there is something to hide: not where all points have the same values."""
        return len(self.values) > 1


class CellSpace(PointSpace):
    """The points of a table, where every column is a value of its lowest level or ``*``, as ``Formation`` wants them.

    ``boosts`` make the stars of a column dearer than they are, so that others are taken.
    """

    def __init__(self, table: LocalTable, bundles: Sequence[tuple[int, ...]], boosts: Mapping[int, int]) -> None:
        census = table.census
        quasi = census.codes[: len(census.quasi)]
        sizes = [len(namer.code) for namer in table.names]
        self.table = table
        self.points = group(quasi, sizes)
        self.weights = self.points.sums(census.counts)
        share = table.weights / (table.weights.max(initial=0.0) or 1.0)
        self.bundles = []
        for columns in bundles:
            codes = [quasi[at][self.points.first] for at in columns]
            values = group(codes, [sizes[at] for at in columns])
            lost = [
                np.rint(table.names[at].lost(table.names[at].floor)[code] * share[at] * UNIT)
                for at, code in zip(columns, codes, strict=True)
            ]
            costs = np.sum(lost, axis=0)[values.first].astype(np.int64)
            self.bundles.append(Bundle(columns, values, costs, sum(round(UNIT * share[at]) for at in columns)))
        self.bundles.sort(key=lambda one: (len(one.values), one.columns))  # few values first: measured to lose least
        self._boosts = boosts

    def tables(self, *, nested: bool = False) -> Tables:
        """Give the columns as the compiled loops want them: level 0 are the values, level 1 is ``*``."""
        nodes, costs, heights = [], [], []
        for one in self.bundles:
            number = len(one.values)
            nodes.append(np.arange(number))
            costs.append(one.costs)
            heights.append(int(one.has_stars))
            if one.has_stars:
                dearer = max(self._boosts.get(at, 1) for at in one.columns)
                nodes.append(np.zeros(number, dtype=np.int64))
                costs.append(one.costs + dearer * (one.full - one.costs))
        widths = [len(one.values) for one in self.bundles]
        lengths = [width * (height + 1) for width, height in zip(widths, heights, strict=True)]
        return Tables(
            place=np.array([one.values.ids for one in self.bundles], dtype=np.int32).reshape(len(widths), -1),
            heights=np.array(heights, dtype=np.int64),
            base=np.array([0, *accumulate(lengths)][:-1], dtype=np.int64),
            width=np.array(widths, dtype=np.int64),
            node=np.concatenate(nodes).astype(np.int32),
            cost=np.concatenate(costs),
            line=np.full(len(widths), -1, dtype=np.int64),
            along=np.zeros(0, dtype=np.int64),
            full=np.array([one.full for one in self.bundles], dtype=np.int64),
        )


def effort_of_look(columns: int) -> Effort:
    """Give the effort for a node that is compared: all labels are taken; the more nodes there are, the fewer steps."""
    return Effort(1.0, 100_000 // columns**2)


class StarredNode:
    """One level per column, and which cells are starred there.

    ``loss``: the arithmetic mean over all cells, weighted by the importance of columns; who is left out loses all.
    ``kept``: the share of the detail that is kept, on average over the columns, whatever their importance.
    ``stars``: per column the share of its cells that are starred. ``values``: per column how many different ones show,
    a missing one and what stands for all aside.
    """

    def __init__(self, records: Records, board: CellSpace, owner: Counts, starred: Sequence[Bools]) -> None:
        """Take the class of every point or part, -1 where it is left out, and which of the others are starred."""
        self.board, self.owner, self._records = board, owner, records
        inside = np.flatnonzero(owner >= 0)
        self.number = int(owner.max(initial=-1)) + 1
        weights, total = records.weights[inside], max(int(board.weights.sum()), 1)
        full = sum(one.full for one in board.bundles)
        cost = (total - int(weights.sum())) * full  # whole numbers, so that no order of additions matters
        self.left_out = total - int(weights.sum())
        lost: list[float] = []
        self._starred: dict[int, Bools] = {}
        self.stars: dict[str, float] = {}
        self.values: dict[str, int] = {}
        points = records.point[inside]
        for one, hidden in zip(board.bundles, starred, strict=True):
            stars = int(weights[hidden].sum())
            shown = add_up(one.values.ids[points[~hidden]], weights[~hidden], len(one.values))
            cost += stars * one.full + _exact_dot(one.costs, shown)
            by_class = np.zeros(self.number, dtype=bool)
            by_class[self.owner[inside]] = hidden
            for at in one.columns:
                self._starred[at] = by_class
                name = board.table.census.quasi[at]
                self.stars[name] = stars / total
                codes = board.table.census.codes[at][board.points.first[points[~hidden]]]
                namer = board.table.names[at]
                self.values[name] = number_of_values(namer, np.bincount(codes))
                shown_loss = float(namer.lost(namer.floor)[codes] @ weights[~hidden])
                lost.append(column_loss(namer.ladder, shown_loss + stars, int(weights.sum()), total))
        self.loss = round(cost / (total * full), DIGITS)
        self.kept = mean_detail(lost)

    @classmethod
    def formed(
        cls, board: CellSpace, block: int | None, limit: int, effort: Effort, wanted: Wanted | None = None
    ) -> Self:
        """Form classes as ``CheapestFirst`` does, with as many stars as they need; give back what is not ``wanted``."""
        formation = LendingFormation(board, block, effort=effort, limit=limit)
        formation.run()
        owner, records = formation.owner, formation.records
        inside = np.flatnonzero(owner >= 0)
        values = [one.values.ids[records.point[inside]] for one in board.bundles]
        starred = _starred_cells(values, owner[inside])
        if wanted is not None:
            saved = [one.full - one.costs[ids] for one, ids in zip(board.bundles, values, strict=True)]
            weights = records.weights[inside].astype(np.int64)
            points = Points(np.array(values, dtype=np.int32).T, np.array(starred).T, np.array(saved).T, weights)
            starred = with_fewer_stars(points, owner[inside], formation.home, wanted)
            alike = [np.where(hidden, 0, ids + 1) for hidden, ids in zip(starred, values, strict=True)]
            owner[inside] = group(alike, [len(one.values) + 1 for one in board.bundles]).ids
        return cls(records, board, owner, starred)

    @classmethod
    def plain(cls, board: CellSpace) -> Self:
        """Publish every point as it is, and leave out what then breaks the promise."""
        points = np.arange(len(board.points))
        keeps = board.keeps(points, points, len(points))
        owner = np.where(keeps, np.cumsum(keeps) - 1, -1)
        return cls(Records.of(board), board, owner, [np.zeros(int(keeps.sum()), dtype=bool) for _ in board.bundles])

    @property
    def pieces(self) -> Pieces:
        """The cells of the census, or parts of them, and their classes."""
        return self._records.pieces(self.owner)

    def labels(self) -> tuple[Labelling, ...]:
        """Call every class by its values, and by ``*`` where it is starred."""
        table, first = self.board.table, np.zeros(self.number, dtype=np.int64)
        inside = np.flatnonzero(self.owner >= 0)
        first[self.owner[inside][::-1]] = self._records.point[inside][::-1]
        result = []
        for at, namer in enumerate(table.names):
            codes = table.census.codes[at][self.board.points.first[first]]
            starred = self._starred[at]
            result.append(namer.by_group(np.where(starred, namer.height, namer.floor), np.where(starred, 0, codes)))
        return tuple(result)


def number_of_values(namer: Namer, records: Ints) -> int:
    """Count the values that show of a column, a missing one and what stands for all values aside."""
    labels = namer.ladder.labels[namer.floor]
    shown = np.flatnonzero(records)
    if len(labels) == 1 or not len(shown):
        return 0
    return len(shown) - (labels[shown[-1]] is None)  # a missing value is the last one


def _starred_cells(values: Sequence[Ints], owner: Counts) -> list[Bools]:
    """Say per bundle which points are starred: where their class does not agree."""
    if not len(owner):
        return [np.zeros(0, dtype=bool) for _ in values]
    low, high = class_boxes(np.array(values), owner, int(owner.max()) + 1)
    return list((low != high)[:, owner])


def least_loss(table: LocalTable) -> float:
    """Give a loss that no levels and stars come below.

    Whatever is published for a record is a label that covers enough records of the table, and no such label costs less
    than the cheapest; who is left out loses all.
    """
    board = SearchSpace.of(table, "hierarchy")
    costs = least_costs(board.tables(), PointNeeds.of(table).support(board), STEPS)
    total = sum(column.full for column in board.columns) * max(int(board.weights.sum()), 1)
    return round(_exact_dot(costs, board.weights) / total, DIGITS)


def _exact_dot(costs: Counts, weights: Counts) -> int:
    """Multiply and add up without rounding: halves of costs stay far below what 64 bits hold."""
    high, low = costs >> 24, costs & (2**24 - 1)
    return (int((high * weights).sum()) << 24) + int((low * weights).sum())


def sample_of(problem: Problem, lowest: LocalTable, bundles: Sequence[tuple[int, ...]]) -> Problem:
    """Give a long table's part on which levels are compared: blocks of neighbours, evenly chosen; else the whole."""
    board = CellSpace(lowest, bundles, {})
    if len(board.points) <= WHOLE:
        return problem
    blocks = cut_into_blocks(board.tables, board.weights, BLOCK * max(least_size(problem.model), 5))
    every = max(1, len(board.points) * 2 // WHOLE)
    points = np.zeros(len(board.points), dtype=bool)
    points[np.concatenate(blocks[::every])] = True
    inside = points[board.points.ids]
    census = lowest.census
    part = replace(
        census,
        codes=tuple(codes[inside] for codes in census.codes),
        person=None if census.person is None else census.person[inside],
        counts=census.counts[inside],
    )
    limit = problem.limit * part.records // max(census.records, 1)
    return replace(problem, census=part, limit=limit, part=True)


def column_losses(table: LocalTable, least: int) -> list[Floats]:
    """Give per column and level what it loses at least: its groups, and stars for those that are too small for a class.

    From the level of the census on; columns weigh as they are important, together 1.
    """
    result, total = [], max(table.census.records, 1)
    for namer, records, weight in zip(
        table.names, table.census.marginals, table.weights / table.weights.sum(), strict=True
    ):
        losses = []
        for level in range(namer.floor, namer.height + 1):
            groups = namer.group_of(level)
            sizes = np.bincount(groups, weights=records, minlength=len(namer.lost(level)))
            losses.append(float(np.where(sizes < least, 1.0, namer.lost(level)) @ sizes) / total * weight)
        result.append(np.array(losses))
    return result
