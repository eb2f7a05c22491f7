"""What is known about a sensitive column without knowing anybody's class."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from incrowd.core import Classes, Histogram, add_up, group

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """How often each value occurs among all people.

    Attributes
    ----------
    column
        The sensitive column.
    counts
        People with each value, by its code.
    people
        How many people there are; where they have several rows, fewer than the counts add up to.
    rows
        Where people have several rows, whose each is and its value's code; -1 for a value that is not counted.
    elsewhere
        Whether this is known from another table than the one that is attacked, such as the original.
    missing
        The code of a missing value, which nobody guesses; -1 if there is none.

    Notes
    -----
    The baseline of a guess is the share of the attack's own targets about whom somebody is right who says the same
    value of everybody: the value that is most frequent among all targets, or of these values the one that is most
    frequent in the other table, where ``elsewhere``. Somebody in several classes is a target in each, for the baseline
    as for the attack. So a guess of the best value of every class is never worse than its baseline. That a value is
    missing is never said: it would teach nothing.
    """

    column: str
    counts: Ints = field(repr=False)
    people: int
    rows: tuple[Ints, Ints] | None = field(default=None, repr=False)
    elsewhere: bool = False
    missing: int = -1

    @classmethod
    def of(cls, classes: Classes, column: str) -> Prior:
        """Take the whole table that the classes are of: the intruder sees it in the release."""
        cells, number = classes.cells, classes.cells.cardinalities[column]
        missing = missing_code(classes, column)
        if cells.person is None:
            counts = add_up(cells.sensitive[column], cells.counts, number)
            return cls(column, counts, people_of(classes), missing=missing)
        reference = classes.reference(column)
        counts = np.zeros(number, dtype=np.int64)
        counts[reference.values[0]] = reference.counts
        rows = np.asarray(cells.person, dtype=np.int64), np.asarray(cells.sensitive[column], dtype=np.int64)
        return cls(column, counts, people_of(classes), rows, missing=missing)

    @property
    def known(self) -> Ints:
        """People with each value that can be guessed: with a missing one nobody."""
        return np.where(np.arange(len(self.counts)) == self.missing, 0, self.counts)

    @property
    def largest(self) -> int:
        """How many people have the most frequent value."""
        return int(self.known.max(initial=0))

    def by(self, category: Ints, categories: int) -> Prior:
        """Count categories instead of values, -1 being none; nobody twice who has two values of one category."""
        if self.rows is None:
            some = category >= 0
            counts = add_up(category[some], self.counts[some], categories)
            return Prior(self.column, counts, self.people, elsewhere=self.elsewhere)
        known = np.append(category, -1)[self.rows[1]] >= 0
        person, value = (part[known] for part in self.rows)
        found = category[value]
        pairs = group([found, person], [max(categories, 1), int(person.max(initial=0)) + 1]).first
        counts = np.bincount(found[pairs], minlength=categories).astype(np.int64)
        return Prior(self.column, counts, self.people, elsewhere=self.elsewhere)

    def right(self, histogram: Histogram, among: npt.NDArray[np.bool_] | None = None) -> int:
        """Count the targets about whom one value, said of everybody, is right.

        Parameters
        ----------
        histogram
            The values of the targets in every class.
        among
            Which values may be said; any by default.
        """
        said = add_up(histogram.values[0], histogram.counts, len(self.counts) + 1)[:-1]  # the last is no category
        if among is not None:
            said = np.where(among, said, 0)
        if self.elsewhere:
            known = self.known if among is None else np.where(among, self.known, 0)
            said = said[known == known.max(initial=0)]
        return int(said.max(initial=0))


def missing_code(classes: Classes, column: str) -> int:
    """Give the code of a missing value; -1 if the column has none."""
    domain = classes.cells.domains[column]
    return len(domain.values) if domain.has_null else -1


def people_of(classes: Classes) -> int:
    """Count the people of a table: persons where it says whose row is whose, else records."""
    person = classes.cells.person
    if person is None:
        return int(classes.records.sum())
    return int(np.count_nonzero(np.bincount(person))) if len(person) else 0


def one_of(people: int) -> Fraction:
    """Give the chance to pick a person from so many; there is none where nobody is."""
    return Fraction(1, people) if people else Fraction(0)
