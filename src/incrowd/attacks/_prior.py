"""What is known about a sensitive column without knowing anybody's class."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from incrowd.core import Classes, add_up, group

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
    """

    column: str
    counts: Ints = field(repr=False)
    people: int
    rows: tuple[Ints, Ints] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, classes: Classes, column: str) -> Prior:
        """Take the whole table that the classes are of: the intruder sees it in the release."""
        cells, number = classes.cells, classes.cells.cardinalities[column]
        if cells.person is None:
            return cls(column, add_up(cells.sensitive[column], cells.counts, number), people_of(classes))
        reference = classes.reference(column)
        counts = np.zeros(number, dtype=np.int64)
        counts[reference.values[0]] = reference.counts
        rows = np.asarray(cells.person, dtype=np.int64), np.asarray(cells.sensitive[column], dtype=np.int64)
        return cls(column, counts, people_of(classes), rows)

    @property
    def largest(self) -> int:
        """How many people have the most frequent value."""
        return int(self.counts.max(initial=0))

    def by(self, category: Ints, categories: int) -> Prior:
        """Count categories instead of values; nobody twice who has two values of one category."""
        if self.rows is None:
            return Prior(self.column, add_up(category, self.counts, categories), self.people)
        person, value = (part[self.rows[1] >= 0] for part in self.rows)
        found = category[value]
        pairs = group([found, person], [max(categories, 1), int(person.max(initial=0)) + 1]).first
        return Prior(self.column, np.bincount(found[pairs], minlength=categories).astype(np.int64), self.people)


def people_of(classes: Classes) -> int:
    """Count the people of a table: persons where it says whose row is whose, else records."""
    person = classes.cells.person
    if person is None:
        return int(classes.records.sum())
    return int(np.count_nonzero(np.bincount(person))) if len(person) else 0
