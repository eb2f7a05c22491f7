"""People whom somebody knows by quasi-identifiers: how many, what linkage tells them to have, and how much is true."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from incrowd.attacks._candidates import ClassSets, Linked, entries_of_rows
from incrowd.attacks._linkage import Links
from incrowd.core import Classes, Domain, FullDomainRecoding, LocalRecoding, Recoding, add_up, group
from incrowd.measures import Exposed

Ints = npt.NDArray[np.integer]
Bools = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class KnownPeople:
    """People whom somebody knows, those alike together."""

    on: tuple[str, ...]
    domains: tuple[Domain, ...] = field(repr=False)
    codes: tuple[Ints, ...] = field(repr=False)
    counts: Counts = field(repr=False)
    who: str | None = None  # the column that names them
    names: npt.NDArray[np.object_] | None = field(default=None, repr=False)
    original: bool = False  # whether they are those of the original table
    # Who each entry of the recoding is, if it lists this very original.
    entries: Ints | None = field(default=None, repr=False)
    # Per cell of the original, which of these and which person.
    persons: tuple[Ints, Ints] | None = field(default=None, repr=False)

    @property
    def people(self) -> int:
        """How many they are; somebody with rows that differ counts with each."""
        return int(self.counts.sum())

    def number_of(self, chosen: Bools) -> int:
        """Count some of them."""
        return int(self.counts[chosen].sum())

    @property
    def noun(self) -> str:
        """What is counted, in words."""
        return "people" if self.persons is None else f"different rows of {len(np.unique(self.persons[1])):,} persons"

    def exposed(self, who: Callable[[], Bools], people: int, classes: int) -> Exposed:
        """Count who is exposed: persons, where it is known whose row is whose."""
        if self.persons is None:
            return Exposed(classes, people, None, _share_of(people, self.people))
        entries, person = self.persons
        found = len(np.unique(person[who()[entries]]))
        return Exposed(classes, people, found, _share_of(found, len(np.unique(person))))


@dataclass(frozen=True, slots=True, eq=False)
class Disclosures:
    """What people are told to have: who, which value, and how many of those alike it is said of, or true of."""

    who: Counts = field(repr=False)
    codes: Counts = field(repr=False)
    people: Counts = field(repr=False)

    def but_for(self, people: Counts) -> Disclosures:
        """Keep what so many are told, without what nobody is."""
        kept = people > 0
        return Disclosures(self.who[kept], self.codes[kept], people[kept])


@dataclass(frozen=True, eq=False)
class Truth:
    """What is true about the people of an original table: who is in the release, and what each of them really has."""

    known: KnownPeople
    whole: Classes = field(repr=False)  # the original
    quasi: Sequence[str]
    recoding: Recoding | None = field(repr=False)
    records: int  # how many are published

    @cached_property
    def has_everybody(self) -> bool:
        """Whether it is known that nobody of the original is left out of the release."""
        return self.recoding is not None and int(self.whole.records.sum()) == self.records

    @cached_property
    def _person_of_cell(self) -> Ints:
        """Which of the known people each cell of the original is."""
        members = self.whole.members
        if len(self.known.on) == len(self.whole.codes):
            return members
        codes = [self.whole.codes[self.quasi.index(name)] for name in self.known.on]
        return group(codes, [len(domain) for domain in self.known.domains]).ids[members]

    @cached_property
    def published(self) -> Counts | None:
        """How many of the people who are alike are in the release; nothing where nobody can say."""
        recoding = self.recoding
        if self.has_everybody:
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
    def is_bounded(self) -> bool:
        """Whether it is only known how many are found at most; one level per column leaves out whole classes."""
        return self.published is None and not isinstance(self.recoding, FullDomainRecoding)

    def most_found(self, links: Links, found: Linked, classes: Classes) -> Fraction:
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
            return sum_of_shares(self._most_rows(place, candidates), candidates)
        people = np.minimum(add_up(place[some], self.known.counts[some], len(records)), records)
        order = np.argsort(candidates, kind="stable")
        left = np.minimum(np.cumsum(people[order]), int(classes.records.sum()))
        people[order] = np.diff(left, prepend=0)
        return sum_of_shares(people, candidates)

    def _most_rows(self, place: Ints, candidates: Counts) -> Counts:
        """Count the rows of as many persons in each place as it has candidates: of those who have the most rows."""
        person = np.asarray(self.whole.cells.person)
        width = int(person.max(initial=0)) + 1
        rows = group([self._person_of_cell, person], [len(self.known.counts), width]).first
        where, whose = place[self._person_of_cell[rows]], person[rows]
        where, whose = where[where >= 0], whose[where >= 0]
        persons = group([where, whose], [max(len(candidates), 1), width])
        owner, many = where[persons.first], np.bincount(persons.ids, minlength=len(persons))
        order = np.lexsort((-many, owner))
        rank = np.arange(len(owner)) - np.searchsorted(owner, owner)  # owner ascends, so it stays where it is
        chosen = rank < candidates[owner]
        return add_up(owner[chosen], many[order][chosen], len(candidates))

    def true_of(self, told: Disclosures, name: str, theirs: Counts, classes: int) -> tuple[Disclosures, Exposed]:
        """Keep of what people are told what is true; values that the original does not have cannot be compared."""
        if not len(told.who):
            return told, Exposed(0, 0, None if self.known.persons is None else 0, Fraction(0))
        known = np.zeros(max(int(theirs.max(initial=0)), int(told.codes.max())) + 1, dtype=bool)
        known[theirs[theirs >= 0]] = True
        own = theirs[self.whole.cells.sensitive[name]]
        if self.known.persons is not None:
            return self._true_of_persons(told, own, known, classes)
        keys = np.append(told.who * len(known) + told.codes, -1)
        wanted = np.where(own >= 0, self._person_of_cell * np.int64(len(known)) + own, -2)
        place = np.searchsorted(keys[:-1], wanted)
        true = keys[place] == wanted
        people = add_up(place[true], self.whole.cells.counts[true], len(told.who))
        vague = ~known[told.codes]
        people[vague] = self.known.counts[told.who[vague]]
        everyone = np.zeros(len(self.known.counts), dtype=bool)
        everyone[told.who[vague]] = True
        total = int(self.whole.cells.counts[true | everyone[self._person_of_cell]].sum())
        return told.but_for(people), Exposed(classes if total else 0, total, None, _share_of(total, self.known.people))

    def _true_of_persons(
        self, told: Disclosures, own: Counts, known: Bools, classes: int
    ) -> tuple[Disclosures, Exposed]:
        """Compare where people have several rows: somebody has the values of all of these."""
        person, width = np.asarray(self.whole.cells.person), len(known)
        pairs = group([self._person_of_cell, person], [len(self.known.counts), int(person.max(initial=0)) + 1]).first
        who, persons = self._person_of_cell[pairs], person[pairs].astype(np.int64)
        starts = np.searchsorted(who, np.arange(len(self.known.counts) + 1))
        source, entry = entries_of_rows(starts, told.who)
        has = np.unique(person[own >= 0] * np.int64(width) + own[own >= 0])
        wanted = persons[entry] * width + told.codes[source]
        true = np.append(has, -1)[np.searchsorted(has, wanted)] == wanted
        true |= ~known[told.codes[source]]
        people = np.bincount(source[true], minlength=len(told.who)).astype(np.int64)
        total, found = len(np.unique(entry[true])), len(np.unique(persons[entry[true]]))
        share = _share_of(found, len(np.unique(person)))
        return told.but_for(people), Exposed(classes if total else 0, total, found, share)


def sum_of_shares(people: Counts, among: Counts) -> Fraction:
    """Add up people over how many they are taken for, those for whom there is anybody."""
    some = (people > 0) & (among > 0)
    many = add_up(among[some], people[some], int(among.max(initial=0)) + 1)
    sizes = np.flatnonzero(many).tolist()
    return sum((Fraction(int(many[size]), size) for size in sizes), Fraction(0))


def _share_of(part: int, total: int) -> Fraction:
    return Fraction(part, max(total, 1))
