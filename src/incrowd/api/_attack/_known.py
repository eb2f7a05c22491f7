"""People whom somebody knows by the quasi-identifiers of a release."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.api._attack._attacks import Table
from incrowd.api._attack._original import lists
from incrowd.api._attack._target import Target
from incrowd.api._check import free_name
from incrowd.api._exposed import Exposed
from incrowd.api._fits import census_within
from incrowd.core import (
    Census,
    CensusRequest,
    Classes,
    Domain,
    LocalRecoding,
    ParameterError,
    UnknownColumnError,
    group,
)
from incrowd.engines import open_table

Ints = npt.NDArray[np.integer]
Bools = npt.NDArray[np.bool_]
On = Sequence[str] | Mapping[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """People whom somebody knows, those alike together.

    Attributes
    ----------
    on
        The quasi-identifiers of the release that are known.
    domains, codes
        Per quasi-identifier the values that occur, and the value of each.
    counts
        How many are alike.
    who, names
        The column that says who they are, and what it says, if anything does.
    original
        Whether they are the people that the release is of.
    entries
        Who each entry of the recoding is, where it lists this very original.
    persons
        Where people have several rows, which of these and which person each cell of the original is.
    """

    on: tuple[str, ...]
    domains: tuple[Domain, ...] = field(repr=False)
    codes: tuple[Ints, ...] = field(repr=False)
    counts: npt.NDArray[np.int64] = field(repr=False)
    who: str | None = None
    names: npt.NDArray[np.object_] | None = field(default=None, repr=False)
    original: bool = False
    entries: Ints | None = field(default=None, repr=False)
    persons: tuple[Ints, Ints] | None = field(default=None, repr=False)

    @property
    def people(self) -> int:
        """How many they are; somebody with rows that differ counts with each."""
        return int(self.counts.sum())

    @property
    def noun(self) -> str:
        """What is counted, in words."""
        if self.persons is None:
            return "people"
        return f"different rows of {len(np.unique(self.persons[1])):,} persons"

    def exposed(self, who: Callable[[], Bools], people: int, classes: int) -> Exposed:
        """Count who is exposed: persons, where it is known whose row is whose.

        Parameters
        ----------
        who
            Says which of them are.
        people, classes
            How many these are, and in how many classes.
        """
        if self.persons is None:
            return Exposed(classes, people, None, Fraction(people, max(self.people, 1)))
        entries, person = self.persons
        found, total = len(np.unique(person[who()[entries]])), len(np.unique(person))
        return Exposed(classes, people, found, Fraction(found, max(total, 1)))

    def table(self, chosen: Bools) -> Table:
        """Give some of them as a table."""
        named = {} if self.who is None or self.names is None else {self.who: self.names[chosen]}
        pairs = zip(self.on, self.domains, self.codes, strict=True)
        values = {name: domain.texts[codes[chosen]] for name, domain, codes in pairs}
        table = {**named, **{free_name(name, named): texts for name, texts in values.items()}}
        return {**table, free_name("people", table): self.counts[chosen]}


def known_from(
    external: Any, target: Target, on: Mapping[str, str] | None, who: str | None, reading: dict[str, Any]
) -> Known:
    """Count the people of an external table.

    Parameters
    ----------
    external
        Any table.
    target
        What is attacked.
    on
        The columns to join on: names that both tables have, or a dict from the release's name to the external one.
    who
        The external column that says who somebody is.
    reading
        How to read a file.
    """
    schema = target.owned or target.schema
    engine = open_table(external, missing_values=schema.missing_values, **reading)
    available = list(engine.columns())
    pairs = _pairs(target, on, available)
    wanted = [*pairs.values(), *([who] if who is not None else [])]
    for name in wanted:
        if name not in available:
            raise UnknownColumnError.of(name, available, given_as="column to join on", show=engine.shows_names)
    if len(set(wanted)) < len(wanted):
        msg = "A column of the external table is given twice."
        raise ParameterError(msg, hint="join each quasi-identifier with a column of its own; who is another one.")
    request = CensusRequest(tuple(pairs.values()), () if who is None else (who,))
    census = census_within(engine, request, reading.get("memory"))
    names = None if who is None else census.domains[who].texts[census.codes[-1]]
    domains = tuple(census.domains[name] for name in pairs.values())
    return Known(tuple(pairs), domains, census.codes[: len(pairs)], census.counts.astype(np.int64), who, names)


def known_from_original(target: Target, original: Census, classes: Classes) -> Known:
    """Take everybody of the original table, with all quasi-identifiers that can be compared."""
    places = [place for place, name in enumerate(original.quasi) if name not in target.averaged]
    domains = tuple(original.domains[original.quasi[place]] for place in places)
    codes, counts, entries = tuple(classes.codes[place] for place in places), classes.size, classes.members
    if len(places) < len(original.quasi):
        alike = group(codes, [len(domain) for domain in domains])
        codes, counts = tuple(column[alike.first] for column in codes), alike.sums(counts)
        entries = alike.ids[entries]
    listed = isinstance(target.recoding, LocalRecoding) and lists(target.recoding, original)
    names = tuple(original.quasi[place] for place in places)
    persons = None if classes.cells.person is None else (entries, classes.cells.person)
    return Known(names, domains, codes, counts, original=True, entries=entries if listed else None, persons=persons)


def _pairs(target: Target, on: Mapping[str, str] | None, available: Sequence[str]) -> dict[str, str]:
    """Say which quasi-identifier is joined with which column."""
    quasi = target.schema.quasi_names
    given = {name: name for name in quasi if name in available and name not in target.averaged}
    pairs = given if on is None else dict(on)
    for name in pairs:
        if name not in quasi:
            raise UnknownColumnError.of(name, quasi, given_as="quasi-identifier to join on")
    if not pairs:
        msg = "The external table has no column that is called like a quasi-identifier."
        raise ParameterError(msg, hint="say which columns are the same: on={'age': 'Age'}.")
    return pairs


def quasi_identifiers(number: int) -> str:
    """Count quasi-identifiers."""
    return f"{number} quasi-identifier{'' if number == 1 else 's'}"
