"""What can be promised about a confidential column: no more than its values allow."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from incrowd.core import Domain
from incrowd.models import AlphaAssociation, LDiversity, Model, TCloseness

DIFFERENT = 3
"""At least so many different sensitive values in a group, unless the table has fewer."""

ATTAINED = 5
"""A group of so many people shall hold them: one in so many must have another value than the most frequent ones."""

MEASURED = 12
"""Numbers with more values are measured: what is near counts as well as what is different."""

STEPS = 20
"""Bounds on shares are rounded up to one in so many."""

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
    if len(counts) < 2:
        return None, f"no promise: {'one value' if len(counts) else 'no value'} cannot be spread"
    if len(counts) == 2:
        return None, f"no promise: two values; {_bound(domain)}"
    if domain.kind == "number" and len(counts) > MEASURED and not by_person and not domain.has_null:
        return TCloseness(CLOSE, of=domain.column, distance="ordered"), ""
    attained = [number for number in (2, 3) if ATTAINED * counts[number - 1 :].sum() >= domain.counts.sum()]
    different = min(DIFFERENT, max(attained, default=1), 2 if len(counts) == DIFFERENT else DIFFERENT)
    if different < 2:
        return None, "no promise: nearly everybody has the same value, and few groups could hold another one"
    return LDiversity(different, of=domain.column), ""


def _bound(domain: Domain) -> str:
    """Name a bound on how certain a guess of either of two values may be, with room above what is known of everybody.

    It is not suggested unasked: where the two go with age, say, only very vague groups keep it.
    """
    most = Fraction(int(domain.counts.max()), int(domain.counts.sum()))
    if ATTAINED * (1 - most) < 1:
        return "nearly everybody has the same; alpha<=...[column: value] would bound how many have the rare one"
    share = Fraction(math.ceil((most + (1 - most) / 2) * STEPS), STEPS)
    return f"{AlphaAssociation(share, of=domain.column)} would bound how certain a guess can be"
