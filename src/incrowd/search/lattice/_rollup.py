"""``Rollup``: a census rolled up node by node on packed words; classes, groups and values counted at a node.

All codes of a cell sit in one machine word (several, where they do not fit). A generalized value keeps the code of the
first value of its group, so one table per column and level leads there from any lower level, and no field ever moves.
Nodes are rolled up from one another, never from the table.

Plain NumPy sorts the words; a compiled loop hashes them, two to three times faster. Loading it takes a second or two:
it is loaded only once that much time has gone into sorting.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Census, Packing, group
from incrowd.search._problem import Bools, Counts, Floats, Ints

Words = npt.NDArray[np.int64]
Levels = tuple[int, ...]
COMPILE_AFTER = 10_000_000  # so many words are sorted before the compiled loop is worth loading
COMPILE_FROM = 1_000_000  # a census of so many cells is worth it at once
SHARE_FROM = 1 << 18  # so many cells are worth the start of a second thread
WORD_BITS = 63
DENSE, ROOM = 8, 1 << 16
"""Classes are counted in a table of all that are possible, if it has so many entries per cell or fewer, and in all."""


# The one place where compiled loops, and numba with them, are loaded: only when they pay.


def cell_loops() -> Any:
    from incrowd.search.lattice import _cell_kernels  # noqa: PLC0415

    return _cell_kernels


def node_loops() -> Any:
    from incrowd.search.lattice import _node_kernels  # noqa: PLC0415

    return _node_kernels


def shared_loops() -> Any:
    from incrowd.search.lattice import _thread_kernels  # noqa: PLC0415

    return _thread_kernels


@dataclass(frozen=True, slots=True, eq=False)
class Rolled:
    """The cells of a census at a node: their packed codes and counts, in no order that means anything."""

    words: tuple[Words, ...]
    counts: Counts
    levels: Levels

    def __len__(self) -> int:
        return len(self.counts)


class Rollup:
    """A census, ready to be rolled up to any node at or above its floor, with the sensitive columns asked about."""

    # `warm`: so much was counted before that also the small compiled loops are worth loading.
    _sorted = 0  # words sorted so far in this process

    def __init__(self, census: Census, sensitive: Iterable[str]) -> None:
        self.census = census
        self.sensitive = tuple(name for name in census.sensitive if name in set(sensitive))
        ladders = [(census.ladders[name], floor) for name, floor in zip(census.quasi, census.floor, strict=True)]
        self._groups = [
            [one.parent_groups(floor, level) for level in range(floor, one.height + 1)] for one, floor in ladders
        ]
        self._tables = [[_first_codes(groups) for groups in levels] for levels in self._groups]
        tail, self.tails = self._tail()
        cardinalities = [len(tables[0]) for tables in self._tables]
        packing = Packing.of([*cardinalities, len(self.tails[0]) if self.tails else 1])
        self._fields = packing.fields[:-1]
        self._tail_bits = packing.fields[-1].bits
        self._one_word = packing.words == 1
        self._large = len(census) >= COMPILE_FROM
        self.warm = self._one_word and Rollup._sorted > COMPILE_AFTER
        self.floor = np.array(census.floor, dtype=np.int64)
        words = tuple(packing.pack([*census.codes[: len(census.quasi)], tail]))
        start = Rolled(words, census.counts.astype(np.int64), census.floor)
        self.start = start if self.sensitive == census.sensitive else self._merge(start)

    def to(self, levels: Sequence[int], source: Rolled | None = None) -> Rolled:
        """Roll up to a node, from the census or from any node below."""
        source = self.start if source is None else source
        target = tuple(levels)
        moves = [column for column, pair in enumerate(zip(source.levels, target, strict=True)) if pair[0] != pair[1]]
        if not moves:
            return source
        if self.is_compiled:
            return self._roll_by_kernel(source, target)
        Rollup._sorted += len(source)
        words = list(source.words)
        for column in moves:
            field = self._fields[column]
            code = (source.words[field.word] >> field.shift) & ((1 << field.bits) - 1)
            table = self._tables[column][target[column] - self.census.floor[column]]
            words[field.word] = words[field.word] + ((table[code] - code) << field.shift)
        return self._merge(Rolled(tuple(words), source.counts, target))

    @functools.cached_property
    def room(self) -> Any:
        cells = len(self.start)
        numbers, found = np.empty(cells, dtype=np.int64), np.empty(cells, dtype=np.int64)
        slots = np.empty(2 << cells.bit_length(), dtype=np.int32)
        return cell_loops().Room(numbers, found, slots, np.zeros(max(cells, ROOM), dtype=np.int64))

    @functools.cached_property
    def layout(self) -> Any:
        return cell_loops().WordLayout.of(self._fields, self._tables, self._groups)

    @property
    def is_compiled(self) -> bool:
        return self._one_word and (self._large or Rollup._sorted > COMPILE_AFTER)

    def is_shared(self, cells: Rolled) -> bool:
        return self.is_compiled and len(cells) >= SHARE_FROM

    def small_records(self, nodes: Ints, source: Rolled, k: int, limit: int) -> tuple[Counts, Floats]:
        """Count for several nodes the records in classes smaller than k, where cells are classes."""
        # A node below an earlier one that leaves out too much is passed over: it is given the number of that one. Also
        # give the squared sizes and the number of all other classes; -1 for nodes that are passed over.
        small, large, (words,) = np.empty(len(nodes), dtype=np.int64), np.empty((2, len(nodes))), source.words
        room = self.room._replace(sums=self.room.sums[: DENSE * len(words)])
        shape = self.layout, self.above_floor(nodes)
        cell_loops().small_records(words, source.counts, *shape, k, limit, room, small, large)
        return small, large

    def above_floor(self, nodes: Ints) -> Counts:
        """Count the levels of nodes from the floor, in the one kind of array that loops are compiled for."""
        return np.ascontiguousarray(nodes - self.floor, dtype=np.int64)

    def codes(self, words: Sequence[Words], column: int, level: int) -> Ints:
        """Give the group of a quasi-identifier for every word of a node at a level."""
        field = self._fields[column]
        code = (words[field.word] >> field.shift) & ((1 << field.bits) - 1)
        return np.take(self._groups[column][level - self.census.floor[column]], code)

    def count_groups(self, words: Words, sizes: Counts, ok: Bools, levels: Levels) -> list[Counts]:
        """Count the records of every group of every quasi-identifier in the classes that are ok; by a compiled loop."""
        layout = self.layout
        begins, groups = layout.ladders[:, np.arange(len(levels)), np.array(levels) - self.floor]
        ends = np.cumsum(groups)
        kept = np.zeros(ends[-1], dtype=np.int64)
        cell_loops().count_groups(
            words, sizes, ok, layout.fields, layout.groups, np.stack([begins, ends - groups]), kept
        )
        return np.split(kept, ends[:-1])

    def classes(self, cells: Rolled) -> tuple[Rolled, npt.NDArray[np.intp]]:
        """Sort the cells of a node by class; also say where each class begins."""
        ordered = _sorted_cells(cells)
        return ordered, _class_starts([*ordered.words[:-1], ordered.words[-1] >> self._tail_bits])

    def count_values(self, cells: Rolled) -> tuple[Words, Counts, Counts]:
        """Give the word of every class of a node, its records and its different tails; by a compiled loop."""
        found: tuple[Words, Counts, Counts] = shared_loops().count_classes(
            cells.words[0], cells.counts, self.tail_mask, self.room.slots
        )
        return found

    def tail(self, cells: Rolled) -> Counts:
        """Give for every cell the position in ``tails`` of its sensitive values and person."""
        return cells.words[-1] & self.tail_mask

    @property
    def tail_mask(self) -> int:
        return (1 << self._tail_bits) - 1

    @property
    def has_tail(self) -> bool:
        return bool(self.tails)

    def _tail(self) -> tuple[Ints, list[Ints]]:
        """Give a number to every combination of sensitive values and persons that occurs."""
        census = self.census
        columns = [census.codes[len(census.quasi) + census.sensitive.index(name)] for name in self.sensitive]
        sizes = [len(census.domains[name]) for name in self.sensitive]
        if census.person is not None:
            columns.append(census.person)
            sizes.append(int(census.person.max()) + 1 if len(census) else 1)
        if not columns:
            return np.zeros(len(census), dtype=np.int64), []
        grouping = group(columns, sizes)
        return grouping.ids, [column[grouping.first] for column in columns]

    def _merge(self, cells: Rolled) -> Rolled:
        if not len(cells):
            return cells
        ordered = _sorted_cells(cells)
        starts = _class_starts(ordered.words)
        words = tuple(word[starts] for word in ordered.words)
        return Rolled(words, np.add.reduceat(ordered.counts, starts), cells.levels)

    def _roll_by_kernel(self, source: Rolled, target: Levels) -> Rolled:
        levels, (words,), counts = np.array(target) - self.floor, source.words, source.counts
        if self.is_shared(source):
            rolled, sums = shared_loops().roll_up(words, counts, self.layout, levels, self.tail_mask, self.room)
            return Rolled((rolled,), sums, target)
        rolled, sums = np.empty(len(source), dtype=np.int64), np.empty(len(source), dtype=np.int64)
        known = cell_loops().roll_words(words, counts, self.layout, levels, self.tail_mask, self.room, rolled, sums)
        if known * 4 < len(source):  # do not keep a large array alive for a small result
            return Rolled((rolled[:known].copy(),), sums[:known].copy(), target)
        return Rolled((rolled[:known],), sums[:known], target)


def _first_codes(groups: Ints) -> Words:
    first = np.zeros(int(groups.max()) + 1 if len(groups) else 0, dtype=np.int64)
    first[groups[::-1]] = np.arange(len(groups))[::-1]
    return np.asarray(first[groups], dtype=np.int64)


def _sorted_cells(cells: Rolled) -> Rolled:
    words, counts = cells.words, cells.counts
    if len(words) == 1 and len(counts):
        spare = WORD_BITS - int(words[0].max()).bit_length()
        bits = int(counts.max()).bit_length()
        if bits <= spare:  # a count rides along in the bits that are free: sorting is faster than ordering
            both = np.sort((words[0] << bits) | counts)
            return Rolled((both >> bits,), both & ((1 << bits) - 1), cells.levels)
    order = np.lexsort(words[::-1])
    return Rolled(tuple(word[order] for word in words), counts[order], cells.levels)


def _class_starts(keys: Sequence[Words]) -> npt.NDArray[np.intp]:
    new = np.zeros(len(keys[0]), dtype=bool)
    new[:1] = True
    for key in keys:
        new[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(new)
