"""Which classes of a node are masked: published with ``*`` in every column, as one class.

A class that breaks the promise cannot be published as it is, so it is masked. All masked records look alike, so they
are one class, which must keep the promise as any other. Where it does not, further classes join: the smallest first,
and of equally large ones the first in the order of the labels' codes, until together they keep the promise. What a node
masks is therefore a fact about the node. It does not depend on how many records may be masked, so a larger limit only
ever adds nodes.

If the promise is upward closed, one class that keeps it is enough, and the smallest masks the fewest records that any
choice at this node can. For other promises this is a rule, not a minimum: to find the fewest one would have to try all
sets of classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from incrowd.core import Cells, Classes, Grouping
from incrowd.models import Judge, NTCloseness

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.integer]

TOGETHER = 1 << 18
"""So many cells, or the cells of one class, are judged at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Mask:
    """Decides who is masked.

    Parameters
    ----------
    judges
        The promise.
    limit
        How many records may be masked.
    """

    judges: tuple[Judge, ...]
    limit: int

    def over(self, classes: Classes, broken: Bools, codes: Sequence[Ints], stars: Sequence[int] | None) -> Bools | None:
        """Give the classes of a node that are masked; ``None`` if too many would have to be.

        Parameters
        ----------
        classes
            All classes of the node.
        broken
            Those that break the promise; at least one does.
        codes
            What each class is called: one array per quasi-identifier.
        stars
            The codes of a class that is called ``*`` in every column: it cannot be told from masked ones.
        """
        if any(isinstance(judge.model, NTCloseness) for judge in self.judges):
            return None  # masked records have no natural supersets
        masked = broken.copy()
        if stars is not None:
            masked |= np.logical_and.reduce([code == star for code, star in zip(codes, stars, strict=True)])
        joining = np.flatnonzero(~masked)
        joining = joining[np.lexsort([*(code[joining] for code in codes[::-1]), classes.records[joining]])]
        sums = int(classes.records[masked].sum()) + np.append(0, np.cumsum(classes.records[joining]))
        within = int((sums <= self.limit).sum()) - 1
        joined = None if within < 0 else self._first(classes, masked, joining[:within])
        if joined is None:
            return None
        masked[joining[:joined]] = True
        return masked

    def _first(self, classes: Classes, masked: Bools, joining: Ints) -> int | None:
        """Say how many classes must join at least, one after the other, until all together keep the promise."""
        rank = np.full(len(classes), len(joining) + 1)
        rank[masked] = 0
        rank[joining] = np.arange(1, len(joining) + 1)
        owner = rank[classes.members]
        order = np.argsort(owner, kind="stable")
        ends = np.searchsorted(owner[order], np.arange(len(joining) + 1), side="right")
        begin, many = 0, 1
        while begin < len(ends):
            end = min(begin + many, len(ends))
            holds = self._hold(classes.cells, [order[:cells] for cells in ends[begin:end]])
            if holds.any():
                return begin + int(np.argmax(holds))
            begin, many = end, max(1, min(2 * many, TOGETHER // int(ends[end - 1])))
        return None

    def _hold(self, cells: Cells, sets: Sequence[Ints]) -> Bools:
        """Judge sets of cells, each as one class."""
        lengths = [len(one) for one in sets]
        inside = np.concatenate(sets)
        members = np.repeat(np.arange(len(sets)), lengths)
        within = Cells(
            {name: values[inside] for name, values in cells.sensitive.items()},
            cells.domains,
            None if cells.person is None else cells.person[inside],
            cells.counts[inside],
        )
        together = Classes.of(Grouping(members, np.cumsum([0, *lengths[:-1]])), (), within)
        return np.asarray(np.logical_and.reduce([judge.keeps(together) for judge in self.judges]), dtype=bool)
