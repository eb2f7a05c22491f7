"""What was measured on every class, and how it compares with a bound: exactly, wherever counts allow it (N-FLOAT)."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Sense = Literal[">=", "<=", "<"]

_COMPARE: dict[Sense, Callable[[Any, Any], Any]] = {">=": operator.ge, "<=": operator.le, "<": operator.lt}
NEAR = 1e-9
"""A float this near to a bound (relatively) decides nothing."""
TOLERANCE = 1e-12
"""Entropy and KL distance are irrational: so much rounding counts as satisfied."""


class Measured(Protocol):
    """One number per class."""

    @property
    def floats(self) -> Floats:
        """The numbers as floats, to look at."""

    def meets(self, sense: Sense, bound: Fraction) -> Bools:
        """Say which numbers meet a bound."""

    def at(self, index: int) -> Fraction | float:
        """Give one number as exactly as it is known."""


@dataclass(frozen=True, slots=True, eq=False)
class Ratios:
    """Whole numbers over whole numbers. A denominator of 0 means infinity."""

    numerators: npt.NDArray[Any]
    denominators: npt.NDArray[Any]

    @classmethod
    def integers(cls, numbers: npt.NDArray[Any]) -> Ratios:
        """Whole numbers, over 1."""
        return cls(numbers.astype(np.int64), np.ones(len(numbers), dtype=np.int64))

    @property
    def floats(self) -> Floats:
        """The numbers as floats, to look at."""
        over = np.where(self.denominators == 0, 1, self.denominators)
        return np.where(self.denominators == 0, np.inf, (self.numerators / over).astype(np.float64))

    def meets(self, sense: Sense, bound: Fraction) -> Bools:
        """Say which numbers meet a bound: by multiplying out, in Python's integers where 64 bits are too few."""
        left, right = self.numerators, self.denominators
        largest = max(int(np.abs(side).max()) if len(side) else 0 for side in (left, right))
        if largest * max(abs(bound.numerator), bound.denominator) >= 2**63:
            left, right = left.astype(object), right.astype(object)
        return np.asarray(_COMPARE[sense](left * bound.denominator, right * bound.numerator), dtype=bool)

    def at(self, index: int) -> Fraction | float:
        """Give one number exactly."""
        over = int(self.denominators[index])
        return Fraction(int(self.numerators[index]), over) if over else math.inf


@dataclass(frozen=True, slots=True, eq=False)
class Roots:
    """Irrational numbers, such as entropies: floats, with a little rounding in favour of the bound.

    Attributes
    ----------
    values
        The numbers, added up fast.
    careful
        Adds one up again without rounding on the way, for those near a bound.
    """

    values: Floats
    careful: Callable[[int], float] | None = None

    @property
    def floats(self) -> Floats:
        """The numbers as floats, to look at."""
        return self.values

    def meets(self, sense: Sense, bound: Fraction) -> Bools:
        """Say which numbers meet a bound, up to rounding."""
        slack = TOLERANCE * max(1.0, abs(float(bound)))
        limit = float(bound) - slack if sense == ">=" else float(bound) + slack
        result = np.asarray(_COMPARE[sense](self.values, limit), dtype=bool)
        for index in np.flatnonzero(np.abs(self.values - limit) <= NEAR * max(1.0, abs(limit))).tolist():
            result[index] = _COMPARE[sense](self.at(index), limit)
        return result

    def at(self, index: int) -> float:
        """Give one number."""
        return float(self.values[index]) if self.careful is None else self.careful(index)


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Rational numbers that are cheap to get as floats and dear to get exactly: only those near a bound are."""

    values: Floats
    exact: Callable[[int], Fraction]

    @property
    def floats(self) -> Floats:
        """The numbers as floats, to look at."""
        return self.values

    def meets(self, sense: Sense, bound: Fraction) -> Bools:
        """Say which numbers meet a bound; those near it are decided exactly."""
        limit = float(bound)
        result = np.asarray(_COMPARE[sense](self.values, limit), dtype=bool)
        for index in np.flatnonzero(np.abs(self.values - limit) <= NEAR * max(1.0, abs(limit))).tolist():
            result[index] = _COMPARE[sense](self.exact(index), bound)
        return result

    def at(self, index: int) -> Fraction:
        """Give one number exactly."""
        return self.exact(index)


# The worst number of all classes, exactly where counts allow it.

MeasuredNumber = Fraction | float
"""A measured number: a fraction where it is known exactly, else a float."""

_NEAR = 1e-9
"""Floats that differ by less (relatively) may stand in the wrong order."""
_EXACT_BELOW = 2**51
"""Where numerator times denominator stays below, different ratios are different floats in the right order."""
_MOST = 16
"""So many different floats near the worst one are looked at exactly, the worst first."""


def worst(measured: Measured, sense: Sense, among: npt.NDArray[np.bool_] | None = None) -> MeasuredNumber | None:
    """Give the least number for ``>=``, else the largest; nothing if there is no class.

    Parameters
    ----------
    measured, sense
        What was measured on every class, and whether it must be large or small.
    among
        Which classes count; all of them by default.
    """
    least = sense == ">="
    if isinstance(measured, Ratios):
        if among is not None:
            measured = Ratios(measured.numerators[among], measured.denominators[among])
        return _worst_ratio(measured, least=least)
    floats = measured.floats
    if among is not None:
        floats = np.where(among, floats, np.inf if least else -np.inf)
        if not among.any():
            return None
    if not len(floats):
        return None
    index = int(floats.argmin() if least else floats.argmax())
    if not np.isfinite(floats[index]):
        return measured.at(index)
    near = np.flatnonzero(_near(floats, floats[index]) & (floats != floats[index]))  # equal classes have equal floats
    others = near[np.argsort(floats[near] if least else -floats[near])]
    values = [measured.at(int(place)) for place in (index, *others[:_MOST])]
    return min(values) if least else max(values)


def _worst_ratio(ratios: Ratios, *, least: bool) -> MeasuredNumber | None:
    """Decide by floats where they are in the right order, else compare the ratios that are near the worst."""
    if not len(ratios.numerators):
        return None
    floats = _as_floats(ratios)
    index = int(floats.argmin() if least else floats.argmax())
    largest = [int(side.max()) for side in (ratios.numerators, ratios.denominators)]
    if largest[0] * largest[1] < _EXACT_BELOW or not np.isfinite(floats[index]):
        return ratios.at(index)
    near = np.flatnonzero(_near(floats, floats[index]))
    pairs = set(zip(ratios.numerators[near].tolist(), ratios.denominators[near].tolist(), strict=True))
    values = [Fraction(above, below) for above, below in pairs]
    return min(values) if least else max(values)


def _as_floats(ratios: Ratios) -> npt.NDArray[np.float64]:
    """Divide; over 0 is infinity. Whole numbers need no division."""
    if object in {ratios.numerators.dtype, ratios.denominators.dtype} or (ratios.denominators == 0).any():
        return ratios.floats
    if ratios.denominators.max() == 1:
        return ratios.numerators
    return np.asarray(ratios.numerators / ratios.denominators, dtype=np.float64)


def _near(floats: npt.NDArray[np.float64], limit: float) -> npt.NDArray[np.bool_]:
    return np.abs(floats - limit) <= _NEAR * max(1.0, abs(float(limit)))
