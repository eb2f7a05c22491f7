"""The number of people who are one of a kind under the slide negative binomial model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

from incrowd.measures._uniqueness_sizes import Sizes


@dataclass(frozen=True, slots=True)
class _Fit:
    """The model for one beta: classes have one person more than a negative binomial number.

    Attributes
    ----------
    alpha, beta
        Its parameters: the shape, and the chance of success.
    unseen
        The chance that nobody of a class is in the sample.
    one
        The chance that one person of a class is.
    """

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

    Returns
    -------
    ``None`` where there are no such parameters.

    References
    ----------
    G. Chen, S. Keller-McNulty. *Estimation of identification disclosure risk in microdata.* Journal of Official
    Statistics 14(1), 1998. There the parameters are estimated in another way.
    """
    if sizes.number == sizes.records:
        return None
    betas = [1 / (1 + math.exp(-step / 8)) for step in range(-160, 161)]
    differences = [(beta, _difference(sizes, beta)) for beta in betas]
    for (low, left), (high, right) in pairwise(differences):
        if (left > 0) != (right > 0):
            return _uniques(sizes, low, high, rising=right > 0)
    return None


def _uniques(sizes: Sizes, low: float, high: float, *, rising: bool) -> float:
    """Narrow beta down to where the classes of one come out right."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if (_difference(sizes, middle) > 0) == rising else (middle, high)
    fit = _fit(sizes, (low + high) / 2)
    return sizes.population / fit.mean * math.exp(fit.alpha * math.log(fit.beta))


def _difference(sizes: Sizes, beta: float) -> float:
    """Give how many more classes of one the model has than the sample, per class of the sample."""
    fit = _fit(sizes, beta)
    return fit.one / (1 - fit.unseen) - sizes.alone / sizes.number


def _fit(sizes: Sizes, beta: float) -> _Fit:
    """Find the alpha with which people per class of the sample come out right, for a beta."""
    wanted, low, high = sizes.population / sizes.number, 0.0, 1.0
    while _people_per_class(high, beta, sizes.fraction) <= wanted:  # it grows without end
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        below = _people_per_class(middle, beta, sizes.fraction) <= wanted
        low, high = (middle, high) if below else (low, middle)
    return _Fit.of((low + high) / 2, beta, sizes.fraction)


def _people_per_class(alpha: float, beta: float, fraction: float) -> float:
    """Give the people of the population per class that the sample has."""
    fit = _Fit.of(alpha, beta, fraction)
    return fit.mean / (1 - fit.unseen)
