"""Compiled loops of ``CheapestFirst``: every record's cheapest label, and labels taken cheapest first.

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
    goal: Counts  # what a label must cost less than; -1 where the point has the cheapest one
    best: Small  # the cheapest label that was found
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
def _is_enough(support: Support, points: Small, start: int, end: int, free: Bools, seen: Counts) -> bool:
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
def _search_labels(
    tables: Tables, support: Support, work: Work, count: int, labels: Labels, known: int
) -> tuple[Labels, int]:
    """Find for every free point whose goal is above it the cheapest label under which enough free points lie."""
    # Column by column, from values to `*`: inside a group the points are sorted by the next column, so that the groups
    # of every level are runs. A run is dropped if it lacks support, if it costs as much as the goal of all its points,
    # or if it has no more points than a run of the level below.
    place, heights, bases, widths, node, costs, lines, along, full = tables  # quicker than asking for each
    order, free, goal, _, seen = work
    amounts, least, columns = support.amounts, support.needed[0], len(heights)
    level, chosen = np.zeros(columns, dtype=np.int64), np.zeros(columns, dtype=np.int64)
    size, at = np.zeros(columns, dtype=np.int64), np.zeros(columns, dtype=np.int64)
    spent, bins = np.zeros(columns, dtype=np.int64), np.zeros(257, dtype=np.int64)
    spare = np.empty(count, dtype=np.int32)
    size[0] = count
    depth, fresh = np.int64(0), True
    while depth >= 0:
        if fresh:
            _sort_points(order, depth, size[depth], place, spare, bins)
            fresh = False
        if at[depth] >= size[depth]:
            at[depth] = 0
            level[depth] += 1
            if level[depth] > heights[depth]:
                depth -= 1
            continue
        start, base = at[depth], bases[depth] + level[depth] * widths[depth]
        end, first, last, weight, most = _run_at(place, node, amounts, goal, order, depth, start, size[depth], base)
        at[depth] = end
        chosen[depth] = level[depth]
        if end - start == size[depth]:
            level[depth] = heights[depth]  # the whole group: nothing above has more points
        below = base - widths[depth]
        if weight < least or (chosen[depth] > 0 and node[below + first] == node[below + last]):
            continue
        price = spent[depth] + costs[base + first]
        if lines[depth] >= 0:
            way = along[lines[depth] + last] - along[lines[depth] + first]
            price = spent[depth] + min(way, full[depth])
        if price >= most or not _is_enough(support, order[depth], start, end, free, seen):
            continue
        if depth + 1 == columns:
            labels = _note_label(work, labels, known, start, end, price, chosen)
            known += 1
            continue
        depth, fresh = depth + 1, True
        level[depth], at[depth], size[depth], spent[depth] = 0, 0, end - start, price
        for to in range(start, end):
            order[depth, to - start] = order[depth - 1, to]
    return labels, known


@compile_inner
def _cheapest_first(votes: Small, cost: Counts, known: int) -> Small:
    """Give the labels that have votes, the cheapest first; of equal ones that with more votes, then the older."""
    listed = np.empty(known, dtype=np.int32)
    size = 0
    for label in range(known):
        if votes[label]:
            listed[size] = label
            size += 1
    spare = np.empty(size, dtype=np.int32)
    width = 1
    while width < size:  # merge runs, which keeps what is equal in its order
        for start in range(0, size, 2 * width):
            left, right = start, min(start + width, size)
            middle, end = right, min(start + 2 * width, size)
            for to in range(start, end):
                one, other = listed[min(left, size - 1)], listed[min(right, size - 1)]
                later = cost[one] > cost[other] or (cost[one] == cost[other] and votes[one] < votes[other])
                if left == middle or (right < end and later):
                    spare[to] = other
                    right += 1
                else:
                    spare[to] = one
                    left += 1
        listed, spare = spare, listed
        width *= 2
    return listed[:size]


@compile_inner
def _keep_supported(labels: Labels, known: int, votes: Small, support: Support, work: Work) -> int:
    """Keep the labels that still have votes and support, with the points that are free; forget the others."""
    number = np.full(known, -1, dtype=np.int32)
    kept, used = 0, 0
    for label in range(known):
        start, end = labels.ends[label], labels.ends[label + 1]
        votes[label] = votes[label] and _is_enough(support, labels.members, start, end, work.free, work.seen)
    old = labels.ends[0]
    for label in range(known):
        start, old = old, labels.ends[label + 1]
        if votes[label]:
            for at in range(start, old):
                if work.free[labels.members[at]]:
                    labels.members[used] = labels.members[at]
                    used += 1
            number[label] = kept
            labels.cost[kept] = labels.cost[label]
            for column in range(labels.levels.shape[1]):
                labels.levels[kept, column] = labels.levels[label, column]
            labels.ends[kept + 1] = used
            kept += 1
    for point in range(len(work.free)):
        if work.free[point] and work.best[point] >= 0:
            work.best[point] = number[work.best[point]]
            work.goal[point] = NEVER if work.best[point] < 0 else -1
    return kept


@compiled
def least_costs(tables: Tables, support: Support) -> Counts:
    """Give for every point what the cheapest label costs that covers enough points, all being free."""
    columns, points = tables.place.shape
    order = np.empty((columns, points), dtype=np.int32)
    free = np.ones(points, dtype=np.bool_)
    goal = np.full(points, NEVER, dtype=np.int64)
    seen = np.zeros(len(support.worth) + 1, dtype=np.int64)
    labels = Labels(
        np.empty(points, dtype=np.int64),
        np.zeros(points + 1, dtype=np.int64),
        np.empty((points, columns), dtype=np.int16),
        np.empty(8 * points, dtype=np.int32),
    )
    work = Work(order, free, goal, np.full(points, -1, dtype=np.int32), seen)
    order[0] = np.arange(points)
    _search_labels(tables, support, work, points, labels, np.int64(0))
    return goal


@compiled
def form_classes(tables: Tables, support: Support, share: float, few: int) -> tuple[Small, npt.NDArray[np.int16]]:
    """Form classes, cheapest labels first, until no label has enough free points."""
    # Of the cheapest labels a `share` is taken before the next look; all where `few` points are left. Give the class of
    # every point, -1 where it is left over, and the level of every class in each column.
    columns, points = tables.place.shape
    order = np.empty((columns, points), dtype=np.int32)
    free = np.ones(points, dtype=np.bool_)
    owner = np.full(points, -1, dtype=np.int32)
    goal = np.full(points, NEVER, dtype=np.int64)
    best = np.full(points, -1, dtype=np.int32)
    seen = np.zeros(len(support.worth) + 1, dtype=np.int64)
    labels = Labels(
        np.empty(points, dtype=np.int64),
        np.zeros(points + 1, dtype=np.int64),
        np.empty((points, columns), dtype=np.int16),
        np.empty(8 * points, dtype=np.int32),
    )
    work = Work(order, free, goal, best, seen)
    formed = np.empty((points, columns), dtype=np.int16)
    known, classes = np.int64(0), 0
    while True:
        count = 0
        for point in range(points):
            if free[point]:
                order[0, count] = point
                count += 1
        if count == 0:
            break
        labels, known = _search_labels(tables, support, work, count, labels, known)
        votes = np.zeros(known, dtype=np.int32)
        for point in range(points):
            if free[point] and best[point] >= 0:
                votes[best[point]] += 1
        listed = _cheapest_first(votes, labels.cost, known)
        if len(listed) == 0:
            break
        taken = len(listed) if count < few else max(1, int(len(listed) * share))
        for label in listed[:taken]:
            start, end = labels.ends[label], labels.ends[label + 1]
            if _is_enough(support, labels.members, start, end, free, seen):
                for at in range(start, end):
                    point = labels.members[at]
                    if free[point]:
                        free[point] = False
                        owner[point] = classes
                for column in range(columns):
                    formed[classes, column] = labels.levels[label, column]
                classes += 1
        known = _keep_supported(labels, known, votes, support, work)
    return owner, formed[:classes]
