"""The compiled loop that finds near groups of points: those with which a group costs least."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from incrowd.algorithms._cheapest._compiled import Ints, Small, Tables, compiled, inner


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
def nearest(  # noqa: C901, PLR0913, PLR0917 - plain arrays are what compiles fast
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

    Parameters
    ----------
    tables
        The columns.
    low, high, size
        Per column and group its first and its last place; per group its records.
    targets, movers
        The groups to choose from, and those to choose for.
    first, last
        Per mover where its choice begins and ends in ``targets``.
    found, rises
        Filled, one row per mover, with the groups and by how much the cost rises; -1 where there are no more.
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
