"""People whom somebody knows by the quasi-identifiers of a release."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.attacks import ClassSets, Linked, Links, below, lists
from incrowd.core import (
    Census,
    CensusRequest,
    Classes,
    Domain,
    FullDomainRecoding,
    Hint,
    LocalRecoding,
    ParameterError,
    UnknownColumnError,
    add_up,
    group,
)
from incrowd.engines import open_table
from incrowd.evidence._attacks import Table
from incrowd.evidence._subject import Subject
from incrowd.measures import Exposed
from incrowd.release import census_within_memory, free_name

Ints = npt.NDArray[np.integer]
Bools = npt.NDArray[np.bool_]
On = Sequence[str] | Mapping[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """People whom somebody knows, those alike together."""

    on: tuple[str, ...]
    domains: tuple[Domain, ...] = field(repr=False)
    codes: tuple[Ints, ...] = field(repr=False)
    counts: npt.NDArray[np.int64] = field(repr=False)
    who: str | None = None
    names: npt.NDArray[np.object_] | None = field(default=None, repr=False)
    original: bool = False
    # Who each entry of the recoding is, if it lists this very original.
    entries: Ints | None = field(default=None, repr=False)
    # Per cell of the original, which of these and which person.
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
        """Count who is exposed: persons, where it is known whose row is whose."""
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
    external: Any, subject: Subject, on: Mapping[str, str] | None, who: str | None, reading: Mapping[str, Any]
) -> Known:
    """Count the people of an external table."""
    schema = subject.roles
    engine = open_table(external, missing_values=schema.missing_values, **reading)
    available = list(engine.columns())
    pairs = _pairs(subject, on, available)
    wanted = [*pairs.values(), *([who] if who is not None else [])]
    for name in wanted:
        if name not in available:
            raise UnknownColumnError.of(name, available, given_as="column to join on", show=engine.shows_names)
    if len(set(wanted)) < len(wanted):
        msg = "A column of the external table is given twice."
        raise ParameterError(msg, hint="join each quasi-identifier with a column of its own; who is another one.")
    request = CensusRequest(tuple(pairs.values()), () if who is None else (who,))
    census = census_within_memory(engine, request)
    names = None if who is None else census.domains[who].texts[census.codes[-1]]
    domains = tuple(census.domains[name] for name in pairs.values())
    return Known(tuple(pairs), domains, census.codes[: len(pairs)], census.counts.astype(np.int64), who, names)


def known_from_original(subject: Subject, original: Census, classes: Classes) -> Known:
    """Take everybody of the original table, with all quasi-identifiers that can be compared."""
    places = [place for place, name in enumerate(original.quasi) if name not in subject.averaged]
    domains = tuple(original.domains[original.quasi[place]] for place in places)
    codes, counts, entries = tuple(classes.codes[place] for place in places), classes.size, classes.members
    if len(places) < len(original.quasi):
        alike = group(codes, [len(domain) for domain in domains])
        codes, counts = tuple(column[alike.first] for column in codes), alike.sums(counts)
        entries = alike.ids[entries]
    listed = isinstance(subject.recoding, LocalRecoding) and lists(subject.recoding, original)
    names = tuple(original.quasi[place] for place in places)
    persons = None if classes.cells.person is None else (entries, classes.cells.person)
    return Known(names, domains, codes, counts, original=True, entries=entries if listed else None, persons=persons)


def _pairs(subject: Subject, on: Mapping[str, str] | None, available: Sequence[str]) -> dict[str, str]:
    """Say which quasi-identifier is joined with which column."""
    quasi = subject.schema.quasi_names
    given = {name: name for name in quasi if name in available and name not in subject.averaged}
    pairs = given if on is None else dict(on)
    for name in pairs:
        if name not in quasi:
            raise UnknownColumnError.of(name, quasi, given_as="quasi-identifier to join on")
    if not pairs:
        msg = "The external table has no column that is called like a quasi-identifier."
        raise ParameterError(msg, hint=Hint("say which columns are the same: {on}.", on={"age": "Age"}))
    return pairs


def quasi_identifiers(number: int) -> str:
    """Count quasi-identifiers."""
    return f"{number} quasi-identifier{'' if number == 1 else 's'}"


# What is true about the people of an original table: who is in the release, and what each of them really has.

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """What people are told to have."""

    who: Counts = field(repr=False)
    codes: Counts = field(repr=False)
    people: Counts = field(repr=False)  # how many of those alike it is said of, or true of


@dataclass(frozen=True, eq=False)
class Truth:
    """People of an original, as somebody knows them, and as they are."""

    subject: Subject
    known: Known
    whole: Classes = field(repr=False)

    @cached_property
    def everybody(self) -> bool:
        """Whether it is known that nobody of the original is left out of the release."""
        return self.subject.recoding is not None and int(self.whole.records.sum()) == self.subject.census.records

    @cached_property
    def _who(self) -> Ints:
        """Which of the known people each cell of the original is."""
        members = self.whole.members
        if len(self.known.on) == len(self.whole.codes):
            return members
        quasi = self.subject.schema.quasi_names
        codes = [self.whole.codes[quasi.index(name)] for name in self.known.on]
        return group(codes, [len(domain) for domain in self.known.domains]).ids[members]

    @cached_property
    def published(self) -> Counts | None:
        """How many of the people who are alike are in the release; nothing where nobody can say."""
        recoding = self.subject.recoding
        if self.everybody:
            return self.known.counts
        if not isinstance(recoding, LocalRecoding) or recoding.floor or self.known.persons is not None:
            return None
        inside, people, columns = recoding.classes >= 0, len(self.known.counts), []
        for name, domain, codes in zip(self.known.on, self.known.domains, self.known.codes, strict=True):
            own = recoding.codes[list(recoding.domains).index(name)][inside]
            columns.append(np.concatenate([codes, recoding.domains[name].codes_in(domain)[own]]))
        ids = group(columns, [len(domain) for domain in self.known.domains]).ids
        place = np.zeros(int(ids.max(initial=0)) + 1, dtype=np.int64)
        place[ids[:people]] = np.arange(people)
        return add_up(place[ids[people:]], recoding.counts[inside], people)

    @property
    def bounded(self) -> bool:
        """Whether it is only known how many are found at most; one level per column leaves out whole classes."""
        return self.published is None and not isinstance(self.subject.recoding, FullDomainRecoding)

    def right(self, links: Links, found: Linked, classes: Classes) -> Fraction:
        """Say how many are found at most, where nobody can say who of the original is in the table.

        Of the people who can be in the same classes no more are in the table than these have people, and of all people
        no more than the table has: those of the fewest candidates. Somebody with several rows is looked up with each.
        """
        if all(matching.most <= 1 for matching in links.matchings):
            place, records = found.only[found.kind], classes.records
        else:
            sets = ClassSets.of(links)
            place, records = sets.number, sets.sums(classes.records)
        some = place >= 0
        candidates = np.zeros(len(records), dtype=np.int64)
        candidates[place[some]] = found.candidates[found.kind[some]]
        if self.known.persons is not None:
            return shares(self._most_rows(place, candidates), candidates)
        people = np.minimum(add_up(place[some], self.known.counts[some], len(records)), records)
        order = np.argsort(candidates, kind="stable")
        left = np.minimum(np.cumsum(people[order]), int(classes.records.sum()))
        people[order] = np.diff(left, prepend=0)
        return shares(people, candidates)

    def _most_rows(self, place: Ints, candidates: Counts) -> Counts:
        """Count the rows of as many persons in each place as it has candidates: of those who have the most rows."""
        person = np.asarray(self.whole.cells.person)
        width = int(person.max(initial=0)) + 1
        rows = group([self._who, person], [len(self.known.counts), width]).first
        where, whose = place[self._who[rows]], person[rows]
        where, whose = where[where >= 0], whose[where >= 0]
        persons = group([where, whose], [max(len(candidates), 1), width])
        owner, many = where[persons.first], np.bincount(persons.ids, minlength=len(persons))
        order = np.lexsort((-many, owner))
        rank = np.arange(len(owner)) - np.searchsorted(owner, owner)  # owner ascends, so it stays where it is
        chosen = rank < candidates[owner]
        return add_up(owner[chosen], many[order][chosen], len(candidates))

    def compare(self, name: str, theirs: Counts, told: Told, classes: int) -> tuple[Told, Exposed]:
        """Keep of what people are told what is true; values that the original does not have cannot be compared."""
        if not len(told.who):
            return told, Exposed(0, 0, None if self.known.persons is None else 0, Fraction(0))
        known = np.zeros(max(int(theirs.max(initial=0)), int(told.codes.max())) + 1, dtype=bool)
        known[theirs[theirs >= 0]] = True
        own = theirs[self.whole.cells.sensitive[name]]
        if self.known.persons is not None:
            return self._compare_persons(own, known, told, classes)
        keys = np.append(told.who * len(known) + told.codes, -1)
        wanted = np.where(own >= 0, self._who * np.int64(len(known)) + own, -2)
        place = np.searchsorted(keys[:-1], wanted)
        true = keys[place] == wanted
        people = add_up(place[true], self.whole.cells.counts[true], len(told.who))
        vague = ~known[told.codes]
        people[vague] = self.known.counts[told.who[vague]]
        everyone = np.zeros(len(self.known.counts), dtype=bool)
        everyone[told.who[vague]] = True
        total = int(self.whole.cells.counts[true | everyone[self._who]].sum())
        return _some(told, people), Exposed(classes if total else 0, total, None, _share(total, self.known.people))

    def _compare_persons(
        self, own: Counts, known: npt.NDArray[np.bool_], told: Told, classes: int
    ) -> tuple[Told, Exposed]:
        """Compare where people have several rows: somebody has the values of all of these."""
        person, width = np.asarray(self.whole.cells.person), len(known)
        pairs = group([self._who, person], [len(self.known.counts), int(person.max(initial=0)) + 1]).first
        who, persons = self._who[pairs], person[pairs].astype(np.int64)
        starts = np.searchsorted(who, np.arange(len(self.known.counts) + 1))
        source, entry = below(starts, told.who)
        has = np.unique(person[own >= 0] * np.int64(width) + own[own >= 0])
        wanted = persons[entry] * width + told.codes[source]
        true = np.append(has, -1)[np.searchsorted(has, wanted)] == wanted
        true |= ~known[told.codes[source]]
        people = np.bincount(source[true], minlength=len(told.who)).astype(np.int64)
        total, found = len(np.unique(entry[true])), len(np.unique(persons[entry[true]]))
        share = _share(found, len(np.unique(person)))
        return _some(told, people), Exposed(classes if total else 0, total, found, share)


def rows_of(known: Known, told: Told) -> Table:
    """Give people who are told something as a table, one row for each thing."""
    names = None if known.names is None else known.names[told.who]
    codes = tuple(column[told.who] for column in known.codes)
    return replace(known, names=names, codes=codes, counts=told.people).table(np.ones(len(told.who), dtype=bool))


def shares(people: Counts, among: Counts) -> Fraction:
    """Add up people over how many they are taken for, those for whom there is anybody."""
    some = (people > 0) & (among > 0)
    many = add_up(among[some], people[some], int(among.max(initial=0)) + 1)
    sizes = np.flatnonzero(many).tolist()
    return sum((Fraction(int(many[size]), size) for size in sizes), Fraction(0))


def _some(told: Told, people: Counts) -> Told:
    kept = people > 0
    return Told(told.who[kept], told.codes[kept], people[kept])


def _share(part: int, total: int) -> Fraction:
    return Fraction(part, max(total, 1))
