"""The chance that an intruder picks the right record: prosecutor, journalist and marketer, class by class.

Three intruders (El Emam, *Guide to the De-Identification of Personal Health Information*, CRC Press 2013): the
*prosecutor* knows that the person is in the table, the *journalist* knows only that the person is one of the
population, and the *marketer* wants to link as many records as possible, whoever they belong to.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Classes, add_up, unbroken_percent
from incrowd.measures._exposure import Exposed, plain_number

Bools = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True, eq=False)
class Chances:
    """The chances of an intruder."""

    highest: Fraction | float
    average: Fraction | float
    above: Bools = field(repr=False)


def chances_in_table(sizes: Counts, threshold: Fraction) -> Chances:
    """Give the chances of somebody who knows that the person is in the table: 1 over the size of the class."""
    if not len(sizes):
        return Chances(Fraction(0), Fraction(0), np.zeros(0, dtype=bool))
    return Chances(Fraction(1, int(sizes.min())), Fraction(len(sizes), int(sizes.sum())), _exceed(sizes, threshold))


def chances_in_population(sizes: Counts, crowds: Counts, threshold: Fraction) -> Chances:
    """Give the chances of somebody who must find the person in the population: 1 over the class's people there."""
    if not len(sizes):
        return chances_in_table(sizes, threshold)
    return Chances(
        Fraction(1, int(crowds.min())), float(sizes @ (1 / crowds)) / float(sizes.sum()), _exceed(crowds, threshold)
    )


def expected_chances(sizes: Counts, expected: Floats, threshold: Fraction) -> Chances:
    """Give the chances of somebody who must find the person in a population that is only estimated."""
    if not len(sizes):
        return chances_in_table(sizes, threshold)
    return Chances(
        float(expected.max()), float(sizes @ expected) / float(sizes.sum()), np.asarray(expected > float(threshold))
    )


def expected_chance(sizes: Counts, shares: Floats, discount: float = 0.0) -> Floats:
    """Give the expected value of 1 / F for classes with f records in a sample, where F is not known.

    F - f is negative binomial: f - a successes, each with the class's sampling share p. Then E[1/F] is the integral of
    p s^(f-1) / (p + (1-p) s)^(1+a) over s from 0 to 1, which is p/f times the series 2F1(1 + a, 1; f + 1; 1 - p).

    References
    ----------
    R. Benedetti, L. Franconi. *Statistical and technological solutions for controlled data dissemination.* NTTS 1998.
    A. Capobianchi, S. Polettini, M. Lucarelli. *Strategy for the implementation of individual risk methodology into
    mu-ARGUS.* CASC deliverable 1.2-D1, 2001.
    """
    result = np.empty(len(sizes), dtype=np.float64)
    small = (shares <= 0.5) & (sizes <= _STEPS)
    result[small] = _chance_by_recursion(sizes[small], shares[small], discount)
    result[~small] = _chance_by_series(sizes[~small], shares[~small], discount)
    return result


_STEPS = 40
"""Up to this size the recursion is used; beyond it the series needs few terms, whatever the share."""


def _chance_by_recursion(sizes: Counts, shares: Floats, discount: float) -> Floats:
    """Climb from f = 1: r(f+1) = p/(1-p) (1 - f r(f)) / (f - a). Errors do not grow while p is at most a half."""
    odds = shares / (1 - shares)
    current = odds * (-np.log(shares) if discount < 1e-9 else np.expm1(-discount * np.log(shares)) / discount)
    result = np.where(sizes == 1, current, 0.0)
    for size in range(1, int(sizes.max(initial=1))):
        current = odds * (1 - size * current) / (size - discount)
        result = np.where(sizes == size + 1, current, result)
    return result


def _chance_by_series(sizes: Counts, shares: Floats, discount: float) -> Floats:
    """Add up the series: every term is at most half of the one before, or far smaller."""
    term = np.ones(len(sizes))
    total = term.copy()
    for number in range(1, 60):
        term = term * (1 - shares) * (number + discount) / (sizes + number)
        total += term
    return shares / sizes * total


def _exceed(crowds: Counts, threshold: Fraction) -> Bools:
    """Say where 1 / crowd is above a threshold: in whole numbers, so that 1/5 is not above 0.2."""
    if threshold <= 0:
        return np.ones(len(crowds), dtype=bool)
    enough = -(-threshold.denominator // threshold.numerator)  # the smallest crowd that is not above
    return np.asarray(crowds < min(enough, 2**63 - 1), dtype=bool)


@dataclass(frozen=True, slots=True)
class HouseholdRisk:
    """How easily households are found by some member: the chance is 1 less the product of 1 - r over the members.

    Attributes
    ----------
    column
        The column that says which household a row is of.
    households
        How many there are.
    highest, average
        The chance of the household that is easiest to find, and the average over all.
    above
        How many households have a chance above the threshold.
    expected
        How many households are found if somebody tries each member of each.

    References
    ----------
    A. Hundepool et al. *Statistical disclosure control.* Wiley, 2012: hierarchical risk.
    """

    column: str
    households: int
    highest: float
    average: float
    above: int
    expected: float

    @classmethod
    def of(cls, column: str, household: Ints, members: Counts, chances: Floats, threshold: Fraction) -> HouseholdRisk:
        """Put members together: per cell its household, how many members it has, and the chance of each."""
        number = int(household.max(initial=0)) + 1 if len(household) else 0
        with np.errstate(divide="ignore"):
            unfound = np.bincount(household, weights=members * np.log1p(-chances), minlength=number)
        found = -np.expm1(unfound)
        expected, near = float(found.sum()), float(threshold) * (1 + _ROUNDING)
        highest, average = float(found.max(initial=0.0)), expected / max(number, 1)
        return cls(column, number, highest, average, int((found > near).sum()), expected)

    def to_dict(self) -> dict[str, Any]:
        """Give plain data that can be written as JSON."""
        chances = {"highest": plain_number(self.highest), "average": plain_number(self.average)}
        counts = {"households": self.households, "above": self.above, "expected": self.expected}
        return {"column": self.column, **chances, **counts}

    def __str__(self) -> str:
        chances = f"highest {unbroken_percent(self.highest)}, average {unbroken_percent(self.average)}"
        found = f"{self.above:,} above the threshold, {self.expected:,.1f} expected to be found"
        return f"households  {chances}, {found} ({self.households:,} by {self.column!r}, by some member)"


_ROUNDING = 1e-12
"""Chances of households are products that are rounded: so much is not above a threshold."""


# How well an intruder can guess a sensitive value from the class alone.


@dataclass(frozen=True, slots=True)
class Guess:
    """How well the most frequent value of a class guesses everybody's value.

    Attributes
    ----------
    column
        The sensitive column.
    highest
        The share of the most frequent value in the class where that is largest.
    average
        Which share of the people is guessed right with the most frequent value of each class.
    without
        The same without classes: the share of the most frequent value of the table. As in the attack ``inference``,
        people count in every class that they are in, so ``average`` is never below it.
    certain
        How many people are in classes where everybody has one and the same value.
    """

    column: str
    highest: Fraction
    average: Fraction
    without: Fraction
    certain: int

    def to_dict(self) -> dict[str, Any]:
        """Give plain data that can be written as JSON."""
        shares = {"highest": self.highest, "average": self.average, "without": self.without}
        return {**{name: plain_number(share) for name, share in shares.items()}, "certain": self.certain}


def best_guess(classes: Classes, column: str) -> Guess:
    """Guess the most frequent value of every class.

    Where people have several rows, they count once in every class, and once for every value that they have there.
    Nobody is right who says that a value is missing.
    """
    if not len(classes):
        return Guess(column, Fraction(0), Fraction(0), Fraction(0), 0)
    histogram, cardinality = classes.guessable_values(column), classes.cells.cardinalities[column]
    most = np.maximum.reduceat(histogram.counts, histogram.starts[:-1])
    certain, targets = most == classes.size, int(classes.size.sum())
    return Guess(
        column=column,
        highest=Fraction(1) if certain.any() else _highest(most, classes.size),
        average=Fraction(int(most.sum()), targets),
        without=Fraction(int(add_up(histogram.values[0], histogram.counts, cardinality).max()), targets),
        certain=Exposed.of(classes, certain).people,
    )


def _highest(most: Counts, size: Counts) -> Fraction:
    """Give the largest share exactly: of all that look largest as floats, each once."""
    shares = most / size
    near = np.flatnonzero(shares >= shares.max() * (1 - 1e-12))
    return max(Fraction(*pair) for pair in set(zip(most[near].tolist(), size[near].tolist(), strict=True)))
