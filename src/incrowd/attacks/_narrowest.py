"""Who knows that nobody is generalized more than needed looks for a person in the narrowest class that fits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from incrowd.attacks._linkage import Links

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def widths_of(codes: Sequence[npt.NDArray[np.integer]], covered: Sequence[Sequence[npt.NDArray[np.intp]]]) -> Floats:
    """Say how wide every class is: the logarithm of how many combinations of values its labels cover.

    Parameters
    ----------
    codes
        Per column the label of every class.
    covered
        Per column and label the codes of the values that it covers.
    """
    width = np.zeros(len(codes[0]))
    for column, reached in zip(codes, covered, strict=True):
        width += np.log(np.array([max(len(values), 1) for values in reached], dtype=np.float64))[column]
    return width


def narrowest(links: Links, widths: Floats, sizes: Ints) -> tuple[Ints, Ints]:
    """Give every person the narrowest class that fits, the first of several, and how many are in all that fit.

    Parameters
    ----------
    links
        Which classes fit.
    widths, sizes
        How wide every class is, and how many are in it.

    Returns
    -------
    The class, -1 where none fits; and the candidates.
    """
    found, candidates = np.full(links.people, -1, dtype=np.int64), np.zeros(links.people, dtype=np.int64)
    order = np.lexsort((np.arange(len(widths)), np.round(widths, 9)))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    for person, classes in links.pairs():
        if len(person):
            starts = np.flatnonzero(np.concatenate(([True], person[1:] != person[:-1])))
            found[person[starts]] = order[np.minimum.reduceat(rank[classes], starts)]
            candidates[person[starts]] = np.add.reduceat(sizes[classes], starts)
    return found, candidates
