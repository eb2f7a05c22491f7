"""How little secret a category is (spec S0-WEIGHT)."""

from __future__ import annotations

from fractions import Fraction


def weights_of(count: int) -> tuple[Fraction, ...]:
    """Give the weights of so many categories, most secret first: 0, 1/3, 2/3, 1 for four."""
    return (*(Fraction(index, count - 1) for index in range(count - 1)), Fraction(1))


def agrees(written: str, weight: Fraction) -> bool:
    """Say whether a written weight is this one, as a fraction or rounded to the digits that were written."""
    try:
        number = Fraction(written.strip())
    except (ValueError, ZeroDivisionError):
        return False
    places = len(written.strip().partition(".")[2])
    return number == weight or (places > 0 and abs(number - weight) <= Fraction(1, 2 * 10**places))
