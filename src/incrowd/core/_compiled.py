"""Hot loops compiled by numba. Imported only where a column is long enough to pay for it.

Where the package lies in a read-only place and there is no home to cache in, each process compiles them anew.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]


def _compile(function: Callable[..., Any]) -> Callable[..., Any]:
    try:
        return numba.njit(cache=True)(function)
    except RuntimeError:  # "no locator available": nowhere to cache
        compiled: Callable[..., Any] = numba.njit(function)
        return compiled


@_compile
def _fill(words: Words, slots: Slots, ids: Slots, first: Slots, start: int, known: int) -> tuple[int, int]:
    """Enter rows from ``start`` on until the table is half full; give the next row and the number of groups."""
    mask = len(slots) - 1
    half = len(slots) // 2
    for row in range(start, len(words)):
        word = words[row]
        mixed = word ^ (word >> 31)
        mixed = (mixed * 0x9E3779B97F4A7C1) & 0x7FFFFFFFFFFFFFFF
        slot = (mixed >> 20) & mask
        while True:
            group = slots[slot]
            if group < 0:
                if known >= half:
                    return row, known
                slots[slot] = known
                first[known] = row
                ids[row] = known
                known += 1
                break
            if words[first[group]] == word:
                ids[row] = group
                break
            slot = (slot + 1) & mask
    return len(words), known


@_compile
def _rehash(words: Words, slots: Slots, first: Slots, known: int) -> None:
    """Enter the known groups into a larger table."""
    mask = len(slots) - 1
    for group in range(known):
        word = words[first[group]]
        mixed = word ^ (word >> 31)
        mixed = (mixed * 0x9E3779B97F4A7C1) & 0x7FFFFFFFFFFFFFFF
        slot = (mixed >> 20) & mask
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = group


def hash_rows(words: Words) -> tuple[Slots, npt.NDArray[np.intp]]:
    """Renumber equal words in the order of their first appearance; also give those first rows."""
    ids = np.empty(len(words), dtype=np.int32)
    first = np.empty(len(words), dtype=np.int32)
    slots = np.full(1 << 16, -1, dtype=np.int32)
    row, known = _fill(words, slots, ids, first, 0, 0)
    while row < len(words):  # half full: go on in a table four times the size
        slots = np.full(len(slots) * 4, -1, dtype=np.int32)
        _rehash(words, slots, first, known)
        row, known = _fill(words, slots, ids, first, row, known)
    return ids, first[:known].astype(np.intp)


@_compile
def roll_words(  # noqa: PLR0913, PLR0917 - plain arrays are what compiles fast
    words: Words,
    counts: Words,
    shifts: Words,
    masks: Words,
    bases: Words,
    tables: Words,
    slots: Slots,
    rolled: Words,
    sums: Words,
) -> int:
    """Replace some fields of every word by what a table says, and add up the counts of equal words.

    Parameters
    ----------
    words, counts
        Packed codes, and how often each occurs.
    shifts, masks, bases
        Per field that changes: where it sits, and where its table begins in ``tables``.
    tables
        For every code of these fields the new code, one table after the other.
    slots
        An empty hash table: -1 everywhere, its length a power of two above the number of words.
    rolled, sums
        Filled with the new words and their counts.
    """
    for row in range(len(words)):  # all words first: the processor looks ahead in such a loop
        word = words[row]
        new = word
        for field in range(len(shifts)):
            code = (word >> shifts[field]) & masks[field]
            new += (tables[bases[field] + code] - code) << shifts[field]
        rolled[row] = new
    mask = len(slots) - 1
    known = 0
    for row in range(len(words)):
        word = rolled[row]
        mixed = word ^ (word >> 31)
        mixed = (mixed * 0x9E3779B97F4A7C1) & 0x7FFFFFFFFFFFFFFF
        slot = (mixed >> 20) & mask
        while True:
            group = slots[slot]
            if group < 0:
                slots[slot] = known
                rolled[known] = word
                sums[known] = counts[row]
                known += 1
                break
            if rolled[group] == word:
                sums[group] += counts[row]
                break
            slot = (slot + 1) & mask
    return known


@_compile
def small_records(  # noqa: PLR0913, PLR0917 - plain arrays are what compiles fast
    words: Words,
    counts: Words,
    shifts: Words,
    masks: Words,
    tables: Words,
    bases: Words,
    levels: Words,
    k: int,
    limit: int,
    small: Words,
) -> None:
    """Count for several nodes, one after the other, the records in classes smaller than k.

    Parameters
    ----------
    words, counts
        Packed codes, and how often each occurs.
    shifts, masks
        Where each field sits.
    tables
        For every field and level the new code of every code, one table after the other.
    bases
        Per node and field where its table begins; -1 where the field stays as it is.
    levels
        Per node and field its level. A node below an earlier one that has more than ``limit`` is passed over: it has as
        many or more.
    k, limit
        The least size of a class, and how many records may be in smaller ones.
    small
        Filled with the counts.
    """
    bits = 1
    while (1 << bits) < 2 * len(words):
        bits += 1
    table = np.full(2 << bits, -1, dtype=np.int64)
    rolled = np.empty(len(words), dtype=np.int64)
    used = np.empty(len(words), dtype=np.int32)
    for node in range(len(bases)):
        small[node] = -1
        for other in range(node):
            if small[other] > limit and (levels[node] <= levels[other]).all():
                small[node] = small[other]
                break
        if small[node] < 0:
            _replace_fields(words, shifts, masks, tables, bases[node], rolled)
            small[node] = _count_small(rolled, counts, k, table, used, bits)


@_compile
def _replace_fields(words: Words, shifts: Words, masks: Words, tables: Words, bases: Words, rolled: Words) -> None:
    """Replace fields of every word by what a table says, field by field."""
    for row in range(len(words)):
        rolled[row] = words[row]
    for field in range(len(shifts)):
        base, shift, mask = bases[field], shifts[field], masks[field]
        if base >= 0:
            for row in range(len(words)):
                code = (words[row] >> shift) & mask
                rolled[row] += (tables[base + code] - code) << shift


@_compile
def _count_small(words: Words, counts: Words, k: int, table: Words, used: Slots, bits: int) -> int:
    """Count the records in classes smaller than k; the table is empty before and after.

    A word and its count lie side by side in the table, so that one look into memory finds both.
    """
    mask = (1 << bits) - 1
    down = np.uint64(64 - bits)
    known = 0
    for row in range(len(words)):
        word = words[row]
        slot = np.int64((np.uint64(word) * np.uint64(0x9E3779B97F4A7C15)) >> down)
        while True:
            key = table[2 * slot]
            if key == word:
                table[2 * slot + 1] += counts[row]
                break
            if key < 0:
                table[2 * slot] = word
                table[2 * slot + 1] = counts[row]
                used[known] = slot
                known += 1
                break
            slot = (slot + 1) & mask
    total = 0
    for place in range(known):
        slot = used[place]
        table[2 * slot] = -1
        if table[2 * slot + 1] < k:
            total += table[2 * slot + 1]
    return total


@_compile
def count_pairs(one: Slots, two: Slots, counts: Floats, table: Floats) -> Floats:
    """Add up how often two codes occur together."""
    for row in range(len(one)):
        table[one[row], two[row]] += counts[row]
    return table
