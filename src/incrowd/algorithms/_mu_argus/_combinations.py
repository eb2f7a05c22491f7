"""Which combinations of columns make rows stand out: fewer than k records have the same labels there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from incrowd.core import add_up, group

Bools = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]
Ints = npt.NDArray[np.integer]

ALL_UP_TO = 16
"""So many columns at most are looked at in all combinations."""
LARGEST = 3
"""Of more columns, only minimal combinations of at most so many."""
GROUP = 64
"""Comparing classes with all others takes as long for so many columns as grouping them by one combination."""
_BLOCK = 1 << 22


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Classes of records that look alike.

    Attributes
    ----------
    labels
        Per column and class a number for its label.
    shown
        Per column and class whether the label says something; a suppressed one does not.
    sizes
        The records of every class.
    """

    labels: Counts
    shown: Bools
    sizes: Counts


def involved(table: Labelled, wanted: Ints, k: int) -> Counts:
    """Count for every column the pairs of a record and a rare combination that has the column.

    Parameters
    ----------
    table
        The classes.
    wanted
        The numbers of the classes whose records are asked about.
    k
        A combination is rare for a record if fewer than k records of the whole table have its labels there.

    Notes
    -----
    Suppressed labels are in no combination. Up to ``ALL_UP_TO`` columns all combinations count; beyond that only
    minimal ones (without a smaller rare one inside) of at most ``LARGEST`` columns.
    """
    columns = np.flatnonzero(table.shown[:, wanted].any(axis=1))
    sets = 1 << min(len(columns), ALL_UP_TO)
    if len(columns) > ALL_UP_TO:
        return _count_one_by_one(table, wanted, minimal_combinations(table, wanted, k, LARGEST))
    if len(wanted) * len(columns) > GROUP * sets:
        every = (chosen for number in range(len(columns)) for chosen in combinations(columns.tolist(), number + 1))
        return _count_one_by_one(table, wanted, ((chosen, rare_in(table, wanted, chosen, k)) for chosen in every))
    result = np.zeros(len(table.labels), dtype=np.int64)
    for some in _blocks(wanted, max(len(table.sizes), sets)):
        records = table.sizes[some] @ rare_combinations(table, some, columns, k)
        for bit, column in enumerate(columns):
            result[column] += records[(np.arange(sets) >> bit) & 1 == 1].sum()
    return result


def rare_combinations(table: Labelled, wanted: Ints, columns: Ints, k: int) -> Bools:
    """Say for every wanted class and every set of columns whether fewer than k records have its labels there.

    Parameters
    ----------
    table, wanted, k
        As in ``involved``.
    columns
        The columns. The i-th of them is in a set if bit i of the set's number is 1.
    """
    sets = 1 << len(columns)
    alike = np.zeros((len(wanted), len(table.sizes)), dtype=np.int64)
    shown = np.zeros(len(wanted), dtype=np.int64)
    for bit, column in enumerate(columns):
        labels = table.labels[column]
        alike |= (labels[wanted][:, np.newaxis] == labels).astype(np.int64) << bit
        shown |= table.shown[column][wanted].astype(np.int64) << bit
    alike += np.arange(len(wanted))[:, np.newaxis] * sets
    exactly = add_up(alike.ravel(), np.tile(table.sizes, len(wanted)), len(wanted) * sets)
    have = _over_supersets(exactly.reshape(len(wanted), sets), len(columns))
    numbers = np.arange(sets)
    usable = (numbers & ~shown[:, np.newaxis] == 0) & (numbers > 0)
    return np.asarray((have < k) & usable)


def minimal_combinations(
    table: Labelled, wanted: Ints, k: int, largest: int
) -> Iterator[tuple[tuple[int, ...], Bools]]:
    """Give every set of at most ``largest`` columns, and for which wanted classes it is rare and none inside it is."""
    columns = np.flatnonzero(table.shown[:, wanted].any(axis=1)).tolist()
    found: dict[tuple[int, ...], Bools] = {}
    for number in range(1, largest + 1):
        for chosen in combinations(columns, number):
            rare = rare_in(table, wanted, chosen, k)
            for inside in _inside(chosen):
                rare &= ~found.get(inside, np.zeros(1, dtype=bool))
            if rare.any():
                found[chosen] = rare
                yield chosen, rare


def rare_in(table: Labelled, wanted: Ints, chosen: Sequence[int], k: int) -> Bools:
    """Say for which wanted classes fewer than k records have the same labels in some columns, none suppressed."""
    columns = list(chosen)
    alike = group(list(table.labels[columns]), [int(labels.max(initial=0)) + 1 for labels in table.labels[columns]])
    rare = (alike.sums(table.sizes) < k)[alike.ids[wanted]]
    return np.asarray(rare & table.shown[columns][:, wanted].all(axis=0))


def _count_one_by_one(table: Labelled, wanted: Ints, found: Iterable[tuple[tuple[int, ...], Bools]]) -> Counts:
    """Count the records of every combination for all columns that it has."""
    result = np.zeros(len(table.labels), dtype=np.int64)
    for chosen, rare in found:
        result[list(chosen)] += int(table.sizes[wanted[rare]].sum())
    return result


def _inside(chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Give all smaller sets inside a set."""
    for number in range(1, len(chosen)):
        yield from combinations(chosen, number)


def _blocks(wanted: Ints, width: int) -> Iterator[Ints]:
    """Cut a list so that a block of it times a width stays small."""
    step = max(_BLOCK // max(width, 1), 1)
    for start in range(0, len(wanted), step):
        yield wanted[start : start + step]


def _over_supersets(exactly: Counts, bits: int) -> Counts:
    """Add up, for every set, what all sets have that hold it: one bit after the other."""
    result = exactly.copy()
    for bit in range(bits):
        pairs = result.reshape(len(result), -1, 2, 1 << bit)
        pairs[:, :, 0] += pairs[:, :, 1]
    return result
