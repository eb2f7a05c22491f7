"""Whether pieces of a table keep a promise, asked for all pieces of a round at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Cells, Classes, Histogram, NoSafeRelease
from incrowd.models import KAnonymity, NTJudge, RegionPairs
from incrowd.search._local import LocalTable
from incrowd.search.mondrian._kernels import tally_pieces

# The large parts around a piece, which certify (n, t)-closeness (S4-CHECK): those that it was cut out of.

Array = npt.NDArray[Any]
Bools = npt.NDArray[np.bool_]


class Around:
    """The parts of at least ``n`` records, and for every part the smallest of them that contains it.

    Whatever contains a large part is large, so the large parts around a piece are one of them and all above it.
    """

    def __init__(self, judge: NTJudge, table: LocalTable) -> None:
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
            pairs = RegionPairs(inside, self._large, home, sizes[open_], self._sizes[home], self._values)
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


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Pieces that parts could be cut into.

    ``lines``: by name the codes of every row in the columns that promises are about. ``order`` and ``taken``: the rows
    piece by piece, and how many records of each are in the piece; ``opens``: where every piece begins, and where the
    last one ends.
    """

    lines: dict[str, Array]
    cells: Array
    order: Array
    taken: Array
    opens: Array
    sizes: Array
    parents: Array
    _counted: dict[str, Histogram] = field(default_factory=dict, init=False)

    def __len__(self) -> int:
        return len(self.opens) - 1

    @property
    def owners(self) -> Array:
        """The piece of every row in order."""
        return np.repeat(np.arange(len(self)), np.diff(self.opens))

    def histogram(self, name: str, values: int) -> Histogram:
        """Count the values of a column in every piece; the column has so many."""
        if name not in self._counted:
            bins, seen = np.zeros(values, dtype=np.int64), np.empty(values, dtype=np.int64)
            starts = np.empty(len(self) + 1, dtype=np.int64)
            found, counts = np.empty((2, len(self.order)), dtype=np.int64)
            number = tally_pieces(
                self.lines[name], self.order, self.taken, self.opens, bins, seen, starts, found, counts
            )
            owners = np.repeat(np.arange(len(self)), np.diff(starts))
            self._counted[name] = Histogram(starts, owners, (found[:number],), counts[:number])
        return self._counted[name]


class Check:
    """A promise, asked about pieces.

    No piece with fewer records than ``least`` keeps the promise.
    """

    def __init__(self, table: LocalTable) -> None:
        sizes = [judge.model.k for judge in table.judges if isinstance(judge.model, KAnonymity)]
        others = [judge for judge in table.judges if table.persons or not isinstance(judge.model, KAnonymity)]
        self._table = table
        self.least = min(max([1, *sizes]), table.census.records + 1)
        self.around = [Around(judge, table) for judge in others if isinstance(judge, NTJudge)]
        self._judges = [judge for judge in others if not isinstance(judge, NTJudge)]
        self._counts = not table.persons and all(len(judge.columns) == 1 for judge in self._judges)
        named = [*(self._judges if self._counts else []), *(one.judge for one in self.around)]
        self.columns = tuple(sorted({name for judge in named for name in judge.columns}))

    @property
    def by_weight(self) -> bool:
        """Whether the number of records alone decides."""
        return not self._judges and not self.around

    def refuse_if_hopeless(self, whole: Candidates) -> None:
        """Stop where even the whole table as one class breaks the promise."""
        if len(whole) and not ((whole.sizes >= self.least) & self.keeps(whole)).all():
            msg = f"Even all {self._table.census.records:,} records in one class break {self._table.problem.model}."
            raise NoSafeRelease(msg, hint="ask for less.")

    def keeps(self, found: Candidates) -> Bools:
        """Say which pieces keep the promise, of those that are not too light."""
        kept = np.ones(len(found), dtype=bool)
        if self._judges:
            classes = self._counted(found) if self._counts else self._built(found)
            kept = np.asarray(np.logical_and.reduce([judge.keeps(classes) for judge in self._judges]), dtype=bool)
        for around in self.around:
            kept[kept] = around.near(found, np.flatnonzero(kept))
        return kept

    def accept(self, found: Candidates, pieces: Array, numbers: Array) -> None:
        """Remember pieces that became parts of these numbers."""
        for around in self.around:
            around.add(found, pieces, numbers)

    def _counted(self, found: Candidates) -> Classes:
        """Give classes that know only their sizes and histograms, which is all that is asked of them."""
        none = np.zeros(0, dtype=np.int64)
        domains = self._table.census.domains
        classes = Classes((), found.sizes, found.sizes, none, Cells({}, {}, None, none))
        for name in {name for judge in self._judges for name in judge.columns}:
            classes.know(name, found.histogram(name, len(domains[name])))
        return classes

    def _built(self, found: Candidates) -> Classes:
        return self._table.classes(found.cells[found.order], found.owners, len(found), found.taken)
