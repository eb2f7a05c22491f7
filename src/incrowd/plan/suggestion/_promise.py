"""What can be promised about a confidential column: no more than its values allow."""

from __future__ import annotations

import math
from collections.abc import Collection
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from incrowd.core import Domain
from incrowd.models import AlphaAssociation, BetaLikeness, LDiversity, Model, TCloseness

DIFFERENT = 3  # at least so many different sensitive values in a group, unless the table has fewer
# A group of so many people shall hold them: one in so many must have another value than the most frequent ones
ATTAINED = 5
MEASURED = 12  # numbers with more values are measured: what is near counts as well as what is different
STEPS = 20  # bounds on shares are rounded up to one in so many
CLOSE = 0.3  # how far the numbers of a group may lie from those of everybody, as a share of their span
NO_PROMISE = "no promise: "  # how the reason begins if there is none

# Why a bound that fits is named and no more, and what to do with it
UNASKED = (
    "it is not promised unasked, for where the values go with age, say, only very vague groups keep it; "
    "if you want it, write it into promise below [privacy]"
)


def promise_for(domain: Domain, *, by_person: bool, marks: Collection[str] = ()) -> tuple[Model | None, str]:
    """Give what can be promised about a column, and why nothing or less than usual."""
    # Missing values, and marks of such, do not count: that nothing is known is no diversity. Distances between numbers
    # are not defined where people have several rows.
    has_null, domain = domain.has_null, domain.with_missing(marks)
    counts = np.sort(domain.counts[: len(domain.values)])[::-1]
    if len(counts) < 2:
        return None, f"{NO_PROMISE}{'one value' if len(counts) else 'no value'} cannot be spread"
    if len(counts) == 2:
        return None, f"{NO_PROMISE}{_certainty_bound(domain)}; {UNASKED}"
    if domain.kind == "number" and len(counts) > MEASURED and not by_person and not has_null:
        return TCloseness(CLOSE, of=domain.column, distance="ordered"), ""
    attained = [number for number in (2, 3) if ATTAINED * counts[number - 1 :].sum() >= domain.counts.sum()]
    different = min(DIFFERENT, max(attained, default=1), 2 if len(counts) == DIFFERENT else DIFFERENT)
    if different < 2:
        return None, f"{NO_PROMISE}nearly everybody has the same value; {_gain_bound(domain, counts)}; {UNASKED}"
    return LDiversity(different, of=domain.column), ""


def _certainty_bound(domain: Domain) -> str:
    """Bound how certain a guess of either of two values may be, with room above what is known of everybody."""
    counts = domain.counts[: len(domain.values)]
    most = Fraction(int(domain.counts.max()), int(domain.counts.sum()))
    if ATTAINED * (1 - most) < 1:
        return f"two values, and nearly everybody has the same; {_gain_bound(domain, counts)}"
    share = Fraction(math.ceil((most + (1 - most) / 2) * STEPS), STEPS)
    bound = AlphaAssociation(share, of=domain.column)
    return f"two values, so no group has three different ones; {bound} would bound how certain a guess can be"


def _gain_bound(domain: Domain, counts: npt.NDArray[np.int64]) -> str:
    """Name a bound on the rare values, which a group need not hold: one in a group of the usual size is within it."""
    rarest = Fraction(int(counts.min()), int(domain.counts.sum()))
    beta = max(math.ceil(1 / (ATTAINED * rarest)) - 1, 1)
    bound = BetaLikeness(beta, of=domain.column)
    return f"{bound} would let no value be more than {beta + 1:,} times as frequent in a group as in all"
