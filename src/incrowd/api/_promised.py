"""What of a promise a released file shows by itself, and how its numbers are written."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from incrowd.core import SupersetMode
from incrowd.models import Model, NTCloseness

MOST_COLUMNS = 8
"""With so many quasi-identifiers the classes on fewer columns are looked at: 256 ways to group a file."""


def shown_by_a_file(part: Model, columns: int) -> Model:
    """Give a promise with the natural supersets that a released file shows by itself.

    Parameters
    ----------
    part
        One promise.
    columns
        How many quasi-identifiers the file has.

    Notes
    -----
    Classes on fewer columns are classes of the lattice too, so a distance to the nearest of them is at least the
    promised one. With many columns there are too many of them, and the whole table, which is always one of them, takes
    their place. The parts that a class was cut out of are not in the file.
    """
    if not isinstance(part, NTCloseness):
        return part
    shown: dict[str, SupersetMode] = {"lattice": "drop" if columns <= MOST_COLUMNS else "table", "path": "table"}
    return replace(part, supersets=shown.get(part.supersets, part.supersets))


def exactly(number: Fraction | float) -> str:
    """Write a number so that nothing is lost: a fraction, or all digits of a float."""
    if isinstance(number, float):
        return "inf" if math.isinf(number) else repr(number)
    return str(number)
