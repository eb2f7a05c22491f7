"""Where the values of one column stand among the values of another."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Places = npt.NDArray[np.int64]


def places_in(values: Array, others: Array) -> Places:
    """Give for every value its place in ``others``, or -1. Both are distinct and sorted, without null.

    Numbers are compared by value whatever their type, days as the midnights that they begin with.
    """
    types = values.dtype.kind + others.dtype.kind
    if types == "MM":
        return _sorted_places(values.astype("datetime64[us]"), others.astype("datetime64[us]"))
    if types == "fi":
        return _floats_in_integers(values, others)
    if types == "if":
        return _inverse(_floats_in_integers(others, values), len(values))
    if types in {"ii", "ff", "bb"}:
        return _sorted_places(values, others)
    known = {other: place for place, other in enumerate(others.tolist())}
    return np.array([known.get(value, -1) for value in values.tolist()], dtype=np.int64)


def _sorted_places(values: Array, others: Array) -> Places:
    places = np.searchsorted(others, values).astype(np.int64)
    inside = places < len(others)
    found = inside.copy()
    found[inside] = others[places[inside]] == values[inside]
    return np.where(found, places, -1)


def _floats_in_integers(floats: Array, integers: Array) -> Places:
    """Compare as integers: as floats, integers beyond 2**53 would run together."""
    whole = (floats == np.floor(floats)) & (floats >= -(2.0**63)) & (floats < 2.0**63)
    places = np.full(len(floats), -1, dtype=np.int64)
    places[whole] = _sorted_places(floats[whole].astype(np.int64), integers)
    return places


def _inverse(places: Places, length: int) -> Places:
    found = np.flatnonzero(places >= 0)
    inverse = np.full(length, -1, dtype=np.int64)
    inverse[places[found]] = found
    return inverse
