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
Run = tuple[int, int, int, int, int]

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


class Steps(NamedTuple):
    """Per column what the group that is looked at may still take: a step is a point at a level."""

    left: Counts
    ahead: Counts  # so many steps all its levels take
    used: Bools  # whether it has a run with support


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
def _sort_points(order: Small, depth: int, size: int, place: Small, spare: Small, bins: Counts) -> None:
    """Sort points by their place, those of one place as they stand: by inserting, or byte by byte."""
    if size <= INSERT:
        for at in range(1, size):
            point = order[depth, at]
            key = place[depth, point]
            to = at
            while to > 0 and place[depth, order[depth, to - 1]] > key:
                order[depth, to] = order[depth, to - 1]
                to -= 1
            order[depth, to] = point
        return
    least, most = place[depth, order[depth, 0]], place[depth, order[depth, 0]]
    for at in range(size):
        least, most = min(least, place[depth, order[depth, at]]), max(most, place[depth, order[depth, at]])
    shift = 0
    while (most - least) >> shift:
        for byte in range(257):
            bins[byte] = 0
        for at in range(size):
            bins[(((place[depth, order[depth, at]] - least) >> shift) & 255) + 1] += 1
        for byte in range(255):
            bins[byte + 1] += bins[byte]
        for at in range(size):
            byte = ((place[depth, order[depth, at]] - least) >> shift) & 255
            spare[bins[byte]] = order[depth, at]
            bins[byte] += 1
        for at in range(size):
            order[depth, at] = spare[at]
        shift += 8


@compile_inner
def is_enough(support: Support, points: Small, start: int, end: int, free: Bools, seen: Counts) -> bool:
    """Say whether the points that are still free have what a class must have."""
    # `seen` has a stamp for every kind, and the last one that was used at its end.
    for which in range(len(support.needed)):
        left = support.needed[which]
        for at in range(start, end):
            if free[points[at]]:
                left -= support.amounts[which, points[at]]
        if left > 0:
            return False
    for which in range(len(support.wanted)):
        left = support.wanted[which]
        seen[-1] += 1
        stamp = seen[-1]
        for at in range(start, end):
            if left <= 0:
                break
            if free[points[at]]:
                for entry in range(support.starts[which, points[at]], support.starts[which, points[at] + 1]):
                    kind = support.kinds[entry]
                    if seen[kind] != stamp:
                        seen[kind] = stamp
                        left -= support.worth[kind]
        if left > 0:
            return False
    return True


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
def _run_at(
    place: Small, node: Small, amounts: Counts, goal: Counts, order: Small, depth: int, start: int, size: int, base: int
) -> Run:
    """Give the end of the run that begins at a point, its first and last place, its records and its largest goal."""
    first = place[depth, order[depth, start]]
    end, last, weight, most = start, first, 0, -1
    while end < size:
        point = order[depth, end]
        if node[base + place[depth, point]] != node[base + first]:
            break
        last = place[depth, point]
        weight += amounts[0, point]
        most = max(most, goal[point])
        end += 1
    return end, first, last, weight, most


@compile_inner
def _note_label(work: Work, labels: Labels, known: int, start: int, end: int, price: int, chosen: Counts) -> Labels:
    """Note a label and its points, and let those vote for it that had none as cheap."""
    used, depth = labels.ends[known], len(chosen) - 1
    labels = _with_room(labels, known, used + end - start)
    for at in range(start, end):
        point = work.order[depth, at]
        labels.members[used + at - start] = point
        if price < work.goal[point]:
            work.goal[point] = price
            work.best[point] = known
    labels.cost[known] = price
    labels.ends[known + 1] = used + end - start
    for column in range(depth + 1):
        labels.levels[known, column] = chosen[column]
    return labels


@compile_inner
def _begin_group(steps: Steps, depth: int, size: int, height: int, most: int) -> None:
    """Let a group take so many steps at most, which has so many points and levels."""
    steps.left[depth], steps.ahead[depth], steps.used[depth] = most, size * (height + 1), False


@compile_inner
def _share_of_run(steps: Steps, depth: int, points: int) -> int:
    """Take a step for every point of a run, and give the steps that may be taken inside of it."""
    share: int = max(steps.left[depth], 0) // max(steps.ahead[depth], 1) * points
    steps.ahead[depth] -= points
    steps.left[depth] -= points
    return share


@compile_inner
def _end_group(work: Work, steps: Steps, depth: int, size: int, price: int, more: bool) -> bool:
    """Say whether a group is done with: no level is left, or too few steps are. What is left its parent may take."""
    hurried = steps.used[depth] and steps.left[depth] < size * (len(steps.left) - depth)
    if more and hurried:
        for at in range(size):
            point = work.order[depth, at]
            work.floor[point] = min(work.floor[point], price)
    if depth > 0 and (hurried or not more):
        steps.left[depth - 1] += steps.left[depth]
    return hurried or not more


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
    place, heights, bases, widths, node, costs, lines, along, full = tables  # quicker than asking for each
    order, free, goal, _, _, seen = work
    amounts, least, columns = support.amounts, support.needed[0], len(heights)
    level, chosen, size, at, spent = np.zeros((5, columns), dtype=np.int64)
    spare, bins = np.empty(count, dtype=np.int32), np.zeros(257, dtype=np.int64)
    steps = Steps(
        np.zeros(columns, dtype=np.int64), np.zeros(columns, dtype=np.int64), np.zeros(columns, dtype=np.bool_)
    )
    _begin_group(steps, 0, count, heights[0], most_steps)
    size[0], depth, fresh = count, np.int64(0), True
    while depth >= 0:
        if fresh:
            _sort_points(order, depth, size[depth], place, spare, bins)
            fresh = False
        if at[depth] >= size[depth]:
            at[depth] = 0
            level[depth] += 1
            depth -= _end_group(work, steps, depth, size[depth], spent[depth], level[depth] <= heights[depth])
            continue
        start, base = at[depth], bases[depth] + level[depth] * widths[depth]
        end, first, last, weight, most = _run_at(place, node, amounts, goal, order, depth, start, size[depth], base)
        at[depth], chosen[depth] = end, level[depth]
        share = _share_of_run(steps, depth, end - start)
        if end - start == size[depth]:
            level[depth] = heights[depth]  # the whole group: nothing above has more points
        below = base - widths[depth]
        if weight < least or (chosen[depth] > 0 and node[below + first] == node[below + last]):
            continue
        price = spent[depth] + costs[base + first]
        if lines[depth] >= 0:
            way = along[lines[depth] + last] - along[lines[depth] + first]
            price = spent[depth] + min(way, full[depth])
        if price >= most or not is_enough(support, order[depth], start, end, free, seen):
            continue
        steps.used[depth] = True
        if depth + 1 == columns:
            labels = _note_label(work, labels, known, start, end, price, chosen)
            known += 1
            continue
        steps.left[depth] -= share
        depth, fresh = depth + 1, True
        level[depth], at[depth], size[depth], spent[depth] = 0, 0, end - start, price
        _begin_group(steps, depth, end - start, heights[depth], share)
        for to in range(start, end):
            order[depth, to - start] = order[depth - 1, to]
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
