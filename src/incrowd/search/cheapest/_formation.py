"""How ``CheapestFirst`` works: form classes in blocks, judge them where that is needed, settle what is left."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from incrowd.core import Labelling, add_up, class_extremes
from incrowd.search._local import Pieces
from incrowd.search.cheapest._block_kernels import Boxes
from incrowd.search.cheapest._kernels import Support, Tables, form
from incrowd.search.cheapest._support import Needs
from incrowd.search.cheapest._tables import Board, Called, labelled, stretched

# Long tables in blocks: each is searched by itself, several at a time.

Ints = npt.NDArray[np.integer]

SHARE = 0.3
"""The share of the labels that is taken, cheapest first, before the next look at what is free."""
FEW = 300
"""Of so few free points all labels are taken."""


@dataclass(frozen=True, slots=True, eq=False)
class Formed:
    """Classes that were formed out of points.

    ``owner``: the class of every point, -1 where it is left over. ``home``: the block of every class.
    """

    owner: npt.NDArray[np.int64]
    home: npt.NDArray[np.int64]
    levels: npt.NDArray[np.int16] = field(repr=False)


def cut_into_blocks(nested: Callable[[], Tables], weights: npt.NDArray[np.int64], least: int | None) -> list[Ints]:
    """Give the points of every block.

    Nothing is cut without ``least``, the records that a block has at least; only a cut asks for ``nested``.
    """
    if least is None:
        return [np.arange(len(weights))]
    from incrowd.search.cheapest._block_kernels import cut  # noqa: PLC0415 - compiled only where it is needed

    order, ends = cut(nested(), weights, least)
    return [np.sort(part) for part in np.split(order, ends[1:-1])]


def form_in_blocks(
    tables: Tables, support: Support, blocks: list[Ints], tell: Callable[[int], object] | None = None
) -> Formed:
    """Form classes in every block by itself."""
    points = tables.place.shape[1]
    owner = np.full(points, -1, dtype=np.int64)
    home: list[Ints] = []
    levels: list[Ints] = [np.zeros((0, len(tables.heights)), dtype=np.int16)]
    number = done = 0
    for block, (inside, (found, formed)) in enumerate(zip(blocks, _all(tables, support, blocks), strict=True)):
        owner[inside] = np.where(found < 0, -1, found + number)
        home.append(np.full(len(formed), block))
        levels.append(formed)
        number, done = number + len(formed), done + len(inside)
        if tell is not None:
            tell(done)
    return Formed(owner, np.concatenate([np.zeros(0, dtype=np.int64), *home]), np.concatenate(levels).astype(np.int16))


def _all(tables: Tables, support: Support, blocks: list[Ints]) -> Iterator[tuple[Ints, Ints]]:
    """Search all blocks, on all processors; the compiled loops let others run meanwhile."""

    def search(inside: Ints) -> tuple[Ints, Ints]:
        if len(inside) == tables.place.shape[1]:
            found: tuple[Ints, Ints] = form(tables, support, SHARE, FEW)
        else:
            part = tables._replace(place=np.ascontiguousarray(tables.place[:, inside]))
            found = form(part, of_points(support, inside), SHARE, FEW)
        return found

    if len(blocks) < 2:
        yield from map(search, blocks)
        return
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        yield from threads.map(search, blocks)


def of_points(support: Support, inside: Ints) -> Support:
    """Give what some of the points have; kinds are numbered anew, as far as there are any."""
    starts, kinds = np.zeros((len(support.wanted), len(inside) + 1), dtype=np.int64), [support.kinds[:0]]
    entries = 0
    for row, begins in zip(starts, support.starts, strict=True):
        places, _ = stretched(begins, inside)
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

Bools = npt.NDArray[np.bool_]
Whole = npt.NDArray[np.int64]
Keeps = Callable[[Whole, Whole, int], Bools]
"""Says which classes keep the promise, from points, the class of each, and how many classes there are."""

TRIED = 24
"""So many groups are tried for a group that breaks the promise."""


@dataclass(slots=True, eq=False)
class Groups:
    """Groups of points that become classes.

    Per point its group (``owner``); per group its block (``home``), the levels with which it was formed, and whether it
    keeps the promise (``good``).
    """

    owner: Whole
    home: Whole
    levels: npt.NDArray[np.int16]
    good: Bools

    @classmethod
    def of(cls, formed: Formed, good: Bools, blocks: Whole) -> Groups:
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

    def settle(self, tables: Tables, weights: Whole) -> None:
        """Let every group that breaks the promise join the nearest one that keeps it, where that never breaks it."""
        movers = np.flatnonzero(~self.good)
        if len(movers) and self.good.any():
            found, _ = self._nearest(tables, weights, movers, np.flatnonzero(self.good), 1)
            self._join(movers, found[:, 0])
        elif len(movers):
            self._join(movers[1:], np.zeros(len(movers) - 1, dtype=np.int64))

    def settle_by(self, keeps: Keeps, tables: Tables, weights: Whole) -> None:
        """Merge groups until every one keeps the promise: two whose union does, or else the nearest two."""
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
        sides = [class_extremes(place, self.owner, len(self.home)) for place in tables.place]
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


Tell = Callable[[int], object]

WHOLE = 60_000
"""So many points are searched at once, unless the user says otherwise."""
BLOCK = 100
"""Blocks have so many times the records that a class needs, and at least five times as many records as this."""
LARGE = 10
"""Where classes as small as the promise allows break it, mostly, those to be merged have at least so many records."""


class Run:
    """One search."""

    def __init__(self, board: Board, block: int | None, tell: Tell | None = None) -> None:
        self.board = board
        self.needs = Needs.of(board.table)
        self._tables = board.tables()
        self._tell = tell
        self._blocks = cut_into_blocks(lambda: board.tables(nested=True), board.weights, self._least(block))
        self._block_of = np.empty(len(board.points), dtype=np.int64)
        for number, inside in enumerate(self._blocks):
            self._block_of[inside] = number

    def run(self) -> None:
        """Form the classes."""
        weights = self.board.weights
        if self.needs.enough:
            formed = self._form(1)
            groups = Groups.of(formed, np.ones(len(formed.home), dtype=bool), self._block_of)
        else:
            groups = Groups.of(*self._form_and_judge(), self._block_of)
        if self.board.table.upward_closed:
            groups.settle(self._tables, weights)
        else:
            groups.settle_by(self.board.keeps, self._tables, weights)
        self.owner, self.levels = groups.owner, groups.levels

    def labels(self, pieces: Pieces, labels: Called) -> tuple[Labelling, ...]:
        """Call every class by the label with which it was formed."""
        return labelled(self.board, pieces, self.levels, labels)

    def _form(self, least: int) -> Formed:
        """Form classes of at least so many records that have what the promise implies."""
        return form_in_blocks(self._tables, self.needs.support(self.board, least), self._blocks, self._tell)

    def _form_and_judge(self) -> tuple[Formed, Bools]:
        """Form classes, larger ones where hardly any keeps the promise, and say which do."""
        least, weights = self._smallest(), self.board.weights
        while True:
            formed = self._form(least)
            inside = np.flatnonzero(formed.owner >= 0)
            good = self.board.keeps(inside, formed.owner[inside], len(formed.home))
            sizes = add_up(formed.owner[inside], weights[inside], len(good))
            if least >= LARGE or int(sizes[good].sum()) * 2 >= int(weights.sum()):
                return formed, good
            least = LARGE

    def _least(self, block: int | None) -> int | None:
        """Say how many records a block has at least; ``None`` where the table is not cut."""
        weights = self.board.weights
        if block is None and len(weights) > WHOLE:
            block = max(BLOCK * self._smallest(), BLOCK * 5) * (1 if self.needs.enough else 4)
        return block if block is not None and int(weights.sum()) >= 2 * block else None

    def _smallest(self) -> int:
        """Say how many records every class has at least."""
        plain = [one.least for one in self.needs.sums if one.kinds is None and (one.worth == 1).all()]
        return max(plain, default=1)
