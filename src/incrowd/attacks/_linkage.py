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
        order = sorted(range(len(matchings)), key=lambda column: matchings[column].average)  # few branches first
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
    """

    candidates: npt.NDArray[np.int64] = field(repr=False)
    values: dict[str, npt.NDArray[np.int64]] = field(repr=False)
    only: npt.NDArray[np.int64] = field(repr=False)


def link(links: Links, sizes: Ints, certain: dict[str, npt.NDArray[np.int64]]) -> Linked:
    """Add up what the classes that can be a person's say.

    Parameters
    ----------
    links
        Which classes these are.
    sizes
        How many are in each class.
    certain
        Per sensitive column and class the code of the value that everybody there has, or -1.
    """
    kinds = links.kinds()
    if kinds is not None:
        some, kind = kinds
        found = _link(some, sizes, certain)
        values = {name: codes[kind] for name, codes in found.values.items()}
        return Linked(found.candidates[kind], values, found.only[kind])
    return _link(links, sizes, certain)


def _link(links: Links, sizes: Ints, certain: dict[str, npt.NDArray[np.int64]]) -> Linked:
    people = links.people
    candidates = np.zeros(people, dtype=np.int64)
    only = np.full(people, -1, dtype=np.int64)
    values = {name: np.full(people, -1, dtype=np.int64) for name in certain}
    for person, classes in links.pairs():
        if not len(person):
            continue
        starts = np.flatnonzero(np.concatenate(([True], person[1:] != person[:-1])))
        found = person[starts]
        candidates[found] = np.add.reduceat(sizes[classes], starts)
        only[found] = classes[starts]
        for name, codes in certain.items():
            low, high = (by.reduceat(codes[classes], starts) for by in (np.minimum, np.maximum))
            values[name][found] = np.where(low == high, low, -1)
    return Linked(candidates, values, only)
