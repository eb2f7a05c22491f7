"""Refuse what cannot be meant by an argument, before anything is read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from incrowd.core import ParameterError

MOST_PEOPLE = 10**10
"""More people than live on earth; what is estimated for a larger population drowns in rounding errors."""


def check_column(given: object, what: str) -> None:
    """Refuse what cannot be the name of a column."""
    if not isinstance(given, str):
        msg = f"{what} must be the name of a column, got {type(given).__name__}."
        raise ParameterError(msg, hint='names are texts, such as "age".')


def listed(given: object, what: str, hint: str) -> list[Any]:
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
