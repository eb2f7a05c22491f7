"""Which classes people can be in, as sets: those who can be in the same ones have one set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from incrowd.attacks._linkage import Links
from incrowd.measures import same_sets

Ints = npt.NDArray[np.integer]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ClassSets:
    """Different sets of classes, none of them empty.

    Attributes
    ----------
    number
        The set of every person; -1 for somebody who can be in no class.
    starts, classes
        The classes of every set, ascending, set by set.
    """

    number: Counts = field(repr=False)
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
        """Give some sets at a time, and the number of the first, so that they need few steps together.

        Parameters
        ----------
        steps
            How many steps each class needs.
        most
            How many are allowed at once; a set that needs more comes alone.
        """
        ends, first = np.cumsum(self.sums(steps)), 0
        while first < len(self):
            done = int(ends[first - 1]) if first else 0
            end = max(int(np.searchsorted(ends, done + most, side="right")), first + 1)
            inside = slice(self.starts[first], self.starts[end])
            yield first, ClassSets(self.number[:0], self.starts[first : end + 1] - inside.start, self.classes[inside])
            first = end


def below(starts: Ints, rows: Ints) -> tuple[Counts, Counts]:
    """List the entries of some rows, which lie row by row: which row asked for each, and where it is.

    Parameters
    ----------
    starts
        Where the entries of every row begin; one longer than there are rows.
    rows
        The rows.
    """
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
