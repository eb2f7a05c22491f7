"""Left-overs, and classes that break the promise: each joins the class with which it costs least."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from incrowd.algorithms._cheapest._blocks import Formed
from incrowd.algorithms._cheapest._compiled import Tables
from incrowd.algorithms._cheapest._near import Boxes
from incrowd.algorithms._cheapest._tables import stretched
from incrowd.core import add_up, stretches

Bools = npt.NDArray[np.bool_]
Whole = npt.NDArray[np.int64]
Keeps = Callable[[Whole, Whole, int], Bools]
"""Says which classes keep the promise, from points, the class of each, and how many classes there are."""

TRIED = 24
"""So many groups are tried for a group that breaks the promise."""


@dataclass(slots=True, eq=False)
class Groups:
    """Groups of points that become classes.

    Attributes
    ----------
    owner
        The group of every point.
    home
        The block of every group.
    levels
        Per group the level in every column with which it was formed.
    good
        Which groups keep the promise.
    """

    owner: Whole
    home: Whole
    levels: npt.NDArray[np.int16]
    good: Bools

    @classmethod
    def of(cls, formed: Formed, good: Bools, blocks: Whole) -> Groups:
        """Let every point that is left over be a group of its own.

        Parameters
        ----------
        formed, good
            The classes, and which of them keep the promise.
        blocks
            The block of every point.
        """
        left = np.flatnonzero(formed.owner < 0)
        owner = formed.owner.copy()
        owner[left] = len(formed.home) + np.arange(len(left))
        return cls(
            owner,
            np.concatenate((formed.home, blocks[left])),
            np.concatenate((formed.levels, np.zeros((len(left), formed.levels.shape[1]), dtype=np.int16))),
            np.concatenate((good, np.zeros(len(left), dtype=bool))),
        )

    def settle(self, tables: Tables, weights: Whole) -> None:
        """Let every group that breaks the promise join the nearest one that keeps it, where that never breaks it."""
        movers = np.flatnonzero(~self.good)
        if len(movers) and self.good.any():
            found, _ = self._nearest(tables, weights, movers, np.flatnonzero(self.good), 1)
            self._join(movers, found[:, 0])
        elif len(movers):
            self._join(movers[1:], np.zeros(len(movers) - 1, dtype=np.int64))

    def settle_by(self, keeps: Keeps, tables: Tables, weights: Whole) -> None:
        """Merge groups until every one keeps the promise: two whose union does, or else the nearest two.

        Parameters
        ----------
        keeps
            The judge.
        tables, weights
            The columns, and the records of every point.
        """
        while not self.good.all() and len(self.good) > 1:
            movers, everyone = np.flatnonzero(~self.good), np.arange(len(self.good))
            found, rises = self._nearest(tables, weights, movers, everyone, TRIED)
            fits = self._fits(movers, found, keeps)
            able = np.flatnonzero(fits.any(axis=1))
            if len(able):
                first = fits[able].argmax(axis=1)
                pairs = _matched(movers[able], found[able, first], rises[able, first])
                self.good[pairs[1]] = True
                self._join(*pairs)
            else:
                self._join(*_matched(movers, found[:, 0], rises[:, 0]))
                self.good = keeps(np.arange(len(self.owner)), self.owner, len(self.home))

    def _nearest(
        self, tables: Tables, weights: Whole, movers: Whole, targets: Whole, most: int
    ) -> tuple[Whole, npt.NDArray[np.float64]]:
        """Find groups to join: of the same block, or of all where it has none."""
        targets = targets[np.argsort(self.home[targets], kind="stable")]
        first, last = (np.searchsorted(self.home[targets], self.home[movers], side=side) for side in ("left", "right"))
        alone = last - first <= np.isin(movers, targets)
        first[alone], last[alone] = 0, len(targets)
        sides = [stretches(place, self.owner, len(self.home)) for place in tables.place]
        low, high = (np.array([side[which] for side in sides], dtype=np.int32) for which in (0, 1))
        boxes = Boxes(tables, low, high, add_up(self.owner, weights, len(self.home)))
        return boxes.nearest(movers, targets, first, last, most)

    def _fits(self, movers: Whole, found: Whole, keeps: Keeps) -> Bools:
        """Say which groups keep the promise once they have joined one of the groups that were found."""
        order = np.argsort(self.owner, kind="stable")
        starts = np.searchsorted(self.owner[order], np.arange(len(self.home) + 1))
        fits = np.zeros(found.shape, dtype=bool)
        row, column = np.nonzero(found >= 0)
        both = np.stack((movers[row], found[row, column]), axis=1).ravel()
        places, which = stretched(starts, both)
        fits[row, column] = keeps(order[places], which // 2, len(row))
        return fits

    def _join(self, movers: Whole, targets: Whole) -> None:
        """Put groups into others, which stay."""
        to = np.arange(len(self.home))
        to[movers] = targets
        stays = np.ones(len(to), dtype=bool)
        stays[movers] = False
        number = np.cumsum(stays) - 1
        self.owner = number[to][self.owner]
        self.home, self.levels, self.good = self.home[stays], self.levels[stays], self.good[stays]


def _matched(movers: Whole, targets: Whole, rises: npt.NDArray[np.float64]) -> tuple[Whole, Whole]:
    """Choose pairs of which both sides have no cheaper one, so that no group is in two of them."""
    order = np.lexsort((targets, movers, rises))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    best = np.full(int(max(movers.max(), targets.max())) + 1, len(order))
    np.minimum.at(best, movers, rank)
    np.minimum.at(best, targets, rank)
    chosen = (best[movers] == rank) & (best[targets] == rank)
    return movers[chosen], targets[chosen]
