"""Records that large classes lend to groups that lack some, so that a class need not take over the group's stars."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from incrowd.search._local_recoding import LocalTable, Pieces
from incrowd.search._problem import Bools, Counts, Floats, Ints
from incrowd.search.cheapest._formation import Formation, PointGroups
from incrowd.search.cheapest._search_space import PointSpace, stretch_places

LENDERS, TIMES = 4, 4
"""So many points are asked for records at most, for so many amounts: what is lacking, then twice as much each time."""
MOVERS, FEW_MOVERS = 50, 5
"""So many groups borrow at most, at the end and where nodes are compared."""


@dataclass(slots=True, eq=False)
class Records:
    """The records of every point, and of the parts that were lent: how many of which cells, and which point they are.

    ``starts`` says where the cells of every point or part begin.
    """

    table: LocalTable
    point: Counts
    weights: Counts
    cells: Ints
    counts: Counts
    starts: Counts

    @classmethod
    def of(cls, board: PointSpace) -> Records:
        """Begin with all records at their points; the cells of a point stand side by side."""
        census = board.table.census
        starts = np.append(board.points.first, len(census)).astype(np.int64)
        counts = census.counts.astype(np.int64)
        return cls(board.table, np.arange(len(board.points)), board.weights, np.arange(len(census)), counts, starts)

    def keeps(self, points: Ints, classes: Ints, number: int) -> Bools:
        """Say which classes keep the promise, from points or parts, the class of each, and how many there are."""
        places, which = stretch_places(self.starts, points)
        some = self.counts[places] > 0
        places, which = places[some], which[some]
        return self.table.keeps(self.cells[places], classes[which], number, self.counts[places])

    def lent(self, point: int, number: int) -> Records:
        """Let a point lend so many records, of its cells in proportion; they are the last part."""
        places = np.arange(self.starts[point], self.starts[point + 1])
        taken = shares(self.counts[places], number)
        counts, weights = self.counts.copy(), self.weights.copy()
        counts[places] -= taken
        weights[point] -= number
        some = places[taken > 0]
        return Records(
            self.table,
            np.append(self.point, self.point[point]),
            np.append(weights, number),
            np.append(self.cells, self.cells[some]),
            np.append(counts, taken[taken > 0]),
            np.append(self.starts, self.starts[-1] + len(some)),
        )

    def pieces(self, owner: Counts) -> Pieces:
        """Give the cells, and the parts of cells, with the class of each."""
        some = self.counts > 0
        classes = np.repeat(owner, np.diff(self.starts))
        return Pieces(self.cells[some], classes[some].astype(np.int64), self.counts[some])


def shares(counts: Counts, number: int) -> Counts:
    """Take so many of some counts in proportion; the largest remainders are rounded up, of equal ones the first."""
    total = max(int(counts.sum()), 1)
    taken = counts * number // total
    rest = counts * number - taken * total
    order = np.argsort(-rest, kind="stable")[: number - int(taken.sum())]
    taken[order] += 1
    return taken


class LendingFormation(Formation):
    """A formation in which points of large classes lend records, where that is cheaper than to merge or leave out."""

    def finish(self, groups: PointGroups) -> None:
        """Let groups that lack something borrow it, be left out, or join others until all keep the promise."""
        self.records = Records.of(self.board)
        table = self.board.table
        lends = table.problem.schema.count is None and not table.has_persons
        if lends and (self.thorough or table.upward_closed):
            self._lend(groups, within_loss=self._limit > 0)
            lends = self._limit > 0
        if self._limit:
            groups.leave_out(self._tables, self.records.weights, self._limit)
        if lends and (self.thorough or table.upward_closed):
            self._lend(groups, within_loss=False)
        self.settle(groups, self.records.keeps, self.records.weights)

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
            for number in (lacks * 2 ** np.arange(TIMES)).tolist():
                rise = size * (together[at] - before) + number * (together[at] - own[at])
                if rise >= most or number + least > weights[lender]:
                    break
                tried = self.records.lent(lender, number)
                both = np.concatenate((inside, [len(weights), lender]))
                if tried.keeps(both, np.repeat([0, 1], [len(inside) + 1, 1]), 2).all():
                    self.records = tried
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
