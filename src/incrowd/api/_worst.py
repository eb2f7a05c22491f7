"""The worst number of all classes, exactly where counts allow it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from incrowd.models import Measured, Ratios, Sense

Number = Fraction | float
"""A measured number: a fraction where it is known exactly, else a float."""
Floats = npt.NDArray[np.float64]

_NEAR = 1e-9
"""Floats that differ by less (relatively) may stand in the wrong order."""
_EXACT_BELOW = 2**51
"""Where numerator times denominator stays below, different ratios are different floats in the right order."""
_MOST = 16
"""So many different floats near the worst one are looked at exactly, the worst first."""


def worst(measured: Measured, sense: Sense, among: npt.NDArray[np.bool_] | None = None) -> Number | None:
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


def _worst_ratio(ratios: Ratios, *, least: bool) -> Number | None:
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
