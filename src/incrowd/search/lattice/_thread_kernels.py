"""Compiled loops that roll up and count very many cells with two threads.

Both halves are always counted, by however many processors there are, so the result is the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from incrowd.core.kernels import compiled
from incrowd.search._problem import Counts
from incrowd.search.lattice._cell_kernels import MIX, Room, Slots, WordLayout, Words, number_classes

NEAR = 256  # so many numbers are looked up together


@compiled
def number_cells(words: Words, fields: Words, firsts: Words, node: Words, tail: int, numbers: Words) -> None:
    number_classes(words, fields, firsts, node, numbers)
    for row in range(len(words)):
        numbers[row] |= words[row] & tail


@compiled
def _hash_shift(slots: Slots) -> np.uint64:
    """Say how far a hash is moved to be the place of a slot; its highest bit says which half."""
    bits = 0
    while (1 << bits) < len(slots):
        bits += 1
    return np.uint64(63 - bits)


@compiled
def _look_up(
    numbers: Words, mask: int, half: np.uint64, slots: Slots, found: Words, near: tuple[Slots, Slots, Words]
) -> int:
    """List the rows of a half and what stands in the slots where each belongs; give how many rows there are."""
    # Nothing here waits for anything else: the processor fetches many slots at the same time.
    rows, groups, same = near
    count, down, last = 0, _hash_shift(slots), len(slots) - 1
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
def add_half(
    numbers: Words, counts: Counts, mask: int, second: int, slots: Slots, found: Words, sums: Counts, times: Counts
) -> int:
    """Add up the counts of equal numbers, for half of the numbers; give how many different ones there are."""
    # `slots` is room for a hash table: a power of two, longer than the numbers. `found` and `sums` are filled, the
    # second half from the end; `times` too, with how often each occurs, unless it is empty.
    slots[:] = -1
    down, last = _hash_shift(slots), len(slots) - 1
    at, step = (len(numbers) - 1, -1) if second else (0, 1)
    known, asked = 0, len(times) > 0
    near = np.empty(NEAR + 1, np.int32), np.empty(NEAR + 1, np.int32), np.empty(NEAR, np.int64)
    rows, groups, same = near
    for begin in range(0, len(numbers), NEAR):
        some = numbers[begin : begin + NEAR]
        for place in range(_look_up(some, mask, np.uint64(second), slots, found, near)):
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


def roll_up(
    words: Words, counts: Counts, layout: WordLayout, levels: Words, tail: int, room: Room
) -> tuple[Words, Counts]:
    node = np.stack([layout.ladders[0, np.arange(len(levels)), levels], 1 << layout.fields[0]])
    numbers, middle = room.numbers[: len(words)], len(words) // 2

    def number(second: int) -> None:
        part = slice(middle, None) if second else slice(middle)
        number_cells(words[part], layout.fields, layout.firsts, node, tail, numbers[part])

    _run_both(number)
    rolled, sums = _half_sums(numbers, counts, -1, room.slots)[:2]
    return rolled, sums


def count_classes(cells: Words, counts: Counts, tail: int, slots: Slots) -> tuple[Words, Counts, Counts]:
    """Give the word of every class, its records, and how many cells it has, which the bits of ``tail`` tell apart."""
    # `slots`: a power of two, more than twice as long as the cells.
    return _half_sums(cells, counts, ~tail, slots, times=len(cells))


def _half_sums(numbers: Words, counts: Counts, mask: int, slots: Slots, times: int = 0) -> tuple[Words, Counts, Counts]:
    size = 1 << len(numbers).bit_length()
    found, sums, often = (np.empty(length, dtype=np.int64) for length in (len(numbers), len(numbers), times))

    def add(second: int) -> int:
        part = slots[size * second : size * (second + 1)]
        return int(add_half(numbers, counts, mask, second, part, found, sums, often))

    first, second = _run_both(add)
    return _join_ends(found, first, second), _join_ends(sums, first, second), _join_ends(often, first, second)


def _run_both(work: Callable[[int], int | None]) -> tuple[int, int]:
    with ThreadPoolExecutor(max_workers=1) as beside:
        other = beside.submit(work, 1)
        return work(0) or 0, other.result() or 0


def _join_ends(array: Words, first: int, second: int) -> Words:
    """Put what stands at the end beside what stands at the beginning; a small result keeps no large array alive."""
    if not len(array):
        return array
    known = first + second
    array[first:known] = array[len(array) - second :]
    return array[:known].copy() if known * 4 < len(array) else array[:known]
