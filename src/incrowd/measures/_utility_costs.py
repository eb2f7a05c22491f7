"""What a recoding cost, column by column, from what each class is called."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from incrowd.core import TOP, Census, Labelling

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class ColumnCosts:
    """What was lost of one column, over all records; 0 is nothing and 1 everything, but for ``ambiguity``.

    Attributes
    ----------
    loss
        How much of its domain a published value stands for.
    distortion
        How far up the ladder the published values stand.
    entropy
        The share of the bits that is lost.
    ambiguity
        How many values of the hierarchy a published value stands for, on average.
    starred
        The share of all records of which the column is not published: the label is ``*``, or they are left out.
    """

    loss: float
    distortion: float
    entropy: float
    ambiguity: float
    starred: float


def column_costs(census: Census, labels: Sequence[Labelling], sizes: Counts) -> list[ColumnCosts]:
    """Measure every column.

    Parameters
    ----------
    census
        The original table.
    labels
        Per quasi-identifier, what every class is called.
    sizes
        The records of every class; those of the census that are in none are left out, and cost the most.
    """
    records, gone = max(census.records, 1), census.records - int(sizes.sum())
    result = []
    for number, column in enumerate(labels):
        ladder = census.ladders[census.quasi[number]]
        leaves = int(ladder.leaves[-1][0])
        climbed = _total(column.climbed, sizes) + gone * ladder.height
        result.append(
            ColumnCosts(
                loss=(_total(column.lost, sizes) + gone) / records,
                distortion=climbed / (records * max(ladder.height, 1)),
                entropy=_bits_lost(census, number, column, sizes),
                ambiguity=(_total(_stands_for(column, leaves), sizes) + gone * leaves) / records,
                starred=(int(sizes[(column.names == TOP)[column.codes]].sum()) + gone) / records,
            )
        )
    return result


def ambiguity(census: Census, labels: Sequence[Labelling], sizes: Counts) -> float:
    """Give how many combinations of values a record can stand for, on average.

    References
    ----------
    M. E. Nergiz, C. Clifton. *Thoughts on k-anonymization.* Data & Knowledge Engineering 63(3), 2007.
    """
    leaves = [int(census.ladders[name].leaves[-1][0]) for name in census.quasi]
    each = np.ones(len(sizes))
    for column, number in zip(labels, leaves, strict=True):
        each *= _stands_for(column, number)
    gone = census.records - int(sizes.sum())
    return (_total(each, sizes) + gone * math.prod(map(float, leaves))) / max(census.records, 1)


def _stands_for(column: Labelling, leaves: int) -> Floats:
    return 1 + column.lost * (leaves - 1)


def _total(each: Floats | Ints, sizes: Counts) -> float:
    """Add up what a record costs over all; always in the same order, which a product of vectors does not promise."""
    return float((each * sizes).sum())


def _bits_lost(census: Census, number: int, column: Labelling, sizes: Counts) -> float:
    """Give the share of a column's bits that is lost: log2(N / n) of a record in a label of N that n of it have."""
    counts, records = census.marginals[number], census.records
    lowest = _total(np.log2(np.maximum(counts, 1)), counts)
    most = math.log2(max(records, 1))
    total = _total(np.log2(np.maximum(column.covered, 1)), sizes) + (records - int(sizes.sum())) * most
    span = records * most - lowest
    return (total - lowest) / span if span > 0 else 0.0
