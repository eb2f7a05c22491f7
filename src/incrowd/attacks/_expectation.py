"""Expected homogeneity: how many classes hold one sensitive value by chance alone, against n and k."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
import numpy.typing as npt

from incrowd.core import ParameterError
from incrowd.models import given_text

Which = Literal["all", "any"]
NEVER = -70.0
"""A logarithm of a probability below which it adds nothing that is seen."""


@dataclass(frozen=True, slots=True)
class ExpectedHomogeneity:
    """How many classes are expected to hold one sensitive value, if values fell on people by chance.

    Attributes
    ----------
    n, k
        The records of the table, and of each class.
    values
        Per sensitive column how many different values it has.
    attributes
        ``"all"``: every sensitive column is constant in the class. ``"any"``: at least one is.
    per_class
        The probability that a class is homogeneous.
    classes
        The expected number of such classes. No probability: it can exceed 1.
    people
        The expected number of people in them.
    """

    n: int
    k: int
    values: tuple[int, ...]
    attributes: Which
    per_class: Fraction
    classes: Fraction

    ASSUMES = (
        "every value is equally frequent, values are independent of each other and of the classes, n/k classes of k"
    )
    """Under which assumptions the numbers hold."""

    @property
    def people(self) -> Fraction:
        """The expected number of people in homogeneous classes."""
        return self.k * self.classes

    def over_n(self, ns: Iterable[int]) -> Mapping[int, Fraction]:
        """Give the expected number of classes for tables of other sizes: it grows as the table does."""
        return {
            n: expected_homogeneity(n, self.k, self.values, attributes=self.attributes).classes
            for n in _checked_list("n", ns)
        }

    def over_k(self, ks: Iterable[int]) -> Mapping[int, Fraction]:
        """Give the expected number of classes for classes of other sizes: it falls steeply."""
        return {
            k: expected_homogeneity(self.n, k, self.values, attributes=self.attributes).classes
            for k in _checked_list("k", ks)
        }


def expected_homogeneity(
    n: int, k: int, values: Sequence[int], *, attributes: Which = "all", whole: bool = False
) -> ExpectedHomogeneity:
    """Say how many classes of a k-anonymous table hold one sensitive value by chance alone.

    Parameters
    ----------
    n
        The records of the table.
    k
        The records of each class.
    values
        Per sensitive column how many different values it has.
    attributes
        ``"all"``: classes in which every sensitive column is constant. ``"any"``: at least one.
    whole
        Whether to count whole classes only, n // k of them, instead of n / k.

    Notes
    -----
    For one column of K values a class of k is constant with probability K ** (1 - k); the expectation is n/k times
    that, for several columns with the product. It assumes that all values are equally frequent and independent.
    Real values are skewed, which makes homogeneous classes likelier: ``attack`` computes the expectation from the
    counts of the table, as ``expected`` of its homogeneity attack.

    Examples
    --------
    >>> from incrowd.attacks import expected_homogeneity
    >>> found = expected_homogeneity(60_000, 5, [3])
    >>> round(float(found.classes), 1), round(float(found.people))
    (148.1, 741)
    """
    if not isinstance(values, Sequence) or isinstance(values, str):
        msg = f"values must be a list with a number for every sensitive column, got {type(values).__name__}."
        raise ParameterError(msg, hint="for one column with three values, write [3].")
    for name, number in (("n", n), ("k", k), *(("values", count) for count in values)):
        if not isinstance(number, int) or isinstance(number, bool) or number < (name != "n"):
            msg = f"{name} must be a whole number of at least {int(name != 'n')}, got {given_text(number)}."
            raise ParameterError(msg)
    if attributes not in ("all", "any"):
        msg = f"attributes must be 'all' or 'any', got {attributes!r}."
        raise ParameterError(msg)
    chances = [Fraction(1, count ** (k - 1)) for count in values]
    if attributes == "all":
        per_class = math.prod(chances, start=Fraction(int(bool(chances))))
    else:
        per_class = 1 - math.prod((1 - chance for chance in chances), start=Fraction(1))
    number_of_classes = Fraction(n // k) if whole else Fraction(n, k)
    return ExpectedHomogeneity(n, k, tuple(values), attributes, per_class, number_of_classes * per_class)


def _checked_list(name: str, given: Iterable[int]) -> list[int]:
    if not isinstance(given, Iterable):
        msg = f"over_{name} needs a list of numbers, got {type(given).__name__}."
        raise ParameterError(msg, hint=f"write over_{name}([10, 20]), and a list also for a single one.")
    return list(given)


def expected_from_counts(sizes: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]) -> float:
    """Give the expected number of classes with one value, if the values of the table fell on its classes by chance.

    Exactly: the sum over classes E and values v of C(f_v, |E|) / C(n, |E|), f_v being the records with v.
    """
    n = int(counts.sum())
    different, classes = np.unique(sizes, return_counts=True)
    frequent, values = np.unique(counts[counts > 0], return_counts=True)
    total = []
    for size, number in zip(different.tolist(), classes.tolist(), strict=True):
        enough = (frequent >= size) & (size * np.log(frequent / max(n, 1)) > NEVER)
        logs = [_log_choose(count, size) - _log_choose(n, size) for count in frequent[enough].tolist()]
        total += [number * many * math.exp(log) for many, log in zip(values[enough].tolist(), logs, strict=True)]
    return math.fsum(total)


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
