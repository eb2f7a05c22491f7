"""Compiled loops over the nodes of a box and over pairs of columns: bounds raised, small pairs counted."""

from __future__ import annotations

import numpy as np

from incrowd.core.kernels import compiled
from incrowd.search._problem import Counts, Floats, Ints


@compiled
def raise_below(bounds: Counts, shape: Counts, tops: Counts, least: Counts) -> None:
    """Raise the bounds of nodes, and of all nodes below each of them, to what is known."""
    # `tops`: per node and axis a level above the lowest of the box, or -1 if there is nothing of the box below it.
    strides = np.empty(len(shape), dtype=np.int64)
    place, top = np.zeros(len(shape), dtype=np.int64), np.zeros(len(shape), dtype=np.int64)
    strides[-1] = 1
    for axis in range(len(shape) - 1, 0, -1):
        strides[axis - 1] = strides[axis] * shape[axis]
    for number in range(len(tops)):
        inner, axis = 0, 0
        for one in range(len(shape)):
            top[one] = min(tops[number, one], shape[one] - 1)
            inner = one if top[one] < shape[one] - 1 else inner
            axis = -1 if top[one] < 0 else axis
        run = (top[inner] + 1) * strides[inner]  # so many nodes lie side by side
        begin = 0
        while axis >= 0:
            for node in range(begin, begin + run):
                bounds[node] = max(bounds[node], least[number])
            axis = inner - 1
            while axis >= 0 and place[axis] == top[axis]:
                begin -= place[axis] * strides[axis]
                place[axis] = 0
                axis -= 1
            if axis >= 0:
                place[axis] += 1
                begin += strides[axis]


@compiled
def least_parts(levels: Ints, buckets: Counts, strides: Counts, tables: Floats, parts: Floats) -> None:
    # `buckets`: per node what it leaves out at least, in steps. `strides`: per table where it begins in `tables`, and
    # how far a level of each axis goes in it.
    for node in range(len(buckets)):
        for table in range(len(strides)):
            place = strides[table, 0] + buckets[node]
            for axis in range(len(levels)):
                place += strides[table, axis + 1] * levels[axis, node]
            parts[node] = tables[place] if table == 0 else parts[node] + tables[place]


@compiled
def _count_pair(words: Counts, counts: Counts, fields: Counts, columns: int, table: Counts) -> None:
    high, low, rows, mask, size = fields[0, 0], fields[0, 1], fields[1, 0], fields[1, 1], len(table)
    tables = np.zeros(4 * size, dtype=np.int64)  # four of them: the processor need not wait for the last sum
    rest = len(words) % 4
    for row in range(rest):
        tables[((words[row] >> high) & rows) * columns + ((words[row] >> low) & mask)] += counts[row]
    for row in range(rest, len(words), 4):
        for turn in range(4):
            word = words[row + turn]
            place = turn * size + ((word >> high) & rows) * columns + ((word >> low) & mask)
            tables[np.uint64(place)] += counts[row + turn]
    for place in range(size):
        table[place] = tables[place] + tables[place + size] + tables[place + 2 * size] + tables[place + 3 * size]


@compiled
def small_pairs(
    words: Counts, counts: Counts, fields: Counts, groups: Counts, ladders: Counts, k: int, small: Counts
) -> None:
    """Count for every two levels of two fields the records in classes smaller than k."""
    # `fields`, `groups` and `ladders` are those of the two fields, as in `Layout`.
    rows, columns = ladders[1, 0, 0], ladders[1, 1, 0]
    table, both = np.empty(rows * columns, dtype=np.int64), np.empty(rows * columns, dtype=np.int64)
    _count_pair(words, counts, fields, columns, table)
    for low in range(small.shape[0]):
        for high in range(small.shape[1]):
            width = ladders[1, 1, high]
            for place in range(ladders[1, 0, low] * width):
                both[place] = 0
            for row in range(rows):
                begin = groups[ladders[0, 0, low] + row] * width
                for column in range(columns):
                    both[begin + groups[ladders[0, 1, high] + column]] += table[row * columns + column]
            for place in range(ladders[1, 0, low] * width):
                small[low, high] += both[place] if both[place] < k else 0
            if small[low, high] == 0:  # nor is there anything at higher levels
                break
        if small[low, 0] == 0:
            break


@compiled
def bound_by_pairs(shape: Counts, lows: Counts, tables: Counts, begins: Counts, bounds: Counts) -> None:
    """Bound what the nodes of a box leave out by what pairs of axes leave out."""
    # `begins`: for every two axes where their table begins in `tables`, or -1; in a last row how many levels each axis
    # has there.
    place = np.zeros(len(shape), dtype=np.int64)
    size = 1
    bounds[0] = 0
    for axis in range(len(shape)):  # nodes of the first axes become those of one axis more, the last one first
        for one in range(axis):
            place[one] = shape[one] - 1
        for node in range(size - 1, -1, -1):
            known = bounds[node]
            for level in range(shape[axis] - 1, -1, -1):
                bound = known
                for one in range(axis):
                    if begins[one, axis] >= 0:
                        row = begins[one, axis] + (lows[one] + place[one]) * begins[-1, axis]
                        bound = max(bound, tables[row + lows[axis] + level])
                bounds[node * shape[axis] + level] = bound
            step = axis - 1
            while step >= 0 and place[step] == 0:
                place[step] = shape[step] - 1
                step -= 1
            if step >= 0:
                place[step] -= 1
        size *= shape[axis]
