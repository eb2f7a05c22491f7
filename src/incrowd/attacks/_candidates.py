"""What the classes that a linked person can be in say together: how many candidates, and values all of them have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.attacks._inference import missing_code
from incrowd.attacks._linkage import Links
from incrowd.core import Classes, Histogram, add_up, group
from incrowd.measures import same_sets

# Which classes people can be in, as sets: those who can be in the same ones have one set.

Ints = npt.NDArray[np.integer]
Counts = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


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
            own, lengths_here, members_here = _distinct_sets(starts, classes[order])
            number[person[first]] = before + own
            lengths.append(lengths_here)
            members.append(members_here)
            before += len(lengths_here)
        starts, classes = np.concatenate([[0], np.cumsum(np.concatenate(lengths))]), np.concatenate(members)
        own, all_lengths, classes = _distinct_sets(starts, classes)  # blocks may have sets in common
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


def entries_of_rows(starts: Ints, rows: Ints) -> tuple[Counts, Counts]:
    """List the entries of some rows, which lie row by row: which row asked for each, and where it is."""
    many = starts[rows + 1] - starts[rows]
    source = np.repeat(np.arange(len(rows)), many)
    return source, starts[rows][source] + np.arange(len(source)) - np.repeat(np.cumsum(many) - many, many)


def _distinct_sets(starts: Ints, members: Ints) -> tuple[Counts, Counts, Counts]:
    """Keep one of equal sets: give the number of every set, and lengths and members of those that are kept."""
    _, one, own = np.unique(same_sets(starts, members), return_index=True, return_inverse=True)
    _, entries = entries_of_rows(starts, one)
    return own.astype(np.int64), np.diff(starts)[one], members[entries].astype(np.int64)


def parts_of(owner: Ints, number: int) -> Counts:
    """Say where each part begins in entries that lie part by part; one longer than there are parts."""
    return np.searchsorted(owner, np.arange(number + 1))


TOGETHER = 1 << 24
"""So many pairs of a set and a person are looked at together."""


@dataclass(frozen=True, slots=True, eq=False)
class SharedValues:
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
    said: dict[str, SharedValues] = field(repr=False)

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
        said = {name: _shared_values(classes, name, alone, shared) for name in columns}
        return cls(alone, parts_of(owner[several], len(classes)), who[several].astype(np.int64), width, said)

    def candidates(self, sets: ClassSets) -> Counts:
        """Count the persons of sets of classes, each once in a set."""
        result = sets.sums(self.alone)
        many = np.diff(self.starts)
        keys = np.repeat(np.arange(len(many)), many) * self.width + self.persons  # ascend
        for first, some in sets.pieces(many, TOGETHER):
            owner = some.owner
            largest = np.lexsort((-many[some.classes], owner))[some.starts[:-1]]  # taken as it is, others beside it
            others = np.ones(len(owner), dtype=bool)
            others[largest] = False
            source, entry = entries_of_rows(self.starts, some.classes[others])
            pairs = np.unique(owner[others][source] * self.width + self.persons[entry])
            owner, taken = pairs // self.width, some.classes[largest]
            wanted = taken[owner] * self.width + pairs % self.width
            inside = np.append(keys, -1)[np.searchsorted(keys, wanted)] == wanted
            result[first : first + len(some)] += many[taken] + np.bincount(owner[~inside], minlength=len(some))
        return result

    def certain(self, name: str, sets: ClassSets, candidates: Counts) -> tuple[Counts, Counts]:
        """Find the values that all candidates have: ascending pairs of a set and a code."""
        said, found = self.said[name], [np.zeros(0, dtype=np.int64)]
        for first, some in sets.pieces(said.steps, TOGETHER):
            source, entry = entries_of_rows(said.starts, some.classes)
            keys, which = np.unique(some.owner[source] * said.codes + said.values[entry], return_inverse=True)
            wanted = candidates[first + keys // said.codes]
            possible = add_up(which, said.counts[entry], len(keys)) >= wanted
            entry, which = entry[possible[which]], which[possible[which]]
            held = add_up(which, said.alone[entry], len(keys))
            source, place = entries_of_rows(said.begins, entry)
            pairs = np.unique(which[source] * self.width + said.holders[place])
            held += np.bincount(pairs // self.width, minlength=len(keys))
            found.append(keys[held == wanted] + first * said.codes)
        together = np.concatenate(found)
        return together // max(said.codes, 1), together % max(said.codes, 1)


def _shared_values(classes: Classes, name: str, alone: Counts, shared: npt.NDArray[np.bool_]) -> SharedValues:
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
    return SharedValues(
        starts=parts_of(owner[kept], len(classes)),
        values=value[kept],
        counts=counts[kept],
        alone=single[kept],
        begins=parts_of(new[entry[chosen]], number),
        holders=who[chosen],
        codes=codes,
    )


# What the classes that can be somebody's say together.


@dataclass(frozen=True, slots=True, eq=False)
class Linked:
    """What the join says about people: one answer for those who are alike."""

    kind: Ints = field(repr=False)
    candidates: Counts = field(repr=False)
    # The code that all candidates have, the lowest of several; -1 where they differ.
    values: dict[str, Counts] = field(repr=False)
    telling: dict[str, int] = field(repr=False)
    only: Counts = field(repr=False)  # one class that a person can be in; -1 if there is none
    reached: int
    # The first of several; -1 if there is none.
    narrowest: Counts | None = field(default=None, repr=False)
    # Others that all have, as only people with several rows can: answer and code.
    further: dict[str, tuple[Counts, Counts]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, kind: Ints, candidates: Counts, values: dict[str, Counts], telling: Bools, only: Counts, narrowest: Any
    ) -> Linked:
        """Count the classes that tell something, and those that somebody is found in."""
        many = {name: int(np.count_nonzero(row)) for name, row in zip(values, telling, strict=True)}
        return cls(kind, candidates, values, many, only, len(np.unique(only[candidates == 1])), narrowest)

    def certain(self, name: str) -> tuple[Counts, Counts]:
        """Give the values of a column that all candidates have: where those of each answer begin, and their codes."""
        some = np.flatnonzero(self.values[name] >= 0)
        answers, codes = some, self.values[name][some]
        if name in self.further:
            more = self.further[name]
            answers, codes = np.concatenate([answers, more[0]]), np.concatenate([codes, more[1]])
            order = np.lexsort((codes, answers))
            answers, codes = answers[order], codes[order]
        return parts_of(answers, len(self.candidates)), codes


def link(links: Links, sizes: Ints, certain: dict[str, Counts], widths: Floats | None = None) -> Linked:
    """Add up what the classes that can be a person's say."""
    kinds = links.kinds()
    if kinds is None:
        return _link(links, sizes, certain, widths)
    found = _link(kinds[0], sizes, certain, widths)
    return replace(found, kind=found.kind[kinds[1]])


def _link(links: Links, sizes: Ints, certain: dict[str, Counts], widths: Floats | None) -> Linked:
    order = None if widths is None else np.lexsort((np.arange(len(widths)), np.round(widths, 9)))
    ranks = None if order is None else np.argsort(order)
    if links.is_compiled:
        from incrowd.attacks._kernels import add_up_many  # noqa: PLC0415 - numba is loaded only when it pays

        told = add_up_many(links, sizes, list(certain.values()), ranks)
        values, narrowest = dict(zip(certain, told.certain, strict=True)), None if ranks is None else told.narrowest
        return Linked.of(told.kind, told.candidates, values, told.telling, told.only, narrowest)
    candidates = np.zeros(links.people, dtype=np.int64)
    only = np.full(links.people, -1, dtype=np.int64)
    values, narrow = {name: only.copy() for name in certain}, only.copy()
    telling = np.zeros((len(certain), len(sizes)), dtype=bool)
    for _, _, (person, classes) in links.blocks():
        if not len(person):
            continue
        starts = np.flatnonzero(np.concatenate(([True], person[1:] != person[:-1])))
        found = person[starts]
        candidates[found] = np.add.reduceat(sizes[classes], starts)
        only[found] = classes[starts]
        if order is not None and ranks is not None:
            narrow[found] = order[np.minimum.reduceat(ranks[classes], starts)]
        for (name, codes), told_by in zip(certain.items(), telling, strict=True):
            low, high = (by.reduceat(codes[classes], starts) for by in (np.minimum, np.maximum))
            values[name][found] = np.where(low == high, low, -1)
            told_by[classes[values[name][person] >= 0]] = True
    return Linked.of(np.arange(links.people), candidates, values, telling, only, None if order is None else narrow)


def link_persons(links: Links, crowd: Crowd) -> Linked:
    """Say the same where people have several rows: candidates are persons, each once, with the values of all rows.

    The rows of a candidate are those in classes that can be the person's. One answer is given for each set of classes.
    """
    sets = ClassSets.of(links)
    persons, number = crowd.candidates(sets), len(crowd.alone)
    candidates = np.append(0, persons)  # the first answer is about people without a candidate
    values, further, telling = {}, {}, {}
    for name in crowd.said:
        owner, codes = crowd.certain(name, sets, persons)
        again = np.append(False, owner[1:] == owner[:-1]) if len(owner) else owner > 0
        values[name] = np.full(len(candidates), -1, dtype=np.int64)
        values[name][owner[~again] + 1] = codes[~again]
        if again.any():
            further[name] = owner[again] + 1, codes[again]
        telling[name] = _classes_of(sets, values[name][1:] >= 0, number)
    only = np.append(-1, sets.classes[sets.starts[:-1]])
    reached = _classes_of(sets, persons == 1, number)
    return Linked(sets.number + 1, candidates, values, telling, only, reached, further=further)


def _classes_of(sets: ClassSets, chosen: npt.NDArray[np.bool_], number: int) -> int:
    return int(np.count_nonzero(np.bincount(sets.classes[chosen[sets.owner]], minlength=number)))


# Two releases of the same people: what neither says alone can follow from both.

BLOCK, PAIRS = 1 << 14, 1 << 21
"""So many people are looked at together, and so many pairs of person and class."""


@dataclass(frozen=True, slots=True, eq=False)
class Remaining:
    """How many sensitive values are possible for each person."""

    first: Counts = field(repr=False)
    second: Counts = field(repr=False)
    both: Counts = field(repr=False)
    value: Counts = field(repr=False)  # the code of the one value that is left, or -1


def intersect(links: tuple[Links, Links], histograms: tuple[Histogram, Histogram], same: Counts) -> Remaining:
    """Keep, for every person, the values that occur among the candidates of both releases."""
    people, codes = links[0].people, int(histograms[0].values[0].max(initial=0)) + 1
    codes = max(codes, int(same.max(initial=0)) + 1)
    second = np.where(same >= 0, same, codes + np.arange(len(same)))  # what the first lacks gets a number of its own
    codes += len(same)
    none = np.zeros(people, dtype=np.int64)
    found = Remaining(none, none.copy(), none.copy(), none - 1)
    for first, end, pairs in links[0].blocks(BLOCK, PAIRS):
        one = _possible_values(pairs, histograms[0], first, codes, np.arange(codes))
        two = _possible_values(links[1].walk(first, end), histograms[1], first, codes, second)
        common = np.intersect1d(one, two, assume_unique=True)
        for keys, counts in ((one, found.first), (two, found.second), (common, found.both)):
            counts[first:end] = np.bincount(keys // codes, minlength=end - first)
        owner = common // codes
        alone = found.both[first:end][owner] == 1
        found.value[first + owner[alone]] = common[alone] % codes
    return found


def _possible_values(
    pairs: tuple[Counts, Counts], histogram: Histogram, first: int, width: int, codes: Counts
) -> Counts:
    """Give each person's possible values once, person and value in one number."""
    person, classes = pairs
    source, entry = entries_of_rows(histogram.starts, classes)
    return np.unique((person[source] - first) * width + codes[histogram.values[0][entry]])


# Who knows that nobody is generalized more than needed looks for a person in the narrowest class that fits.


def widths_of(codes: Sequence[npt.NDArray[np.integer]], covered: Sequence[Sequence[npt.NDArray[np.intp]]]) -> Floats:
    """Say how wide every class is: the logarithm of how many combinations of values its labels cover."""
    width = np.zeros(len(codes[0]))
    for column, reached in zip(codes, covered, strict=True):
        width += np.log(np.array([max(len(values), 1) for values in reached], dtype=np.float64))[column]
    return width
