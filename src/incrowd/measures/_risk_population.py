"""How many people of a population fit each class of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from incrowd.core import add_up, group
from incrowd.measures._risk_sets import same_sets

Ints = npt.NDArray[np.integer]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Fitting:
    """Which labels of a table each value of a population fits, in one column.

    Attributes
    ----------
    labels
        The numbers of the labels, those of the first value first.
    starts
        Where each value's labels begin; one longer than there are values.
    number
        How many labels there are.
    """

    labels: Ints = field(repr=False)
    starts: npt.NDArray[np.intp] = field(repr=False)
    number: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    def merged(self) -> tuple[Ints, Fitting]:
        """Put values together that fit the same labels; give the new value of each, and what these fit."""
        alike = same_sets(self.starts, self.labels)
        _, first, value = np.unique(alike, return_index=True, return_inverse=True)
        lengths = np.diff(self.starts)[first]
        starts = np.concatenate(([0], np.cumsum(lengths)))
        place = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths) + np.repeat(self.starts[first], lengths)
        return value, Fitting(self.labels[place], starts, self.number)

    @classmethod
    def one_each(cls, labels: Ints, number: int) -> Fitting:
        """Let every value fit the label with its number, and none where that is -1."""
        fits = labels >= 0
        return cls(labels[fits], np.concatenate(([0], np.cumsum(fits))), number)

    @classmethod
    def of_pairs(cls, labels: Ints, values: Ints, cardinality: int, number: int) -> Fitting:
        """Let values fit labels as listed.

        Parameters
        ----------
        labels, values
            The pairs.
        cardinality, number
            How many values there are, and how many labels.
        """
        order = np.lexsort((labels, values))
        return cls(labels[order], np.searchsorted(values[order], np.arange(cardinality + 1)), number)


def crowds(classes: Sequence[Ints], fittings: Sequence[Fitting], people: Sequence[Ints], counts: Ints) -> Counts:
    """Count the people of a population that fit each class.

    Parameters
    ----------
    classes
        Per column, the label of every class; no two classes have the same labels.
    fittings
        Per column, which labels each value of the population fits.
    people, counts
        The population's cells: per column the value, and how many people have them.

    Notes
    -----
    Values that fit the same labels are put together first. Then, column by column, cells are joined with the beginnings
    of classes that they fit, so that a cell is never compared with a class that it has parted from already.
    """
    number = len(classes[0])
    merged = [fitting.merged() for fitting in fittings]
    fittings = [fitting for _, fitting in merged]
    coarse = [value[codes] for (value, _), codes in zip(merged, people, strict=True)]
    together = group(coarse, [len(fitting) for fitting in fittings])
    people, counts = [codes[together.first] for codes in coarse], together.sums(counts)
    prefix = np.zeros(number, dtype=np.int64)  # of every class
    cells = np.arange(len(counts))
    found = np.zeros(len(counts), dtype=np.int64)  # the beginning that each cell is joined with
    for labels, fitting, values in zip(classes, fittings, people, strict=True):
        children = group([prefix, labels], [int(prefix.max(initial=0)) + 1, fitting.number])
        keys = prefix[children.first] * fitting.number + labels[children.first]
        cells, found = _next(fitting, values, cells, found, keys)
        prefix = children.ids.astype(np.int64)
    place = np.empty(number, dtype=np.int64)
    place[prefix] = np.arange(number)
    return add_up(place[found], counts[cells], number)


def _next(
    fitting: Fitting, values: Ints, cells: npt.NDArray[np.intp], found: Counts, keys: Counts
) -> tuple[npt.NDArray[np.intp], Counts]:
    """Join cells and beginnings with the labels that the cells fit in one more column."""
    own = values[cells]
    many = (fitting.starts[own + 1] - fitting.starts[own]).astype(np.int64)
    parent = np.repeat(np.arange(len(cells)), many)
    within = np.arange(len(parent)) - np.repeat(np.cumsum(many) - many, many)
    label = fitting.labels[fitting.starts[own][parent] + within]
    wanted = found[parent] * fitting.number + label
    place = np.searchsorted(keys, wanted)
    exists = place < len(keys)
    exists[exists] = keys[place[exists]] == wanted[exists]
    return cells[parent[exists]], place[exists].astype(np.int64)
