"""A bound before anything is searched: what two columns alone cost.

Dropping columns only merges classes. So the records that are in too small classes of two columns at their levels are in
too small classes of every node with these levels.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from incrowd.core import Census

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Groups = npt.NDArray[np.integer]

CELLS = 1 << 20
"""A pair with more combinations of values than this is not looked at."""


def pair_bounds(census: Census, k: int) -> dict[tuple[int, int], Counts]:
    """Count for every two columns, and every two levels, the records in classes smaller than k.

    Parameters
    ----------
    census
        The table. Only its records are counted, so ``k`` is a number of records.
    k
        The least size of a class.

    Returns
    -------
    Per pair of columns one number for each level of the first and of the second, from the floor on. Pairs without small
    classes are left out.
    """
    if k <= 1:
        return {}
    steps = [
        [ladder.step(floor, level) for level in range(floor, ladder.height + 1)]
        for ladder, floor in zip((census.ladders[name] for name in census.quasi), census.floor, strict=True)
    ]
    sizes = [len(levels[0]) for levels in steps]
    codes = [column.astype(np.int64) for column in census.codes[: len(sizes)]]
    counts = census.counts.astype(np.float64)  # whole, and small enough to be exact
    members = [[_members(groups) for groups in levels] for levels in steps]
    result = {}
    for one in range(len(sizes)):
        for two in range(one + 1, len(sizes)):
            if sizes[one] * sizes[two] > CELLS:
                continue
            place = codes[one] * sizes[two] + codes[two]
            flat: Floats = np.bincount(place, weights=counts, minlength=sizes[one] * sizes[two]).astype(np.float64)
            small = _small(flat.reshape(sizes[one], sizes[two]), members[one], members[two], k)
            if small is not None:
                result[one, two] = small
    return result


def _small(table: Floats, one: list[Floats | None], two: list[Floats | None], k: int) -> Counts | None:
    """Merge the rows and columns of a table level by level, and add up what is smaller than k each time."""
    result = np.zeros((len(one), len(two)), dtype=np.int64)
    for low, rows in enumerate(one):
        merged = table if rows is None else rows @ table
        for high, columns in enumerate(two):
            cells = merged if columns is None else merged @ columns.T
            found = int(cells[cells < k].sum())
            if not found:  # nor is there anything at higher levels
                break
            result[low, high] = found
        if not result[low, 0]:
            break
    return result if result.any() else None


def _members(groups: Groups) -> Floats | None:
    """Give a matrix that adds up the rows of every group; nothing where every row is a group."""
    count = int(groups.max()) + 1 if len(groups) else 0
    if count == len(groups):
        return None
    member = np.zeros((count, len(groups)))
    member[groups, np.arange(len(groups))] = 1
    return member
