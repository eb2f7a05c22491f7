"""The classes of ``SwapDiversity``: made of a raised table, merged, and changed by swapping records."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import ParameterError
from incrowd.search._ascent import Raised
from incrowd.search._local import LocalTable, Pieces
from incrowd.search.swap_diversity._kernels import Groups, Parts, Tree, best_merger, best_swap, refresh

Counts = npt.NDArray[np.int64]
Ints = npt.NDArray[np.integer]

MOST = 200_000_000
"""So many pairs of a class and a category are counted at most."""


class Crowds:
    """Classes that records move between.

    ``kinds``: the sensitive category of every cell, -1 where a missing value is none; ``wanted``: how many every class
    shall have.
    """

    def __init__(self, table: LocalTable, raised: Raised, kinds: Ints, wanted: int) -> None:
        self._wanted = wanted
        self._tree = _tree(table)
        self._parts = _parts(table, raised, kinds)
        self._groups = _groups(len(raised.sizes), int(kinds.max(initial=0)) + 1, len(table.names))
        self._used = len(raised.rows)
        _chain(self._parts, self._groups, self._used)
        refresh(np.arange(len(raised.sizes)), self._parts, self._groups, self._tree)

    @property
    def sizes(self) -> Counts:
        """The records of every class; 0 for classes that were merged with others."""
        return self._groups.size

    def smallest_below(self, k: int) -> int | None:
        """Give the smallest of the classes that have fewer than k records, if there is one."""
        small = np.flatnonzero((self.sizes > 0) & (self.sizes < k))
        return int(small[np.argmin(self.sizes[small])]) if len(small) else None

    def least_diverse(self) -> int | None:
        """Give the class with the fewest categories, then records, if it has fewer categories than wanted."""
        poor = np.flatnonzero((self.sizes > 0) & (self._groups.different < self._wanted))
        if not len(poor):
            return None
        return int(poor[np.lexsort((self.sizes[poor], self._groups.different[poor]))[0]])

    def swap(self, number: int) -> bool:
        """Swap a record of a class with one of another so that it gets one more category; say whether one was found."""
        mine = self._members(number)
        mine = mine[np.argsort(self._parts.cell[mine])]
        one, other = best_swap(mine, self._wanted, self._parts, self._groups, self._tree)
        if one < 0:
            return False
        there = int(self._parts.owner[other])
        self._move(one, there)
        self._move(other, number)
        self._refresh(number, there)
        return True

    def merge(self, number: int, *, for_kinds: bool = True) -> None:
        """Merge a class with the one that adds least to the cost; first of all with one that has what it lacks.

        The class ``number`` is gone afterwards. Without ``for_kinds`` only the cost counts.
        """
        wanted = self._wanted if for_kinds else 0
        there = int(best_merger(number, wanted, self._groups, self._tree))
        members = self._members(number)
        self._parts.owner[members] = there
        self._parts.after[members] = np.append(members[1:], self._groups.first[there])
        self._groups.first[there] = members[0]
        self._groups.first[number] = -1
        self._refresh(number, there)

    def pieces(self) -> Pieces:
        """Give the class of every record."""
        present = np.flatnonzero(self.sizes)
        used = np.flatnonzero(self._parts.records[: self._used])
        classes = np.searchsorted(present, self._parts.owner[used])
        return Pieces(self._parts.cell[used], classes.astype(np.int64), self._parts.records[used])

    def _members(self, number: int) -> Counts:
        """Give the parts of a class that have records."""
        parts, used = self._parts, self._used
        return np.flatnonzero((parts.owner[:used] == number) & (parts.records[:used] > 0))

    def _move(self, part: int, there: int) -> None:
        """Move one record of a part to another class."""
        if self._used == len(self._parts.cell):
            self._parts = _longer(self._parts)
        parts, new = self._parts, self._used
        self._used += 1
        parts.records[part] -= 1
        for array in (parts.cell, parts.kind, parts.place):
            array[new] = array[part]
        parts.owner[new], parts.records[new] = there, 1
        parts.after[new] = self._groups.first[there]
        self._groups.first[there] = new

    def _refresh(self, *numbers: int) -> None:
        refresh(np.array(numbers, dtype=np.int64), self._parts, self._groups, self._tree)


def _tree(table: LocalTable) -> Tree:
    levels = [range(namer.floor, namer.height + 1) for namer in table.names]
    groups, starts, total = [], np.zeros((len(levels), max(map(len, levels))), dtype=np.int64), 0
    for column, namer in enumerate(table.names):
        for number, level in enumerate(levels[column]):
            starts[column, number] = total
            groups.append(namer.group_of(level)[namer.code].astype(np.int32))
            total += len(namer.code)
    return Tree(np.concatenate(groups), starts)


def _parts(table: LocalTable, raised: Raised, kinds: Ints) -> Parts:
    census = table.census
    places = [namer.place[codes] for namer, codes in zip(table.names, census.codes, strict=False)]
    return Parts(
        cell=np.arange(len(census)),
        owner=raised.rows.astype(np.int64),
        kind=kinds.astype(np.int64),
        records=census.counts.astype(np.int64),
        place=np.ascontiguousarray(np.stack(places, axis=1).astype(np.int32)),
        after=np.full(len(census), -1, dtype=np.int64),
    )


def _groups(number: int, kinds: int, columns: int) -> Groups:
    if number * kinds > MOST:
        msg = f"SwapDiversity counts {kinds:,} sensitive values in {number:,} classes, and can count {MOST:,} pairs."
        raise ParameterError(msg, hint="give the sensitive column categories, or allow fewer outliers.")
    return Groups(
        first=np.full(number, -1, dtype=np.int64),
        size=np.zeros(number, dtype=np.int64),
        different=np.zeros(number, dtype=np.int64),
        kinds=np.zeros((number, kinds), dtype=np.int32),
        cost=np.zeros(number, dtype=np.int64),
        edges=np.zeros((number, columns, 6), dtype=np.int64),
    )


def _longer(parts: Parts) -> Parts:
    """Make room for as many parts again."""
    arrays: list[Any] = [np.concatenate((array, np.zeros_like(array))) for array in parts]
    return Parts(*arrays)


def _chain(parts: Parts, groups: Groups, number: int) -> None:
    """Chain the parts of every class in the order of their cells."""
    order = np.argsort(parts.owner[:number], kind="stable")
    owner = parts.owner[order]
    same = owner[1:] == owner[:-1]
    parts.after[order[:-1]] = np.where(same, order[1:], -1)
    opens = np.concatenate((np.ones(min(1, number), dtype=bool), ~same))
    groups.first[owner[opens]] = order[opens]
