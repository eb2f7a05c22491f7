"""Fewer classes to measure: those that hold one and the same value are distributed alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from incrowd.core import Cells, Classes, Grouping


@dataclass(frozen=True, slots=True, eq=False)
class Different:
    """Classes whose values are distributed differently, beside the whole table.

    Attributes
    ----------
    classes
        All classes with several values of the column, and per value one class that holds nothing else.
    reference
        How often each code occurs in the whole table; ``None`` where the classes are the whole table.
    """

    classes: Classes
    reference: npt.NDArray[np.int64] | None

    @classmethod
    def of(cls, classes: Classes, column: str) -> Different:
        """Leave out classes that tell nothing new about distributions. Where people have several rows, none."""
        if classes.cells.person is not None:
            return cls(classes, None)
        histogram, codes = classes.histogram(column), classes.cells.cardinalities[column]
        values = histogram.values[0]
        alone = np.flatnonzero(np.diff(histogram.starts) == 1)
        of_value = np.full(codes, -1, dtype=np.int64)
        of_value[values[histogram.starts[alone]]] = alone
        kept = np.ones(len(classes), dtype=bool)
        kept[alone] = False
        kept[of_value[of_value >= 0]] = True
        whole = Grouping(values, np.zeros(codes, dtype=np.intp)).sums(histogram.counts)
        return cls(_only(classes, column, kept), whole)


def _only(classes: Classes, column: str, kept: npt.NDArray[np.bool_]) -> Classes:
    """Make classes of the entries of some classes' histograms; the other columns are left out."""
    histogram = classes.histogram(column)
    entries = np.flatnonzero(kept[histogram.classes])
    owner = histogram.classes[entries]
    ids = (np.cumsum(kept) - 1)[owner]
    first = np.searchsorted(ids, np.arange(np.count_nonzero(kept)))
    cells = Cells(
        sensitive={column: histogram.values[0][entries]},
        domains={column: classes.cells.domains[column]},
        person=None,
        counts=histogram.counts[entries],
    )
    return Classes.of(Grouping(ids, first), (), cells)
