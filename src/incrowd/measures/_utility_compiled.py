"""Counting pairs of codes of very many cells, compiled by numba. Imported only where there are so many."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from incrowd.core._compiled import compiled

Words = npt.NDArray[np.unsignedinteger]


@compiled
def count_pairs(left: Words, right: Words, counts: Words, table: Words) -> None:
    """Add the records of some cells to a table of all pairs.

    Parameters
    ----------
    left, right, counts
        The codes of every cell, and its records.
    table
        One row per code of the left column.
    """
    for cell in range(len(counts)):
        table[left[cell], right[cell]] += counts[cell]
