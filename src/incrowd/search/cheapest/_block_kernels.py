"""The compiled loop that cuts a long table into blocks, in each of which ``CheapestFirst`` searches by itself."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from incrowd.search.cheapest._kernels import Ints, Small, Tables, compiled, inner

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
def _deal(
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
def cut(tables: Tables, weights: Ints, least: int) -> tuple[Small, Ints]:
    """Cut a table into parts of at least so many records, each time where most of the cost is saved.

    Give the points part by part, and where each part ends.
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


# Near groups of points: those with which a group costs least.

NearInts = npt.NDArray[np.integer]
Whole = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

COMPILE_FROM = 200_000
"""From so many pairs of groups on the compiled loop pays for its start."""


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """Groups of points as boxes: per column and group the first and the last place; per group the records."""

    tables: Tables
    low: npt.NDArray[np.int32] = field(repr=False)
    high: npt.NDArray[np.int32] = field(repr=False)
    size: Whole = field(repr=False)

    def nearest(self, movers: Whole, targets: Whole, first: Whole, last: Whole, most: int) -> tuple[Whole, Floats]:
        """Find for some groups the groups with which each costs least, the cheapest first.

        ``first`` and ``last`` say per mover where its choice begins and ends in ``targets``. Give per mover the groups,
        and by how much the cost rises; -1 where there are no more.
        """
        found = np.full((len(movers), most), -1, dtype=np.int32)
        rises = np.full((len(movers), most), np.inf)
        if int((last - first).sum()) < COMPILE_FROM:
            self._few(movers, targets, first, last, found, rises)
        else:
            chosen, which = targets.astype(np.int32), movers.astype(np.int32)
            nearest(self.tables, self.low, self.high, self.size, chosen, which, first, last, found, rises)
        return found.astype(np.int64), rises

    def _few(self, movers: Whole, targets: Whole, first: Whole, last: Whole, found: NearInts, rises: Floats) -> None:
        """Do what the compiled loop does, mover by mover."""
        own = self._cost(self.low, self.high, self.size.astype(np.float64), np.zeros(len(self.size)))
        for at, mover in enumerate(movers.tolist()):
            others = targets[first[at] : last[at]]
            others = others[others != mover]
            low = np.minimum(self.low[:, others], self.low[:, [mover]])
            high = np.maximum(self.high[:, others], self.high[:, [mover]])
            together = (self.size[others] + self.size[mover]).astype(np.float64)
            rise = self._cost(low, high, together, -own[others] - own[mover])
            best = np.argsort(rise, kind="stable")[: found.shape[1]]
            found[at, : len(best)], rises[at, : len(best)] = others[best], rise[best]

    def _cost(self, low: NearInts, high: NearInts, records: Floats, start: Floats) -> Floats:
        """Add to a start what boxes cost, column by column."""
        result = start
        for at in range(len(self.tables.heights)):
            result = result + records * self._ways(at, low[at], high[at]).astype(np.float64)
        return result

    def _ways(self, at: int, low: NearInts, high: NearInts) -> Whole:
        """Give what the narrowest label costs that covers two places of a column."""
        tables = self.tables
        if tables.line[at] >= 0:
            way = tables.along[tables.line[at] + high] - tables.along[tables.line[at] + low]
            return np.asarray(np.minimum(way, tables.full[at]))
        result = np.zeros(len(low), dtype=np.int64)
        for level in range(int(tables.heights[at]), -1, -1):
            table = tables.base[at] + level * tables.width[at]
            same = tables.node[table + low] == tables.node[table + high]
            result = np.where(same, tables.cost[table + low], result)
        return result


# The compiled loop that finds near groups of points: those with which a group costs least.


@inner
def _way(tables: Tables, column: int, low: int, high: int) -> int:
    """Give what the narrowest label costs that covers two places of a column."""
    if tables.line[column] >= 0:
        way = tables.along[tables.line[column] + high] - tables.along[tables.line[column] + low]
        return int(min(way, tables.full[column]))
    table = tables.base[column]
    while tables.node[table + low] != tables.node[table + high]:
        table += tables.width[column]
    return int(tables.cost[table + low])


@compiled
def nearest(
    tables: Tables,
    low: Small,
    high: Small,
    size: Ints,
    targets: Small,
    movers: Small,
    first: Ints,
    last: Ints,
    found: Small,
    rises: npt.NDArray[np.float64],
) -> None:
    """Find for some groups of points the groups with which each costs least, the cheapest first.

    As ``Boxes.nearest``; fills ``found`` and ``rises``.
    """
    columns, most = len(tables.heights), found.shape[1]
    own = np.zeros(len(size), dtype=np.float64)
    for group in range(len(size)):
        for column in range(columns):
            own[group] += size[group] * float(_way(tables, column, low[column, group], high[column, group]))
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
                rise += together * float(_way(tables, column, start, end))
            to = most
            while to > 0 and rises[at, to - 1] > rise:
                to -= 1
                if to + 1 < most:
                    rises[at, to + 1] = rises[at, to]
                    found[at, to + 1] = found[at, to]
            if to < most:
                rises[at, to] = rise
                found[at, to] = group
