"""Compiled loops of ``CheapestFirst`` that cut a long table into blocks, and find near groups."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from incrowd.core.kernels import compiled
from incrowd.search._problem import Counts, Floats
from incrowd.search.cheapest._kernels import Small, Tables, compile_inner

SAMPLE = 1 << 14  # of a longer part about so many points say which column to cut; how it is cut is decided by all


@compile_inner
def _group_sums(tables: Tables, weights: Counts, part: Small, column: int, table: int, step: int, sums: Counts) -> int:
    """Add up the records of each group, at every so many-th point; give how many groups there are."""
    groups = 0
    for at in range(0, len(part), step):
        node = tables.node[table + tables.place[column, part[at]]]
        groups += sums[node] == 0
        sums[node] += weights[part[at]]
    return groups


@compile_inner
def _column_gain(tables: Tables, part: Small, column: int, table: int, step: int, sums: Counts, least: int) -> float:
    """Say how much cheaper the groups that are large enough become, and forget the sums."""
    # Where the groups that are too small are too small together, the smallest of the others stays with them.
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


@compile_inner
def _sort_groups(
    tables: Tables,
    weights: Counts,
    part: Small,
    column: int,
    table: int,
    sums: Counts,
    least: int,
    spare: Small,
    ends: Counts,
) -> int:
    """Line a part up by its groups, those that are too small together at the end; give how many there are then."""
    # Where all of these together are too small, too, the smallest group joins them.
    _group_sums(tables, weights, part, column, table, 1, sums)
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
    ends[: number + 2] = 0
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
    sums[low : high + 1] = 0
    for at in range(len(part)):
        part[at] = spare[at]
    return number


@compile_inner
def _best_column(
    tables: Tables, weights: Counts, part: Small, level: Counts, step: int, sums: Counts, least: int
) -> tuple[int, int]:
    """Choose the column to cut, and the table of its groups one level below; levels at which all is one group go."""
    best, chosen, below = 0.0, -1, 0
    for column in range(len(level)):
        while level[column] > 0:
            table = tables.base[column] + (level[column] - 1) * tables.width[column]
            groups = _group_sums(tables, weights, part, column, table, step, sums)
            gain = _column_gain(tables, part, column, table, step, sums, least)
            if groups > 1 or step > 1:
                if gain > best:
                    best, chosen, below = gain, column, table
                break
            level[column] -= 1
    return chosen, below


@compile_inner
def _with_waiting_room(waiting: Counts, used: int, more: int) -> Counts:
    if used + more <= len(waiting):
        return waiting
    larger = np.zeros((2 * (used + more), waiting.shape[1]), dtype=np.int64)
    for row in range(used):
        for entry in range(waiting.shape[1]):
            larger[row, entry] = waiting[row, entry]
    return larger


@compiled
def cut_blocks(tables: Tables, weights: Counts, least: int) -> tuple[Small, Counts]:
    """Cut a table into parts of at least so many records, each time where most of the cost is saved."""
    # Give the points part by part, and where each part ends.
    columns, points = tables.place.shape
    order, spare = np.arange(points).astype(np.int32), np.empty(points, dtype=np.int32)
    widest = tables.width.max()
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
            chosen, table = _best_column(tables, weights, part, level, step, sums, least)
            if chosen >= 0:
                number = _sort_groups(tables, weights, part, chosen, table, sums, least, spare, ends)
            if step == 1:
                break
            step = 1  # the sample was wrong: look at all
        rest = 0 if number == 0 else end - start - ends[number - 1]
        if number + (rest > 0) < 2 and not (number == 1 and rest == 0):
            found[parts + 1] = end
            parts += 1
            continue
        groups = number + (rest > 0)
        waiting = _with_waiting_room(waiting, open_, groups)
        for group in range(groups - 1, -1, -1):
            waiting[open_, 0] = start + (0 if group == 0 else ends[group - 1])
            waiting[open_, 1] = start + ends[group]
            for column in range(columns):
                waiting[open_, 2 + column] = level[column]
            waiting[open_, 2 + chosen] -= group < number
            open_ += 1
    return order, found[: parts + 1]


class Boxes(NamedTuple):
    """Groups of points as boxes: per column and group the first and the last place; per group the records."""

    low: Small
    high: Small
    size: Counts


class Choice(NamedTuple):
    """Groups that join others, and per mover where its choice begins and ends in ``targets``."""

    movers: Small
    targets: Small
    first: Counts
    last: Counts


@compile_inner
def _label_cost(tables: Tables, column: int, low: int, high: int) -> int:
    """Give what the narrowest label costs that covers two places of a column."""
    if tables.line[column] >= 0:
        way = tables.along[tables.line[column] + high] - tables.along[tables.line[column] + low]
        return int(min(way, tables.full[column]))
    table = tables.base[column]
    while tables.node[table + low] != tables.node[table + high]:
        table += tables.width[column]
    return int(tables.cost[table + low])


@compiled
def find_nearest(tables: Tables, boxes: Boxes, choice: Choice, found: Small, rises: Floats) -> None:
    """Fill per mover the groups with which it costs least, the cheapest first, and by how much the cost rises."""
    # -1 where there are no more.
    low, high, size = boxes
    movers, targets, first, last = choice
    columns, most = len(tables.heights), found.shape[1]
    own = np.zeros(len(size), dtype=np.float64)
    for group in range(len(size)):
        for column in range(columns):
            own[group] += size[group] * float(_label_cost(tables, column, low[column, group], high[column, group]))
    for at in range(len(movers)):
        mover = movers[at]
        for to in range(most):
            found[at, to] = -1
            rises[at, to] = np.inf
        for which in range(first[at], last[at]):
            group = targets[which]
            if group == mover:
                continue
            together = float(size[group] + size[mover])
            rise = -own[group] - own[mover]
            for column in range(columns):
                start = min(low[column, group], low[column, mover])
                end = max(high[column, group], high[column, mover])
                rise += together * float(_label_cost(tables, column, start, end))
                if rise >= rises[at, most - 1]:
                    break  # it only becomes more, and as many are cheaper as are wanted
            to = most
            while to > 0 and rises[at, to - 1] > rise:
                to -= 1
                if to + 1 < most:
                    rises[at, to + 1] = rises[at, to]
                    found[at, to + 1] = found[at, to]
            if to < most:
                rises[at, to] = rise
                found[at, to] = group
