"""What a local recoding cost: the same measures as of a node, from what each class is called."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from incrowd.core import Census, Labelling, Ladder
from incrowd.measures._objective import Counts, Floats, rounded


@dataclass(frozen=True, slots=True, eq=False)
class LabelSums:
    """What the labels of some classes give up, added up over their records.

    Attributes
    ----------
    lost, climbed, bits
        Per quasi-identifier: shares of detail, levels of the ladder, and bits.
    squares
        The sum of the squares of their sizes.
    records, classes
        How many records and classes there are.
    """

    lost: Floats
    climbed: Floats
    bits: Floats
    squares: float
    records: int
    classes: int

    @classmethod
    def of(cls, labels: Sequence[Labelling], sizes: Counts) -> LabelSums:
        """Add up the labels of classes of these sizes."""
        return cls(
            lost=np.array([float(column.lost @ sizes) for column in labels]),
            climbed=np.array([float(column.climbed @ sizes) for column in labels]),
            bits=np.array([float(sizes @ np.log2(np.maximum(column.covered, 1))) for column in labels]),
            squares=float(sizes.astype(np.float64) @ sizes),
            records=int(sizes.sum()),
            classes=len(sizes),
        )

    def __add__(self, other: LabelSums) -> LabelSums:
        return LabelSums(*(getattr(self, part.name) + getattr(other, part.name) for part in fields(self)))


def costs_of_labels(census: Census, labels: Sequence[Labelling], sizes: Counts) -> dict[str, float]:
    """Give the measures of a local recoding by their names, all but ``height``, which only a node has.

    All columns weigh the same.

    Parameters
    ----------
    census
        The table.
    labels
        Per quasi-identifier, what every class is called.
    sizes
        The records of every class. Those of the census that are in none are left out, and cost the most.
    """
    counts = [  # what the values of the table had, a census at a floor does not tell
        census.domains[name].counts if floor else counted
        for name, floor, counted in zip(census.quasi, census.floor, census.marginals, strict=True)
    ]
    return costs_of_sums(LabelSums.of(labels, sizes), [census.ladders[name] for name in census.quasi], counts)


def costs_of_sums(sums: LabelSums, ladders: Sequence[Ladder], counts: Sequence[Counts]) -> dict[str, float]:
    """Give the same from sums.

    Parameters
    ----------
    sums
        What was added up over all published records.
    ladders, counts
        Per quasi-identifier its hierarchy, and how often each of its values occurs in the table.
    """
    table = int(counts[0].sum())
    records, gone = max(table, 1), table - sums.records
    heights = np.array([max(ladder.height, 1) for ladder in ladders], dtype=np.float64)
    most = np.array([float(ladder.leaves[-1][0] > 1) for ladder in ladders])  # one value cannot be lost
    lost = (sums.lost + gone * most) / records
    climbed = (sums.climbed + gone * heights) / (records * heights)
    bits, spans = _bits(sums, counts, gone)
    costs = {
        "loss": math.expm1(float(np.log1p(lost).mean())),
        "distortion": _mean(climbed, heights),
        "precision": float(climbed.mean()),
        "discernibility": sums.squares + float(gone) * table,
        "aecs": table / max(sums.classes + (gone > 0), 1),
        "entropy": _mean(bits, spans),
    }
    return {name: float(rounded(np.array([cost]))[0]) for name, cost in costs.items()}


def _bits(sums: LabelSums, counts: Sequence[Counts], gone: int) -> tuple[Floats, Floats]:
    """Give per column the share of its bits that is lost, and how many bits it has."""
    records = sums.records + gone
    most = math.log2(max(records, 1))
    lowest = np.array([float(counted @ np.log2(np.maximum(counted, 1))) for counted in counts])
    total, spans = sums.bits + gone * most, records * most - lowest
    return np.where(spans > 0, (total - lowest) / np.where(spans > 0, spans, 1.0), 0.0), spans


def _mean(values: Floats, weights: Floats) -> float:
    total = float(weights.sum())
    return float(values @ weights) / total if total else 0.0
