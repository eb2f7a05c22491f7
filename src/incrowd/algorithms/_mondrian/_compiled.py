"""Where Mondrian cuts: loops over all open parts of a table at once, compiled by numba.

The rows of a part lie side by side, from ``starts`` to before ``ends``. ``codes`` has one line per column; ``weights``
says how many records each row stands for.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from incrowd.core._compiled import compiled

Array = npt.NDArray[Any]


@compiled
def measure_parts(  # noqa: PLR0913, PLR0917 - plain arrays are what compiles fast
    codes: Array, starts: Array, ends: Array, counted: Array, stamps: Array, low: Array, high: Array, distinct: Array
) -> None:
    """Find per column and part the smallest and the largest code, and count the codes of the columns ``counted``.

    ``stamps`` is 0 everywhere, and as long as the longest column of values.
    """
    mark = 0
    for column in range(len(counted)):
        line = codes[column]
        for part in range(len(starts)):
            start, end = starts[part], ends[part]
            least = line[start]
            most = line[start]
            for row in range(start + 1, end):
                least = min(least, line[row])
                most = max(most, line[row])
            low[column, part] = least
            high[column, part] = most
            number = 1 if most == least else 2  # right for one value and for two neighbours
            if counted[column] and high[column, part] > low[column, part] + 1:
                mark += 1
                number = 0
                for row in range(start, end):
                    if stamps[line[row]] != mark:
                        stamps[line[row]] = mark
                        number += 1
            distinct[column, part] = number


@compiled
def sort_columns(widths: Array, order: Array) -> None:
    """Sort the columns of every part by their width, the widest first; those as wide stay in their order."""
    for part in range(len(widths)):
        for column in range(widths.shape[1]):
            place = column
            while place > 0 and widths[part, order[part, place - 1]] < widths[part, column]:
                order[part, place] = order[part, place - 1]
                place -= 1
            order[part, place] = column


@compiled
def _weight_up_to(line: Array, weights: Array, start: int, end: int, value: int) -> int:
    total = 0
    for row in range(start, end):
        if line[row] <= value:
            total += weights[row]
    return total


@compiled
def _median(  # noqa: PLR0913, PLR0917
    line: Array, weights: Array, start: int, end: int, low: int, high: int, total: int, bins: Array
) -> tuple[int, int]:
    """Give the value of the record in the middle, and how many records have it or a smaller one."""
    middle = (total - 1) // 2
    if high - low < 4 * (end - start) + 16:
        for row in range(start, end):
            bins[line[row]] += weights[row]
        value = low
        left = bins[low]
        while left <= middle:
            value += 1
            left += bins[value]
        for place in range(low, high + 1):
            bins[place] = 0
        return value, left
    while low < high:  # few rows far apart: halve the values instead of counting each
        value = (low + high) // 2
        if _weight_up_to(line, weights, start, end, value) > middle:
            high = value
        else:
            low = value + 1
    return low, _weight_up_to(line, weights, start, end, low)


@compiled
def _groups(line: Array, weights: Array, start: int, end: int, table: Array, bins: Array, least: int) -> int:
    """Count the groups of a part; -1 if one of them is lighter than ``least``."""
    for row in range(start, end):
        bins[table[line[row]]] += weights[row]
    number = 0
    light = False
    for row in range(start, end):
        group = table[line[row]]
        if bins[group] > 0:
            number += 1
            light = light or bins[group] < least
            bins[group] = 0
    return -1 if light else number


@compiled
def propose_cuts(  # noqa: PLR0913, PLR0917
    codes: Array,
    weights: Array,
    starts: Array,
    ends: Array,
    totals: Array,
    low: Array,
    high: Array,
    order: Array,
    tried: Array,
    tables: Array,
    bases: Array,
    least: int,
    strict: bool,  # noqa: FBT001
    bins: Array,
    column: Array,
    value: Array,
    number: Array,
) -> None:
    """Find for every part the next column that can be cut so that no piece is lighter than ``least``.

    Parameters
    ----------
    codes, weights, starts, ends, totals
        The rows, and the records of every part.
    low, high
        The smallest and the largest code, per column and part.
    order, tried
        Per part its columns, the widest first, and from which of them on to look; the latter moves to what was found.
    tables, bases
        Per level the group of every code, one after the other; per column and level where its table begins, -1 above
        the highest. A column without tables is cut at its median.
    least, strict
        How light a piece may be, and whether equal values stay together.
    bins
        0 everywhere, before and after.
    column, value, number
        Filled with the column (-1 if there is none), the largest value of the first piece or the level of the groups,
        and the number of pieces.
    """
    for part in range(len(starts)):
        start, end, total = starts[part], ends[part], totals[part]
        column[part] = -1
        if total < 2 * least:
            continue
        for place in range(tried[part], order.shape[1]):
            one = order[part, place]
            first, last = low[one, part], high[one, part]
            if first == last:
                continue
            line = codes[one]
            if bases[one, 0] < 0:
                at, left = _median(line, weights, start, end, first, last, total, bins)
                if not strict:
                    left = (total - 1) // 2 + 1
                elif at == last:
                    at = last - 1
                    left = _weight_up_to(line, weights, start, end, at)
                pieces = 2 if min(left, total - left) >= least else -1
            else:
                at = 0
                while tables[bases[one, at + 1] + first] != tables[bases[one, at + 1] + last]:
                    at += 1
                pieces = _groups(line, weights, start, end, tables[bases[one, at] :], bins, least)
            if pieces > 0:
                column[part], value[part], number[part] = one, at, pieces
                tried[part] = place
                break
