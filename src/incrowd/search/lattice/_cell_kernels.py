"""Compiled loops over the packed words of cells: rolling up, small classes, classes that break a promise.

At a node every class has a number: the sum over all fields of what a table says about the code there, times a scale.
Neighbouring fields share one table of all their combinations, where that is shorter than the list of cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from incrowd.core import Field
from incrowd.core.kernels import compiled
from incrowd.search._problem import Bools, Counts, Floats, Ints

Words = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]
SHARED_BITS = 11  # neighbouring fields of so many bits together share a table
SHARED, BLOCK = 1 << 11, 1 << 12
"""Tables of combinations are not longer than this, and so many words are numbered at a time: they stay near."""
MIX = np.uint64(0x9E3779B97F4A7C15)
"""Spreads the bits of a word over all bits: an odd number near 2 ** 64 over the golden ratio."""


class Room(NamedTuple):
    """Where loops work, each as long as the words or longer."""

    numbers: Words
    found: Words
    slots: Slots  # a hash table
    sums: Counts  # 0 everywhere


class WordLayout(NamedTuple):
    """What the loops know about words."""

    # `fields`: per field where it sits, its mask, how many codes it has, and the first of the neighbours that share a
    # table. `firsts` and `groups`: for every field and level the first code of the group of every code, and the group
    # itself; one table after the other. `ladders`: per field and level where its table begins, and how many groups it
    # has.
    fields: Words
    firsts: Words
    groups: Words
    ladders: Words

    @classmethod
    def of(cls, fields: Sequence[Field], firsts: list[list[Words]], groups: list[list[Ints]]) -> WordLayout:
        ladders = np.zeros((2, len(groups), max(map(len, groups))), dtype=np.int64)
        place = bits = first = 0
        neighbours = []
        for field, levels in enumerate(groups):
            for level, table in enumerate(levels):
                ladders[:, field, level] = place, int(table.max(initial=0)) + 1
                place += len(table)
            bits += fields[field].bits
            if bits > SHARED_BITS:
                first, bits = field, fields[field].bits
            neighbours.append(first)
        known = [
            [field.shift for field in fields],
            [(1 << field.bits) - 1 for field in fields],
            [len(levels[0]) for levels in groups],
            neighbours,
        ]
        flat = (np.concatenate([table for levels in tables for table in levels]) for tables in (firsts, groups))
        first_codes, group = (table.astype(np.int64) for table in flat)
        return cls(np.array(known, dtype=np.int64), first_codes, group, ladders)


@compiled
def _fill_shared(first: int, last: int, fields: Words, tables: Words, node: Words, shared: Words) -> None:
    """Fill a table with the numbers of all combinations of codes of neighbouring fields."""
    shared[0] = 0
    for field in range(first, last + 1):
        shared[0] += tables[node[0, field]] * node[1, field]
    for field in range(last, first - 1, -1):
        shift, base = fields[0, field] - fields[0, last], node[0, field]
        for code in range(1, fields[2, field]):
            more = (tables[base + code] - tables[base]) * node[1, field]
            for place in range(1 << shift):
                shared[(code << shift) + place] = shared[place] + more


@compiled
def _add_numbers(
    words: Words,
    new: bool,
    neighbours: tuple[int, int],
    fields: Words,
    tables: Words,
    node: Words,
    shared: Words,
    numbers: Words,
) -> None:
    """Add what neighbouring fields contribute; the table that they share is filled if it is new."""
    first, last = neighbours
    low = fields[0, last]
    above = fields[0, first] - low
    mask = (fields[1, first] << above) | ((1 << above) - 1)
    if mask < len(shared):
        if new:
            _fill_shared(first, last, fields, tables, node, shared)
        for row in range(len(words)):
            numbers[row] += shared[(words[row] >> low) & mask]
        return
    for field in range(first, last + 1):
        base, scale, shift, mask = node[0, field], node[1, field], fields[0, field], fields[1, field]
        for row in range(len(words)):
            numbers[row] += tables[base + ((words[row] >> shift) & mask)] * scale


@compiled
def number_classes(words: Words, fields: Words, tables: Words, node: Words, numbers: Words) -> None:
    # `node`: per field where its table begins, and what its entries are multiplied by.
    count = fields.shape[1]
    shared = np.empty((count, min(len(words), SHARED)), dtype=np.int64)
    for begin in range(0, len(words), BLOCK):
        some, result = words[begin : begin + BLOCK], numbers[begin : begin + BLOCK]
        for row in range(len(some)):
            result[row] = 0
        for field in range(count):
            first = fields[3, field]
            if field + 1 == count or fields[3, field + 1] != first:
                _add_numbers(some, begin == 0, (first, field), fields, tables, node, shared[first], result)


@compiled
def place_classes(levels: Words, fields: Words, ladders: Words, room: int, node: Words) -> int:
    """Choose scales so that numbers of classes stay below a size, and give it; 0 if there is no room for so many."""
    size = 1
    for field in range(len(levels)):
        node[0, field] = ladders[0, field, levels[field]]
        node[1, field] = size
        size = min(size * ladders[1, field, levels[field]], room + 1)
    if size <= room:
        return size
    for field in range(len(levels)):  # as in the words themselves
        node[1, field] = 1 << fields[0, field]
    return 0


@compiled
def renumber(numbers: Words, counts: Words, room: Slots, found: Words, sums: Words) -> int:
    """Replace numbers by consecutive ones, list those found, add up their counts, and give how many there are."""
    # `room` is for a hash table: a power of two, at least twice as long as the numbers.
    bits = 1
    while (1 << bits) < 2 * len(numbers):
        bits += 1
    slots = room[: 1 << bits]
    slots[:] = -1
    mask, down = (1 << bits) - 1, np.uint64(64 - bits)
    known = 0
    for row in range(len(numbers)):
        number = numbers[row]
        slot = np.int64((np.uint64(number) * MIX) >> down)
        while True:
            group = slots[slot]
            if group < 0:
                slots[slot] = numbers[row] = known
                found[known] = number
                sums[known] = counts[row]
                known += 1
                break
            if found[group] == number:
                numbers[row] = group
                sums[group] += counts[row]
                break
            slot = (slot + 1) & mask
    return known


@compiled
def roll_words(
    words: Words, counts: Counts, layout: WordLayout, levels: Words, tail: int, room: Room, rolled: Words, sums: Counts
) -> int:
    """Roll words up to a node and add up the counts of equal ones; give how many there are."""
    # The bits of `tail` stay as they are. `rolled` and `sums` are filled.
    node = np.empty((2, len(levels)), dtype=np.int64)
    for field in range(len(levels)):
        node[0, field] = layout.ladders[0, field, levels[field]]
        node[1, field] = 1 << layout.fields[0, field]
    numbers = room.numbers[: len(words)]
    number_classes(words, layout.fields, layout.firsts, node, numbers)
    if tail:
        for row in range(len(words)):
            numbers[row] |= words[row] & tail
    return int(renumber(numbers, counts, room.slots, rolled, sums))


@compiled
def is_below(nodes: Words, one: int, other: int) -> bool:
    for field in range(nodes.shape[1]):  # noqa: SIM110 - a generator does not compile
        if nodes[one, field] > nodes[other, field]:
            return False
    return True


@compiled
def _empty_small(table: Words, k: int) -> tuple[int, float, int]:
    """Count the records of classes smaller than k, and empty the table of their sizes."""
    # Also give of all other classes the squares of their sizes, and how many there are.
    total, squares, large = 0, 0.0, 0
    for number in range(len(table)):
        size = table[number]
        if size < k:
            total += size
        else:
            squares += float(size) * size
            large += 1
        table[number] = 0
    return total, squares, large


@compiled
def small_records(
    words: Words,
    counts: Counts,
    layout: WordLayout,
    nodes: Words,
    k: int,
    limit: int,
    room: Room,
    small: Counts,
    large: Floats,
) -> None:
    """Count for several nodes, one after the other, the records in classes smaller than k."""
    # A node below an earlier one that has more than `limit` is passed over: it has as many or more. Two rows of `large`
    # are for the squares and the number of the other classes; -1 where a node is passed over.
    fields, groups, ladders = layout.fields, layout.groups, layout.ladders
    numbers, found, slots, table = room
    numbers = numbers[: len(words)]
    node = np.empty((2, nodes.shape[1]), dtype=np.int64)
    for place in range(len(nodes)):
        small[place] = -1
        large[0, place] = large[1, place] = -1
        for other in range(place):
            if small[other] > limit and is_below(nodes, place, other):
                small[place] = small[other]
                break
        if small[place] < 0:
            size = place_classes(nodes[place], fields, ladders, len(table), node)
            number_classes(words, fields, groups, node, numbers)
            if size == 0:
                size = renumber(numbers, counts, slots, found, table)
            else:
                for row in range(len(words)):
                    table[numbers[row]] += counts[row]
            small[place], large[0, place], large[1, place] = _empty_small(table[:size], k)


@compiled
def count_groups(words: Words, sizes: Words, ok: Bools, fields: Words, groups: Words, node: Words, kept: Words) -> None:
    """Count the records of every group of every field; ``node`` says where its table and its counts begin."""
    for field in range(len(fields[0])):
        shift, mask, base, begin = fields[0, field], fields[1, field], node[0, field], node[1, field]
        for row in range(len(words)):
            if ok[row]:
                kept[begin + groups[base + ((words[row] >> shift) & mask)]] += sizes[row]


# A loop that judges classes by their sizes and by the values of one sensitive column, compiled by numba.


@compiled
def _count_left_out(table: Words, reference: Words, needs: Words) -> int:
    """Count the records of classes that lack what they need; ``table`` has a row of counts by value for each."""
    whole = result = 0
    for count in reference:
        whole += count
    for row in range(len(table)):
        size = values = covered = extra = 0
        for value in range(len(reference)):
            if table[row, value]:
                size += table[row, value]
                values += value < needs[6]
                covered += reference[value]
        if size < needs[0] or values < needs[1] or covered * needs[3] < needs[2] * whole:
            result += size
        elif needs[4] < needs[5]:
            for value in range(len(reference)):
                extra += max(table[row, value] * whole - reference[value] * size, 0)
            result += size if extra * needs[5] > needs[4] * size * whole else 0
    return result


class ValueNeeds(NamedTuple):
    """What classes need, where sizes and the values of one sensitive column, which is the tail of a word, decide."""

    # `needs` has a row for what prunes, and one for the whole promise: the least size, the least number of values, the
    # least share of the whole table that they make up, and the largest distance to it, both as fractions, above and
    # below the bar; then how many values, from the first on, count as different ones: all, or all but the missing one.
    # `reference`: how often each value occurs in the whole table.
    needs: Counts
    reference: Counts


@compiled
def judge_nodes(
    words: Words,
    counts: Counts,
    layout: WordLayout,
    nodes: Words,
    tail: int,
    room: Room,
    wanted: ValueNeeds,
    limit: int,
    left_out: Counts,
) -> None:
    """Count for several nodes, one after the other, the records in classes that break a promise."""
    # A node below an earlier one where what prunes leaves out too much is passed over. The two rows of `left_out` are
    # those of `wanted.needs`.
    fields, groups, ladders = layout.fields, layout.groups, layout.ladders
    needs, reference = wanted
    numbers, found, slots, sums = room
    numbers = numbers[: len(words)]
    node = np.empty((2, nodes.shape[1]), dtype=np.int64)
    for place in range(len(nodes)):
        left_out[0, place] = -1
        for other in range(place):
            if left_out[0, other] > limit and is_below(nodes, place, other):
                left_out[0, place], left_out[1, place] = left_out[0, other], left_out[1, other]
                break
        if left_out[0, place] < 0:
            size = place_classes(nodes[place], fields, ladders, len(words), node)
            number_classes(words, fields, groups, node, numbers)
            if size == 0:
                size = renumber(numbers, counts, slots, found, sums)
                for number in range(size):
                    sums[number] = 0
            table = np.zeros((size, len(reference)), dtype=np.int64)
            for row in range(len(words)):
                table[numbers[row], words[row] & tail] += counts[row]
            left_out[0, place] = _count_left_out(table, reference, needs[0])
            left_out[1, place] = left_out[0, place]
            if left_out[0, place] <= limit:
                left_out[1, place] = _count_left_out(table, reference, needs[1])
