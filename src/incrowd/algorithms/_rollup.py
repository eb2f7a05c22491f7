"""Rolling up a census node by node, as fast as it goes.

All codes of a cell sit in one machine word (several, where they do not fit). A generalized value keeps the code of the
first value of its group, so one table per column and level leads there from any lower level, and no field ever moves.
Nodes are rolled up from one another, never from the table.

Plain NumPy sorts the words; a compiled loop hashes them, two to three times faster. Loading it takes a second or two:
it is loaded only once that much time has gone into sorting.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from incrowd.core import Census, Packing, group

Words = npt.NDArray[np.int64]
Counts = npt.NDArray[np.int64]
Levels = tuple[int, ...]

COMPILE_AFTER = 10_000_000
"""So many words are sorted before the compiled loop is worth loading."""

COMPILE_FROM = 1_000_000
"""A census of so many cells is worth it at once."""

WORD_BITS = 63


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

    Parameters
    ----------
    census
        The table.
    sensitive
        The sensitive columns that are asked about; the others are forgotten.
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
        self._shifts = np.array([field.shift for field in self._fields])
        self._masks = np.array([(1 << field.bits) - 1 for field in self._fields])
        self._flat, self._begins = _in_one(self._tables)
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
            return self._compiled(source, target, moves)
        Rollup._sorted += len(source)
        words = list(source.words)
        for column in moves:
            field = self._fields[column]
            code = (source.words[field.word] >> field.shift) & ((1 << field.bits) - 1)
            words[field.word] = words[field.word] + ((self._table(column, target[column])[code] - code) << field.shift)
        return self._merge(Rolled(tuple(words), source.counts, target))

    @property
    def fast(self) -> bool:
        """Whether the compiled loops are used."""
        return self._one_word and (self._large or Rollup._sorted > COMPILE_AFTER)

    def small(self, nodes: npt.NDArray[np.integer], source: Rolled, k: int, limit: int) -> list[int]:
        """Count for several nodes the records in classes smaller than k, where cells are classes.

        Parameters
        ----------
        nodes
            The levels of every column, one row per node. A node below an earlier one that leaves out too much is passed
            over: it is given the number of that one.
        source
            Cells at or below all of the nodes.
        k, limit
            The least size of a class, and how many records may be in smaller ones.
        """
        from incrowd.core._compiled import small_records  # noqa: PLC0415 - numba is loaded only when it pays

        levels = nodes - np.array(self.census.floor)
        bases = self._begins[np.arange(nodes.shape[1]), levels]
        bases[nodes == np.array(source.levels)] = -1  # these fields stay as they are
        small = np.zeros(len(nodes), dtype=np.int64)
        (words,), counts = source.words, source.counts
        small_records(words, counts, self._shifts, self._masks, self._flat, bases, levels, k, limit, small)
        return small.tolist()

    def codes(self, words: Sequence[Words], column: int, level: int) -> npt.NDArray[np.integer]:
        """Give the group of a quasi-identifier for every word of a node at a level."""
        field = self._fields[column]
        code = (words[field.word] >> field.shift) & ((1 << field.bits) - 1)
        return np.take(self._groups[column][level - self.census.floor[column]], code)

    def classes(self, cells: Rolled) -> tuple[Rolled, npt.NDArray[np.intp]]:
        """Sort the cells of a node by class; also say where each class begins."""
        order = np.argsort(cells.words[0]) if len(cells.words) == 1 else np.lexsort(cells.words[::-1])
        ordered = Rolled(tuple(word[order] for word in cells.words), cells.counts[order], cells.levels)
        keys = [*ordered.words[:-1], ordered.words[-1] >> self._tail_bits]
        return ordered, _starts(keys)

    def tail(self, cells: Rolled) -> npt.NDArray[np.int64]:
        """Give for every cell the position in ``tails`` of its sensitive values and person."""
        return cells.words[-1] & ((1 << self._tail_bits) - 1)

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

    def _base(self, column: int, level: int) -> int:
        """Say where the table of a column and level begins."""
        return int(self._begins[column, level - self.census.floor[column]])

    def _merge(self, cells: Rolled) -> Rolled:
        """Add up the counts of equal words."""
        if not len(cells):
            return cells
        words, counts = cells.words, cells.counts
        spare = WORD_BITS - int(words[0].max()).bit_length()
        bits = int(counts.max()).bit_length()
        if len(words) == 1 and bits <= spare:  # a count rides along in the bits that are free
            both = np.sort((words[0] << bits) | counts)
            key = both >> bits
            starts = _starts([key])
            return Rolled((key[starts],), np.add.reduceat(both & ((1 << bits) - 1), starts), cells.levels)
        order = np.argsort(words[0]) if len(words) == 1 else np.lexsort(words[::-1])
        ordered = [word[order] for word in words]
        starts = _starts(ordered)
        return Rolled(tuple(word[starts] for word in ordered), np.add.reduceat(counts[order], starts), cells.levels)

    def _compiled(self, source: Rolled, target: Levels, moves: list[int]) -> Rolled:
        from incrowd.core._compiled import roll_words  # noqa: PLC0415 - numba is loaded only when it pays

        rolled, sums = np.empty(len(source), dtype=np.int64), np.empty(len(source), dtype=np.int64)
        slots = np.full(1 << max(8, (2 * len(source) - 1).bit_length()), -1, dtype=np.int32)
        shifts, masks = self._shifts[moves], self._masks[moves]
        bases = np.array([self._base(column, target[column]) for column in moves])
        known = roll_words(source.words[0], source.counts, shifts, masks, bases, self._flat, slots, rolled, sums)
        if known * 4 < len(source):  # do not keep a large array alive for a small result
            return Rolled((rolled[:known].copy(),), sums[:known].copy(), target)
        return Rolled((rolled[:known],), sums[:known], target)


def _groups(census: Census, name: str, floor: int) -> list[npt.NDArray[np.integer]]:
    """Give per level from the floor on the group of every code at the floor."""
    ladder = census.ladders[name]
    return [ladder.step(floor, level) for level in range(floor, ladder.height + 1)]


def _first(groups: npt.NDArray[np.integer]) -> Words:
    """Give for every code the first code of its group."""
    first = np.full(int(groups.max()) + 1 if len(groups) else 0, len(groups), dtype=np.int64)
    np.minimum.at(first, groups, np.arange(len(groups)))
    return np.asarray(first[groups], dtype=np.int64)


def _in_one(tables: list[list[Words]]) -> tuple[Words, npt.NDArray[np.int64]]:
    """Put the tables of all columns and levels into one; also say where each begins, by column and level."""
    begins = np.full((len(tables), max(map(len, tables))), -1, dtype=np.int64)
    place = 0
    for column, levels in enumerate(tables):
        for level, table in enumerate(levels):
            begins[column, level] = place
            place += len(table)
    return np.concatenate([table for levels in tables for table in levels]), begins


def _starts(keys: Sequence[Words]) -> npt.NDArray[np.intp]:
    """Say where runs of equal keys begin."""
    new = np.zeros(len(keys[0]), dtype=bool)
    new[:1] = True
    for key in keys:
        new[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(new)
