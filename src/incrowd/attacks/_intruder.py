"""``Intruder``: what an intruder is supposed to know besides the release, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Integral
from typing import Any

import numpy as np

from incrowd.core import DataError, Domain, FrozenMapping, ParameterError
from incrowd.models import Number, given_text, number_from_text

Texts = Mapping[str, tuple[str, ...]]
Shares = Mapping[str, Mapping[str, Fraction]]


@dataclass(frozen=True, init=False, eq=False)
class Intruder:
    """What an intruder knows besides the quasi-identifiers of a person, and what counts as found out.

    Parameters
    ----------
    excluded
        How many sensitive values the intruder can rule out about a person, the most telling ones for that person.
    values
        Per sensitive column, values that the intruder knows that the person does not have; instead of the worst case.
    public
        Per sensitive column a public distribution, as a dict from value to how likely it is: the intruder rules out the
        ``excluded`` values of a class that are least likely there. A value that it lacks is the least likely.
    categories
        Per sensitive column, the categories that matter for the similarity attack; all of them by default.
    level
        The level of a sensitive column's taxonomy at which values count as similar.
    narrow
        Which share of the table's range of numbers is so narrow that a class within it is exposed.
    gain
        How many times likelier than in the whole table a value must be for a class to be exposed to skewness.
    sure
        From which chance on a guess counts as knowledge.
    items
        How many items of a person's set the intruder knows, where values are sets, such as diagnoses.
    seed
        Where chance begins, for attacks that sample.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.Intruder(excluded=2, values={"disease": ["flu"]})
    Intruder(excluded=2, level=1, narrow=1/10, gain=10, sure=9/10)
    """

    excluded: int
    values: Texts = field(repr=False)
    public: Shares = field(repr=False)
    categories: Texts = field(repr=False)
    level: int
    narrow: Fraction
    gain: Fraction
    sure: Fraction
    items: int
    seed: int

    def __init__(  # noqa: PLR0913 - an intruder can know many things; all are optional
        self,
        *,
        excluded: int = 1,
        values: Mapping[str, Sequence[Any]] | None = None,
        public: Mapping[str, Mapping[Any, Number]] | None = None,
        categories: Mapping[str, Sequence[str]] | None = None,
        level: int = 1,
        narrow: Number = Fraction(1, 10),
        gain: Number = 10,
        sure: Number = Fraction(9, 10),
        items: int = 2,
        seed: int = 0,
    ) -> None:
        found: dict[str, Any] = {
            "values": _value_texts("values", values),
            "public": _public_shares(public),
            "categories": _value_texts("categories", categories),
            "narrow": _checked_number("narrow", narrow, 0, 1),
            "gain": _checked_number("gain", gain, 1, None),
            "sure": _checked_number("sure", sure, 0, 1),
        }
        for name, number, least in (
            ("excluded", excluded, 0),
            ("level", level, 1),
            ("items", items, 1),
            ("seed", seed, 0),
        ):
            found[name] = _whole_number(name, number, least=least)
        for name, value in found.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:  # values of the data stay unsaid
        parts = (f"{name}={getattr(self, name)}" for name in ("excluded", "level", "narrow", "gain", "sure"))
        return f"Intruder({', '.join(parts)})"


_ABSURD = 10**100
"""No number that is meant is so large, and Python does not write much larger ones."""


def _whole_number(name: str, given: object, *, least: int) -> int:
    if not isinstance(given, Integral) or isinstance(given, bool) or int(given) < least:
        msg = f"{name} must be a whole number of at least {least}, got {given_text(given)}."
        raise ParameterError(msg)
    if int(given) >= 2**63:
        msg = f"{name} must be below 2**63."
        raise ParameterError(msg)
    return int(given)


def _checked_number(name: str, given: object, low: int, high: int | None) -> Fraction:
    absurd = isinstance(given, bool) or (isinstance(given, int) and abs(given) >= _ABSURD)
    number = None if absurd else number_from_text(str(given))
    if number is None or number < low or (high is not None and number > high):
        limit = f"at least {low}" if high is None else f"from {low} to {high}"
        msg = f"{name} must be a number {limit}, got {given_text(given)}."
        raise ParameterError(msg)
    return number


def _value_texts(name: str, given: Mapping[str, Sequence[Any]] | None) -> Texts:
    found = {}
    for column, values in _values_by_column(name, given):
        if isinstance(values, str) or not isinstance(values, Sequence):
            msg = f"{name} of column {column!r} must be a list, got {type(values).__name__}."
            raise ParameterError(msg, hint="write a list, also for a single value.")
        found[column] = tuple(_value_text(f"{name} of column {column!r}", value) for value in values)
    return FrozenMapping(found)


def _public_shares(given: Mapping[str, Mapping[Any, Number]] | None) -> Shares:
    found = {}
    for column, shares in _values_by_column("public", given):
        if not isinstance(shares, Mapping):
            msg = f"public of column {column!r} must be a dict from value to share, got {type(shares).__name__}."
            raise ParameterError(msg)
        what = f"public of column {column!r}"
        found[column] = {_value_text(what, value): _checked_number(what, one, 0, None) for value, one in shares.items()}
    return FrozenMapping(found)


def _value_text(what: str, value: Any) -> str:
    """Write a value as tables do, also one of NumPy's; a missing one as the empty text."""
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]")  # Python knows no nanoseconds
    plain = value.item() if isinstance(value, np.generic) else value
    try:
        return str(Domain.of("", [plain]).texts[0] or "")
    except (DataError, ValueError, TypeError):  # of lists, tables and other things that are no single value
        msg = f"{what} cannot hold {type(value).__name__}."
        raise ParameterError(msg, hint="use numbers, booleans, dates, timestamps or text.") from None


def _values_by_column(name: str, given: Mapping[str, Any] | None) -> list[tuple[str, Any]]:
    if given is not None and not isinstance(given, Mapping):
        msg = f"{name} must be a dict with the column as key, got {type(given).__name__}."
        raise ParameterError(msg)
    for column in given or ():
        if not isinstance(column, str):
            msg = f"{name} must have names of columns as keys, got {type(column).__name__}."
            raise ParameterError(msg, hint='names are texts, such as "disease".')
    return [] if given is None else list(given.items())
