"""The stars of one node: columns at given levels, the cheapest cells to hide, records that large classes lend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import attrgetter
from typing import Self

import numpy as np

from incrowd.core import Grouping, Labelling, Namer, add_up, group
from incrowd.measures import column_loss, mean_detail
from incrowd.search._local_recoding import LocalTable, Pieces
from incrowd.search._problem import Bools, Counts, Floats, Ints
from incrowd.search.cheapest._formation import Effort, Formation, PointGroups, class_boxes
from incrowd.search.cheapest._kernels import Tables
from incrowd.search.cheapest._search_space import UNIT, PointNeeds, PointSpace
from incrowd.search.levels_and_cells._candidates import Points, Wanted, with_fewer_stars
from incrowd.search.levels_and_cells._records import LENDERS, Records, amounts
from incrowd.search.levels_and_cells._regrouping import Regrouping, number_of_looks

MOVERS, FEW_MOVERS = 50, 5
"""So many groups borrow at most, at the end and where nodes are compared."""
DIGITS = 12
"""Losses that agree to so many decimals are equal; then the lower levels win."""
END = Effort(0.5)
"""At the end half of the labels of a round are taken."""


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


class LendingFormation(Formation):
    """A formation in which points of large classes lend records, where that is cheaper than to merge or leave out."""

    lends: bool = True

    def __init__(self, board: CellSpace, block: int | None, effort: Effort, limit: int) -> None:
        super().__init__(board, block, effort=effort, limit=limit)
        self.cells = board

    def finish(self, groups: PointGroups) -> None:
        """Let groups that lack something borrow it, be left out, or join others until all keep the promise."""
        self.records = Records.of(self.board, self.needs)
        lends = self.may_lend and (self.thorough or self.board.table.upward_closed)
        if lends:
            self._lend(groups, within_loss=self._limit > 0)
        if self._limit:
            groups.leave_out(self._tables, self.records.weights, self._limit)
            if lends:
                self._lend(groups, within_loss=False)
        self.settle(groups, self.records.keeps, self.records.weights)

    @property
    def may_lend(self) -> bool:
        """Whether the records of a point may part: not those of a row that is several, nor the rows of people."""
        table = self.board.table
        return self.lends and table.problem.schema.count is None and not table.has_persons

    @property
    def least_size(self) -> int:
        """How many records a class has at least."""
        return self._least_size()

    @property
    def thorough(self) -> bool:
        """Whether this is no quick look: then classes that need more than records borrow too."""
        return self._effort.share < 1

    def _lend(self, groups: PointGroups, *, within_loss: bool) -> None:
        """Let groups borrow, one after the other, the one first that would cost most to merge."""
        full, tried = float(self._tables.full.sum()), set[int]()
        while len(tried) < (MOVERS if self.thorough else FEW_MOVERS):
            movers = np.array(
                [one for one in np.flatnonzero(~groups.good).tolist() if one not in tried], dtype=np.int64
            )
            lenders = self._lenders(groups) if len(movers) else movers
            if not len(lenders):
                return
            weights = self.records.weights
            rises = groups.rises(self._tables, weights, movers, np.flatnonzero(groups.good))
            for at in np.argsort(-rises, kind="stable").tolist():
                inside = np.flatnonzero(groups.owner == movers[at])
                most = float(rises[at])
                if within_loss:
                    most = min(most, int(weights[inside].sum()) * full)
                tried.add(int(movers[at]))
                if self._borrow(groups, inside, lenders, most):
                    break  # who has not borrowed yet may join this class
            else:
                return

    def _lenders(self, groups: PointGroups) -> Counts:
        """Give the points that are a class of their own and have more records than one needs."""
        alone = np.bincount(groups.owner[groups.owner >= 0], minlength=len(groups.home)) == 1
        able = np.append(alone & groups.good, False)[groups.owner]
        return np.flatnonzero(able & (self.records.weights > self._least_size()))

    def _borrow(self, groups: PointGroups, inside: Counts, lenders: Counts, most: float) -> bool:
        """Let a group borrow records of a point, if that costs less than so much and both then keep the promise."""
        weights, least = self.records.weights, self._least_size()
        size = int(weights[inside].sum())
        lacks = max(least - size, 1)
        lenders = lenders[weights[lenders] >= least + lacks]
        before, together, own = self._label_costs(inside, lenders)
        rises = size * (together - before) + lacks * (together - own)
        for at in np.argsort(rises, kind="stable")[:LENDERS]:
            lender = int(lenders[at])
            for number in amounts(lacks):
                rise = size * (together[at] - before) + number * (together[at] - own[at])
                if rise >= most or number + least > weights[lender]:
                    break
                lent = self.records.loan(lender, number, inside, np.array([lender]))
                if lent is not None:
                    self.records = lent
                    place = np.column_stack((self._tables.place, self._tables.place[:, lender]))
                    self._tables = self._tables._replace(place=np.ascontiguousarray(place))
                    mover = groups.owner[inside[0]]
                    groups.owner = np.append(groups.owner, mover)
                    groups.good[mover] = True
                    return True
        return False

    def _label_costs(self, inside: Counts, lenders: Counts) -> tuple[float, Floats, Floats]:
        """Give what the label of a group costs; per lender that of both together, and what its own values cost."""
        tables, before = self._tables, 0.0
        together, own = np.zeros((2, len(lenders)))
        for place, base, width, height in zip(tables.place, tables.base, tables.width, tables.heights, strict=True):
            values = tables.cost[base : base + width]
            stars = tables.cost[base + height * width : base + (height + 1) * width]
            first, here = place[inside[0]], place[lenders]
            same = bool((place[inside] == first).all())
            before += float(values[first] if same else stars[first])
            together += np.where(same & (here == first), values[here], stars[here])
            own += values[here]
        return before, together, own


class StarredNode:
    """One level per column, and which cells are starred there.

    ``loss``: the arithmetic mean over all cells, weighted by the importance of columns; who is left out loses all.
    ``kept``: the share of the detail that is kept, on average over the columns, whatever their importance.
    ``stars``: per column the share of its cells that are starred. ``values``: per column how many different ones show,
    a missing one and what stands for all aside.
    """

    def __init__(
        self,
        records: Records,
        board: CellSpace,
        owner: Counts,
        starred: Sequence[Bools],
        formation: tuple[LendingFormation, Wanted | None] | None = None,
    ) -> None:
        """Take the class of every point or part, -1 where it is left out, and which of the others are starred."""
        self.board, self.owner, self._records = board, owner, records
        self.other: Self | None = None  # the same formed in another way, which loses as much or more so far
        self._formation = formation
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
            cost += stars * one.full + exact_dot(one.costs, shown)
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
        """Form classes as ``CheapestFirst`` does, with as many stars as they need; give back what is not ``wanted``.

        Where stars are given back, what merely fits may be company enough: then it is tried without lending too.
        """
        lent = cls._formed(board, block, limit, effort, wanted, lends=True)
        if wanted is None:
            return lent
        one, other = sorted(
            (cls._formed(board, block, limit, effort, wanted, lends=False), lent), key=attrgetter("loss")
        )
        one.other = other
        return one

    @classmethod
    def _formed(
        cls, board: CellSpace, block: int | None, limit: int, effort: Effort, wanted: Wanted | None, *, lends: bool
    ) -> Self:
        formation = LendingFormation(board, block, effort, limit)
        formation.lends = lends
        formation.run()
        return cls._starred_by(formation, formation.records, (formation.owner, formation.home), wanted)

    @property
    def both(self) -> tuple[Self, ...]:
        """The two ways in which it was formed, if there are two."""
        return (self,) if self.other is None else (self, self.other)

    def regrouped(self) -> Self:
        """Look at the same classes again; long tables stay as they are."""
        if self._formation is None or not number_of_looks(self._records, len(self.board.bundles)):
            return self
        formation, wanted = self._formation
        again = Regrouping(
            formation.records, formation.board.tables(), (formation.owner, formation.home), formation.least_size
        )
        again.run(lends=formation.may_lend)
        return self._starred_by(formation, again.records, again.classes(), wanted)

    @classmethod
    def _starred_by(
        cls, formation: LendingFormation, records: Records, formed: tuple[Counts, Counts], wanted: Wanted | None
    ) -> Self:
        """Star what classes do not agree on, by the class of every point or part, and the block of every class."""
        board, owner, home = formation.cells, formed[0].copy(), formed[1]
        inside = np.flatnonzero(owner >= 0)
        values = [one.values.ids[records.point[inside]] for one in board.bundles]
        starred = _starred_cells(values, owner[inside])
        if wanted is not None:
            saved = [one.full - one.costs[ids] for one, ids in zip(board.bundles, values, strict=True)]
            weights = records.weights[inside].astype(np.int64)
            points = Points(np.array(values, dtype=np.int32).T, np.array(starred).T, np.array(saved).T, weights)
            starred = with_fewer_stars(points, owner[inside], home, wanted)
            alike = [np.where(hidden, 0, ids + 1) for hidden, ids in zip(starred, values, strict=True)]
            owner[inside] = group(alike, [len(one.values) + 1 for one in board.bundles]).ids
        return cls(records, board, owner, starred, (formation, wanted))

    @classmethod
    def plain(cls, board: CellSpace) -> Self:
        """Publish every point as it is, and leave out what then breaks the promise."""
        points = np.arange(len(board.points))
        keeps = board.keeps(points, points, len(points))
        owner = np.where(keeps, np.cumsum(keeps) - 1, -1)
        records = Records.of(board, PointNeeds.of(board.table))
        return cls(records, board, owner, [np.zeros(int(keeps.sum()), dtype=bool) for _ in board.bundles])

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


def exact_dot(costs: Counts, weights: Counts) -> int:
    """Multiply and add up without rounding: halves of costs stay far below what 64 bits hold."""
    high, low = costs >> 24, costs & (2**24 - 1)
    return (int((high * weights).sum()) << 24) + int((low * weights).sum())
