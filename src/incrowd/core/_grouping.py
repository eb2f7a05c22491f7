"""Grouping rows by the tuple of their codes: packed into machine words, then sorted or hashed, and counted.

Groups come in canonical order, that is sorted by the tuples. Chosen by measurement (``benchmarks/kernels.py``): rows
that are sorted already need one comparison each; short columns are sorted by NumPy; long ones go through a compiled
hash table, which is worth its loading time only there.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

# Several small codes in one machine word, in an order-preserving way.

WORD_BITS = 63

_BLOCK = 1 << 16

Ints = npt.NDArray[np.integer]
Words = npt.NDArray[np.int64]


def smallest_unsigned(cardinality: int) -> np.dtype[np.unsignedinteger]:
    """Give the smallest type that holds the codes ``0 … cardinality - 1``."""
    return np.min_scalar_type(max(cardinality - 1, 0))


@dataclass(frozen=True, slots=True)
class Field:
    """Where a column's code sits: in which word, how far from the right, how many bits wide."""

    word: int
    shift: int
    bits: int


@dataclass(frozen=True, slots=True)
class Packing:
    """Where the codes of every column sit."""

    fields: tuple[Field, ...]
    cardinalities: tuple[int, ...]

    @classmethod
    def of(cls, cardinalities: Sequence[int]) -> Packing:
        """Lay columns with so many codes each side by side, filling words from the left."""
        widths = [max(cardinality - 1, 0).bit_length() for cardinality in cardinalities]
        words: list[list[int]] = [[]]
        for width in widths:
            if sum(words[-1]) + width > WORD_BITS:
                words.append([])
            words[-1].append(width)
        fields = []
        for number, word in enumerate(words):
            rest = sum(word)
            for width in word:
                rest -= width
                fields.append(Field(number, rest, width))
        return cls(tuple(fields), tuple(cardinalities))

    @property
    def words(self) -> int:
        """How many words a tuple takes."""
        return 1 + max((field.word for field in self.fields), default=0)

    def pack(self, columns: Sequence[Ints]) -> list[Words]:
        """Put the codes of each row into words."""
        length = len(columns[0]) if columns else 0
        words: list[Words] = [np.zeros(length, dtype=np.int64) for _ in range(self.words)]
        for start in range(0, length, _BLOCK):  # in pieces that stay in the processor's cache
            rows = slice(start, start + _BLOCK)
            for field, column in zip(self.fields, columns, strict=True):
                words[field.word][rows] |= column[rows].astype(np.int64) << field.shift
        return words

    def tally(
        self, columns: Sequence[tuple[Ints, Ints]], counts: Ints | None = None, rows: Any = slice(None)
    ) -> tuple[list[Words], npt.NDArray[np.int64]]:
        """Count some rows as ``tally`` does: per column a table of codes, and for every row its place in the table."""
        words: list[Any] = [0] * self.words
        for (codes, places), field in zip(columns, self.fields, strict=True):
            words[field.word] += (codes.astype(np.int64) << field.shift).take(places[rows])  # half the time of an index
        return tally(words, counts)

    def in_order(self, columns: Sequence[Ints]) -> Sequence[Ints]:
        """Put rows into the order of their codes."""
        words = self.pack(columns)
        if len(words) == 1:
            return self.unpack([_sorted_words(words[0]).astype(np.int64)])  # equal rows need not be told apart
        order = _row_order(words)
        return [column[order] for column in columns]

    def unpack(self, words: Sequence[Words]) -> tuple[Ints, ...]:
        """Take the codes of each row out again, in the smallest types that fit."""
        length = len(words[0]) if words else 0
        columns = tuple(np.empty(length, dtype=smallest_unsigned(cardinality)) for cardinality in self.cardinalities)
        for start in range(0, length, _BLOCK):  # in pieces, as above
            rows = slice(start, start + _BLOCK)
            for field, column in zip(self.fields, columns, strict=True):
                column[rows] = (words[field.word][rows] >> field.shift) & ((1 << field.bits) - 1)
        return columns


HASH_FROM = 5_000_000
"""From so many unsorted rows on the compiled hash table pays for its start."""

ADD_FROM = 1 << 20
"""From so many rows on the compiled loop adds up several times as fast, but not so much that loading it pays."""

DENSE = 4
"""Words up to so many times their number are counted in a table."""

ADD_AT_ONCE = 1 << 16
"""So many rows are added up at once: what they take stays near the processor."""

SPLIT_FROM = 1 << 20
"""So many words are worth being sorted by two threads."""

ORDER_FROM, FEW_TIES = 1 << 16, 4
"""So many rows are ordered by their first word at first, and so where at most one in so many shares it."""


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """Rows with equal tuples, as group numbers in the order of the tuples."""

    ids: Ints  # the group of every row
    first: npt.NDArray[np.intp]  # for every group the position of one of its rows

    def __len__(self) -> int:
        return len(self.first)

    def sums(self, counts: Ints) -> npt.NDArray[np.int64]:
        """Add up a count per row within every group."""
        return add_up(self.ids, counts, len(self))

    def sizes(self) -> npt.NDArray[np.int64]:
        """Count the rows of every group."""
        return np.bincount(self.ids, minlength=len(self)).astype(np.int64)


def add_up(ids: Ints, counts: Ints, groups: int) -> npt.NDArray[np.int64]:
    """Add up a count per row by the number of its group, exactly."""
    if len(counts) >= ADD_FROM and "numba" in sys.modules and 0 <= ids.min() <= ids.max() < groups <= 2**32:
        return _add_up_many(ids, counts, groups)
    largest = int(counts.max()) if len(counts) else 0
    if counts.dtype.kind == "u" and groups * (largest + 1) <= len(counts):  # counting counts is faster than adding up
        sizes = np.bincount(ids.astype(np.intp) * (largest + 1) + counts, minlength=groups * (largest + 1))
        return np.asarray(sizes.reshape(groups, largest + 1) @ np.arange(largest + 1), dtype=np.int64)
    if largest * len(counts) >= 2**53:  # beyond what a float adds exactly
        totals = np.zeros(groups, dtype=np.int64)
        np.add.at(totals, ids, counts.astype(np.int64))  # NumPy adds unsigned to signed as floats
        return totals
    return np.bincount(ids, weights=counts, minlength=groups).astype(np.int64)


def _add_up_many(ids: Ints, counts: Ints, groups: int) -> npt.NDArray[np.int64]:
    """Add up in a compiled loop, some rows at a time: in one type for all, it is compiled once."""
    from incrowd.core.kernels import add_rows  # noqa: PLC0415 - it loads numba

    totals = np.zeros(groups, dtype=np.int64)
    for start in range(0, len(ids), ADD_AT_ONCE):
        some = slice(start, start + ADD_AT_ONCE)
        add_rows(ids[some].astype(np.uint32), counts[some].astype(np.int64), totals)
    return totals


def group(columns: Sequence[Ints], cardinalities: Sequence[int]) -> Grouping:
    """Group rows by the tuple of their codes, of which each column has so many; their product may exceed any word."""
    words = Packing.of(cardinalities).pack(columns)
    if _is_sorted(words):
        return _group_sorted_rows(words)
    grouping = _group_word(words[0])
    for word in words[1:]:  # rank the tuples step by step: what is known so far, then the next word
        other = _group_word(word)
        both = Packing.of([len(grouping), len(other)]).pack([grouping.ids, other.ids])
        grouping = _group_word(both[0])
    return grouping


def tally(words: Sequence[Words], counts: Ints | None = None) -> tuple[list[Words], npt.NDArray[np.int64]]:
    """Count equal tuples of packed codes; give the distinct ones in order, and how many there are of each.

    Every row counts once, or as often as ``counts`` says.
    """
    if len(words) == 1 and len(words[0]) and int(words[0].max()) < DENSE * len(words[0]):  # counted without sorting
        sizes = np.bincount(words[0])
        found = np.flatnonzero(sizes)
        return [found], (sizes if counts is None else add_up(words[0], counts, len(sizes)))[found]
    if counts is None and len(words) == 1:
        ordered = _sorted_words(words[0])
        new = np.empty(len(ordered), dtype=bool)
        new[:1] = True
        np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
        starts = np.flatnonzero(new)
        return [ordered[starts].astype(np.int64)], np.diff(np.append(starts, len(ordered)))
    order = _row_order(words)
    sorted_words = [word.take(order) for word in words]
    grouping = _group_sorted_rows(sorted_words)
    sums = grouping.sizes() if counts is None else grouping.sums(counts[order])
    return [word[grouping.first] for word in sorted_words], sums


def _row_order(words: Sequence[Words]) -> npt.NDArray[np.intp]:
    """Order rows by their words: by the first one, and by all of them only where that leaves many rows tied."""
    if len(words) == 1 or len(words[0]) < ORDER_FROM:
        return np.lexsort(words[::-1])
    order = np.argsort(words[0])
    first = words[0].take(order)
    same = first[1:] == first[:-1]
    tied = np.zeros(len(first), dtype=bool)
    tied[1:] = same
    tied[:-1] |= same
    places = np.flatnonzero(tied)
    if FEW_TIES * len(places) > len(first):
        return np.lexsort(words[::-1])
    some = order[places]  # ties stand beside each other, in the places that are theirs together
    order[places] = some[np.lexsort([word.take(some) for word in words[::-1]])]
    return order


def _sorted_words(word: Words) -> Ints:
    """Sort words, in half the time where they are short, and by two threads where they are many."""
    short = len(word) > 0 and int(word.max()) < 2**32
    some: Ints = word.astype(np.uint32) if short else word
    if len(some) < SPLIT_FROM:
        return np.sort(some)
    middle = len(some) // 2
    ordered = np.partition(some, middle)  # the smaller half first
    with ThreadPoolExecutor(max_workers=1) as beside:
        other = beside.submit(ordered[middle:].sort)
        ordered[:middle].sort()
        other.result()
    return ordered


def _is_sorted(words: Sequence[Words]) -> bool:
    """Whether the tuples ascend."""
    tied = np.ones(max(len(words[0]) - 1, 0), dtype=bool)
    for word in words:
        low, high = word[:-1], word[1:]
        if (tied & (low > high)).any():
            return False
        tied &= low == high
    return True


def _group_sorted_rows(words: Sequence[Words]) -> Grouping:
    starts = np.zeros(len(words[0]), dtype=bool)
    starts[:1] = True
    for word in words:
        starts[1:] |= word[1:] != word[:-1]
    first = np.flatnonzero(starts)
    starts[:1] = False  # the first group has the number 0
    return Grouping(np.cumsum(starts, dtype=smallest_unsigned(len(first))), first)


def _group_word(word: Words) -> Grouping:
    if HASH_FROM <= len(word) < 2**31:  # the hash table numbers rows in 32 bits
        from incrowd.core.kernels import hash_rows  # noqa: PLC0415 - numba is loaded only when it pays

        ids, first = hash_rows(word)
        order = np.argsort(word[first])
        rank = np.empty(len(first), dtype=smallest_unsigned(len(first)))
        rank[order] = np.arange(len(first))
        return Grouping(rank[ids], first[order])
    order = np.argsort(word)
    grouped = _group_sorted_rows([word[order]])
    ids = np.empty_like(grouped.ids)
    ids[order] = grouped.ids
    return Grouping(ids, order[grouped.first])


# One line of records that is parted in two ways.

Counts = npt.NDArray[np.int64]


def overlay(one: npt.NDArray[np.integer], other: npt.NDArray[np.integer]) -> tuple[Counts, Counts, Counts]:
    """Cut a line of records wherever a part of it ends, in two ways to part it, given how many records each part has.

    Gives for every piece the part of the one way, the part of the other way, and how many records it has.
    """
    ends = [np.cumsum(counts, dtype=np.int64) for counts in (one, other)]
    cuts = np.union1d(*ends)
    starts = np.concatenate(([0], cuts))[:-1]
    first, second = (np.searchsorted(end, starts, side="right") for end in ends)
    return first, second, cuts - starts
