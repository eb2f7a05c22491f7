"""Compiled loop of ``CheapestFirst`` and ``LevelsAndCells`` that forms classes: labels taken cheapest first."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from incrowd.core.kernels import compiled
from incrowd.search._problem import Counts
from incrowd.search.cheapest._kernels import (
    NEVER,
    Labels,
    Small,
    Support,
    Tables,
    Work,
    compile_inner,
    is_enough,
    room_for,
    search_labels,
)


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
    cost, ends, levels, members = labels
    free, goal, best = work.free, work.goal, work.best
    number = np.full(known, -1, dtype=np.int32)
    kept, used = 0, 0
    for label in range(known):
        if votes[label]:
            votes[label] = is_enough(support, members, ends[label], ends[label + 1], free, work.seen)
    old = ends[0]
    for label in range(known):
        start, old = old, ends[label + 1]
        if votes[label]:
            for at in range(start, old):
                if free[members[at]]:
                    members[used] = members[at]
                    used += 1
            number[label] = kept
            cost[kept] = cost[label]
            for column in range(levels.shape[1]):
                levels[kept, column] = levels[label, column]
            ends[kept + 1] = used
            kept += 1
    for point in range(len(free)):
        if free[point] and best[point] >= 0:
            best[point] = number[best[point]]
            goal[point] = NEVER if best[point] < 0 else -1
    return kept


@compiled
def form_classes(
    tables: Tables, support: Support, share: float, few: int, steps: int
) -> tuple[Small, npt.NDArray[np.int16]]:
    """Form classes, cheapest labels first, until no label has enough free points."""
    # Of the cheapest labels a `share` is taken before the next look; all where `few` points are left. A look takes so
    # many `steps` for every free point, or a few more. Give the class of every point, -1 where it is left over, and the
    # level of every class in each column.
    columns, points = tables.place.shape
    work, labels = room_for(columns, points, len(support.worth))
    free, best, first, seen = work.free, work.best, work.order[0], work.seen
    owner = np.full(points, -1, dtype=np.int32)
    formed = np.empty((points, columns), dtype=np.int16)
    known, classes = np.int64(0), 0
    while True:
        count = 0
        for point in range(points):
            if free[point]:
                first[count] = point
                count += 1
        if count == 0:
            break
        labels, known = search_labels(tables, support, work, count, labels, known, steps * count)
        votes = np.zeros(known, dtype=np.int32)
        for point in range(points):
            if free[point] and best[point] >= 0:
                votes[best[point]] += 1
        cost, ends, levels, members = labels
        listed = _cheapest_first(votes, cost, known)
        if len(listed) == 0:
            break
        taken = len(listed) if count < few else max(1, int(len(listed) * share))
        for label in listed[:taken]:
            if is_enough(support, members, ends[label], ends[label + 1], free, seen):
                for at in range(ends[label], ends[label + 1]):
                    point = members[at]
                    if free[point]:
                        free[point] = False
                        owner[point] = classes
                for column in range(columns):
                    formed[classes, column] = levels[label, column]
                classes += 1
        known = _keep_supported(labels, known, votes, support, work)
    return owner, formed[:classes]
