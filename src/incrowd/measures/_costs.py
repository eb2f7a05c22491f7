"""``Objective``: the score of a node and lower bounds on it; costs per column of full-domain and local recodings.

Most measures charge every record a cost per column that depends on what is published of it, and more when the record is
left out. Their score grows with the total of every column, so cheap totals give a lower bound before a node is counted.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from operator import mul
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from incrowd.core import TOP, Census, Labelling, Ladder

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

DIGITS = 12
"""Scores that agree to so many decimals are equal; then the tie rule decides."""


@dataclass(frozen=True, slots=True, eq=False)
class Published:
    """What a node publishes, as far as a measure asks."""

    levels: tuple[int, ...]
    kept: tuple[Counts, ...]
    suppressed: int
    sizes: Counts

    @property
    def records(self) -> int:
        """How many records there are, published or left out."""
        return int(self.sizes.sum()) + self.suppressed


class Objective(ABC):
    """A measure that has met a census. Smaller is better."""

    @abstractmethod
    def score(self, node: Published) -> float:
        """Give the score of a node, rounded so that equal scores are equal."""

    def column_bound(self, column: int, level: int, suppressed: Counts) -> Floats:  # noqa: ARG002
        """Bound from below what a column at a level adds, for each number of records that are left out at least."""
        return np.zeros(len(suppressed))

    def score_of_sum(self, parts: Floats) -> Floats:
        """Turn sums of parts into a lower bound of the score, rounded down no further than a score is."""
        return parts

    def sum_of_score(self, score: float) -> float:
        """Give the sum of parts that has this score."""
        return score


class SizeSums(NamedTuple):
    """The sizes of the classes of some nodes, summed up.

    Per node the squares and the number of the classes that are large enough to be published, and the records in all
    others.
    """

    squares: Floats
    classes: Floats
    small: Floats

    @classmethod
    def of(cls, sizes: Counts, enough: int) -> SizeSums:
        """Sum up the classes of one node; those of fewer records than ``enough`` are never published."""
        large = sizes[sizes >= enough]
        squares = (large.astype(np.float64) ** 2).sum()  # a product of vectors would wake threads for so little
        return cls(*(np.array([one], dtype=np.float64) for one in (squares, len(large), sizes.sum() - large.sum())))


class ClassObjective(Objective):
    """A score of the sizes of classes alone. They only merge on the way up, so a node bounds all nodes above it.

    ``enough``: no class of fewer records is published. ``largest``: no class of more records is left out.
    """

    @abstractmethod
    def handed_up(self, sums: SizeSums, enough: int) -> Counts:
        """Say what nodes mean for all nodes above them, as whole numbers from 0: the more, the worse these are."""

    @abstractmethod
    def least(self, handed: Counts, suppressed: Counts, enough: int, largest: int) -> Floats:
        """Bound the scores of nodes from below, by what is handed up to them and what they leave out at least."""


@dataclass(frozen=True, slots=True, eq=False)
class Costs:
    """What publishing a record costs in one column, and what leaving it out does."""

    levels: tuple[npt.NDArray[Any], ...]
    most: float
    counts: tuple[Counts, ...]
    published: float = 1.0
    left_out: float = 1.0

    def total(self, level: int, kept: Counts) -> float:
        """Add up the costs of all records, of which these are published; whole numbers exactly."""
        gone = self.counts[level] - kept
        return float(self.published * (kept @ self.levels[level]) + gone @ self._left_out_costs(level))

    def least(self, level: int, suppressed: Counts) -> Floats:
        """Bound the total from below: whoever is left out, it adds at least what leaving out the cheapest adds."""
        cost, counts = self.published * self.levels[level], self.counts[level]
        if not suppressed.any():
            return np.full(len(suppressed), float(counts @ cost))
        extra = self._left_out_costs(level) - cost
        order = np.argsort(extra, kind="stable")
        people = np.concatenate(([0], np.cumsum(counts[order])))
        added = np.concatenate(([0.0], np.cumsum(counts[order] * extra[order], dtype=np.float64)))
        return float(counts @ cost) + np.interp(suppressed, people, added)

    def _left_out_costs(self, level: int) -> npt.NDArray[Any]:
        """Give what a record of each group costs if it is left out."""
        cost = self.levels[level]
        return cost + self.left_out * (self.most - cost)


class CellObjective(Objective):
    """A score that grows with the total cost of every column."""

    def __init__(self, costs: Sequence[Costs]) -> None:
        self._costs = tuple(costs)

    @abstractmethod
    def share(self, column: int, total: Floats) -> Floats:
        """Turn the total of a column into its part of the score."""

    def column_bound(self, column: int, level: int, suppressed: Counts) -> Floats:
        return self.share(column, self._costs[column].least(level, suppressed))

    def score(self, node: Published) -> float:
        known = zip(self._costs, node.levels, node.kept, strict=True)
        totals = [costs.total(level, kept) for costs, level, kept in known]
        parts = [self.share(column, np.array([total])) for column, total in enumerate(totals)]
        return float(round_scores(self.score_of_sum(np.sum(parts, axis=0)))[0])


def round_scores(scores: Floats) -> Floats:
    """Round scores to what counts."""
    return np.round(scores, DIGITS)


# What a local recoding cost: the same measures as of a node, from what each class is called.


@dataclass(frozen=True, slots=True, eq=False)
class LabelSums:
    """What the labels of some classes give up, added up over their records."""

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
    """
    counts = [  # what the values of the table had, a census at a floor does not tell
        census.domains[name].counts if floor else counted
        for name, floor, counted in zip(census.quasi, census.floor, census.marginals, strict=True)
    ]
    return costs_of_sums(LabelSums.of(labels, sizes), [census.ladders[name] for name in census.quasi], counts)


def costs_of_sums(sums: LabelSums, ladders: Sequence[Ladder], counts: Sequence[Counts]) -> dict[str, float]:
    """Give the same from sums."""
    table = int(counts[0].sum())
    records, gone = max(table, 1), table - sums.records
    heights = np.array([max(ladder.height, 1) for ladder in ladders], dtype=np.float64)
    pairs = zip(ladders, sums.lost.tolist(), strict=True)
    lost = np.array([column_loss(ladder, one, sums.records, table) for ladder, one in pairs])
    climbed = (sums.climbed + gone * heights) / (records * heights)
    bits, spans = _bits_per_column(sums, counts, gone)
    costs = {
        "loss": math.expm1(float(np.log1p(lost).mean())),
        "distortion": _weighted_mean(climbed, heights),
        "precision": float(climbed.mean()),
        "discernibility": sums.squares + float(gone) * table,
        "aecs": table / max(sums.classes + (gone > 0), 1),
        "entropy": _weighted_mean(bits, spans),
    }
    return {name: float(round_scores(np.array([cost]))[0]) for name, cost in costs.items()}


def _bits_per_column(sums: LabelSums, counts: Sequence[Counts], gone: int) -> tuple[Floats, Floats]:
    """Give per column the share of its bits that is lost, and how many bits it has."""
    records = sums.records + gone
    most = math.log2(max(records, 1))
    lowest = np.array([float(counted @ np.log2(np.maximum(counted, 1))) for counted in counts])
    total, spans = sums.bits + gone * most, records * most - lowest
    return np.where(spans > 0, (total - lowest) / np.where(spans > 0, spans, 1.0), 0.0), spans


def _weighted_mean(values: Floats, weights: Floats) -> float:
    return float(values @ weights) / (float(weights.sum()) or 1.0)


# The detail that is lost and kept, which means the same wherever it is told.


def column_loss(ladder: Ladder, lost: float, published: int, records: int) -> float:
    """Give the share of a column's detail that is lost: ``lost`` is that of the published records, added up.

    A record that is left out loses all of it, but one value cannot be lost.
    """
    gone = (records - published) * bool(ladder.leaves[-1][0] > 1)
    return (lost + gone) / max(records, 1)


def detail_lost(census: Census, labels: Sequence[Labelling], sizes: Counts) -> list[float]:
    """Give the share of the detail that every column loses.

    ``labels``, ``sizes``: per quasi-identifier what every published class is called, and the records of each.
    """
    known = zip((census.ladders[name] for name in census.quasi), labels, strict=True)
    published = int(sizes.sum())
    return [column_loss(ladder, _weighted_total(one.lost, sizes), published, census.records) for ladder, one in known]


def mean_detail(lost: Sequence[float], weights: Sequence[float] | None = None) -> float:
    """Give the detail that is kept, on average over the columns: one of which nothing is left counts as 0.

    One minus the arithmetic mean of the losses. The measure ``loss``, by which searches compare nodes, is a geometric
    mean, which hides such columns. ``weights``: how important the columns are; all the same where nothing is said.
    """
    each = [1.0] * len(lost) if weights is None else weights
    return float(round_scores(np.array(1 - sum(map(mul, lost, each)) / (sum(each) or 1))))


# What a recoding cost, column by column, from what each class is called.


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
    """Measure every column."""
    records, gone = max(census.records, 1), census.records - int(sizes.sum())
    result = []
    for number, column in enumerate(labels):
        ladder = census.ladders[census.quasi[number]]
        leaves = int(ladder.leaves[-1][0])
        climbed = _weighted_total(column.climbed, sizes) + gone * ladder.height
        result.append(
            ColumnCosts(
                loss=column_loss(ladder, _weighted_total(column.lost, sizes), int(sizes.sum()), census.records),
                distortion=climbed / (records * max(ladder.height, 1)),
                entropy=_bits_lost(census, number, column, sizes),
                ambiguity=(_weighted_total(_stands_for(column, leaves), sizes) + gone * leaves) / records,
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
    return (_weighted_total(each, sizes) + gone * math.prod(map(float, leaves))) / max(census.records, 1)


def _stands_for(column: Labelling, leaves: int) -> Floats:
    return 1 + column.lost * (leaves - 1)


def _weighted_total(each: Floats | npt.NDArray[np.integer], sizes: Counts) -> float:
    """Add up what a record costs over all; always in the same order, which a product of vectors does not promise."""
    return float((each * sizes).sum())


def _bits_lost(census: Census, number: int, column: Labelling, sizes: Counts) -> float:
    """Give the share of a column's bits that is lost: log2(N / n) of a record in a label of N that n of it have."""
    counts, records = census.marginals[number], census.records
    lowest = _weighted_total(np.log2(np.maximum(counts, 1)), counts)
    most = math.log2(max(records, 1))
    total = _weighted_total(np.log2(np.maximum(column.covered, 1)), sizes) + (records - int(sizes.sum())) * most
    span = records * most - lowest
    return (total - lowest) / span if span > 0 else 0.0
