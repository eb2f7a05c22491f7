"""Attacks on a class as it is: singling out, homogeneity, and the best guess (S0-HOMOG, S0-PROBINF).

Nobody is right who says that a value is missing: that tells nothing about the person. People without a value stay
targets, and no guess about them counts.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from incrowd.attacks._outcome import Bools, Outcome
from incrowd.attacks._prior import Prior, one_of, people_of
from incrowd.core import Classes, Histogram
from incrowd.models import Ratios

LOOKS = "the quasi-identifiers of a person, and that the person is in the table"
"""What every intruder knows who attacks a class."""


def singling_out(classes: Classes) -> Outcome:
    """Pick somebody of the class: the chance is one over its size."""
    return Outcome(
        name="singling out",
        column=None,
        knows=LOOKS,
        means="alone in the group",
        measured=Ratios(np.ones(len(classes), dtype=np.int64), classes.size),
        exposed=classes.size == 1,
        right=Fraction(len(classes)),
        targets=int(classes.size.sum()),
        baseline=one_of(people_of(classes)),
    )


def homogeneity(classes: Classes, prior: Prior) -> Outcome:
    """Say only what is certain: the value that everybody in the class has."""
    histogram = classes.guessable(prior.column)
    most, targets = largest(histogram), int(classes.size.sum())
    exposed = np.asarray(most == classes.size, dtype=bool)
    return Outcome(
        name="homogeneity",
        column=prior.column,
        knows=LOOKS,
        means="the value is certain",
        measured=Ratios(most, classes.size),
        exposed=exposed,
        right=Fraction(int(classes.size[exposed].sum())),
        targets=targets,
        baseline=Fraction(int(0 < prior.people == prior.largest and prior.right(histogram) == targets)),
    )


def inference(classes: Classes, prior: Prior, sure: Fraction) -> Outcome:
    """Guess the most frequent value of the class."""
    histogram = classes.guessable(prior.column)
    most, targets = largest(histogram), int(classes.size.sum())
    measured = Ratios(most, classes.size)
    return Outcome(
        name="inference",
        column=prior.column,
        knows=LOOKS,
        means=f"a value is at least {_percent(sure)} likely",
        measured=measured,
        exposed=measured.meets(">=", sure),
        right=Fraction(int(most.sum())),
        targets=targets,
        baseline=Fraction(prior.right(histogram), max(targets, 1)),
    )


def has_several_certain(classes: Classes, column: str) -> bool:
    """Say whether everybody has several values in some class, as only people with several rows can."""
    histogram = classes.guessable(column)
    everybody = histogram.classes[histogram.counts == classes.size[histogram.classes]]
    return bool((everybody[1:] == everybody[:-1]).any())


def certain_values(classes: Classes, column: str) -> npt.NDArray[np.int64]:
    """Give for every class the code of the value that everybody there has, or -1; one of them where there are more."""
    histogram = classes.guessable(column)
    result = np.full(len(classes), -1, dtype=np.int64)
    everybody: Bools = histogram.counts == classes.size[histogram.classes]
    result[histogram.classes[everybody]] = histogram.values[0][everybody]
    return result


def largest(histogram: Histogram) -> npt.NDArray[np.int64]:
    """Give for every class how many have its most frequent value."""
    if not len(histogram.counts):
        return np.zeros(0, dtype=np.int64)
    return np.maximum.reduceat(histogram.counts, histogram.starts[:-1])


def _percent(share: Fraction) -> str:
    return f"{float(100 * share):g} %"
