"""The tree of the parts that Mondrian cut, from the whole table down to the classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.algorithms._local import LocalOutcome
from incrowd.algorithms._mondrian._columns import Column, Stretches
from incrowd.core import ParameterError, Partition

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class PartTree:
    """How a table was cut: all parts, the whole table first, each before those that were cut out of it.

    Attributes
    ----------
    columns
        The quasi-identifiers.
    parents
        Per part the number of the part that it was cut out of; -1 for the whole table.
    cut
        Per part the position of the quasi-identifier that was cut to get it; -1 for the whole table.
    sizes
        Per part how many records it has.
    low, high
        Per part its first and last position in that column.
    """

    columns: tuple[Column, ...] = field(repr=False)
    parents: Array = field(repr=False)
    cut: Array = field(repr=False)
    sizes: Array = field(repr=False)
    low: Array = field(repr=False)
    high: Array = field(repr=False)

    @classmethod
    def whole(cls, columns: tuple[Column, ...], size: int) -> PartTree:
        """Begin with the whole table."""
        none = np.array([-1])
        return cls(columns, none, none, np.array([size]), none, none)

    def __len__(self) -> int:
        return len(self.parents)

    def depths(self) -> Array:
        """Give for every part how often the table was cut to get it."""
        result = np.zeros(len(self), dtype=np.int64)
        at = self.parents
        while (inner := at >= 0).any():
            result += inner
            at = np.where(inner, self.parents[at], -1)
        return result

    def paths(self, parts: Array) -> Array:
        """Give one row per part: those that it was cut out of, the whole table first, filled up with -1.

        The whole table counts as cut out of itself.
        """
        depths = self.depths()
        result = np.full((len(parts), max(int(depths[parts].max(initial=0)), 1)), -1, dtype=np.int64)
        result[:, 0] = 0
        rows, at = np.arange(len(parts)), self.parents[parts]
        while (inner := at > 0).any():
            rows, at = rows[inner], at[inner]
            result[rows, depths[at]] = at
            at = self.parents[at]
        return result

    def names(self, parts: Array) -> list[str]:
        """Call parts by the cut that made them, such as ``age 20..39``."""
        result = np.full(len(parts), "all", dtype=object)
        for index, column in enumerate(self.columns):
            own = self.cut[parts] == index
            texts = column.texts(self.low[parts[own]], self.high[parts[own]])
            result[own] = [f"{column.namer.domain.column} {text}" for text in texts]
        return [str(text) for text in result.tolist()]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CutOutcome(LocalOutcome):
    """What a search found that cuts a table into parts.

    Attributes
    ----------
    tree
        All parts.
    leaves
        Per class the part that it is; ``None`` where some parts are called alike and became one class.
    """

    tree: PartTree = field(repr=False)
    leaves: Array | None = field(repr=False)

    @property
    def partition(self) -> Partition:
        """The way to every class from the whole table, in words: what an audit with the supersets ``"path"`` needs."""
        if self.leaves is None:
            msg = "Some parts of the table are called alike and became one class, which has no one way to it."
            raise ParameterError(msg, hint="use Mondrian(strict=True).")
        ways = self.tree.paths(self.leaves)
        names = np.array([*self.tree.names(np.arange(len(self.tree))), ""], dtype=object)
        texts = zip(*(column.texts.tolist() for column in self.labels), strict=True)
        parts = (tuple(names[way[way >= 0]].tolist()) for way in ways)
        return Partition(dict(zip(texts, parts, strict=True)))


class Growing:
    """A tree of parts that grows."""

    def __init__(self, columns: tuple[Column, ...], size: int) -> None:
        self._columns = columns
        self._rounds = [PartTree.whole(columns, size)]
        self._number = 1

    def add(self, parents: Array, cut: Array, sizes: Array, reach: Stretches) -> Array:
        """Add parts, each with the part that it was cut out of and the column; give their numbers."""
        each = np.arange(len(parents))
        self._rounds.append(PartTree(self._columns, parents, cut, sizes, reach.low[cut, each], reach.high[cut, each]))
        self._number += len(parents)
        return each + (self._number - len(parents))

    def grown(self) -> PartTree:
        """Give all parts."""
        names = ("parents", "cut", "sizes", "low", "high")
        return PartTree(
            self._columns, *(np.concatenate([getattr(one, name) for one in self._rounds]) for name in names)
        )
