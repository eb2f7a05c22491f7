"""Where the values of a sensitive column lie on a line: numbers, moments, ranks, and texts that are numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Domain
from incrowd.hierarchies import read_decimal

Ints = npt.NDArray[np.int64]
Array = npt.NDArray[Any]

KINDS = {"number", "date", "datetime", "instant"}
_ENDLESS = re.compile(r"[+-]?(inf|infinity|nan)", re.IGNORECASE)
_CODE = re.compile(r"[+-]?0[0-9]")
"""A number that begins with a zero is a code, such as 01234."""
_MOST_PLACES = 9
_SURE = 10**15
"""Decimals of so many digits come back from a float unharmed."""


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """Values on a line.

    Attributes
    ----------
    place
        For every code, null last, its place among ``values``; -1 for what has none: a missing value, and infinity.
    values
        The places, ascending: whole numbers that are exact in some unit, or floats of more than 15 digits.
    """

    place: Ints = field(repr=False)
    values: Array = field(repr=False)

    @classmethod
    def of(cls, domain: Domain, ranks: Ints | None = None) -> Line | None:
        """Take a column's values; nothing if they are no numbers and have no order.

        Parameters
        ----------
        domain
            The values. Texts count as numbers or moments if all of them read so, as in a text file.
        ranks
            The place of every value in an order, where that is not their own; null has none.
        """
        found = (np.ones(len(domain.values), dtype=bool), ranks) if ranks is not None else _read(domain)
        if found is None:
            return None
        placed, numbers = found
        values, places = np.unique(numbers, return_inverse=True)
        place = np.full(len(domain), -1, dtype=np.int64)
        place[: len(domain.values)][placed] = places
        return cls(place, values)

    @property
    def width(self) -> Fraction:
        """How wide the line is."""
        return self._exactly(len(self.values) - 1) - self._exactly(0) if len(self.values) else Fraction(0)

    @property
    def is_exact(self) -> bool:
        """Whether values can be subtracted without rounding."""
        return self.values.dtype.kind != "f"

    def between(self, low: int, high: int) -> Fraction:
        """Give the distance of two places exactly."""
        return self._exactly(high) - self._exactly(low)

    def reach(self, limit: Fraction) -> Ints:
        """Give for every place the last one that is no farther away than a limit, which is at most the width."""
        if self.is_exact:
            whole = math.floor(limit)
            last = self.values[-1:] - whole  # from there on everything is near enough, and nothing overflows
            return np.asarray(np.searchsorted(self.values, np.minimum(self.values, last) + whole, side="right") - 1)
        ends, doubt = self.values + float(limit), 8 * np.finfo(np.float64).eps * (np.abs(self.values) + float(limit))
        sure = np.searchsorted(self.values, ends - doubt, side="left") - 1
        perhaps = np.searchsorted(self.values, ends + doubt, side="right") - 1
        for place in np.flatnonzero(sure < perhaps).tolist():
            while sure[place] < perhaps[place] and self.between(place, int(sure[place]) + 1) <= limit:
                sure[place] += 1
        return sure

    def _exactly(self, place: int) -> Fraction:
        value = self.values[place]
        return Fraction(int(value)) if self.is_exact else Fraction(repr(float(value)))


def _read(domain: Domain) -> tuple[npt.NDArray[np.bool_], Array] | None:
    """Say which values of a column are finite, and give these as numbers."""
    if domain.kind == "text":
        return _read_texts(domain)
    if domain.kind not in KINDS:
        return None
    values = domain.values
    if values.dtype.kind in "iM":
        return np.ones(len(values), dtype=bool), _short(values.astype(np.int64))
    if values.dtype.kind == "f":
        finite = np.isfinite(values)
        return finite, _whole(values[finite])
    finite = np.array([Decimal(value).is_finite() for value in values], dtype=bool)
    return finite, _scaled([Decimal(value) for value in values[finite]])


def _read_texts(domain: Domain) -> tuple[npt.NDArray[np.bool_], Array] | None:
    """Read texts as numbers, or else as moments, if all of them are."""
    finite = np.array([_ENDLESS.fullmatch(text) is None for text in domain.values], dtype=bool)
    texts = domain.values[finite].tolist()
    decimals = [number for text in texts if (number := _decimal(text)) is not None]
    if texts and len(decimals) == len(texts):
        return finite, _scaled(decimals)
    moments = Domain.of_texts(domain.column, texts, np.ones(len(texts), dtype=np.int64))
    if not finite.all() or moments.kind not in {"date", "datetime"}:
        return None
    known = dict(zip(moments.texts.tolist(), moments.values.astype(np.int64).tolist(), strict=True))
    return finite, np.array([known[text] for text in texts], dtype=np.int64)


def _decimal(text: str) -> Decimal | None:
    return None if _CODE.match(text) else read_decimal(text)


def _scaled(numbers: Sequence[Decimal]) -> Array:
    """Give decimals as whole numbers of a common unit."""
    ratios = [number.as_integer_ratio() for number in numbers]
    scale = math.lcm(*{below for _, below in ratios})
    units = np.array([above * (scale // below) for above, below in ratios], dtype=object)
    return _short(units)


def _whole(values: npt.NDArray[np.float64]) -> Array:
    """Give floats as whole numbers of a decimal unit, where all of them have few enough digits."""
    for places in range(_MOST_PLACES + 1):
        units = np.rint(values * 10.0**places)
        if (np.abs(units) >= _SURE).any():
            break
        if (units / 10.0**places == values).all():
            return units.astype(np.int64)
    return values


def _short(units: Array) -> Array:
    """Take 64 bits where also the distance of two numbers fits them."""
    fits = not len(units) or (units.min() > -(2**61) and units.max() < 2**61)
    return units.astype(np.int64 if fits else object)
