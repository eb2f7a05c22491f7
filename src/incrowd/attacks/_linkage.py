"""Joining a release with what somebody else knows: which classes a person can be in (S0-LINK, S-COVER).

Labels are matched by what they cover, column by column: distinct labels against distinct values. Classes stand in a
tree with one level per column; people walk down it, all of a block at once, along branches that cover them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from incrowd.core import group

Ints = npt.NDArray[np.integer]
Pairs = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]

BLOCK = 1 << 18
"""So many people walk together."""
MOST = 1 << 25
"""A block that would need more steps at once is halved."""
TABLE = 1 << 26
"""Labels times values of one column, up to which a table says which covers which."""


@dataclass(frozen=True, slots=True, eq=False)
class Matching:
    """Which labels of one column cover which values.

    Attributes
    ----------
    labels
        How many labels there are.
    starts, covering
        The labels that cover each value, value by value.
    table
        The same as one boolean per label and value, where that is small enough.
    """

    labels: int
    starts: npt.NDArray[np.int64] = field(repr=False)
    covering: npt.NDArray[np.int64] = field(repr=False)
    table: npt.NDArray[np.bool_] | None = field(repr=False)

    @classmethod
    def of(cls, covered: Sequence[Ints], values: int) -> Matching:
        """Turn round what each label covers.

        Parameters
        ----------
        covered
            Per label the codes of the values that it covers.
        values
            How many values there are.
        """
        label = np.repeat(np.arange(len(covered)), [len(codes) for codes in covered])
        value = np.concatenate([np.zeros(0, dtype=np.int64), *covered])
        order = np.argsort(value, kind="stable")
        starts = np.searchsorted(value[order], np.arange(values + 1))
        table = None
        if len(covered) * values <= TABLE:
            table = np.zeros((len(covered), values), dtype=bool)
            table[label, value] = True
        return cls(len(covered), starts, label[order], table)

    @property
    def average(self) -> float:
        """How many labels cover a value, on average."""
        return len(self.covering) / max(len(self.starts) - 1, 1)


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
    people = links.people
    candidates = np.zeros(people, dtype=np.int64)
    only = np.full(people, -1, dtype=np.int64)
    values = {name: np.full(people, -1, dtype=np.int64) for name in certain}
    for first, end, (person, classes) in links.blocks():
        if not len(person):
            continue
        starts = np.flatnonzero(np.concatenate(([True], person[1:] != person[:-1])))
        found = person[starts]
        candidates[found] = np.add.reduceat(sizes[classes], starts)
        only[first:end][found - first] = classes[starts]
        for name, codes in certain.items():
            low, high = (by.reduceat(codes[classes], starts) for by in (np.minimum, np.maximum))
            values[name][found] = np.where(low == high, low, -1)
    return Linked(candidates, values, only)
