"""What a recoding cost, column by column, from what each class is called."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from incrowd.core import TOP, Census, Labelling, add_up

Counts = npt.NDArray[np.int64]


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
        climbed = float(column.climbed @ sizes) + gone * ladder.height
        result.append(
            ColumnCosts(
                loss=float(column.lost @ sizes + gone) / records,
                distortion=climbed / (records * max(ladder.height, 1)),
                entropy=_bits_lost(census, number, column, sizes),
                ambiguity=float(_stands_for(column, leaves) @ sizes + gone * leaves) / records,
                starred=(int(sizes[column.texts == TOP].sum()) + gone) / records,
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
    return float(each @ sizes + gone * math.prod(map(float, leaves))) / max(census.records, 1)


def _stands_for(column: Labelling, leaves: int) -> npt.NDArray[np.float64]:
    return 1 + column.lost * (leaves - 1)


def _bits_lost(census: Census, number: int, column: Labelling, sizes: Counts) -> float:
    """Give the share of a column's bits that is lost: log2(N / n) of a record in a label of N that n of it have."""
    codes, records = census.codes[number], census.records
    counts = add_up(codes, census.counts, int(codes.max(initial=0)) + 1)
    lowest = float(counts @ np.log2(np.maximum(counts, 1)))
    most = math.log2(max(records, 1))
    total = float(sizes @ np.log2(np.maximum(column.covered, 1))) + (records - int(sizes.sum())) * most
    span = records * most - lowest
    return (total - lowest) / span if span > 0 else 0.0
