"""How well an intruder can guess a sensitive value from the class alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from incrowd.core import Classes, add_up

Counts = npt.NDArray[np.int64]


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

    Parameters
    ----------
    classes
        The classes, which know the column's values.
    column
        The sensitive column.

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
