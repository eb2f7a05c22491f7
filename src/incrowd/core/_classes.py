"""``Classes``: cells grouped by their quasi-identifiers, with sizes and histograms of sensitive values for models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core._domain import Domain
from incrowd.core._errors import ParameterError, UnknownColumnError
from incrowd.core._grouping import Grouping, Ints, add_up, group
from incrowd.core._ladder import Ladder


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

    def without_missing(self, domains: Sequence[Domain]) -> Histogram:
        """Leave out missing values, and combinations with one; a class may then have no entry at all."""
        keep = np.ones(len(self.counts), dtype=bool)
        for codes, domain in zip(self.values, domains, strict=True):
            if domain.has_null:
                keep &= codes != len(domain.values)
        if keep.all():
            return self
        owner = self.classes[keep]
        starts = np.searchsorted(owner, np.arange(len(self.starts)))
        return Histogram(starts, owner, tuple(codes[keep] for codes in self.values), self.counts[keep])

    def sums(self, amounts: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]:
        """Add up the counts of every class, or other amounts of its entries; 0 where it has none."""
        return self._per_class(np.add, self.counts if amounts is None else amounts)

    def largest(self, amounts: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]:
        """Give the largest count of every class, or the largest of other amounts that are not negative."""
        return self._per_class(np.maximum, self.counts if amounts is None else amounts)

    def _per_class(self, how: np.ufunc, amounts: npt.NDArray[Any]) -> npt.NDArray[Any]:
        if not len(self.starts) - 1:
            return amounts[:0]
        found = how.reduceat(np.append(amounts, amounts.dtype.type(0)), self.starts[:-1])
        found[self.starts[1:] == self.starts[:-1]] = 0
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Where classes stand among coarser ones: per quasi-identifier its level, its values, and its ladder if any."""

    levels: tuple[int, ...]
    domains: tuple[Domain, ...]
    ladders: tuple[Ladder | None, ...]

    def texts(self, column: int) -> npt.NDArray[np.object_]:
        """Give the text of every code of a quasi-identifier."""
        ladder, level = self.ladders[column], self.levels[column]
        return ladder.labels[level] if ladder is not None and level else self.domains[column].texts

    def attach(self, classes: Classes) -> Classes:
        """Tell classes of published labels where they stand; every label must be one of its column's level."""
        codes = []
        for column in range(len(self.levels)):
            known = {text: code for code, text in enumerate(self.texts(column).tolist())}
            found = np.array([known.get(text, -1) for text in classes.texts(column).tolist()], dtype=np.int64)
            if (found < 0).any():
                msg = f"{(found < 0).sum()} of {len(classes)} classes have a label that its level does not have."
                raise ParameterError(msg, hint="give the levels and ladders that the labels were made with.")
            found.setflags(write=False)
            codes.append(found)
        return replace(classes, codes=tuple(codes), standing=self, labels=None)


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
    standing
        Where the classes stand among coarser ones, if they were made of a census.
    paths
        One row per class: the numbers of the regions that it was cut out of, the largest first, filled up with -1.
        Known where a partition made the classes.
    """

    codes: tuple[Ints, ...] = field(repr=False)
    size: npt.NDArray[np.int64]
    records: npt.NDArray[np.int64] = field(repr=False)
    members: Ints = field(repr=False)
    cells: Cells = field(repr=False)
    labels: tuple[npt.NDArray[np.object_], ...] | None = field(default=None, repr=False)
    standing: Standing | None = field(default=None, repr=False)
    paths: Ints | None = field(default=None, repr=False)
    _counted: dict[tuple[str, ...], Histogram] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(
        cls,
        grouping: Grouping,
        codes: tuple[Ints, ...],
        cells: Cells,
        labels: tuple[npt.NDArray[np.object_], ...] | None = None,
        standing: Standing | None = None,
    ) -> Classes:
        """Build classes from a grouping of cells."""
        records = grouping.sums(cells.counts)
        size = records if cells.person is None else _distinct_persons(grouping.ids, len(grouping), cells.person)
        for array in (size, records, grouping.ids, *codes):
            array.setflags(write=False)
        return cls(codes, size, records, grouping.ids, cells, labels, standing)

    def __len__(self) -> int:
        return len(self.size)

    def histogram(self, *columns: str) -> Histogram:
        """Count the values of a sensitive column in every class, or the combinations of several; once, then kept."""
        return self._cached_histogram(("class", *columns), self.members, len(self))

    def guessable_values(self, column: str) -> Histogram:
        """Count the values that somebody can be said to have: a missing one is listed and counts as nobody's."""
        histogram, domain = self.histogram(column), self.cells.domains[column]
        if not domain.has_null:
            return histogram
        missing = histogram.values[0] == len(domain.values)
        return replace(histogram, counts=np.where(missing, 0, histogram.counts))

    def known_sizes(self, column: str) -> npt.NDArray[np.int64]:
        """Count in every class the persons, or the records, of whom some value of a column is known."""
        known = self.cells.sensitive[column] < len(self.cells.domains[column].values)
        if self.cells.person is None:
            return add_up(self.members[known], self.cells.counts[known], len(self))
        return _distinct_persons(self.members[known], len(self), self.cells.person[known])

    def adopt_histogram(self, column: str, histogram: Histogram) -> None:
        """Take over the histogram of a column that was counted elsewhere already."""
        self._counted["class", column] = histogram

    def reference(self, *columns: str) -> Histogram:
        """Count the values in the whole table, as one class; once, then kept."""
        return self._cached_histogram(
            ("table", *columns), np.zeros(len(self.members), dtype=np.uint8), min(1, len(self))
        )

    def texts(self, column: int) -> npt.NDArray[np.object_]:
        """Give what each class is called in a quasi-identifier, by its number; ``None`` for a missing value."""
        return self.names(column)[self.codes[column]]

    def names(self, column: int) -> npt.NDArray[np.object_]:
        """Give the text of every code of a quasi-identifier."""
        if self.labels is not None:
            return self.labels[column]
        if self.standing is not None:
            return self.standing.texts(column)
        msg = "These classes do not know what they are called."
        raise ParameterError(msg, hint="take them from a census or from published labels.")

    def with_domains(self, own: Mapping[str, Domain]) -> Classes:
        """Give the same classes with the codes of other domains, which have all the values that occur."""
        cells = self.cells
        sensitive = {name: cells.domains[name].codes_in(domain)[cells.sensitive[name]] for name, domain in own.items()}
        return replace(self, cells=replace(cells, sensitive=sensitive, domains=own))

    def merge(self, region: Ints, regions: int) -> Classes:
        """Put classes together into regions, given the region of every class; none of them is empty."""
        members = region[self.members] if len(self) else self.members
        first = np.zeros(regions, dtype=np.intp)
        first[members[::-1]] = np.arange(len(members))[::-1]
        return Classes.of(Grouping(members, first), (), self.cells)

    def part(self, wanted: npt.NDArray[np.bool_]) -> Classes:
        """Give the classes that some of the cells are in, with these cells alone."""
        cells, members = self.cells, self.members[wanted]
        within = Cells(
            {name: codes[wanted] for name, codes in cells.sensitive.items()},
            cells.domains,
            None if cells.person is None else cells.person[wanted],
            cells.counts[wanted],
        )
        left = np.zeros(len(self), dtype=bool)
        left[members] = True
        ids = (np.cumsum(left) - 1)[members]
        first = np.zeros(int(left.sum()), dtype=np.intp)
        first[ids[::-1]] = np.arange(len(ids))[::-1]
        codes = tuple(code[left] for code in self.codes)
        return Classes.of(Grouping(ids, first), codes, within, self.labels, self.standing)

    def as_one(self) -> Classes:
        """Give the whole table as one class; none if the table is empty."""
        return self.merge(np.zeros(len(self), dtype=np.uint8), min(1, len(self)))

    def _cached_histogram(self, key: tuple[str, ...], members: Ints, classes: int) -> Histogram:
        if key not in self._counted:
            self._counted[key] = _histogram_of(self.cells, members, classes, key[1:])
        return self._counted[key]


DENSE = 4
"""Values are counted in a table of all that could be, if that has so many entries per cell at most."""


def _histogram_of(cells: Cells, members: Ints, classes: int, columns: tuple[str, ...]) -> Histogram:
    for name in columns:
        if name not in cells.sensitive:
            raise UnknownColumnError.of(name, list(cells.sensitive), given_as="sensitive")
    if cells.person is None and len(columns) == 1 and classes * cells.cardinalities[columns[0]] <= DENSE * len(members):
        return _counted_histogram(cells, members, classes, columns[0])
    keys = [members, *(cells.sensitive[name] for name in columns)]
    entries = group(keys, [classes, *(cells.cardinalities[name] for name in columns)])
    if cells.person is None:
        counts = entries.sums(cells.counts)
    else:
        counts = _distinct_persons(entries.ids, len(entries), cells.person)
    owner, *values = (key[entries.first] for key in keys)
    return _read_only(Histogram(np.searchsorted(owner, np.arange(classes + 1)), owner, tuple(values), counts))


def _counted_histogram(cells: Cells, members: Ints, classes: int, column: str) -> Histogram:
    """Count the values of few classes in a table of all that could be: the same, and quicker than sorting."""
    codes, width = cells.sensitive[column], cells.cardinalities[column]
    keys = members.astype(np.int64) * width + codes
    there = np.flatnonzero(np.bincount(keys, minlength=classes * width))
    owner, values = (there // width).astype(members.dtype), (there % width).astype(codes.dtype)
    counts = add_up(keys, cells.counts, classes * width)[there]
    return _read_only(Histogram(np.searchsorted(owner, np.arange(classes + 1)), owner, (values,), counts))


def _read_only(found: Histogram) -> Histogram:
    for array in (found.starts, found.classes, found.counts, *found.values):
        array.setflags(write=False)
    return found


def _distinct_persons(ids: Ints, groups: int, person: Ints) -> npt.NDArray[np.int64]:
    """Count the persons in each group: one who has several rows there counts once."""
    pairs = group([ids, person], [groups, int(person.max()) + 1 if len(person) else 1])
    return np.bincount(ids[pairs.first], minlength=groups).astype(np.int64)


# The wildcard reading of published labels, for reporting only (N-COMPAT).

Labels = npt.NDArray[np.object_]
Rows = npt.NDArray[np.intp]
Mask = str
"""Which characters of a label are masked: ``...*`` for ``021*``, ``*`` for anything, empty for a plain label."""

_ANYTHING = "*"
_PLAIN = ""


def compatible_sizes(codes: Sequence[Ints], labels: Sequence[Labels], sizes: Ints) -> npt.NDArray[np.int64]:
    """Count for every class the records that are compatible with it, its own included.

    One array per quasi-identifier holds the code of each class, another the label of each code; no two classes have the
    same codes, and missing and empty labels are read as ``*``.
    """
    result = np.zeros(len(sizes), dtype=np.int64)
    columns = [_MaskedColumn(column, texts) for column, texts in zip(codes, labels, strict=True)]
    kinds = _classes_by_masks(columns, len(sizes))
    for (masks, rows), (others, other_rows) in combinations_with_replacement(kinds, 2):
        shared = [_joint_mask(*pair) for pair in zip(masks, others, strict=True)]
        if None in shared:
            continue
        views = [column.masked_codes(mask) for column, mask in zip(columns, shared, strict=True)]
        _add_compatible(result, sizes, views, rows, other_rows)
    return result


class _MaskedColumn:
    """The labels of one quasi-identifier, and how they look behind a mask."""

    def __init__(self, codes: Ints, labels: Labels) -> None:
        self.codes = codes
        self.labels = [label or _ANYTHING for label in labels.tolist()]
        self.masks = [_mask_of(label) for label in self.labels]
        self.masked_codes = lru_cache(maxsize=None)(self._masked_codes)

    def _masked_codes(self, mask: Mask) -> Ints:
        """Give for every class a number that is equal where labels are behind the mask; -1 where it does not fit."""
        if mask == _ANYTHING:
            return np.zeros(len(self.codes), dtype=np.int64)
        numbers: dict[str, int] = {}
        views = [_masked_label(label, mask) for label in self.labels]
        places = [-1 if view is None else numbers.setdefault(view, len(numbers)) for view in views]
        return np.array(places, dtype=np.int64)[self.codes]


def _classes_by_masks(columns: Sequence[_MaskedColumn], classes: int) -> list[tuple[tuple[Mask, ...], Rows]]:
    """Sort classes by the masks of their labels."""
    if not classes:
        return []
    names = [sorted(set(column.masks)) for column in columns]
    numbers = [
        np.array([places.index(mask) for mask in column.masks])[column.codes]
        for column, places in zip(columns, names, strict=True)
    ]
    kinds = group(numbers, list(map(len, names)))
    order = np.argsort(kinds.ids, kind="stable")
    rows = np.split(order, np.cumsum(kinds.sizes())[:-1])
    masks = [tuple(names[at][number[first]] for at, number in enumerate(numbers)) for first in kinds.first]
    return list(zip(masks, rows, strict=True))


def _add_compatible(result: npt.NDArray[np.int64], sizes: Ints, views: Sequence[Ints], left: Rows, right: Rows) -> None:
    """Add to both sides the records of the other side that look the same; once if both are one."""
    same = left is right
    rows = left if same else np.concatenate([left, right])
    rows = rows[np.logical_and.reduce([view[rows] >= 0 for view in views])]
    looks = group([view[rows] for view in views], [int(view.max()) + 1 for view in views])
    if same:
        result[rows] += looks.sums(sizes[rows])[looks.ids]
        return
    is_left = np.isin(rows, left)
    records = [looks.sums(np.where(side, sizes[rows], 0)) for side in (is_left, ~is_left)]
    result[rows] += np.where(is_left, records[1][looks.ids], records[0][looks.ids])


def _mask_of(label: str) -> Mask:
    if "*" not in label:
        return _PLAIN
    return "".join("*" if sign == "*" else "." for sign in label)


def _joint_mask(one: Mask, other: Mask) -> Mask | None:
    """Give what is masked by either; ``None`` if no label fits both."""
    if _ANYTHING in (one, other):
        return _ANYTHING
    if _PLAIN in (one, other):
        return one or other
    if len(one) != len(other):
        return None
    return "".join("*" if "*" in pair else "." for pair in zip(one, other, strict=True))


def _masked_label(label: str, mask: Mask) -> str | None:
    if mask == _PLAIN:
        return label
    if len(label) != len(mask):
        return None
    return "".join("*" if hidden == "*" else sign for sign, hidden in zip(label, mask, strict=True))
