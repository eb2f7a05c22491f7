"""The numbers of a domain compared exactly and as a whole array; numbers, texts and steps of hierarchies read.

A float counts as the decimal that is published for it: 0.3 lies in ``[0.3, 0.4)``, although the float 0.3 is a little
smaller than three tenths.
"""

from __future__ import annotations

import itertools
import math
import numbers
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import (
    Domain,
    HierarchyError,
    Hint,
    Kind,
    ParameterError,
    Setting,
    Step,
    UncoveredValuesError,
    canonical_text,
)

# Check what the user wrote when a hierarchy is built. Parameters are no record's values: they may be shown.

Number = int | float | Decimal | Fraction


def read_number(name: str, given: object) -> Fraction:
    """Read a number as the decimal that was written: ``0.1`` is one tenth, not the float nearest to it."""
    if isinstance(given, Decimal | float | numbers.Real) and not isinstance(given, bool):
        if isinstance(given, numbers.Rational):
            return Fraction(int(given.numerator), int(given.denominator))
        if math.isfinite(given):
            return Fraction(str(given))
    msg = f"{name} must be a finite number, got {_given_text(given)}."
    raise ParameterError(msg)


def read_count(name: str, given: object, *, at_least: int) -> int:
    if isinstance(given, numbers.Integral) and not isinstance(given, bool) and int(given) >= at_least:
        return int(given)
    msg = f"{name} must be a whole number of at least {at_least}, got {_given_text(given)}."
    raise ParameterError(msg)


def require_multiples(name: str, sizes: Sequence[Fraction]) -> None:
    """Refuse sizes that do not nest: each must be a whole multiple, at least two times, of the one before."""
    for small, large in itertools.pairwise(sizes):
        if large <= small or large % small != 0:
            msg = f"{name} must nest: {decimal_text(large)} is not a whole multiple of {decimal_text(small)}."
            raise ParameterError(msg, hint="for example 5, 10, 20: each a multiple of the one before.")


def decimal_text(number: Fraction) -> str:
    """Write a fraction as people do: ``18``, ``0.25``, and ``1/3`` where no decimal ends."""
    if decimal_places(number.denominator) is None:
        return str(number)
    return decimal_texts([number.numerator], number.denominator)[0]


def decimal_texts(numerators: list[int], denominator: int) -> list[str]:
    places = decimal_places(denominator)
    if places is None:
        return [decimal_text(Fraction(numerator, denominator)) for numerator in numerators]
    factor = 10**places // denominator
    return [_with_point(numerator * factor, places) if places else str(numerator) for numerator in numerators]


def decimal_places(denominator: int) -> int | None:
    """Count the digits after the point that every fraction of this denominator fits in, if any number does."""
    places = 0
    for prime in (2, 5):
        rest, power = denominator, 0
        while rest % prime == 0:
            rest, power = rest // prime, power + 1
        places, denominator = max(places, power), rest
    return places if denominator == 1 else None


def _with_point(scaled: int, places: int) -> str:
    digits = str(abs(scaled)).zfill(places + 1)
    text = f"{digits[:-places]}.{digits[-places:]}".rstrip("0").rstrip(".")
    return f"-{text}" if scaled < 0 else text


def _given_text(given: object) -> str:
    return repr(given) if isinstance(given, str | int | float | Decimal | Fraction) else type(given).__name__


# Find the values of a domain in a list of names, by the text that is published for them.

Ints = npt.NDArray[np.int64]


def positions_in(domain: Domain, positions: Mapping[str, int], *, what: str) -> Ints:
    """Give for every value (without null) the position of its text; refuse a domain that has others."""
    # A number or a date is found however it is written: 39.0 and 39 are one, in a file and in a list of names.
    found = _positions_of_values(domain, positions)
    if (found < 0).any():
        raise uncovered_error(domain, found < 0, f"are not covered by {what}", "add them; ")
    return found


def places_in(texts: Sequence[str], domain: Domain) -> Ints:
    """Give for every code of a column the place of its value in a list of different texts; -1 where it is none.

    The empty text stands for a missing value too.
    """
    positions = {text: place for place, text in enumerate(texts)}
    found = _positions_of_values(domain, positions)
    return np.append(found, positions.get("", -1)) if domain.has_null else found


def step_of(labels: Sequence[str]) -> Step:
    number = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    return Step(np.array([number[label] for label in labels], dtype=np.int64), list(number))


def uncovered_error(domain: Domain, missing: npt.NDArray[np.bool_], why: str, first: str = "") -> UncoveredValuesError:
    """Say how many values are not covered; the values themselves travel as data, never in the message."""
    count = int(missing.sum())
    values = domain.texts[: len(missing)][missing]
    msg = f"Column {domain.column!r} has {count:,} of {len(domain.values):,} values that {why}."
    words = "the error carries them in .values; the command line prints them with --show-values"
    hint = first + Hint("{}.", Setting("values", "them", words))
    return UncoveredValuesError(msg, column=domain.column, values=values, hint=hint)


def text_of(value: Any) -> str | None:
    """Write a value as a table's text; nothing for what cannot be a value."""
    if isinstance(value, str):
        return value
    try:
        domain = Domain.of("", [value.item() if isinstance(value, np.generic) else value])
    except (ValueError, TypeError):
        return None
    return None if domain.has_null else str(domain.texts[0])


def _positions_by_value(positions: Mapping[str, int], kind: Kind) -> dict[str, int]:
    """Give the positions of names that are values, by the text of the value; of two names for one value none."""
    known: dict[str, set[int]] = {}
    for name, place in positions.items():
        text = canonical_text(kind, name)
        if text is not None:
            known.setdefault(text, set()).add(place)
    return {text: places.pop() for text, places in known.items() if len(places) == 1}


def _positions_of_values(domain: Domain, positions: Mapping[str, int]) -> Ints:
    found = np.array([positions.get(text, -1) for text in domain.texts[: len(domain.values)].tolist()], dtype=np.int64)
    if (found < 0).any() and domain.kind != "text":
        known = _positions_by_value(positions, domain.kind)
        texts = replace(domain, spelling=None).texts[: len(domain.values)].tolist()
        found = np.where(found < 0, [known.get(text, -1) for text in texts], found)
    return found


Array = npt.NDArray[Any]
Bools = npt.NDArray[np.bool_]

NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
_NUMBER = re.compile(NUMBER)


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
        limit = _nearest_float(bound)
        result = self.values < limit
        for index in np.flatnonzero(self.values == limit):
            result[index] = self._exact(index) < bound
        return result

    def up_to(self, bound: Fraction) -> Bools:
        result = self.below(bound)
        for index in np.flatnonzero(self.values == _nearest_float(bound)):
            result[index] = self._exact(index) <= bound
        return result

    def floor(self, start: Fraction, width: Fraction) -> Array:
        with np.errstate(all="ignore"):
            steps = (self.values - _nearest_float(start)) / _nearest_float(width)
            doubt = 1e-12 * ((np.abs(self.values) + abs(_nearest_float(start))) / _nearest_float(width) + 1.0)
            bound = np.rint(steps)
            near = np.flatnonzero(~(np.abs(steps - bound) > doubt))
            beside, sure = self._decided_by_nearest(near, bound[near], start, width)
        steps[near] = np.where(sure & (doubt[near] < 0.1), beside, 0.0)
        result = np.floor(steps).astype(np.int64)
        exactly = near[~(sure & (doubt[near] < 0.1))]
        if not len(exactly):
            return result
        wide = result.astype(object)
        wide[exactly] = [(self._exact(index) - start) // width for index in exactly]
        return wide

    def _decided_by_nearest(self, near: Array, bound: Array, start: Fraction, width: Fraction) -> tuple[Array, Bools]:
        """Decide floats near a bound by the float nearest to that bound, and say where this is safe."""
        # A quotient of two small integers is rounded correctly, and rounding keeps the order. Up to 15 digits a decimal
        # comes back from its float unharmed, so who equals the rounded bound then equals the bound.
        places = decimal_places(math.lcm(start.denominator, width.denominator))
        if places is None or places > 15:
            return bound, np.zeros(len(near), dtype=bool)
        origin, step = _nearest_float(start * 10**places), _nearest_float(width * 10**places)
        units = origin + bound * step
        return bound - (self.values[near] < units / 10.0**places), np.abs(units) + abs(origin) + step < 1e15

    def _exact(self, index: np.intp) -> Fraction:
        return Fraction(repr(float(self.values[index])))


NumberLine = Scaled | Floats  # numbers in whatever form keeps them exact


def _nearest_float(number: Fraction) -> np.float64:
    try:
        return np.float64(float(number))
    except OverflowError:
        return np.float64(math.inf if number > 0 else -math.inf)


def numbers_of(domain: Domain) -> tuple[NumberLine, Bools] | None:
    """Read a domain's values as numbers, and say which ones are; nothing for dates and booleans."""
    if domain.kind == "text":
        return _exact_numbers([read_decimal(text) for text in domain.values])
    return typed_numbers(domain) if domain.kind == "number" else None


def typed_numbers(domain: Domain) -> tuple[NumberLine, Bools]:
    """Take the numbers of a column of numbers, and say which ones are finite."""
    if domain.values.dtype.kind == "f":
        finite = np.isfinite(domain.values)
        return Floats(np.where(finite, domain.values, 0.0)), finite
    if domain.values.dtype == object:
        return _exact_numbers([value if Decimal(value).is_finite() else None for value in domain.values])
    return Scaled(domain.values.astype(np.int64), 1), np.ones(len(domain.values), dtype=bool)


FOUND_OUT = Setting("reading", words="ic.suggest finds it out: **found.reading")
_READ = Hint("if the file has decimal commas, say {decimal} ({}); ", FOUND_OUT, decimal=",")


def require_numbers(domain: Domain, what: str) -> NumberLine:
    """Read every value as a number, or say what is in the way."""
    found = numbers_of(domain)
    if found is None:
        msg = f"Column {domain.column!r} is of kind {domain.kind}; {what} need numbers."
        hint = "use dates(...)" if domain.kind in {"date", "datetime", "instant"} else "use flat()"
        raise HierarchyError(msg, hint=f"{hint} for this column.")
    line, readable = found
    if not readable.all():
        raise uncovered_error(domain, ~readable, f"are no finite numbers, so {what} do not cover them", _READ)
    return line


def read_decimal(text: str) -> Decimal | None:
    """Read a text as a finite number of ordinary size, or not at all."""
    return Decimal(text) if _NUMBER.fullmatch(text) else None


def _exact_numbers(values: list[Any]) -> tuple[Scaled, Bools]:
    readable = np.array([value is not None for value in values], dtype=bool)
    ratios = [(0, 1) if value is None else value.as_integer_ratio() for value in values]
    scale = math.lcm(*{denominator for _, denominator in ratios})
    units = np.empty(len(values), dtype=object)
    units[:] = [numerator * (scale // denominator) for numerator, denominator in ratios]
    small = all(-(2**62) < unit < 2**62 for unit in units)
    return Scaled(units.astype(np.int64) if small else units, scale), readable
