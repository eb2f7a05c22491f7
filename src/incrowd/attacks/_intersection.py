"""Two releases of the same people: what neither says alone can follow from both."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from incrowd.attacks._class_sets import below
from incrowd.attacks._linkage import Links
from incrowd.core import Histogram

Ints = npt.NDArray[np.int64]

BLOCK, MOST = 1 << 14, 1 << 21
"""So many people are looked at together, and so many pairs of person and class."""


@dataclass(frozen=True, slots=True, eq=False)
class Remaining:
    """How many sensitive values are possible for each person.

    Attributes
    ----------
    first, second
        By one release alone; 0 where the person is not in it.
    both
        By both together; 0 where nothing fits both.
    value
        The code of the one value that is left, or -1.
    """

    first: Ints = field(repr=False)
    second: Ints = field(repr=False)
    both: Ints = field(repr=False)
    value: Ints = field(repr=False)


def intersect(links: tuple[Links, Links], histograms: tuple[Histogram, Histogram], same: Ints) -> Remaining:
    """Keep, for every person, the values that occur among the candidates of both releases.

    Parameters
    ----------
    links
        Per release, which classes can be a person's; of the same people in the same order.
    histograms
        Per release, the values of a sensitive column in every class.
    same
        For every code of the second release its code in the first, or -1.
    """
    people, codes = links[0].people, int(histograms[0].values[0].max(initial=0)) + 1
    codes = max(codes, int(same.max(initial=0)) + 1)
    second = np.where(same >= 0, same, codes + np.arange(len(same)))  # what the first lacks gets a number of its own
    codes += len(same)
    none = np.zeros(people, dtype=np.int64)
    found = Remaining(none, none.copy(), none.copy(), none - 1)
    for first, end, pairs in links[0].blocks(BLOCK, MOST):
        one = _possible(pairs, histograms[0], first, codes, np.arange(codes))
        two = _possible(links[1].walk(first, end), histograms[1], first, codes, second)
        common = np.intersect1d(one, two, assume_unique=True)
        for keys, counts in ((one, found.first), (two, found.second), (common, found.both)):
            counts[first:end] = np.bincount(keys // codes, minlength=end - first)
        owner = common // codes
        alone = found.both[first:end][owner] == 1
        found.value[first + owner[alone]] = common[alone] % codes
    return found


def _possible(pairs: tuple[Ints, Ints], histogram: Histogram, first: int, width: int, codes: Ints) -> Ints:
    """Give each person's possible values once, person and value in one number."""
    person, classes = pairs
    source, entry = below(histogram.starts, classes)
    return np.unique((person[source] - first) * width + codes[histogram.values[0][entry]])
