"""``Regrouping``: classes that were formed one by one, looked at again: a label that saves something gets a class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from incrowd.core import add_up, group
from incrowd.search._problem import Bools, Counts, Floats, Ints
from incrowd.search.cheapest._kernels import Tables
from incrowd.search.levels_and_cells._records import LENDERS, Records, amounts

WORK, PASS = 15_000_000, 25
"""What may be looked at, an item in a column each time; nothing in tables of which that is fewer than so many looks."""
JUDGED = 4
"""Where classes must be judged, so much less is looked at."""
MASKS, FEW_COLUMNS = 32, 5
"""So many sets of starred columns are tried, those first that most records have; with few columns all of them."""
ROUNDS, MOST_ELSEWHERE = 6, 12
"""So many rounds; so many items of a class go elsewhere at most."""

Way = list[tuple[int, int]]
"""Items, and the class that each goes to."""


def number_of_looks(records: Records, columns: int) -> int:
    """Say how many labels may be looked at; none in long tables, which then need no memory for it."""
    looks = WORK // max(len(records.weights) * columns, 1) // (1 if records.needs.enough else JUDGED)
    return looks if looks >= PASS else 0


class Label(NamedTuple):
    """The columns that it stars, and an item that it covers."""

    stars: Bools
    item: int


class Move(NamedTuple):
    """Items that get a class of their own, items that go elsewhere because of it, and what the first ones save."""

    takers: Ints
    others: Way
    saved: float


class Regrouping:
    """Items (points, and parts of them that were lent) in classes, and labels under which they would lose less.

    A label gets a class of all whom it covers, who lose less there, and who can be spared where they are: the rest of
    their class keeps the promise, or goes to other classes for less than is saved. Where they are not enough, one of
    those who lose more there lends some records. Every class that changes keeps the promise.
    """

    def __init__(self, records: Records, tables: Tables, formed: tuple[Counts, Counts], least: int) -> None:
        """Take the class of every item, -1 where it is left out, and the block of every class."""
        owner, home = formed
        tables = tables._replace(place=np.ascontiguousarray(tables.place[:, records.point]))
        self.records, self.owner, self._home, self._least = records, owner.copy(), home, least
        self._places = tables.place.astype(np.int64)
        self._values, self._stars = _item_costs(tables)
        self._able = np.flatnonzero(tables.heights > 0)
        self._looks = number_of_looks(records, len(tables.heights))
        number, inside = int(owner.max(initial=-1)) + 1, np.flatnonzero(owner >= 0)
        some = np.zeros(number, dtype=np.int64)
        some[owner[inside][::-1]] = inside[::-1]
        self._called = self._places[:, some]
        self._hidden = np.zeros_like(self._called, dtype=bool)
        for hidden, called, place in zip(self._hidden, self._called, self._places, strict=True):
            hidden[owner[inside][place[inside] != called[owner[inside]]]] = True
        self._costs = np.full(len(owner), int(tables.full.sum()), dtype=np.int64)  # who is left out loses all
        self._costs[inside] = self._costs_under(self._hidden[:, owner[inside]], inside)

    def run(self, *, lends: bool) -> None:
        """Try labels, those first that could save most, until no more class is formed or enough was looked at."""
        changed = np.ones(len(self.owner), dtype=bool)
        for _ in range(ROUNDS if self._looks else 0):
            labels = self._wanted_labels(changed)
            before = self._costs.copy()
            for label in labels[: self._looks]:
                self._try_label(label, lends=lends)
            self._looks -= len(labels)
            changed = np.append(before != self._costs[: len(before)], np.ones(len(self._costs) - len(before), bool))
            if self._looks <= 0 or not changed.any():
                return

    def classes(self) -> tuple[Counts, Counts]:
        """Give the class of every item, and the block of every class; no number is left free."""
        used, ids = np.unique(self.owner[self.owner >= 0], return_inverse=True)
        owner = np.full(len(self.owner), -1, dtype=np.int64)
        owner[self.owner >= 0] = ids
        return owner, self._home[used]

    def _costs_under(self, hidden: Bools, items: Ints | slice) -> Counts:
        """Give what a record of items costs; ``hidden`` says per column, or per column and item, what is starred."""
        stars = hidden if hidden.ndim > 1 else hidden[:, None]
        return np.asarray(np.where(stars, self._stars[:, items], self._values[:, items]).sum(axis=0))

    # Labels that could save something.

    def _wanted_labels(self, changed: Bools) -> list[Label]:
        """Give the labels that cover enough records, some of which lose less there, and that cover what has changed."""
        labels: list[Label] = []
        savings: list[Floats] = []
        weights = self.records.weights
        for stars in self._starred_sets():
            shown = self._places[~stars]
            same = group(
                [*shown, np.zeros(len(self.owner), dtype=np.int64)], [*(shown.max(axis=1, initial=0) + 1).tolist(), 1]
            )
            saved = np.maximum(self._costs - self._costs_under(stars, slice(None)), 0) * weights.astype(np.float64)
            together = np.bincount(same.ids, weights=saved, minlength=len(same))
            wanted = (together > 0) & (add_up(same.ids, weights, len(same)) >= self._least)
            wanted &= np.bincount(same.ids, weights=changed & (saved > 0), minlength=len(same)) > 0
            labels += [Label(stars, int(same.first[at])) for at in np.flatnonzero(wanted)]
            savings.append(np.asarray(together[wanted]))
        order = np.argsort(-np.concatenate(savings), kind="stable")
        return [labels[at] for at in order]

    def _starred_sets(self) -> Sequence[Bools]:
        columns = len(self._places)
        if len(self._able) <= FEW_COLUMNS:
            numbers = np.arange(1 << len(self._able))
            sets = np.zeros((len(numbers), columns), dtype=bool)
            sets[:, self._able] = (numbers[:, None] >> np.arange(len(self._able))) & 1
            return list(sets)
        inside = self.owner >= 0
        hidden = self._hidden[:, self.owner[inside]]
        kinds = group(list(hidden.astype(np.int64)), [2] * columns)
        order = np.argsort(-kinds.sums(self.records.weights[inside]), kind="stable")[:MASKS]
        return [hidden[:, kinds.first[at]] for at in order]

    # A label gets a class.

    def _try_label(self, label: Label, *, lends: bool) -> None:
        stars, item = label
        covered = (self._places[~stars] == self._places[~stars, item][:, None]).all(axis=0)
        covered &= self.records.weights > 0
        there = self._costs_under(stars, slice(None))
        move = self._move_of(np.flatnonzero(covered & (self._costs > there)), there)
        if not len(move.takers):
            return
        if self.records.keeps(move.takers, np.zeros(len(move.takers), dtype=np.int64), 1).all():
            self._apply(move, move.takers)
        elif lends:
            self._borrow(move, np.flatnonzero(covered & (self._costs <= there)), there)

    def _move_of(self, takers: Ints, there: Counts) -> Move:
        """Choose among those who would lose less the ones who can be spared."""
        classes, others = self.owner[takers], Way()
        gains = (self._costs - there)[takers] * self.records.weights[takers].astype(np.float64)
        touched = np.unique(classes[classes >= 0])
        among = np.zeros(self._called.shape[1] + 1, dtype=bool)  # the last one is that of nobody
        among[touched] = True
        stays = among[self.owner]
        stays[takers] = False
        rest = np.flatnonzero(stays)
        left, which = np.unique(self.owner[rest], return_inverse=True)
        kept = self.records.keeps(rest, which, len(left))
        held = np.zeros(len(among), dtype=bool)
        for at in np.flatnonzero(~kept).tolist():
            saved = float(gains[classes == left[at]].sum())
            way = self._way_elsewhere(rest[which == at], saved, touched)
            if way:
                others += way
            else:
                held[left[at]] = True
        free = ~held[classes]
        rises = sum(self._rise(item, to) for item, to in others)
        return Move(takers[free], others, float(gains[free].sum()) - rises)

    def _rise(self, item: int, to: int) -> float:
        cost = int(self._costs_under(self._hidden[:, to], np.array([item]))[0])
        return float(cost - self._costs[item]) * float(self.records.weights[item])

    def _way_elsewhere(self, rest: Ints, saved: float, touched: Ints) -> Way:
        """Give for some items the cheapest classes that cover them; nothing if that costs what is saved, or more."""
        found = Way()
        if len(rest) > MOST_ELSEWHERE or not self.records.table.upward_closed:
            return found
        for item in rest.tolist():
            fits = (self._hidden | (self._called == self._places[:, item][:, None])).all(axis=0)
            fits[touched] = False
            able = np.flatnonzero(fits)
            rises = [self._rise(item, to) for to in able.tolist()]
            saved -= min(rises, default=saved)
            if saved <= 0:
                return Way()
            found.append((item, int(able[int(np.argmin(rises))])))
        return found

    def _borrow(self, move: Move, lenders: Ints, there: Counts) -> None:
        """Let one of those who lose more under a label lend records, if that costs less than is saved."""
        weights, part = self.records.weights, np.array([len(self.owner)])
        lacks = max(self._least - int(weights[move.takers].sum()), 1)
        busy = np.zeros(len(self.owner), dtype=bool)
        busy[[*move.takers.tolist(), *(item for item, _ in move.others)]] = True
        rises = (there - self._costs)[lenders]
        for at in np.argsort(rises, kind="stable")[:LENDERS]:
            lender = int(lenders[at])
            members = np.flatnonzero(self.owner == self.owner[lender])
            if busy[members].any():
                continue
            for number in amounts(lacks):
                if number >= weights[lender] or number * float(rises[at]) >= move.saved:
                    break
                lent = self.records.loan(lender, number, move.takers, members)
                if lent is not None:
                    self._add_part(lent, lender)
                    self._apply(move, np.concatenate((move.takers, part)))
                    return

    def _add_part(self, records: Records, lender: int) -> None:
        self.records = records
        self._places, self._values, self._stars = (
            np.column_stack((one, one[:, lender])) for one in (self._places, self._values, self._stars)
        )
        self.owner = np.append(self.owner, self.owner[lender])
        self._costs = np.append(self._costs, self._costs[lender])

    def _apply(self, move: Move, items: Ints) -> None:
        """Put items into a class of their own, and call all classes by what they have now."""
        for item, to in move.others:
            self.owner[item] = to
            self._costs[item] = self._costs_under(self._hidden[:, to], np.array([item]))[0]
        before = np.unique(self.owner[items])
        before = before[before >= 0]
        new = self._called.shape[1]
        self._home = np.append(self._home, self._home[before[:1]] if len(before) else 0)
        self.owner[items] = new
        self._called = np.column_stack((self._called, self._places[:, items[0]]))
        self._hidden = np.column_stack((self._hidden, np.zeros(len(self._hidden), dtype=bool)))
        for one in [*before.tolist(), new]:
            members = np.flatnonzero(self.owner == one)
            if len(members):
                self._called[:, one] = self._places[:, members[0]]
                self._hidden[:, one] = (self._places[:, members] != self._called[:, one][:, None]).any(axis=1)
                self._costs[members] = self._costs_under(self._hidden[:, one], members)
            else:
                self._called[:, one], self._hidden[:, one] = -1, False  # a class of nobody covers nobody


def _item_costs(tables: Tables) -> tuple[Counts, Counts]:
    """Give per column what the value of every item costs, and what its star does."""
    values, stars = np.zeros((2, *tables.place.shape), dtype=np.int64)
    rows = zip(tables.place, tables.base, tables.width, tables.heights, strict=True)
    for at, (place, base, width, height) in enumerate(rows):
        values[at], stars[at] = tables.cost[base + place], tables.cost[base + height * width + place]
    return values, stars
