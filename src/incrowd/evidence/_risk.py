"""``risk``: chances of prosecutor, journalist and marketer in a table, with a population table, its size or weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from incrowd.attacks import Links, Matching, people_of
from incrowd.core import (
    CensusRequest,
    Classes,
    DataError,
    Domain,
    ParameterError,
    Schema,
    SchemaError,
    UnknownColumnError,
    group,
)
from incrowd.evidence._alignment import original_census
from incrowd.evidence._risk_result import AttackerRisk, Risk
from incrowd.evidence._subject import Subject
from incrowd.hierarchies import Averaged, coverage_by_hierarchy, is_from_data, unreadable
from incrowd.measures import (
    Chances,
    Exposed,
    HouseholdRisk,
    Sizes,
    Uniqueness,
    best_guess,
    chances_in_population,
    chances_in_table,
    estimated_uniqueness,
    expected_chance,
    expected_chances,
    persons_alone,
    pitman_fit,
)
from incrowd.models import Number, check_column, check_people, exact_fraction
from incrowd.release import Reading, census_within_memory, open_with_schema

# How many people of a population table fit each class of a table or release.

Counts = npt.NDArray[np.int64]


def crowds_of(subject: Subject, population: Any, **reading: Any) -> tuple[Counts, int, list[str]]:
    """Count the people of a population that fit each class, and all of them; and say which labels fit nobody.

    A value that the release was made of fits what it was published as. Of any other value the hierarchy is asked,
    unless it makes its groups from the values that it meets; where it does not know the value, the label is read.
    """
    roles = subject.roles
    plain = Schema(dict(roles.quasi), missing=roles.missing, missing_values=roles.missing_values)
    census = census_within_memory(open_with_schema(population, plain, **reading), CensusRequest(plain.quasi_names))
    matchings, notes = [], []
    for name in plain.quasi_names:
        people = census.domains[name]
        if subject.recoding is not None:
            fits: Sequence[npt.NDArray[np.integer]] = subject.covered(name, people)
        else:
            fits = _values_covered_as_is(subject, people)
            notes += _unread_labels_note(subject, people, fits)
        matchings.append(Matching.of(fits, len(people)))
    links = Links(subject.classes.codes, census.codes, matchings)
    return links.crowds(census.counts, len(subject.classes)), census.records, notes


def _values_covered_as_is(subject: Subject, people: Domain) -> Sequence[npt.NDArray[np.integer]]:
    """Match anybody's table: numbers and dates are what they are, texts may be labels, and averages are nobody's."""
    own, hierarchy = subject.census.domains[people.column], dict(subject.schema.quasi)[people.column]
    if isinstance(hierarchy, Averaged):
        return [np.zeros(0, dtype=np.intp)] * len(own)
    if own.kind == people.kind != "text":
        labels = people.codes_in(own)
        order = np.argsort(labels, kind="stable")
        return np.split(order, np.searchsorted(labels[order], np.arange(len(own))))[1:]
    return coverage_by_hierarchy(None if is_from_data(hierarchy) else hierarchy, own.texts.tolist(), people)


def _unread_labels_note(subject: Subject, people: Domain, fits: Sequence[npt.NDArray[np.integer]]) -> list[str]:
    """Say how many labels fit nobody because nothing tells what they stand for."""
    name = people.column
    if name in subject.averaged:
        return [f"Column {name!r} is published as averages, which are nobody's values; there the table counts."]
    texts = subject.census.labels(name).tolist()
    count = int(unreadable([text for text, found in zip(texts, fits, strict=True) if not len(found)], people).sum())
    what = f"Labels of {name!r} that are no values of the population and cannot be read"
    return [f"{what}: {count:,}; there the table counts."] if count else []


Floats = npt.NDArray[np.float64]

_IN_TABLE = "knows that the person is in the table"
_SPARSE = "Many records are alone in the table; chances from weights are known to come out too low then."
_NO_POPULATION = "links every record; the table is taken to be the population"


@dataclass(frozen=True, slots=True)
class _Population:
    """What is known about the population: the chances there, where they come from, and who is one of a kind."""

    chances: Chances
    each: Floats  # the chance in every class
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
    household: str | None = None,
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
    household
        The column that says which household a row is of, where each row is a member: the entity, or any column of a
        table without one. A household is found by any member; of an entity, members who look alike count once.
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
    subject = _with_persons(Subject.of(table, schema, reading), original, weight, reading)
    subject = subject if weight is None else _with_weights(subject, weight)
    subject = subject if household is None else _with_households(subject, household)
    classes = subject.classes
    inside = chances_in_table(classes.size, limit)
    outside = _population_of(subject, weight, population, limit, reading)
    chances, source = (inside, "") if outside is None else (outside.chances, outside.source)
    find, links = (
        f"{does} the population: {source}" for does in ("must find the person in", "links every record with")
    )
    return Risk(
        records=int(classes.records.sum()),
        persons=subject.census.persons,
        classes=len(classes),
        k=int(classes.size.min()) if len(classes) else None,
        threshold=limit,
        prosecutor=_attacker_risk("prosecutor", _IN_TABLE, inside, classes),
        journalist=None if outside is None else _attacker_risk("journalist", find, chances, classes),
        marketer=AttackerRisk("marketer", links if outside else _NO_POPULATION, None, chances.average, None),
        uniqueness=_uniqueness_of(classes) if outside is None else outside.uniqueness,
        households=None if household is None else _households_of(classes, household, outside, limit),
        alone_by_rows=None if classes.cells.person is None else persons_alone(classes.members, classes.cells.person),
        guesses={name: best_guess(classes, name) for name in subject.schema.sensitive_names},
        notes=() if outside is None else outside.notes,
    )


def _with_persons(subject: Subject, original: Any, weight: str | None, reading: Mapping[str, Any]) -> Subject:
    """Put the persons beside what is published, if there are any; only the original knows them."""
    if not subject.has_several_rows:
        return subject
    if original is None:
        msg = "People have several rows here, and a release does not say whose row is whose."
        raise ParameterError(msg, hint="give the table that it was made from: original=...")
    if subject.owned is None:
        msg = "People have several rows here, and only the folder owner says how the release was made of theirs."
        raise ParameterError(msg, hint="put it beside the folder public again.")
    if weight is not None:  # which is refused
        return subject
    if subject.release is not None:
        original_census(subject.release, original, subject.schema.sensitive_names, **reading)  # refuses other tables
    return subject.with_persons(original, reading)


def _with_weights(subject: Subject, weight: str) -> Subject:
    """Count the weights beside what is published."""
    engine, schema = subject.engine, subject.schema
    if schema.entity is not None:
        msg = "Weights are about records, and here people have several."
        raise ParameterError(msg, hint="leave out weight, or give the size of the population.")
    columns = list(engine.columns())
    if weight not in columns:
        raise UnknownColumnError.of(weight, columns, given_as="weight", show=engine.shows_names)
    if weight in schema.quasi_names:
        msg = f"Column {weight!r} cannot be the weight: its role is quasi-identifier."
        raise SchemaError(msg, hint="a weight says how many people a record stands for; nobody is recognised by it.")
    return replace(subject, beside=() if weight in schema.sensitive_names else (weight,))


def _with_households(subject: Subject, household: str) -> Subject:
    """Count the households beside what is published, where they are not the people that are counted."""
    check_column(household, "household")
    columns, schema = list(subject.engine.columns()), subject.schema
    if household == schema.entity:
        return subject
    if household not in columns:
        raise UnknownColumnError.of(household, columns, given_as="household", show=subject.engine.shows_names)
    if household in schema.quasi_names:
        msg = f"Column {household!r} cannot be the household: its role is quasi-identifier."
        raise SchemaError(msg, hint="a household says which rows belong together; nobody is recognised by it.")
    if schema.entity is not None:
        msg = f"Households by {household!r} need one row per member, and people have several ({schema.entity!r})."
        raise ParameterError(msg, hint="give a table with a row for each member, or the entity as the household.")
    beside = () if household in {*schema.sensitive_names, *subject.beside} else (household,)
    return replace(subject, beside=(*subject.beside, *beside))


def _households_of(
    classes: Classes, household: str, population: _Population | None, threshold: Fraction
) -> HouseholdRisk:
    """Put the chances of the members together."""
    cells = classes.cells
    codes = cells.person if cells.person is not None else cells.sensitive[household]
    if cells.person is None and cells.domains[household].has_null:
        msg = f"Column {household!r} (given as household) is missing in some rows."
        raise DataError(msg, hint="give every row a household; who lives alone is one.")
    chances, at = 1 / np.maximum(classes.size, 1) if population is None else population.each, classes.members
    counts = cells.counts.astype(np.int64)
    if cells.person is not None:  # members who look alike point to the same households
        pairs = group([codes, at], [int(codes.max(initial=0)) + 1, max(len(classes), 1)])
        codes, at, counts = codes[pairs.first], at[pairs.first], np.ones(len(pairs), dtype=np.int64)
    return HouseholdRisk.of(household, codes, counts, chances[at], threshold)


def _population_of(
    subject: Subject, weight: str | None, population: Any, limit: Fraction, reading: Mapping[str, Any]
) -> _Population | None:
    """Look at the population, however it is known."""
    classes = subject.classes
    if weight is not None:
        return _population_by_weights(classes, _class_weights(classes, weight), limit)
    if population is None:
        return None
    if isinstance(population, (int, np.integer)) and not isinstance(population, bool):
        return _population_by_size(classes, int(population), limit)
    if isinstance(population, (bool, float, Fraction)):
        msg = f"population must be a whole number of people or a table, got {population!r}."
        raise ParameterError(msg)
    people, number, unread = crowds_of(subject, population, **reading)
    return _population_by_table(classes, people, number, unread, limit)


def _population_by_table(
    classes: Classes, people: Counts, number: int, unread: Sequence[str], limit: Fraction
) -> _Population:
    """Take the people of a population table that fit each class."""
    size = classes.size
    short, crowds = people < size, np.maximum(people, size)
    alone = int(size[(size == 1) & (crowds == 1)].sum())
    where = f"In {int(short.sum()):,} of {len(short):,} classes"
    few = f"{where} the table has more people than the population; there it counts."
    uniqueness = _uniqueness_of(classes, number, {"population table": float(alone)})
    notes = (*([few] if short.any() else []), *unread)
    chances = chances_in_population(size, crowds, limit)
    return _Population(chances, 1 / crowds, "a population table", uniqueness, notes)


def _population_by_size(classes: Classes, population: int, limit: Fraction) -> _Population:
    """Estimate from the size of the population."""
    size, people = classes.size, people_of(classes)
    check_people(population)
    if population < people:
        msg = f"The population of {population:,} is smaller than the table of {people:,}."
        raise ParameterError(msg, hint="population is how many people the table was drawn from.")
    each = _under_pitman(size, population)
    chances = expected_chances(size, each, limit)
    source = f"a population of {population:,}, estimated"
    if int(size.sum()) != people:
        note = "Estimates of uniqueness need people who are in one class each, and here some are in several."
        return _Population(chances, each, source, _uniqueness_of(classes, population), (note,))
    return _Population(chances, each, source, estimated_uniqueness(size, population))


def _population_by_weights(classes: Classes, weights: Floats, limit: Fraction) -> _Population:
    """Estimate from sampling weights: the weights of a class add up to its people in the population."""
    size = classes.size
    shares = np.minimum(size / weights, 1.0) if len(size) else weights
    alone = float(shares[size == 1].sum())
    uniqueness = _uniqueness_of(classes, float(weights.sum()), {"negative binomial": alone})
    low = int((weights < size).sum())
    notes = [f"In {low:,} classes the weights add up to fewer people than there are records; there the table counts."]
    notes = [*(notes if low else []), *([_SPARSE] if uniqueness.share > 0.1 else [])]
    each = expected_chance(size, shares)
    chances = expected_chances(size, each, limit)
    return _Population(chances, each, "sampling weights, estimated", uniqueness, tuple(notes))


def _class_weights(classes: Classes, weight: str) -> Floats:
    """Add up the weights of every class."""
    domain = classes.cells.domains[weight]
    numbers = domain.values.astype(np.float64) if domain.kind == "number" else np.zeros(len(domain))
    if domain.has_null or domain.kind != "number" or not (numbers > 0).all() or not np.isfinite(numbers).all():
        msg = f"Column {weight!r} (given as weight) must hold numbers above 0 in every row."
        raise DataError(msg)
    each = numbers[classes.cells.sensitive[weight]] * classes.cells.counts
    return np.bincount(classes.members, weights=each, minlength=len(classes)).astype(np.float64)


def _under_pitman(size: Counts, population: int) -> Floats:
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


def _uniqueness_of(
    classes: Classes, population: float | None = None, estimates: Mapping[str, float | None] | None = None
) -> Uniqueness:
    """Count who is alone in the table; a person once, however many classes he is alone in."""
    alone = Exposed.of(classes, classes.size == 1).people
    return Uniqueness(alone, people_of(classes), population, estimates or {})


def _attacker_risk(name: str, knows: str, chances: Chances, classes: Classes) -> AttackerRisk:
    return AttackerRisk(name, knows, chances.highest, chances.average, Exposed.of(classes, chances.above))
