"""The measures that a search can minimize: loss, precision, entropy, discernibility, height, average class size."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from incrowd.core import Census, ParameterError, UnknownColumnError, add_up
from incrowd.measures._costs import (
    CellObjective,
    ClassObjective,
    Costs,
    Counts,
    Floats,
    Objective,
    Published,
    SizeSums,
    round_scores,
)

Mean = Literal["geometric", "arithmetic"]
EXACT = 2**53
"""Floats are whole numbers without gaps up to here; beyond, sums lose less than ``MARGIN`` of what they are."""
LARGE, MARGIN = 2.0**62, 1e-14


class Measure(ABC):
    """What a release cost: a number that a search makes as small as it can."""

    name: ClassVar[str]

    @abstractmethod
    def bind(self, census: Census, importance: Mapping[str, float], balance: float) -> Objective:
        """Meet a census."""

    @staticmethod
    def of(measure: str | Measure) -> Measure:
        """Find a measure by its name; a measure is one already."""
        if isinstance(measure, Measure):
            return measure
        if not isinstance(measure, str) or measure not in MEASURES:
            msg = f"measure must be one of {', '.join(map(repr, MEASURES))}, got {measure!r}."
            raise ParameterError(msg)
        return MEASURES[measure]


@dataclass(frozen=True)
class Loss(Measure):
    """How much of its domain a published value stands for, between 0 and 1.

    A value at level 0 loses nothing, ``*`` and a record that is left out lose everything; a group of 10 of a
    hierarchy's 100 values loses about a tenth. The mean over the columns is geometric, so that one column that is lost
    completely does not outweigh all others.

    References
    ----------
    V. S. Iyengar. *Transforming data to satisfy privacy constraints.* KDD 2002.
    """

    mean: Mean = "geometric"
    name: ClassVar[str] = "loss"

    def __post_init__(self) -> None:
        if self.mean not in ("geometric", "arithmetic"):
            msg = f"mean must be 'geometric' or 'arithmetic', got {self.mean!r}."
            raise ParameterError(msg)

    def bind(self, census: Census, importance: Mapping[str, float], balance: float) -> Objective:
        weigh = factors(balance)
        leaves = [census.ladders[name].leaves for name in census.quasi]
        pairs = zip(leaves, _group_records(census), strict=True)
        costs = [Costs(number, float(number[-1][0]), counts, *weigh) for number, counts in pairs]
        lowest = np.full(len(costs), weigh[0] * census.records)
        objective = _Geometric if self.mean == "geometric" else _Arithmetic
        return objective(costs, lowest, census.records, column_weights(census, importance))


@dataclass(frozen=True)
class Distortion(Measure):
    """The distortion ratio: how far up the ladders the published cells stand, of all steps there are (S0-DISTORT)."""

    name: ClassVar[str] = "distortion"

    def bind(self, census: Census, importance: Mapping[str, float], balance: float) -> Objective:
        weights = column_weights(census, importance)
        heights = np.array([census.ladders[name].height for name in census.quasi], dtype=np.float64)
        return _step_objective(census, balance, weights * heights)


@dataclass(frozen=True)
class Precision(Measure):
    """One minus Sweeney's precision: how far up its own ladder a cell stands, on average.

    References
    ----------
    L. Sweeney. *Achieving k-anonymity privacy protection using generalization and suppression.* 2002.
    """

    name: ClassVar[str] = "precision"

    def bind(self, census: Census, importance: Mapping[str, float], balance: float) -> Objective:
        return _step_objective(census, balance, column_weights(census, importance))


@dataclass(frozen=True)
class Entropy(Measure):
    """The share of the information that is lost: bits, of all bits that the columns have (non-uniform entropy).

    A record in a group of N loses log2(N / n) bits, where n records have its value; one that is left out loses what the
    whole table would.

    References
    ----------
    A. Gionis, T. Tassa. *k-anonymization with minimal loss of information.* IEEE TKDE 21(2), 2009.
    """

    name: ClassVar[str] = "entropy"

    def bind(self, census: Census, importance: Mapping[str, float], balance: float) -> Objective:
        weigh = factors(balance)
        most = math.log2(max(census.records, 1))
        costs, lowest = [], []
        for floor, counts in zip(census.floor, _group_records(census), strict=True):
            bits = [np.log2(np.maximum(level, 1)) for level in counts]
            costs.append(Costs(tuple(bits), most, counts, *weigh))
            known = 0 if counts[0].any() else floor
            lowest.append(weigh[0] * float(counts[known] @ bits[known]))
        spans = np.array([census.records * most - low for low in lowest])
        return _Arithmetic(costs, np.array(lowest), census.records, column_weights(census, importance) * spans)


@dataclass(frozen=True)
class Height(Measure):
    """The sum of the levels of a node, whatever is left out: what Samarati's search makes small."""

    name: ClassVar[str] = "height"

    def bind(self, census: Census, importance: Mapping[str, float], balance: float) -> Objective:  # noqa: ARG002
        return _Height(column_weights(census, importance))


@dataclass(frozen=True)
class Discernibility(Measure):
    """Every published record is charged the size of its class, every other one the size of the table.

    References
    ----------
    R. J. Bayardo, R. Agrawal. *Data privacy through optimal k-anonymization.* ICDE 2005.
    """

    name: ClassVar[str] = "discernibility"

    def bind(self, census: Census, importance: Mapping[str, float], balance: float) -> Objective:
        _refuse_importance(self.name, importance)
        return _Discernibility(*factors(balance), census.records)


@dataclass(frozen=True)
class AverageClassSize(Measure):
    """Records per class; those that are left out count as one class together.

    References
    ----------
    K. LeFevre, D. J. DeWitt, R. Ramakrishnan. *Mondrian multidimensional k-anonymity.* ICDE 2006.
    """

    name: ClassVar[str] = "aecs"

    def bind(self, census: Census, importance: Mapping[str, float], balance: float) -> Objective:
        _refuse_importance(self.name, importance)
        if balance != 0.5:
            msg = "The measure 'aecs' counts classes: it knows no balance between generalizing and leaving out."
            raise ParameterError(msg, hint="leave balance at 0.5, or use the measure 'loss'.")
        return _AverageClassSize(census.records)


MEASURES: Mapping[str, Measure] = {
    measure.name: measure
    for measure in (Loss(), Distortion(), Precision(), Height(), Discernibility(), AverageClassSize(), Entropy())
}
"""The measures by the names that plans and commands use."""


def factors(balance: float) -> tuple[float, float]:
    """Say how much generalizing weighs, and how much leaving out."""
    if not isinstance(balance, (int, float)) or isinstance(balance, bool) or not 0 <= balance <= 1:
        msg = f"balance must be a number from 0 to 1, got {balance!r}."
        raise ParameterError(msg)
    return min(1.0, 2 * (1 - balance)), min(1.0, 2 * balance)


class _Arithmetic(CellObjective):
    """The weighted mean of what every column lost, each between 0 and 1."""

    def __init__(self, costs: list[Costs], lowest: Floats, records: int, weights: Floats) -> None:
        super().__init__(costs)
        self._lowest, self._weights = lowest, weights
        highest = np.array([records * cost.most for cost in costs])
        self._span = np.where(highest > lowest, highest - lowest, 1.0)
        self._all = float(weights.sum()) or 1.0

    def lost(self, column: int, total: Floats) -> Floats:
        return np.asarray((total - self._lowest[column]) / self._span[column], dtype=np.float64)

    def share(self, column: int, total: Floats) -> Floats:
        return np.asarray(self._weights[column] * self.lost(column, total) / self._all, dtype=np.float64)


class _Geometric(_Arithmetic):
    """The weighted geometric mean of the losses plus one, minus one."""

    def share(self, column: int, total: Floats) -> Floats:
        return np.asarray(self._weights[column] * np.log1p(self.lost(column, total)) / self._all, dtype=np.float64)

    def score_of_sum(self, parts: Floats) -> Floats:
        return np.asarray(np.expm1(parts), dtype=np.float64)

    def sum_of_score(self, score: float) -> float:
        return math.log1p(score)


@dataclass(frozen=True, eq=False)
class _Height(Objective):
    _weights: Floats

    def score(self, node: Published) -> float:
        return float(round_scores(np.array([self._weights @ np.array(node.levels)]))[0])

    def column_bound(self, column: int, level: int, suppressed: Counts) -> Floats:
        return np.full(len(suppressed), self._weights[column] * level)


@dataclass(frozen=True, eq=False)
class _Discernibility(ClassObjective):
    _published: float
    _left_out: float
    _records: int

    def score(self, node: Published) -> float:
        squares = float((node.sizes.astype(np.float64) ** 2).sum())
        return self._published * squares + self._left_out * node.suppressed * node.records

    def handed_up(self, sums: SizeSums, enough: int) -> Counts:
        # Whoever is published above stands in as large a class or a larger one, of enough records at least; and who is
        # left out costs as much as the largest class would.
        each = sums.squares + min(enough, self._records) * sums.small
        return np.minimum(self._least_weight * each, LARGE).astype(np.int64)

    def least(self, handed: Counts, suppressed: Counts, enough: int, largest: int) -> Floats:
        # Of what is handed up a record that is left out has no more than the size of its class.
        more = self._left_out * self._records - self._least_weight * min(max(enough, largest), self._records)
        total: Floats = handed + more * suppressed
        is_exact = self._published == self._left_out == 1 and self._records**2 < EXACT
        return total if is_exact else total * (1 - MARGIN)

    @property
    def _least_weight(self) -> float:
        return min(self._published, self._left_out)


@dataclass(frozen=True, eq=False)
class _AverageClassSize(ClassObjective):
    _records: int

    def score(self, node: Published) -> float:
        return node.records / max(len(node.sizes) + (node.suppressed > 0), 1)

    def handed_up(self, sums: SizeSums, enough: int) -> Counts:
        # A class above holds one that is large enough already, or as many records out of smaller ones. What large
        # classes have beyond that makes no further ones.
        spare = self._records - enough * sums.classes - sums.small
        return np.maximum(spare if self._records < EXACT else 0 * spare, 0).astype(np.int64)

    def least(self, handed: Counts, suppressed: Counts, enough: int, largest: int) -> Floats:
        gone = np.maximum(suppressed, 1) if largest < enough else 0  # nobody, or one class more for what is left out
        classes: Counts = np.maximum((self._records - handed - gone) // enough + 1, 1)
        return np.asarray(self._records / classes)


def _step_objective(census: Census, balance: float, weights: Floats) -> Objective:
    """Charge every cell its level, of the levels that its ladder has."""
    weigh = factors(balance)
    costs = [
        Costs(
            tuple(np.full(len(level), number) for number, level in enumerate(counts)), len(counts) - 1, counts, *weigh
        )
        for counts in _group_records(census)
    ]
    return _Arithmetic(costs, np.zeros(len(costs)), census.records, weights)


def _refuse_importance(name: str, importance: Mapping[str, float]) -> None:
    if any(weight != 1 for weight in importance.values()):
        msg = f"The measure {name!r} looks at classes, not at columns: no column can weigh more than another."
        raise ParameterError(msg, hint="leave importance out, or use the measure 'loss'.")


def column_weights(census: Census, importance: Mapping[str, float]) -> Floats:
    """Give how much every quasi-identifier weighs: 1 where nothing is said. Refuse what is no weight of a column."""
    for name, weight in importance.items():
        if name not in census.quasi:
            raise UnknownColumnError.of(name, census.quasi, given_as="importance")
        if not isinstance(weight, (int, float)) or isinstance(weight, bool) or not 0 < weight < np.inf:
            msg = f"The importance of column {name!r} must be a number above 0, got {weight!r}."
            raise ParameterError(msg)
    return np.array([importance.get(name, 1) for name in census.quasi], dtype=np.float64)


def _group_records(census: Census) -> list[tuple[npt.NDArray[np.int64], ...]]:
    """Count the records of every group, per quasi-identifier and level; below the floor by the values of the table.

    Where a row stands for several records nothing is known below the floor.
    """
    result = []
    for name, floor, counted in zip(census.quasi, census.floor, census.level_records, strict=True):
        ladder, domain = census.ladders[name], census.domains[name]
        known = floor and int(domain.counts.sum()) == census.records
        below = [
            add_up(ladder.groups[level], domain.counts, len(ladder.labels[level]))
            if known
            else np.zeros(len(ladder.labels[level]), dtype=np.int64)
            for level in range(floor)
        ]
        result.append((*below, *counted))
    return result
