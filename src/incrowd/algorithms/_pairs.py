"""A bound before anything is searched: what two columns alone cost.

Dropping columns only merges classes. So the records that are in too small classes of two columns at their levels are in
too small classes of every node with these levels.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from incrowd.algorithms._rollup import Rollup
from incrowd.core import Census, Ladder

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Merger = Callable[[Floats], Floats]
Pair = tuple[int, int]

CELLS = 1 << 20
"""A pair with more combinations of values than this is not looked at."""

FEW = 1 << 16
"""So many cells, or fewer, are rolled up faster than they are counted again."""

DENSE = 256
"""So many rows, or fewer, are added up by a matrix product."""


def pair_bounds(census: Census, k: int, rollup: Rollup | None = None) -> dict[tuple[int, int], Counts]:
    """Count for every two columns, and every two levels, the records in classes smaller than k.

    Parameters
    ----------
    census
        The table. Only its records are counted, so ``k`` is a number of records.
    k
        The least size of a class.
    rollup
        The same table, if compiled loops are to count.

    Returns
    -------
    Per pair of columns one number for each level of the first and of the second, from the floor on. Pairs without small
    classes are left out.
    """
    if k <= 1 or not len(census):
        return {}
    sizes = [len(census.ladders[name].labels[floor]) for name, floor in zip(census.quasi, census.floor, strict=True)]
    pairs = [pair for pair in itertools.combinations(range(len(sizes)), 2) if sizes[pair[0]] * sizes[pair[1]] <= CELLS]
    if rollup is None:
        count = _plain(census, sizes, k)
        counted = {pair: count(*pair) for pair in pairs}
    else:
        counted = _compiled(rollup, pairs, sizes, k)
    return {pair: small for pair, small in counted.items() if small[0, 0]}


def _compiled(rollup: Rollup, pairs: list[Pair], sizes: list[int], k: int) -> dict[Pair, Counts]:
    """Count with a compiled loop; a column whose pairs are done is dropped, those with the most values first."""
    from incrowd.algorithms._walk_loops import small_pairs  # noqa: PLC0415 - numba is loaded only when it pays

    layout, cells, levels = rollup.layout, rollup.start, list(rollup.start.levels)
    heights = (layout.ladders[1] > 0).sum(axis=1).tolist()

    def count(pair: Pair) -> Counts:
        (words,), (one, two) = cells.words, pair
        small = np.zeros((heights[one], heights[two]), dtype=np.int64)
        both = slice(one, two + 1, two - one)
        small_pairs(words, cells.counts, layout.fields[:, both], layout.groups, layout.ladders[:, both], k, small)
        return small

    if len(cells) > FEW:
        with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:  # the loop lets others run beside it
            return dict(zip(pairs, pool.map(count, pairs), strict=True))
    result: dict[Pair, Counts] = {}
    for column in sorted(range(len(sizes)), key=lambda column: -sizes[column]):
        result |= {pair: count(pair) for pair in pairs if column in pair and pair not in result}
        levels[column] += heights[column] - 1
        cells = rollup.to(levels, cells)
    return result


def _plain(census: Census, sizes: list[int], k: int) -> Callable[[int, int], Counts]:
    """Give a function that counts the records in small classes of two columns."""
    steps = [_mergers(census.ladders[name], floor) for name, floor in zip(census.quasi, census.floor, strict=True)]
    codes = [column.astype(np.int32) for column in census.codes[: len(census.quasi)]]
    counts = census.counts.astype(np.float64)  # whole, and small enough to be exact

    def count(one: int, two: int) -> Counts:
        places = codes[one] * np.int32(sizes[two]) + codes[two]
        flat = np.bincount(places, weights=counts, minlength=sizes[one] * sizes[two])
        return _small(flat.astype(np.float64).reshape(sizes[one], sizes[two]), steps[one], steps[two], k)

    return count


def _small(table: Floats, one: list[Merger], two: list[Merger], k: int) -> Counts:
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
    return result


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
