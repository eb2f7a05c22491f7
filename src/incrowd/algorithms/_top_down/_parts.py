"""Parts of a table on their way down the hierarchies, and what the top-down search knows about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from incrowd.algorithms._local import Locally

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer]
Words = npt.NDArray[np.int64]


BLOCK = 1 << 16
"""How many pieces a block of parts has, unless it is one part."""


class Ladders(NamedTuple):
    """What every code is called at every level: tables one after the other.

    Attributes
    ----------
    groups, leaves
        The group of a code, and how many values it stands for.
    at
        Where the table of a column and a level begins.
    prices
        What giving up a value of a column costs.
    """

    groups: Words
    leaves: Words
    at: Words
    prices: Floats

    @classmethod
    def of(cls, table: Locally) -> Ladders:
        """Collect the levels from the floor on."""
        heights = [namer.height - namer.floor for namer in table.names]
        at = np.zeros((len(heights), max(heights) + 1), dtype=np.int64)
        groups, leaves, end = [], [], 0
        for column, namer in enumerate(table.names):
            for level in range(heights[column] + 1):
                at[column, level] = end
                groups.append(namer.group_of(namer.floor + level))
                leaves.append(namer.ladder.leaves[namer.floor + level][groups[-1]])
                end += len(groups[-1])
        most = np.array([int(namer.ladder.leaves[-1][0]) for namer in table.names])
        prices = table.weights / np.maximum(most - 1, 1)
        return cls(np.concatenate(groups).astype(np.int64), np.concatenate(leaves).astype(np.int64), at, prices)


class Parts(NamedTuple):
    """Parts of a table: records that go down together.

    Attributes
    ----------
    cells, counts
        The pieces of all parts, one part after the other: a cell, and how many of its records.
    starts
        Where each part begins; one longer than there are parts.
    levels
        One row per part: the level of every column.
    closed
        One row per part: whether a column needs no try; see ``NEVER``.
    """

    cells: Ints
    counts: Words
    starts: Words
    levels: npt.NDArray[np.int16]
    closed: npt.NDArray[np.int8]

    @property
    def owner(self) -> Words:
        """The part of every piece."""
        return np.repeat(np.arange(len(self.levels)), np.diff(self.starts))

    def sums(self, values: Words) -> Words:
        """Add up a number per piece within every part."""
        return np.add.reduceat(values, self.starts[:-1])

    def some(self, wanted: Bools) -> Parts:
        """Give some of the parts."""
        sizes = np.diff(self.starts)
        inside = np.repeat(wanted, sizes)
        return Parts(
            self.cells[inside], self.counts[inside], ends(sizes[wanted]), self.levels[wanted], self.closed[wanted]
        )

    def blocks(self) -> list[Parts]:
        """Give the parts in blocks, each a few parts or a large one: what is worked on fits into the cache."""
        block = self.starts[:-1] // BLOCK
        return [self.some(block == number) for number in np.unique(block)]

    def regrouped(self, pieces: Ints, counts: Words, group: Words) -> tuple[Parts, Words]:
        """Make parts of pieces that stand part by part and group by group; also give the part that each came from.

        Parameters
        ----------
        pieces
            Which pieces.
        counts, group
            Of every piece how many records, and its group.
        """
        owner = self.owner[pieces]
        new = (np.diff(owner, prepend=-1) != 0) | (np.diff(group[pieces], prepend=-1) != 0)
        first = np.flatnonzero(new)
        origin = owner[first]
        starts = np.append(first, len(pieces))
        return Parts(self.cells[pieces], counts[pieces], starts, self.levels[origin], self.closed[origin]), origin


OPEN, NEVER, NOT_NOW = range(3)
"""Whether to try a column: yes; no, as no label below keeps the promise; not for these records, who stayed behind."""


def ends(sizes: Ints) -> Words:
    """Give where parts begin and end that stand one after the other."""
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


def whole(table: Locally, counts: Words) -> Parts:
    """Give the whole table as one part at the highest levels; no part if there are no records."""
    cells, number = np.arange(len(counts), dtype=np.int32), min(1, len(counts))
    levels = np.array([[namer.height - namer.floor for namer in table.names]] * number, dtype=np.int16)
    levels = levels.reshape(number, len(table.names))
    return Parts(cells, counts, ends(np.array([len(cells)] * number)), levels, np.zeros_like(levels, dtype=np.int8))


def together(several: Sequence[Parts]) -> Parts:
    """Put parts side by side."""
    sizes = np.concatenate([np.diff(parts.starts) for parts in several])
    cells, counts, _, levels, closed = (np.concatenate(column) for column in zip(*several, strict=True))
    return Parts(cells, counts, ends(sizes), levels, closed)
