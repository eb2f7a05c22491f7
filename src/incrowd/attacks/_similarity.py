"""Similarity attacks: one category of sensitive values for all of a class, skewness, and change of belief."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.attacks._inference import AttackOutcome, Prior, largest, likeliest
from incrowd.attacks._range import ValueLine
from incrowd.core import Classes, Histogram, Ladder, ParameterError, add_up, group
from incrowd.hierarchies import BoundCategories
from incrowd.models import Ratios, Sums

Ints = npt.NDArray[np.int64]
ExactInts = npt.NDArray[Any]
"""64 bits, or Python's own where these do not suffice."""

RANGES = 20
"""A line of more values than these is cut into so many ranges, where single values would be too rare to compare."""


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """Which values of a sensitive column count as similar."""

    names: tuple[str | None, ...] = field(repr=False)
    category: Ints = field(repr=False)

    @classmethod
    def of_categories(cls, bound: BoundCategories) -> Likeness:
        """Take ordered categories."""
        return cls(bound.names, bound.category)

    @classmethod
    def of_taxonomy(cls, ladder: Ladder, level: int) -> Likeness:
        """Take the groups of a level; never the top, which is everything."""
        level = max(min(level, ladder.height - 1), 0)
        names, category = ladder.labels[level].tolist(), ladder.groups[level].astype(np.int64)
        return cls(tuple(names), np.where(np.array([name is None for name in names])[category], -1, category))

    @classmethod
    def of_ranges(cls, line: ValueLine, counts: Ints) -> Likeness | None:
        """Cut a line of many values into ranges with about as many people each; nothing if it has few values."""
        if len(line.values) <= RANGES:
            return None
        placed = line.place >= 0
        people = add_up(line.place[placed], counts[placed], len(line.values))
        cut = (np.cumsum(people) - people) * RANGES // max(int(people.sum()), 1)
        cut = np.minimum(np.unique(cut, return_inverse=True)[1], RANGES - 1)
        return cls((None,) * (int(cut.max()) + 1), np.where(placed, cut[line.place], -1))

    def places(self, column: str, wanted: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Say which categories are among those wanted; none wanted means all."""
        unknown = sum(name not in self.names for name in wanted)
        if unknown:
            msg = f"{unknown} of the categories given for column {column!r} are none of its {len(self.names)}."
            raise ParameterError(msg, hint="name them as the schema does.")
        return np.array([not wanted or name in wanted for name in self.names], dtype=bool)


def similarity(classes: Classes, prior: Prior, likeness: Likeness, only: Sequence[str] = ()) -> AttackOutcome:
    """Say what is certain up to a category: the one that everybody in the class has."""
    column = prior.column
    histogram = category_histogram(classes, column, likeness)
    wanted = likeness.places(column, only)
    everybody = (histogram.counts == classes.size[histogram.classes]) & np.append(wanted, False)[histogram.values[0]]
    exposed = np.zeros(len(classes), dtype=bool)
    exposed[histogram.classes[everybody]] = True
    before, targets = prior.of_categories(likeness.category, len(likeness.names)), int(classes.size.sum())
    known = before.people > 0 and before.counts[wanted].max(initial=0) == before.people
    return AttackOutcome(
        name="similarity",
        column=column,
        means="the category is certain",
        measured=Ratios(largest(histogram), classes.size),
        exposed=exposed,
        right=int(classes.size[exposed].sum()),
        baseline=Fraction(int(known and before.guessed_right(histogram, wanted) == targets)),
    )


def category_inference(classes: Classes, prior: Prior, likeness: Likeness, sure: Fraction) -> AttackOutcome:
    """Guess the most frequent category of the class."""
    before = prior.of_categories(likeness.category, len(likeness.names))
    histogram = category_histogram(classes, prior.column, likeness)
    return likeliest("category inference", "category", classes, histogram, before, sure)


def category_histogram(classes: Classes, column: str, likeness: Likeness) -> Histogram:
    """Count categories in every class: from the values' counts, or anew where people have several rows.

    What has no category is listed last, and counts as nobody's.
    """
    cells, values = classes.cells, classes.histogram(column)
    category = np.where(likeness.category < 0, len(likeness.names), likeness.category)
    person = cells.person
    one_each = [values.classes, category[values.values[0]]]
    keys = one_each if person is None else [classes.members, category[cells.sensitive[column]]]
    entries = group(keys, [max(len(classes), 1), len(likeness.names) + 1])
    owner, found = (key[entries.first] for key in keys)
    if person is None:
        counts = entries.sums(values.counts)
    else:
        people = group([entries.ids, person], [len(entries), int(person.max(initial=0)) + 1])
        counts = np.bincount(entries.ids[people.first], minlength=len(entries)).astype(np.int64)
    counts = np.where(found < len(likeness.names), counts, 0)
    return Histogram(np.searchsorted(owner, np.arange(len(classes) + 1)), owner, (found,), counts)


# What a class changes about the belief that the whole table gives (S0-SKEW).


def skewness(classes: Classes, prior: Prior, gain: Fraction, ranges: Likeness | None = None) -> AttackOutcome:
    """Measure how many times likelier a value is in the class than in the whole table."""
    counts, what = prior, "a value"
    histogram = classes.guessable_values(prior.column)
    if ranges is not None:
        histogram = category_histogram(classes, prior.column, ranges)
        counts, what = prior.of_categories(ranges.category, len(ranges.names)), f"one of {len(ranges.names)} ranges"
    measured = _frequency_gains(classes, histogram, counts)
    exposed = measured.meets(">=", gain)
    return AttackOutcome(
        name="skewness",
        column=prior.column,
        means=f"{what} is at least {float(gain):g} times likelier than in the table",
        measured=measured,
        exposed=exposed,
        right=int(classes.size[exposed].sum()),
        baseline=Fraction(int(gain <= 1)),
        unit="gain",
    )


def change_of_belief(classes: Classes, prior: Prior) -> AttackOutcome | None:
    """Measure how far the distribution of the class is from that of the whole table; nothing for several rows each.

    The variational distance: by so much the chance can grow, at most, that a yes-or-no question about the value is
    answered right. t-closeness with the equal distance is a bound on it.
    """
    histogram, size = classes.histogram(prior.column), classes.size
    if int(histogram.counts.sum()) != int(size.sum()):
        return None
    owner, values = histogram.classes, histogram.values[0]
    share, before = histogram.counts / size[owner], prior.counts[values] / max(prior.people, 1)
    moved = np.bincount(owner, weights=np.maximum(share - before, 0.0), minlength=len(classes))
    return AttackOutcome(
        name="change of belief",
        column=prior.column,
        means="the group tells everything",
        measured=Sums(moved.astype(np.float64), partial(_exact_change, histogram, size, prior)),
        exposed=np.zeros(len(classes), dtype=bool),
        right=0,
        baseline=Fraction(0),
        unit="change",
    )


def _exact_change(histogram: Histogram, size: ExactInts, prior: Prior, index: int) -> Fraction:
    """Give the variational distance of one class from the whole table."""
    inside = slice(histogram.starts[index], histogram.starts[index + 1])
    whole = prior.counts[histogram.values[0][inside]].tolist()
    pairs = zip(histogram.counts[inside].tolist(), whole, strict=True)
    gaps = (Fraction(count, int(size[index])) - Fraction(all_, prior.people) for count, all_ in pairs)
    return sum((gap for gap in gaps if gap > 0), Fraction(0))


def _frequency_gains(classes: Classes, histogram: Histogram, prior: Prior) -> Ratios:
    whole: ExactInts = np.append(prior.counts, 1)  # the last is no category, and nobody's
    owner, values = histogram.classes, histogram.values[0]
    if not len(owner):
        return Ratios(np.zeros(0, dtype=np.int64), np.ones(0, dtype=np.int64))
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = np.where(histogram.counts > 0, histogram.counts / whole[values], 0.0)
    best = np.flatnonzero(gains == np.maximum.reduceat(gains, histogram.starts[:-1])[owner])
    first = best[np.searchsorted(owner[best], np.arange(len(classes)))]
    counts: ExactInts = histogram.counts[first]
    size: ExactInts = classes.size
    whole = np.where(counts > 0, whole[values[first]], 1)
    if max(int(counts.max()) * prior.people, int(size.max()) * int(whole.max())) >= 2**62:
        counts, size, whole = (array.astype(object) for array in (counts, size, whole))
    return Ratios(counts * prior.people, size * whole)
