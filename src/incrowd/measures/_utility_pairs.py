"""What a release still says about two columns together: how they go together, and counts over ranges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from incrowd.core import add_up, group
from incrowd.measures._utility_covers import Cover

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer]

_DENSE = 1 << 22
"""Up to so many possible pairs, or four per cell, each has its place in a table; beyond it only what occurs."""

_BLOCK = 1 << 16
"""So many pairs are looked at together when several questions are asked: what they take stays near the processor."""


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """How often the codes of two columns occur together: only what occurs.

    Attributes
    ----------
    left, right
        The codes.
    counts
        The records of each pair.
    """

    left: Counts = field(repr=False)
    right: Counts = field(repr=False)
    counts: Counts = field(repr=False)

    @classmethod
    def of(cls, left: Ints, right: Ints, counts: Ints, cardinalities: tuple[int, int]) -> Joint:
        """Count pairs of codes.

        Parameters
        ----------
        left, right, counts
            The codes of every cell, and its records.
        cardinalities
            How many codes each column has.
        """
        width = cardinalities[1]
        if cardinalities[0] * width <= max(_DENSE, 4 * len(counts)):
            dense = add_up(left.astype(np.int64) * width + right, counts, cardinalities[0] * width)
            found = np.flatnonzero(dense)
            return cls(found // width, found % width, dense[found])
        pairs = group([left, right], cardinalities)
        first = pairs.first
        return cls(left[first].astype(np.int64), right[first].astype(np.int64), pairs.sums(counts))

    def on_groups(self, left: Floats, right: Floats) -> Floats:
        """Give the table of two columns in groups, of codes that are spread over groups by shares.

        Parameters
        ----------
        left, right
            Per code of a column, which share of it is in each group.
        """
        half = np.stack(
            [
                np.bincount(self.right, self.counts * left[self.left, number], minlength=len(right))
                for number in range(left.shape[1])
            ]
        )
        return np.asarray(half @ right, dtype=np.float64)

    def within(self, left: Floats, right: Floats) -> Floats:
        """Count records for several questions, each record as much as the shares of its two codes say.

        Parameters
        ----------
        left, right
            Per code of a column a row, with its share in every question.
        """
        total = np.zeros(left.shape[1])
        for start in range(0, len(self.counts), _BLOCK):
            some = slice(start, start + _BLOCK)
            total += self.counts[some] @ (left[self.left[some]] * right[self.right[some]])
        return total


def cramers_v(table: Floats, shape: tuple[int, int] | None = None) -> float:
    """Give Cramér's V of a table of two columns: 0 if they say nothing about each other, 1 if everything.

    Parameters
    ----------
    table
        The records of each pair of groups.
    shape
        How many groups each column has; by default those that occur. To compare two tables, give both the same.

    References
    ----------
    H. Cramér. *Mathematical methods of statistics.* Princeton University Press, 1946.
    """
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    least = min(table.shape if shape is None else shape) - 1
    records = table.sum()
    if least < 1 or records <= 0:
        return 0.0
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / records
    chi_squared = float(((table - expected) ** 2 / expected).sum())
    return min(1.0, math.sqrt(chi_squared / (records * least)))


@dataclass(frozen=True, slots=True)
class Ranges:
    """A question: how many records lie in a range of one column and in a range of another? By positions, inclusive."""

    left: tuple[int, int]
    right: tuple[int, int]

    @classmethod
    def draw(cls, chance: np.random.Generator, left: Counts, right: Counts, share: float) -> Ranges:
        """Draw a question.

        Parameters
        ----------
        chance
            Where chance comes from.
        left, right
            The records of the original table at every position of the two columns.
        share
            Which share of the records each range has, about.
        """
        return cls(_range(chance.random(), left, share), _range(chance.random(), right, share))


def answers(asked: Sequence[Ranges], joint: Joint, left: Cover, right: Cover) -> Floats:
    """Answer questions from codes that stand for values as covers say."""
    sides = (
        np.stack([cover.inside(*ends) for ends in chosen], axis=1)
        for cover, chosen in ((left, [one.left for one in asked]), (right, [one.right for one in asked]))
    )
    return joint.within(*sides)


def _range(chance: float, counts: Counts, share: float) -> tuple[int, int]:
    """Begin at some record, and go on until a share of the records is inside."""
    sums = np.cumsum(counts)
    start = chance * (1 - share) * float(sums[-1])
    first = int(np.searchsorted(sums, start, side="right"))
    last = int(np.searchsorted(sums, start + share * float(sums[-1]), side="left"))
    return first, max(first, min(last, len(sums) - 1))
