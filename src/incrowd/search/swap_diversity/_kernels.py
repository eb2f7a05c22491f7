"""The compiled loops of ``SwapDiversity``: the cheapest swap, the cheapest merger, and what a class costs.

A part is a cell, or some records of one, in a class; the parts of a class are chained. What a class costs is its
records times the levels, added up over columns, of what its members have in common. All numbers are whole.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from incrowd.core.kernels import compiled

Ints = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]

NEVER = 2**62
"""A cost, or a place, beyond all others."""


class Tree(NamedTuple):
    """The hierarchies of all columns: which group holds a place at a level."""

    groups: Small
    """The groups of all places, level after level, column after column."""
    starts: Ints
    """Per column and level where its groups begin; the last level of a column has one group."""


class Parts(NamedTuple):
    """Records with equal values that are in one class."""

    cell: Ints
    owner: Ints
    """The class."""
    kind: Ints
    """The sensitive category; -1 for none."""
    records: Ints
    """How many; 0 where they went elsewhere."""
    place: Small
    """Per part and column where its value stands in the hierarchy."""
    after: Ints
    """The next part of the class; -1 for the last."""


class Groups(NamedTuple):
    """The classes; those that were merged with others have no records."""

    first: Ints
    """The first part of each; -1 where there is none."""
    size: Ints
    different: Ints
    """How many categories it has."""
    kinds: Small
    """How many records it has of each category."""
    cost: Ints
    edges: Ints
    """Per class and column: the lowest place, its records, the lowest of the others; and so for the highest place.

    NEVER and -1 where there is none.
    """


@compiled
def _level(tree: Tree, column: int, low: int, high: int) -> int:
    """Give the lowest level at which all places of a stretch are in one group."""
    level = 0
    while tree.groups[tree.starts[column, level] + low] != tree.groups[tree.starts[column, level] + high]:
        level += 1
    return level


@compiled
def refresh(numbers: Ints, parts: Parts, groups: Groups, tree: Tree) -> None:  # noqa: C901 - one loop that compiles
    """Count some classes anew."""
    kinds, edges = groups.kinds, groups.edges
    for number in numbers:
        size = different = levels = 0
        for kind in range(kinds.shape[1]):
            kinds[number, kind] = 0
        for column in range(edges.shape[1]):
            for side in range(3):
                edges[number, column, side] = NEVER
                edges[number, column, side + 3] = -1
        part = groups.first[number]
        while part >= 0:
            count, kind = parts.records[part], parts.kind[part]
            if count:
                size += count
                if kind >= 0:
                    different += kinds[number, kind] == 0
                    kinds[number, kind] += count
                for column in range(edges.shape[1]):
                    _stretch(number, column, parts.place[part, column], count, edges)
            part = parts.after[part]
        if size:
            for column in range(edges.shape[1]):
                levels += _level(tree, column, edges[number, column, 0], edges[number, column, 3])
        groups.size[number] = size
        groups.different[number] = different
        groups.cost[number] = size * levels


@compiled
def _stretch(number: int, column: int, place: int, count: int, edges: Ints) -> None:
    """Take the place of some records into account."""
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
def _low_without(number: int, column: int, place: int, edges: Ints) -> int:
    """Give the lowest place of a class when one record at a place goes; NEVER if nobody is left."""
    alone = edges[number, column, 0] == place and edges[number, column, 1] == 1
    return int(edges[number, column, 2 if alone else 0])


@compiled
def _high_without(number: int, column: int, place: int, edges: Ints) -> int:
    """Give the highest place of a class when one record at a place goes; -1 if nobody is left."""
    alone = edges[number, column, 3] == place and edges[number, column, 4] == 1
    return int(edges[number, column, 5 if alone else 3])


@compiled
def _least_cost(one: int, there: int, rest: Ints, parts: Parts, groups: Groups, tree: Tree) -> int:
    """Give what two classes cost at least after a swap, whichever record comes back.

    ``one``: the record that goes, by its part; ``rest``: per column the lowest and the highest place of its own class
    without it.
    """
    edges = groups.edges
    ours = theirs = 0
    for column in range(len(rest)):
        mine, low, high = parts.place[one, column], rest[column, 0], rest[column, 1]
        near = min(max(edges[there, column, 0], min(low, high)), edges[there, column, 3])
        ours += _level(tree, column, min(low, near), max(high, near))
        low = edges[there, column, 2 if edges[there, column, 1] == 1 else 0]
        high = edges[there, column, 5 if edges[there, column, 4] == 1 else 3]
        theirs += _level(tree, column, min(low, mine), max(high, mine))
    return int(groups.size[parts.owner[one]] * ours + groups.size[there] * theirs)


@compiled
def _cost(one: int, other: int, rest: Ints, parts: Parts, groups: Groups, tree: Tree) -> int:
    """Give what two classes cost after a swap of two records, given by their parts; ``rest`` as in ``_least_cost``."""
    there = parts.owner[other]
    ours = theirs = 0
    for column in range(len(rest)):
        mine, yours = parts.place[one, column], parts.place[other, column]
        ours += _level(tree, column, min(rest[column, 0], yours), max(rest[column, 1], yours))
        low = min(_low_without(there, column, yours, groups.edges), mine)
        high = max(_high_without(there, column, yours, groups.edges), mine)
        theirs += _level(tree, column, low, high)
    return int(groups.size[parts.owner[one]] * ours + groups.size[there] * theirs)


@compiled
def _may_swap(one: int, other: int, wanted: int, parts: Parts, groups: Groups) -> bool:
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
def best_swap(mine: Ints, wanted: int, parts: Parts, groups: Groups, tree: Tree) -> tuple[int, int]:
    """Find the swap of a record of a class with one of another that adds least to the cost; -1, -1 if there is none.

    Of swaps that cost the same the first cell of this class is taken (``mine`` are in their order), then the first cell
    of the others, then the first class. Classes that cannot have a better one are passed over by a bound.
    """
    best, found, back = NEVER, -1, -1
    rest = np.empty((parts.place.shape[1], 2), dtype=np.int64)
    for one in mine:
        here = parts.owner[one]
        if (
            parts.kind[one] >= 0 and groups.kinds[here, parts.kind[one]] < 2
        ):  # the last one of its category: nothing would be won
            continue
        for column in range(len(rest)):
            rest[column, 0] = _low_without(here, column, parts.place[one, column], groups.edges)
            rest[column, 1] = _high_without(here, column, parts.place[one, column], groups.edges)
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
                    change = _cost(one, other, rest, parts, groups, tree) - before
                    if change < best or (change == best and found == one and parts.cell[other] < parts.cell[back]):
                        best, found, back = change, one, other
                other = parts.after[other]
    return found, back


@compiled
def best_merger(here: int, wanted: int, groups: Groups, tree: Tree) -> int:
    """Find the class that a class is merged with: the one with the most categories together, then the cheapest.

    More categories than ``wanted`` are not better. With 0 the cheapest is taken.
    """
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
            levels += _level(tree, column, low, high)
        size = groups.size[here] + groups.size[there]
        change = size * levels - groups.cost[here] - groups.cost[there]
        if together > most or (together == most and change < best):
            best, most, found = change, together, there
    return found
