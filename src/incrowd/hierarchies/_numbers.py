"""The numbers of a domain, compared exactly and as a whole array.

A float counts as the decimal that is published for it: 0.3 lies in ``[0.3, 0.4)``, although the float 0.3 is a little
smaller than three tenths.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from incrowd.core import Domain, HierarchyError
from incrowd.hierarchies._match import uncovered
from incrowd.hierarchies._parameters import decimal_places

Array = npt.NDArray[Any]
Bools = npt.NDArray[np.bool_]

NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
_NUMBER = re.compile(NUMBER)


class Line(Protocol):
    """Numbers on a line, in whatever form keeps them exact."""

    def below(self, bound: Fraction) -> Bools:
        """Say which numbers are smaller than a bound."""

    def up_to(self, bound: Fraction) -> Bools:
        """Say which numbers are at most a bound."""

    def floor(self, start: Fraction, width: Fraction) -> Array:
        """Say in which step of a ruler that begins at ``start`` each number lies."""


@dataclass(frozen=True, eq=False, slots=True)
class Scaled:
    """Numbers as whole multiples of ``1 / scale``, in 64 bits or as Python's integers."""

    units: Array
    scale: int

    def below(self, bound: Fraction) -> Bools:
        """Say which numbers are smaller than a bound."""
        units, limit = self._fitting(1, abs(bound) * self.scale), math.ceil(bound * self.scale)
        return np.asarray(units < limit, dtype=bool)

    def up_to(self, bound: Fraction) -> Bools:
        """Say which numbers are at most a bound."""
        units, limit = self._fitting(1, abs(bound) * self.scale), math.floor(bound * self.scale)
        return np.asarray(units <= limit, dtype=bool)

    def floor(self, start: Fraction, width: Fraction) -> Array:
        """Say in which step of a ruler that begins at ``start`` each number lies."""
        common = math.lcm(self.scale, start.denominator, width.denominator)
        factor = common // self.scale
        units = self._fitting(factor, abs(start) * common + width * common)
        return np.asarray((units * factor - int(start * common)) // int(width * common))

    def _fitting(self, factor: int, more: Fraction) -> Array:
        """Leave 64 bits where the calculation would not fit them."""
        if self.units.dtype == object or not len(self.units):
            return self.units
        largest = max(abs(int(self.units.min())), abs(int(self.units.max())))
        return self.units if largest * factor + more < 2**62 else self.units.astype(object)


@dataclass(frozen=True, eq=False, slots=True)
class Floats:
    """Floats with so many digits that only a few of them, near a bound, are worth exact arithmetic."""

    values: npt.NDArray[np.float64]

    def below(self, bound: Fraction) -> Bools:
        """Say which numbers are smaller than a bound."""
        limit = _nearest(bound)
        result = self.values < limit
        for index in np.flatnonzero(self.values == limit):
            result[index] = self._exact(index) < bound
        return result

    def up_to(self, bound: Fraction) -> Bools:
        """Say which numbers are at most a bound."""
        result = self.below(bound)
        for index in np.flatnonzero(self.values == _nearest(bound)):
            result[index] = self._exact(index) <= bound
        return result

    def floor(self, start: Fraction, width: Fraction) -> Array:
        """Say in which step of a ruler that begins at ``start`` each number lies."""
        with np.errstate(all="ignore"):
            steps = (self.values - _nearest(start)) / _nearest(width)
            doubt = 1e-12 * ((np.abs(self.values) + abs(_nearest(start))) / _nearest(width) + 1.0)
            bound = np.rint(steps)
            near = np.flatnonzero(~(np.abs(steps - bound) > doubt))
            beside, sure = self._beside(near, bound[near], start, width)
        steps[near] = np.where(sure & (doubt[near] < 0.1), beside, 0.0)
        result = np.floor(steps).astype(np.int64)
        exactly = near[~(sure & (doubt[near] < 0.1))]
        if not len(exactly):
            return result
        wide = result.astype(object)
        wide[exactly] = [(self._exact(index) - start) // width for index in exactly]
        return wide

    def _beside(self, near: Array, bound: Array, start: Fraction, width: Fraction) -> tuple[Array, Bools]:
        """Decide floats near a bound by the float nearest to that bound, and say where this is safe.

        A quotient of two small integers is rounded correctly, and rounding keeps the order. Up to 15 digits a
        decimal comes back from its float unharmed, so who equals the rounded bound then equals the bound.
        """
        places = decimal_places(math.lcm(start.denominator, width.denominator))
        if places is None or places > 15:
            return bound, np.zeros(len(near), dtype=bool)
        origin, step = _nearest(start * 10**places), _nearest(width * 10**places)
        units = origin + bound * step
        return bound - (self.values[near] < units / 10.0**places), np.abs(units) + abs(origin) + step < 1e15

    def _exact(self, index: np.intp) -> Fraction:
        return Fraction(repr(float(self.values[index])))


def _nearest(number: Fraction) -> np.float64:
    """Give the nearest float; infinity for what is too large for one."""
    try:
        return np.float64(float(number))
    except OverflowError:
        return np.float64(math.inf if number > 0 else -math.inf)


def numbers_of(domain: Domain) -> tuple[Line, Bools] | None:
    """Read a domain's values as numbers, and say which ones are; nothing for dates and booleans."""
    if domain.kind == "text":
        return _scaled([read_decimal(text) for text in domain.values])
    return typed_numbers(domain) if domain.kind == "number" else None


def typed_numbers(domain: Domain) -> tuple[Line, Bools]:
    """Take the numbers of a column of numbers, and say which ones are finite."""
    if domain.values.dtype.kind == "f":
        return _of_floats(domain.values)
    if domain.values.dtype == object:
        return _scaled([value if Decimal(value).is_finite() else None for value in domain.values])
    return Scaled(domain.values.astype(np.int64), 1), np.ones(len(domain.values), dtype=bool)


_READ = "if the file has decimal commas, say decimal=',' (ic.suggest finds it out: **found.reading); "


def require_numbers(domain: Domain, what: str) -> Line:
    """Read every value as a number, or say what is in the way."""
    found = numbers_of(domain)
    if found is None:
        msg = f"Column {domain.column!r} is of kind {domain.kind}; {what} need numbers."
        hint = "use dates(...)" if domain.kind in {"date", "datetime", "instant"} else "use flat()"
        raise HierarchyError(msg, hint=f"{hint} for this column.")
    line, readable = found
    if not readable.all():
        raise uncovered(domain, ~readable, f"are no finite numbers, so {what} do not cover them", _READ)
    return line


def read_decimal(text: str) -> Decimal | None:
    """Read a text as a finite number of ordinary size, or not at all."""
    return Decimal(text) if _NUMBER.fullmatch(text) else None


def _of_floats(values: npt.NDArray[np.float64]) -> tuple[Line, Bools]:
    finite = np.isfinite(values)
    return Floats(np.where(finite, values, 0.0)), finite


def _scaled(values: list[Any]) -> tuple[Scaled, Bools]:
    readable = np.array([value is not None for value in values], dtype=bool)
    ratios = [(0, 1) if value is None else value.as_integer_ratio() for value in values]
    scale = math.lcm(*{denominator for _, denominator in ratios})
    units = np.empty(len(values), dtype=object)
    units[:] = [numerator * (scale // denominator) for numerator, denominator in ratios]
    return Scaled(_narrow(units), scale), readable


def _narrow(units: Array) -> Array:
    return units.astype(np.int64) if all(-(2**62) < unit < 2**62 for unit in units) else units
