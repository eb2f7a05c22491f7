"""What ``CheapestFirst`` walks on: columns in order, the groups of every level and their costs, what classes need."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import compress, pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt

from incrowd.core import Grouping, Labelling, Namer, add_up, class_extremes, group
from incrowd.search._local_recoding import LocalTable, Pieces, Sum, needed_sums, number_runs
from incrowd.search._problem import Bools, Counts, Floats, Ints
from incrowd.search.cheapest._kernels import Support, Tables

LabelKind = Literal["hierarchy", "range"]
UNIT = 2**40  # what the most important column costs where it says nothing. Parts of it are whole numbers, too
WIDTHS = (2, 3, 5, 7, 10, 14, 20, 28, 40, 57)
"""How many steps the runs of numbers span, level by level; a step is a hundredth of all, or the least difference."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelColumn:
    """A quasi-identifier: its groups, level by level, and where they lie."""

    # `place`: per code its place; the members of every group of every level stand side by side. `nodes` and `costs`:
    # per level the group of every place, and what it costs. `line`: where every place lies, if classes are called by
    # ranges: a range costs the way from its first to its last place.
    namer: Namer
    place: Ints
    nodes: tuple[Ints, ...] = field(repr=False)
    costs: tuple[Counts, ...] = field(repr=False)
    full: int
    line: Counts | None = field(default=None, repr=False)
    averaged: bool = False

    @classmethod
    def of_groups(cls, namer: Namer, weight: float) -> LabelColumn:
        levels = range(namer.floor, namer.height + 1)
        nodes = tuple(namer.group_of(level)[namer.code] for level in levels)
        lost = [namer.lost(level)[groups] for level, groups in zip(levels, nodes, strict=True)]
        costs = tuple(_costs_in_units(share * weight) for share in lost)
        return cls(namer, namer.place, nodes, costs, round(UNIT * weight))

    @classmethod
    def of_runs(cls, namer: Namer, weight: float, *, averaged: bool) -> LabelColumn:
        """Take runs of numbers or dates; those of different levels may overlap. Null lies far from all of them."""
        codes = np.arange(len(namer.domain))
        known = codes < len(namer.domain.values)
        both = np.concatenate((np.zeros_like(codes), codes))
        way = namer.by_range(both, np.tile(codes, 2), len(codes)).lost
        gaps = np.diff(way[known])
        steps = way / max(float(gaps.min(initial=1.0)), 0.01)
        runs = [np.where(known, np.floor(steps / width + 1e-9), np.inf) for width in WIDTHS]
        levels = [codes, *(np.unique(run, return_inverse=True)[1] for run in runs), np.zeros_like(codes)]
        ends = [np.diff(level) != 0 for level in levels]
        differs = [bool((one != above).any()) for one, above in pairwise(ends)]
        nodes = *compress(levels, differs), levels[-1]
        full = round(UNIT * weight)
        line = np.where(known, _costs_in_units(way * weight), 2 * full)
        return cls(namer, codes, nodes, tuple(np.zeros_like(line) for _ in nodes), full, line, averaged)

    @property
    def height(self) -> int:
        return len(self.nodes) - 1

    def label_costs(self, low: Ints, high: Ints) -> Counts:
        """Give what the narrowest label costs that covers two places."""
        if self.line is not None:
            return np.asarray(np.minimum(self.line[high] - self.line[low], self.full))
        result = np.zeros(len(low), dtype=np.int64)
        for node, cost in zip(self.nodes[::-1], self.costs[::-1], strict=True):
            result = np.where(node[low] == node[high], cost[low], result)
        return result

    def labels(self, levels: Ints, codes: Ints, classes: Ints) -> Labelling:
        """Call every class by its group at a level, or higher where that does not hold all members."""
        low, high = class_extremes(self.place[codes], classes, len(levels))
        found, groups = np.array(levels, dtype=np.int64), np.zeros(len(levels), dtype=np.int64)
        for level in range(self.height + 1):
            node, here = self.nodes[level], found == level
            found[here & (node[low] != node[high])] += 1
            groups[here] = node[low[here]]
        if self.line is None:
            return self.namer.by_group(found + self.namer.floor, groups)
        for level, node in enumerate(self.nodes):  # all numbers in a run, whether or not the class has them
            here = found == level
            low[here] = np.searchsorted(node, groups[here])
            high[here] = np.searchsorted(node, groups[here], side="right") - 1
        return self.namer.by_range(np.concatenate((low, high)), np.tile(np.arange(len(levels)), 2), len(levels))


def _costs_in_units(shares: Floats) -> Counts:
    return np.rint(shares * UNIT).astype(np.int64)


class PointSpace(ABC):
    """The points of a table, that is its distinct quasi-identifiers, and the columns on which labels are sought."""

    table: LocalTable
    points: Grouping
    weights: Counts

    @abstractmethod
    def tables(self, *, nested: bool = False) -> Tables:
        """Give the columns as the compiled loops want them, the nested ones on request."""

    def keeps(self, points: Ints, classes: Ints, number: int) -> Bools:
        """Say which classes keep the promise, from points, the class of each, and how many classes there are."""
        cells, which = stretch_places(np.append(self.points.first, len(self.table.census)), points)
        return self.table.keeps(cells, classes[which], number)


@dataclass(frozen=True, eq=False)
class SearchSpace(PointSpace):
    """The points of a table, that is its distinct quasi-identifiers, on the columns in the order of the walk."""

    # First comes the column whose first step costs most on average. `nested`: the same columns with the groups of their
    # hierarchies, where `columns` have runs.
    table: LocalTable
    points: Grouping
    weights: Counts
    columns: tuple[LabelColumn, ...]
    nested: tuple[LabelColumn, ...]

    @classmethod
    def of(cls, table: LocalTable, labels: LabelKind) -> SearchSpace:
        """Lay out a table for labels of one kind; columns that are averaged are called by ranges."""
        census = table.census
        quasi = census.codes[: len(census.quasi)]
        points = group(quasi, [len(namer.code) for namer in table.names])
        share = (table.weights / (table.weights.max(initial=0.0) or 1.0)).tolist()
        nested = [LabelColumn.of_groups(namer, weight) for namer, weight in zip(table.names, share, strict=True)]

        def first_step_cost(at: int) -> float:
            records = add_up(nested[at].place[quasi[at]], census.counts, len(nested[at].place))
            return float(records.astype(np.float64) @ nested[at].costs[min(1, nested[at].height)])

        walk = sorted(range(len(nested)), key=lambda at: (-first_step_cost(at), at))
        columns = []
        for at in walk:
            namer, averaged = table.names[at], table.averaged[at] is not None
            runs = namer.has_ranges and (averaged or labels == "range")
            columns.append(LabelColumn.of_runs(namer, share[at], averaged=averaged) if runs else nested[at])
        weights = points.sums(census.counts)
        return cls(table, points, weights, tuple(columns), tuple(nested[at] for at in walk))

    def tables(self, *, nested: bool = False) -> Tables:
        """Give the columns as the compiled loops want them, the nested ones on request."""
        columns = self.nested if nested else self.columns
        codes = [self.table.census.codes[column.namer.column][self.points.first] for column in columns]
        places = [column.place[code].astype(np.int32) for column, code in zip(columns, codes, strict=True)]
        return _column_tables(columns, np.array(places).reshape(len(columns), -1))


def _column_tables(columns: Sequence[LabelColumn], place: npt.NDArray[np.int32]) -> Tables:
    sizes = [len(node) for column in columns for node in column.nodes]
    starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    opens = np.concatenate(([0], np.cumsum([len(column.nodes) for column in columns])))
    ways = [np.zeros(0, dtype=np.int64) if column.line is None else column.line for column in columns]
    begins = np.concatenate(([0], np.cumsum([len(way) for way in ways])))
    return Tables(
        place=np.ascontiguousarray(place),
        heights=np.array([column.height for column in columns], dtype=np.int64),
        base=starts[opens[:-1]],
        width=np.array([len(column.place) for column in columns], dtype=np.int64),
        node=np.concatenate([node for column in columns for node in column.nodes]).astype(np.int32),
        cost=np.concatenate([cost for column in columns for cost in column.costs]),
        line=np.array([-1 if column.line is None else begins[at] for at, column in enumerate(columns)], dtype=np.int64),
        along=np.concatenate(ways),
        full=np.array([column.full for column in columns], dtype=np.int64),
    )


def labels_by_level(board: SearchSpace, pieces: Pieces, levels: Ints, labels: LabelKind) -> tuple[Labelling, ...]:
    """Call classes by the labels with which they were formed; what is averaged, by its average."""
    table = board.table
    result = list(table.labels(pieces, labels))
    for column, formed in zip(board.columns, levels.T, strict=True):
        at = column.namer.column
        if not column.averaged:
            codes = table.census.codes[at][pieces.cells]
            result[at] = column.labels(formed, codes, pieces.classes)
    return tuple(result)


def stretch_places(starts: Ints, which: Ints) -> tuple[Counts, Counts]:
    """Give all places of some stretches, one after the other, and for each the number of its stretch."""
    lengths = starts[which + 1] - starts[which]
    return number_runs(starts[which], lengths), np.repeat(np.arange(len(which)), lengths)


@dataclass(frozen=True, slots=True, eq=False)
class PointNeeds:
    """What every class must have; if the sums are not ``enough``, it must be judged, too."""

    sums: tuple[Sum, ...]
    enough: bool

    @classmethod
    def of(cls, table: LocalTable) -> PointNeeds:
        """Translate the promise of a table, or what it implies."""
        model = table.problem.model.implied
        found = [tuple(needed_sums(table, judge)) for judge in (() if model is None else table.problem.judges(model))]
        return cls(tuple(one for sums in found for one in sums), table.upward_closed and all(found))

    def support(self, board: PointSpace, least: int = 1) -> Support:
        """Lay the sums out for the points of a table; classes have at least so many records."""
        points, counts = board.points, board.table.census.counts.astype(np.int64)
        plain, starts, kinds = [], [], []
        worth, wanted = [np.zeros(0, dtype=np.int64)], []
        entries = known = 0
        for one in self.sums:
            if one.kinds is None and (one.worth == 1).all():
                least = max(least, one.least)
                continue
            if one.kinds is None:
                plain.append(one)
                continue
            found = group([points.ids, one.kinds], [len(points), len(one.worth)])
            starts.append(entries + np.searchsorted(points.ids[found.first], np.arange(len(points) + 1)))
            kinds.append(known + one.kinds[found.first].astype(np.int64))
            worth.append(one.worth)
            wanted.append(one.least)
            entries, known = entries + len(found), known + len(one.worth)
        return Support(
            amounts=np.array([board.weights, *(points.sums(counts * one.worth) for one in plain)], dtype=np.int64),
            needed=np.array([least, *(one.least for one in plain)], dtype=np.int64),
            starts=np.array(starts, dtype=np.int64).reshape(len(wanted), len(points) + 1),
            kinds=np.concatenate([np.zeros(0, dtype=np.int64), *kinds]).astype(np.int32),
            worth=np.concatenate(worth),
            wanted=np.array(wanted, dtype=np.int64),
        )
