"""Uniqueness in the population estimated from a sample: Pitman, slide negative binomial and Zayatz.

A record that is alone in the table need not be alone in the population. These estimators know the class sizes of a
simple random sample, and the size of the population.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

# The class sizes of a sample, as estimators of uniqueness look at them.

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Sizes:
    """How many classes of which size a sample of a population has."""

    sizes: Counts = field(repr=False)
    classes: Counts = field(repr=False)
    records: int
    population: int

    @classmethod
    def of(cls, class_sizes: Counts, population: int) -> Sizes:
        """Count classes by their size."""
        sizes, classes = np.unique(class_sizes, return_counts=True)
        return cls(sizes.astype(np.int64), classes.astype(np.int64), int(class_sizes.sum()), population)

    @property
    def number(self) -> int:
        """How many classes there are."""
        return int(self.classes.sum())

    @property
    def alone(self) -> int:
        """How many classes of one there are."""
        return int(self.classes[0]) if len(self.sizes) and self.sizes[0] == 1 else 0

    @property
    def fraction(self) -> float:
        """Which share of the population is in the sample."""
        return self.records / self.population if self.population else 1.0


# The number of people who are one of a kind under Pitman's model.

Floats = npt.NDArray[np.float64]

_LEAST, _MOST = 1e-6, 1 - 1e-9


def pitman(sizes: Sizes) -> float | None:
    """Estimate the number of classes of one in the population by Pitman's sampling formula.

    Its two parameters are those under which the sample is most likely. Then the expected number of classes of one among
    N people is N times (theta + alpha) ... (theta + alpha + N - 2) over (theta + 1) ... (theta + N - 1).

    References
    ----------
    N. Hoshino. *Applying Pitman's sampling formula to microdata disclosure risk assessment.* Journal of Official
    Statistics 17(4), 2001.
    """
    fit = pitman_fit(sizes)
    if fit is None:
        return None
    alpha, theta = fit
    people, lg = sizes.population, math.lgamma
    log = lg(theta + alpha + people - 1) - lg(theta + people) + lg(theta + 1) - lg(theta + alpha)
    return people * math.exp(log)


def pitman_fit(sizes: Sizes) -> tuple[float, float] | None:
    """Find alpha and theta, under which the sample is most likely; nothing where it cannot tell."""
    if sizes.number in {0, 1, sizes.records}:
        return None
    alpha = _best_alpha(sizes)
    return alpha, _best_theta(sizes, alpha)


def _best_alpha(sizes: Sizes) -> float:
    """Find where the likelihood, at the best theta for each alpha, is highest: its slope changes sign there."""
    if _slope_by_alpha(sizes, _LEAST) <= 0:
        return _LEAST
    return _bisect(lambda alpha: _slope_by_alpha(sizes, alpha) > 0, _LEAST, _MOST, 60)


def _bisect(holds: Callable[[float], bool], low: float, high: float, steps: int) -> float:
    """Halve so often: find the number up to which something holds that holds at the low end and not at the high one."""
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return (low + high) / 2


def _slope_by_alpha(sizes: Sizes, alpha: float) -> float:
    """Give the derivative of the log likelihood by alpha, at the best theta."""
    theta = _best_theta(sizes, alpha)
    new = (sizes.number - 1 - theta * _reciprocal_sum(theta, alpha, sizes.number)) / alpha
    again = digamma(sizes.sizes.astype(np.float64) - alpha) - digamma(np.array([1 - alpha]))
    return new - float(sizes.classes @ again)


def _best_theta(sizes: Sizes, alpha: float) -> float:
    """Find the theta under which the sample is most likely, for an alpha: its slope falls from above 0 to below."""

    def rises(above: float) -> bool:
        theta = above - alpha
        return _reciprocal_sum(theta, alpha, sizes.number) > _reciprocal_sum(theta, 1.0, sizes.records)

    low, high = 1e-12, 1.0  # how far theta is above -alpha
    while rises(high) and high < 1e18:
        low, high = high, high * 4
    return _bisect(rises, low, high, 100) - alpha


def _reciprocal_sum(theta: float, alpha: float, number: int) -> float:
    """Add up 1 / (theta + i alpha) for i from 1 to number - 1."""
    if number <= 1000:
        return float((1 / (theta + alpha * np.arange(1, number))).sum())
    first, last = digamma(np.array([theta / alpha + 1, theta / alpha + number]))
    return float(last - first) / alpha


def digamma(values: Floats) -> Floats:
    """Give the derivative of the logarithm of the gamma function, for values above 0."""
    x = np.array(values, dtype=np.float64)
    result = np.zeros_like(x)
    while (x < 10).any():  # psi(x) = psi(x + 1) - 1 / x
        small = x < 10
        result[small] -= 1 / x[small]
        x[small] += 1
    square = 1 / (x * x)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132))))
    return np.asarray(result + np.log(x) - 0.5 / x - series, dtype=np.float64)


# The number of people who are one of a kind under the slide negative binomial model.


@dataclass(frozen=True, slots=True)
class _Fit:
    """The model for one beta: classes have one person more than a negative binomial number."""

    alpha: float
    beta: float
    unseen: float
    one: float

    @classmethod
    def of(cls, alpha: float, beta: float, fraction: float) -> _Fit:
        rest = 1 - fraction
        all_in = beta + (1 - beta) * fraction
        power = math.exp(alpha * math.log(beta / all_in))
        return cls(alpha, beta, rest * power, fraction * power * (1 + rest * alpha * (1 - beta) / all_in))

    @property
    def mean(self) -> float:
        """The mean size of a class in the population."""
        return 1 + self.alpha * (1 - self.beta) / self.beta


def slide_negative_binomial(sizes: Sizes) -> float | None:
    """Estimate the number of classes of one in the population by the slide negative binomial model.

    A class of the population has 1 + X people, X negative binomial, and each of them is in the sample with the same
    chance. The parameters are those with which three numbers come out as they are: people in the population, classes
    in the sample, and classes of one in the sample.

    References
    ----------
    G. Chen, S. Keller-McNulty. *Estimation of identification disclosure risk in microdata.* Journal of Official
    Statistics 14(1), 1998. There the parameters are estimated in another way.
    """
    if sizes.number == sizes.records:
        return None
    betas = [1 / (1 + math.exp(-step / 8)) for step in range(-160, 161)]
    differences = [(beta, _uniques_difference(sizes, beta)) for beta in betas]
    for (low, left), (high, right) in pairwise(differences):
        if (left > 0) != (right > 0):
            return _expected_uniques(sizes, low, high, rising=right > 0)
    return None


def _expected_uniques(sizes: Sizes, low: float, high: float, *, rising: bool) -> float:
    """Narrow beta down to where the classes of one come out right."""
    fit = _fit_of_beta(sizes, _bisect(lambda beta: (_uniques_difference(sizes, beta) > 0) != rising, low, high, 60))
    return sizes.population / fit.mean * math.exp(fit.alpha * math.log(fit.beta))


def _uniques_difference(sizes: Sizes, beta: float) -> float:
    """Give how many more classes of one the model has than the sample, per class of the sample."""
    fit = _fit_of_beta(sizes, beta)
    return fit.one / (1 - fit.unseen) - sizes.alone / sizes.number


def _fit_of_beta(sizes: Sizes, beta: float) -> _Fit:
    """Find the alpha with which people per class of the sample come out right, for a beta."""

    def too_few(alpha: float) -> bool:
        fit = _Fit.of(alpha, beta, sizes.fraction)
        return fit.mean / (1 - fit.unseen) <= sizes.population / sizes.number

    high = 1.0
    while too_few(high):  # people per class grow without end
        high *= 2
    return _Fit.of(_bisect(too_few, 0.0, high, 80), beta, sizes.fraction)


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
    """Estimate from class sizes who is one of a kind in the population."""
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
    chance = np.array([_chance_of_one(size, sizes.records, sizes.population) for size in sizes.sizes.tolist()])
    alone = chance[0] * sizes.classes[0]
    return float(sizes.alone * alone / float(chance @ sizes.classes) / sizes.fraction)


def _chance_of_one(size: int, drawn: int, population: int) -> float:
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
