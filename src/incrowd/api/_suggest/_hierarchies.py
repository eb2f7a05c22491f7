"""Which hierarchy a column could have, written so that no value of the table stands in it."""

from __future__ import annotations

from incrowd.api._plan._forms import HierarchyForm, form_of
from incrowd.api._suggest._content import dates_in
from incrowd.core import Domain, Hierarchy
from incrowd.hierarchies import auto, flat, frequent, intervals, mask

LONG = 8
"""Codes of more characters make too many levels for a mask."""


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
        return by_name, ""
    found, ambiguous = dates_in(domain)
    if found is not None:
        return found, "please check: are days and months read the right way round?" if ambiguous else ""
    chosen = auto().choose(domain)
    if chosen == mask() and not _are_short_codes(domain):
        chosen = frequent(0.01, 0.05)
    by_hand = chosen == frequent(0.01, 0.05) or (chosen == flat() and len(domain.values) > 4)
    return chosen, 'a tree of your own keeps more: { tree = "file.csv" }' if by_hand else ""


def _by_name(domain: Domain, about: str | None) -> Hierarchy | None:
    """Choose what people are used to, where the name says what the column is about."""
    if about == "an age" and _whole(domain) and domain.values[0] >= 0 and domain.values[-1] <= 130:
        return intervals(5, 10, 20, top=90)
    if about == "a date of birth" and _whole(domain) and len(domain.values) > 4:
        return intervals(5, 10, 20)
    return mask() if about == "a postcode" and _are_short_codes(domain) else None


def _whole(domain: Domain) -> bool:
    return domain.kind == "number" and domain.values.dtype.kind == "i" and len(domain.values) > 0


def _are_short_codes(domain: Domain) -> bool:
    return (domain.kind == "text" or _whole(domain)) and max(map(len, map(str, domain.values)), default=0) <= LONG
