"""The parts that are cut no further, collected while others still are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.algorithms._local import Pieces
from incrowd.algorithms._mondrian._columns import Stretches
from incrowd.algorithms._mondrian._tree import PartTree

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """A table that was cut into classes.

    Attributes
    ----------
    pieces
        The class of every record.
    reach
        From where to where every class reaches, per column.
    leaves
        The number of every class in the tree.
    tree
        All parts.
    """

    pieces: Pieces
    reach: Stretches
    leaves: Array
    tree: PartTree


class Finished:
    """Classes in the order in which they were finished.

    Parameters
    ----------
    rows
        How many cells there are.
    split
        Whether the records of a cell may be in several classes.
    """

    def __init__(self, rows: int, *, split: bool) -> None:
        self._class: Array | None = None if split else np.empty(rows, dtype=np.int32 if rows < 2**31 else np.int64)
        self._number = 0
        self._rows: list[tuple[Array, Array, Array]] = []
        self._reach: list[Stretches] = []
        self._leaves: list[Array] = []

    def add(self, rows: tuple[Array, Array], lengths: Array, reach: Stretches, numbers: Array) -> None:
        """Add classes.

        Parameters
        ----------
        rows
            The cell of every row, and how many of its records there are; class by class.
        lengths
            How many rows every class has.
        reach, numbers
            From where to where every class reaches, and its number in the tree.
        """
        classes = np.repeat(np.arange(self._number, self._number + len(lengths)), lengths)
        if self._class is None:
            self._rows.append((rows[0], classes, rows[1]))
        else:
            self._class[rows[0]] = classes
        self._number += len(lengths)
        self._reach.append(reach)
        self._leaves.append(numbers)

    def cut(self, counts: Array, tree: PartTree) -> Cut:
        """Put the classes together, their cells in the order of the census, which has so many records in each."""
        reach, leaves = Stretches.join(self._reach), np.concatenate(self._leaves)
        if self._class is not None:
            pieces = Pieces(np.arange(len(counts)), self._class, counts.astype(np.int64))
            return Cut(pieces, reach, leaves, tree)
        cells, classes, taken = (np.concatenate(part) for part in zip(*self._rows, strict=True))
        order = np.argsort(cells, kind="stable")
        return Cut(Pieces(cells[order], classes[order], taken[order].astype(np.int64)), reach, leaves, tree)


def spans(starts: Array, ends: Array) -> Array:
    """Give all numbers from each start to before its end, one after the other."""
    lengths = ends - starts
    before = np.cumsum(lengths) - lengths
    result: Array = np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths)
    return result
