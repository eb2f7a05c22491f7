"""Weights: of a body, of a child, or of a record in a survey. They share a name, and not their values."""

from __future__ import annotations

import numpy as np

from incrowd.core import Domain

ENOUGH = 12
"""Fewer different numbers are no weights of people."""


FINAL = ("final", "finl", "analysis", "anweight", "gesamt")
"""What the weight is called that is to be used, where a survey has those of its single steps, too."""


def is_of_a_body(domain: Domain) -> bool:
    """Whether values are kilograms or pounds of people; text can only be ranges of them."""
    if domain.kind != "number" or not len(domain.values):
        return domain.kind == "text"
    values = domain.values.astype(float)
    low, middle, high = (float(np.quantile(values, share)) for share in (0.02, 0.5, 0.98))
    return low > 1.5 and high < 20 * low and 9 < middle < 260 and high < 700


def could_be_of_a_body(domain: Domain) -> bool:
    """Whether values can be kilograms or pounds of people of all ages, newborn children among them."""
    if domain.kind != "number" or not len(domain.values):
        return domain.kind == "text"
    return bool(domain.values[0] > 0.3 and 9 < np.median(domain.values) < 260 and domain.values[-1] < 1_000)


def is_of_a_child(domain: Domain) -> bool:
    """Whether values can be kilograms, pounds or grams of newborn children."""
    if domain.kind != "number" or not len(domain.values):
        return False
    low, high = float(domain.values[0]), float(domain.values[-1])
    return 0.3 <= low <= high <= 15 or 300 <= low <= high <= 7_000


def averages_one(domain: Domain) -> bool:
    """Whether fractions above zero have a mean of 1, to which survey weights are scaled."""
    values = domain.values
    if domain.kind != "number" or values.dtype.kind != "f" or len(values) <= ENOUGH:
        return False
    counts = domain.counts[: len(values)]
    mean = float((values * counts).sum()) / int(counts.sum())
    return bool(values[0] > 0 and values[-1] <= 50 and abs(mean - 1) < 0.002)


def is_for_analysis(name: str) -> bool:
    """Whether a survey weight is the one that holds all others: the final one, or that of the analysis."""
    return any(word in name.lower() for word in FINAL)
