"""Values that mean the same: one category for all of a class, or a narrow range (S0-SIM, S0-CATINF, S0-NUMSIM)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.attacks._guessing import LOOKS, largest
from incrowd.attacks._outcome import Outcome
from incrowd.attacks._prior import Prior
from incrowd.core import Cells, Classes, Domain, Histogram, Ladder, ParameterError, group
from incrowd.hierarchies import BoundCategories
from incrowd.models import Measured, Ratios, Sums

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """Which values of a sensitive column count as similar.

    Attributes
    ----------
    names
        The categories.
    category
        For every code of the column its category.
    """

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
        return cls(tuple(ladder.labels[level].tolist()), ladder.groups[level].astype(np.int64))

    def places(self, column: str, wanted: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Say which categories are among those wanted; none wanted means all."""
        unknown = sum(name not in self.names for name in wanted)
        if unknown:
            msg = f"{unknown} of the categories given for column {column!r} are none of its {len(self.names)}."
            raise ParameterError(msg, hint="name them as the schema does.")
        return np.array([not wanted or name in wanted for name in self.names], dtype=bool)


def similarity(classes: Classes, prior: Prior, likeness: Likeness, only: Sequence[str] = ()) -> Outcome:
    """Say what is certain up to a category: the one that everybody in the class has."""
    column = prior.column
    histogram = _by_category(classes, column, likeness)
    wanted = likeness.places(column, only)
    everybody = (histogram.counts == classes.size[histogram.classes]) & wanted[histogram.values[0]]
    exposed = np.zeros(len(classes), dtype=bool)
    exposed[histogram.classes[everybody]] = True
    before, targets = prior.by(likeness.category, len(likeness.names)), int(classes.size.sum())
    known = before.people > 0 and before.counts[wanted].max(initial=0) == before.people
    return Outcome(
        name="similarity",
        column=column,
        knows=LOOKS,
        means="the category is certain",
        measured=Ratios(largest(histogram), classes.size),
        exposed=exposed,
        right=Fraction(int(classes.size[exposed].sum())),
        targets=targets,
        baseline=Fraction(int(known and before.right(histogram, wanted) == targets)),
    )


def category_inference(classes: Classes, prior: Prior, likeness: Likeness, sure: Fraction) -> Outcome:
    """Guess the most frequent category of the class."""
    histogram = _by_category(classes, prior.column, likeness)
    most, targets = largest(histogram), int(classes.size.sum())
    before = prior.by(likeness.category, len(likeness.names))
    measured = Ratios(most, classes.size)
    return Outcome(
        name="category inference",
        column=prior.column,
        knows=LOOKS,
        means=f"a category is at least {float(100 * sure):g} % likely",
        measured=measured,
        exposed=measured.meets(">=", sure),
        right=Fraction(int(most.sum())),
        targets=targets,
        baseline=Fraction(before.right(histogram), max(targets, 1)),
    )


def narrow_range(classes: Classes, prior: Prior, narrow: Fraction, ranks: Ints | None = None) -> Outcome:
    """Say between which numbers the value lies, and compare that with the range of the whole table.

    Parameters
    ----------
    classes, prior
        The classes, and the whole table.
    narrow
        Which share of the table's range is narrow.
    ranks
        The place of every value in an order, where that is not their own; null has none.
    """
    domain = classes.cells.domains[prior.column]
    measured, known = _widths(classes, prior, domain, ranks)
    exposed = known & measured.meets("<=", narrow)
    return Outcome(
        name="similarity",
        column=prior.column,
        knows=LOOKS,
        means=f"the value is known to {float(100 * narrow):g} % of the range",
        measured=measured,
        exposed=exposed,
        right=Fraction(int(classes.size[exposed].sum())),
        targets=int(classes.size.sum()),
        baseline=Fraction(int((narrow >= 1 or np.count_nonzero(prior.counts) <= 1) and bool(known.all()))),
        unit="width",
    )


def _by_category(classes: Classes, column: str, likeness: Likeness) -> Histogram:
    """Count categories in every class: from the values' counts, or anew where people have several rows."""
    cells, number = classes.cells, len(likeness.names)
    if cells.person is None:
        values = classes.histogram(column)
        members: Any = values.classes
        inside = Cells({column: likeness.category[values.values[0]]}, {}, None, values.counts)
    else:
        members = classes.members
        inside = Cells({column: likeness.category[cells.sensitive[column]]}, {}, cells.person, cells.counts)
    keys = [members, inside.sensitive[column]]
    entries = group(keys, [max(len(classes), 1), number])
    owner, found = (key[entries.first] for key in keys)
    if inside.person is None:
        counts = entries.sums(inside.counts)
    else:
        people = group([entries.ids, inside.person], [len(entries), int(inside.person.max(initial=0)) + 1])
        counts = np.bincount(entries.ids[people.first], minlength=len(entries)).astype(np.int64)
    return Histogram(np.searchsorted(owner, np.arange(len(classes) + 1)), owner, (found,), counts)


def _widths(
    classes: Classes, prior: Prior, domain: Domain, ranks: Ints | None
) -> tuple[Measured, npt.NDArray[np.bool_]]:
    """Give the width of every class as a share of the table's, and whether all its values are known."""
    histogram, number = classes.histogram(prior.column), len(domain.values)
    present = np.flatnonzero(prior.counts[:number])
    if not len(classes) or not len(present) or (ranks is None and not _is_finite(domain.values)):
        nothing = np.zeros(len(classes), dtype=np.int64)
        return Ratios(nothing, nothing + 1), nothing > 0
    places = np.arange(number) if ranks is None else ranks
    null = histogram.values[0] >= number
    codes = np.where(null, present[0], histogram.values[0])
    begins = histogram.starts[:-1]
    low, high = (by.reduceat(places[codes], begins) for by in (np.minimum, np.maximum))
    known = ~np.logical_or.reduceat(null, begins)
    ends = places[present].min(), places[present].max()
    if ranks is None:
        return _shares(domain.values, low, high, ends), known
    return Ratios(high - low, np.full(len(classes), max(ends[1] - ends[0], 1))), known


def _is_finite(values: npt.NDArray[Any]) -> bool:
    return values.dtype.kind in "iM" or bool(np.isfinite(values.astype(np.float64)).all())


def _shares(values: npt.NDArray[Any], low: Ints, high: Ints, ends: tuple[Any, Any]) -> Measured:
    if values.dtype.kind in "iM":
        whole = values.astype(np.int64)
        wide = int(whole[ends[1]]) - int(whole[ends[0]])
        if wide < 2**62:
            return Ratios(whole[high] - whole[low], np.full(len(low), max(wide, 1)))
    exact = [Fraction(str(value)) for value in (values[ends[0]], values[ends[1]])]
    wide_exactly = (exact[1] - exact[0]) or Fraction(1)

    def width(index: int) -> Fraction:
        return (Fraction(str(values[high[index]])) - Fraction(str(values[low[index]]))) / wide_exactly

    floats = values.astype(np.float64)
    return Sums((floats[high] - floats[low]) / float(wide_exactly), width)
