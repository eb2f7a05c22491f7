"""Near groups of points: those with which a group costs least."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from incrowd.algorithms._cheapest._compiled import Tables

Ints = npt.NDArray[np.integer]
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

        Parameters
        ----------
        movers, targets
            The groups to choose for, and those to choose from.
        first, last
            Per mover where its choice begins and ends in ``targets``.
        most
            How many to find for each.

        Returns
        -------
        One row per mover: the groups, and by how much the cost rises; -1 where there are no more.
        """
        found = np.full((len(movers), most), -1, dtype=np.int32)
        rises = np.full((len(movers), most), np.inf)
        if int((last - first).sum()) < COMPILE_FROM:
            self._few(movers, targets, first, last, found, rises)
        else:
            from incrowd.algorithms._cheapest._near_compiled import nearest  # noqa: PLC0415 - only where it pays

            chosen, which = targets.astype(np.int32), movers.astype(np.int32)
            nearest(self.tables, self.low, self.high, self.size, chosen, which, first, last, found, rises)
        return found.astype(np.int64), rises

    def _few(self, movers: Whole, targets: Whole, first: Whole, last: Whole, found: Ints, rises: Floats) -> None:
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

    def _cost(self, low: Ints, high: Ints, records: Floats, start: Floats) -> Floats:
        """Add to a start what boxes cost, column by column."""
        result = start
        for at in range(len(self.tables.heights)):
            result = result + records * self._ways(at, low[at], high[at]).astype(np.float64)
        return result

    def _ways(self, at: int, low: Ints, high: Ints) -> Whole:
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
