"""Steps of ``CheapestFirst``: classes formed in blocks, judged, groups that fail left out or merged with near ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from incrowd.core import add_up
from incrowd.search._problem import Bools, Counts, Floats, Ints
from incrowd.search.cheapest._block_kernels import Boxes, Choice, cut_blocks, find_nearest
from incrowd.search.cheapest._class_kernels import form_classes
from incrowd.search.cheapest._kernels import Small, Support, Tables
from incrowd.search.cheapest._search_space import PointNeeds, PointSpace, stretch_places

Keeps = Callable[[Counts, Counts, int], Bools]
"""Says which classes keep the promise, from points, the class of each, and how many classes there are."""
Levels = npt.NDArray[np.int16]
FEW = 300  # of so few free points all labels are taken
TRIED = 24  # so many groups are tried for a group that breaks the promise
WHOLE = 60_000  # so many points are searched at once, unless the user says otherwise
BLOCK = 100  # blocks have so many times the records that a class needs, and at least five times as many records as this
STEPS = 20_000  # a look at the labels takes so many steps for every point, a step being the point at a level
LARGE = 10
"""Where classes as small as the promise allows break it, mostly, those to be merged have at least so many records."""


class Effort(NamedTuple):
    """How hard labels are looked for: the share that is taken, cheapest first, before the next look; steps of a look.

    Up to ten columns or so a look needs fewer steps than it may take; with many columns it would never end.
    """

    share: float = 0.3
    steps: int = STEPS


USUAL = Effort()


# Long tables in blocks: each is searched by itself, several at a time.


class FormedClasses(NamedTuple):
    """The class of every point, -1 where it is left over; the block and the levels of every class."""

    owner: Counts
    home: Counts
    levels: Levels


def cut_into_blocks(nested: Callable[[], Tables], weights: Counts, least: int | None) -> list[Ints]:
    """Give the points of every block; nothing is cut without ``least``, the records that a block has at least."""
    if least is None:
        return [np.arange(len(weights))]
    order, ends = cut_blocks(nested(), weights, least)
    return [np.sort(part) for part in np.split(order, ends[1:-1])]


def form_in_blocks(
    tables: Tables,
    support: Support,
    blocks: list[Ints],
    effort: Effort = USUAL,
    tell: Callable[[int], object] | None = None,
) -> FormedClasses:
    points = tables.place.shape[1]
    owner = np.full(points, -1, dtype=np.int64)
    home: list[Ints] = []
    levels: list[Ints] = [np.zeros((0, len(tables.heights)), dtype=np.int16)]
    number = done = 0
    for block, (inside, (found, formed)) in enumerate(
        zip(blocks, _search_all(tables, support, blocks, effort), strict=True)
    ):
        owner[inside] = np.where(found < 0, -1, found + number)
        home.append(np.full(len(formed), block))
        levels.append(formed)
        number, done = number + len(formed), done + len(inside)
        if tell is not None:
            tell(done)
    return FormedClasses(
        owner, np.concatenate([np.zeros(0, dtype=np.int64), *home]), np.concatenate(levels).astype(np.int16)
    )


def _search_all(tables: Tables, support: Support, blocks: list[Ints], effort: Effort) -> Iterator[tuple[Ints, Ints]]:
    """Search all blocks, on all processors; the compiled loops let others run meanwhile."""

    def search(inside: Ints) -> tuple[Ints, Ints]:
        if len(inside) == tables.place.shape[1]:
            found: tuple[Ints, Ints] = form_classes(tables, support, effort.share, FEW, effort.steps)
        else:
            part = tables._replace(place=np.ascontiguousarray(tables.place[:, inside]))
            found = form_classes(part, support_part(support, inside), effort.share, FEW, effort.steps)
        return found

    if len(blocks) < 2:
        yield from map(search, blocks)
        return
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        yield from threads.map(search, blocks)


def support_part(support: Support, inside: Ints) -> Support:
    """Give what some of the points have; kinds are numbered anew, as far as there are any."""
    starts, kinds = np.zeros((len(support.wanted), len(inside) + 1), dtype=np.int64), [support.kinds[:0]]
    entries = 0
    for row, begins in zip(starts, support.starts, strict=True):
        places, _ = stretch_places(begins, inside)
        kinds.append(support.kinds[places])
        row[0] = entries
        row[1:] = entries + np.cumsum(begins[inside + 1] - begins[inside])
        entries += len(places)
    known, numbers = np.unique(np.concatenate(kinds), return_inverse=True)
    return support._replace(
        amounts=np.ascontiguousarray(support.amounts[:, inside]),
        starts=starts,
        kinds=numbers.astype(np.int32),
        worth=support.worth[known],
    )


# Left-overs, and classes that break the promise: each joins the class with which it costs least.


class KnownPairs:
    """Pairs of groups of which it is known whether they keep the promise together: most are asked about again."""

    def __init__(self) -> None:
        self._keys = np.zeros(0, dtype=np.int64)
        self._kept = np.zeros(0, dtype=bool)

    def answers(self, pairs: Counts, numbers: Counts, kept: Callable[[Counts], Bools]) -> Bools:
        """Say of pairs of groups, by the number of each group, what is known, and find out what is not."""
        both = np.sort(numbers[pairs], axis=1)
        keys, first, inverse = np.unique(both[:, 0] << 32 | both[:, 1], return_index=True, return_inverse=True)
        at = np.minimum(np.searchsorted(self._keys, keys), max(len(self._keys) - 1, 0))
        seen = self._keys[at] == keys if len(self._keys) else np.zeros(len(keys), dtype=bool)
        result = np.zeros(len(keys), dtype=bool)
        result[seen] = self._kept[at[seen]]
        if not seen.all():
            result[~seen] = kept(pairs[first[~seen]])
        self._keys, self._kept = keys, result
        return np.asarray(result[inverse])


@dataclass(slots=True, eq=False)
class PointGroups:
    """Groups of points that become classes: per group its block, its levels, and whether it keeps the promise.

    ``numbers``: per group a number that no other group has or had, nor this one with other points.
    """

    owner: Counts
    home: Counts
    levels: Levels
    good: Bools
    numbers: Counts = field(init=False)

    def __post_init__(self) -> None:
        self.numbers = np.arange(len(self.home))

    @classmethod
    def of(cls, formed: FormedClasses, good: Bools, blocks: Counts) -> PointGroups:
        """Let every point that is left over be a group of its own."""
        left = np.flatnonzero(formed.owner < 0)
        owner = formed.owner.copy()
        owner[left] = len(formed.home) + np.arange(len(left))
        return cls(
            owner,
            np.concatenate((formed.home, blocks[left])),
            np.concatenate((formed.levels, np.zeros((len(left), formed.levels.shape[1]), dtype=np.int16))),
            np.concatenate((good, np.zeros(len(left), dtype=bool))),
        )

    def leave_out(self, tables: Tables, weights: Counts, limit: int) -> None:
        """Leave out groups that break the promise where joining others would cost more, as many records as may be."""
        movers = np.flatnonzero(~self.good)
        if not len(movers) or not self.good.any():
            return
        _, rises = self._nearest(tables, weights, movers, np.flatnonzero(self.good), 1)
        sizes = add_up(self.owner, weights, len(self.home))[movers]
        order = np.lexsort((movers, -rises[:, 0] / sizes))  # dearest first
        fits = np.cumsum(sizes[order]) <= limit
        gone = movers[order[fits & (rises[order, 0] > sizes[order] * float(tables.full.sum()))]]
        stays = np.ones(len(self.home), dtype=bool)
        stays[gone] = False
        self.owner = np.where(stays, np.cumsum(stays) - 1, -1)[self.owner]
        self.home, self.levels, self.good = self.home[stays], self.levels[stays], self.good[stays]
        self.numbers = self.numbers[stays]

    def rises(self, tables: Tables, weights: Counts, movers: Counts, targets: Counts) -> Floats:
        """Give by how much the cost rises at least when groups join one of others."""
        _, rises = self._nearest(tables, weights, movers, targets, 1)
        return np.asarray(rises[:, 0])

    def settle(self, tables: Tables, weights: Counts) -> None:
        """Let every group that breaks the promise join the nearest one that keeps it, where that never breaks it."""
        movers = np.flatnonzero(~self.good)
        if len(movers) and self.good.any():
            found, _ = self._nearest(tables, weights, movers, np.flatnonzero(self.good), 1)
            self._join(movers, found[:, 0])
        elif len(movers):
            self._join(movers[1:], np.zeros(len(movers) - 1, dtype=np.int64))

    def settle_by(self, keeps: Keeps, tables: Tables, weights: Counts) -> None:
        """Merge groups until every one keeps the promise: two whose union does, or else the nearest two."""
        known = KnownPairs()
        while not self.good.all() and len(self.good) > 1:
            movers, everyone = np.flatnonzero(~self.good), np.arange(len(self.good))
            found, rises = self._nearest(tables, weights, movers, everyone, TRIED)
            fits = self._kept_with(movers, found, keeps, known)
            able = np.flatnonzero(fits.any(axis=1))
            if len(able):
                first = fits[able].argmax(axis=1)
                pairs = _mutual_pairs(movers[able], found[able, first], rises[able, first])
                self.good[pairs[1]] = True
                self._join(*pairs)
            else:
                self._join(*_mutual_pairs(movers, found[:, 0], rises[:, 0]))
                inside = np.flatnonzero(self.owner >= 0)
                self.good = keeps(inside, self.owner[inside], len(self.home))

    def _nearest(
        self, tables: Tables, weights: Counts, movers: Counts, targets: Counts, most: int
    ) -> tuple[Counts, Floats]:
        """Find groups to join: of the same block, or of all where it has none."""
        targets = targets[np.argsort(self.home[targets], kind="stable")]
        first, last = (np.searchsorted(self.home[targets], self.home[movers], side=side) for side in ("left", "right"))
        alone = last - first <= np.isin(movers, targets)
        first[alone], last[alone] = 0, len(targets)
        inside = self.owner >= 0
        low, high = class_boxes(tables.place[:, inside], self.owner[inside], len(self.home))
        sizes = add_up(self.owner[inside], weights[inside], len(self.home))
        found, rises = np.empty((len(movers), most), dtype=np.int32), np.empty((len(movers), most))
        choice = Choice(movers.astype(np.int32), targets.astype(np.int32), first, last)
        find_nearest(tables, Boxes(low, high, sizes), choice, found, rises)
        return found.astype(np.int64), rises

    def _kept_with(self, movers: Counts, found: Counts, keeps: Keeps, known: KnownPairs) -> Bools:
        """Say which groups keep the promise once they have joined one of the groups that were found."""
        order = np.argsort(self.owner, kind="stable")
        starts = np.searchsorted(self.owner[order], np.arange(len(self.home) + 1))

        def kept(pairs: Counts) -> Bools:
            places, which = stretch_places(starts, pairs.ravel())
            return keeps(order[places], which // 2, len(pairs))

        fits = np.zeros(found.shape, dtype=bool)
        row, column = np.nonzero(found >= 0)
        both = np.stack((movers[row], found[row, column]), axis=1)
        fits[row, column] = known.answers(both, self.numbers, kept)
        return fits

    def _join(self, movers: Counts, targets: Counts) -> None:
        to = np.arange(len(self.home))
        to[movers] = targets
        stays = np.ones(len(to), dtype=bool)
        stays[movers] = False
        number = np.cumsum(stays) - 1
        joined = np.unique(targets)
        self.numbers[joined] = self.numbers.max() + 1 + np.arange(len(joined))
        self.owner = np.append(number[to], -1)[self.owner]
        self.home, self.levels, self.good = self.home[stays], self.levels[stays], self.good[stays]
        self.numbers = self.numbers[stays]


def class_boxes(places: Ints, classes: Ints, number: int) -> tuple[Small, Small]:
    """Give per column the smallest and the largest place in every class; no class is empty."""
    order = np.argsort(classes, kind="stable")
    starts = np.searchsorted(classes[order], np.arange(number))
    low, high = np.empty((2, len(places), number), dtype=np.int32)
    for column, place in enumerate(places):
        low[column] = np.minimum.reduceat(place[order], starts)
        high[column] = np.maximum.reduceat(place[order], starts)
    return low, high


def _mutual_pairs(movers: Counts, targets: Counts, rises: Floats) -> tuple[Counts, Counts]:
    """Choose pairs of which both sides have no cheaper one, so that no group is in two of them."""
    order = np.lexsort((targets, movers, rises))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    best = np.full(int(max(movers.max(), targets.max())) + 1, len(order))
    np.minimum.at(best, movers, rank)
    np.minimum.at(best, targets, rank)
    chosen = (best[movers] == rank) & (best[targets] == rank)
    return movers[chosen], targets[chosen]


class Formation:
    """One search."""

    def __init__(
        self,
        board: PointSpace,
        block: int | None,
        tell: Callable[[int], object] | None = None,
        *,
        effort: Effort = USUAL,
        limit: int = 0,
    ) -> None:
        self.board = board
        self._effort, self._limit = effort, limit
        self.needs = PointNeeds.of(board.table)
        self._tables = board.tables()
        self._tell = tell
        self._blocks = cut_into_blocks(lambda: board.tables(nested=True), board.weights, self._block_size(block))
        self._block_of = np.empty(len(board.points), dtype=np.int64)
        for number, inside in enumerate(self._blocks):
            self._block_of[inside] = number

    def run(self) -> None:
        if self.needs.enough:
            formed = self._form(1)
            groups = PointGroups.of(formed, np.ones(len(formed.home), dtype=bool), self._block_of)
        else:
            groups = PointGroups.of(*self._form_and_judge(), self._block_of)
        self.finish(groups)
        self.owner, self.levels, self.home = groups.owner, groups.levels, groups.home

    def finish(self, groups: PointGroups) -> None:
        """Let every group that breaks the promise be left out, or join others until all keep it."""
        if self._limit:
            groups.leave_out(self._tables, self.board.weights, self._limit)
        self.settle(groups, self.board.keeps, self.board.weights)

    def settle(self, groups: PointGroups, keeps: Keeps, weights: Counts) -> None:
        if self.board.table.upward_closed:
            groups.settle(self._tables, weights)
        else:
            groups.settle_by(keeps, self._tables, weights)

    def _form(self, least: int) -> FormedClasses:
        """Form classes of at least so many records that have what the promise implies."""
        return form_in_blocks(
            self._tables, self.needs.support(self.board, least), self._blocks, self._effort, self._tell
        )

    def _form_and_judge(self) -> tuple[FormedClasses, Bools]:
        """Form classes, larger ones where hardly any keeps the promise, and say which do."""
        least, weights = self._least_size(), self.board.weights
        while True:
            formed = self._form(least)
            inside = np.flatnonzero(formed.owner >= 0)
            good = self.board.keeps(inside, formed.owner[inside], len(formed.home))
            sizes = add_up(formed.owner[inside], weights[inside], len(good))
            if least >= LARGE or int(sizes[good].sum()) * 2 >= int(weights.sum()):
                return formed, good
            least = LARGE

    def _block_size(self, block: int | None) -> int | None:
        """Say how many records a block has at least; ``None`` where the table is not cut."""
        weights = self.board.weights
        if block is None and len(weights) > WHOLE:
            block = max(BLOCK * self._least_size(), BLOCK * 5) * (1 if self.needs.enough else 4)
        return block if block is not None and int(weights.sum()) >= 2 * block else None

    def _least_size(self) -> int:
        plain = [one.least for one in self.needs.sums if one.kinds is None and (one.worth == 1).all()]
        return max(plain, default=1)
