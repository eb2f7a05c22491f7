"""How many people of a population table fit each class of a table or release."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.api._census import open_with
from incrowd.api._fits import census_within
from incrowd.api._risk._classes import Grouped
from incrowd.core import CensusRequest, Domain, FullDomainRecoding, Ladder, Schema
from incrowd.hierarchies import auto, coverage
from incrowd.measures import Fitting, crowds

Ints = npt.NDArray[np.integer]


def crowds_of(found: Grouped, population: Any, **reading: Any) -> tuple[npt.NDArray[np.int64], int]:
    """Count the people of a population that fit each class; and all of them.

    Parameters
    ----------
    found
        The classes.
    population
        A table with the same quasi-identifiers, one row per person.
    reading
        How to read a file.
    """
    roles = found.schema
    plain = Schema(dict(roles.quasi), missing=roles.missing, missing_values=roles.missing_values)
    engine = open_with(population, plain, **reading)
    census = census_within(engine, CensusRequest(plain.quasi_names), reading.get("memory"))
    columns = [_column(found, place, census.domains[name]) for place, name in enumerate(plain.quasi_names)]
    codes = census.codes[: len(columns)]
    people = crowds([labels for labels, _ in columns], [fitting for _, fitting in columns], codes, census.counts)
    return people, census.records


def _column(found: Grouped, place: int, people: Domain) -> tuple[Ints, Fitting]:
    """Say which label each class has in a column, and which labels each value of the population fits."""
    name, recoding = people.column, found.recoding
    as_it_is = isinstance(recoding, FullDomainRecoding) and recoding.levels[name] == 0 and not recoding.masks
    if recoding is None or as_it_is:
        own = found.domains[name] if found.domains is not None else recoding.domains[name]  # type: ignore[union-attr]
        return found.classes.codes[place], Fitting.one_each(people.codes_in(own), len(own))
    texts = found.classes.texts(place)
    known: dict[str | None, int] = {}
    labels = np.array([known.setdefault(text, len(known)) for text in texts.tolist()], dtype=np.int64)
    ladder = _ladder(found.schema, people)
    fits = coverage(list(known), people, ladder)
    owner = np.repeat(np.arange(len(fits)), [len(values) for values in fits])
    values = np.concatenate(fits) if fits else np.zeros(0, dtype=np.int64)
    return labels, Fitting.of_pairs(owner, values, len(people), len(known))


def _ladder(schema: Schema, people: Domain) -> Ladder:
    """Fit the hierarchy of a column to the population's values."""
    hierarchy = dict(schema.quasi)[people.column]
    return (auto() if hierarchy is None else hierarchy).bind(people)
