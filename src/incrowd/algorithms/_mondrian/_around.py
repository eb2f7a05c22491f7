"""The large parts around a piece, which certify (n, t)-closeness (S4-CHECK): those that it was cut out of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Histogram
from incrowd.models import NTJudge, Pairs

if TYPE_CHECKING:
    from incrowd.algorithms._local import Locally
    from incrowd.algorithms._mondrian._checks import Candidates

Array = npt.NDArray[Any]
Bools = npt.NDArray[np.bool_]


class Around:
    """The parts of at least ``n`` records, and for every part the smallest of them that contains it.

    Whatever contains a large part is large, so the large parts around a piece are one of them and all above it.
    """

    def __init__(self, judge: NTJudge, table: Locally) -> None:
        model: Any = judge.model
        self.judge = judge
        self._n, self._only_table = model.n, model.supersets == "table"
        self._column = judge.columns[0]
        self._values = len(table.census.domains[self._column])
        none = np.zeros(0, dtype=np.int64)
        self._large = Histogram(np.zeros(1, dtype=np.int64), none, (none,), none)
        self._sizes = none
        self._above = none  # per large part the one around it
        self._home = none  # per part the smallest large part that contains it, perhaps itself

    def near(self, found: Candidates, pieces: Array) -> Bools:
        """Say which pieces are large, or near enough to a large part around them."""
        sizes, histogram = found.sizes[pieces], found.histogram(self._column, self._values)
        result = np.asarray(sizes >= self._n, dtype=bool)
        if not len(self._home):  # the whole table is asked about
            return result
        open_ = np.flatnonzero(~result)
        home = self._home[found.parents[pieces[open_]]]
        while len(open_):
            inside = take(histogram, pieces[open_])
            pairs = Pairs(inside, self._large, home, sizes[open_], self._sizes[home], self._values)
            held = self.judge.near(pairs)
            result[open_[held]] = True
            home = self._above[home]
            going = ~held & (home >= 0)
            open_, home = open_[going], home[going]
        return result

    def add(self, found: Candidates, pieces: Array, numbers: Array) -> None:
        """Remember pieces that became parts; ``numbers`` go on where the last ones ended."""
        first = not len(self._home)
        sizes = found.sizes[pieces]
        home = np.full(1, -1) if first else self._home[found.parents[pieces]]
        large = np.flatnonzero((sizes >= self._n) & (first or not self._only_table))
        self._above = np.append(self._above, home[large])
        home[large] = len(self._sizes) + np.arange(len(large))
        self._home = np.append(self._home, home)
        self._sizes = np.append(self._sizes, sizes[large])
        self._large = _join(self._large, take(found.histogram(self._column, self._values), pieces[large]))
        assert len(self._home) == numbers[-1] + 1  # noqa: S101 - parts are numbered as they come


def take(histogram: Histogram, chosen: Array) -> Histogram:
    """Give the histogram of some pieces only, in the given order and with new numbers."""
    lengths = np.diff(histogram.starts)[chosen]
    starts = np.append(0, np.cumsum(lengths))
    entries = np.arange(starts[-1]) + np.repeat(histogram.starts[chosen] - starts[:-1], lengths)
    owners = np.repeat(np.arange(len(chosen)), lengths)
    return Histogram(starts, owners, (histogram.values[0][entries],), histogram.counts[entries])


def _join(one: Histogram, two: Histogram) -> Histogram:
    known = len(one.starts) - 1
    return Histogram(
        np.append(one.starts, two.starts[1:] + one.starts[-1]),
        np.append(one.classes, two.classes + known),
        (np.append(one.values[0], two.values[0]),),
        np.append(one.counts, two.counts),
    )
