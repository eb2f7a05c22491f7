"""Classes in which something is certain about everybody: one value, or one category, that all of them have."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from incrowd.attacks import certain_values
from incrowd.core import Cells, Classes, Domain
from incrowd.hierarchies import BoundCategories

Bools = npt.NDArray[np.bool_]


def certain(classes: Classes, column: str) -> Bools:
    """Say in which classes some value of a column is everybody's.

    Where people have several rows, a class can hold several values and one of them can still be everybody's.
    """
    return certain_values(classes, column) >= 0


def certain_category(classes: Classes, bound: BoundCategories) -> Bools:
    """Say in which classes everybody has a value of one and the same category."""
    cells, column = classes.cells, bound.column
    names = Domain.of(column, list(range(len(bound.names))))
    grouped = Cells({column: bound.category[cells.sensitive[column]]}, {column: names}, cells.person, cells.counts)
    return certain(replace(classes, cells=grouped), column)
