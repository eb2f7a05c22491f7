"""How many people of a population table fit each class of a table or release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from incrowd.api._attack._target import Target, bound
from incrowd.api._census import open_with
from incrowd.api._fits import census_within
from incrowd.api._risk._classes import Grouped
from incrowd.core import TOP, CensusRequest, Classes, Domain, FullDomainRecoding, Hierarchy, Ladder, Recoding, Schema
from incrowd.engines import Engine
from incrowd.hierarchies import coverage, is_from_data, unread
from incrowd.measures import Fitting, crowds

Ints = npt.NDArray[np.integer]
Names = list[str | None]


class Pairs(NamedTuple):
    """Which values of the population fit which labels: one entry for each pair."""

    labels: Ints
    values: Ints

    @classmethod
    def of(cls, fits: Sequence[Ints]) -> Pairs:
        """Take for every label the values that fit it."""
        owner = np.repeat(np.arange(len(fits)), [len(values) for values in fits])
        return cls(owner, np.concatenate(fits) if fits else np.zeros(0, dtype=np.intp))

    @classmethod
    def joined(cls, parts: Sequence[Pairs]) -> Pairs:
        """Put pairs together that have no value in common."""
        return cls(np.concatenate([one.labels for one in parts]), np.concatenate([one.values for one in parts]))

    def among(self, values: Ints) -> Pairs:
        """Say which values of a larger domain these are; -1 for one that it does not have."""
        found = values[self.values]
        return Pairs(self.labels[found >= 0], found[found >= 0])


def crowds_of(found: Grouped, population: Any, **reading: Any) -> tuple[npt.NDArray[np.int64], int, list[str]]:
    """Count the people of a population that fit each class, and all of them; and say which labels fit nobody.

    Parameters
    ----------
    found
        The classes.
    population
        A table with the same quasi-identifiers, one row per person.
    reading
        How to read a file.

    Notes
    -----
    A value that the release was made of fits what it was published as. Of any other value the hierarchy is asked,
    unless it makes its groups from the values that it meets; where it does not know the value, the label is read.
    """
    roles = found.schema
    plain = Schema(dict(roles.quasi), missing=roles.missing, missing_values=roles.missing_values)
    engine = open_with(population, plain, **reading)
    census = census_within(engine, CensusRequest(plain.quasi_names), reading.get("memory"))
    released = None if found.recoding is None else Target(found.engine, roles, found.recoding)
    fittings, notes = [], []
    for place, name in enumerate(plain.quasi_names):
        names, people = _names(found.classes, place), census.domains[name]
        pairs = _as_it_stands(found, names, people) if released is None else _of_release(released, names, people)
        fittings.append(Fitting.of_pairs(pairs.labels, pairs.values, len(people), len(names)))
        notes += _unread(names, people, pairs) if released is None else []
    codes = census.codes[: len(fittings)]
    return crowds(found.classes.codes, fittings, codes, census.counts), census.records, notes


def _names(classes: Classes, place: int) -> Names:
    """Give the label of every code of a quasi-identifier."""
    if classes.labels is not None:
        return list(classes.labels[place].tolist())
    assert classes.standing is not None  # noqa: S101 - a census says where its classes stand
    return list(classes.standing.texts(place).tolist())


def _as_it_stands(found: Grouped, names: Names, people: Domain) -> Pairs:
    """Match anybody's table: numbers and dates are what they are, texts may be labels."""
    own = found.engine.domains([people.column])[people.column]
    if own.kind == people.kind != "text":
        labels = people.codes_in(own)
        return Pairs(labels[labels >= 0], np.flatnonzero(labels >= 0))
    return _asked(_hierarchy(found.schema, people.column), names, people)


def _of_release(release: Target, names: Names, people: Domain) -> Pairs:
    """Match the labels of a release: what the recoding knows, it decides."""
    recoding, column = release.recoding, people.column
    assert recoding is not None  # noqa: S101 - a release has one
    place = people.codes_in(recoding.domains[column])
    strange = np.flatnonzero(place < 0)
    back = np.full(len(recoding.domains[column]), -1, dtype=np.intp)
    back[place[place >= 0]] = np.flatnonzero(place >= 0)
    own = _known(release, recoding, names, column).among(back)
    if not len(strange):
        return own
    others = _asked(_hierarchy(release.schema, column), names, _some(people, strange), recoding.ladders[column])
    return Pairs.joined([own, others.among(strange)])


def _hierarchy(schema: Schema, column: str) -> Hierarchy | None:
    """Give the hierarchy of a column, if it gives a value the same labels wherever it meets it."""
    hierarchy = dict(schema.quasi)[column]
    return None if is_from_data(hierarchy) else hierarchy


def _known(release: Target, recoding: Recoding, names: Names, column: str) -> Pairs:
    """Say which values that a recoding knows are published as which label."""
    if isinstance(recoding, FullDomainRecoding):
        return _raised(release.engine, recoding, names, column)
    labels = release.census.labels(column).tolist()
    reached = dict(zip(labels, release.reached(column, recoding.domains[column]), strict=True))
    return Pairs.of([reached[text] for text in names])


def _raised(engine: Engine, recoding: FullDomainRecoding, names: Names, column: str) -> Pairs:
    """Raise the values that a recoding knows to the level of their column."""
    number = {text: code for code, text in enumerate(names)}
    ladder, level = recoding.ladders[column], recoding.levels[column]
    texts = ladder.labels[level].tolist()
    if level or recoding.masks:
        to = np.array([number.get(text, -1) for text in texts], dtype=np.intp)
    else:  # published as they were, whatever their type
        own = engine.domains([column])[column]
        codes = recoding.domains[column].codes_in(own)
        to = np.append(np.array([number[text] for text in own.texts.tolist()], dtype=np.intp), -1)[codes]
    every, labels = np.arange(len(recoding.domains[column])), to[ladder.groups[level]]
    pairs = Pairs(labels[labels >= 0], every[labels >= 0])
    if not recoding.masks or TOP in texts or TOP not in number:
        return pairs
    return Pairs.joined([pairs, Pairs(np.full(len(every), number[TOP]), every)])


def _asked(hierarchy: Hierarchy | None, names: Names, people: Domain, published: Ladder | None = None) -> Pairs:
    """Ask a hierarchy about values; of those that it does not know, the labels are read.

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
        return _read(names, people)
    known, ladder = found
    place = people.codes_in(known)
    inside, outside = np.flatnonzero(place >= 0), np.flatnonzero(place < 0)
    back = np.full(len(known), -1, dtype=np.intp)
    back[place[inside]] = inside
    elsewhere = _texts(published) - _texts(ladder) - {TOP}
    fits = coverage(names, known, ladder)
    own = Pairs.of([codes[:0] if text in elsewhere else codes for text, codes in zip(names, fits, strict=True)])
    return Pairs.joined([own.among(back), _read(names, _some(people, outside)).among(outside)])


def _read(names: Names, people: Domain) -> Pairs:
    """Read labels: ranges, masks, sets, periods; any other is a value and no more."""
    return Pairs.of(coverage(names, people))


def _some(domain: Domain, codes: Ints) -> Domain:
    """Give a part of a domain."""
    inside = codes[codes < len(domain.values)]
    spelling = None if domain.spelling is None else domain.spelling[inside]
    return replace(domain, values=domain.values[inside], counts=domain.counts[codes], spelling=spelling)


def _texts(ladder: Ladder | None) -> set[str | None]:
    return set() if ladder is None else {text for labels in ladder.labels for text in labels.tolist()}


def _unread(names: Names, people: Domain, pairs: Pairs) -> list[str]:
    """Say how many labels fit nobody because nothing tells what they stand for."""
    fit = np.zeros(len(names), dtype=bool)
    fit[pairs.labels] = True
    count = int(unread([text for text, fits in zip(names, fit.tolist(), strict=True) if not fits], people).sum())
    what = f"Labels of {people.column!r} that are no values of the population and cannot be read"
    return [f"{what}: {count:,}; there the table counts."] if count else []
