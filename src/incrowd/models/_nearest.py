"""The nearest of many supersets, class by class, found without rounding."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.models._measured import Bools, Measured, Ratios, Roots

_FLOAT = 1e-12
"""Two distances this near (relatively) are compared as fractions."""


@dataclass(frozen=True, slots=True, eq=False)
class Offer:
    """Distances of some classes: as floats, and as reduced fractions where they are rational."""

    floats: npt.NDArray[np.float64]
    numerators: Any = None
    denominators: Any = None

    @classmethod
    def of(cls, numerators: Any, denominators: Any) -> Offer:
        common = np.gcd(numerators, denominators)
        top, bottom = numerators // common, denominators // common
        return cls((top / bottom).astype(np.float64), top, bottom)


class Nearest:
    """The least distance of every class to a superset of at least ``n``, so far.

    Attributes
    ----------
    which
        The number of the superset; -1 where there is none, -2 where the class itself is large enough.
    """

    def __init__(self, size: npt.NDArray[np.int64], n: int, *, rational: bool) -> None:
        self._n = n
        self._small = size < n
        self._floats = np.where(self._small, math.inf, 0.0)
        self._numerators: Any = self._small.astype(np.int64) if rational else None
        self._denominators: Any = (~self._small).astype(np.int64) if rational else None
        self.which = np.where(self._small, -1, -2)

    @property
    def measured(self) -> Measured:
        """The distances; infinity where there is no superset yet."""
        if self._numerators is None:
            return Roots(self._floats)
        return Ratios(self._numerators, self._denominators)

    def pending(self, regions: npt.NDArray[np.int64], until: Fraction | None) -> Bools:
        """Say which small classes have a region here that is large enough, and still need one."""
        wanted = self._small & (regions >= self._n)
        return wanted if until is None else wanted & ~self.measured.meets("<=", until)

    def take(self, chosen: Any, mask: Bools, offer: Offer, number: int) -> None:
        """Keep what is nearer than before; of equals the first."""
        rows = np.flatnonzero(mask)
        rows = rows[self._nearer(chosen[rows], rows, offer)]
        classes = chosen[rows]
        self._floats[classes] = offer.floats[rows]
        self.which[classes] = number
        if self._numerators is not None:
            self._widen(offer.numerators.dtype)
            self._numerators[classes] = offer.numerators[rows]
            self._denominators[classes] = offer.denominators[rows]

    def _nearer(self, classes: Any, rows: Any, offer: Offer) -> Bools:
        old, new = self._floats[classes], offer.floats[rows]
        nearer = np.asarray(new < old, dtype=bool)
        if self._numerators is None:
            return nearer
        same = (self._numerators[classes] == offer.numerators[rows]) & (
            self._denominators[classes] == offer.denominators[rows]
        )
        nearer &= ~same
        known = np.where(np.isfinite(old), old, -1.0)
        tied = ~same & (np.abs(new - known) <= _FLOAT * new)
        for place in np.flatnonzero(tied).tolist():
            row, index = rows[place], classes[place]
            before = Fraction(int(self._numerators[index]), int(self._denominators[index]))
            nearer[place] = Fraction(int(offer.numerators[row]), int(offer.denominators[row])) < before
        return nearer

    def _widen(self, dtype: Any) -> None:
        """Change to Python's integers where 64 bits are too few for what comes."""
        if dtype.kind == "O" and self._numerators.dtype.kind != "O":
            self._numerators, self._denominators = self._numerators.astype(object), self._denominators.astype(object)

    def farthest(self) -> Fraction | float:
        """Give the largest of the least distances, exactly."""
        if not len(self._floats):
            return Fraction(0)
        most = self._floats.max()
        near = np.flatnonzero(self._floats >= most * (1 - _FLOAT))
        if self._numerators is None or math.isinf(most):
            return float(most)
        pairs = zip(self._numerators[near].tolist(), self._denominators[near].tolist(), strict=True)
        return max(Fraction(int(top), int(bottom)) for top, bottom in set(pairs))
