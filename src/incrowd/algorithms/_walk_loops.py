"""Loops over the nodes of a box and over pairs of columns, compiled by numba."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from incrowd.core._compiled import compiled

Words = npt.NDArray[np.int64]
Rows = npt.NDArray[np.integer]
Floats = npt.NDArray[np.float64]


@compiled
def raise_below(bounds: Words, shape: Words, tops: Words, least: Words) -> None:
    """Raise the bounds of nodes, and of all nodes below each of them, to what is known.

    Parameters
    ----------
    bounds
        The bound of every node of a box, in the order of their levels.
    shape
        How many levels every axis has.
    tops
        The nodes: per axis a level above the lowest of the box, or -1 if there is nothing of the box below it.
    least
        What is known of each.
    """
    strides, place = np.ones(len(shape), dtype=np.int64), np.zeros(len(shape), dtype=np.int64)
    for axis in range(len(shape) - 1, 0, -1):
        strides[axis - 1] = strides[axis] * shape[axis]
    for number in range(len(tops)):
        top = np.minimum(tops[number], shape - 1)
        inner = len(shape) - 1
        while inner > 0 and top[inner] == shape[inner] - 1:
            inner -= 1
        run = (top[inner] + 1) * strides[inner]  # so many nodes lie side by side
        begin = 0
        axis = 0 if top.min() >= 0 else -1
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
def least_parts(levels: Rows, buckets: Words, strides: Words, tables: Floats, parts: Floats) -> None:
    """Bound the sums of parts of nodes.

    Parameters
    ----------
    levels
        The levels of every axis, one column per node.
    buckets
        Per node the number of records that it leaves out at least, in steps.
    strides
        Per table where it begins in ``tables``, and how far a level of each axis goes in it.
    tables
        The parts of combinations of levels, for every number of steps; one table after the other.
    parts
        Filled with the bounds.
    """
    for node in range(len(buckets)):
        for table in range(len(strides)):
            place = strides[table, 0] + buckets[node]
            for axis in range(len(levels)):
                place += strides[table, axis + 1] * levels[axis, node]
            parts[node] = tables[place] if table == 0 else parts[node] + tables[place]


@compiled
def keep_open(  # noqa: PLR0913, PLR0917 - plain arrays are what compiles fast
    nodes: Words,
    bounds: Words,
    levels: Rows,
    limits: Words,
    strides: Words,
    tables: Floats,
    worse: float,
    known: Floats,
) -> Words:
    """Give the nodes that do not leave out too much, and whose sum of parts is not above ``worse``.

    Parameters
    ----------
    nodes, bounds
        The numbers of the nodes to look at, and what each leaves out at least.
    levels
        The levels of every axis, one column for every node of the box.
    limits
        How many records may be left out, and how many make a step.
    strides, tables
        As in ``least_parts``.
    worse
        What is above it is worse than the best.
    known
        What was known of the sum of parts of every node of the box; brought up to date for those that are looked at.
    """
    kept = np.empty(len(nodes), dtype=np.int64)
    count = 0
    bucket = np.empty(1, dtype=np.int64)
    for place in range(len(nodes)):
        node = nodes[place]
        if bounds[place] <= limits[0] and known[node] <= worse:
            bucket[0] = bounds[place] // limits[1]
            least_parts(levels[:, node : node + 1], bucket, strides, tables, known[node : node + 1])
            if known[node] <= worse:
                kept[count] = node
                count += 1
    return kept[:count]


@compiled
def _count_pair(words: Words, counts: Words, fields: Words, columns: int, table: Words) -> None:
    """Add up how often the codes of two fields occur together."""
    (high, low), (rows, mask) = fields[0], fields[1]
    size = np.uint64(len(table))
    tables = np.zeros(4 * len(table), dtype=np.int64)  # four of them: the processor need not wait for the last sum
    rest = len(words) % 4
    for row in range(rest):
        tables[((words[row] >> high) & rows) * columns + ((words[row] >> low) & mask)] += counts[row]
    for row in range(rest, len(words), 4):
        for turn in range(4):
            word = words[row + turn]
            place = np.uint64(((word >> high) & rows) * columns + ((word >> low) & mask))
            tables[np.uint64(turn) * size + place] += counts[row + turn]
    for place in range(len(table)):
        table[place] = tables[place :: len(table)].sum()


@compiled
def small_pairs(  # noqa: PLR0913, PLR0917 - plain arrays are what compiles fast
    words: Words, counts: Words, fields: Words, groups: Words, ladders: Words, k: int, small: Words
) -> None:
    """Count for every two levels of two fields the records in classes smaller than k.

    Parameters
    ----------
    words, counts
        Packed codes, and how often each occurs.
    fields
        Of the two fields: where it sits, and its mask.
    groups
        For every field and level the group of every code, one table after the other.
    ladders
        Of the two fields, per level: where its table begins, and how many groups it has.
    k
        The least size of a class.
    small
        Filled with the counts, by levels.
    """
    rows, columns = ladders[1, 0, 0], ladders[1, 1, 0]
    table = np.empty(rows * columns, dtype=np.int64)
    _count_pair(words, counts, fields, columns, table)
    for low in range(small.shape[0]):
        merged = np.zeros((columns, ladders[1, 0, low]), dtype=np.int64)
        for row in range(rows):
            group = groups[ladders[0, 0, low] + row]
            for column in range(columns):
                merged[column, group] += table[row * columns + column]
        for high in range(small.shape[1]):
            both = np.zeros((ladders[1, 1, high], merged.shape[1]), dtype=np.int64)
            for column in range(columns):
                both[groups[ladders[0, 1, high] + column]] += merged[column]
            for size in both.flat:
                small[low, high] += size if size < k else 0
            if small[low, high] == 0:  # nor is there anything at higher levels
                break
        if small[low, 0] == 0:
            break


@compiled
def bound_by_pairs(shape: Words, lows: Words, tables: Words, begins: Words, bounds: Words) -> None:
    """Bound what the nodes of a box leave out by what pairs of axes leave out.

    Parameters
    ----------
    shape, lows
        How many levels every axis has in the box, and the lowest of them.
    tables
        What pairs of axes leave out by levels, one table after the other.
    begins
        For every two axes where their table begins, or -1; and in a last row how many levels each axis has there.
    bounds
        Filled with the bounds, in the order of the nodes' levels.
    """
    place = np.empty(len(shape), dtype=np.int64)
    size = 1
    bounds[0] = 0
    for axis in range(len(shape)):  # nodes of the first axes become those of one axis more, the last one first
        place[:axis] = shape[:axis] - 1
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
