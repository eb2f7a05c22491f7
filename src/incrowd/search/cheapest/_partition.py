"""The strict mode of ``CheapestFirst``: the table is cut, and every part is a class whose label overlaps no other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from incrowd.core import Grouping, Labelling, add_up, class_extremes, group
from incrowd.search._local_recoding import Pieces
from incrowd.search._problem import Bools, Counts, Floats, Ints
from incrowd.search.cheapest._search_space import UNIT, LabelKind, SearchSpace, labels_by_level


class Cut(NamedTuple):
    """How parts would be cut in one column."""

    # Parts are `allowed` to be cut that have several pieces, each of which keeps the promise. `gain`: how much less a
    # part would cost, for every bit that its records spend to say which piece they are in.
    pieces: Grouping
    allowed: Bools
    gain: Floats


class StrictPartition:
    """A table that is cut into parts, until no cut is allowed; of all cuts of a part the one with the largest gain."""

    # A column with groups is cut into the groups of the next level below, a column with runs in two at the middle of
    # the part's records, null apart from all others first. A cut is allowed if every piece keeps the promise. `low` and
    # `high`: per part the first and the last place that it can have in every column.

    def __init__(self, board: SearchSpace) -> None:
        self._board = board
        census, first = board.table.census, board.points.first
        self._places = [
            column.place[census.codes[column.namer.column][first]].astype(np.int64) for column in board.columns
        ]
        self.owner = np.zeros(len(board.points), dtype=np.int64)
        self.levels = np.array([[column.height for column in board.columns]], dtype=np.int64)
        self.low = np.zeros_like(self.levels)
        self.high = np.array([[len(column.place) - 1 for column in board.columns]], dtype=np.int64)

    def run(self) -> None:
        active = np.arange(len(self.owner))
        while len(active):
            numbers, parts = np.unique(self.owner[active], return_inverse=True)
            cuts = [self._cut_along(at, active, parts, len(numbers)) for at in range(len(self._places))]
            gains = np.array([np.where(cut.allowed, cut.gain, -1.0) for cut in cuts])
            chosen = np.where(gains.max(axis=0) >= 0, gains.argmax(axis=0), -1)
            for at, cut in enumerate(cuts):
                inside = np.flatnonzero(chosen[parts] == at)
                if len(inside):
                    self._apply(at, active[inside], cut.pieces.ids[inside])
            active = active[chosen[parts] >= 0]
        used, self.owner = np.unique(self.owner, return_inverse=True)
        self.levels, self.low, self.high = self.levels[used], self.low[used], self.high[used]

    def labels(self, pieces: Pieces, labels: LabelKind) -> tuple[Labelling, ...]:
        """Call every part by all that it can have, whether or not it has it."""
        result = list(labels_by_level(self._board, pieces, self.levels, labels))
        for at, column in enumerate(self._board.columns):
            if column.line is not None and not column.averaged:
                both = np.concatenate((self.low[:, at], self.high[:, at]))
                parts = np.tile(np.arange(len(self.low)), 2)
                result[column.namer.column] = column.namer.by_range(both, parts, len(self.low))
        return tuple(result)

    def _cut_along(self, at: int, active: Counts, parts: Counts, number: int) -> Cut:
        board, column, place = self._board, self._board.columns[at], self._places[at][active]
        weights = board.weights[active]
        bottom, top = class_extremes(place, parts, number)
        if column.line is None:  # the groups one level below that at which a part is one group
            levels = np.maximum(_common_level(column.nodes, bottom, top) - 1, 0)
            nodes = np.array(column.nodes)[levels[parts], place].astype(np.int64)
        else:
            nodes = _upper_half(place, parts, weights, len(column.namer.domain.values))
        pieces = group([parts, nodes], [number, int(nodes.max(initial=0)) + 1])
        owner, sizes = parts[pieces.first], pieces.sums(weights)
        before = add_up(parts, weights, number) * column.label_costs(bottom, top).astype(np.float64)
        after = sizes * column.label_costs(*class_extremes(place, pieces.ids, len(pieces))).astype(np.float64)
        saved = np.asarray(before - np.bincount(owner, weights=after, minlength=number), dtype=np.float64)
        gain = _gain_per_bit(saved, add_up(parts, weights, number), owner, sizes)
        return Cut(pieces, self._may_cut(pieces, owner, active, number), gain)

    def _may_cut(self, pieces: Grouping, owner: Counts, active: Counts, number: int) -> Bools:
        """Say which parts have several pieces of which each keeps the promise."""
        several = np.bincount(owner, minlength=number) > 1
        tested = several[owner]
        inside = tested[pieces.ids]
        rank = np.cumsum(tested) - 1
        keeps = self._board.keeps(active[inside], rank[pieces.ids[inside]], int(tested.sum()))
        several[owner[tested][~keeps]] = False
        return several

    def _apply(self, at: int, points: Counts, pieces: Ints) -> None:
        """Make a cut: pieces get numbers after those of all parts."""
        _, first, ids = np.unique(pieces, return_index=True, return_inverse=True)
        parent, place = self.owner[points[first]], self._places[at]
        levels, low, high = self.levels[parent], self.low[parent], self.high[parent]
        column = self._board.columns[at]
        if column.line is None:
            bottom, top = class_extremes(place[points], self.owner[points], len(self.levels))
            levels[:, at] = _common_level(column.nodes, bottom[parent], top[parent]) - 1
        else:
            opens, _ = class_extremes(place[points], ids, len(first))
            second = np.flatnonzero(np.diff(parent) == 0) + 1
            low[second, at] = opens[second]
            high[second - 1, at] = opens[second] - 1
        self.owner[points] = len(self.levels) + ids
        self.levels = np.concatenate((self.levels, levels))
        self.low, self.high = np.concatenate((self.low, low)), np.concatenate((self.high, high))


def _gain_per_bit(saved: Floats, totals: Counts, owner: Ints, sizes: Counts) -> Floats:
    """Divide what is saved by the bits that it takes to say which piece a record is in, for all records of a part."""
    # To twelve decimals, so that no rounding on the way decides.
    inside = np.bincount(owner, weights=sizes * np.log2(sizes), minlength=len(totals))
    bits = totals * np.log2(totals) - inside
    gain = np.divide(saved, bits * UNIT, out=np.zeros(len(totals)), where=bits > 0.5)
    return np.asarray(np.round(gain, 12))


def _common_level(nodes: tuple[Ints, ...], low: Counts, high: Counts) -> Counts:
    """Give the lowest level at which two places are in one group."""
    levels = np.zeros(len(low), dtype=np.int64)
    for node in nodes:
        levels += node[low] != node[high]  # groups are nested: once together, always together
    return levels


def _upper_half(place: Counts, parts: Counts, weights: Counts, values: int) -> Counts:
    """Say who is in the upper half of a part; where null is beside others, who is null."""
    # `values` is the place of null, if there is one: after all values.
    number = int(parts.max(initial=-1)) + 1
    order = np.lexsort((place, parts))
    totals = add_up(parts, weights, number)
    before = np.cumsum(totals) - totals
    reached = np.cumsum(weights[order]) - before[parts[order]]
    late = 2 * reached >= totals[parts[order]]
    middle = np.full(number, len(place))
    np.minimum.at(middle, parts[order[late]], place[order[late]])
    low, high = class_extremes(place, parts, number)
    middle = np.where(middle == high, middle - 1, middle)
    middle = np.where((low < values) & (high >= values), values - 1, middle)
    return (place > middle[parts]).astype(np.int64)
