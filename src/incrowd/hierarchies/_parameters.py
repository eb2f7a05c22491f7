"""Check what the user wrote when a hierarchy is built. Parameters are no record's values: they may be shown."""

from __future__ import annotations

import itertools
import math
import numbers
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from incrowd.core import ParameterError

Number = int | float | Decimal | Fraction


def read_number(name: str, given: object) -> Fraction:
    """Read a number as the decimal that was written: ``0.1`` is one tenth, not the float nearest to it."""
    if isinstance(given, Decimal | float | numbers.Real) and not isinstance(given, bool):
        if isinstance(given, numbers.Rational):
            return Fraction(int(given.numerator), int(given.denominator))
        if math.isfinite(given):
            return Fraction(str(given))
    msg = f"{name} must be a finite number, got {_shown(given)}."
    raise ParameterError(msg)


def read_count(name: str, given: object, *, at_least: int) -> int:
    """Read a whole number that is not too small."""
    if isinstance(given, numbers.Integral) and not isinstance(given, bool) and int(given) >= at_least:
        return int(given)
    msg = f"{name} must be a whole number of at least {at_least}, got {_shown(given)}."
    raise ParameterError(msg)


def require_multiples(name: str, sizes: Sequence[Fraction]) -> None:
    """Refuse sizes that do not nest: each must be a whole multiple, at least two times, of the one before."""
    for small, large in itertools.pairwise(sizes):
        if large <= small or large % small != 0:
            msg = f"{name} must nest: {plain(large)} is not a whole multiple of {plain(small)}."
            raise ParameterError(msg, hint="for example 5, 10, 20: each a multiple of the one before.")


def plain(number: Fraction) -> str:
    """Write a fraction as people do: ``18``, ``0.25``, and ``1/3`` where no decimal ends."""
    return plain_texts([number.numerator], number.denominator)[0]


def plain_texts(numerators: list[int], denominator: int) -> list[str]:
    """Write many fractions of one denominator, fast."""
    places = decimal_places(denominator)
    if places is None:
        return [_reduced(Fraction(numerator, denominator)) for numerator in numerators]
    if not places:
        return [str(numerator) for numerator in numerators]
    factor = 10**places // denominator
    return [_with_point(numerator * factor, places) for numerator in numerators]


def _reduced(number: Fraction) -> str:
    return str(number) if decimal_places(number.denominator) is None else plain(number)


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


def _shown(given: object) -> str:
    return repr(given) if isinstance(given, str | int | float | Decimal | Fraction) else type(given).__name__
