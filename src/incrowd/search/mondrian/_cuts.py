"""Cut a table into parts, all open parts at once, until none can be cut without breaking the promise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.search._local import LocalTable
from incrowd.search._outcome import Progress
from incrowd.search.mondrian._checks import Candidates, Check
from incrowd.search.mondrian._columns import Column, EarlierParts, Stretches
from incrowd.search.mondrian._kernels import arrange_pieces, measure_parts, move_rows, propose_cuts, sort_columns
from incrowd.search.mondrian._parts import Cut, Finished, Growing, spans

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class _Open:
    """Parts that may be cut further: their rows, records and reach; their columns by width, and the next to try."""

    numbers: Array
    starts: Array
    ends: Array
    totals: Array
    reach: Stretches
    order: Array
    tried: Array

    def __len__(self) -> int:
        return len(self.numbers)

    def some(self, chosen: Array) -> _Open:
        return _Open(
            self.numbers[chosen],
            self.starts[chosen],
            self.ends[chosen],
            self.totals[chosen],
            self.reach[:, chosen],
            self.order[chosen],
            self.tried[chosen],
        )

    def beside(self, other: _Open) -> _Open:
        if not len(other):
            return self
        return _Open(
            np.append(self.numbers, other.numbers),
            np.append(self.starts, other.starts),
            np.append(self.ends, other.ends),
            np.append(self.totals, other.totals),
            Stretches.join([self.reach, other.reach]),
            np.append(self.order, other.order, axis=0),
            np.append(self.tried, other.tried),
        )


class Cutting:
    """One run over a table.

    ``begun``: the parts into which the table was cut before, where it is a part of another.
    """

    def __init__(
        self,
        table: LocalTable,
        columns: Sequence[Column],
        check: Check,
        *,
        strict: bool,
        begun: EarlierParts | None = None,
    ) -> None:
        census = table.census
        self._begun = begun
        self._columns, self._check, self._strict = tuple(columns), check, strict
        self._importance, self._records = table.weights, census.records
        self._counts = census.counts
        self._number = np.int32 if census.records < 2**31 else np.int64
        self._codes = _lines(table, columns, check)
        self._most = max(len(column.code) for column in columns)
        self._spare = np.empty_like(self._codes)
        self._cells = np.arange(len(census), dtype=self._number)
        self._weights = census.counts.astype(self._number)
        self._bins = np.zeros(self._most + 1, dtype=np.int64)
        self._tables, self._bases = _flat([column.tables() for column in columns])
        self._finished = Finished(len(census), split=not strict)
        self._tree = Growing(self._columns, census.records)

    def run(self, progress: Callable[[Progress], bool | None] | None = None) -> Cut:
        """Cut until nothing can be cut, or until ``progress`` says ``False``."""
        parts = self._whole()
        while len(parts):
            parts = self._round(parts)
            finished = self._records - int(parts.totals.sum())
            if progress is not None and progress(Progress(finished, self._records, None)) is False:
                break
        self._finish(parts)
        return self._finished.cut(self._counts, self._tree.grown())

    def first(self) -> Array | None:
        """Cut once, and give the piece that every cell is in; ``None`` where some piece would be too light."""
        parts = self._whole()
        column, value, number = self._propose(parts)
        if not (column >= 0).any():
            return None
        found = self._arrange(parts, column, value, number)
        pieces = np.empty(len(self._cells), dtype=np.int64)
        pieces[self._cells[found.order]] = found.owners
        return pieces

    def _whole(self) -> _Open:
        """Begin with the whole table, or with the parts that were cut before; stop where that breaks the promise."""
        opens = np.array([0, len(self._cells)])[: min(len(self._cells), 1) + 1]
        if self._begun is not None:
            order = np.argsort(self._begun.parts, kind="stable")
            self._move(order, self._weights[order])
            opens = np.append(np.unique(self._begun.parts[order], return_index=True)[1], len(order))
        number = len(opens) - 1
        sizes = np.add.reduceat(self._weights, opens[:-1], dtype=np.int64) if number else np.zeros(0, dtype=np.int64)
        sensitive = dict(zip(self._check.columns, self._codes[len(self._columns) :], strict=True))
        rows = np.arange(len(self._cells), dtype=self._number)
        found = Candidates(sensitive, self._cells, rows, self._weights, opens, sizes, np.full(number, -1))
        self._check.refuse_if_hopeless(found)
        numbers = np.arange(number)
        if number:
            self._check.accept(found, numbers, numbers)
        self.reach = reach = self._measure(opens[:-1], opens[1:])
        self._root = reach
        if self._begun is not None:
            self._root = self._begun.whole
            numbers = self._tree.add(np.zeros(number, dtype=np.int64), np.zeros_like(numbers), sizes, reach)
        return self._measured(numbers, opens[:-1], opens[1:], sizes, reach)

    def _round(self, parts: _Open) -> _Open:
        """Cut every part once along the next column that it can be cut along; give what is still open."""
        column, value, number = self._propose(parts)
        self._finish(parts.some(column < 0))
        going = column >= 0
        parts, column, value, number = parts.some(going), column[going], value[going], number[going]
        if not len(parts):
            return parts
        found = self._arrange(parts, column, value, number)
        first = np.cumsum(number) - number
        kept = np.ones(len(parts), dtype=bool)
        if not self._check.by_weight:
            kept = np.logical_and.reduceat(self._check.keeps(found), first)
        return self._take(parts, found, kept, np.repeat(kept, number), np.repeat(column, number))

    def _propose(self, parts: _Open) -> tuple[Array, Array, Array]:
        column, value, number = np.empty((3, len(parts)), dtype=np.int64)
        propose_cuts(
            self._codes,
            self._weights,
            parts.starts,
            parts.ends,
            parts.totals,
            parts.reach.low,
            parts.reach.high,
            parts.order,
            parts.tried,
            self._tables,
            self._bases,
            self._check.least,
            self._strict,
            self._bins,
            column,
            value,
            number,
        )
        return column, value, number

    def _arrange(self, parts: _Open, column: Array, value: Array, number: Array) -> Candidates:
        rows = int((parts.ends - parts.starts).sum()) + (0 if self._strict else len(parts))
        order, taken = np.empty((2, rows), dtype=self._number)
        opens, sizes = np.zeros(int(number.sum()) + 1, dtype=np.int64), np.empty(int(number.sum()), dtype=np.int64)
        arrange_pieces(
            self._codes,
            self._weights,
            parts.starts,
            parts.ends,
            column,
            value,
            self._tables,
            self._bases,
            self._strict,
            self._bins,
            order,
            taken,
            opens,
            sizes,
        )
        sensitive = dict(zip(self._check.columns, self._codes[len(self._columns) :], strict=True))
        used, parents = slice(0, opens[-1]), np.repeat(parts.numbers, number)
        return Candidates(sensitive, self._cells, order[used], taken[used], opens, sizes, parents)

    def _take(self, parts: _Open, found: Candidates, kept: Array, pieces: Array, column: Array) -> _Open:
        """Move the rows to their new places: the pieces of the parts that were cut, then the parts that were not."""
        again = parts.some(~kept)
        starts, ends = found.opens[:-1][pieces], found.opens[1:][pieces]
        order, taken = found.order, found.taken
        if len(again):
            inside, rows = spans(starts, ends), spans(again.starts, again.ends)
            order = np.append(found.order[inside], rows)
            taken = np.append(found.taken[inside], self._weights[rows])
        self._move(order, taken)
        new_ends = np.cumsum(np.append(ends - starts, again.ends - again.starts))
        new_starts = np.append(0, new_ends[:-1])
        fresh = slice(0, len(starts))
        reach = self._measure(new_starts[fresh], new_ends[fresh])
        sizes = found.sizes[pieces]
        numbers = self._tree.add(found.parents[pieces], column[pieces], sizes, reach)
        if len(numbers):
            self._check.accept(found, np.flatnonzero(pieces), numbers)
        children = self._measured(numbers, new_starts[fresh], new_ends[fresh], sizes, reach)
        rest = slice(len(starts), None)
        return children.beside(replace(again, starts=new_starts[rest], ends=new_ends[rest], tried=again.tried + 1))

    def _move(self, order: Array, taken: Array) -> None:
        if len(order) > self._spare.shape[1]:  # cells were split
            self._spare = np.empty((len(self._codes), 2 * len(order)), dtype=self._codes.dtype)
        cells = np.empty(len(order), dtype=self._cells.dtype)
        move_rows(self._codes, self._cells, order, self._spare, cells)
        self._codes, self._spare = self._spare, self._codes
        self._cells, self._weights = cells, taken

    def _measure(self, starts: Array, ends: Array) -> Stretches:
        low, high, distinct = np.empty((3, len(self._columns), len(starts)), dtype=np.int32)
        counted = np.array([column.counted for column in self._columns])
        stamps = np.zeros(self._most, dtype=np.int64)
        measure_parts(self._codes, starts, ends, counted, stamps, low, high, distinct)
        return Stretches(low, high, distinct)

    def _measured(self, numbers: Array, starts: Array, ends: Array, totals: Array, reach: Stretches) -> _Open:
        """Sort the columns of every part by their width, those as wide in the order of the schema.

        Parts that are too light to be cut are finished at once.
        """
        order = np.zeros((len(numbers), len(self._columns)), dtype=np.int64)
        parts = _Open(numbers, starts, ends, totals, reach, order, np.zeros(len(numbers), dtype=np.int64))
        light = totals < 2 * self._check.least
        if light.any():
            self._finish(parts.some(light))
            parts = parts.some(~light)
        widths = np.empty(parts.order.shape)
        for index, column in enumerate(self._columns):
            widths[:, index] = self._importance[index] * column.widths(parts.reach[index], self._root[index])
        sort_columns(widths, parts.order)
        return parts

    def _finish(self, parts: _Open) -> None:
        rows = spans(parts.starts, parts.ends)
        lengths = parts.ends - parts.starts
        self._finished.add((self._cells[rows], self._weights[rows]), lengths, parts.reach, parts.numbers)


def _lines(table: LocalTable, columns: Sequence[Column], check: Check) -> Array:
    """Put the positions of all cells, column by column, above the codes that the check wants."""
    census = table.census
    sensitive = dict(zip(census.sensitive, census.codes[len(census.quasi) :], strict=True))
    most = max(*(len(column.code) for column in columns), *(len(census.domains[name]) for name in check.columns), 1)
    shape = len(columns) + len(check.columns), len(census)
    lines = np.empty(shape, dtype=np.uint16 if most <= 2**16 else np.uint32)
    for line, column in zip(lines, columns, strict=False):
        np.take(column.place.astype(lines.dtype), column.codes, out=line)
    for line, name in zip(lines[len(columns) :], check.columns, strict=True):
        line[:] = sensitive[name]
    return lines


def _flat(tables: list[list[Array]]) -> tuple[Array, Array]:
    """Put tables one after the other; give also where each begins, per column and level."""
    bases = np.full((len(tables), max(map(len, tables)) + 2), -1, dtype=np.int64)
    flat, at = [np.zeros(0, dtype=np.int64)], 0
    for column, levels in enumerate(tables):
        for level, table in enumerate(levels):
            bases[column, level] = at
            flat.append(table)
            at += len(table)
    return np.concatenate(flat).astype(np.int64), bases
