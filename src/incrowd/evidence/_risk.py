"""Measuring how easily people can be found in a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt

from incrowd.core import TOP, CensusRequest, Classes, Domain, FullDomainRecoding, ParameterError, Recoding, Schema
from incrowd.engines import Engine
from incrowd.evidence._risk_classes import Grouped, grouped
from incrowd.evidence._risk_result import AttackerRisk, Risk
from incrowd.evidence._subject import Target
from incrowd.hierarchies import Averaged, asked, is_from_data, some_of, unread
from incrowd.measures import (
    Chances,
    Exposed,
    Fitting,
    Guess,
    Sizes,
    Uniqueness,
    best_guess,
    chances_expected,
    chances_in_population,
    chances_in_table,
    crowds,
    estimated_uniqueness,
    expected_chance,
    persons_alone,
    pitman_fit,
)
from incrowd.models import Number, check_column, check_people, exact_fraction
from incrowd.release import Reading, census_within_memory, open_with

# How many people of a population table fit each class of a table or release.

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

    Notes
    -----
    A value that the release was made of fits what it was published as. Of any other value the hierarchy is asked,
    unless it makes its groups from the values that it meets; where it does not know the value, the label is read.
    """
    roles = found.schema
    plain = Schema(dict(roles.quasi), missing=roles.missing, missing_values=roles.missing_values)
    engine = open_with(population, plain, **reading)
    census = census_within_memory(engine, CensusRequest(plain.quasi_names))
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


Floats = npt.NDArray[np.float64]

_IN_TABLE = "knows that the person is in the table"
_SPARSE = "Many records are alone in the table; chances from weights are known to come out too low then."
_NO_POPULATION = "links every record; the table is taken to be the population"


@dataclass(frozen=True, slots=True)
class _Found:
    """What is known about the population: the chances there, where they come from, and who is one of a kind."""

    chances: Chances
    source: str
    uniqueness: Uniqueness
    notes: tuple[str, ...] = ()


def risk(
    table: Any,
    schema: Schema | None = None,
    *,
    original: Any = None,
    population: Any = None,
    weight: str | None = None,
    threshold: Number = 0.2,
    **reading: Unpack[Reading],
) -> Risk:
    """Measure how easily people can be found in a table, by three kinds of intruders.

    Parameters
    ----------
    table
        A release, the folder or ``release.json`` of a saved one, or any table as in ``census``: raw data or anybody's
        released file. Labels are grouped as they stand.
    schema
        The role of every column; a release brings its own.
    original
        The table that a release was made from. Needed only where people have several rows: a release does not say whose
        row is whose.
    population
        The people that the table was drawn from, where an intruder must look for the person: their number, at most
        10**10, or a table with the same quasi-identifiers, one row per person, not generalized. People fit every label
        that covers their values: of a release, as it was made; of any other table, as labels can be read.
    weight
        The column that says how many people of the population each record stands for: sampling weights. It is no
        quasi-identifier.
    threshold
        Above which a chance counts as too high; exactly so high is not. 0.2 is the chance in a class of five.
    reading
        How to read a file, as in ``census``.

    Notes
    -----
    With a population table the journalist's chance in a class is 1 over the people there. With its size it is the
    expected value of that under Pitman's model, which is fitted to the class sizes and takes the table for a simple
    random sample. With weights it is the individual risk of Benedetti and Franconi, as µ-ARGUS and sdcMicro have it.

    References
    ----------
    K. El Emam. *Guide to the de-identification of personal health information.* CRC Press, 2013.
    F. K. Dankar, K. El Emam. *A method for evaluating marketer re-identification risk.* PAIS 2010.

    Examples
    --------
    >>> import incrowd as ic
    >>> table = [{"age": "30s"}, {"age": "30s"}, {"age": "40s"}, {"age": "50s"}]
    >>> risk = ic.risk(table, ic.Schema(quasi=["age"]), population=40)
    >>> risk.prosecutor.highest, risk.prosecutor.average, risk.uniqueness.sample
    (Fraction(1, 1), Fraction(3, 4), 2)
    >>> round(risk.journalist.highest, 2)
    0.37
    """
    limit = exact_fraction(threshold, name="threshold", low=0, high=1)
    if weight is not None:
        check_column(weight, "weight")
    if population is not None and weight is not None:
        msg = "The population can be given by weights or by itself, not by both."
        raise ParameterError(msg, hint="leave out weight or population.")
    found = grouped(table, schema, original, weight, **reading)
    classes = found.classes
    inside = chances_in_table(classes.size, limit)
    outside = _outside(found, population, limit, reading)
    return Risk(
        records=int(classes.records.sum()),
        persons=found.persons,
        classes=len(classes),
        k=int(classes.size.min()) if len(classes) else None,
        threshold=limit,
        prosecutor=_attacker("prosecutor", _IN_TABLE, inside, classes),
        journalist=None if outside is None else _journalist(outside, classes),
        marketer=_marketer(inside, outside),
        uniqueness=_in_table(found) if outside is None else outside.uniqueness,
        alone_by_rows=_alone_by_rows(classes),
        guesses=_guesses(found),
        notes=() if outside is None else outside.notes,
    )


def _outside(found: Grouped, population: Any, limit: Fraction, reading: Mapping[str, Any]) -> _Found | None:
    """Look at the population, however it is known."""
    if found.weights is not None:
        return _weighted(found, found.weights, limit)
    if population is None:
        return None
    if isinstance(population, (int, np.integer)) and not isinstance(population, bool):
        return _sized(found, int(population), limit)
    if isinstance(population, (bool, float, Fraction)):
        msg = f"population must be a whole number of people or a table, got {population!r}."
        raise ParameterError(msg)
    return _counted(found, population, limit, reading)


def _counted(found: Grouped, population: Any, limit: Fraction, reading: Mapping[str, Any]) -> _Found:
    """Count the people of a population table that fit each class."""
    size = found.classes.size
    people, number, unread = crowds_of(found, population, **reading)
    short = people < size
    crowds = np.maximum(people, size)
    alone = int(size[(size == 1) & (crowds == 1)].sum())
    uniqueness = _uniqueness(found, number, {"population table": float(alone)})
    where = f"In {int(short.sum()):,} of {len(short):,} classes"
    few = f"{where} the table has more people than the population; there it counts."
    chances = chances_in_population(size, crowds, limit)
    return _Found(chances, "a population table", uniqueness, (*([few] if short.any() else []), *unread))


def _sized(found: Grouped, population: int, limit: Fraction) -> _Found:
    """Estimate from the size of the population."""
    size, people = found.classes.size, found.people
    check_people(population)
    if population < people:
        msg = f"The population of {population:,} is smaller than the table of {people:,}."
        raise ParameterError(msg, hint="population is how many people the table was drawn from.")
    chances = chances_expected(size, _under_pitman(size, population), limit)
    source = f"a population of {population:,}, estimated"
    if int(size.sum()) != people:
        note = "Estimates of uniqueness need people who are in one class each, and here some are in several."
        return _Found(chances, source, _uniqueness(found, population, {}), (note,))
    return _Found(chances, source, estimated_uniqueness(size, population))


def _weighted(found: Grouped, weights: Floats, limit: Fraction) -> _Found:
    """Estimate from sampling weights: the weights of a class add up to its people in the population."""
    size = found.classes.size
    shares = np.minimum(size / weights, 1.0) if len(size) else weights
    alone = float(shares[size == 1].sum())
    uniqueness = _uniqueness(found, float(weights.sum()), {"negative binomial": alone})
    low = int((weights < size).sum())
    notes = [f"In {low:,} classes the weights add up to fewer people than there are records; there the table counts."]
    notes = [*(notes if low else []), *([_SPARSE] if uniqueness.share > 0.1 else [])]
    chances = chances_expected(size, expected_chance(size, shares), limit)
    return _Found(chances, "sampling weights, estimated", uniqueness, tuple(notes))


def _under_pitman(size: npt.NDArray[np.int64], population: int) -> Floats:
    """Give the expected chance of every class under Pitman's model, once per size that occurs.

    Where the sample cannot tell the model's parameters: if everybody is alone there, then in the population too.
    """
    sizes = Sizes.of(size, max(population, int(size.sum())))
    if sizes.alone == sizes.records:
        return np.ones(len(size))
    alpha, theta = pitman_fit(sizes) or (0.0, 0.0)
    share = (theta + sizes.records) / (theta + sizes.population)
    chances = expected_chance(sizes.sizes, np.full(len(sizes.sizes), share), alpha)
    return np.asarray(chances[np.searchsorted(sizes.sizes, size)], dtype=np.float64)


def _uniqueness(found: Grouped, population: float, estimates: Mapping[str, float | None]) -> Uniqueness:
    known = _in_table(found)
    return Uniqueness(known.sample, known.records, population, dict(estimates))


def _in_table(found: Grouped) -> Uniqueness:
    """Count who is alone in the table; a person once, however many classes he is alone in."""
    alone = Exposed.of(found.classes, found.classes.size == 1).people
    return Uniqueness(alone, found.people, None, {})


def _attacker(name: str, knows: str, chances: Chances, classes: Classes) -> AttackerRisk:
    return AttackerRisk(name, knows, chances.highest, chances.average, Exposed.of(classes, chances.above))


def _journalist(found: _Found, classes: Classes) -> AttackerRisk:
    return _attacker("journalist", f"must find the person in the population: {found.source}", found.chances, classes)


def _marketer(inside: Chances, outside: _Found | None) -> AttackerRisk:
    if outside is None:
        return AttackerRisk("marketer", _NO_POPULATION, None, inside.average, None)
    knows = f"links every record with the population: {outside.source}"
    return AttackerRisk("marketer", knows, None, outside.chances.average, None)


def _alone_by_rows(classes: Classes) -> int | None:
    person = classes.cells.person
    return None if person is None else persons_alone(classes.members, person)


def _guesses(found: Grouped) -> Mapping[str, Guess]:
    return {name: best_guess(found.classes, name) for name in found.sensitive}
