"""Measuring how easily people can be found in a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from incrowd.api._census import Reading
from incrowd.api._exposed import Exposed
from incrowd.api._given import check_column, check_people
from incrowd.api._risk._classes import Grouped, grouped
from incrowd.api._risk._population import crowds_of
from incrowd.api._risk._result import AttackerRisk, Risk
from incrowd.core import Classes, ParameterError, Schema
from incrowd.measures import (
    Chances,
    Guess,
    Sizes,
    Uniqueness,
    best_guess,
    chances_expected,
    chances_in_population,
    chances_in_table,
    estimated_uniqueness,
    expected_chance,
    persons_alone,
    pitman_fit,
)
from incrowd.models import Number
from incrowd.models._numbers import fraction

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
    limit = fraction(threshold, name="threshold", low=0, high=1)
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
