"""What labels say about values that a release was not made of: its hierarchies are asked, and then labels are read."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import TOP, Domain, Hierarchy, HierarchyError, Ladder, UncoveredValuesError
from incrowd.hierarchies import Averaged, Mask, coverage

Ints = npt.NDArray[np.integer]
Names = Sequence[str | None]


def asked(
    hierarchy: Hierarchy | None, names: Names, people: Domain, published: Ladder | None = None
) -> list[npt.NDArray[np.intp]]:
    """Give for every label the values that it covers; a hierarchy is asked, and of what it does not know, labels read.

    Parameters
    ----------
    hierarchy
        The hierarchy, if there is one to ask.
    names, people
        The labels and the values.
    published
        The ladder that the labels come from, if it is known: of values that the hierarchy knows, its labels are not
        read as something else.
    """
    found = None if hierarchy is None else bound(hierarchy, people)
    if found is None:
        return coverage(names, people)
    known, ladder = found
    place = people.codes_in(known)
    inside, outside = np.flatnonzero(place >= 0), np.flatnonzero(place < 0)
    back = np.full(len(known), -1, dtype=np.intp)
    back[place[inside]] = inside
    elsewhere = _said(published, hierarchy) - _texts(ladder) - {TOP}
    fits = coverage(names, known, ladder)
    own = [back[codes[:0] if text in elsewhere else codes] for text, codes in zip(names, fits, strict=True)]
    if not len(outside):
        return own
    read = coverage(names, people)  # what a label can be read as depends on all values
    return [np.concatenate([codes, others[place[others] < 0]]) for codes, others in zip(own, read, strict=True)]


def bound(hierarchy: Any, domain: Domain) -> tuple[Domain, Ladder] | None:
    """Fit a hierarchy to the values of a column that it knows."""
    try:
        return domain, hierarchy.bind(domain)
    except UncoveredValuesError as unknown:
        values = set(unknown.values)
    except HierarchyError:
        return None
    inside = np.array([text not in values for text in domain.texts[: len(domain.values)].tolist()], dtype=bool)
    some = Domain(domain.column, domain.kind, domain.values[inside], domain.counts[: len(domain.values)][inside])
    try:
        return some, hierarchy.bind(some)
    except HierarchyError:
        return None


def as_they_are(own: Domain, people: Domain) -> list[npt.NDArray[np.intp]] | None:
    """Give for every published value who has it; nobody made it vaguer, though a text may look like a range.

    Parameters
    ----------
    own
        The published values. A star is none: it is in every column of records that are masked.
    people
        Somebody's values.

    Returns
    -------
    Nothing unless texts are published, and dates are not what they are compared with: a day holds moments.
    """
    if own.kind != "text" or people.kind in {"date", "datetime"}:
        return None
    places = people.codes_in(own)
    order = np.argsort(places, kind="stable")
    bounds = np.searchsorted(places[order], np.arange(len(own) + 1))
    found = [order[first:last] for first, last in itertools.pairwise(bounds.tolist())]
    every = np.arange(len(people))
    return [every if text == TOP else codes for text, codes in zip(own.texts.tolist(), found, strict=True)]


def some_of(domain: Domain, codes: Ints) -> Domain:
    """Give a part of a domain."""
    inside = codes[codes < len(domain.values)]
    spelling = None if domain.spelling is None else domain.spelling[inside]
    return replace(domain, values=domain.values[inside], counts=domain.counts[codes], spelling=spelling)


def _said(ladder: Ladder | None, hierarchy: Hierarchy | None) -> set[str | None]:
    """Give the labels of a ladder that say by themselves whom they stand for; a mask tells it by what it shows."""
    plain = hierarchy.hierarchy if isinstance(hierarchy, Averaged) else hierarchy
    levels = () if ladder is None else ladder.labels[:1] if isinstance(plain, Mask) else ladder.labels
    return {text for labels in levels for text in labels.tolist()}


def _texts(ladder: Ladder) -> set[str | None]:
    return {text for labels in ladder.labels for text in labels.tolist()}
