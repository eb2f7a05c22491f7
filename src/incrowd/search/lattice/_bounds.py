"""``Bounds``: what is known of a node before it is counted: lower bounds of its score and of what it leaves out.

Axes are columns, those with the most values first; levels count from the lowest that is allowed.
"""

from __future__ import annotations

import itertools
import math
import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from incrowd.core import Census, tally
from incrowd.measures import CellObjective, ClassObjective, Measure, Objective, SizeSums, round_scores
from incrowd.search._problem import Counts, Floats, Ints, Node, Problem, least_size
from incrowd.search.lattice._acceptance import Acceptance
from incrowd.search.lattice._rollup import Rollup, node_loops
from incrowd.search.lattice._sweep import BoxBounds

Pair = tuple[int, int]

CELLS = 1 << 20  # a pair with more combinations of values than this is not looked at
FEW = 1 << 16  # so many cells, or fewer, are rolled up faster than they are counted again
BUCKETS = 1024  # numbers of records that are left out are rounded down to so many steps: a table answers at once
TOGETHER = 128  # so many combinations of levels share a table: a node then needs few look-ups
LAST = 100  # so many looks at nodes are remembered from box to box
MARGIN = 1e-14  # more than floats lose when parts are added up


# A bound before anything is searched: what two columns alone cost.


def pair_bounds(census: Census, k: int, rollup: Rollup | None = None) -> dict[Pair, Counts]:
    """Count for every two columns, and every two levels from the floor on, the records in classes smaller than k."""
    # Records are counted, not people; pairs without small classes are left out.
    if k <= 1 or not len(census):
        return {}
    sizes = [len(census.ladders[name].labels[floor]) for name, floor in zip(census.quasi, census.floor, strict=True)]
    pairs = [pair for pair in itertools.combinations(range(len(sizes)), 2) if sizes[pair[0]] * sizes[pair[1]] <= CELLS]
    if rollup is None:
        count = _small_pair_counter(census, sizes, k)
        counted = {pair: count(*pair) for pair in pairs}
    else:
        counted = _compiled_counts(rollup, pairs, sizes, k)
    return {pair: small for pair, small in counted.items() if small[0, 0]}


def _compiled_counts(rollup: Rollup, pairs: list[Pair], sizes: list[int], k: int) -> dict[Pair, Counts]:
    """Count with a compiled loop; a column whose pairs are done is dropped, those with the most values first."""
    layout, cells, levels = rollup.layout, rollup.start, list(rollup.start.levels)
    heights = (layout.ladders[1] > 0).sum(axis=1).tolist()

    def count(pair: Pair) -> Counts:
        (words,), (one, two) = cells.words, pair
        small = np.zeros((heights[one], heights[two]), dtype=np.int64)
        both = slice(one, two + 1, two - one)
        tables = layout.fields[:, both], layout.groups, layout.ladders[:, both]
        node_loops().small_pairs(words, cells.counts, *tables, k, small)
        return small

    if len(cells) > FEW:
        with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:  # the loop lets others run beside it
            return dict(zip(pairs, pool.map(count, pairs), strict=True))
    result: dict[Pair, Counts] = {}
    for column in sorted(range(len(sizes)), key=lambda column: -sizes[column]):
        result |= {pair: count(pair) for pair in pairs if column in pair and pair not in result}
        levels[column] += heights[column] - 1
        cells = rollup.to(levels, cells)
    return result


def _small_pair_counter(census: Census, sizes: list[int], k: int) -> Callable[[int, int], Counts]:
    """Give a function that counts the records in small classes of two columns."""
    ladders = [(census.ladders[name], floor) for name, floor in zip(census.quasi, census.floor, strict=True)]
    steps = [
        [ladder.parent_groups(level, level + 1).astype(np.int64) for level in range(floor, ladder.height)]
        for ladder, floor in ladders
    ]
    codes = [column.astype(np.int64) for column in census.codes[: len(census.quasi)]]

    def count(one: int, two: int) -> Counts:
        pairs = _Pairs.of(codes[one], codes[two], census.counts, sizes[two])
        return _small_records(pairs, steps[one], steps[two], k)

    return count


class _Pairs(NamedTuple):
    """The pairs of groups of two columns that occur, and how many records have each."""

    one: Ints
    two: Ints
    counts: Counts

    @classmethod
    def of(cls, one: Ints, two: Ints, counts: Ints, width: int) -> _Pairs:
        """Put pairs together that are the same; the second column has so many groups."""
        (words,), sums = tally([one * width + two], counts)
        first = words // width
        return cls(first, words - first * width, sums)


def _small_records(pairs: _Pairs, one: list[Counts], two: list[Counts], k: int) -> Counts:
    """Merge the groups of both columns level by level, and add up what is smaller than k each time."""
    result = np.zeros((len(one) + 1, len(two) + 1), dtype=np.int64)
    for low in range(len(one) + 1):
        if low:
            pairs = _Pairs.of(one[low - 1][pairs.one], pairs.two, pairs.counts, int(pairs.two.max()) + 1)
        merged = pairs
        for high in range(len(two) + 1):
            if high:
                groups = two[high - 1]
                merged = _Pairs.of(merged.one, groups[merged.two], merged.counts, int(groups.max()) + 1)
            found = int(merged.counts[merged.counts < k].sum())
            if not found:  # nor is there anything at higher levels
                break
            result[low, high] = found
        if not result[low, 0]:
            break
    return result


class Bounds:
    # `floor`: per axis the first level, above the lowest, at which its column alone does not leave out too much.

    def __init__(self, problem: Problem, objective: Objective, rollup: Rollup | None = None) -> None:
        self._fast = rollup is not None and rollup.warm
        census, lows, highs = problem.census, problem.lows, problem.highs
        sizes = [len(census.ladders[name].labels[low]) for name, low in zip(census.quasi, lows, strict=True)]
        self.axes = sorted(range(len(sizes)), key=lambda column: -sizes[column])
        self.lows = [lows[column] for column in self.axes]
        self.highs = [highs[column] for column in self.axes]
        self._columns = np.argsort(self.axes)
        self._floor = np.array(lows)
        self.limit = problem.limit
        self._sizes = [
            [len(labels) for labels in census.ladders[census.quasi[column]].labels[low:]]
            for column, low in zip(self.axes, self.lows, strict=True)
        ]
        self._objective = objective
        self._step = max(1, -(-(problem.limit + 1) // BUCKETS))
        grid = np.arange(0, problem.limit + self._step, self._step)
        self._parts = [
            np.array([objective.column_bound(column, level, grid) for level in range(low, high + 1)])
            for column, low, high in zip(self.axes, self.lows, self.highs, strict=True)
        ]
        self._tables, self._strides = self._joint_tables()
        begins = np.cumsum([0, *map(len, self._tables[:-1])])
        self._steps = np.column_stack([begins, self._strides])
        self._flat = np.concatenate(self._tables)
        self._pairs = self._axis_pairs(problem, rollup if rollup is not None and rollup.is_compiled else None)

    def enter(self, lows: Sequence[int], highs: Sequence[int]) -> None:
        """Begin with the nodes of a box."""

    def node_levels(self, nodes: Ints) -> Counts:
        """Give the levels of every column, in the order of the schema; nodes are rows."""
        return np.asarray(nodes[..., self._columns] + self._floor, dtype=np.int64)

    def places(self, levels: Ints) -> list[Counts]:
        """Say where the nodes stand in each table; ``levels`` has one row per axis, one column per node."""
        return list(self._strides @ levels)

    def parts(self, places: Sequence[Counts], suppressed: Ints) -> Floats:
        """Bound the sums of parts of nodes that leave out at least so many records."""
        bucket = np.minimum(suppressed, self.limit) // self._step
        total: Floats = self._tables[0].take(places[0] + bucket)
        for table, place in zip(self._tables[1:], places[1:], strict=True):
            total += table.take(place + bucket)
        return total

    def least(self, levels: Ints, suppressed: Ints) -> Floats:
        """Do the same for nodes by their levels: one row per axis, one column per node."""
        if not self._fast:
            return self.parts(self.places(levels), suppressed)
        bucket, parts = np.minimum(suppressed, self.limit) // self._step, np.empty(levels.shape[1])
        same = np.ascontiguousarray(levels, dtype=np.int16)  # the one kind that the loop is compiled for
        node_loops().least_parts(same, bucket, self._steps, self._flat, parts)
        return parts

    def open_nodes(self, nodes: Ints, suppressed: Ints, levels: Ints, worse: float, known: Floats) -> Counts:
        """Give the nodes that do not leave out too much, and whose sum of parts is not above that of the best."""
        # `known` is what was known of the sums of all nodes of the box, and is brought up to date; above `worse` a node
        # is surely worse than the best.
        possible = (suppressed <= self.limit) & (known[nodes] <= worse)  # cheap, and mostly enough
        open_nodes = np.asarray(nodes[possible], dtype=np.int64)
        known[open_nodes] = parts = self.least(levels[:, open_nodes], suppressed[possible])
        return open_nodes[parts <= worse]

    def score(self, parts: Floats) -> Floats:
        """Turn sums of parts into bounds of scores, rounded as scores are."""
        finished = self._objective.score_of_sum(parts)
        return round_scores(finished - MARGIN * np.maximum(np.abs(finished), 1.0))

    def exact_score(self, node: Ints) -> float | None:
        """Give the score of a node that leaves nobody out, where its bound tells it beyond rounding."""
        if not isinstance(self._objective, CellObjective):
            return None
        finished = self._objective.score_of_sum(self.least(node[:, None], np.zeros(1, dtype=np.int64)))
        slack = MARGIN * max(abs(float(finished[0])), 1.0)
        low, high = round_scores(finished + np.array([-slack, slack])).tolist()
        return low if low == high else None

    def suppressed(self, levels: Ints) -> Counts:
        """Bound what nodes leave out, from pairs of columns; ``levels`` has one row per axis, one column per node."""
        result = np.zeros(levels.shape[1], dtype=np.int64)
        for (one, two), bounds in self._pairs.items():
            place = levels[one].astype(np.int64) * bounds.shape[1] + levels[two]
            np.maximum(result, np.take(bounds, place), out=result)
        return result

    def suppressed_in_box(self, lows: Sequence[int], highs: Sequence[int], levels: Ints) -> Counts:
        if not self._fast:
            return self.suppressed(levels)
        begins = np.full((len(lows) + 1, len(lows)), -1)
        begins[-1] = np.array(self.highs) - self.lows + 1
        tables = [table.reshape(-1) for table in self._pairs.values()]
        for pair, begin in zip(self._pairs, itertools.accumulate(map(len, tables), initial=0), strict=False):
            begins[pair] = begin
        flat = np.concatenate([*tables, np.zeros(0, dtype=np.int64)])
        bounds = np.empty(levels.shape[1], dtype=np.int64)
        node_loops().bound_by_pairs(np.array(highs) - lows + 1, np.array(lows), flat, begins, bounds)
        return bounds

    def coarse_node(self, lows: Sequence[int], highs: Sequence[int], cells: int) -> list[int]:
        """Raise the axis that saves most combinations for its price, until fewer are possible than there are cells."""
        floor = list(lows)
        while True:
            axes = [axis for axis, level in enumerate(floor) if level < highs[axis]]
            sizes = [self._sizes[axis][level] for axis, level in enumerate(floor)]
            if not axes or np.prod(sizes, dtype=np.float64) <= cells:
                return floor
            floor[max(axes, key=lambda axis: self._step_worth(axis, floor[axis]))] += 1

    def chain(self, lows: Sequence[int], highs: Sequence[int]) -> list[tuple[int, ...]]:
        """Give nodes from the top of a box to its bottom, each time one step down the axis where it is worth most."""
        node = list(highs)
        result = [tuple(node)]
        while node != list(lows):
            axes = [axis for axis, level in enumerate(node) if level > lows[axis]]
            node[min(axes, key=lambda axis: self._step_worth(axis, node[axis] - 1))] -= 1
            result.append(tuple(node))
        return result

    def _step_worth(self, axis: int, level: int) -> float:
        """Say how many combinations a step up saves, on a logarithmic scale, for its price if nothing is left out."""
        saved, part = math.log(self._sizes[axis][level] / self._sizes[axis][level + 1]), self._parts[axis][:, 0]
        return saved / (float(part[level + 1] - part[level]) + 1e-9)

    def _joint_tables(self) -> tuple[list[Floats], Counts]:
        """Add up the parts of neighbouring axes: flat tables, and per table how far a level of each axis goes in it."""
        together = TOGETHER // 8 if self._fast else TOGETHER  # a compiled loop needs no large tables
        tables: list[Floats] = []
        strides: list[Counts] = []
        for axis, part in enumerate(self._parts):
            width = part.shape[1]
            if tables and len(tables[-1]) // width * len(part) <= together:
                tables[-1] = (tables[-1].reshape(-1, 1, width) + part).reshape(-1)
                strides[-1] *= len(part)
            else:
                tables.append(part.reshape(-1))
                strides.append(np.zeros(len(self._parts), dtype=np.int64))
            strides[-1][axis] = width
        return tables, np.array(strides)

    def _axis_pairs(self, problem: Problem, rollup: Rollup | None) -> dict[Pair, Counts]:
        """Turn bounds for pairs of columns into such for pairs of axes, within the lattice's levels."""
        limits = zip(problem.lows, problem.highs, problem.census.floor, strict=True)
        inside = [slice(low - floor, high - floor + 1) for low, high, floor in limits]
        result: dict[Pair, Counts] = {}
        alone: dict[int, Counts] = {}
        place = self._columns.tolist()
        for (one, two), bounds in pair_bounds(problem.census, least_size(problem.model), rollup).items():
            part = bounds[inside[one], inside[two]]
            alone[one], alone[two] = bounds[:, -1][inside[one]], bounds[-1][inside[two]]  # each pair says the same
            if part[0, 0]:
                first, second = place[one], place[two]
                result[min(first, second), max(first, second)] = part if first < second else part.T
        counts = [alone.get(column, np.zeros(1)) for column in self.axes]
        self.floor = [min(int((count > self.limit).sum()), len(count) - 1) for count in counts]
        return result


class ClassBounds(Bounds):
    """Bounds of a score of classes: what counted nodes hand up to all nodes above them in a box."""

    def __init__(self, problem: Problem, objective: ClassObjective, rollup: Rollup, largest: int) -> None:
        super().__init__(problem, objective, rollup)
        self._classes, self._largest = objective, largest
        self.enough = least_size(problem.model)
        self._last: deque[tuple[Ints, Counts]] = deque(maxlen=LAST)
        self.enter([0] * len(self.axes), [0] * len(self.axes))

    def enter(self, lows: Sequence[int], highs: Sequence[int]) -> None:
        self._above = BoxBounds(lows, highs, warm=self._fast, upward=True)
        for rows, handed in self._last:
            self._above.raise_from(rows, handed)

    def hand_up(self, rows: Ints, sums: SizeSums) -> None:
        """Take note of the classes of nodes, given as rows of levels by axis."""
        handed = self._classes.handed_up(sums, self.enough)
        self._last.append((rows, handed))
        self._above.raise_from(rows, handed)

    def hand_up_sizes(self, levels: Sequence[int], sizes: Counts) -> None:
        """Take note of the classes of one node, given as levels by column."""
        self.hand_up((np.array(levels) - self._floor)[None, self.axes], SizeSums.of(sizes, self.enough))

    def least(self, levels: Ints, suppressed: Ints) -> Floats:
        return self._least(self._above.at(levels), suppressed)

    def open_nodes(self, nodes: Ints, suppressed: Ints, levels: Ints, worse: float, known: Floats) -> Counts:
        parts = self._least(self._above.flat[nodes], suppressed)
        possible = (suppressed <= self.limit) & (parts <= worse)
        open_nodes = np.asarray(nodes[possible], dtype=np.int64)
        known[open_nodes] = parts[possible]
        return open_nodes

    def score(self, parts: Floats) -> Floats:
        return parts

    def _least(self, handed: Counts, suppressed: Ints) -> Floats:
        return self._classes.least(handed, suppressed.astype(np.int64), self.enough, self._largest)


def best_node(problem: Problem, acceptance: Acceptance, nodes: Ints, measure: str | Measure) -> Node | None:
    """Give the node with the smallest measure that publishes something; of equal ones the lowest, then the first."""
    objective = Measure.of(measure).bind(problem.census, problem.importance, problem.balance)
    bounds = Bounds(problem, objective, acceptance.rollup)
    axes = (nodes - problem.lows)[:, bounds.axes]
    least = bounds.score(bounds.least(axes.T, np.zeros(len(nodes), dtype=np.int64)))
    best: tuple[float, int, tuple[int, ...], int, int] | None = None
    for place in np.argsort(least, kind="stable").tolist():  # as soon as a bound is too high, all that follow are
        if best is not None and least[place] > best[0]:
            break
        row = nodes[place].tolist()
        cells = acceptance.rollup.to(row)
        tested = acceptance.test(cells)
        if tested.classes:  # nothing is no release
            score = objective.score(acceptance.published(cells, tested))
            found = score, sum(row), tuple(row), tested.suppressed, tested.classes
            best = found if best is None else min(best, found)
    if best is None:
        return None
    score, _, levels, suppressed, classes = best
    return Node(dict(zip(problem.census.quasi, levels, strict=True)), suppressed, classes, score)
