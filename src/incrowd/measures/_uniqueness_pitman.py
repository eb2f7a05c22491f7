"""The number of people who are one of a kind under Pitman's model."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from incrowd.measures._uniqueness_sizes import Sizes

Floats = npt.NDArray[np.float64]

_LEAST, _MOST = 1e-6, 1 - 1e-9


def pitman(sizes: Sizes) -> float | None:
    """Estimate the number of classes of one in the population by Pitman's sampling formula.

    Its two parameters are those under which the sample is most likely. Then the expected number of classes of one among
    N people is N times (theta + alpha) ... (theta + alpha + N - 2) over (theta + 1) ... (theta + N - 1).

    Returns
    -------
    ``None`` where the sample cannot tell: every class has one record, or all records are in one class.

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
    alpha = _alpha(sizes)
    return alpha, _theta(sizes, alpha)


def _alpha(sizes: Sizes) -> float:
    """Find where the likelihood, at the best theta for each alpha, is highest: its slope changes sign there."""
    low, high = _LEAST, _MOST
    if _slope(sizes, low) <= 0:
        return low
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _slope(sizes, middle) > 0 else (low, middle)
    return (low + high) / 2


def _slope(sizes: Sizes, alpha: float) -> float:
    """Give the derivative of the log likelihood by alpha, at the best theta."""
    theta = _theta(sizes, alpha)
    new = (sizes.number - 1 - theta * _sum(theta, alpha, sizes.number)) / alpha
    again = digamma(sizes.sizes.astype(np.float64) - alpha) - digamma(np.array([1 - alpha]))
    return new - float(sizes.classes @ again)


def _theta(sizes: Sizes, alpha: float) -> float:
    """Find the theta under which the sample is most likely, for an alpha: its slope falls from above 0 to below."""
    low, high = 1e-12, 1.0  # how far theta is above -alpha
    while _theta_slope(sizes, alpha, high - alpha) > 0 and high < 1e18:
        low, high = high, high * 4
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if _theta_slope(sizes, alpha, middle - alpha) > 0 else (low, middle)
    return (low + high) / 2 - alpha


def _theta_slope(sizes: Sizes, alpha: float, theta: float) -> float:
    return _sum(theta, alpha, sizes.number) - _sum(theta, 1.0, sizes.records)


def _sum(theta: float, alpha: float, number: int) -> float:
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
