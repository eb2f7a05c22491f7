"""Compiled loops of Mondrian: medians and groups of all open parts, cuts proposed, rows moved to pieces.

The rows of a part lie side by side, from ``starts`` to before ``ends``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from incrowd.core.kernels import compiled
from incrowd.search.mondrian._parts import Array, Stretches


class Rows(NamedTuple):
    """The codes of all rows, line by line, and how many records each row stands for."""

    codes: Array
    weights: Array


class Levels(NamedTuple):
    """Per level the group of every code, one table after the other; per column and level where its table begins."""

    # -1 above the highest level; a column without tables is cut at its median. `bins`: room to count in, 0 before and
    # after.
    tables: Array
    bases: Array
    bins: Array


class OpenParts(NamedTuple):
    """Parts that may be cut further: their rows, records and reach."""

    # `order` and `tried`: their columns, the widest first, and from which on to look.
    numbers: Array
    starts: Array
    ends: Array
    totals: Array
    reach: Stretches
    order: Array
    tried: Array

    def some(self, chosen: Array) -> OpenParts:
        numbers, starts, ends, totals = (each[chosen] for each in (self.numbers, self.starts, self.ends, self.totals))
        return OpenParts(
            numbers, starts, ends, totals, self.reach.at((slice(None), chosen)), self.order[chosen], self.tried[chosen]
        )

    def beside(self, other: OpenParts) -> OpenParts:
        if not len(other.numbers):
            return self
        numbers, starts, ends, totals = (np.append(one, two) for one, two in zip(self[:4], other[:4], strict=True))
        order, tried = np.append(self.order, other.order, axis=0), np.append(self.tried, other.tried)
        return OpenParts(numbers, starts, ends, totals, Stretches.join([self.reach, other.reach]), order, tried)


class Cuts(NamedTuple):
    """Per part: the column to cut, -1 if there is none; the largest value of the first piece, or a level."""

    column: Array
    value: Array
    number: Array  # of pieces


class PieceRows(NamedTuple):
    """Rows piece by piece, and how many records of each go there; where pieces begin and the last one ends; sizes."""

    order: Array
    taken: Array
    opens: Array
    sizes: Array


@compiled
def measure_parts(codes: Array, starts: Array, ends: Array, counted: Array, stamps: Array, reach: Stretches) -> None:
    """Find per column and part the smallest and the largest code, and count the codes of the columns ``counted``."""
    # `stamps` is 0 everywhere, and as long as the longest column of values.
    mark = 0
    low, high, distinct = reach
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
def _weighted_median(
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
def _count_groups(line: Array, weights: Array, start: int, end: int, table: Array, bins: Array, least: int) -> int:
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
def propose_cuts(rows: Rows, parts: OpenParts, levels: Levels, least: int, strict: bool, cuts: Cuts) -> None:
    """Find for every part the next column that can be cut so that no piece is lighter than ``least``; fill ``cuts``."""
    # `parts.tried` moves to what was found.
    low, high, _ = parts.reach
    tables, bases, bins = levels
    for part in range(len(parts.starts)):
        start, end, total = parts.starts[part], parts.ends[part], parts.totals[part]
        cuts.column[part] = -1
        if total < 2 * least:
            continue
        for place in range(parts.tried[part], parts.order.shape[1]):
            one = parts.order[part, place]
            first, last = low[one, part], high[one, part]
            if first == last:
                continue
            line = rows.codes[one]
            if bases[one, 0] < 0:
                at, left = _weighted_median(line, rows.weights, start, end, first, last, total, bins)
                if not strict:
                    left = (total - 1) // 2 + 1
                elif at == last:
                    at = last - 1
                    left = _weight_up_to(line, rows.weights, start, end, at)
                pieces = 2 if min(left, total - left) >= least else -1
            else:
                at = 0
                while tables[bases[one, at + 1] + first] != tables[bases[one, at + 1] + last]:
                    at += 1
                pieces = _count_groups(line, rows.weights, start, end, tables[bases[one, at] :], bins, least)
            if pieces > 0:
                cuts.column[part], cuts.value[part], cuts.number[part] = one, at, pieces
                parts.tried[part] = place
                break


# How Mondrian moves rows: loops over all pieces of a round at once, compiled by numba.


@compiled
def _median_room(line: Array, weights: Array, start: int, end: int, value: int) -> int:
    """Count the records with the median that belong to the first of two halves of one size."""
    total = 0
    below = 0
    for row in range(start, end):
        total += weights[row]
        if line[row] < value:
            below += weights[row]
    return (total - 1) // 2 + 1 - below


@compiled
def _halve(
    line: Array, weights: Array, start: int, end: int, value: int, room: int, order: Array, taken: Array, out: int
) -> tuple[int, int]:
    """Put the rows below a value, and as many records with it as there is room for, before the others."""
    # A row may be in both halves. Give where the second one begins and ends.
    left = out
    last = start  # the last row with the value that gives, and how much it gives
    given = 0
    for row in range(start, end):
        if line[row] < value or (line[row] == value and room > 0):
            take = weights[row]
            if line[row] == value:
                take = min(take, room)
                room -= take
                last = row
                given = take
            order[left] = row
            taken[left] = take
            left += 1
    right = left
    for row in range(start, end):
        if line[row] > value or (line[row] == value and row >= last):
            rest = weights[row] - (given if row == last else 0)
            if rest > 0:
                order[right] = row
                taken[right] = rest
                right += 1
    return left, right


@compiled
def _share_out(
    rows: Rows, line: Array, start: int, end: int, table: Array, bins: Array, pieces: PieceRows, opens: Array
) -> int:
    """Put the rows of every group together, groups in the order of their first rows; give the number of groups."""
    # The first of `opens` says where to begin.
    number = 0
    out = opens[0]
    for row in range(start, end):  # number the groups as they come, and count their rows
        group = table[line[row]]
        if bins[group] == 0:
            number += 1
            bins[group] = number
        opens[bins[group]] += 1
    for piece in range(1, number + 1):
        opens[piece] += opens[piece - 1]
    for row in range(start, end):
        piece = bins[table[line[row]]] - 1
        pieces.order[opens[piece]] = row
        pieces.taken[opens[piece]] = rows.weights[row]
        opens[piece] += 1
    for row in range(start, end):
        bins[table[line[row]]] = 0
    for piece in range(number, 0, -1):
        opens[piece] = opens[piece - 1]
    opens[0] = out
    return number


@compiled
def arrange_pieces(rows: Rows, parts: OpenParts, cuts: Cuts, levels: Levels, strict: bool, pieces: PieceRows) -> None:
    """Put the rows of every part in the order of its pieces, by the cuts of ``propose_cuts``; fill ``pieces``."""
    # `pieces.opens` is 0 before.
    tables, bases, bins = levels
    order, taken, opens, sizes = pieces
    out = 0
    piece = 0
    for part in range(len(parts.starts)):
        start, end, column, value = parts.starts[part], parts.ends[part], cuts.column[part], cuts.value[part]
        line = rows.codes[column]
        opens[piece] = out
        if bases[column, 0] < 0:
            room = 2**62 if strict else _median_room(line, rows.weights, start, end, value)
            opens[piece + 1], out = _halve(line, rows.weights, start, end, value, room, order, taken, out)
            piece += 2
        else:
            table = tables[bases[column, value] :]
            piece += _share_out(rows, line, start, end, table, bins, pieces, opens[piece:])
            out += end - start
        opens[piece] = out
    for piece in range(len(sizes)):
        sizes[piece] = 0
        for place in range(opens[piece], opens[piece + 1]):
            sizes[piece] += taken[place]


@compiled
def move_rows(codes: Array, cells: Array, order: Array, moved: Array, moved_cells: Array) -> None:
    for column in range(len(codes)):
        line, target = codes[column], moved[column]
        for place in range(len(order)):
            target[place] = line[order[place]]
    for place in range(len(order)):
        moved_cells[place] = cells[order[place]]


@compiled
def _sort_values(values: Array, number: int) -> None:
    """Sort the first few values in place (Shell's sort: short, and fast for few)."""
    gap = number // 2
    while gap > 0:
        for place in range(gap, number):
            one = values[place]
            at = place
            while at >= gap and values[at - gap] > one:
                values[at] = values[at - gap]
                at -= gap
            values[at] = one
        gap //= 2


@compiled
def tally_pieces(
    line: Array, pieces: PieceRows, bins: Array, seen: Array, starts: Array, values: Array, counts: Array
) -> int:
    """Count the values of a column in every piece; give the number of entries, sorted by piece and value."""
    # `bins` is 0 everywhere before and after, `seen` is as long; `starts`, `values` and `counts` are filled.
    order, taken, opens, _ = pieces
    out = 0
    for piece in range(len(opens) - 1):
        starts[piece] = out
        number = 0
        for place in range(opens[piece], opens[piece + 1]):
            value = line[order[place]]
            if bins[value] == 0:
                seen[number] = value
                number += 1
            bins[value] += taken[place]
        _sort_values(seen, number)
        for place in range(number):
            values[out] = seen[place]
            counts[out] = bins[seen[place]]
            bins[seen[place]] = 0
            out += 1
    starts[len(opens) - 1] = out
    return out
