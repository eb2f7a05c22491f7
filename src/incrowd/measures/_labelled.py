"""What a local recoding cost: the same measures as of a node, from what each class is called."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from incrowd.core import Census, Labelling, add_up
from incrowd.measures._objective import Counts, Floats, rounded


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
    records = max(census.records, 1)
    gone = census.records - int(sizes.sum())
    heights = np.array([max(census.ladders[name].height, 1) for name in census.quasi], dtype=np.float64)
    most = [float(census.ladders[name].leaves[-1][0] > 1) for name in census.quasi]  # one value cannot be lost
    lost = np.array([(column.lost @ sizes + gone * all_) / records for column, all_ in zip(labels, most, strict=True)])
    climbed = np.array(
        [float(column.climbed @ sizes) + gone * height for column, height in zip(labels, heights, strict=True)]
    )
    climbed = climbed / (records * heights)
    bits, spans = _bits(census, labels, sizes, gone)
    squares = float(sizes.astype(np.float64) @ sizes) + float(gone) * census.records
    costs = {
        "loss": math.expm1(float(np.log1p(lost).mean())),
        "distortion": _mean(climbed, heights),
        "precision": float(climbed.mean()),
        "discernibility": squares,
        "aecs": census.records / max(len(sizes) + (gone > 0), 1),
        "entropy": _mean(bits, spans),
    }
    return {name: float(rounded(np.array([cost]))[0]) for name, cost in costs.items()}


def _bits(census: Census, labels: Sequence[Labelling], sizes: Counts, gone: int) -> tuple[Floats, Floats]:
    """Give per column the share of its bits that is lost, and how many bits it has."""
    most = math.log2(max(census.records, 1))
    shares, spans = [], []
    for name, codes, column in zip(census.quasi, census.codes, labels, strict=False):
        counts = add_up(codes, census.counts, int(codes.max(initial=0)) + 1)
        if census.floor[census.quasi.index(name)]:  # what the values of the table had, the census does not tell
            counts = census.domains[name].counts
        lowest = float(counts @ np.log2(np.maximum(counts, 1)))
        total = float(sizes @ np.log2(np.maximum(column.covered, 1))) + gone * most
        span = census.records * most - lowest
        shares.append((total - lowest) / span if span > 0 else 0.0)
        spans.append(span)
    return np.array(shares), np.array(spans)


def _mean(values: Floats, weights: Floats) -> float:
    total = float(weights.sum())
    return float(values @ weights) / total if total else 0.0
