"""The classes of ``SwapDiversity``: merged, and changed by swapping records, with the compiled loops that choose.

A part is a cell, or some records of one, in a class; the parts of a class are chained. What a class costs is its
records times the levels, added up over columns, of what its members have in common. All numbers are whole.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from incrowd.core import ParameterError
from incrowd.core.kernels import compiled
from incrowd.search._datafly import Raised
from incrowd.search._local_recoding import LocalTable, Pieces, flat_tables
from incrowd.search._problem import Counts, Ints

Small = npt.NDArray[np.int32]
NEVER = 2**62  # a cost, or a place, beyond all others
MOST = 200_000_000  # so many pairs of a class and a category are counted at most


class LevelTree(NamedTuple):
    """The hierarchies of all columns: which group holds a place at a level."""

    groups: Small  # of all places, level after level, column after column
    starts: Counts  # per column and level where its groups begin; the last level of a column has one group


class SwapParts(NamedTuple):
    """Records with equal values that are in one class."""

    cell: Counts
    owner: Counts  # the class
    kind: Counts  # the sensitive category; -1 for none
    records: Counts  # how many; 0 where they went elsewhere
    place: Small  # per part and column where its value stands in the hierarchy
    after: Counts  # the next part of the class; -1 for the last


class SwapGroups(NamedTuple):
    """The classes; those that were merged with others have no records."""

    first: Counts  # the first part of each; -1 where there is none
    size: Counts
    different: Counts  # how many categories it has
    kinds: Small  # how many records it has of each category
    cost: Counts
    # Per class and column: the lowest place, its records, the lowest of the others; and so for the highest place. NEVER
    # and -1 where there is none.
    edges: Counts


@compiled
def _common_level(tree: LevelTree, column: int, low: int, high: int) -> int:
    level = 0
    while tree.groups[tree.starts[column, level] + low] != tree.groups[tree.starts[column, level] + high]:
        level += 1
    return level


@compiled
def refresh(numbers: Counts, parts: SwapParts, groups: SwapGroups, tree: LevelTree) -> None:
    kinds, edges = groups.kinds, groups.edges
    for number in numbers:
        size = different = levels = 0
        kinds[number] = 0
        edges[number, :, :3] = NEVER
        edges[number, :, 3:] = -1
        part = groups.first[number]
        while part >= 0:
            count, kind = parts.records[part], parts.kind[part]
            if count:
                size += count
                if kind >= 0:
                    different += kinds[number, kind] == 0
                    kinds[number, kind] += count
                for column in range(edges.shape[1]):
                    _stretch_edges(number, column, parts.place[part, column], count, edges)
            part = parts.after[part]
        if size:
            for column in range(edges.shape[1]):
                levels += _common_level(tree, column, edges[number, column, 0], edges[number, column, 3])
        groups.size[number] = size
        groups.different[number] = different
        groups.cost[number] = size * levels


@compiled
def _stretch_edges(number: int, column: int, place: int, count: int, edges: Counts) -> None:
    low, high = edges[number, column, 0], edges[number, column, 3]
    if place < low:
        edges[number, column, 0] = place
        edges[number, column, 1] = count
        edges[number, column, 2] = low
    elif place == low:
        edges[number, column, 1] += count
    elif place < edges[number, column, 2]:
        edges[number, column, 2] = place
    if place > high:
        edges[number, column, 3] = place
        edges[number, column, 4] = count
        edges[number, column, 5] = high
    elif place == high:
        edges[number, column, 4] += count
    elif place > edges[number, column, 5]:
        edges[number, column, 5] = place


@compiled
def _end_without(number: int, column: int, place: int, edges: Counts, side: int) -> int:
    """Give the lowest (side 0) or highest (side 3) place of a class when one record at a place goes."""
    alone = edges[number, column, side] == place and edges[number, column, side + 1] == 1
    return int(edges[number, column, side + 2 if alone else side])


@compiled
def _least_cost(one: int, there: int, rest: Counts, parts: SwapParts, groups: SwapGroups, tree: LevelTree) -> int:
    """Give what two classes cost at least after a swap, whichever record comes back."""
    # `one`: the record that goes, by its part; `rest`: per column the lowest and the highest place of its own class
    # without it.
    edges = groups.edges
    ours = theirs = 0
    for column in range(len(rest)):
        mine, low, high = parts.place[one, column], rest[column, 0], rest[column, 1]
        near = min(max(edges[there, column, 0], min(low, high)), edges[there, column, 3])
        ours += _common_level(tree, column, min(low, near), max(high, near))
        low = edges[there, column, 2 if edges[there, column, 1] == 1 else 0]
        high = edges[there, column, 5 if edges[there, column, 4] == 1 else 3]
        theirs += _common_level(tree, column, min(low, mine), max(high, mine))
    return int(groups.size[parts.owner[one]] * ours + groups.size[there] * theirs)


@compiled
def _swap_cost(one: int, other: int, rest: Counts, parts: SwapParts, groups: SwapGroups, tree: LevelTree) -> int:
    """Give what two classes cost after a swap of two records, given by their parts; ``rest`` as in ``_least_cost``."""
    there = parts.owner[other]
    ours = theirs = 0
    for column in range(len(rest)):
        mine, yours = parts.place[one, column], parts.place[other, column]
        ours += _common_level(tree, column, min(rest[column, 0], yours), max(rest[column, 1], yours))
        low = min(_end_without(there, column, yours, groups.edges, 0), mine)
        high = max(_end_without(there, column, yours, groups.edges, 3), mine)
        theirs += _common_level(tree, column, low, high)
    return int(groups.size[parts.owner[one]] * ours + groups.size[there] * theirs)


@compiled
def _may_swap(one: int, other: int, wanted: int, parts: SwapParts, groups: SwapGroups) -> bool:
    """Say whether a swap gives the first class a category that it lacks, and costs the second none that it needs."""
    mine, yours = parts.kind[one], parts.kind[other]
    here, there = parts.owner[one], parts.owner[other]
    if parts.records[other] == 0 or yours < 0 or groups.kinds[here, yours] > 0:
        return False
    return bool(
        groups.kinds[there, yours] > 1  # the other class keeps it
        or (mine >= 0 and groups.kinds[there, mine] == 0)  # or gets another one for it
        or groups.different[there] > wanted  # or can do without
    )


@compiled
def best_swap(mine: Counts, wanted: int, parts: SwapParts, groups: SwapGroups, tree: LevelTree) -> tuple[int, int]:
    """Find the swap of a record of a class with one of another that adds least to the cost; -1, -1 if there is none."""
    # Of swaps that cost the same the first cell of this class is taken (`mine` are in their order), then the first cell
    # of the others, then the first class. Classes that cannot have a better one are passed over by a bound.
    best, found, back = NEVER, -1, -1
    rest = np.empty((parts.place.shape[1], 2), dtype=np.int64)
    for one in mine:
        here = parts.owner[one]
        if parts.kind[one] >= 0 and groups.kinds[here, parts.kind[one]] < 2:  # the last one of its category: no gain
            continue
        for column in range(len(rest)):
            rest[column, 0] = _end_without(here, column, parts.place[one, column], groups.edges, 0)
            rest[column, 1] = _end_without(here, column, parts.place[one, column], groups.edges, 3)
        for there in range(len(groups.size)):
            if there == here or groups.size[there] == 0:
                continue
            before = groups.cost[here] + groups.cost[there]
            change = _least_cost(one, there, rest, parts, groups, tree) - before
            if change > best or (change == best and found != one):
                continue
            other = groups.first[there]
            while other >= 0:
                if _may_swap(one, other, wanted, parts, groups):
                    change = _swap_cost(one, other, rest, parts, groups, tree) - before
                    if change < best or (change == best and found == one and parts.cell[other] < parts.cell[back]):
                        best, found, back = change, one, other
                other = parts.after[other]
    return found, back


@compiled
def best_merger(here: int, wanted: int, groups: SwapGroups, tree: LevelTree) -> int:
    """Find the class that a class is merged with: the one with the most categories together, then the cheapest."""
    # More categories than `wanted` are not better. With 0 the cheapest is taken.
    best, most, found = NEVER, -1, -1
    for there in range(len(groups.size)):
        if there == here or groups.size[there] == 0:
            continue
        together = 0
        for kind in range(groups.kinds.shape[1]):
            together += groups.kinds[here, kind] + groups.kinds[there, kind] > 0
        together = min(together, wanted)
        levels = 0
        for column in range(groups.edges.shape[1]):
            low = min(groups.edges[here, column, 0], groups.edges[there, column, 0])
            high = max(groups.edges[here, column, 3], groups.edges[there, column, 3])
            levels += _common_level(tree, column, low, high)
        size = groups.size[here] + groups.size[there]
        change = size * levels - groups.cost[here] - groups.cost[there]
        if together > most or (together == most and change < best):
            best, most, found = change, together, there
    return found


class Crowds:
    """Classes that records move between."""

    # `kinds`: the sensitive category of every cell, -1 where a missing value is none; `wanted`: how many every class
    # shall have.

    def __init__(self, table: LocalTable, raised: Raised, kinds: Ints, wanted: int) -> None:
        self._wanted = wanted
        groups = [[group[namer.code] for group in table.level_groups(at)] for at, namer in enumerate(table.names)]
        places, starts = flat_tables(groups)
        self._tree = LevelTree(places.astype(np.int32), starts)
        self._parts = _parts_of_cells(table, raised, kinds)
        self._groups = _empty_groups(len(raised.sizes), int(kinds.max(initial=0)) + 1, len(table.names))
        self._used = len(raised.rows)
        _chain(self._parts, self._groups, self._used)
        refresh(np.arange(len(raised.sizes)), self._parts, self._groups, self._tree)

    def smallest_below(self, k: int) -> int | None:
        """Give the smallest of the classes that have fewer than k records, if there is one."""
        small = np.flatnonzero((self._groups.size > 0) & (self._groups.size < k))
        return int(small[np.argmin(self._groups.size[small])]) if len(small) else None

    def least_diverse(self) -> int | None:
        """Give the class with the fewest categories, then records, if it has fewer categories than wanted."""
        poor = np.flatnonzero((self._groups.size > 0) & (self._groups.different < self._wanted))
        if not len(poor):
            return None
        return int(poor[np.lexsort((self._groups.size[poor], self._groups.different[poor]))[0]])

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
        """Merge a class with the one that adds least to the cost; first of all with one that has what it lacks."""
        # The class `number` is gone afterwards. Without `for_kinds` only the cost counts.
        wanted = self._wanted if for_kinds else 0
        there = int(best_merger(number, wanted, self._groups, self._tree))
        members = self._members(number)
        self._parts.owner[members] = there
        self._parts.after[members] = np.append(members[1:], self._groups.first[there])
        self._groups.first[there] = members[0]
        self._groups.first[number] = -1
        self._refresh(number, there)

    def pieces(self) -> Pieces:
        present = np.flatnonzero(self._groups.size)
        used = np.flatnonzero(self._parts.records[: self._used])
        classes = np.searchsorted(present, self._parts.owner[used])
        return Pieces(self._parts.cell[used], classes.astype(np.int64), self._parts.records[used])

    def _members(self, number: int) -> Counts:
        parts, used = self._parts, self._used
        return np.flatnonzero((parts.owner[:used] == number) & (parts.records[:used] > 0))

    def _move(self, part: int, there: int) -> None:
        if self._used == len(self._parts.cell):
            longer: list[Any] = [np.concatenate((array, np.zeros_like(array))) for array in self._parts]
            self._parts = SwapParts(*longer)
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


def _parts_of_cells(table: LocalTable, raised: Raised, kinds: Ints) -> SwapParts:
    census = table.census
    places = [namer.place[codes] for namer, codes in zip(table.names, census.codes, strict=False)]
    place = np.ascontiguousarray(np.stack(places, axis=1).astype(np.int32))
    owner, kind, records = (array.astype(np.int64) for array in (raised.rows, kinds, census.counts))
    return SwapParts(np.arange(len(census)), owner, kind, records, place, np.full(len(census), -1, dtype=np.int64))


def _empty_groups(number: int, kinds: int, columns: int) -> SwapGroups:
    if number * kinds > MOST:
        msg = f"SwapDiversity counts {kinds:,} sensitive values in {number:,} classes, and can count {MOST:,} pairs."
        raise ParameterError(msg, hint="give the sensitive column categories, or allow fewer outliers.")
    first, counts = np.full(number, -1, dtype=np.int64), np.zeros((number, kinds), dtype=np.int32)
    size, different, cost = (np.zeros(number, dtype=np.int64) for _ in range(3))
    return SwapGroups(first, size, different, counts, cost, np.zeros((number, columns, 6), dtype=np.int64))


def _chain(parts: SwapParts, groups: SwapGroups, number: int) -> None:
    """Chain the parts of every class in the order of their cells."""
    order = np.argsort(parts.owner[:number], kind="stable")
    owner = parts.owner[order]
    same = owner[1:] == owner[:-1]
    parts.after[order[:-1]] = np.where(same, order[1:], -1)
    opens = np.concatenate((np.ones(min(1, number), dtype=bool), ~same))
    groups.first[owner[opens]] = order[opens]
