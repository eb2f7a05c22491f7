"""Which labels of a column cover which values (S-COVER): distinct labels against distinct values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from incrowd.measures import same_sets

Ints = npt.NDArray[np.integer]

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

    def alike(self) -> npt.NDArray[np.int64]:
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
