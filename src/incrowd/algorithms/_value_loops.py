"""A loop that judges classes by their sizes and by the values of one sensitive column, compiled by numba."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from incrowd.algorithms._loops import Room, below, number_classes, place_classes, renumber
from incrowd.core._compiled import compiled

Words = npt.NDArray[np.int64]


@compiled
def _left_out(table: Words, reference: Words, needs: Words) -> int:
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


@compiled
def judge_nodes(  # noqa: PLR0913, PLR0917 - plain arrays are what compiles fast
    words: Words,
    counts: Words,
    fields: Words,
    groups: Words,
    ladders: Words,
    nodes: Words,
    tail: int,
    room: Room,
    reference: Words,
    needs: Words,
    limit: int,
    left_out: Words,
) -> None:
    """Count for several nodes, one after the other, the records in classes that break a promise.

    Parameters
    ----------
    words, counts, fields, groups, ladders, nodes, room, limit
        As in ``small_records``. A node below an earlier one where what prunes leaves out too much is passed over.
    tail
        The bits that hold the sensitive value.
    reference
        How often each value occurs in the whole table.
    needs
        Of what prunes, and of the whole promise: the least size, the least number of values, the least share of the
        whole table that the values make up, and the largest distance to it; both as fractions, above and below the bar.
        Then how many values, from the first on, count as different ones.
    left_out
        Filled with the counts: a row for what prunes, one for the whole promise.
    """
    numbers, found, slots, sums = room
    numbers = numbers[: len(words)]
    node = np.empty((2, nodes.shape[1]), dtype=np.int64)
    for place in range(len(nodes)):
        left_out[0, place] = -1
        for other in range(place):
            if left_out[0, other] > limit and below(nodes, place, other):
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
            left_out[0, place] = _left_out(table, reference, needs[0])
            left_out[1, place] = left_out[0, place]
            if left_out[0, place] <= limit:
                left_out[1, place] = _left_out(table, reference, needs[1])
