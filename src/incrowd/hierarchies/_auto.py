"""Choose a hierarchy by looking at the column."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from incrowd.core import Domain, Hierarchy, Ladder
from incrowd.hierarchies._dates import dates
from incrowd.hierarchies._flat import flat
from incrowd.hierarchies._frequent import frequent
from incrowd.hierarchies._intervals import intervals
from incrowd.hierarchies._mask import mask
from incrowd.hierarchies._numbers import typed_numbers
from incrowd.hierarchies._parameters import read_number

FEW = 4
"""Up to so many values nothing fits between the value and ``*``."""


@dataclass(frozen=True, slots=True)
class Auto:
    """A hierarchy chosen by type and cardinality. Built by ``auto``."""

    def choose(self, domain: Domain) -> Hierarchy:
        """Give the hierarchy that this column would get, to show or to write into a plan."""
        if domain.kind == "boolean" or len(domain.values) <= FEW:
            return flat()
        if domain.kind == "number":
            return _for_numbers(domain)
        if domain.kind == "date":
            return dates("month", "quarter", "year", "decade")
        if domain.kind in {"datetime", "instant"}:
            return dates("day", "month", "quarter", "year", "decade")
        if _are_codes(domain):
            return mask()
        return frequent(0.01, 0.05) if len(domain.values) > 10 else flat()

    def bind(self, domain: Domain) -> Ladder:
        """Choose and fit."""
        return self.choose(domain).bind(domain)

    def __repr__(self) -> str:
        return "auto()"


def auto() -> Auto:
    """Choose the hierarchy by the column's type and its number of values.

    Notes
    -----
    The first line that fits decides:

    - booleans, or at most 4 values: ``flat()``
    - numbers: ``intervals(...)`` with widths of 1, 2 or 5 times a power of ten, at most 20 intervals on the first level
      (width 2 or more for whole numbers), then wider while there are at least two
    - dates: ``dates("month", "quarter", "year", "decade")``; timestamps: the same with ``"day"`` first
    - text of one length, letters and digits, a digit in every value, more than 20 values: ``mask()``
    - other text of more than 10 values: ``frequent(0.01, 0.05)``
    - other text: ``flat()``

    The choice depends on the values only, never on their order. It is a first guess: it does not know that Lyon
    lies in France. A ``tree(...)`` of somebody who knows the column keeps more of it. One extreme number widens all
    intervals; ``intervals(..., top=...)`` does not.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.auto()
    auto()
    """
    return Auto()


def _for_numbers(domain: Domain) -> Hierarchy:
    finite = typed_numbers(domain)[1].nonzero()[0]
    low, high = (read_number("value", domain.values[index]) for index in (finite[0], finite[-1]))
    span = high - low
    smallest = Fraction(2) if domain.values.dtype.kind == "i" else Fraction(0)
    widths: list[Fraction] = []
    candidates = _nice_widths(max(span / 20, smallest))
    for width in itertools.takewhile(lambda width: not widths or 2 * width <= span, candidates):
        if not widths or width % widths[-1] == 0:
            widths.append(width)
    return intervals(*widths)


def _nice_widths(at_least: Fraction) -> Iterator[Fraction]:
    """Count 1, 2, 5, 10, 20, 50, ... from the first that is large enough."""
    power = Fraction(10) ** (len(str(int(at_least))) - 1)
    while power > at_least:
        power /= 10
    while True:
        yield from (power * digit for digit in (1, 2, 5) if power * digit >= at_least)
        power *= 10


def _are_codes(domain: Domain) -> bool:
    texts: list[str] = domain.values.tolist()
    return (
        len(texts) > 20
        and len({len(text) for text in texts}) == 1
        and all(text.isalnum() and any(character.isdigit() for character in text) for text in texts)
    )
