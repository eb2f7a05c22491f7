"""How far classes can be from the original table, whoever was left out: a number that gives nobody away."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from incrowd.api._released import Measurement
from incrowd.core import Finding
from incrowd.models import Model, NTCloseness, TCloseness

Number = Fraction | float


@dataclass(frozen=True, slots=True)
class Shown:
    """What a released file shows about how it was made, without its values.

    Attributes
    ----------
    records
        The records in the file.
    left_out
        The records that are not in the file.
    values
        How many different values the sensitive column has in the file.
    """

    records: int
    left_out: int
    values: int


def against_input(model: Model, finding: Finding, found: Measurement, left_out: int) -> Number | None:
    """Bound the distance to the original table by what a file shows; nothing for promises that know no distance.

    Parameters
    ----------
    model, finding
        The promise, and what became of it in the file.
    found
        What was measured on the file.
    left_out
        How many records are suppressed, and not in the file either as masked ones.
    """
    if not isinstance(model, TCloseness | NTCloseness) or not finding.measured:
        return None
    values = found.values[finding.columns[0]]
    return at_most(model, finding.measured[0], Shown(int(found.sizes.sum()), left_out, values))


def at_most(model: TCloseness | NTCloseness, measured: Number, shown: Shown) -> Number:
    """Bound the distance of every class to the original table. The bound can be larger than the promised one.

    Parameters
    ----------
    model
        The promise.
    measured
        The distance of the worst class, measured in the file alone.
    shown
        What else the file shows.

    Notes
    -----
    A table with ``N`` records to which ``s`` are added is the mixture ``N Q + s R`` over ``N + s``. A distance up to 1
    that is convex is then at most ``(N D + s) / (N + s)``, whatever the ``s`` records hold, and the divergence grows by
    at most ``ln((N + s) / N)``. A natural superset of (n, t)-closeness has at least ``n`` records in the file. Every
    added record can bring a value that lies between two others: see ``_stretched``. Nothing here depends on the records
    left out, except on how many they are.
    """
    around = model.n if isinstance(model, NTCloseness) else shown.records
    added = shown.left_out
    if not added or math.isinf(measured):
        return measured
    if model.distance == "kl":
        return measured + math.log1p(added / around)
    distance = Fraction(measured)
    if model.distance == "ordered":
        distance = _stretched(distance, shown.values - 1, added)
    return (around * distance + added) / (around + added)


def _stretched(distance: Fraction, steps: int, added: int) -> Fraction:
    """Bound a distance along an order into which so many values are put where they separate most.

    What moves ``d`` of ``m`` steps then moves at most ``d + s`` of ``m + s``. What moves at all is at most all of it,
    and at most as much as the distance would have it move one step each.
    """
    moving = min(Fraction(1), steps * distance)
    return (steps * distance + added * moving) / (steps + added)
