"""What a class changes about the belief that the whole table gives (S0-SKEW)."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.attacks._guessing import LOOKS
from incrowd.attacks._outcome import Outcome
from incrowd.attacks._prior import Prior
from incrowd.attacks._similarity import Likeness, by_category
from incrowd.core import Classes, Histogram
from incrowd.models import Ratios, Sums

Ints = npt.NDArray[Any]


def skewness(classes: Classes, prior: Prior, gain: Fraction, ranges: Likeness | None = None) -> Outcome:
    """Measure how many times likelier a value is in the class than in the whole table.

    Parameters
    ----------
    classes, prior
        The classes, and the whole table.
    gain
        From how many times on a class is exposed.
    ranges
        Ranges of a line of many values, which are compared instead: where nearly everybody has a number of their own,
        each is many times likelier in its class than in the table, and that says nothing.
    """
    counts, what = prior, "a value"
    histogram = classes.guessable(prior.column)
    if ranges is not None:
        histogram = by_category(classes, prior.column, ranges)
        counts, what = prior.by(ranges.category, len(ranges.names)), f"one of {len(ranges.names)} ranges"
    measured = _gains(classes, histogram, counts)
    exposed = measured.meets(">=", gain)
    return Outcome(
        name="skewness",
        column=prior.column,
        knows=LOOKS,
        means=f"{what} is at least {float(gain):g} times likelier than in the table",
        measured=measured,
        exposed=exposed,
        right=Fraction(int(classes.size[exposed].sum())),
        targets=int(classes.size.sum()),
        baseline=Fraction(int(gain <= 1)),
        unit="gain",
    )


def change_of_belief(classes: Classes, prior: Prior) -> Outcome | None:
    """Measure how far the distribution of the class is from that of the whole table; nothing for several rows each.

    Notes
    -----
    The variational distance: by so much the chance can grow, at most, that a yes-or-no question about the value is
    answered right. t-closeness with the equal distance is a bound on it.
    """
    histogram, size = classes.histogram(prior.column), classes.size
    if int(histogram.counts.sum()) != int(size.sum()):
        return None
    owner, values = histogram.classes, histogram.values[0]
    share, before = histogram.counts / size[owner], prior.counts[values] / max(prior.people, 1)
    moved = np.bincount(owner, weights=np.maximum(share - before, 0.0), minlength=len(classes))
    return Outcome(
        name="change of belief",
        column=prior.column,
        knows=LOOKS,
        means="the group tells everything",
        measured=Sums(moved.astype(np.float64), partial(_exact_change, histogram, size, prior)),
        exposed=np.zeros(len(classes), dtype=bool),
        right=Fraction(0),
        targets=int(size.sum()),
        baseline=Fraction(0),
        unit="change",
    )


def _exact_change(histogram: Histogram, size: Ints, prior: Prior, index: int) -> Fraction:
    """Give the variational distance of one class from the whole table."""
    inside = slice(histogram.starts[index], histogram.starts[index + 1])
    whole = prior.counts[histogram.values[0][inside]].tolist()
    pairs = zip(histogram.counts[inside].tolist(), whole, strict=True)
    gaps = (Fraction(count, int(size[index])) - Fraction(all_, prior.people) for count, all_ in pairs)
    return sum((gap for gap in gaps if gap > 0), Fraction(0))


def _gains(classes: Classes, histogram: Histogram, prior: Prior) -> Ratios:
    whole: Ints = np.append(prior.counts, 1)  # the last is no category, and nobody's
    owner, values = histogram.classes, histogram.values[0]
    if not len(owner):
        return Ratios(np.zeros(0, dtype=np.int64), np.ones(0, dtype=np.int64))
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = np.where(histogram.counts > 0, histogram.counts / whole[values], 0.0)
    best = np.flatnonzero(gains == np.maximum.reduceat(gains, histogram.starts[:-1])[owner])
    first = best[np.searchsorted(owner[best], np.arange(len(classes)))]
    counts: Ints = histogram.counts[first]
    size: Ints = classes.size
    whole = np.where(counts > 0, whole[values[first]], 1)
    if max(int(counts.max()) * prior.people, int(size.max()) * int(whole.max())) >= 2**62:
        counts, size, whole = (array.astype(object) for array in (counts, size, whole))
    return Ratios(counts * prior.people, size * whole)
