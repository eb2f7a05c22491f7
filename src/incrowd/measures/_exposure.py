"""Who is in chosen classes, in records and persons; class sizes; who is alone without a column, or by classes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Classes, Grouping, Packing, group, tally

Counts = npt.NDArray[np.int64]
Ints = npt.NDArray[np.integer]


def plain_number(value: Fraction | float | None) -> dict[str, Any] | None:
    """Write a number as a float, and exactly where that is possible; JSON knows no infinity."""
    if value is None:
        return None
    if isinstance(value, float) and math.isinf(value):
        return {"value": None, "exact": "inf"}
    return {"value": float(value), "exact": None if isinstance(value, float) else str(value)}


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

    def to_dict(self) -> dict[str, Any]:
        """Give plain data that can be written as JSON."""
        counts = {"classes": self.classes, "records": self.records, "persons": self.persons}
        return {**counts, "share": plain_number(self.share)}

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

    size: Counts
    classes: Counts
    records: Counts

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


# Which quasi-identifiers single people out: who is unique without one of them.


def unique_without(classes: Classes, cardinalities: Sequence[int], dropped: int) -> int:
    """Count the people who are alone once a quasi-identifier is dropped."""
    others = [place for place in range(len(cardinalities)) if place != dropped]
    columns = [classes.codes[place] for place in others]
    sizes = [cardinalities[place] for place in others]
    if classes.cells.person is not None:
        return _persons_alone(classes, columns, sizes)
    crowded = (classes.size > 1).astype(np.uint8)
    words, together = tally(Packing.of([*sizes, 2]).pack([*columns, crowded]))  # crowded is the lowest bit of all
    alone = (together == 1) & (words[-1] & 1 == 0)
    same = np.logical_and.reduce([word[1:] == word[:-1] for word in [*words[:-1], words[-1] >> 1]])
    alone[1:] &= ~same
    alone[:-1] &= ~same
    return int(np.count_nonzero(alone))


def _persons_alone(classes: Classes, columns: Sequence[Ints], cardinalities: Sequence[int]) -> int:
    """Group the cells anew: a person with rows in two classes may end up alone in one."""
    nothing = np.zeros(len(classes.members), dtype=np.uint8)
    cells = [nothing, *(codes[classes.members] for codes in columns)]
    merged = Classes.of(group(cells, [1, *cardinalities]), (), classes.cells)
    return Exposed.of(merged, merged.size == 1).people


# Which of many small sets are the same; and persons who are alone for somebody who knows all their rows.


def same_sets(starts: Ints, members: Ints) -> Counts:
    """Give every set a number, so that equal sets and no others have the same.

    All sets start alike. Step by step they are parted by their next member; a set that has no more stays where it is.
    """
    lengths = np.diff(starts)
    alike = np.zeros(len(lengths), dtype=np.int64)
    going = np.arange(len(lengths))
    highest, width = 0, int(members.max(initial=0)) + 1
    for step in range(int(lengths.max(initial=0))):
        going = going[lengths[going] > step]
        found = group([alike[going], members[starts[going] + step]], [highest + 1, width])
        alike[going] = found.ids + np.int64(highest + 1)  # numbers that no set has had
        highest += len(found)
    return alike


def same_classes(classes: Ints, persons: Ints) -> tuple[Counts, Counts]:
    """Count, for every person, the people who occur in exactly the same classes."""
    if not len(persons):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    pairs = group([persons, classes], [int(persons.max()) + 1, int(classes.max()) + 1])
    person, visited = persons[pairs.first], classes[pairs.first]
    starts = np.flatnonzero(np.concatenate(([True], person[1:] != person[:-1], [True])))
    alike = same_sets(starts, visited)
    return person[starts[:-1]].astype(np.int64), np.bincount(alike)[alike].astype(np.int64)


def persons_alone(classes: Ints, persons: Ints) -> int:
    """Count the persons who are the only one with their set of classes."""
    return int(np.count_nonzero(same_classes(classes, persons)[1] == 1))
