"""Joining a release with what somebody else knows: which classes a person can be in (S0-LINK, S-COVER).

Labels are matched by what they cover, column by column: distinct labels against distinct values. Classes stand in a
tree with one level per column; people walk down it, all of a block at once, along branches that cover them.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from incrowd.attacks._matching import Matching
from incrowd.core import Packing, group

if TYPE_CHECKING:
    from incrowd.attacks._linkage_compiled import Covers, Found, Tree

Ints = npt.NDArray[np.integer]
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
class _Level:
    """One level of the tree: the branches below each node, sorted by node and label."""

    keys: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    labels: npt.NDArray[np.int64]


class Links:
    """Walks people down to the classes that can be theirs.

    Parameters
    ----------
    classes
        One array of label codes per column: the classes, all different.
    people
        One array of value codes per column: the people.
    matchings
        Per column, which labels cover which values.
    """

    def __init__(self, classes: Sequence[Ints], people: Sequence[Ints], matchings: Sequence[Matching]) -> None:
        order = _cheapest(classes, people, matchings)
        self._people = [people[column] for column in order]
        self._matchings = [matchings[column] for column in order]
        self._levels: list[_Level] = []
        node, nodes = np.zeros(len(classes[0]), dtype=np.int64), 1
        for column in order:
            labels = matchings[column].labels
            branches = group([node, classes[column]], [nodes, labels])
            above = node[branches.first]
            label = classes[column][branches.first].astype(np.int64)
            starts = np.searchsorted(above, np.arange(nodes + 1))
            self._levels.append(_Level(above * labels + label, starts, label))
            node, nodes = branches.ids.astype(np.int64), len(branches)
        self._class = np.empty(nodes, dtype=np.int64)
        self._class[node] = np.arange(len(node))

    @property
    def people(self) -> int:
        """How many people walk."""
        return len(self._people[0])

    def kinds(self) -> tuple[Links, Ints] | None:
        """Put people together whom the same labels cover: one of each kind walks for all.

        Returns
        -------
        The links of one person of each kind, and everybody's kind; nothing where there may be too many kinds.
        """
        if max(int(np.diff(matching.starts).max(initial=0)) for matching in self._matchings) > FEW:
            return None
        alike = [matching.alike() for matching in self._matchings]
        possible = math.prod(int(kind.max(initial=0)) + 1 for kind in alike)
        if possible > SPARSE * self.people:
            return None
        place = np.zeros(self.people, dtype=np.int64)
        for kind, column in zip(alike, self._people, strict=True):
            place *= int(kind.max(initial=0)) + 1
            place += kind[column]
        who = np.full(possible, -1, dtype=np.int64)
        who[place] = np.arange(self.people)
        taken = np.flatnonzero(who >= 0)
        some = copy.copy(self)
        some._people = [column[who[taken]] for column in self._people]  # noqa: SLF001 - it is one of us
        who[taken] = np.arange(len(taken))
        return some, who[place]

    def pairs(self) -> Iterator[Pairs]:
        """Give all pairs of person and class, in parts: all of a person's together, people in any order."""
        size = sum(matching.labels * (len(matching.starts) - 1) for matching in self._matchings)
        if self.people < MANY or size > BITS:
            for _, _, pairs in self.blocks():
                yield pairs
            return
        yield from self._compiled()

    def _compiled(self) -> Iterator[Pairs]:
        """Walk with a compiled loop, people sorted by the columns of the tree."""
        from incrowd.attacks._linkage_compiled import walk  # noqa: PLC0415 - numba is loaded only when it pays

        words = Packing.of([len(matching.starts) - 1 for matching in self._matchings]).pack(self._people)
        order = np.argsort(words[0]) if len(words) == 1 else np.lexsort(words[::-1])
        people = np.empty((len(order), len(self._people)), dtype=np.int32)
        for column, codes in enumerate(self._people):
            people[:, column] = codes[order]
        tree, covers, found = self._laid_out()
        start = 0
        while start < len(people):
            start, many = walk(people, start, tree, covers, found)
            yield order[found.person[:many]], self._class[found.node[:many]]

    def _laid_out(self) -> tuple[Tree, Covers, Found]:
        """Lay the tree out in few arrays, as the compiled loop needs it."""
        from incrowd.attacks._linkage_compiled import Covers, Found, Tree  # noqa: PLC0415 - as above

        nodes, branches = (
            [len(part) for part in parts]
            for parts in zip(*((one.starts, one.labels) for one in self._levels), strict=True)
        )
        ends = np.cumsum([0, *branches])
        tree = Tree(
            np.concatenate([level.starts for level in self._levels]).astype(np.int64),
            np.concatenate([level.labels for level in self._levels]).astype(np.int32),
            np.cumsum([0, *nodes])[:-1],
            ends,
        )
        bits = [matching.bits() for matching in self._matchings]
        widths = np.array([-(-matching.labels // 8) for matching in self._matchings])
        covers = Covers(np.concatenate(bits), np.cumsum([0, *(len(part) for part in bits)])[:-1], widths)
        room = max(MOST, branches[-1])
        person, node = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
        many = np.zeros(len(branches) + 1, dtype=np.int64)
        many[0] = 1
        return tree, covers, Found(person, node, np.empty(ends[-1], dtype=np.int64), many)

    def blocks(self, block: int | None = None, most: int | None = None) -> Iterator[tuple[int, int, Pairs]]:
        """Give, block by block of people, the first of them and the one after the last, and all pairs with classes.

        Parameters
        ----------
        block
            How many people walk together.
        most
            How many steps they may need at once; a block that would need more is halved.
        """
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
        for column, matching, level in zip(self._people, self._matchings, self._levels, strict=True):
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
        return person, self._class[node]


@dataclass(frozen=True, slots=True, eq=False)
class Linked:
    """What the join says about each person.

    Attributes
    ----------
    candidates
        How many people of the release the person can be.
    values
        Per sensitive column the code of the value that all candidates have; -1 where they differ or there are none.
    only
        One class that the person can be in; -1 if there is none. With one candidate it is the only one.
    narrowest
        The narrowest class that the person can be in, the first of several; -1 if there is none. Only where it was
        asked how wide the classes are.
    """

    candidates: npt.NDArray[np.int64] = field(repr=False)
    values: dict[str, npt.NDArray[np.int64]] = field(repr=False)
    only: npt.NDArray[np.int64] = field(repr=False)
    narrowest: npt.NDArray[np.int64] | None = field(default=None, repr=False)

    def of(self, people: Ints) -> Linked:
        """Give what is said about some people, or about several as about one."""
        values = {name: codes[people] for name, codes in self.values.items()}
        narrowest = None if self.narrowest is None else self.narrowest[people]
        return Linked(self.candidates[people], values, self.only[people], narrowest)


def link(
    links: Links,
    sizes: Ints,
    certain: dict[str, npt.NDArray[np.int64]],
    widths: npt.NDArray[np.float64] | None = None,
) -> Linked:
    """Add up what the classes that can be a person's say.

    Parameters
    ----------
    links
        Which classes these are.
    sizes
        How many are in each class.
    certain
        Per sensitive column and class the code of the value that everybody there has, or -1.
    widths
        How wide every class is, to find the narrowest one.
    """
    kinds = links.kinds()
    if kinds is not None:
        some, kind = kinds
        return _link(some, sizes, certain, widths).of(kind)
    return _link(links, sizes, certain, widths)


def _link(
    links: Links,
    sizes: Ints,
    certain: dict[str, npt.NDArray[np.int64]],
    widths: npt.NDArray[np.float64] | None,
) -> Linked:
    people = links.people
    candidates = np.zeros(people, dtype=np.int64)
    only = np.full(people, -1, dtype=np.int64)
    values = {name: np.full(people, -1, dtype=np.int64) for name in certain}
    order = None if widths is None else np.lexsort((np.arange(len(widths)), np.round(widths, 9)))
    rank, narrow = None if order is None else np.argsort(order), only.copy()
    for person, classes in links.pairs():
        if not len(person):
            continue
        starts = np.flatnonzero(np.concatenate(([True], person[1:] != person[:-1])))
        found = person[starts]
        candidates[found] = np.add.reduceat(sizes[classes], starts)
        only[found] = classes[starts]
        if order is not None and rank is not None:
            narrow[found] = order[np.minimum.reduceat(rank[classes], starts)]
        for name, codes in certain.items():
            low, high = (by.reduceat(codes[classes], starts) for by in (np.minimum, np.maximum))
            values[name][found] = np.where(low == high, low, -1)
    return Linked(candidates, values, only, None if order is None else narrow)


def _cheapest(classes: Sequence[Ints], people: Sequence[Ints], matchings: Sequence[Matching]) -> list[int]:
    """Order columns so that people walk few steps: few values first, or few branches, or what tells people apart.

    Steps are guessed as if columns had nothing to do with each other. Of many people those who begin alike share their
    first steps: for them columns of few values come first where that is nearly the cheapest.
    """
    many, values = len(people[0]) >= MANY, [len(matching.starts) - 1 for matching in matchings]
    share = [_covers(*parts) for parts in zip(classes, people, matchings, strict=True)]
    branches = [matching.average for matching in matchings]
    keys: list[list[float]] = [[float(number) for number in values], branches, share]
    orders = [sorted(range(len(matchings)), key=key.__getitem__) for key in keys]
    steps = []
    for order in orders:
        total, begun, nodes, reached = 0.0, 1.0 if many else float(len(people[0])), 1.0, 1.0
        for column in order:
            begun = min(begun * values[column], len(people[0]))
            below = min(nodes * matchings[column].labels, len(classes[0])) / nodes
            total += begun * max(nodes * reached, 1.0) * (below if many else min(below, branches[column]))
            nodes, reached = nodes * below, reached * share[column]
        steps.append(total)
    return orders[0] if many and steps[0] <= ROUGH * min(steps) else orders[int(np.argmin(steps))]


def _covers(classes: Ints, people: Ints, matching: Matching) -> float:
    """Give the share of pairs of a person and a class in which the label covers the value."""
    labels = np.bincount(classes, minlength=matching.labels) / max(len(classes), 1)
    values = np.bincount(people, minlength=len(matching.starts) - 1) / max(len(people), 1)
    return float(np.repeat(values, np.diff(matching.starts)) @ labels[matching.covering])
