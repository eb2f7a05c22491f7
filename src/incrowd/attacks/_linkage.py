"""Linkage: which published classes each known person can be in, found by walking down a tree of their labels.

Labels are matched by what they cover, column by column: distinct labels against distinct values. Classes stand in a
tree with one level per column; people walk down it, all of a block at once, along branches that cover them.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from incrowd.core import Packing, add_up
from incrowd.measures import same_sets

# Which labels of a column cover which values (S-COVER): distinct labels against distinct values.

Ints = npt.NDArray[np.integer]

TABLE = 1 << 26
"""Labels times values of one column, up to which a table says which covers which."""


@dataclass(frozen=True, slots=True, eq=False)
class Matching:
    """Which labels of one column cover which values."""

    labels: int
    starts: npt.NDArray[np.int64] = field(repr=False)
    covering: npt.NDArray[np.int64] = field(repr=False)
    table: npt.NDArray[np.bool_] | None = field(repr=False)

    @classmethod
    def of(cls, covered: Sequence[Ints], values: int) -> Matching:
        """Turn round what each label covers."""
        label = np.repeat(np.arange(len(covered)), [len(codes) for codes in covered])
        value = np.concatenate([np.zeros(0, dtype=np.int64), *covered])
        order = np.argsort(value, kind="stable")
        starts = np.searchsorted(value[order], np.arange(values + 1))
        table = None
        if len(covered) * values <= TABLE:
            table = np.zeros((len(covered), values), dtype=bool)
            table[label, value] = True
        return cls(len(covered), starts, label[order], table)

    def value_kinds(self) -> npt.NDArray[np.int64]:
        """Give values a number each, the same to those that the same labels cover and to no others."""
        many = np.diff(self.starts)
        if many.max(initial=0) > 1:
            sets = same_sets(self.starts, self.covering)
            return np.unique(sets, return_inverse=True)[1] if len(sets) else sets
        return np.where(many > 0, np.append(self.covering, 0)[self.starts[:-1]] + 1, 0)

    def bits(self) -> npt.NDArray[np.uint8]:
        """Give the same as one bit per value and label: a row of whole bytes for each value."""
        width, values = -(-self.labels // 8), len(self.starts) - 1
        if self.table is not None:
            return np.packbits(self.table.T, axis=1)
        value = np.repeat(np.arange(values), np.diff(self.starts))
        result = np.zeros(values * width, dtype=np.uint8)
        place = value * width + (self.covering >> 3)
        np.bitwise_or.at(result, place, (128 >> (self.covering & 7)).astype(np.uint8))
        return result.reshape(values, width)

    @property
    def average(self) -> float:
        """How many labels cover a value, on average."""
        return len(self.covering) / max(len(self.starts) - 1, 1)

    @property
    def most(self) -> int:
        """How many labels cover one value at most."""
        return int(np.diff(self.starts).max(initial=0))


Pairs = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]

BLOCK = 1 << 18
"""So many people walk together."""
MOST = 1 << 25
"""A block that would need more steps at once is halved."""
BITS = 1 << 31
"""The same of all columns, up to which one bit each says so to the compiled walk."""
MANY = 200_000
"""From so many people on the compiled walk pays for its start."""
FEW = 8
"""Where more labels than these cover one value, hardly two people are covered by the same ones."""
SPARSE = 4
"""So many times more kinds of people may be possible than there are people, for them to be put together by kind."""
ROUGH = 4
"""By so much the steps of a walk may be guessed wrong."""


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """One level of the tree: the branches below each node, sorted by node and label."""

    keys: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    labels: npt.NDArray[np.int64]


class Links:
    """Walks people down to the classes that can be theirs."""

    def __init__(self, classes: Sequence[Ints], people: Sequence[Ints], matchings: Sequence[Matching]) -> None:
        order = _cheapest_order(classes, people, matchings)
        self.codes = [people[column] for column in order]
        self.matchings = [matchings[column] for column in order]
        self.levels: list[Level] = []
        words = Packing.of([one.labels for one in self.matchings]).pack([classes[column] for column in order])
        self.classes = np.argsort(words[0]) if len(words) == 1 else np.lexsort(words[::-1])
        node, new = np.zeros(len(self.classes), dtype=np.int64), np.zeros(len(self.classes), dtype=bool)
        new[:1] = True
        for column in order:  # classes are sorted: a branch begins where one differs from the class before
            labels = classes[column][self.classes].astype(np.int64)
            new[1:] |= labels[1:] != labels[:-1]
            first = np.flatnonzero(new)
            above, label = node[first], labels[first]
            starts = np.searchsorted(above, np.arange(node.max(initial=0) + 2))
            self.levels.append(Level(above * matchings[column].labels + label, starts, label))
            node = np.cumsum(new) - 1

    @property
    def people(self) -> int:
        """How many people walk."""
        return len(self.codes[0])

    def kinds(self) -> tuple[Links, Ints] | None:
        """Put people together whom the same labels cover: one of each kind walks for all."""
        if max(matching.most for matching in self.matchings) > FEW:
            return None
        alike = [matching.value_kinds() for matching in self.matchings]
        possible = math.prod(int(kind.max(initial=0)) + 1 for kind in alike)
        if possible > SPARSE * self.people:
            return None
        place = np.zeros(self.people, dtype=np.int64)
        for kind, column in zip(alike, self.codes, strict=True):
            place *= int(kind.max(initial=0)) + 1
            place += kind[column]
        who = np.full(possible, -1, dtype=np.int64)
        who[place] = np.arange(self.people)
        taken = np.flatnonzero(who >= 0)
        some = copy.copy(self)
        some.codes = [column[who[taken]] for column in self.codes]
        who[taken] = np.arange(len(taken))
        return some, who[place]

    def crowds(self, counts: Ints, classes: int) -> npt.NDArray[np.int64]:
        """Count for every class the people who can be in it, of whom some are alike."""
        kinds, found = self.kinds(), np.zeros(classes, dtype=np.int64)
        links = self if kinds is None else kinds[0]
        counts = counts if kinds is None else add_up(kinds[1], counts, links.people)
        for _, _, (person, one) in links.blocks():
            found += add_up(one, counts[person], classes)
        return found

    def value_kinds(self) -> list[npt.NDArray[np.int64]]:
        """Give the values of each column numbers: one for those that the same labels cover, where few labels do."""
        return [one.value_kinds() if one.most <= FEW else np.arange(len(one.starts) - 1) for one in self.matchings]

    @property
    def is_compiled(self) -> bool:
        """Whether the compiled walk pays, and there is room for what it needs."""
        size = sum(matching.labels * (len(matching.starts) - 1) for matching in self.matchings)
        return MANY <= self.people < 2**31 and size <= BITS

    def blocks(self, block: int | None = None, most: int | None = None) -> Iterator[tuple[int, int, Pairs]]:
        """Give, block by block of people, the first of them and the one after the last, and all pairs with classes."""
        block, most = block or BLOCK, most or MOST
        todo = [(start, min(start + block, self.people)) for start in range(0, self.people, block)][::-1]
        while todo:
            first, end = todo.pop()
            pairs = self._walk(first, end, most)
            if pairs is None:
                middle = (first + end) // 2
                todo += [(middle, end), (first, middle)]
            else:
                yield first, end, pairs

    def walk(self, first: int, end: int) -> Pairs:
        """Give all pairs of person and class of some people, in the order of the people."""
        pairs = self._walk(first, end, MOST)
        if pairs is not None:
            return pairs
        middle = (first + end) // 2
        one, two = self.walk(first, middle), self.walk(middle, end)
        return np.concatenate([one[0], two[0]]), np.concatenate([one[1], two[1]])

    def _walk(self, first: int, end: int, most: int) -> Pairs | None:
        """Walk down from the top; nothing if that would need too much at once."""
        person = np.arange(first, end)
        node = np.zeros(len(person), dtype=np.int64)
        for column, matching, level in zip(self.codes, self.matchings, self.levels, strict=True):
            value = column[person].astype(np.int64)
            branches = level.starts[node + 1] - level.starts[node]
            covering = matching.starts[value + 1] - matching.starts[value]
            by_branch = matching.table is not None and branches.sum() <= covering.sum()
            steps = branches if by_branch else covering
            if steps.sum() > most and end - first > 1:
                return None
            source = np.repeat(np.arange(len(person)), steps)
            offset = np.arange(len(source)) - np.repeat(np.cumsum(steps) - steps, steps)
            if by_branch and matching.table is not None:
                below = level.starts[node[source]] + offset
                fits = matching.table[level.labels[below], value[source]]
            else:
                label = matching.covering[matching.starts[value[source]] + offset]
                wanted = node[source] * matching.labels + label
                below = np.minimum(np.searchsorted(level.keys, wanted), max(len(level.keys) - 1, 0))
                fits = level.keys[below] == wanted if len(level.keys) else np.zeros(len(below), dtype=bool)
            person, node = person[source[fits]], below[fits]
        return person, self.classes[node]


def _cheapest_order(classes: Sequence[Ints], people: Sequence[Ints], matchings: Sequence[Matching]) -> list[int]:
    """Order columns so that people walk few steps: few values first, or few branches, or what tells people apart.

    Steps are guessed as if columns had nothing to do with each other. Of many people those who begin alike share their
    first steps: for them columns of few values come first where that is nearly the cheapest.
    """
    many, values = len(people[0]) >= MANY, [len(matching.starts) - 1 for matching in matchings]
    share = [_cover_share(*parts) for parts in zip(classes, people, matchings, strict=True)]
    branches = [matching.average for matching in matchings]
    keys: list[list[float]] = [[float(number) for number in values], branches, share]
    orders = [sorted(range(len(matchings)), key=key.__getitem__) for key in keys]
    steps = []
    for order in orders:
        total, begun, nodes, reached = 0.0, 1.0 if many else float(len(people[0])), 1.0, 1.0
        for column in order:
            begun = min(begun * values[column], len(people[0]))
            below = min(nodes * matchings[column].labels, len(classes[0])) / max(nodes, 1.0)  # there may be no class
            total += begun * max(nodes * reached, 1.0) * (below if many else min(below, branches[column]))
            nodes, reached = nodes * below, reached * share[column]
        steps.append(total)
    return orders[0] if many and steps[0] <= ROUGH * min(steps) else orders[int(np.argmin(steps))]


def _cover_share(classes: Ints, people: Ints, matching: Matching) -> float:
    """Give the share of pairs of a person and a class in which the label covers the value."""
    labels = np.bincount(classes, minlength=matching.labels) / max(len(classes), 1)
    values = np.zeros(len(matching.starts) - 1, dtype=np.int64)
    for start in range(0, len(people), BLOCK):  # in pieces, which need little room
        values += np.bincount(people[start : start + BLOCK], minlength=len(values))
    shares = values / max(len(people), 1)
    return float(np.repeat(shares, np.diff(matching.starts)) @ labels[matching.covering])
