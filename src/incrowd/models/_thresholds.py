"""Thresholds and limits read exactly as the decimals that were written, and checked."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import Any

from incrowd.core import ParameterError
from incrowd.hierarchies import decimal_text

Number = int | float | Fraction | Decimal

DIGITS = 100
"""A threshold of more digits, above or below its fraction bar, is refused."""


def given_text(value: object) -> str:
    """Write what was given for a number; of anything but numbers and texts, which may be a table, its type alone."""
    if isinstance(value, Integral) and abs(int(value)) >= 10**DIGITS:
        return f"a number of more than {DIGITS} digits"
    if value is not None and not isinstance(value, (str, Real, Decimal)):
        return type(value).__name__
    if isinstance(value, str):
        return f"the text {value!r}"
    return number_text(value) if isinstance(value, Fraction) else str(value)


def whole_number(value: object, *, name: str, at_least: int) -> int:
    """Read a whole number, or say what is wrong with it."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        msg = f"{name} must be a whole number, got {given_text(value)}."
        raise ParameterError(msg, hint=f"write {_nearest_integers(value, at_least)}.")
    number = int(value)
    if not at_least <= number < 2**63:
        msg = f"{name} must be at least {at_least}{' and below 2**63' if number > 0 else ''}, got {given_text(number)}."
        raise ParameterError(msg)
    return number


def exact_fraction(
    value: object, *, name: str, low: Number = 0, high: Number | None = None, open_low: bool = False
) -> Fraction:
    """Read a number exactly: a float counts as the decimal that was written, so 0.3 is three tenths."""
    if isinstance(value, bool) or not isinstance(value, (Real, Fraction, Decimal)):
        msg = f"{name} must be a number, got {given_text(value)}."
        raise ParameterError(msg)
    if not (value.is_finite() if isinstance(value, Decimal) else isinstance(value, Rational) or math.isfinite(value)):
        msg = f"{name} must be a finite number, got {value}."
        raise ParameterError(msg)
    exact = _fraction_as_written(value, name)
    below = exact <= low if open_low else exact < low
    if below or (high is not None and exact > high):
        least = f"above {low}" if open_low else f"at least {low}"
        msg = f"{name} must be {least}{'' if high is None else f' and at most {high}'}, got {given_text(value)}."
        raise ParameterError(msg)
    return exact


def threshold(
    value: object, *, name: str, low: Number = 0, high: Number | None = None, open_low: bool = False
) -> int | Fraction:
    """Read a number as ``exact_fraction`` does; whole ones as integers, so that equal promises are equal."""
    number = exact_fraction(value, name=name, low=low, high=high, open_low=open_low)
    return number.numerator if number.denominator == 1 else number


def number_text(value: Number) -> str:
    """Write a number so that reading it gives the same number: a short decimal where there is one, else a fraction."""
    exact = Fraction(value)
    return str(exact) if exact.denominator > 10**12 else decimal_text(exact)


def _fraction_as_written(value: Real | Fraction | Decimal, name: str) -> Fraction:
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


def number_from_text(text: str) -> Fraction | None:
    """Read a number from a text, exactly; nothing where it is none, or too long to be meant."""
    exponent = re.search(r"[eE][+-]?([\d_]+)$", text)
    if len(text) > 3 * DIGITS or (exponent is not None and len(exponent[1].lstrip("0_")) > 2):
        return None
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None


def _nearest_integers(value: object, at_least: int) -> str:
    """Name the whole numbers around what was given, as far as they are allowed."""
    number = number_from_text(str(value)) if isinstance(value, (str, Real, Decimal)) else None
    if number is None or isinstance(value, bool):
        return f"a number without quotes and fractions, such as {max(at_least, 5)}"
    around = sorted({max(at_least, math.floor(number)), max(at_least, math.ceil(number))})
    return " or ".join(map(str, around))


# How many records may be left out (N-SUPP).


def suppression_limit(records: int, share: Number = 0, number: int | None = None) -> int:
    """Give the largest number of records that may be left out; exactly so many still may.

    Parameters
    ----------
    records
        How many records there are.
    share
        The largest share of them, 0 to 1, as the decimal that was written: 0.29 of 100 is 29.
    number
        The largest number of them instead, 0 or more; what the table does not have is not counted.

    Examples
    --------
    >>> from incrowd.models import suppression_limit
    >>> suppression_limit(100, 0.29), suppression_limit(99, 0.29), suppression_limit(100, number=7)
    (29, 28, 7)
    """
    exact = exact_fraction(share, name="max_suppressed")
    if exact > 1:
        msg = f"max_suppressed must be at least 0 and at most 1, got {share}."
        raise ParameterError(msg, hint="it is a share; a number of records is max_suppressed_records.")
    if number is None:
        return math.floor(exact * records)
    if exact:
        msg = f"max_suppressed={share} and max_suppressed_records={number} are both given."
        raise ParameterError(msg, hint="give the share or the number, not both.")
    return min(whole_number(number, name="max_suppressed_records", at_least=0), records)


# Refuse what cannot be meant by an argument, before anything is read.

MOST_PEOPLE = 10**10
"""More people than live on earth; what is estimated for a larger population drowns in rounding errors."""


def check_column(given: object, what: str) -> None:
    """Refuse what cannot be the name of a column."""
    if not isinstance(given, str):
        msg = f"{what} must be the name of a column, got {type(given).__name__}."
        raise ParameterError(msg, hint='names are texts, such as "age".')


def read_list(given: object, what: str, hint: str) -> list[Any]:
    """Read a list; a text is none, though it could be taken for one of its letters."""
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        msg = f"{what} must be a list, got {type(given).__name__}."
        raise ParameterError(msg, hint=hint)
    return list(given)


def read_people(digits: str) -> int:
    """Read how many people digits say; where they are too many, whatever is too many."""
    return int(digits.lstrip("0")[:20] or "0")


def check_people(population: int) -> None:
    """Refuse a population of nobody, and one that is larger than any."""
    if not 1 <= population <= MOST_PEOPLE:
        msg = f"population must be from 1 to {MOST_PEOPLE:,} people."
        raise ParameterError(msg, hint="population is how many people the table was drawn from.")
