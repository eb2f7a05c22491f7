"""Linking a release with what somebody else knows about people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.api._attack._attacks import Attack, Table
from incrowd.api._attack._original import lists
from incrowd.api._attack._target import Target
from incrowd.api._attack._told import CHANCES
from incrowd.api._check import free_name
from incrowd.api._exposed import Exposed
from incrowd.api._fits import census_within
from incrowd.attacks import Linked, Links, Matching, Prior, certain_values, link, people_of, widths_of
from incrowd.core import (
    Census,
    CensusRequest,
    Classes,
    Domain,
    LocalRecoding,
    ParameterError,
    UnknownColumnError,
    add_up,
    group,
)
from incrowd.engines import open_table

Ints = npt.NDArray[np.integer]
Bools = npt.NDArray[np.bool_]
On = Sequence[str] | Mapping[str, str]

PIECE = 1 << 16
"""So many people are looked at together."""


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
    """

    on: tuple[str, ...]
    domains: tuple[Domain, ...] = field(repr=False)
    codes: tuple[Ints, ...] = field(repr=False)
    counts: npt.NDArray[np.int64] = field(repr=False)
    who: str | None = None
    names: npt.NDArray[np.object_] | None = field(default=None, repr=False)
    original: bool = False
    entries: Ints | None = field(default=None, repr=False)

    @property
    def people(self) -> int:
        """How many they are."""
        return int(self.counts.sum())

    def table(self, chosen: Bools) -> Table:
        """Give some of them as a table."""
        named = {} if self.who is None or self.names is None else {self.who: self.names[chosen]}
        pairs = zip(self.on, self.domains, self.codes, strict=True)
        values = {name: domain.texts[codes[chosen]] for name, domain, codes in pairs}
        table = {**named, **{free_name(name, named): texts for name, texts in values.items()}}
        return {**table, free_name("people", table): self.counts[chosen]}


def known_from(external: Any, target: Target, on: On | None, who: str | None, reading: dict[str, Any]) -> Known:
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
    return Known(names, domains, codes, counts, original=True, entries=entries if listed else None)


@dataclass(frozen=True, eq=False)
class Joined:
    """A release, regrouped by the columns that somebody knows, and who can be in which class."""

    target: Target
    known: Known
    classes: Classes
    codes: tuple[Ints, ...]
    covered: tuple[list[npt.NDArray[np.intp]], ...]
    links: Links

    @cached_property
    def found(self) -> Linked:
        """What the classes that can be a person's say; walked once for all attacks that ask."""
        certain = {name: certain_values(self.classes, name) for name in self.target.schema.sensitive_names}
        own = self.known.original and isinstance(self.target.recoding, LocalRecoding)  # for the narrowest group
        return link(self.links, self.classes.size, certain, widths_of(self.codes, self.covered) if own else None)

    @cached_property
    def answered(self) -> npt.NDArray[np.int64]:
        """How many people have each answer."""
        return add_up(self.found.kind, self.known.counts, len(self.found.candidates))

    def who(self, chosen: Bools) -> Bools:
        """Say which people have one of some answers."""
        return chosen.take(self.found.kind)

    def first(self, chosen: Bools) -> int:
        """Give the answer of the first person who has one of some answers; there is one."""
        kind = self.found.kind
        pieces = (kind[start : start + PIECE] for start in range(0, len(kind), PIECE))
        return int(next(some[chosen[some].argmax()] for some in pieces if chosen[some].any()))


def join(target: Target, known: Known) -> Joined:
    """Match labels with values, and prepare the walk from people to classes."""
    quasi = target.schema.quasi_names
    places = [quasi.index(name) for name in known.on]
    classes = target.classes
    codes = tuple(classes.codes[place] for place in places)
    labels = [target.census.labels(name) for name in known.on]
    if len(places) < len(quasi):
        regions = group(codes, [len(names) for names in labels])
        classes = classes.merge(regions.ids, len(regions))
        codes = tuple(column[regions.first] for column in codes)
    covered = tuple(target.reached(name, domain) for name, domain in zip(known.on, known.domains, strict=True))
    pairs = zip(covered, known.domains, strict=True)
    matchings = [Matching.of(reached, len(domain)) for reached, domain in pairs]
    return Joined(target, known, classes, codes, covered, Links(codes, known.codes, matchings))


def linkage(joined: Joined) -> list[Attack]:
    """Say who is found, and whose sensitive values are certain."""
    found = joined.found
    return [_found(joined, found), *(_disclosed(joined, found, one) for one in joined.target.schema.sensitive_names)]


def _found(joined: Joined, found: Linked) -> Attack:
    known = joined.known
    by_size = add_up(found.candidates, joined.answered, int(found.candidates.max(initial=0)) + 1)
    sizes = np.flatnonzero(by_size[1:]) + 1
    people = by_size[sizes]
    right = sum((Fraction(int(many), int(size)) for many, size in zip(people, sizes, strict=True)), Fraction(0))
    smallest = int(sizes[0]) if len(sizes) else None
    alone = found.candidates == 1
    counted = dict(zip(sizes.tolist(), people.tolist(), strict=True))
    return Attack(
        name="linkage",
        column=None,
        knows=_knows(known),
        means="one candidate in the release",
        exposed=_exposed(joined, alone, len(np.unique(found.only[alone]))),
        targets=known.people,
        right=right,
        baseline=Fraction(1, max(people_of(joined.target.classes), 1)),
        unit="chance",
        worst=None if smallest is None else Fraction(1, smallest),
        worst_class={} if smallest is None else _label(joined, found, found.candidates == smallest),
        distribution=tuple((one, sum(many for size, many in counted.items() if one * size <= 1)) for one in CHANCES),
        notes=_notes(joined, int(people.sum())),
        _records=partial(_records, joined, found, alone, joined.target.schema.sensitive_names),
    )


def _disclosed(joined: Joined, found: Linked, name: str) -> Attack:
    known, chosen = joined.known, found.values[name] >= 0
    exposed = _exposed(joined, chosen, found.telling[name])
    prior = Prior.of(joined.target.classes, name)
    constant = prior.people == prior.largest
    return Attack(
        name="attribute linkage",
        column=name,
        knows=_knows(known),
        means="all candidates have one value",
        exposed=exposed,
        targets=known.people,
        right=Fraction(exposed.records),
        baseline=Fraction(int(constant)),
        unit="chance",
        worst=Fraction(int(chosen.any())) if len(chosen) else None,
        worst_class=_label(joined, found, chosen) if chosen.any() else {},
        distribution=((Fraction(1), exposed.records),),
        notes=(),
        _records=partial(_records, joined, found, chosen, (name,)),
    )


def _exposed(joined: Joined, chosen: Bools, classes: int) -> Exposed:
    people = int(joined.answered[chosen].sum())
    return Exposed(classes, people, None, Fraction(people, max(joined.known.people, 1)))


def _knows(known: Known) -> str:
    whose = "everybody in the original table" if known.original else f"{known.people:,} people of an external table"
    columns = f"{len(known.on)} quasi-identifier{'' if len(known.on) == 1 else 's'}"
    return f"{columns} of {whose}"


def _notes(joined: Joined, matched: int) -> tuple[str, ...]:
    people = joined.known.people
    notes = [f"linkage: {matched:,} of {people:,} people have a candidate in the release."]
    if joined.target.averaged:
        notes.append("columns that are published as averages take no part in linkage.")
    if not joined.known.original:
        notes.append("linkage: whether a candidate is the person is known only if the person is in the release.")
    return tuple(notes)


def _label(joined: Joined, found: Linked, chosen: Bools) -> dict[str, str | None]:
    place = int(found.only[joined.first(chosen)])
    names = [joined.target.census.labels(name) for name in joined.known.on]
    pairs = zip(joined.known.on, names, joined.codes, strict=True)
    return {name: texts[codes[place]] for name, texts, codes in pairs}


def _records(joined: Joined, found: Linked, chosen: Bools, names: Sequence[str]) -> Table:
    """Give who is exposed, how many candidates each has, and the values that are certain."""
    who = joined.who(chosen)
    answers, table = found.kind[who], joined.known.table(who)
    table[free_name("candidates", table)] = found.candidates[answers]
    for name in names:
        texts = np.append(joined.classes.cells.domains[name].texts, np.array([None], dtype=object))
        table[free_name(name, table)] = texts[found.values[name][answers]]
    return table


def _pairs(target: Target, on: On | None, available: Sequence[str]) -> dict[str, str]:
    """Say which quasi-identifier is joined with which column."""
    quasi = target.schema.quasi_names
    if isinstance(on, str):
        msg = f"on must be a list of columns, got the text {on!r}."
        raise ParameterError(msg, hint=f"write on=[{on!r}].")
    if on is None:
        pairs = {name: name for name in quasi if name in available and name not in target.averaged}
    else:
        pairs = dict(on) if isinstance(on, Mapping) else {name: name for name in on}
    for name in pairs:
        if name not in quasi:
            raise UnknownColumnError.of(name, quasi, given_as="quasi-identifier to join on")
    if not pairs:
        msg = f"None of the {len(quasi)} quasi-identifiers is a column of the external table."
        raise ParameterError(msg, hint="say which columns are the same: on={'age': 'Age'}.")
    return pairs
