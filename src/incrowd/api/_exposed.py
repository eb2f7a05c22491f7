"""Who is in some classes, and how many classes have which size."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from incrowd.core import Classes, Grouping


@dataclass(frozen=True, slots=True)
class Exposed:
    """Some classes, and who is in them.

    Attributes
    ----------
    classes, records
        How many classes, and how many records they hold.
    persons
        How many different persons, where the table says whose row is whose.
    share
        Their share of all people: of the persons where there are any, else of the records.
    """

    classes: int
    records: int
    persons: int | None
    share: Fraction

    @property
    def people(self) -> int:
        """Persons where the table says whose row is whose, else records."""
        return self.records if self.persons is None else self.persons

    @classmethod
    def of(cls, classes: Classes, chosen: npt.NDArray[np.bool_]) -> Exposed:
        """Count who is in the chosen classes."""
        records, person = int(classes.records[chosen].sum()), classes.cells.person
        if person is None:
            persons, people, total = None, records, int(classes.records.sum())
        else:
            persons = people = int(np.count_nonzero(np.bincount(person[chosen[classes.members]])))
            total = int(np.count_nonzero(np.bincount(person)))
        return cls(int(np.count_nonzero(chosen)), records, persons, Fraction(people, max(total, 1)))


@dataclass(frozen=True, slots=True, eq=False)
class ClassSizes:
    """How many classes have which size.

    Attributes
    ----------
    size
        The sizes that occur, ascending: persons where the table says whose row is whose, else records.
    classes, records
        How many classes have this size, and how many records they hold.
    """

    size: npt.NDArray[np.int64]
    classes: npt.NDArray[np.int64]
    records: npt.NDArray[np.int64]

    @classmethod
    def of(cls, classes: Classes) -> ClassSizes:
        """Count the classes of every size: by sorting, sizes may be anything."""
        sizes = np.sort(classes.size)
        first = np.flatnonzero(np.append(True, sizes[1:] != sizes[:-1])) if len(sizes) else np.zeros(0, dtype=np.intp)
        found = sizes[first]
        held = Grouping(np.searchsorted(found, classes.size), first).sums(classes.records)
        arrays = found, np.diff(np.append(first, len(sizes))), held
        for array in arrays:
            array.setflags(write=False)
        return cls(*arrays)
