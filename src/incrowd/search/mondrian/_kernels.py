"""Where Mondrian cuts: loops over all open parts of a table at once, compiled by numba.

The rows of a part lie side by side, from ``starts`` to before ``ends``. ``codes`` has one line per column; ``weights``
says how many records each row stands for.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from incrowd.core.kernels import compiled

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

    ``order`` and ``tried``: per part its columns, the widest first, and from which on to look, which moves to what was
    found. ``tables`` and ``bases``: per level the group of every code, one after the other; per column and level where
    its table begins, -1 above the highest; a column without tables is cut at its median. ``bins``: 0 before and after.
    Fills ``column`` (-1 if there is none), ``value`` (the largest of the first piece, or the level of the groups) and
    ``number`` (of pieces).
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


# How Mondrian moves rows: loops over all pieces of a round at once, compiled by numba.


@compiled
def _room(line: Array, weights: Array, start: int, end: int, value: int) -> int:
    """Count the records with the median that belong to the first of two halves of one size."""
    total = 0
    below = 0
    for row in range(start, end):
        total += weights[row]
        if line[row] < value:
            below += weights[row]
    return (total - 1) // 2 + 1 - below


@compiled
def _halve(  # noqa: PLR0913, PLR0917
    line: Array, weights: Array, start: int, end: int, value: int, room: int, order: Array, taken: Array, out: int
) -> tuple[int, int]:
    """Put the rows below a value, and as many records with it as there is room for, before the others.

    A row may be in both halves. Give where the second one begins and ends.
    """
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
def _share_out(  # noqa: PLR0913, PLR0917
    line: Array,
    weights: Array,
    start: int,
    end: int,
    table: Array,
    bins: Array,
    order: Array,
    taken: Array,
    opens: Array,
) -> int:
    """Put the rows of every group together, groups in the order of their first rows; give the number of groups.

    The first of ``opens`` says where to begin.
    """
    pieces = 0
    out = opens[0]
    for row in range(start, end):  # number the groups as they come, and count their rows
        group = table[line[row]]
        if bins[group] == 0:
            pieces += 1
            bins[group] = pieces
        opens[bins[group]] += 1
    for piece in range(1, pieces + 1):
        opens[piece] += opens[piece - 1]
    for row in range(start, end):
        piece = bins[table[line[row]]] - 1
        order[opens[piece]] = row
        taken[opens[piece]] = weights[row]
        opens[piece] += 1
    for row in range(start, end):
        bins[table[line[row]]] = 0
    for piece in range(pieces, 0, -1):
        opens[piece] = opens[piece - 1]
    opens[0] = out
    return pieces


@compiled
def arrange_pieces(  # noqa: PLR0913, PLR0917
    codes: Array,
    weights: Array,
    starts: Array,
    ends: Array,
    column: Array,
    value: Array,
    tables: Array,
    bases: Array,
    strict: bool,  # noqa: FBT001
    bins: Array,
    order: Array,
    taken: Array,
    opens: Array,
    sizes: Array,
) -> None:
    """Put the rows of every part in the order of its pieces.

    Cuts are those of ``propose_cuts``; ``bins`` are 0 before and after. Fills ``order`` and ``taken`` (records of the
    row that go to the piece), ``opens`` (from 0: where every piece begins, and at last where the last one ends) and
    ``sizes``.
    """
    out = 0
    piece = 0
    for part in range(len(starts)):
        start, end = starts[part], ends[part]
        line = codes[column[part]]
        opens[piece] = out
        if bases[column[part], 0] < 0:
            room = 2**62 if strict else _room(line, weights, start, end, value[part])
            opens[piece + 1], out = _halve(line, weights, start, end, value[part], room, order, taken, out)
            piece += 2
        else:
            table = tables[bases[column[part], value[part]] :]
            piece += _share_out(line, weights, start, end, table, bins, order, taken, opens[piece:])
            out += end - start
        opens[piece] = out
    for piece in range(len(sizes)):
        sizes[piece] = 0
        for place in range(opens[piece], opens[piece + 1]):
            sizes[piece] += taken[place]


@compiled
def move_rows(codes: Array, cells: Array, order: Array, moved: Array, moved_cells: Array) -> None:
    """Copy rows in a new order."""
    for column in range(len(codes)):
        line, target = codes[column], moved[column]
        for place in range(len(order)):
            target[place] = line[order[place]]
    for place in range(len(order)):
        moved_cells[place] = cells[order[place]]


@compiled
def _sort(values: Array, number: int) -> None:
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
def tally_pieces(  # noqa: PLR0913, PLR0917
    line: Array,
    order: Array,
    taken: Array,
    opens: Array,
    bins: Array,
    seen: Array,
    starts: Array,
    values: Array,
    counts: Array,
) -> int:
    """Count the values of a column in every piece; give the number of entries, sorted by piece and value.

    ``bins`` is 0 everywhere before and after, ``seen`` is as long; ``starts``, ``values`` and ``counts`` are filled.
    """
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
        _sort(seen, number)
        for place in range(number):
            values[out] = seen[place]
            counts[out] = bins[seen[place]]
            bins[seen[place]] = 0
            out += 1
    starts[len(opens) - 1] = out
    return out
