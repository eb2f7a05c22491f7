"""How many records are one of a kind in the population, estimated from a sample of it.

A record that is alone in the table need not be alone in the population. These estimators know the class sizes of a
simple random sample, and the size of the population.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from incrowd.measures._uniqueness_pitman import pitman
from incrowd.measures._uniqueness_sizes import Sizes
from incrowd.measures._uniqueness_slide import slide_negative_binomial

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Uniqueness:
    """Who is one of a kind, in the table and in the population.

    Attributes
    ----------
    sample
        How many records of the table are alone in their class.
    records
        How many records the table has.
    population
        How many people the population has; ``None`` if nobody said.
    estimates
        By the name of the estimator, how many records *of the table* are expected to be one of a kind in the
        population; ``None`` where it finds no answer.
    """

    sample: int
    records: int
    population: float | None
    estimates: Mapping[str, float | None]

    @property
    def share(self) -> float:
        """The share of the table's records that are alone in the table."""
        return self.sample / self.records if self.records else 0.0

    @property
    def highest(self) -> float | None:
        """The share of the table's records that the most careful estimator expects to be alone in the population."""
        known = [value for value in self.estimates.values() if value is not None]
        return max(known) / self.records if known and self.records else None


def estimated_uniqueness(class_sizes: Counts, population: int) -> Uniqueness:
    """Estimate from class sizes who is one of a kind in the population.

    Parameters
    ----------
    class_sizes
        The records of every class of the sample.
    population
        How many people the population has; at least as many as the sample.
    """
    sizes = Sizes.of(class_sizes, population)
    estimates: dict[str, float | None] = {}
    for name, estimate in ESTIMATORS.items():
        if not sizes.alone or sizes.records == population:  # nothing to estimate
            estimates[name] = float(sizes.alone)
            continue
        found = estimate(sizes)
        estimates[name] = None if found is None else min(found * sizes.fraction, float(sizes.alone))
    return Uniqueness(sizes.alone, sizes.records, population, estimates)


def zayatz(sizes: Sizes) -> float:
    """Estimate the number of classes of one in the population, as if its classes were sized as the sample's are.

    The chance that a class of one in the sample is one in the population follows from Bayes' rule, with the sample's
    distribution of class sizes in place of the population's, and the hypergeometric chance that a class of i people
    has one of them in the sample.

    References
    ----------
    L. Zayatz. *Estimation of the percent of unique population elements on a microdata file using the sample.* Bureau
    of the Census, Statistical Research Division Report 91/08, 1991.
    """
    chance = np.array([_one_of(size, sizes.records, sizes.population) for size in sizes.sizes.tolist()])
    alone = chance[0] * sizes.classes[0]
    return float(sizes.alone * alone / float(chance @ sizes.classes) / sizes.fraction)


def _one_of(size: int, drawn: int, population: int) -> float:
    """Give the chance that exactly one of a class is drawn, without putting back."""
    rest = population - size - drawn + 1
    if rest < 0:
        return 0.0
    lg = math.lgamma
    log = lg(population - size + 1) - lg(drawn) - lg(rest + 1)
    return size * math.exp(log - lg(population + 1) + lg(drawn + 1) + lg(population - drawn + 1))


ESTIMATORS: Mapping[str, Callable[[Sizes], float | None]] = {
    "pitman": pitman,
    "zayatz": zayatz,
    "slide negative binomial": slide_negative_binomial,
}
"""The estimators by name. Each gives the expected number of classes of one in the population."""
