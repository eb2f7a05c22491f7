"""The chance that an intruder picks the right record, class by class.

Three intruders (El Emam, *Guide to the De-Identification of Personal Health Information*, CRC Press 2013): the
*prosecutor* knows that the person is in the table, the *journalist* knows only that the person is one of the
population, and the *marketer* wants to link as many records as possible, whoever they belong to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from incrowd.core import Classes, add_up, group
from incrowd.measures._exposure import same_sets

Bools = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


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
    return Chances(Fraction(1, int(sizes.min())), Fraction(len(sizes), int(sizes.sum())), _below(sizes, threshold))


def chances_in_population(sizes: Counts, crowds: Counts, threshold: Fraction) -> Chances:
    """Give the chances of somebody who must find the person in the population: 1 over the class's people there."""
    if not len(sizes):
        return chances_in_table(sizes, threshold)
    return Chances(Fraction(1, int(crowds.min())), _mean(sizes, 1 / crowds), _below(crowds, threshold))


def chances_expected(sizes: Counts, expected: Floats, threshold: Fraction) -> Chances:
    """Give the chances of somebody who must find the person in a population that is only estimated."""
    if not len(sizes):
        return chances_in_table(sizes, threshold)
    return Chances(float(expected.max()), _mean(sizes, expected), np.asarray(expected > float(threshold)))


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
    result[small] = _by_recursion(sizes[small], shares[small], discount)
    result[~small] = _by_series(sizes[~small], shares[~small], discount)
    return result


_STEPS = 40
"""Up to this size the recursion is used; beyond it the series needs few terms, whatever the share."""


def _by_recursion(sizes: Counts, shares: Floats, discount: float) -> Floats:
    """Climb from f = 1: r(f+1) = p/(1-p) (1 - f r(f)) / (f - a). Errors do not grow while p is at most a half."""
    odds = shares / (1 - shares)
    current = odds * (-np.log(shares) if discount < 1e-9 else np.expm1(-discount * np.log(shares)) / discount)
    result = np.where(sizes == 1, current, 0.0)
    for size in range(1, int(sizes.max(initial=1))):
        current = odds * (1 - size * current) / (size - discount)
        result = np.where(sizes == size + 1, current, result)
    return result


def _by_series(sizes: Counts, shares: Floats, discount: float) -> Floats:
    """Add up the series: every term is at most half of the one before, or far smaller."""
    term = np.ones(len(sizes))
    total = term.copy()
    for number in range(1, 60):
        term = term * (1 - shares) * (number + discount) / (sizes + number)
        total += term
    return shares / sizes * total


def _below(crowds: Counts, threshold: Fraction) -> Bools:
    """Say where 1 / crowd is above a threshold: in whole numbers, so that 1/5 is not above 0.2."""
    if threshold <= 0:
        return np.ones(len(crowds), dtype=bool)
    enough = -(-threshold.denominator // threshold.numerator)  # the smallest crowd that is not above
    return np.asarray(crowds < min(enough, 2**63 - 1), dtype=bool)


def _mean(sizes: Counts, chances: Floats) -> float:
    return float(sizes @ chances) / float(sizes.sum())


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


def best_guess(classes: Classes, column: str) -> Guess:
    """Guess the most frequent value of every class.

    Notes
    -----
    Where people have several rows, they count once in every class, and once for every value that they have there.
    Nobody is right who says that a value is missing.
    """
    if not len(classes):
        return Guess(column, Fraction(0), Fraction(0), Fraction(0), 0)
    histogram, cardinality = classes.guessable(column), classes.cells.cardinalities[column]
    most = np.maximum.reduceat(histogram.counts, histogram.starts[:-1])
    certain, targets = most == classes.size, int(classes.size.sum())
    return Guess(
        column=column,
        highest=Fraction(1) if certain.any() else _highest(most, classes.size),
        average=Fraction(int(most.sum()), targets),
        without=Fraction(int(add_up(histogram.values[0], histogram.counts, cardinality).max()), targets),
        certain=_people(classes, certain),
    )


def _highest(most: Counts, size: Counts) -> Fraction:
    """Give the largest share exactly: of all that look largest as floats, each once."""
    shares = most / size
    near = np.flatnonzero(shares >= shares.max() * (1 - 1e-12))
    return max(Fraction(*pair) for pair in set(zip(most[near].tolist(), size[near].tolist(), strict=True)))


def _people(classes: Classes, chosen: npt.NDArray[np.bool_]) -> int:
    person = classes.cells.person
    if person is None:
        return int(classes.size[chosen].sum())
    return int(np.count_nonzero(np.bincount(person[chosen[classes.members]], minlength=1)))


# How many people of a population fit each class of a table.

Ints = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True, eq=False)
class Fitting:
    """Which labels of a table each value of a population fits, in one column."""

    labels: Ints = field(repr=False)
    starts: npt.NDArray[np.intp] = field(repr=False)
    number: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    def merged(self) -> tuple[Ints, Fitting]:
        """Put values together that fit the same labels; give the new value of each, and what these fit."""
        alike = same_sets(self.starts, self.labels)
        _, first, value = np.unique(alike, return_index=True, return_inverse=True)
        lengths = np.diff(self.starts)[first]
        starts = np.concatenate(([0], np.cumsum(lengths)))
        place = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths) + np.repeat(self.starts[first], lengths)
        return value, Fitting(self.labels[place], starts, self.number)

    @classmethod
    def of(cls, fits: Sequence[Ints], values: int) -> Fitting:
        """Take for every label the values that fit it."""
        label = np.repeat(np.arange(len(fits)), [len(codes) for codes in fits])
        value = np.concatenate([np.zeros(0, dtype=np.intp), *fits])
        order = np.lexsort((label, value))
        return cls(label[order], np.searchsorted(value[order], np.arange(values + 1)), len(fits))


def crowds(classes: Sequence[Ints], fittings: Sequence[Fitting], people: Sequence[Ints], counts: Ints) -> Counts:
    """Count the people of a population that fit each class.

    Notes
    -----
    Values that fit the same labels are put together first. Then, column by column, cells are joined with the beginnings
    of classes that they fit, so that a cell is never compared with a class that it has parted from already.
    """
    number = len(classes[0])
    merged = [fitting.merged() for fitting in fittings]
    fittings = [fitting for _, fitting in merged]
    coarse = [value[codes] for (value, _), codes in zip(merged, people, strict=True)]
    together = group(coarse, [len(fitting) for fitting in fittings])
    people, counts = [codes[together.first] for codes in coarse], together.sums(counts)
    prefix = np.zeros(number, dtype=np.int64)  # of every class
    cells = np.arange(len(counts))
    found = np.zeros(len(counts), dtype=np.int64)  # the beginning that each cell is joined with
    for labels, fitting, values in zip(classes, fittings, people, strict=True):
        children = group([prefix, labels], [int(prefix.max(initial=0)) + 1, fitting.number])
        keys = prefix[children.first] * fitting.number + labels[children.first]
        cells, found = _next(fitting, values, cells, found, keys)
        prefix = children.ids.astype(np.int64)
    place = np.empty(number, dtype=np.int64)
    place[prefix] = np.arange(number)
    return add_up(place[found], counts[cells], number)


def _next(
    fitting: Fitting, values: Ints, cells: npt.NDArray[np.intp], found: Counts, keys: Counts
) -> tuple[npt.NDArray[np.intp], Counts]:
    """Join cells and beginnings with the labels that the cells fit in one more column."""
    own = values[cells]
    many = (fitting.starts[own + 1] - fitting.starts[own]).astype(np.int64)
    parent = np.repeat(np.arange(len(cells)), many)
    within = np.arange(len(parent)) - np.repeat(np.cumsum(many) - many, many)
    label = fitting.labels[fitting.starts[own][parent] + within]
    wanted = found[parent] * fitting.number + label
    place = np.searchsorted(keys, wanted)
    exists = place < len(keys)
    exists[exists] = keys[place[exists]] == wanted[exists]
    return cells[parent[exists]], place[exists].astype(np.int64)
