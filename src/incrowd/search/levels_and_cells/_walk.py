"""``Walk``: the way over levels, one column at a time, and the best node that it ends at; what no levels come below."""

from __future__ import annotations

import heapq
import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from incrowd.core import Namer, NoSafeRelease
from incrowd.measures import Loss
from incrowd.search._local_recoding import LocalTable
from incrowd.search._problem import Floats, OnProgress, Problem, Progress, least_size
from incrowd.search.cheapest._formation import BLOCK, STEPS, WHOLE, cut_into_blocks
from incrowd.search.cheapest._kernels import Support, least_costs
from incrowd.search.cheapest._search_space import LabelColumn, PointNeeds, SearchSpace
from incrowd.search.lattice._optimal import BranchAndBound
from incrowd.search.levels_and_cells._candidates import Wanted
from incrowd.search.levels_and_cells._cells import (
    DIGITS,
    END,
    CellSpace,
    StarredNode,
    effort_of_look,
    exact_dot,
    number_of_values,
)

Levels = tuple[int, ...]
ENOUGH, TELLING, CHARGE = 3, 0.5, 0.5
"""So many values of a column should show, or all it has, and in so much of its cells; else so much more is charged."""
BOOSTS = 6
"""So often stars in a column that has too many are made four times as dear."""
WORK = 2_500_000
"""What walks with one column held at another level may take; a look takes points times columns squared."""
LOOKS = 60
"""And so many looks at most: of short tables a look takes the longer for its size."""
BOUND_WORK, FEWEST_LOOKS = 4_000_000, 20
"""What a bound may take, a point times the square of the columns each time; nothing if that is for fewer looks."""
NODES, VISITS = 1 << 20, 60_000_000
"""The best node is looked for in lattices of so many nodes, with so many visits, one counting for every point."""
BESIDE = 4_000
"""Nodes of tables with so many points are looked at side by side; those of shorter ones only wait for each other."""
ENDS = 5
"""Where stars are limited, so many of the nodes that were looked at are tried at the end."""
NEAR, NEAR_ENDS = 1.02, 2
"""Where they are not, nodes whose loss is so near to that of the best: so many at most."""


class Look(NamedTuple):
    """What is kept of a node that was looked at. A column with one label for all is starred in every cell."""

    loss: float
    kept: float
    stars: Mapping[str, float]
    values: Mapping[str, int]


@dataclass(frozen=True)
class Limits:
    """How a search may star: the bundles of columns, the share of stars that every column may have, blocks."""

    bundles: Sequence[tuple[int, ...]]
    most: Mapping[str, float]
    block: int | None

    @property
    def are_set(self) -> bool:
        """Whether some column may not have any number of stars."""
        return min(self.most.values(), default=1.0) < 1


class Walk:
    """The walk over levels, one column at a time."""

    def __init__(self, problem: Problem, limits: Limits) -> None:
        self.problem, self.limits = problem, limits
        self.quasi = problem.census.quasi
        self.lows, self.highs = problem.lows, problem.highs
        self.lowest = LocalTable(replace(problem, at_most={}), whole=True)
        self._names: dict[tuple[int, int], Namer] = {}
        self.seen: dict[Levels, Look] = {}
        self.stopped = False
        shares = self.lowest.weights / (self.lowest.weights.sum() or 1.0)
        shown = map(number_of_values, self.lowest.names, self.lowest.census.marginals)
        self.enough = {
            name: (min(ENOUGH, number), float(share))
            for name, number, share in zip(self.quasi, shown, shares, strict=True)
        }
        self.losses = column_losses(self.lowest, least_size(problem.model))
        self.empty = tuple(map(self._empty_level, range(len(self.quasi))))

    def _empty_level(self, at: int) -> int:
        """Give the first level of a column that has one label for all; above all levels where that was asked for."""
        ladder, level = self.problem.census.ladders[self.quasi[at]], self.lows[at]
        while level <= ladder.height and len(set(ladder.labels[level].tolist()) - {None}) > 1:
            level += 1
        return level if level > self.lows[at] else ladder.height + 1

    def table_at(self, levels: Sequence[int]) -> LocalTable:
        at_least = dict(zip(self.quasi, levels, strict=True))
        return self.lowest.raised(replace(self.problem, at_least=at_least, at_most={}), self._names)

    def look_of(self, levels: Levels, node: StarredNode) -> Look:
        stars = {
            name: 1.0 if level >= empty else node.stars[name]
            for name, level, empty in zip(self.quasi, levels, self.empty, strict=True)
        }
        return Look(node.loss, node.kept, stars, node.values)

    def rank(self, look: Look) -> tuple[float, float]:
        """Order nodes: first those without too many stars, then by loss and the charge for columns that say little."""
        over = sum(max(0.0, share - self.limits.most[name]) for name, share in look.stars.items())
        charge = 0.0
        for name, (enough, share) in self.enough.items():
            if enough:
                said = min(look.values[name] / enough, (1 - look.stars[name]) / TELLING, 1.0)
                charge += share * (1 - said)
        return round(over, 12), round(look.loss + CHARGE * charge, 12)

    def _loses_less(self, one: Look, other: Look) -> bool:
        """Whether a node within its limits loses less than another, and leaves two values of as many columns."""
        bare, others = (
            sum(look.values[name] < 2 <= enough for name, (enough, _) in self.enough.items()) for look in (one, other)
        )
        return not self._over(one) and bare <= others and one.loss < other.loss

    # What a node comes to: its stars, those of single columns made dearer where they are too many.

    def node(self, levels: Levels, *, quick: bool = False) -> tuple[Look, StarredNode]:
        """Star cells; in columns that have too many, stars become dearer and dearer."""
        table, boosts = self.table_at(levels), dict[int, int]()
        found = self._starred(table, levels, boosts, quick=quick)
        for _ in range(BOOSTS):
            over = [at for at in self._over(found[0]) if levels[at] < self.empty[at]]
            if not over:
                break
            boosts |= {at: 4 * boosts.get(at, 1) for at in over}
            other = self._starred(table, levels, boosts, quick=quick)
            found = min((found, other), key=lambda one: self.rank(one[0]))
        return found

    def _starred(
        self, table: LocalTable, levels: Levels, boosts: Mapping[int, int], *, quick: bool
    ) -> tuple[Look, StarredNode]:
        """Star cells; quickly for a comparison, without giving any back."""
        board = CellSpace(table, self.limits.bundles, boosts)
        effort = effort_of_look(len(self.quasi)) if quick else END
        wanted = None if quick else Wanted.of(self.problem.model)
        node = StarredNode.formed(board, self.limits.block, self.problem.limit, effort, wanted)
        return self.look_of(levels, node), node

    def _over(self, look: Look) -> list[int]:
        """Give the columns that have more stars than they may."""
        return [at for at, name in enumerate(self.quasi) if look.stars[name] > self.limits.most[name]]

    # The way: of the column with the dearest stars all levels are tried, until none gives a better node.

    def ways(self, plain: Levels | None, progress: OnProgress | None) -> list[Levels]:
        """Give the best levels found by walks from several starts; some more where stars are limited."""
        below_top = tuple(max(low, high - 1) for low, high in zip(self.lows, self.highs, strict=True))
        beside = len(self.lowest.census) >= BESIDE
        with ThreadPoolExecutor(os.cpu_count()) if beside else nullcontext() as threads:
            best = self._walk_from(self.lows, threads, progress)
            for start in (below_top, plain):
                if start is not None and not self.stopped and self._may_win(start, best):
                    best = self._better(best, self._walk_from(start, threads, progress))
            self._hold_each(best, threads, progress)
        ordered = sorted(self.seen, key=lambda one: (*self.rank(self.seen[one]), one))
        if self.limits.are_set:
            return ordered[:ENDS]
        if not PointNeeds.of(self.lowest).enough:  # then every end takes long
            return ordered[:1]
        over, cost = self.rank(self.seen[ordered[0]])
        return [one for one in ordered[:NEAR_ENDS] if self.rank(self.seen[one]) <= (over, cost * NEAR)]

    def _hold_each(self, best: Levels, threads: Executor | None, progress: OnProgress | None) -> None:
        """Walk with a single column held at another level, as long as that is better and there is work left."""
        looks = min(WORK // max(len(self.lowest.census) * len(self.quasi) ** 2, 1), LOOKS)
        most = len(self.seen) + looks if looks >= 2 * len(self.quasi) else 0
        held = [(at, level) for at in range(len(self.quasi)) for level in range(self.lows[at], self.highs[at] + 1)]
        left = list(held)
        while left and len(self.seen) < most and not self.stopped:
            at, level = left.pop(0)
            start = (*best[:at], level, *best[at + 1 :])
            if level != best[at] and self._may_win(start, best):
                found = self._better(best, self._walk_from(start, threads, progress, held=at, most=most))
                best, left = (found, list(held)) if found != best else (best, left)

    def _may_win(self, levels: Levels, best: Levels) -> bool:
        """Whether levels may be better than the best so far, by what they lose without any star."""
        over, cost = self.rank(self.seen[best])
        steps = zip(self.losses, levels, self.lows, strict=True)
        return over > 0 or sum(float(loss[level - low]) for loss, level, low in steps) < cost

    def _walk_from(
        self,
        best: Levels,
        threads: Executor | None,
        progress: OnProgress | None,
        *,
        held: int | None = None,
        most: int | None = None,
    ) -> Levels:
        best = self._look([best])
        columns = set(range(len(self.quasi))) - {held}
        tried: set[int] = set()
        while tried < columns and (most is None or len(self.seen) < most):
            stars = self.seen[best].stars
            at = min(columns - tried, key=lambda at: (-stars[self.quasi[at]] * self.lowest.weights[at], at))
            others = [(*best[:at], level, *best[at + 1 :]) for level in range(self.lows[at], self.highs[at] + 1)]
            found = self._look([best, *(one for one in others if self._may_win(one, best))], threads)
            tried = {at} if found != best else tried | {at}
            best = found
            look = self.seen[best]
            seen = Progress(len(self.seen), self.problem.nodes, look.loss, look.kept)
            if progress is not None and progress(seen) is False:
                self.stopped = True
                break
        return best

    def _look(self, nodes: Iterable[Levels], threads: Executor | None = None) -> Levels:
        """Look at nodes, and give the best of them, of equal ones the lowest."""
        nodes = list(dict.fromkeys(nodes))
        new = [one for one in nodes if one not in self.seen]
        run = map if threads is None else threads.map
        self.seen |= dict(zip(new, run(lambda levels: self.node(levels, quick=True)[0], new), strict=True))
        return self._better(*nodes)

    def _better(self, *nodes: Levels) -> Levels:
        return min(nodes, key=lambda one: (*self.rank(self.seen[one]), one))

    # The end: stars at the levels that were found, and the best node that needs none.

    def best(self, ways: Iterable[Levels], plain: Levels | None) -> StarredNode:
        """Star cells at the first levels where no column has more stars than it may; the best node, if it is better."""
        ends = []
        for levels in ways:
            ends.append((levels, *self.node(levels)))
            if self.limits.are_set and not self._over(ends[-1][1]):
                break
        levels, look, node = min(ends, key=lambda one: self.rank(one[1]))
        again = [(levels, node)] if node.other is None else [(at, one) for at, _, end in ends for one in end.both]
        for at, one in ((at, one.regrouped()) for at, one in again):
            if self.rank(self.look_of(at, one)) < self.rank(look):
                levels, look, node = at, self.look_of(at, one), one
        other = None if plain is None else self._without_stars(plain)
        if plain is not None and other is not None:
            there = self.look_of(plain, other)
            if self.rank(there) < self.rank(look) or self._loses_less(there, look):
                look, node = there, other
        over = self._over(look)
        if over:
            shares = ", ".join(f"{self.quasi[at]!r} {look.stars[self.quasi[at]]:.1%}" for at in over)
            msg = f"Nothing within most_stars was found that keeps {self.problem.model}; the nearest stars {shares}."
            raise NoSafeRelease(msg, hint="raise most_stars, max_suppressed, or at_most of these columns.")
        return node

    def best_node(self) -> Levels | None:
        """Give the best levels without any star, if they are soon found: the fewest limits may be broken."""
        points = max(len(self.lowest.census), 1)
        highs = [
            min(high, empty - 1) if self.limits.most[name] < 1 else high
            for name, high, empty in zip(self.quasi, self.highs, self.empty, strict=True)
        ]
        problem = replace(
            self.problem, at_most=dict(zip(self.quasi, highs, strict=True)), policy="violating", suppression="drop"
        )
        if problem.nodes > NODES:
            return None
        objective = Loss("arithmetic").bind(problem.census, problem.importance, problem.balance)
        found = BranchAndBound(problem, objective, visits=VISITS // points).run().best
        return None if found is None else tuple(found.levels[name] for name in self.quasi)

    def _without_stars(self, levels: Levels) -> StarredNode | None:
        """Publish every record at these levels, or leave it out."""
        node = StarredNode.plain(CellSpace(self.table_at(levels), self.limits.bundles, {}))
        return node if node.left_out <= self.problem.limit else None


def sample_of(problem: Problem, lowest: LocalTable, bundles: Sequence[tuple[int, ...]]) -> Problem:
    """Give a long table's part on which levels are compared: blocks of neighbours, evenly chosen; else the whole."""
    board = CellSpace(lowest, bundles, {})
    if len(board.points) <= WHOLE:
        return problem
    blocks = cut_into_blocks(board.tables, board.weights, BLOCK * max(least_size(problem.model), 5))
    every = max(1, len(board.points) * 2 // WHOLE)
    points = np.zeros(len(board.points), dtype=bool)
    points[np.concatenate(blocks[::every])] = True
    inside = points[board.points.ids]
    census = lowest.census
    part = replace(
        census,
        codes=tuple(codes[inside] for codes in census.codes),
        person=None if census.person is None else census.person[inside],
        counts=census.counts[inside],
    )
    limit = problem.limit * part.records // max(census.records, 1)
    return replace(problem, census=part, limit=limit, part=True)


def column_losses(table: LocalTable, least: int) -> list[Floats]:
    """Give per column and level what it loses at least: its groups, and stars for those that are too small for a class.

    From the level of the census on; columns weigh as they are important, together 1.
    """
    result, total = [], max(table.census.records, 1)
    for namer, records, weight in zip(
        table.names, table.census.marginals, table.weights / table.weights.sum(), strict=True
    ):
        losses = []
        for level in range(namer.floor, namer.height + 1):
            groups = namer.group_of(level)
            sizes = np.bincount(groups, weights=records, minlength=len(namer.lost(level)))
            losses.append(float(np.where(sizes < least, 1.0, namer.lost(level)) @ sizes) / total * weight)
        result.append(np.array(losses))
    return result


# What no levels and no stars come below.

Fixed = tuple[int | None, ...]
"""The level of every column in the order of the search; of those that may have any level nothing."""


class Bound:
    """Bounds of what levels and stars lose, some columns being at given levels and the others at any.

    Whatever is published for a record is a label that covers enough records of the table, and no such label costs less
    than the cheapest; who is left out loses all.
    """

    def __init__(self, table: LocalTable, highs: tuple[int, ...]) -> None:
        self._board = SearchSpace.of(table, "hierarchy")
        self._support: Support = PointNeeds.of(table).support(self._board)
        self._total = sum(column.full for column in self._board.columns) * max(int(self._board.weights.sum()), 1)
        self.levels = [range(one.namer.floor, highs[one.namer.column] + 1) for one in self._board.columns]
        looks = BOUND_WORK // max(len(self._board.points) * len(self.levels) ** 2, 1)
        self.looks = looks if looks >= FEWEST_LOOKS else 0

    def at(self, fixed: Fixed) -> int:
        """Give what is lost at least, in whole numbers, as the total is."""
        columns = tuple(
            column if level is None else _at_level(column, level)
            for column, level in zip(self._board.columns, fixed, strict=True)
        )
        tables = replace(self._board, columns=columns).tables()
        return exact_dot(least_costs(tables, self._support, STEPS), self._board.weights)

    def share(self, lost: int) -> float:
        return round(lost / self._total, DIGITS)


def least_loss(table: LocalTable, highs: tuple[int, ...], found: float) -> float:
    """Give a loss that no levels up to some, and no stars come below; ``found`` is one that was reached.

    Columns get their levels one after the other: each time the choice is divided that has the lowest bound, until all
    columns have one or enough was looked at.
    """
    bound = Bound(table, highs)
    nothing: Fixed = (None,) * len(bound.levels)
    open_ = [(bound.at(nothing), 0, nothing)]
    looks = bound.looks
    while None in open_[0][2] and looks > 0 and bound.share(open_[0][0]) < found:
        _, depth, fixed = heapq.heappop(open_)
        for level in bound.levels[depth]:
            chosen = (*fixed[:depth], level, *fixed[depth + 1 :])
            heapq.heappush(open_, (bound.at(chosen), depth + 1, chosen))
            looks -= 1
    return min(bound.share(open_[0][0]), found)


def _at_level(column: LabelColumn, level: int) -> LabelColumn:
    """Give a column that has one level, and the highest for stars."""
    at = level - column.namer.floor
    if at == column.height:
        return replace(column, nodes=column.nodes[-1:], costs=column.costs[-1:])
    return replace(column, nodes=(column.nodes[at], column.nodes[-1]), costs=(column.costs[at], column.costs[-1]))
