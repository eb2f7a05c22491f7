"""Two columns together: joint counts, Cramér's V, and random range queries answered from labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from incrowd.core import add_up, group
from incrowd.measures._labels import Cover, Spread

Bools = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer]

_DENSE = 1 << 22
"""Up to so many possible pairs, or eight per cell, each has its place in a table; beyond it only what occurs."""

_BLOCK = 1 << 16
"""So many cells or pairs are looked at together: what they take stays near the processor."""

COMPILED_FROM = 1 << 21
"""From so many cells on the compiled loop pays for its start."""


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """How often the codes of two columns occur together: only what occurs."""

    left: Counts = field(repr=False)
    right: Counts = field(repr=False)
    counts: Counts = field(repr=False)

    @classmethod
    def of(cls, left: Ints, right: Ints, counts: Ints, cardinalities: tuple[int, int]) -> Joint:
        """Count pairs of codes."""
        if math.prod(cardinalities) <= max(_DENSE, 8 * len(counts)):
            table = _pair_table(left, right, counts, cardinalities)
            found = np.flatnonzero(table)
            return cls(*np.divmod(found, cardinalities[1]), table[found].astype(np.int64))
        pairs = group([left, right], cardinalities)
        first = pairs.first
        return cls(left[first].astype(np.int64), right[first].astype(np.int64), pairs.sums(counts))

    def without(self, left: Bools, right: Bools) -> Joint:
        """Leave out the pairs with some codes of either column."""
        kept = ~(left[self.left] | right[self.right])
        return self if kept.all() else Joint(self.left[kept], self.right[kept], self.counts[kept])

    def on_groups(self, left: Floats, right: Floats) -> Floats:
        """Give the table of two columns in groups, of codes that are spread over groups by shares."""
        half = np.empty((left.shape[1], len(right)))
        for number, shares in enumerate(left.T):
            some = np.flatnonzero((shares > 0)[self.left])  # most codes are in few groups
            half[number] = np.bincount(
                self.right[some], self.counts[some] * shares[self.left[some]], minlength=len(right)
            )
        return np.asarray(np.einsum("ij,jk->ik", half, right))  # a product of matrices would keep all processors busy

    def within(self, left: Floats, right: Floats) -> Floats:
        """Count records for several questions, each record as much as the shares of its two codes say."""
        total = np.zeros(left.shape[1])
        for start in range(0, len(self.counts), _BLOCK):
            some = slice(start, start + _BLOCK)
            total += self.counts[some] @ (left[self.left[some]] * right[self.right[some]])
        return total


def _pair_table(left: Ints, right: Ints, counts: Ints, cardinalities: tuple[int, int]) -> Ints:
    """Count all pairs that there can be, row by row."""
    if len(counts) < COMPILED_FROM:
        return add_up(left.astype(np.int64) * cardinalities[1] + right, counts, math.prod(cardinalities))
    from incrowd.core.kernels import count_pairs  # noqa: PLC0415 - numba is loaded only when it pays

    word: type[np.unsignedinteger] = np.uint32 if len(counts) * int(counts.max()) < 2**32 else np.uint64
    table: Ints = np.zeros(cardinalities, dtype=word)
    for start in range(0, len(counts), _BLOCK):  # one type for all columns: it is compiled once
        some = slice(start, start + _BLOCK)
        count_pairs(*(part[some].astype(word) for part in (left, right, counts)), table)
    return table.ravel()


def cramers_v(table: Floats, shape: tuple[int, int] | None = None) -> float:
    """Give Cramér's V of a table of two columns: 0 if they say nothing about each other, 1 if everything.

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
        """Draw a question."""
        return cls(_range_around(chance.random(), left, share), _range_around(chance.random(), right, share))


def answers(asked: Sequence[Ranges], joint: Joint, left: Cover | Spread, right: Cover | Spread) -> Floats:
    """Answer questions from codes that stand for values as covers say."""
    sides = (
        np.stack([cover.inside(*ends) for ends in chosen], axis=1)
        for cover, chosen in ((left, [one.left for one in asked]), (right, [one.right for one in asked]))
    )
    return joint.within(*sides)


def _range_around(chance: float, counts: Counts, share: float) -> tuple[int, int]:
    """Begin at some record, and go on until a share of the records is inside."""
    sums = np.cumsum(counts)
    start = chance * (1 - share) * float(sums[-1])
    first = int(np.searchsorted(sums, start, side="right"))
    last = int(np.searchsorted(sums, start + share * float(sums[-1]), side="left"))
    return first, max(first, min(last, len(sums) - 1))
