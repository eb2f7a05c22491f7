"""Persons who are in several classes: nobody is a candidate twice, and somebody has the values of all of his rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from incrowd.attacks._inference import missing_code
from incrowd.attacks._linkage import Links
from incrowd.core import Classes, add_up, group
from incrowd.measures import same_sets

# Which classes people can be in, as sets: those who can be in the same ones have one set.

Ints = npt.NDArray[np.integer]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ClassSets:
    """Different sets of classes, none of them empty."""

    number: Counts = field(repr=False)  # the set of every person; -1 for nobody's class
    starts: Counts = field(repr=False)
    classes: Counts = field(repr=False)

    @classmethod
    def of(cls, links: Links) -> ClassSets:
        """Let people walk to their classes; one of each kind for all, where kinds are few."""
        kinds = links.kinds()
        if kinds is not None:
            some = cls._of(kinds[0])
            return cls(some.number[kinds[1]], some.starts, some.classes)
        return cls._of(links)

    @classmethod
    def _of(cls, links: Links) -> ClassSets:
        number, before = np.full(links.people, -1, dtype=np.int64), 0
        lengths, members = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        for _, _, (person, classes) in links.blocks():
            order = np.lexsort((classes, person))
            first = np.flatnonzero(np.append(True, person[1:] != person[:-1])) if len(person) else person
            starts = np.append(first, len(person))
            own, lengths_here, members_here = _different(starts, classes[order])
            number[person[first]] = before + own
            lengths.append(lengths_here)
            members.append(members_here)
            before += len(lengths_here)
        starts, classes = np.concatenate([[0], np.cumsum(np.concatenate(lengths))]), np.concatenate(members)
        own, all_lengths, classes = _different(starts, classes)  # blocks may have sets in common
        number[number >= 0] = own[number[number >= 0]]
        return cls(number, np.concatenate([[0], np.cumsum(all_lengths)]), classes)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def owner(self) -> Counts:
        """The set that each entry of ``classes`` belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def sums(self, amounts: Ints) -> Counts:
        """Add up an amount of every class, set by set."""
        if not len(self):
            return np.zeros(0, dtype=np.int64)
        return np.add.reduceat(amounts[self.classes], self.starts[:-1]).astype(np.int64)

    def pieces(self, steps: Ints, most: int) -> Iterator[tuple[int, ClassSets]]:
        """Give some sets at a time, and the number of the first, so that they need few steps together."""
        ends, first = np.cumsum(self.sums(steps)), 0
        while first < len(self):
            done = int(ends[first - 1]) if first else 0
            end = max(int(np.searchsorted(ends, done + most, side="right")), first + 1)
            inside = slice(self.starts[first], self.starts[end])
            yield first, ClassSets(self.number[:0], self.starts[first : end + 1] - inside.start, self.classes[inside])
            first = end


def below(starts: Ints, rows: Ints) -> tuple[Counts, Counts]:
    """List the entries of some rows, which lie row by row: which row asked for each, and where it is."""
    many = starts[rows + 1] - starts[rows]
    source = np.repeat(np.arange(len(rows)), many)
    return source, starts[rows][source] + np.arange(len(source)) - np.repeat(np.cumsum(many) - many, many)


def _different(starts: Ints, members: Ints) -> tuple[Counts, Counts, Counts]:
    """Keep one of equal sets: give the number of every set, and lengths and members of those that are kept."""
    _, one, own = np.unique(same_sets(starts, members), return_index=True, return_inverse=True)
    _, entries = below(starts, one)
    return own.astype(np.int64), np.diff(starts)[one], members[entries].astype(np.int64)


def parts_of(owner: Ints, number: int) -> Counts:
    """Say where each part begins in entries that lie part by part; one longer than there are parts."""
    return np.searchsorted(owner, np.arange(number + 1))


MOST = 1 << 24
"""So many pairs of a set and a person are looked at together."""


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """The values of one sensitive column that can be everybody's in some set of classes."""

    starts: Counts = field(repr=False)
    values: Counts = field(repr=False)
    counts: Counts = field(repr=False)
    alone: Counts = field(repr=False)
    begins: Counts = field(repr=False)
    holders: Counts = field(repr=False)
    codes: int

    @property
    def steps(self) -> Counts:
        """How many entries and holders each class has."""
        return np.diff(self.starts) + np.diff(self.begins[self.starts])


@dataclass(frozen=True, slots=True, eq=False)
class Crowd:
    """Who is in which class, where people have several rows."""

    alone: Counts = field(repr=False)
    starts: Counts = field(repr=False)
    persons: Counts = field(repr=False)
    width: int
    said: dict[str, Said] = field(repr=False)

    @classmethod
    def of(cls, classes: Classes, columns: Iterable[str]) -> Crowd:
        """Take classes of a table that says whose row is whose."""
        members, person = classes.members, np.asarray(classes.cells.person)
        width = int(person.max(initial=0)) + 1
        pairs = group([members, person], [max(len(classes), 1), width]).first
        owner, who = members[pairs], person[pairs]
        shared = np.bincount(who, minlength=width) > 1
        several = shared[who]
        alone = np.bincount(owner[~several], minlength=len(classes)).astype(np.int64)
        said = {name: _said(classes, name, alone, shared) for name in columns}
        return cls(alone, parts_of(owner[several], len(classes)), who[several].astype(np.int64), width, said)

    def candidates(self, sets: ClassSets) -> Counts:
        """Count the persons of sets of classes, each once in a set."""
        result = sets.sums(self.alone)
        many = np.diff(self.starts)
        keys = np.repeat(np.arange(len(many)), many) * self.width + self.persons  # ascend
        for first, some in sets.pieces(many, MOST):
            owner = some.owner
            largest = np.lexsort((-many[some.classes], owner))[some.starts[:-1]]  # taken as it is, others beside it
            others = np.ones(len(owner), dtype=bool)
            others[largest] = False
            source, entry = below(self.starts, some.classes[others])
            pairs = np.unique(owner[others][source] * self.width + self.persons[entry])
            owner, taken = pairs // self.width, some.classes[largest]
            wanted = taken[owner] * self.width + pairs % self.width
            inside = np.append(keys, -1)[np.searchsorted(keys, wanted)] == wanted
            result[first : first + len(some)] += many[taken] + np.bincount(owner[~inside], minlength=len(some))
        return result

    def certain(self, name: str, sets: ClassSets, candidates: Counts) -> tuple[Counts, Counts]:
        """Find the values that all candidates have: ascending pairs of a set and a code."""
        said, found = self.said[name], [np.zeros(0, dtype=np.int64)]
        for first, some in sets.pieces(said.steps, MOST):
            source, entry = below(said.starts, some.classes)
            keys, which = np.unique(some.owner[source] * said.codes + said.values[entry], return_inverse=True)
            wanted = candidates[first + keys // said.codes]
            possible = add_up(which, said.counts[entry], len(keys)) >= wanted
            entry, which = entry[possible[which]], which[possible[which]]
            held = add_up(which, said.alone[entry], len(keys))
            source, place = below(said.begins, entry)
            pairs = np.unique(which[source] * self.width + said.holders[place])
            held += np.bincount(pairs // self.width, minlength=len(keys))
            found.append(keys[held == wanted] + first * said.codes)
        together = np.concatenate(found)
        return together // max(said.codes, 1), together % max(said.codes, 1)


def _said(classes: Classes, name: str, alone: Counts, shared: npt.NDArray[np.bool_]) -> Said:
    """Leave out values that somebody lacks who is in no other class: these are never everybody's."""
    members, person = classes.members, np.asarray(classes.cells.person)
    codes, values = classes.cells.cardinalities[name], classes.cells.sensitive[name]
    entries = group([members, values], [max(len(classes), 1), max(codes, 1)])
    owner, value = members[entries.first], values[entries.first].astype(np.int64)
    pairs = group([entries.ids, person], [max(len(entries), 1), len(shared)]).first
    entry, who = entries.ids[pairs], person[pairs].astype(np.int64)
    counts = np.bincount(entry, minlength=len(entries)).astype(np.int64)
    single = np.bincount(entry[~shared[who]], minlength=len(entries)).astype(np.int64)
    kept = (single == alone[owner]) & (value != missing_code(classes, name))  # nobody learns that a value is missing
    chosen = kept[entry] & shared[who]
    new = np.cumsum(kept) - 1
    number = int(kept.sum())
    return Said(
        starts=parts_of(owner[kept], len(classes)),
        values=value[kept],
        counts=counts[kept],
        alone=single[kept],
        begins=parts_of(new[entry[chosen]], number),
        holders=who[chosen],
        codes=codes,
    )
