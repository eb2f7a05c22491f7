"""Linking a release with what somebody else knows about people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from incrowd.api._attack._attacks import Attack, Table
from incrowd.api._attack._known import Known
from incrowd.api._attack._target import Target
from incrowd.api._attack._told import CHANCES
from incrowd.api._check import free_name
from incrowd.api._exposed import Exposed
from incrowd.attacks import Linked, Links, Matching, Prior, certain_values, link, one_of, people_of, widths_of
from incrowd.core import Classes, LocalRecoding, add_up, group

Ints = npt.NDArray[np.integer]
Bools = npt.NDArray[np.bool_]

INCOMPLETE = (
    "if they are vague, people and candidates are missing. The hierarchy of the column would tell; flat() says that it "
    "is exact."
)
PIECE = 1 << 16
"""So many people are looked at together."""


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
    def unread(self) -> int:
        """How many records have a label of which nobody can tell whom it stands for."""
        pairs = zip(self._unread_labels.values(), self.codes, strict=True)
        hit = np.logical_or.reduce([labels[codes] for labels, codes in pairs])
        return int(self.classes.records[hit].sum())

    @cached_property
    def _unread_labels(self) -> dict[str, Bools]:
        pairs = zip(self.known.on, self.known.domains, strict=True)
        return {name: self.target.unread(name, domain) for name, domain in pairs}

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

    def missing(self, attack: str) -> Iterator[str]:
        """Say which labels could not be read, without their texts."""
        for name, labels in self._unread_labels.items():
            if labels.any():
                many = f"{int(labels.sum()):,} of {len(labels):,} labels of column {name!r}"
                yield f"{attack}: {many} are no values of these people and cannot be read; each stands for itself."
        if self.unread:
            total = int(self.classes.records.sum())
            yield f"{attack}: {self.unread:,} of {total:,} records have such labels: {INCOMPLETE}"

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
        baseline=one_of(people_of(joined.target.classes)),
        unit="chance",
        worst=None if smallest is None else Fraction(1, smallest),
        worst_class={} if smallest is None else _label(joined, found, found.candidates == smallest),
        distribution=tuple((one, sum(many for size, many in counted.items() if one * size <= 1)) for one in CHANCES),
        unread=joined.unread,
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
        unread=joined.unread,
        _records=partial(_records, joined, found, chosen, (name,)),
    )


def _exposed(joined: Joined, chosen: Bools, classes: int) -> Exposed:
    return joined.known.exposed(lambda: joined.who(chosen), int(joined.answered[chosen].sum()), classes)


def _knows(known: Known) -> str:
    whose = "everybody in the original table" if known.original else f"{known.people:,} people of an external table"
    columns = f"{len(known.on)} quasi-identifier{'' if len(known.on) == 1 else 's'}"
    return f"{columns} of {whose}"


def _notes(joined: Joined, matched: int) -> tuple[str, ...]:
    known = joined.known
    notes = [f"linkage: {matched:,} of {known.people:,} {known.noun} have a candidate in the release."]
    notes += joined.missing("linkage")
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
