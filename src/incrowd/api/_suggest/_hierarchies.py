"""Which hierarchy a column could have, written so that no value of the table stands in it."""

from __future__ import annotations

from incrowd.api._plan._forms import HierarchyForm, form_of
from incrowd.api._suggest._days import dates_in
from incrowd.api._suggest._known_codes import is_guess, known_codes, postcodes_in
from incrowd.api._suggest._nominal import names_things
from incrowd.core import Domain, Hierarchy
from incrowd.hierarchies import (
    Classification,
    Flat,
    Frequent,
    Intervals,
    Postcodes,
    auto,
    flat,
    frequent_for,
    intervals,
    mask,
)

LONG = 8
"""Codes of more characters make too many levels for a mask."""

APART = 24
"""Ages and years that lie closer together than this become pairs instead of fives."""

BY_HAND = 'a tree of your own keeps more: { tree = "file.csv" }'
"""Said of names without a ladder that fits."""

UNEVEN = "some numbers lie far out; for ranges with as many rows each: { quantiles = [8, 4, 2] }"
"""Said of numbers whose ladder has an open end."""

WHICH_COUNTRY = 'read as German postcodes, which these could be: { postcodes = "FR" } for another country'
"""Said of postcodes whose form and name do not tell their country."""

SOME = 10
"""Up to so many names of things none counts as rare."""

YEARS = ("a date of birth", "a date that others may know", "a time of a wave or an event that others may know")


def suggest_hierarchy(domain: Domain, about: str | None) -> tuple[HierarchyForm, str]:
    """Give a hierarchy and what to say about it, if anything.

    Parameters
    ----------
    domain
        The values of the column.
    about
        What the column is about, if its name says so.
    """
    hierarchy, check = _choose(domain, about)
    return form_of(hierarchy), check


def _choose(domain: Domain, about: str | None) -> tuple[Hierarchy, str]:
    if by_name := _by_name(domain, about):
        return by_name, WHICH_COUNTRY if isinstance(by_name, Postcodes) and is_guess(domain) else ""
    if known := known_codes(domain, about):
        others = isinstance(known, Classification) and known.others is not None
        return known, "some values are not in the classification: they are one group" if others else ""
    by_day, check = dates_in(domain)
    if by_day is not None:
        return by_day, check
    if _whole(domain) and names_things(domain, about):
        return (frequent_for(domain, 0.01, 0.05) if len(domain.values) > SOME else None) or flat(), BY_HAND
    chosen = auto().choose(domain)
    if chosen == mask() and not _are_short_codes(domain):
        chosen = frequent_for(domain, 0.01, 0.05) or flat()
    if isinstance(chosen, Intervals) and (chosen.bottom, chosen.top) != (None, None):
        return chosen, UNEVEN
    by_hand = isinstance(chosen, Frequent) or (isinstance(chosen, Flat) and len(domain.values) > 4)
    return chosen, BY_HAND if by_hand else ""


def _by_name(domain: Domain, about: str | None) -> Hierarchy | None:
    """Choose what people are used to, where the name says what the column is about."""
    if about == "an age" and _lies_in(domain, 0, 130):
        return intervals(5, 10, 20, top=90)
    if about in YEARS and _lies_in(domain, 1800, 2100):
        return intervals(5, 10, 20)
    if about not in {"a postcode", "postcodes"}:
        return None
    return postcodes_in(domain) or (mask() if _are_short_codes(domain) else None)


def _lies_in(domain: Domain, low: int, high: int) -> bool:
    values = domain.values
    return _whole(domain) and low <= values[0] <= values[-1] <= high and values[-1] - values[0] > APART


def _whole(domain: Domain) -> bool:
    return domain.kind == "number" and domain.values.dtype.kind == "i" and len(domain.values) > 0


def _are_short_codes(domain: Domain) -> bool:
    return (domain.kind == "text" or _whole(domain)) and max(map(len, map(str, domain.values)), default=0) <= LONG
