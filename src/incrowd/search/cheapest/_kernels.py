"""Compiled loops of ``CheapestFirst`` and ``LevelsAndCells`` that find every record's cheapest label.

Points are distinct tuples of quasi-identifiers; a label is one group of some level in every column. Costs are whole
numbers. Nothing depends on anything but the points, which come sorted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from incrowd.core.kernels import compiled
from incrowd.search._problem import Bools, Counts

Small = npt.NDArray[np.int32]

NEVER = 2**62  # a cost above every cost
INSERT = 24  # so few points are sorted by inserting one after the other


class Tables(NamedTuple):
    """Where points lie in every column, and what its groups are. Levels of a column stand one after the other."""

    place: Small  # per column and point; the members of every group of every level stand side by side
    heights: Counts
    base: Counts  # where the tables of a column begin; those of a level are ``width`` long
    width: Counts
    node: Small  # the group of every place
    cost: Counts  # of the group of every place
    line: Counts  # where the line of a column begins in ``along``; -1 where groups have a cost of their own
    along: Counts  # where every place lies: a range costs the way from its first to its last place, up to ``full``
    full: Counts


class Support(NamedTuple):
    """What a class must have: sums over its points, and sums over the different kinds that they have."""

    amounts: Counts  # per sum what every point adds; the first row are its records
    needed: Counts
    starts: Counts  # per sum over kinds where the kinds of every point begin
    kinds: Small
    worth: Counts
    wanted: Counts


class Work(NamedTuple):
    """What is known of the points in a round of the search."""

    order: Small  # per column the points of the group that is looked at
    free: Bools
    goal: Counts  # what a label must cost less than; -1 where the point needs no other one
    best: Small  # the cheapest label that was found
    floor: Counts  # what a label costs at least that was not looked at
    seen: Counts  # a stamp for every kind, and the last one that was used


class Labels(NamedTuple):
    """Labels that were found: what each costs, its level in every column, and the points under it."""

    cost: Counts
    ends: Counts
    levels: npt.NDArray[np.int16]
    members: Small


def compile_inner(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a part of a loop, which Python cannot call: that compiles faster."""
    return compiled(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


@compile_inner
def _sort_points(order: Small, keys: Small, place: Small, depth: int, size: int, spare: Small, bins: Counts) -> None:
    """Sort points by their place, those of one place as they stand, and lay their places side by side in ``keys``."""
    least, most = place[depth, order[depth, 0]], place[depth, order[depth, 0]]
    for at in range(size):
        key = place[depth, order[depth, at]]
        keys[depth, at], least, most = key, min(least, key), max(most, key)
    if least == most:
        return
    if size <= INSERT:  # by inserting
        for at in range(1, size):
            point, key, to = order[depth, at], keys[depth, at], at
            while to > 0 and keys[depth, to - 1] > key:
                order[depth, to], keys[depth, to] = order[depth, to - 1], keys[depth, to - 1]
                to -= 1
            order[depth, to], keys[depth, to] = point, key
        return
    shift = 0
    while (most - least) >> shift:  # byte by byte
        highest = min((most - least) >> shift, 255)
        for byte in range(highest + 2):
            bins[byte] = 0
        for at in range(size):
            bins[(((keys[depth, at] - least) >> shift) & 255) + 1] += 1
        for byte in range(highest):
            bins[byte + 1] += bins[byte]
        for at in range(size):
            byte = ((keys[depth, at] - least) >> shift) & 255
            spare[bins[byte]] = order[depth, at]
            bins[byte] += 1
        for at in range(size):
            order[depth, at] = spare[at]
            keys[depth, at] = place[depth, spare[at]]
        shift += 8


@compile_inner
def _has_all(
    amounts: Counts,
    needed: Counts,
    starts: Counts,
    kinds: Small,
    worth: Counts,
    wanted: Counts,
    points: Small,
    start: int,
    end: int,
    free: Bools,
    seen: Counts,
) -> bool:
    """Say whether the points that are still free have what a class must have."""
    # `seen` has a stamp for every kind, and the last one that was used at its end. No amount is negative.
    for which in range(len(needed)):
        left = needed[which]
        for at in range(start, end):
            if left <= 0:
                break
            if free[points[at]]:
                left -= amounts[which, points[at]]
        if left > 0:
            return False
    for which in range(len(wanted)):
        left = wanted[which]
        seen[-1] += 1
        stamp = seen[-1]
        for at in range(start, end):
            if left <= 0:
                break
            if free[points[at]]:
                for entry in range(starts[which, points[at]], starts[which, points[at] + 1]):
                    kind = kinds[entry]
                    if seen[kind] != stamp:
                        seen[kind] = stamp
                        left -= worth[kind]
        if left > 0:
            return False
    return True


@compile_inner
def is_enough(support: Support, points: Small, start: int, end: int, free: Bools, seen: Counts) -> bool:
    """Say the same of what ``Support`` holds."""
    amounts, needed, starts, kinds, worth, wanted = support
    enough: bool = _has_all(amounts, needed, starts, kinds, worth, wanted, points, start, end, free, seen)
    return enough


@compile_inner
def _with_room(labels: Labels, known: int, used: int) -> Labels:
    """Give labels room for another one, with so many points of all together: twice the room where it is full."""
    cost, ends, levels, members = labels
    if known + 1 >= len(cost):
        cost, ends = np.empty(2 * known + 2, dtype=np.int64), np.empty(2 * known + 3, dtype=np.int64)
        levels = np.empty((2 * known + 2, levels.shape[1]), dtype=np.int16)
        ends[0] = 0
        for label in range(known):
            cost[label], ends[label + 1] = labels.cost[label], labels.ends[label + 1]
            for column in range(levels.shape[1]):
                levels[label, column] = labels.levels[label, column]
    if used > len(members):
        members = np.empty(2 * used, dtype=np.int32)
        for at in range(ends[known]):
            members[at] = labels.members[at]
    return Labels(cost, ends, levels, members)


@compile_inner
def _note_label(work: Work, labels: Labels, known: int, start: int, end: int, price: int, chosen: Counts) -> Labels:
    """Note a label and its points, and let those vote for it that had none as cheap."""
    depth = len(chosen) - 1
    used = labels.ends[known]
    labels = _with_room(labels, known, used + end - start)
    members, goal, best, points = labels.members, work.goal, work.best, work.order[depth]
    for at in range(start, end):
        point = points[at]
        members[used + at - start] = point
        if price < goal[point]:
            goal[point] = price
            best[point] = known
    labels.cost[known] = price
    labels.ends[known + 1] = used + end - start
    labels.levels[known] = chosen
    return labels


@compile_inner
def _enter_group(
    state: Counts, order: Small, heights: Counts, depth: int, start: int, end: int, price: int, share: int
) -> None:
    """Begin with a run of the column before, with a share of the steps that are left there for each point."""
    level, at, size, spent, used, left, ahead = state
    level[depth], at[depth], size[depth], spent[depth], used[depth] = 0, 0, end - start, price, 0
    left[depth], ahead[depth] = share * (end - start), (end - start) * (heights[depth] + 1)
    left[depth - 1] -= left[depth]
    for to in range(start, end):
        order[depth, to - start] = order[depth - 1, to]


@compile_inner
def _note_floor(work: Work, depth: int, size: int, price: int) -> None:
    """Note what a label costs at least that covers points of a group and was not looked at."""
    for at in range(size):
        point = work.order[depth, at]
        work.floor[point] = min(work.floor[point], price)


# Whoever calls a function, or asks a tuple for an array, counts the users of the arrays, each time. That would take
# most of the time here: so what happens for every run stands in one loop, on arrays that were asked for once.


@compile_inner
def search_labels(
    tables: Tables, support: Support, work: Work, count: int, labels: Labels, known: int, most_steps: int
) -> tuple[Labels, int]:
    """Find for every free point whose goal is above it the cheapest label under which enough free points lie.

    Column by column, from values to ``*``: inside a group the points are sorted by the next column, so that the groups
    of every level are runs. A run is dropped if it lacks support, if it costs as much as the goal of all its points, or
    if it has no more points than a run of the level below.

    With many columns there are more runs than anybody can look at. So a group may take so many steps; each run in it
    gets its share by its points, and what one leaves the later ones may use. A group with few steps left is hurried
    through: no level is tried above one that has a run with support, and its points cost at least what it costs.
    """
    place, heights, bases, widths, node, costs, lines, along, full = tables
    amounts, needed, starts, kinds, worth, wanted = support
    order, free, goal, _, _, seen = work
    records, columns, more = amounts[0], len(heights), len(needed) > 1 or len(wanted) > 0
    state, chosen = np.zeros((7, columns), dtype=np.int64), np.zeros(columns, dtype=np.int64)
    level, at, size, spent, used, left, ahead = state
    keys, spare, bins = np.empty((columns, count), np.int32), np.empty(count, np.int32), np.zeros(257, np.int64)
    depth, size[0], left[0], ahead[0] = np.int64(0), count, most_steps, count * (heights[0] + 1)
    _sort_points(order, keys, place, depth, count, spare, bins)
    while depth >= 0:
        if at[depth] >= size[depth]:  # a level is done; and the group, if there is no other one, or steps are too few
            at[depth], level[depth] = 0, level[depth] + 1
            if level[depth] <= heights[depth]:
                if not used[depth] or left[depth] >= size[depth] * (columns - depth):
                    continue
                _note_floor(work, depth, size[depth], spent[depth])
            left[depth - 1], depth = left[depth - 1] + left[depth], depth - 1  # what is left its parent may take
            continue
        start, base, chosen[depth] = at[depth], bases[depth] + level[depth] * widths[depth], level[depth]
        first, here, weight, end = keys[depth, start], node[base + keys[depth, start]], 0, start
        while end < size[depth] and node[base + keys[depth, end]] == here:
            weight += records[order[depth, end]]
            end += 1
        last, below, share = keys[depth, end - 1], base - widths[depth], max(left[depth], 0) // max(ahead[depth], 1)
        at[depth], ahead[depth], left[depth] = end, ahead[depth] - (end - start), left[depth] - (end - start)
        if end - start == size[depth]:
            level[depth] = heights[depth]  # the whole group: nothing above has more points
        if weight < needed[0] or (chosen[depth] > 0 and node[below + first] == node[below + last]):
            continue
        price = spent[depth] + costs[base + first]
        if lines[depth] >= 0:
            price = spent[depth] + min(along[lines[depth] + last] - along[lines[depth] + first], full[depth])
        most = -1
        for one in range(start, end):
            most = max(most, goal[order[depth, one]])
        if price >= most:
            continue
        if more and not _has_all(amounts, needed, starts, kinds, worth, wanted, order[depth], start, end, free, seen):
            continue
        used[depth] = 1
        if depth + 1 == columns:
            labels, known = _note_label(work, labels, known, start, end, price, chosen), known + 1
            continue
        depth += 1
        _enter_group(state, order, heights, depth, start, end, price, share)
        _sort_points(order, keys, place, depth, end - start, spare, bins)
    return labels, known


@compile_inner
def room_for(columns: int, points: int, kinds: int) -> tuple[Work, Labels]:
    """Give room for a search in which every point is free and nothing is known."""
    work = Work(
        np.empty((columns, points), dtype=np.int32),
        np.ones(points, dtype=np.bool_),
        np.full(points, NEVER, dtype=np.int64),
        np.full(points, -1, dtype=np.int32),
        np.full(points, NEVER, dtype=np.int64),
        np.zeros(kinds + 1, dtype=np.int64),
    )
    labels = Labels(
        np.empty(points, dtype=np.int64),
        np.zeros(points + 1, dtype=np.int64),
        np.empty((points, columns), dtype=np.int16),
        np.empty(8 * points, dtype=np.int32),
    )
    return work, labels


@compiled
def least_costs(tables: Tables, support: Support, steps: int) -> Counts:
    """Give for every point what a label costs at least that covers enough points, all being free."""
    columns, points = tables.place.shape
    work, labels = room_for(columns, points, len(support.worth))
    work.order[0] = np.arange(points)
    search_labels(tables, support, work, points, labels, np.int64(0), steps * points)
    costs: Counts = np.minimum(work.goal, work.floor)
    return costs
