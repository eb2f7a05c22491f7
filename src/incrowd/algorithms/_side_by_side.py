"""Rolling up and counting very many cells with two threads: compiled loops let others run beside them.

Both halves are always counted, by however many processors there are, so the result is the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from incrowd.algorithms._layout import Layout
from incrowd.algorithms._part_loops import add_half, number_cells

Words = npt.NDArray[np.int64]
Counts = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]


def roll_up(
    words: Words, counts: Counts, layout: Layout, levels: Words, tail: int, room: tuple[Words, Slots]
) -> tuple[Words, Counts]:
    """Roll words up to a node, and add up the counts of equal ones.

    Parameters
    ----------
    words, counts
        Packed codes, and how often each occurs.
    layout, levels
        Where the codes of every column sit, and its level at the node, from the floor on.
    tail
        The bits that stay as they are.
    room
        Where loops work: numbers as long as the words, and a hash table, a power of two and more than twice as long.
    """
    node = np.stack([layout.ladders[0, np.arange(len(levels)), levels], 1 << layout.fields[0]])
    numbers, middle = room[0][: len(words)], len(words) // 2

    def number(second: bool) -> None:  # noqa: FBT001
        part = slice(middle, None) if second else slice(middle)
        number_cells(words[part], layout.fields, layout.firsts, node, tail, numbers[part])

    _both(number)
    rolled, sums = _added_up(numbers, counts, -1, room[1])[:2]
    return rolled, sums


def count_classes(cells: Words, counts: Counts, tail: int, slots: Slots) -> tuple[Words, Counts, Counts]:
    """Give the word of every class, its records, and how many cells it has.

    Parameters
    ----------
    cells, counts
        The words of cells, all different, and the records of each.
    tail
        The bits that tell the cells of a class apart.
    slots
        Room for a hash table: a power of two, more than twice as long as the cells.
    """
    return _added_up(cells, counts, ~tail, slots, times=len(cells))


def _added_up(numbers: Words, counts: Counts, mask: int, slots: Slots, times: int = 0) -> tuple[Words, Counts, Counts]:
    size = 1 << len(numbers).bit_length()
    found, sums, often = (np.empty(length, dtype=np.int64) for length in (len(numbers), len(numbers), times))

    def add(second: bool) -> int:  # noqa: FBT001
        part = slots[size : 2 * size] if second else slots[:size]
        return int(add_half(numbers, counts, mask, second, part, found, sums, often))

    first, second = _both(add)
    return _joined(found, first, second), _joined(sums, first, second), _joined(often, first, second)


def _both(work: Callable[[bool], int | None]) -> tuple[int, int]:
    """Do both halves of something at the same time."""
    with ThreadPoolExecutor(max_workers=1) as beside:
        other = beside.submit(work, True)  # noqa: FBT003
        return work(False) or 0, other.result() or 0  # noqa: FBT003


def _joined(array: Words, first: int, second: int) -> Words:
    """Put what stands at the end beside what stands at the beginning; a small result keeps no large array alive."""
    if not len(array):
        return array
    known = first + second
    array[first:known] = array[len(array) - second :]
    return array[:known].copy() if known * 4 < len(array) else array[:known]
