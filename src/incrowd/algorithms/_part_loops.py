"""Loops over very many cells that two threads share, compiled by numba.

First each thread numbers half of the words. Then each adds up half of the numbers: a bit of the hash says which half a
number belongs to, so the two have nothing in common. The first half fills its results from the beginning, the second
from the end; together they are never more than the words.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from incrowd.algorithms._loops import MIX, number_classes
from incrowd.core._compiled import compiled

Words = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]

NEAR = 256
"""So many numbers are looked up together."""


@compiled
def number_cells(words: Words, fields: Words, firsts: Words, node: Words, tail: int, numbers: Words) -> None:
    """Give every word what it becomes at a node.

    Parameters
    ----------
    words, fields, node, numbers
        As in ``number_classes``.
    firsts, tail
        As in ``roll_words``.
    """
    number_classes(words, fields, firsts, node, numbers)
    for row in range(len(words)):
        numbers[row] |= words[row] & tail


@compiled
def _look_up(  # noqa: PLR0913, PLR0917 - plain arrays are what compiles fast
    numbers: Words,
    mask: int,
    half: np.uint64,
    slots: Slots,
    bits: int,
    found: Words,
    rows: Slots,
    groups: Slots,
    same: Words,
) -> int:
    """List the rows of a half and what stands in the slots where each belongs; give how many rows there are.

    Nothing here waits for anything else: the processor fetches many slots at the same time.
    """
    count, down, last = 0, np.uint64(63 - bits), (1 << bits) - 1
    for row in range(len(numbers)):
        mixed = np.uint64(numbers[row] & mask) * MIX
        rows[count] = row
        groups[count] = np.int64(mixed >> down) & last
        count += int((mixed >> np.uint64(63)) == half)
    for place in range(count):
        groups[place] = slots[groups[place]]
    for place in range(count):
        same[place] = found[max(groups[place], 0)]
    return count


@compiled
def add_half(  # noqa: PLR0913, PLR0917 - plain arrays are what compiles fast
    numbers: Words,
    counts: Words,
    mask: int,
    second: bool,  # noqa: FBT001
    slots: Slots,
    found: Words,
    sums: Words,
    times: Words,
) -> int:
    """Add up the counts of equal numbers, for half of the numbers; give how many different ones there are.

    Parameters
    ----------
    numbers, counts
        Numbers, and how much each counts.
    mask
        The bits that are looked at.
    second
        Which half.
    slots
        Room for a hash table: a power of two, longer than the numbers.
    found, sums
        As long as the numbers; filled with those found and the sums of their counts, the second half from the end.
    times
        Filled with how often each occurs, or empty if nobody asks.
    """
    slots[:] = -1
    bits = 0
    while (1 << bits) < len(slots):
        bits += 1
    down, last = np.uint64(63 - bits), len(slots) - 1  # the highest bit of the hash says which half
    at, step = (len(numbers) - 1, -1) if second else (0, 1)
    known, asked = 0, len(times) > 0
    rows, groups, same = np.empty(NEAR + 1, np.int32), np.empty(NEAR + 1, np.int32), np.empty(NEAR, np.int64)
    for begin in range(0, len(numbers), NEAR):
        some = numbers[begin : begin + NEAR]
        for place in range(_look_up(some, mask, np.uint64(second), slots, bits, found, rows, groups, same)):
            number, group = some[rows[place]] & mask, groups[place]
            if group < 0 or same[place] != number:
                slot = np.int64((np.uint64(number) * MIX) >> down) & last
                while slots[slot] >= 0 and found[slots[slot]] != number:
                    slot = (slot + 1) & last
                group = slots[slot]
                if group < 0:
                    slots[slot] = group = np.int32(at)
                    found[at] = number
                    sums[at] = 0
                    if asked:
                        times[at] = 0
                    at += step
                    known += 1
            sums[group] += counts[begin + rows[place]]
            if asked:
                times[group] += 1
    return known
