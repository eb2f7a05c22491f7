"""``Records`` of the points of a table, and of parts of them that large classes lend to records that stand out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from incrowd.core import add_up, group
from incrowd.search._local_recoding import LocalTable, Pieces
from incrowd.search._problem import Bools, Counts, Ints
from incrowd.search.cheapest._search_space import PointNeeds, PointSpace, stretch_places

LENDERS, TIMES = 4, 7
"""So many points are asked for records at most, for so many amounts: what is lacking, then twice as much each time."""
NEW = 3
"""So many records are lent because of what they are; the others in proportion."""


def amounts(lacks: int) -> list[int]:
    """Give how many records are asked for, one amount after the other, by how many are lacking."""
    return [lacks * 2**time for time in range(TIMES)]


@dataclass(slots=True, eq=False)
class Records:
    """The records of every point, and of the parts that were lent: how many of which cells, and which point they are.

    ``starts`` says where the cells of every point or part begin, ``kinds`` per cell of the table which of the values it
    has that the promise is about, and ``needs`` what a class must have.
    """

    table: LocalTable
    point: Counts
    weights: Counts
    cells: Ints
    counts: Counts
    starts: Counts
    kinds: Ints
    needs: PointNeeds

    @classmethod
    def of(cls, board: PointSpace, needs: PointNeeds) -> Records:
        """Begin with all records at their points; the cells of a point stand side by side."""
        census = board.table.census
        starts = np.append(board.points.first, len(census)).astype(np.int64)
        counts = census.counts.astype(np.int64)
        cells, kinds = np.arange(len(census)), _kinds_of(board.table)
        return cls(board.table, np.arange(len(board.points)), board.weights, cells, counts, starts, kinds, needs)

    def keeps(self, points: Ints, classes: Ints, number: int) -> Bools:
        """Say which classes keep the promise, from points or parts, the class of each, and how many there are."""
        places, which = stretch_places(self.starts, points)
        some = self.counts[places] > 0
        places, which = places[some], which[some]
        cells, which, counts = self.cells[places], classes[which].astype(np.int64), self.counts[places]
        result = _have_sums(self.needs, cells, which, counts, number)
        if not self.needs.enough and result.any():
            some, rank = result[which], np.cumsum(result) - 1
            result[result] = self.table.keeps(cells[some], rank[which[some]], int(result.sum()), counts[some])
        return result

    def loan(self, lender: int, number: int, takers: Ints, members: Ints) -> Records | None:
        """Let a point lend so many records, if its takers and its class, ``members``, then keep the promise.

        In proportion to what its records are; where the takers lack a value, one that has it is among them.
        """
        part = len(self.weights)
        both, classes = np.concatenate((takers, [part], members)), np.repeat([0, 1], [len(takers) + 1, len(members)])
        for new in range(min(NEW, number) + 1):
            tried = self._lent(lender, number, self._lacking(lender, takers, new))
            if tried is not None and tried.keeps(both, classes, 2).all():
                return tried
        return None

    def _lacking(self, lender: int, takers: Ints, new: int) -> Counts | None:
        """Take so many records of a point that are of kinds which the takers lack, the most frequent kinds first."""
        counts = self.counts[self.starts[lender] : self.starts[lender + 1]]
        taken = np.zeros(len(counts), dtype=np.int64)
        if new:
            kinds = self.kinds[self.cells[self.starts[lender] : self.starts[lender + 1]]]
            places, _ = stretch_places(self.starts, takers)
            known = self.kinds[self.cells[places[self.counts[places] > 0]]]
            order = np.argsort(-counts, kind="stable")
            order = order[(counts > 0)[order] & ~np.isin(kinds[order], known)]
            first = np.sort(np.unique(kinds[order], return_index=True)[1])[:new]
            taken[order[first]] = 1
        return taken if int(taken.sum()) == new else None

    def _lent(self, lender: int, number: int, first: Counts | None) -> Records | None:
        """Let a point lend so many records: some ``first``, the others in proportion; they are the last part."""
        if first is None:
            return None
        places = np.arange(self.starts[lender], self.starts[lender + 1])
        taken = first + shares(self.counts[places] - first, number - int(first.sum()))
        counts, weights = self.counts.copy(), self.weights.copy()
        counts[places] -= taken
        weights[lender] -= number
        some = places[taken > 0]
        return Records(
            self.table,
            np.append(self.point, self.point[lender]),
            np.append(weights, number),
            np.append(self.cells, self.cells[some]),
            np.append(counts, taken[taken > 0]),
            np.append(self.starts, self.starts[-1] + len(some)),
            self.kinds,
            self.needs,
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


def _have_sums(needs: PointNeeds, cells: Ints, classes: Ints, counts: Counts, number: int) -> Bools:
    """Say which classes have what they need: where that is all, the same as judging them, and quicker."""
    result = np.ones(number, dtype=bool)
    for one in needs.sums:
        if one.kinds is None:
            result &= add_up(classes, counts * one.worth[cells], number) >= one.least
        else:
            pairs = _different(classes * len(one.worth) + one.kinds[cells], number * len(one.worth))
            result &= add_up(pairs // len(one.worth), one.worth[pairs % len(one.worth)], number) >= one.least
    return result


def _different(keys: Counts, most: int) -> Counts:
    """Give the different ones of some numbers below another."""
    if most > 64 * len(keys):
        return np.unique(keys)
    seen = np.zeros(most, dtype=bool)
    seen[keys] = True
    return np.flatnonzero(seen)


def _kinds_of(table: LocalTable) -> Ints:
    """Give per cell which of the values it has that the promise is about; all the same where it is about none."""
    names = sorted({name for judge in table.judges for name in judge.columns})
    codes = [table.sensitive_codes(name) for name in names] or [np.zeros(len(table.census), dtype=np.int64)]
    return group(codes, [int(code.max(initial=0)) + 1 for code in codes]).ids
