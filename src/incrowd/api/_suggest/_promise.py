"""What can be promised about a confidential column: no more than its values allow."""

from __future__ import annotations

import numpy as np

from incrowd.core import Domain
from incrowd.models import LDiversity, Model, TCloseness

DIFFERENT = 3
"""At least so many different sensitive values in a group, unless the table has fewer."""

ATTAINED = 5
"""A group of so many people shall hold them: one in so many must have another value than the most frequent ones."""

MEASURED = 12
"""Numbers with more values are measured: what is near counts as well as what is different."""

CLOSE = 0.3
"""How far the numbers of a group may lie from those of everybody, as a share of their span."""


def promise_for(domain: Domain, *, by_person: bool) -> tuple[Model | None, str]:
    """Give what can be promised about a column, and why nothing or less than usual.

    Parameters
    ----------
    domain
        The values of the column. Missing ones do not count: that nothing is known is no diversity.
    by_person
        Whether people have several rows. Distances between numbers are then not defined.
    """
    counts = np.sort(domain.counts[: len(domain.values)])[::-1]
    if len(counts) <= 2:
        number = {0: "no value", 1: "one value", 2: "two values"}[len(counts)]
        return None, f"no promise: {number} cannot be spread; alpha<=...[column: value] would bound how many have one"
    if domain.kind == "number" and len(counts) > MEASURED and not by_person and not domain.has_null:
        return TCloseness(CLOSE, of=domain.column, distance="ordered"), ""
    attained = [number for number in (2, 3) if ATTAINED * counts[number - 1 :].sum() >= domain.counts.sum()]
    different = min(DIFFERENT, max(attained, default=1), 2 if len(counts) == DIFFERENT else DIFFERENT)
    if different < 2:
        return None, "no promise: nearly everybody has the same value, and few groups could hold another one"
    return LDiversity(different, of=domain.column), ""
