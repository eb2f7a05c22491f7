"""How many people of a population table fit each class of a table or release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from incrowd.api._attack._asking import asked, some_of
from incrowd.api._attack._target import Target
from incrowd.api._census import open_with
from incrowd.api._fits import census_within
from incrowd.api._risk._classes import Grouped
from incrowd.core import TOP, CensusRequest, Classes, Domain, FullDomainRecoding, Recoding, Schema
from incrowd.engines import Engine
from incrowd.hierarchies import Averaged, is_from_data, unread
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
        notes += _unread(found, names, people, pairs) if released is None else []
    codes = census.codes[: len(fittings)]
    return crowds(found.classes.codes, fittings, codes, census.counts), census.records, notes


def _names(classes: Classes, place: int) -> Names:
    """Give the label of every code of a quasi-identifier."""
    if classes.labels is not None:
        return list(classes.labels[place].tolist())
    assert classes.standing is not None  # noqa: S101 - a census says where its classes stand
    return list(classes.standing.texts(place).tolist())


def _as_it_stands(found: Grouped, names: Names, people: Domain) -> Pairs:
    """Match anybody's table: numbers and dates are what they are, texts may be labels, and averages are nobody's."""
    hierarchy = dict(found.schema.quasi)[people.column]
    if isinstance(hierarchy, Averaged):
        return Pairs.of([])
    own = found.engine.domains([people.column])[people.column]
    if own.kind == people.kind != "text":
        labels = people.codes_in(own)
        return Pairs(labels[labels >= 0], np.flatnonzero(labels >= 0))
    return Pairs.of(asked(None if is_from_data(hierarchy) else hierarchy, names, people))


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
    others = asked(release.hierarchy(column), names, some_of(people, strange), recoding.ladders[column])
    return Pairs.joined([own, Pairs.of(others).among(strange)])


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


def _unread(found: Grouped, names: Names, people: Domain, pairs: Pairs) -> list[str]:
    """Say how many labels fit nobody because nothing tells what they stand for."""
    if isinstance(dict(found.schema.quasi)[people.column], Averaged):
        return [
            f"Column {people.column!r} is published as averages, which are nobody's values; there the table counts."
        ]
    fit = np.zeros(len(names), dtype=bool)
    fit[pairs.labels] = True
    count = int(unread([text for text, fits in zip(names, fit.tolist(), strict=True) if not fits], people).sum())
    what = f"Labels of {people.column!r} that are no values of the population and cannot be read"
    return [f"{what}: {count:,}; there the table counts."] if count else []
