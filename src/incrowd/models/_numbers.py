"""Thresholds, read as the decimals that were written (N-FLOAT)."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational, Real

from incrowd.core import ParameterError

Number = int | float | Fraction | Decimal

DIGITS = 100
"""A threshold of more digits, above or below its fraction bar, is refused."""


def shown(value: object) -> str:
    """Write what was given for a number; of anything but numbers and texts, which may be a table, its type alone."""
    if isinstance(value, Integral) and abs(int(value)) >= 10**DIGITS:
        return f"a number of more than {DIGITS} digits"
    if value is not None and not isinstance(value, (str, Real, Decimal)):
        return type(value).__name__
    if isinstance(value, str):
        return f"the text {value!r}"
    return plain(value) if isinstance(value, Fraction) else str(value)


def whole(value: object, *, name: str, at_least: int) -> int:
    """Read a whole number, or say what is wrong with it."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        msg = f"{name} must be a whole number, got {shown(value)}."
        raise ParameterError(msg, hint=f"write {_nearest(value, at_least)}.")
    number = int(value)
    if not at_least <= number < 2**63:
        msg = f"{name} must be at least {at_least}{' and below 2**63' if number > 0 else ''}, got {shown(number)}."
        raise ParameterError(msg)
    return number


def fraction(
    value: object, *, name: str, low: Number = 0, high: Number | None = None, open_low: bool = False
) -> Fraction:
    """Read a number exactly: a float counts as the decimal that was written, so 0.3 is three tenths."""
    if isinstance(value, bool) or not isinstance(value, (Real, Fraction, Decimal)):
        msg = f"{name} must be a number, got {shown(value)}."
        raise ParameterError(msg)
    if not (value.is_finite() if isinstance(value, Decimal) else isinstance(value, Rational) or math.isfinite(value)):
        msg = f"{name} must be a finite number, got {value}."
        raise ParameterError(msg)
    exact = _as_written(value, name)
    below = exact <= low if open_low else exact < low
    if below or (high is not None and exact > high):
        least = f"above {low}" if open_low else f"at least {low}"
        msg = f"{name} must be {least}{'' if high is None else f' and at most {high}'}, got {shown(value)}."
        raise ParameterError(msg)
    return exact


def exact(
    value: object, *, name: str, low: Number = 0, high: Number | None = None, open_low: bool = False
) -> int | Fraction:
    """Read a number as ``fraction`` does; whole ones as integers, so that equal promises are equal."""
    number = fraction(value, name=name, low=low, high=high, open_low=open_low)
    return number.numerator if number.denominator == 1 else number


def plain(value: Fraction) -> str:
    """Write a number so that reading it gives the same number: a decimal where there is one, else a fraction."""
    if value.denominator == 1:
        return str(value.numerator)
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1 or value.denominator > 10**12:
        return f"{value.numerator}/{value.denominator}"
    places = 0
    while (value * 10**places).denominator != 1:
        places += 1
    digits = str(abs(int(value * 10**places))).rjust(places + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def _as_written(value: Real | Fraction | Decimal, name: str) -> Fraction:
    """Give a number as the decimal that was written; look at its length before it fills the memory."""
    if isinstance(value, Decimal):
        _, digits, exponent = value.as_tuple()
        short = isinstance(exponent, int) and len(digits) <= DIGITS and abs(exponent) <= DIGITS
        exact = Fraction(value) if short else None
    else:
        exact = Fraction(value) if isinstance(value, Rational) else Fraction(str(value))
    if exact is None or max(abs(exact.numerator), exact.denominator) >= 10**DIGITS:
        msg = f"{name} must have at most {DIGITS} digits."
        raise ParameterError(msg, hint="write a shorter number.")
    return exact


def read_number(text: str) -> Fraction | None:
    """Read a number from a text, exactly; nothing where it is none, or too long to be meant."""
    exponent = re.search(r"[eE][+-]?([\d_]+)$", text)
    if len(text) > 3 * DIGITS or (exponent is not None and len(exponent[1].lstrip("0_")) > 2):
        return None
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None


def _nearest(value: object, at_least: int) -> str:
    """Name the whole numbers around what was given, as far as they are allowed."""
    number = read_number(str(value)) if isinstance(value, (str, Real, Decimal)) else None
    if number is None or isinstance(value, bool):
        return f"a number without quotes and fractions, such as {max(at_least, 5)}"
    around = sorted({max(at_least, math.floor(number)), max(at_least, math.ceil(number))})
    return " or ".join(map(str, around))
