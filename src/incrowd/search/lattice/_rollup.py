"""Rolling up a census node by node, as fast as it goes.

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

import numpy as np
import numpy.typing as npt

from incrowd.core import Census, Field, Packing, group

Words = npt.NDArray[np.int64]
Counts = npt.NDArray[np.int64]
Levels = tuple[int, ...]

COMPILE_AFTER = 10_000_000
"""So many words are sorted before the compiled loop is worth loading."""

COMPILE_FROM = 1_000_000
"""A census of so many cells is worth it at once."""

SHARE_FROM = 1 << 18
"""So many cells are worth the start of a second thread."""

WORD_BITS = 63

DENSE, ROOM = 8, 1 << 16
"""Classes are counted in a table of all that are possible, if it has so many entries per cell or fewer, and in all."""

SHARED_BITS = 11
"""Neighbouring fields of so many bits together share a table."""


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """What the compiled loops need to know about words.

    ``fields``: per field where it sits, its mask, how many codes it has, and the first of the neighbours that share a
    table. ``firsts`` and ``groups``: for every field and level the first code of the group of every code, and the group
    itself; one table after the other. ``ladders``: per field and level where its table begins, and how many groups it
    has.
    """

    fields: Words
    firsts: Words
    groups: Words
    ladders: Words

    @classmethod
    def of(
        cls, fields: Sequence[Field], firsts: list[list[Words]], groups: list[list[npt.NDArray[np.integer]]]
    ) -> Layout:
        """Put the tables of all fields and levels side by side."""
        ladders = np.zeros((2, len(groups), max(map(len, groups))), dtype=np.int64)
        place = 0
        for field, levels in enumerate(groups):
            for level, table in enumerate(levels):
                ladders[:, field, level] = place, int(table.max(initial=0)) + 1
                place += len(table)
        known = [
            [field.shift for field in fields],
            [(1 << field.bits) - 1 for field in fields],
            [len(levels[0]) for levels in groups],
            _neighbours(fields),
        ]
        flat = (np.concatenate([table for levels in tables for table in levels]) for tables in (firsts, groups))
        first, group = (table.astype(np.int64) for table in flat)
        return cls(np.array(known, dtype=np.int64), first, group, ladders)


def _neighbours(fields: Sequence[Field]) -> list[int]:
    """Give for every field the first of the neighbours that have few bits together with it."""
    result: list[int] = []
    first, bits = 0, 0
    for place, field in enumerate(fields):
        bits += field.bits
        if bits > SHARED_BITS:
            first, bits = place, field.bits
        result.append(first)
    return result


@dataclass(frozen=True, slots=True, eq=False)
class Rolled:
    """The cells of a census at a node: their packed codes and counts, in no order that means anything."""

    words: tuple[Words, ...]
    counts: Counts
    levels: Levels

    def __len__(self) -> int:
        return len(self.counts)


class Rollup:
    """A census, ready to be rolled up to any node at or above its floor.

    Sensitive columns that nobody asks about are forgotten. ``warm``: so much was counted before that also the small
    compiled loops are worth loading.
    """

    _sorted = 0  # words sorted so far in this process

    def __init__(self, census: Census, sensitive: Iterable[str]) -> None:
        self.census = census
        self.sensitive = tuple(name for name in census.sensitive if name in set(sensitive))
        self._groups = [_groups(census, name, floor) for name, floor in zip(census.quasi, census.floor, strict=True)]
        self._tables = [[_first(groups) for groups in levels] for levels in self._groups]
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
        if self.fast:
            return self._compiled(source, target)
        Rollup._sorted += len(source)
        words = list(source.words)
        for column in moves:
            field = self._fields[column]
            code = (source.words[field.word] >> field.shift) & ((1 << field.bits) - 1)
            words[field.word] = words[field.word] + ((self._table(column, target[column])[code] - code) << field.shift)
        return self._merge(Rolled(tuple(words), source.counts, target))

    @functools.cached_property
    def room(self) -> tuple[Words, Words, npt.NDArray[np.int32], Counts]:
        """Where compiled loops work: numbers of classes, those found, a hash table, and counts (0 everywhere)."""
        cells = len(self.start)
        numbers, found = np.empty(cells, dtype=np.int64), np.empty(cells, dtype=np.int64)
        slots = np.empty(2 << cells.bit_length(), dtype=np.int32)
        return numbers, found, slots, np.zeros(max(cells, ROOM), dtype=np.int64)

    @functools.cached_property
    def layout(self) -> Layout:
        """What the compiled loops need to know."""
        return Layout.of(self._fields, self._tables, self._groups)

    @property
    def fast(self) -> bool:
        """Whether the compiled loops are used."""
        return self._one_word and (self._large or Rollup._sorted > COMPILE_AFTER)

    def shares(self, cells: Rolled) -> bool:
        """Whether two threads share the work on these cells."""
        return self.fast and len(cells) >= SHARE_FROM

    def small(self, nodes: npt.NDArray[np.integer], source: Rolled, k: int, limit: int) -> list[int]:
        """Count for several nodes the records in classes smaller than k, where cells are classes.

        A node below an earlier one that leaves out too much is passed over: it is given the number of that one.
        ``source``: cells at or below all of the nodes.
        """
        from incrowd.search.lattice._cell_kernels import small_records  # noqa: PLC0415 - numba is loaded only when it pays

        layout = self.layout
        small = np.empty(len(nodes), dtype=np.int64)
        levels = self.above_floor(nodes)
        (words,), counts = source.words, source.counts
        numbers, found, slots, table = self.room
        room = numbers, found, slots, table[: DENSE * len(words)]
        small_records(words, counts, layout.fields, layout.groups, layout.ladders, levels, k, limit, room, small)
        return small.tolist()

    def above_floor(self, nodes: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """Count the levels of nodes from the floor, in the one kind of array that loops are compiled for."""
        return np.ascontiguousarray(nodes - self.floor, dtype=np.int64)

    def codes(self, words: Sequence[Words], column: int, level: int) -> npt.NDArray[np.integer]:
        """Give the group of a quasi-identifier for every word of a node at a level."""
        field = self._fields[column]
        code = (words[field.word] >> field.shift) & ((1 << field.bits) - 1)
        return np.take(self._groups[column][level - self.census.floor[column]], code)

    def count_groups(self, words: Words, sizes: Counts, ok: npt.NDArray[np.bool_], levels: Levels) -> list[Counts]:
        """Count the records of every group of every quasi-identifier in the classes that are ok; by a compiled loop."""
        from incrowd.search.lattice._cell_kernels import count_groups  # noqa: PLC0415 - numba is loaded only when it pays

        layout = self.layout
        begins, groups = layout.ladders[:, np.arange(len(levels)), np.array(levels) - self.floor]
        ends = np.cumsum(groups)
        kept = np.zeros(ends[-1], dtype=np.int64)
        count_groups(words, sizes, ok, layout.fields, layout.groups, np.stack([begins, ends - groups]), kept)
        return np.split(kept, ends[:-1])

    def classes(self, cells: Rolled) -> tuple[Rolled, npt.NDArray[np.intp]]:
        """Sort the cells of a node by class; also say where each class begins."""
        ordered = _sorted(cells)
        keys = [*ordered.words[:-1], ordered.words[-1] >> self._tail_bits]
        return ordered, _starts(keys)

    def count_values(self, cells: Rolled) -> tuple[Words, Counts, Counts]:
        """Give the word of every class of a node, its records and its different tails; by a compiled loop."""
        from incrowd.search.lattice._threads import count_classes  # noqa: PLC0415 - numba is loaded only when it pays

        return count_classes(cells.words[0], cells.counts, self.tail_mask, self.room[2])

    def tail(self, cells: Rolled) -> npt.NDArray[np.int64]:
        """Give for every cell the position in ``tails`` of its sensitive values and person."""
        return cells.words[-1] & self.tail_mask

    @property
    def tail_mask(self) -> int:
        """The bits of the last word that hold such a position."""
        return (1 << self._tail_bits) - 1

    @property
    def has_tail(self) -> bool:
        """Whether cells carry more than quasi-identifiers."""
        return bool(self.tails)

    def _tail(self) -> tuple[npt.NDArray[np.integer], list[npt.NDArray[np.integer]]]:
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

    def _table(self, column: int, level: int) -> Words:
        return self._tables[column][level - self.census.floor[column]]

    def _merge(self, cells: Rolled) -> Rolled:
        """Add up the counts of equal words."""
        if not len(cells):
            return cells
        ordered = _sorted(cells)
        starts = _starts(ordered.words)
        words = tuple(word[starts] for word in ordered.words)
        return Rolled(words, np.add.reduceat(ordered.counts, starts), cells.levels)

    def _compiled(self, source: Rolled, target: Levels) -> Rolled:
        layout, levels, (words,), counts = self.layout, np.array(target) - self.floor, source.words, source.counts
        if self.shares(source):
            from incrowd.search.lattice._threads import roll_up  # noqa: PLC0415 - numba is loaded only when it pays

            rolled, sums = roll_up(words, counts, layout, levels, self.tail_mask, (self.room[0], self.room[2]))
            return Rolled((rolled,), sums, target)
        from incrowd.search.lattice._cell_kernels import roll_words  # noqa: PLC0415

        rolled, sums = np.empty(len(source), dtype=np.int64), np.empty(len(source), dtype=np.int64)
        known = roll_words(
            words, counts, layout.fields, layout.firsts, layout.ladders, levels, self.tail_mask, self.room, rolled, sums
        )
        if known * 4 < len(source):  # do not keep a large array alive for a small result
            return Rolled((rolled[:known].copy(),), sums[:known].copy(), target)
        return Rolled((rolled[:known],), sums[:known], target)


def _groups(census: Census, name: str, floor: int) -> list[npt.NDArray[np.integer]]:
    """Give per level from the floor on the group of every code at the floor."""
    ladder = census.ladders[name]
    return [ladder.step(floor, level) for level in range(floor, ladder.height + 1)]


def _first(groups: npt.NDArray[np.integer]) -> Words:
    """Give for every code the first code of its group."""
    first = np.zeros(int(groups.max()) + 1 if len(groups) else 0, dtype=np.int64)
    first[groups[::-1]] = np.arange(len(groups))[::-1]
    return np.asarray(first[groups], dtype=np.int64)


def _sorted(cells: Rolled) -> Rolled:
    """Put cells in the order of their words."""
    words, counts = cells.words, cells.counts
    if len(words) == 1 and len(counts):
        spare = WORD_BITS - int(words[0].max()).bit_length()
        bits = int(counts.max()).bit_length()
        if bits <= spare:  # a count rides along in the bits that are free: sorting is faster than ordering
            both = np.sort((words[0] << bits) | counts)
            return Rolled((both >> bits,), both & ((1 << bits) - 1), cells.levels)
    order = np.lexsort(words[::-1])
    return Rolled(tuple(word[order] for word in words), counts[order], cells.levels)


def _starts(keys: Sequence[Words]) -> npt.NDArray[np.intp]:
    """Say where runs of equal keys begin."""
    new = np.zeros(len(keys[0]), dtype=bool)
    new[:1] = True
    for key in keys:
        new[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(new)
