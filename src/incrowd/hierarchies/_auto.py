"""Choose a hierarchy by looking at the column."""

from __future__ import annotations

import re
from dataclasses import dataclass

from incrowd.core import Domain, Hierarchy, Ladder
from incrowd.hierarchies._dates import dates_for
from incrowd.hierarchies._flat import flat
from incrowd.hierarchies._frequent import frequent_for
from incrowd.hierarchies._mask import mask
from incrowd.hierarchies._periods import days_in
from incrowd.hierarchies._widths import intervals_for

FEW, SOME = 4, 10
"""Up to so many values nothing fits between the value and ``*``; up to so many words none of them counts as rare."""

DAY = "%Y%m%d"
"""How a whole number writes a day: 20240301."""

_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?)?")
_DIGITS = re.compile(r"(?:1[89]|20)[0-9]{2}[01][0-9][0-3][0-9]")


@dataclass(frozen=True, slots=True)
class Auto:
    """A hierarchy chosen by type and cardinality. Built by ``auto``."""

    def choose(self, domain: Domain) -> Hierarchy:
        """Give the hierarchy that this column would get, to show or to write into a plan."""
        if domain.kind == "boolean" or len(domain.values) <= FEW:
            return flat()
        if domain.kind == "number":
            by_day = None if days_in(domain) is None else dates_for(domain, DAY)
            return by_day or intervals_for(domain) or flat()
        if domain.kind != "text":
            return dates_for(domain) or flat()
        if (form := _form_of_dates(domain)) is not None:
            return dates_for(domain, form or None) or flat()
        if _are_codes(domain):
            return mask()
        rare = frequent_for(domain, 0.01, 0.05) if len(domain.values) > SOME else None
        return rare or flat()

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
    - whole numbers that all write a day (20240301): as dates
    - numbers: ``intervals(...)`` with round widths, 1, 2 or 5 times a power of ten, about 20 intervals on the first
      level, then wider ones, three levels where the values allow it; whole numbers that lie within 24 of each other in
      pairs, fours and eights. The widths are those of the bulk of the rows, between their 5 % and 95 % quantiles. Where
      a number lies farther from it than it is long, there is an open end, ``top`` or ``bottom``
    - dates and timestamps, also text that writes them as ISO 8601 or 20240301: ``dates(...)`` with those of day, week,
      month, quarter, year and decade that differ; weeks only for dates of at most 24 months
    - text of one length, letters and digits, a digit in every value, more than 20 values: ``mask()``
    - other text of more than 10 values: ``frequent(0.01, 0.05)``, without a threshold below which all values are
    - everything else: ``flat()``

    A level that would not change anything is left out. The choice depends on the values and how often they occur, never
    on their order. It is a first guess: it does not know that Lyon lies in France. ``classification(...)`` does, and a
    ``tree(...)`` of somebody who knows the column keeps more of it.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.auto()
    auto()
    """
    return Auto()


def _form_of_dates(domain: Domain) -> str | None:
    """Say how a column of text writes days: the empty text for ISO 8601; nothing if it does not."""
    return next((form for form, sign in (("", _ISO), (DAY, _DIGITS)) if all(map(sign.fullmatch, domain.values))), None)


def _are_codes(domain: Domain) -> bool:
    texts: list[str] = domain.values.tolist()
    return (
        len(texts) > 20
        and len({len(text) for text in texts}) == 1
        and all(text.isalnum() and any(character.isdigit() for character in text) for text in texts)
    )
