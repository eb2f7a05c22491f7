"""The rounds of Mondrian: all open parts cut at once, pieces proposed, checked against the promise, accepted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from incrowd.core import Cells, Classes, Histogram
from incrowd.models import KAnonymity, NTJudge, RegionPairs
from incrowd.search._local_recoding import LocalTable, flat_tables, number_runs
from incrowd.search._problem import Bools, OnProgress, Progress
from incrowd.search.mondrian import _kernels as loops
from incrowd.search.mondrian._kernels import Cuts, Levels, OpenParts, PieceRows, Rows
from incrowd.search.mondrian._parts import Array, Cut, CutColumn, EarlierParts, Leaves, PartTree, Stretches, join_trees


class Cutting:
    """One run over a table, or over the parts into which it was cut before."""

    def __init__(
        self, table: LocalTable, columns: Sequence[CutColumn], *, strict: bool, earlier: EarlierParts | None = None
    ) -> None:
        census = table.census
        self._columns, self._strict, self._earlier = tuple(columns), strict, earlier
        self._check = Check(table)
        self._importance, self._records, self._counts = table.weights, census.records, census.counts
        self._number = np.int32 if census.records < 2**31 else np.int64
        self._codes = _code_lines(table, columns, self._check.columns)
        self._most = max(len(column.code) for column in columns)
        self._spare = np.empty_like(self._codes)
        self._cells = np.arange(len(census), dtype=self._number)
        self._weights = census.counts.astype(self._number)
        tables = flat_tables([column.tables() for column in columns])
        self._levels = Levels(*tables, np.zeros(self._most + 1, dtype=np.int64))
        self._leaves = Leaves(len(census), split=not strict)
        self._tree, self._parts = [PartTree.whole(self._columns, census.records)], 1

    def run(self, progress: OnProgress | None = None) -> Cut:
        """Cut until nothing can be cut, or until ``progress`` says ``False``."""
        parts = self._first_parts()
        while len(parts.numbers):
            parts = self._round(parts)
            finished = self._records - int(parts.totals.sum())
            if progress is not None and progress(Progress(finished, self._records, None)) is False:
                break
        self._finish(parts)
        return self._leaves.cut(self._counts, join_trees(self._tree))

    def first_cut(self) -> Array | None:
        """Cut once, and give the piece that every cell is in; ``None`` where some piece would be too light."""
        parts = self._first_parts()
        cuts = self._propose(parts)
        if not (cuts.column >= 0).any():
            return None
        found = self._arrange(parts, cuts)
        pieces = np.empty(len(self._cells), dtype=np.int64)
        pieces[self._cells[found.pieces.order]] = found.owners
        return pieces

    def _first_parts(self) -> OpenParts:
        """Begin with the whole table, or with the parts that were cut before; stop where that breaks the promise."""
        opens = np.array([0, len(self._cells)])[: min(len(self._cells), 1) + 1]
        if self._earlier is not None:
            order = np.argsort(self._earlier.parts, kind="stable")
            self._move(order, self._weights[order])
            opens = np.append(np.unique(self._earlier.parts[order], return_index=True)[1], len(order))
        number = len(opens) - 1
        sizes = np.add.reduceat(self._weights, opens[:-1], dtype=np.int64) if number else np.zeros(0, dtype=np.int64)
        rows = np.arange(len(self._cells), dtype=self._number)
        found = self._candidates(PieceRows(rows, self._weights, opens, sizes), np.full(number, -1))
        self._check.refuse_if_hopeless(found)
        numbers = np.arange(number)
        if number:
            self._remember(found, numbers)
        self.reach = self._root = reach = self._measure(opens[:-1], opens[1:])
        if self._earlier is not None:
            self._root = self._earlier.whole
            numbers = self._grow(np.zeros(number, dtype=np.int64), np.zeros_like(numbers), sizes, reach)
        return self._open_parts(numbers, opens[:-1], opens[1:], sizes, reach)

    def _round(self, parts: OpenParts) -> OpenParts:
        """Cut every part once along the next column that it can be cut along; give what is still open."""
        cuts = self._propose(parts)
        going = cuts.column >= 0
        self._finish(parts.some(~going))
        parts, cuts = parts.some(going), Cuts(*(each[going] for each in cuts))
        if not len(parts.numbers):
            return parts
        found = self._arrange(parts, cuts)
        kept = np.ones(len(parts.numbers), dtype=bool)
        if not self._check.by_weight:
            kept = np.logical_and.reduceat(self._check.keeps(found), np.cumsum(cuts.number) - cuts.number)
        return self._accept(parts, found, kept, cuts)

    def _propose(self, parts: OpenParts) -> Cuts:
        cuts = Cuts(*np.empty((3, len(parts.numbers)), dtype=np.int64))
        rows = Rows(self._codes, self._weights)
        loops.propose_cuts(rows, parts, self._levels, self._check.least, self._strict, cuts)
        return cuts

    def _arrange(self, parts: OpenParts, cuts: Cuts) -> Candidates:
        rows = int((parts.ends - parts.starts).sum()) + (0 if self._strict else len(parts.numbers))
        order, taken = np.empty((2, rows), dtype=self._number)
        number = int(cuts.number.sum())
        opens, sizes = np.zeros(number + 1, dtype=np.int64), np.empty(number, dtype=np.int64)
        pieces = PieceRows(order, taken, opens, sizes)
        loops.arrange_pieces(Rows(self._codes, self._weights), parts, cuts, self._levels, self._strict, pieces)
        used = PieceRows(order[: opens[-1]], taken[: opens[-1]], opens, sizes)
        return self._candidates(used, np.repeat(parts.numbers, cuts.number))

    def _candidates(self, pieces: PieceRows, parents: Array) -> Candidates:
        sensitive = dict(zip(self._check.columns, self._codes[len(self._columns) :], strict=True))
        return Candidates(sensitive, self._cells, pieces, parents)

    def _remember(self, found: Candidates, pieces: Array) -> None:
        for around in self._check.around:
            around.add(found, pieces)

    def _grow(self, parents: Array, cut: Array, sizes: Array, reach: Stretches) -> Array:
        """Add parts to the tree, each with the part that it was cut out of and the column; give their numbers."""
        each = np.arange(len(parents))
        self._tree.append(PartTree(self._columns, parents, cut, sizes, reach.low[cut, each], reach.high[cut, each]))
        self._parts += len(parents)
        return each + (self._parts - len(parents))

    def _accept(self, parts: OpenParts, found: Candidates, kept: Array, cuts: Cuts) -> OpenParts:
        """Move the rows to their new places: the pieces of the parts that were cut, then the parts that were not."""
        again, chosen, column = parts.some(~kept), np.repeat(kept, cuts.number), np.repeat(cuts.column, cuts.number)
        order, taken, opens, sizes = found.pieces
        starts, ends, sizes = opens[:-1][chosen], opens[1:][chosen], sizes[chosen]
        if len(again.numbers):
            inside, rows = (
                number_runs(starts, ends - starts),
                number_runs(again.starts, again.ends - again.starts),
            )
            order, taken = np.append(order[inside], rows), np.append(taken[inside], self._weights[rows])
        self._move(order, taken)
        new_ends = np.cumsum(np.append(ends - starts, again.ends - again.starts))
        new_starts = np.append(0, new_ends[:-1])
        fresh, rest = slice(0, len(starts)), slice(len(starts), None)
        reach = self._measure(new_starts[fresh], new_ends[fresh])
        numbers = self._grow(found.parents[chosen], column[chosen], sizes, reach)
        if len(numbers):
            self._remember(found, np.flatnonzero(chosen))
        children = self._open_parts(numbers, new_starts[fresh], new_ends[fresh], sizes, reach)
        later = again._replace(starts=new_starts[rest], ends=new_ends[rest], tried=again.tried + 1)
        return children.beside(later)

    def _move(self, order: Array, taken: Array) -> None:
        if len(order) > self._spare.shape[1]:  # cells were split
            self._spare = np.empty((len(self._codes), 2 * len(order)), dtype=self._codes.dtype)
        cells = np.empty(len(order), dtype=self._cells.dtype)
        loops.move_rows(self._codes, self._cells, order, self._spare, cells)
        self._codes, self._spare = self._spare, self._codes
        self._cells, self._weights = cells, taken

    def _measure(self, starts: Array, ends: Array) -> Stretches:
        reach = Stretches(*np.empty((3, len(self._columns), len(starts)), dtype=np.int32))
        counted = np.array([column.is_counted for column in self._columns])
        stamps = np.zeros(self._most, dtype=np.int64)
        loops.measure_parts(self._codes, starts, ends, counted, stamps, reach)
        return reach

    def _open_parts(self, numbers: Array, starts: Array, ends: Array, totals: Array, reach: Stretches) -> OpenParts:
        """Sort the columns of every part by their width, those as wide in the order of the schema."""
        # Parts that are too light to be cut are finished at once.
        order = np.zeros((len(numbers), len(self._columns)), dtype=np.int64)
        parts = OpenParts(numbers, starts, ends, totals, reach, order, np.zeros(len(numbers), dtype=np.int64))
        light = totals < 2 * self._check.least
        if light.any():
            self._finish(parts.some(light))
            parts = parts.some(~light)
        widths = np.empty(parts.order.shape)
        for index, column in enumerate(self._columns):
            widths[:, index] = self._importance[index] * column.widths(parts.reach.at(index), self._root.at(index))
        loops.sort_columns(widths, parts.order)
        return parts

    def _finish(self, parts: OpenParts) -> None:
        lengths = parts.ends - parts.starts
        rows = number_runs(parts.starts, lengths)
        self._leaves.add(self._cells[rows], self._weights[rows], lengths, parts.reach, parts.numbers)


def _code_lines(table: LocalTable, columns: Sequence[CutColumn], sensitive: Sequence[str]) -> Array:
    """Put the positions of all cells, column by column, above the codes that the check wants."""
    census = table.census
    most = max(*(len(column.code) for column in columns), *(len(census.domains[name]) for name in sensitive), 1)
    shape = len(columns) + len(sensitive), len(census)
    lines = np.empty(shape, dtype=np.uint16 if most <= 2**16 else np.uint32)
    for line, column in zip(lines, columns, strict=False):
        np.take(column.place.astype(lines.dtype), column.codes, out=line)
    for line, name in zip(lines[len(columns) :], sensitive, strict=True):
        line[:] = table.sensitive_codes(name)
    return lines


# Whether pieces keep the promise, asked for all pieces of a round at once.


class Candidates:
    """Pieces that parts could be cut into; ``lines``: by name the codes of all rows that promises are about."""

    def __init__(self, lines: dict[str, Array], cells: Array, pieces: PieceRows, parents: Array) -> None:
        self._lines, self.cells, self.pieces, self.parents = lines, cells, pieces, parents
        self._counted: dict[str, Histogram] = {}

    def __len__(self) -> int:
        return len(self.pieces.opens) - 1

    @property
    def owners(self) -> Array:
        return np.repeat(np.arange(len(self)), np.diff(self.pieces.opens))

    def histogram(self, name: str, values: int) -> Histogram:
        """Count the values of a column in every piece; the column has so many."""
        if name not in self._counted:
            bins, seen = np.zeros(values, dtype=np.int64), np.empty(values, dtype=np.int64)
            starts = np.empty(len(self) + 1, dtype=np.int64)
            found, counts = np.empty((2, len(self.pieces.order)), dtype=np.int64)
            number = loops.tally_pieces(self._lines[name], self.pieces, bins, seen, starts, found, counts)
            owners = np.repeat(np.arange(len(self)), np.diff(starts))
            self._counted[name] = Histogram(starts, owners, (found[:number],), counts[:number])
        return self._counted[name]


class Check:
    """A promise, asked about pieces, none of which keeps it with fewer records than ``least``."""

    def __init__(self, table: LocalTable) -> None:
        sizes = [judge.model.k for judge in table.judges if isinstance(judge.model, KAnonymity)]
        others = [judge for judge in table.judges if table.has_persons or not isinstance(judge.model, KAnonymity)]
        self._table = table
        self.least = min(max([1, *sizes]), table.census.records + 1)
        self.around = [Around(judge, table) for judge in others if isinstance(judge, NTJudge)]
        self._judges = [judge for judge in others if not isinstance(judge, NTJudge)]
        self._by_counts = not table.has_persons and all(len(judge.columns) == 1 for judge in self._judges)
        named = [*(self._judges if self._by_counts else []), *(one.judge for one in self.around)]
        self.columns = tuple(sorted({name for judge in named for name in judge.columns}))

    @property
    def by_weight(self) -> bool:
        return not self._judges and not self.around

    def refuse_if_hopeless(self, whole: Candidates) -> None:
        if len(whole) and not ((whole.pieces.sizes >= self.least) & self.keeps(whole)).all():
            self._table.refuse()

    def keeps(self, found: Candidates) -> Bools:
        """Say which pieces keep the promise, of those that are not too light."""
        kept = np.ones(len(found), dtype=bool)
        if self._judges:
            classes = self._counted_classes(found) if self._by_counts else self._classes(found)
            kept = np.asarray(np.logical_and.reduce([judge.keeps(classes) for judge in self._judges]), dtype=bool)
        for around in self.around:
            kept[kept] = around.near(found, np.flatnonzero(kept))
        return kept

    def _classes(self, found: Candidates) -> Classes:
        order, taken, *_ = found.pieces
        return self._table.classes(found.cells[order], found.owners, len(found), taken)

    def _counted_classes(self, found: Candidates) -> Classes:
        """Give classes that know only their sizes and histograms, which is all that is asked of them."""
        none, sizes = np.zeros(0, dtype=np.int64), found.pieces.sizes
        domains = self._table.census.domains
        classes = Classes((), sizes, sizes, none, Cells({}, {}, None, none))
        for name in {name for judge in self._judges for name in judge.columns}:
            classes.adopt_histogram(name, found.histogram(name, len(domains[name])))
        return classes


# The large parts around a piece, which certify (n, t)-closeness (S4-CHECK): those that it was cut out of.


class Around:
    """The parts of at least ``n`` records, and for every part the smallest of them that contains it."""

    # Whatever contains a large part is large, so the large parts around a piece are one of them and all above it.

    def __init__(self, judge: NTJudge, table: LocalTable) -> None:
        model: Any = judge.model
        self.judge = judge
        self._n, self._only_table = model.n, model.supersets == "table"
        self._column = judge.columns[0]
        self._values = len(table.census.domains[self._column])
        none = np.zeros(0, dtype=np.int64)
        self._large = Histogram(np.zeros(1, dtype=np.int64), none, (none,), none)
        self._sizes = none
        self._above = none  # per large part the one around it
        self._home = none  # per part the smallest large part that contains it, perhaps itself

    def near(self, found: Candidates, pieces: Array) -> Bools:
        """Say which pieces are large, or near enough to a large part around them."""
        sizes, histogram = found.pieces.sizes[pieces], found.histogram(self._column, self._values)
        result = np.asarray(sizes >= self._n, dtype=bool)
        if not len(self._home):  # the whole table is asked about
            return result
        open_ = np.flatnonzero(~result)
        home = self._home[found.parents[pieces[open_]]]
        while len(open_):
            inside = _some_histogram(histogram, pieces[open_])
            pairs = RegionPairs(inside, self._large, home, sizes[open_], self._sizes[home], self._values)
            held = self.judge.is_near(pairs)
            result[open_[held]] = True
            home = self._above[home]
            going = ~held & (home >= 0)
            open_, home = open_[going], home[going]
        return result

    def add(self, found: Candidates, pieces: Array) -> None:
        """Remember pieces that became parts, numbered as they come."""
        first = not len(self._home)
        sizes = found.pieces.sizes[pieces]
        home = np.full(1, -1) if first else self._home[found.parents[pieces]]
        large = np.flatnonzero((sizes >= self._n) & (first or not self._only_table))
        self._above = np.append(self._above, home[large])
        home[large] = len(self._sizes) + np.arange(len(large))
        self._home = np.append(self._home, home)
        self._sizes = np.append(self._sizes, sizes[large])
        self._large = _joined_histogram(
            self._large, _some_histogram(found.histogram(self._column, self._values), pieces[large])
        )


def _some_histogram(histogram: Histogram, chosen: Array) -> Histogram:
    """Give the histogram of some pieces only, in the given order and with new numbers."""
    lengths = np.diff(histogram.starts)[chosen]
    starts, entries = np.append(0, np.cumsum(lengths)), number_runs(histogram.starts[chosen], lengths)
    owners = np.repeat(np.arange(len(chosen)), lengths)
    return Histogram(starts, owners, (histogram.values[0][entries],), histogram.counts[entries])


def _joined_histogram(one: Histogram, two: Histogram) -> Histogram:
    known = len(one.starts) - 1
    return Histogram(
        np.append(one.starts, two.starts[1:] + one.starts[-1]),
        np.append(one.classes, two.classes + known),
        (np.append(one.values[0], two.values[0]),),
        np.append(one.counts, two.counts),
    )
