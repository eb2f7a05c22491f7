"""Which hierarchies form their groups from the table that they are bound to."""

from __future__ import annotations

from incrowd.core import Hierarchy
from incrowd.hierarchies._auto import Auto
from incrowd.hierarchies._averaged import Averaged
from incrowd.hierarchies._frequent import Frequent
from incrowd.hierarchies._ordered import Ordered
from incrowd.hierarchies._quantiles import Quantiles


def is_from_data(hierarchy: Hierarchy | None) -> bool:
    """Say whether a value would get another label if other records of the table had other values.

    Parameters
    ----------
    hierarchy
        A hierarchy of incrowd; nothing stands for ``auto()``.
    """
    if isinstance(hierarchy, Averaged):
        return is_from_data(hierarchy.hierarchy)
    if isinstance(hierarchy, Ordered):
        return hierarchy.values is None and bool(hierarchy.runs)
    return hierarchy is None or isinstance(hierarchy, (Auto, Frequent, Quantiles))
