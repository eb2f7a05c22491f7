"""One line of records that is parted in two ways."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.int64]


def overlay(one: npt.NDArray[np.integer], other: npt.NDArray[np.integer]) -> tuple[Counts, Counts, Counts]:
    """Cut a line of records wherever a part of it ends, in two ways to part it.

    Parameters
    ----------
    one, other
        How many records each part has, along the line; of both ways together the same number.

    Returns
    -------
    For every piece the part of the one way, the part of the other way, and how many records it has.
    """
    ends = [np.cumsum(counts, dtype=np.int64) for counts in (one, other)]
    cuts = np.union1d(*ends)
    starts = np.concatenate(([0], cuts))[:-1]
    first, second = (np.searchsorted(end, starts, side="right") for end in ends)
    return first, second, cuts - starts
