"""Cells grouped into classes, with what models ask about a class: its size and its histograms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from incrowd.core._domain import Domain
from incrowd.core._errors import UnknownColumnError
from incrowd.core._grouping import Grouping, Ints, group


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """What lies inside classes: sensitive codes, persons and counts, cell by cell; and what the codes stand for."""

    sensitive: Mapping[str, Ints]
    domains: Mapping[str, Domain]
    person: Ints | None
    counts: Ints

    @property
    def cardinalities(self) -> dict[str, int]:
        """How many codes each sensitive column has."""
        return {name: len(self.domains[name]) for name in self.sensitive}


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """How often each value occurs in each class. Sparse: only what occurs, sorted by class and value.

    Attributes
    ----------
    starts
        Where each class begins; one longer than there are classes.
    classes
        The class of each entry.
    values
        The codes of each entry, one array per column.
    counts
        Records of each entry; persons where the table has an entity.
    """

    starts: npt.NDArray[np.intp]
    classes: Ints
    values: tuple[Ints, ...]
    counts: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """The classes of a table: records that look alike on every quasi-identifier.

    Attributes
    ----------
    codes
        One array per quasi-identifier: the code of each class.
    size
        The number of persons of each class where the table has an entity, else of records.
    records
        The number of records of each class.
    members
        The class of every cell of the census that the classes were made of.
    cells
        What lies inside the classes.
    labels
        One array per quasi-identifier with the text of every code, where the classes were made of published labels.
    """

    codes: tuple[Ints, ...] = field(repr=False)
    size: npt.NDArray[np.int64]
    records: npt.NDArray[np.int64] = field(repr=False)
    members: Ints = field(repr=False)
    cells: Cells = field(repr=False)
    labels: tuple[npt.NDArray[np.object_], ...] | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls,
        grouping: Grouping,
        codes: tuple[Ints, ...],
        cells: Cells,
        labels: tuple[npt.NDArray[np.object_], ...] | None = None,
    ) -> Classes:
        """Build classes from a grouping of cells."""
        records = grouping.sums(cells.counts)
        size = records if cells.person is None else _distinct_persons(grouping.ids, len(grouping), cells.person)
        for array in (size, records, grouping.ids, *codes):
            array.setflags(write=False)
        return cls(codes, size, records, grouping.ids, cells, labels)

    def __len__(self) -> int:
        return len(self.size)

    def histogram(self, *columns: str) -> Histogram:
        """Count the values of a sensitive column in every class, or the combinations of several."""
        return self._histogram(self.members, len(self), columns)

    def reference(self, *columns: str) -> Histogram:
        """Count the values in the whole table, as one class."""
        return self._histogram(np.zeros(len(self.members), dtype=np.uint8), min(1, len(self)), columns)

    def _histogram(self, members: Ints, classes: int, columns: tuple[str, ...]) -> Histogram:
        for name in columns:
            if name not in self.cells.sensitive:
                raise UnknownColumnError.of(name, list(self.cells.sensitive), given_as="sensitive")
        keys = [members, *(self.cells.sensitive[name] for name in columns)]
        entries = group(keys, [classes, *(self.cells.cardinalities[name] for name in columns)])
        if self.cells.person is None:
            counts = entries.sums(self.cells.counts)
        else:
            counts = _distinct_persons(entries.ids, len(entries), self.cells.person)
        owner, *values = (key[entries.first] for key in keys)
        starts = np.searchsorted(owner, np.arange(classes + 1))
        return Histogram(starts, owner, tuple(values), counts)


def _distinct_persons(ids: Ints, groups: int, person: Ints) -> npt.NDArray[np.int64]:
    """Count the persons in each group: one who has several rows there counts once."""
    pairs = group([ids, person], [groups, int(person.max()) + 1 if len(person) else 1])
    return np.bincount(ids[pairs.first], minlength=groups).astype(np.int64)
