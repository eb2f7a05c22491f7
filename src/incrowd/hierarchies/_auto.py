"""``auto``: which hierarchy a column gets by its values; texts that look like e-mails, codes or free text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.core import Domain, Hierarchy, Ladder
from incrowd.hierarchies._coding import Frequent, frequent_for
from incrowd.hierarchies._dates import dates_for, forms_of
from incrowd.hierarchies._day_forms import ISO
from incrowd.hierarchies._intervals import Quantiles, intervals_for
from incrowd.hierarchies._mask import Flat, mask
from incrowd.hierarchies._microaggregation import Averaged
from incrowd.hierarchies._ordered import Ordered

# Up to so many values nothing fits between the value and ``*``; up to so many words none of them counts as rare
FEW, SOME = 4, 10


@dataclass(frozen=True, slots=True)
class Auto:
    """A hierarchy chosen by type and cardinality. Built by ``auto``."""

    def choose(self, domain: Domain) -> Hierarchy:
        """Give the hierarchy that this column would get, to show or to write into a plan."""
        if domain.kind == "boolean" or len(domain.values) <= FEW:
            return Flat()
        if domain.kind not in {"number", "text"}:
            return dates_for(domain) or Flat()
        if len(forms := forms_of(domain)) == 1:
            return dates_for(domain, None if forms[0] == ISO else forms[0]) or Flat()
        if domain.kind == "number":
            return intervals_for(domain) or Flat()
        if _are_codes(domain):
            return mask()
        rare = frequent_for(domain, 0.01, 0.05) if len(domain.values) > SOME else None
        return rare or Flat()

    def bind(self, domain: Domain) -> Ladder:
        return self.choose(domain).bind(domain)

    def __repr__(self) -> str:
        return "auto()"


def auto() -> Auto:
    """Choose the hierarchy by the column's type and its number of values.

    Notes
    -----
    The first line that fits decides:

    - booleans, or at most 4 values: ``flat()``
    - whole numbers that all write a day (20240301) or a month (202403): as dates
    - numbers: ``intervals(...)`` with round widths, 1, 2 or 5 times a power of ten, about 20 intervals on the first
      level, then wider ones, three levels where the values allow it; whole numbers that lie within 24 of each other in
      fives, tens and twenties, or in pairs, fours and eights where these are more levels. The widths are those of the
      bulk of the rows, between their 5 % and 95 % quantiles. Where a number lies farther from it than it is long,
      there is an open end, ``top`` or ``bottom``
    - dates and timestamps, also text that writes them in one of the common ways (ISO 8601, ``07.03.2024 10:12``,
      ``7 March 2024`` in seven languages, 20240307), if only one fits: ``dates(...)`` with those of day, week, month,
      quarter, year and decade that differ; weeks only for dates of at most 24 months
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


def _are_codes(domain: Domain) -> bool:
    texts: list[str] = domain.values.tolist()
    return (
        len(texts) > 20
        and len({len(text) for text in texts}) == 1
        and all(text.isalnum() and any(character.isdigit() for character in text) for text in texts)
    )


def is_from_data(hierarchy: Hierarchy | None) -> bool:
    """Say whether a value would get another label if other records of the table had other values."""
    if isinstance(hierarchy, Averaged):
        return is_from_data(hierarchy.hierarchy)
    if isinstance(hierarchy, Ordered):
        return hierarchy.values is None and bool(hierarchy.runs)
    return hierarchy is None or isinstance(hierarchy, (Auto, Frequent, Quantiles))


# What the values of a column look like, whatever it is called.

FEW_RECORDS = 20  # in so small a table nearly every value occurs once, whatever it is
SAMPLE = 2_000  # so many values are looked at, evenly spaced: the same ones for the same table
MOST = 0.8  # a column is of a pattern if so large a share of its values is

_PATTERNS = {
    "e-mail addresses": r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}",
    "web addresses": r"(?:https?://|www\.)\S+",
    "network addresses": r"(?:\d{1,3}\.){3}\d{1,3}|(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4}",
    "unique identifiers": r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}",
    "bank accounts": r"[A-Z]{2}\d{2} ?(?:[A-Z0-9]{4} ?){2,7}[A-Z0-9]{1,4}",
    "official numbers of persons": r"\d{3}-\d{2}-\d{4}|\d{8}-?[A-Z]|[XYZ]-?\d{7}-?[A-Z]|[A-Z]\d{9}"
    r"|\d{2} ?\d{6} ?[A-Z] ?\d{3}"
    r"|[12] ?\d{2} ?(?:0[1-9]|1[0-2]) ?\d[\dAB] ?\d{3} ?\d{3}(?: ?\d{2})?|[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z]"
    r"|[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z\d]\d|\d{17}[\dXx]|\d{3}\.\d{3}\.\d{3}-\d{2}|756\.\d{4}\.\d{4}\.\d{2}"
    r"|(?:\d{2})?\d{4}[0-3]\d[-+]\d{4}|[0-3]\d[01]\d{3}[-+A-F]\d{3}[\dA-Y]|\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}"
    r"|[A-CEGHJ-PR-TW-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]|\d{4} \d{4} \d{4}(?: \d{4})?",
    "telephone numbers": r"(?:\+|00)\d[\d\s()/.-]{6,}|0\d[\d]*[\s()/.-][\d\s()/.-]{4,}|\(\d{3}\) ?\d{3}-\d{4}"
    r"|\d{3}[-.]\d{3}[-.]\d{4}",
}


def pattern_of(domain: Domain) -> str | None:
    """Say what most values of a column of text look like, if they point at persons."""
    texts = [text.strip() for text in sample_of_texts(domain)]
    for what, pattern in _PATTERNS.items() if texts else ():
        if sum(bool(re.fullmatch(pattern, text)) for text in texts) >= MOST * len(texts):
            return what
    return None


def is_free_text(domain: Domain) -> bool:
    """Whether a column of text holds sentences: several words each, and hardly ever the same."""
    texts = sample_of_texts(domain)
    if len(texts) < 2 or len(domain.values) < 0.3 * domain.counts[: len(domain.values)].sum():
        return False
    return float(np.mean([len(text.split()) for text in texts])) >= 5


def are_numbers(domain: Domain) -> bool:
    """Whether values are numbers, or texts that are numbers but for a mark of what is missing."""
    texts = sample_of_texts(domain)
    return domain.kind == "number" or (len(texts) > 1 and sum(map(_is_number, texts)) >= len(texts) - 1)


def are_whole_numbers(domain: Domain) -> bool:
    return domain.kind == "number" and domain.values.dtype.kind == "i" and len(domain.values) > 0


def _is_number(text: str) -> bool:
    return text.strip().lstrip("-").replace(".", "", 1).replace(",", "", 1).isdecimal()


def sample_of_texts(domain: Domain, most: int = SAMPLE) -> Sequence[str]:
    """Give some values of a column of text, evenly spaced; none of other kinds."""
    if domain.kind != "text":
        return []
    values = domain.values
    step = max(len(values) // most, 1)
    return [str(value) for value in values[::step].tolist()]
