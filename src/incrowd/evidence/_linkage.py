"""The linkage attack: a release joined with an external table or its original; who is found, whose value is certain."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.attacks import (
    Crowd,
    Disclosures,
    KnownPeople,
    Linked,
    Links,
    Matching,
    Prior,
    Truth,
    certain_values,
    chance_to_pick,
    entries_of_rows,
    has_several_certain,
    is_made_from,
    link,
    link_persons,
    people_of,
    sum_of_shares,
    widths_of,
)
from incrowd.core import (
    Census,
    CensusRequest,
    Classes,
    Hint,
    LocalRecoding,
    ParameterError,
    UnknownColumnError,
    add_up,
    group,
)
from incrowd.engines import open_table
from incrowd.evidence._attack_result import CHANCES, Attack, Table, with_column
from incrowd.evidence._subject import Subject
from incrowd.models import KAnonymity
from incrowd.release import census_within_memory

Ints = npt.NDArray[np.integer]
Counts = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
On = Sequence[str] | Mapping[str, str]

INCOMPLETE = (
    "if they are vague, people and candidates are missing. The hierarchy of the column would tell; flat() says that it "
    "is exact."
)
SEVERAL = (
    "of people with several rows only those values are told that all rows of a group share. More may be certain; give "
    "the original to know."
)
FOREIGN = (
    "linkage: nobody knows who of the original is in this table. Of the people who fit the same groups, as many count "
    "as found as these groups have people: right is an upper bound."
)
PIECE = 1 << 16
"""So many people are looked at together."""


def people_of_external(
    external: Any, subject: Subject, on: Mapping[str, str] | None, who: str | None, reading: Mapping[str, Any]
) -> KnownPeople:
    """Count the people of an external table."""
    engine = open_table(external, missing_values=subject.roles.missing_values, **reading)
    available, quasi = list(engine.columns()), subject.schema.quasi_names
    given = {name: name for name in quasi if name in available and name not in subject.averaged}
    pairs = given if on is None else dict(on)
    for name in pairs:
        if name not in quasi:
            raise UnknownColumnError.of(name, quasi, given_as="quasi-identifier to join on")
    if not pairs:
        msg = "The external table has no column that is called like a quasi-identifier."
        raise ParameterError(msg, hint=Hint("say which columns are the same: {on}.", on={"age": "Age"}))
    names = () if who is None else (who,)
    wanted = [*pairs.values(), *names]
    for name in wanted:
        if name not in available:
            raise UnknownColumnError.of(name, available, given_as="column to join on", show=engine.shows_names)
    if len(set(wanted)) < len(wanted):
        msg = "A column of the external table is given twice."
        raise ParameterError(msg, hint="join each quasi-identifier with a column of its own; who is another one.")
    census = census_within_memory(engine, CensusRequest(tuple(pairs.values()), names))
    texts = None if who is None else census.domains[who].texts[census.codes[-1]]
    domains = tuple(census.domains[name] for name in pairs.values())
    return KnownPeople(tuple(pairs), domains, census.codes[: len(pairs)], census.counts.astype(np.int64), who, texts)


def people_of_original(subject: Subject, original: Census, classes: Classes) -> KnownPeople:
    """Take everybody of the original table, with all quasi-identifiers that can be compared."""
    places = [place for place, name in enumerate(original.quasi) if name not in subject.averaged]
    names = tuple(original.quasi[place] for place in places)
    domains = tuple(original.domains[name] for name in names)
    codes, counts, entries = tuple(classes.codes[place] for place in places), classes.size, classes.members
    if len(places) < len(original.quasi):
        alike = group(codes, [len(domain) for domain in domains])
        codes, counts = tuple(column[alike.first] for column in codes), alike.sums(counts)
        entries = alike.ids[entries]
    listed = isinstance(subject.recoding, LocalRecoding) and is_made_from(subject.recoding, original)
    persons = None if classes.cells.person is None else (entries, classes.cells.person)
    own = entries if listed else None
    return KnownPeople(names, domains, codes, counts, original=True, entries=own, persons=persons)


def table_of(known: KnownPeople, chosen: Bools | Ints, counts: Counts) -> Table:
    """Give some of the people whom somebody knows as a table, and how many are alike."""
    table: Table = {} if known.who is None or known.names is None else {known.who: known.names[chosen]}
    for name, domain, codes in zip(known.on, known.domains, known.codes, strict=True):
        table = with_column(table, name, domain.texts[codes[chosen]])
    return with_column(table, "people", counts)


def columns_text(number: int) -> str:
    """Count quasi-identifiers."""
    return f"{number} quasi-identifier{'' if number == 1 else 's'}"


@dataclass(frozen=True, eq=False)
class Joined:
    """A release, regrouped by the columns that somebody knows, and who can be in which class.

    Candidates are persons where the table says whose row is whose, and nobody is one twice. Where people have several
    rows and the table does not say whose, candidates are as many persons as there are for sure: as many as the promise
    wants in every class, or one. Else they are records, and everywhere if it is asked for ``by_record``.
    """

    subject: Subject
    known: KnownPeople
    classes: Classes
    codes: tuple[Ints, ...]
    covered: tuple[list[npt.NDArray[np.intp]], ...]
    links: Links
    truth: Truth | None = None
    by_record: bool = False

    @cached_property
    def _unread_labels(self) -> list[Bools]:
        """Per column, of which labels nobody can tell whom they stand for."""
        return [self.subject.unread(*pair) for pair in zip(self.known.on, self.known.domains, strict=True)]

    @cached_property
    def unread(self) -> int:
        """How many records have such a label."""
        hit = [labels[codes] for labels, codes in zip(self._unread_labels, self.codes, strict=True)]
        return int(self.classes.records[np.logical_or.reduce(hit)].sum())

    @cached_property
    def found(self) -> Linked:
        """What the classes that can be a person's say; walked once for all attacks that ask."""
        names = self.subject.schema.sensitive_names
        if self._is_crowd:
            return link_persons(self.links, Crowd.of(self.classes, names))
        certain = {name: certain_values(self.classes, name) for name in names}
        recoding = self.subject.recoding
        own = self.known.original and isinstance(recoding, LocalRecoding) and recoding.node is None  # narrowest group
        least, size = self.sure_persons, self.classes.size
        sizes = size if least is None else np.minimum(size, least)
        found = link(self.links, sizes, certain, widths_of(self.codes, self.covered) if own else None)
        if least is None:
            return found
        candidates = np.minimum(found.candidates, least)
        return replace(found, candidates=candidates, reached=len(np.unique(found.only[candidates == 1])))

    @property
    def _is_crowd(self) -> bool:
        """Whether adding up classes would count a person twice, or miss a value that all have beside another."""
        person = self.classes.cells.person
        if person is None:
            return False
        overlap = any(matching.most > 1 for matching in self.links.matchings)
        if overlap and int(self.classes.size.sum()) > people_of(self.classes):
            return True
        return any(has_several_certain(self.classes, name) for name in self.subject.schema.sensitive_names)

    @cached_property
    def sure_persons(self) -> int | None:
        """How many persons every class has for sure, where records of the same person cannot be told; else nothing."""
        if not self.subject.hides_persons or self.by_record:
            return None
        model = self.subject.model
        promised = [part.k for part in model.parts if isinstance(part, KAnonymity)] if model is not None else []
        least = max(promised, default=1)
        return least if int(self.classes.records.min(initial=least)) >= least else 1

    @cached_property
    def people(self) -> Counts:
        """How many people are alike who can be found: without those of whom it is known that they are left out."""
        published = None if self.truth is None else self.truth.published
        return self.known.counts if published is None else published

    @cached_property
    def answered(self) -> Counts:
        """How many people have each answer."""
        return add_up(self.found.kind, self.people, len(self.found.candidates))

    def disclosures_in(self, name: str) -> Disclosures:
        """Say who is told which values of a column, those that all candidates have."""
        starts, codes = self.found.certain(name)
        who = np.flatnonzero((np.diff(starts) > 0).take(self.found.kind))
        source, entry = entries_of_rows(starts, self.found.kind[who])
        who = who[source]
        return Disclosures(who, codes[entry], self.people[who])

    def notes_on_rows(self, attack: str) -> tuple[str, ...]:
        """Say that values may be missing, where nobody can say whose row is whose."""
        return (f"{attack}: {SEVERAL}",) if self.subject.hides_persons else ()

    def notes_on_labels(self, attack: str) -> Iterator[str]:
        """Say which labels could not be read, without their texts."""
        for name, labels in zip(self.known.on, self._unread_labels, strict=True):
            if labels.any():
                many = f"{int(labels.sum()):,} of {len(labels):,} labels of column {name!r}"
                yield f"{attack}: {many} are no values of these people and cannot be read; each stands for itself."
        if self.unread:
            total = int(self.classes.records.sum())
            yield f"{attack}: {self.unread:,} of {total:,} records have such labels: {INCOMPLETE}"

    def people_with(self, chosen: Bools) -> Bools:
        """Say which people have one of some answers."""
        return chosen.take(self.found.kind)

    def first_person(self, chosen: Bools) -> int:
        """Give the first person who has one of some answers; there is one."""
        pieces = ((start, chosen[self.found.kind[start : start + PIECE]]) for start in itertools.count(0, PIECE))
        return next(start + int(some.argmax()) for start, some in pieces if some.any())

    @cached_property
    def matched(self) -> int:
        """How many people have a candidate."""
        some = self.found.candidates > 0
        if self.people is self.known.counts:
            return int(self.answered[some].sum())
        return int(self.known.counts[self.people_with(some)].sum())


def join(subject: Subject, known: KnownPeople, whole: Classes | None = None) -> Joined:
    """Match labels with values, and prepare the walk from people to classes."""
    quasi = subject.schema.quasi_names
    places = [quasi.index(name) for name in known.on]
    classes = subject.classes
    codes = tuple(classes.codes[place] for place in places)
    labels = [subject.census.labels(name) for name in known.on]
    if len(places) < len(quasi):
        regions = group(codes, [len(names) for names in labels])
        classes = classes.merge(regions.ids, len(regions))
        codes = tuple(column[regions.first] for column in codes)
    covered = tuple(subject.covered(name, domain) for name, domain in zip(known.on, known.domains, strict=True))
    matchings = [Matching.of(codes, len(domain)) for codes, domain in zip(covered, known.domains, strict=True)]
    truth = None
    if known.original and whole is not None:
        truth = Truth(known, whole, quasi, subject.recoding, subject.census.records)
    return Joined(subject, known, classes, codes, covered, Links(codes, known.codes, matchings), truth)


def linkage(joined: Joined) -> list[Attack]:
    """Say who is found, and whose sensitive values are certain."""
    found = joined.found
    return [
        _linkage_attack(joined, found),
        *(_attribute_attack(joined, found, one) for one in joined.subject.schema.sensitive_names),
    ]


def _linkage_attack(joined: Joined, found: Linked) -> Attack:
    known = joined.known
    by_size = add_up(found.candidates, joined.answered, int(found.candidates.max(initial=0)) + 1)
    sizes = np.flatnonzero(by_size[1:]) + 1
    people, alone, truth = by_size[sizes], found.candidates == 1, joined.truth
    smallest = int(sizes[0]) if len(sizes) else None
    published, matched = people_of(joined.subject.classes), int(people.sum())
    counted = dict(zip(sizes.tolist(), people.tolist(), strict=True))
    # Those who are in the release are found; of an original, as far as it is known who these are.
    right = sum_of_shares(people, sizes)
    if truth is not None and truth.published is None:
        right = truth.most_found(joined.links, found, joined.classes)
    exposed = known.exposed(lambda: joined.people_with(alone), counted.get(1, 0), found.reached)
    return Attack(
        name="linkage",
        knows=_knowledge_text(known),
        means="one candidate in the release",
        exposed=exposed,
        targets=known.people,
        right=right,
        # Right by picking anybody of the release, for each target who can be there; not for others.
        baseline=Fraction(min(matched, published), max(known.people, 1)) * chance_to_pick(published),
        worst=None if smallest is None else Fraction(1, smallest),
        worst_class={}
        if smallest is None
        else _class_label(joined, found, joined.first_person(found.candidates == smallest)),
        distribution=tuple((one, sum(many for size, many in counted.items() if one * size <= 1)) for one in CHANCES),
        unread=joined.unread,
        notes=_linkage_notes(joined),
        _records=partial(_exposed_records, joined, found, alone),
    )


def _attribute_attack(joined: Joined, found: Linked, name: str) -> Attack:
    known, chosen = joined.known, found.values[name] >= 0
    prior = Prior.of(joined.subject.classes, name)
    constant = prior.people == prior.largest
    told: Disclosures | None = None
    if chosen.any() and joined.truth is not None and not joined.truth.has_everybody:
        theirs = joined.truth.whole.cells.domains[name].codes_in(joined.classes.cells.domains[name])
        told, exposed = joined.truth.true_of(joined.disclosures_in(name), name, theirs, found.telling[name])
    else:  # what all candidates have is true of everybody who is one of them
        exposed = known.exposed(
            lambda: joined.people_with(chosen), int(joined.answered[chosen].sum()), found.telling[name]
        )
    first = None if not exposed.records else joined.first_person(chosen) if told is None else int(told.who[0])
    return Attack(
        name="attribute linkage",
        column=name,
        knows=_knowledge_text(known),
        means="all candidates have one value",
        exposed=exposed,
        targets=known.people,
        right=Fraction(exposed.records),
        baseline=Fraction(exposed.records if constant else 0, max(known.people, 1)),
        worst=Fraction(int(exposed.records > 0)) if len(found.candidates) else None,
        worst_class={} if first is None else _class_label(joined, found, first),
        distribution=((Fraction(1), exposed.records),),
        unread=joined.unread,
        notes=joined.notes_on_rows("attribute linkage"),
        _records=partial(_disclosed_records, joined, found, told, name),
    )


def _knowledge_text(known: KnownPeople) -> str:
    whose = "everybody in the original table" if known.original else f"{known.people:,} people of an external table"
    return f"{columns_text(len(known.on))} of {whose}"


def _linkage_notes(joined: Joined) -> tuple[str, ...]:
    known, truth, matched = joined.known, joined.truth, joined.matched
    notes = [f"linkage: {matched:,} of {known.people:,} {known.noun} have a candidate in the release."]
    notes += joined.notes_on_labels("linkage")
    if joined.subject.averaged:
        notes.append("columns that are published as averages take no part in linkage.")
    if joined.sure_persons is not None:
        promise = (
            f"the {joined.sure_persons:,} that the promise wants in every group" if joined.sure_persons > 1 else "one"
        )
        notes.append(
            "linkage: the release does not say whose row is whose, so as many persons count as candidates as there are "
            f"for sure: {promise}. Chances are at most so high; give the original to count persons."
        )
    if truth is not None and truth.is_bounded:
        notes.append(FOREIGN)
    if not known.original:
        notes.append("linkage: whether a candidate is the person is known only if the person is in the release.")
    return tuple(notes)


def _class_label(joined: Joined, found: Linked, who: int) -> dict[str, str | None]:
    """Name a class that a person can be in."""
    place, census = int(found.only[found.kind[who]]), joined.subject.census
    return {name: census.labels(name)[codes[place]] for name, codes in zip(joined.known.on, joined.codes, strict=True)}


def _exposed_records(joined: Joined, found: Linked, chosen: Bools) -> Table:
    """Give who is exposed, how many candidates each has, and the values that are certain: one row for each."""
    who = np.flatnonzero(joined.people_with(chosen) & (joined.people > 0))
    certain = [found.certain(name) for name in joined.subject.schema.sensitive_names]
    rows = np.maximum.reduce(
        [np.ones(len(who), dtype=np.int64), *(np.diff(part[0])[found.kind[who]] for part in certain)]
    )
    begins = np.append(0, np.cumsum(rows))
    source, row = entries_of_rows(begins, np.arange(len(who)))
    who, turn = who[source], row - begins[source]
    answers = found.kind[who]
    codes = {}
    for name, (starts, values) in zip(joined.subject.schema.sensitive_names, certain, strict=True):
        place = starts[answers] + turn
        codes[name] = np.where(place < starts[answers + 1], np.append(values, -1)[np.minimum(place, len(values))], -1)
    return _exposed_table(joined, found, who, joined.people[who], codes)


def _disclosed_records(joined: Joined, found: Linked, told: Disclosures | None, name: str) -> Table:
    told = told or joined.disclosures_in(name)
    return _exposed_table(joined, found, told.who, told.people, {name: told.codes})


def _exposed_table(joined: Joined, found: Linked, who: Counts, people: Counts, codes: dict[str, Counts]) -> Table:
    table = with_column(table_of(joined.known, who, people), "candidates", found.candidates[found.kind[who]])
    for name, values in codes.items():
        texts = np.append(joined.classes.cells.domains[name].texts, np.array([None], dtype=object))
        table = with_column(table, name, texts[values])
    return table
