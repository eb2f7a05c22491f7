"""A bound before anything is searched: what two columns alone cost.

Dropping columns only merges classes. So the records that are in too small classes of two columns at their levels are in
too small classes of every node with these levels.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from incrowd.core import Census, Ladder

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Merger = Callable[[Floats], Floats]

CELLS = 1 << 20
"""A pair with more combinations of values than this is not looked at."""

DENSE = 256
"""So many rows, or fewer, are added up by a matrix product."""


def pair_bounds(census: Census, k: int, *, fast: bool = False) -> dict[tuple[int, int], Counts]:
    """Count for every two columns, and every two levels, the records in classes smaller than k.

    Parameters
    ----------
    census
        The table. Only its records are counted, so ``k`` is a number of records.
    k
        The least size of a class.
    fast
        Count with a compiled loop.

    Returns
    -------
    Per pair of columns one number for each level of the first and of the second, from the floor on. Pairs without small
    classes are left out.
    """
    if k <= 1 or not len(census):
        return {}
    steps = [_mergers(census.ladders[name], floor) for name, floor in zip(census.quasi, census.floor, strict=True)]
    sizes = [len(census.ladders[name].labels[floor]) for name, floor in zip(census.quasi, census.floor, strict=True)]
    count = _counter(census, fast=fast)
    result = {}
    for one in range(len(sizes)):
        for two in range(one + 1, len(sizes)):
            if sizes[one] * sizes[two] > CELLS:
                continue
            small = _small(count(one, two, sizes[one], sizes[two]), steps[one], steps[two], k)
            if small is not None:
                result[one, two] = small
    return result


def _counter(census: Census, *, fast: bool) -> Callable[[int, int, int, int], Floats]:
    """Give a function that counts the records of every two values."""
    codes = [column.astype(np.int32) for column in census.codes[: len(census.quasi)]]
    counts = census.counts.astype(np.float64)  # whole, and small enough to be exact
    if not fast:
        return lambda one, two, rows, columns: _counted(
            codes[one] * np.int32(columns) + codes[two], counts, rows, columns
        )
    from incrowd.core._compiled import count_pairs  # noqa: PLC0415 - numba is loaded only when it pays

    return lambda one, two, rows, columns: count_pairs(codes[one], codes[two], counts, np.zeros((rows, columns)))


def _counted(places: npt.NDArray[np.integer], counts: Floats, rows: int, columns: int) -> Floats:
    flat = np.bincount(places, weights=counts, minlength=rows * columns)
    return np.asarray(flat, dtype=np.float64).reshape(rows, columns)


def _small(table: Floats, one: list[Merger], two: list[Merger], k: int) -> Counts | None:
    """Merge the rows and columns of a table level by level, and add up what is smaller than k each time."""
    result = np.zeros((len(one) + 1, len(two) + 1), dtype=np.int64)
    for low in range(len(one) + 1):
        table = table if low == 0 else one[low - 1](table)
        merged = table.T
        for high in range(len(two) + 1):
            merged = merged if high == 0 else two[high - 1](merged)
            found = int(merged[merged < k].sum())
            if not found:  # nor is there anything at higher levels
                break
            result[low, high] = found
        if not result[low, 0]:
            break
    return result if result.any() else None


def _mergers(ladder: Ladder, floor: int) -> list[Merger]:
    """Give for every level above the floor a function that adds up the rows of the groups that it merges."""
    return [_merger(ladder.step(level - 1, level)) for level in range(floor + 1, ladder.height + 1)]


def _merger(groups: npt.NDArray[np.integer]) -> Merger:
    count = int(groups.max()) + 1
    if count == len(groups):
        return lambda table: table
    if len(groups) <= DENSE:
        member = np.zeros((count, len(groups)))
        member[groups, np.arange(len(groups))] = 1
        return lambda table: member @ table
    order = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[order], np.arange(count))
    return lambda table: np.add.reduceat(table[order], starts, axis=0)
