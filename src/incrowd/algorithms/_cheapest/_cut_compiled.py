"""The compiled loop that cuts a long table into blocks, in each of which ``CheapestFirst`` searches by itself."""

from __future__ import annotations

import numpy as np

from incrowd.algorithms._cheapest._compiled import Ints, Small, Tables, compiled, inner

SAMPLE = 1 << 14
"""Of a longer part about so many points say which column to cut; how it is cut is decided by all."""


@inner
def _count(tables: Tables, weights: Ints, part: Small, column: int, table: int, step: int, sums: Ints) -> int:
    """Add up the records of each group, at every so many-th point; give how many groups there are."""
    groups = 0
    for at in range(0, len(part), step):
        node = tables.node[table + tables.place[column, part[at]]]
        groups += sums[node] == 0
        sums[node] += weights[part[at]]
    return groups


@inner
def _gain(tables: Tables, part: Small, column: int, table: int, step: int, sums: Ints, least: int) -> float:
    """Say how much cheaper the groups that are large enough become, and forget the sums.

    Where the groups that are too small are too small together, the smallest of the others stays with them.
    """
    gain, pool, smallest, given_up = 0.0, 0, 0, 0.0
    above = table + tables.width[column]
    for at in range(0, len(part), step):
        place = tables.place[column, part[at]]
        weight = sums[tables.node[table + place]] * step
        sums[tables.node[table + place]] = 0
        if weight >= least:
            saved = float(weight) * (tables.cost[above + place] - tables.cost[table + place])
            gain += saved
            if smallest == 0 or weight < smallest:
                smallest, given_up = weight, saved
        else:
            pool += weight
    return gain - given_up if 0 < pool < least else gain


@inner
def _deal(  # noqa: C901, PLR0912, PLR0913, PLR0917 - plain arrays are what compiles fast
    tables: Tables,
    weights: Ints,
    part: Small,
    column: int,
    table: int,
    sums: Ints,
    least: int,
    spare: Small,
    ends: Ints,
) -> int:
    """Line a part up by its groups, those that are too small together at the end; give how many there are then.

    Where all of these together are too small, too, the smallest group joins them.
    """
    _count(tables, weights, part, column, table, 1, sums)
    low, high = len(sums), -1
    for at in range(len(part)):
        node = tables.node[table + tables.place[column, part[at]]]
        low, high = min(low, node), max(high, node)
    pool, smallest = 0, -1
    for node in range(low, high + 1):
        if sums[node] < least:
            pool += sums[node]
        elif smallest < 0 or sums[node] < sums[smallest]:
            smallest = node
    joins = smallest if 0 < pool < least else -1
    number = 0
    for node in range(low, high + 1):
        if sums[node] >= least and node != joins:
            sums[node] = -1 - number
            number += 1
        elif sums[node]:
            sums[node] = 0
    rest = number
    for group in range(number + 2):
        ends[group] = 0
    for at in range(len(part)):
        mark = sums[tables.node[table + tables.place[column, part[at]]]]
        ends[(rest if mark == 0 else -1 - mark) + 1] += 1
    for group in range(number + 1):
        ends[group + 1] += ends[group]
    for at in range(len(part)):
        mark = sums[tables.node[table + tables.place[column, part[at]]]]
        group = rest if mark == 0 else -1 - mark
        spare[ends[group]] = part[at]
        ends[group] += 1
    for node in range(low, high + 1):
        sums[node] = 0
    for at in range(len(part)):
        part[at] = spare[at]
    return number


@inner
def _choose(
    tables: Tables, weights: Ints, part: Small, level: Ints, step: int, sums: Ints, least: int
) -> tuple[int, int]:
    """Choose the column to cut, and the table of its groups one level below; levels at which all is one group go."""
    best, chosen, below = 0.0, -1, 0
    for column in range(len(level)):
        while level[column] > 0:
            table = tables.base[column] + (level[column] - 1) * tables.width[column]
            groups = _count(tables, weights, part, column, table, step, sums)
            gain = _gain(tables, part, column, table, step, sums, least)
            if groups > 1 or step > 1:
                if gain > best:
                    best, chosen, below = gain, column, table
                break
            level[column] -= 1
    return chosen, below


@inner
def _room_for(waiting: Ints, used: int, more: int) -> Ints:
    """Give so many more parts room to wait."""
    if used + more <= len(waiting):
        return waiting
    larger = np.zeros((2 * (used + more), waiting.shape[1]), dtype=np.int64)
    for row in range(used):
        for entry in range(waiting.shape[1]):
            larger[row, entry] = waiting[row, entry]
    return larger


@compiled
def cut(  # noqa: C901 - one loop in place of a recursion
    tables: Tables, weights: Ints, least: int
) -> tuple[Small, Ints]:
    """Cut a table into parts of at least so many records, each time where most of the cost is saved.

    Returns
    -------
    The points part by part, and where each part ends.
    """
    columns, points = tables.place.shape
    order, spare = np.empty(points, dtype=np.int32), np.empty(points, dtype=np.int32)
    for point in range(points):
        order[point] = point
    widest = 0
    for column in range(columns):
        widest = max(widest, tables.width[column])
    sums, ends = np.zeros(widest + 1, dtype=np.int64), np.zeros(widest + 2, dtype=np.int64)
    found, parts = np.zeros(points + 1, dtype=np.int64), 0
    waiting = np.zeros((64, columns + 2), dtype=np.int64)
    waiting[0, 1] = points
    for column in range(columns):
        waiting[0, 2 + column] = tables.heights[column]
    open_ = 1
    level = np.zeros(columns, dtype=np.int64)
    while open_ > 0:
        open_ -= 1
        start, end = waiting[open_, 0], waiting[open_, 1]
        for column in range(columns):
            level[column] = waiting[open_, 2 + column]
        part = order[start:end]
        step = 1 + (end - start) // SAMPLE
        number, chosen = 0, -1
        while number == 0:
            chosen, table = _choose(tables, weights, part, level, step, sums, least)
            if chosen >= 0:
                number = _deal(tables, weights, part, chosen, table, sums, least, spare, ends)
            if step == 1:
                break
            step = 1  # the sample was wrong: look at all
        rest = 0 if number == 0 else end - start - ends[number - 1]
        if number + (rest > 0) < 2 and not (number == 1 and rest == 0):
            found[parts + 1] = end
            parts += 1
            continue
        groups = number + (rest > 0)
        waiting = _room_for(waiting, open_, groups)
        for group in range(groups - 1, -1, -1):
            waiting[open_, 0] = start + (0 if group == 0 else ends[group - 1])
            waiting[open_, 1] = start + ends[group]
            for column in range(columns):
                waiting[open_, 2 + column] = level[column]
            waiting[open_, 2 + chosen] -= group < number
            open_ += 1
    return order, found[: parts + 1]
