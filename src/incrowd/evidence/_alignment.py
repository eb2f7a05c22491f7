"""A release beside its table, record by record and column by column, with the labels and losses of its classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import (
    TOP,
    Census,
    CensusRequest,
    DataError,
    Domain,
    FullDomainRecoding,
    Labelling,
    LocalRecoding,
    Namer,
    Recoding,
    Schema,
    add_up,
    group,
    overlay,
)
from incrowd.evidence._subject import Subject
from incrowd.hierarchies import Averaged, auto
from incrowd.measures import Axis, Cover, Joint, Spread, ValueGroups, comparison_groups, line_positions
from incrowd.release import Release, census_within_memory, open_original

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
Ints = npt.NDArray[np.integer]
Texts = npt.NDArray[np.object_]


@dataclass(frozen=True, slots=True, eq=False)
class ClassLabels:
    """The classes of a release."""

    labels: tuple[Labelling, ...] = field(repr=False)
    sizes: Counts
    left_out: Counts

    @property
    def squares(self) -> float:
        """The squares of all class sizes, those that are left out included: DM*, which knows no penalty."""
        both = np.concatenate([self.sizes, self.left_out]).astype(np.float64)
        return float((both * both).sum())


def class_labels(release: Release, census: Census) -> ClassLabels:
    """Find out what the classes of a release are called."""
    names = [Namer(census, column) for column in range(len(census.quasi))]
    if isinstance(release.recoding, LocalRecoding):
        return _local_class_labels(release, release.recoding, names)
    return _labels_by_levels(release.recoding, census, names)


def _labels_by_levels(recoding: FullDomainRecoding, census: Census, names: list[Namer]) -> ClassLabels:
    levels = list(recoding.levels.values())
    raised = [namer.group_of(level)[codes] for namer, level, codes in zip(names, levels, census.codes, strict=False)]
    numbers = [len(namer.ladder.labels[level]) for namer, level in zip(names, levels, strict=True)]
    classes = group(raised, numbers)
    records, codes = classes.sums(census.counts), [column[classes.first] for column in raised]
    gone = recoding.is_suppressed(codes)
    labels = [
        namer.by_group(np.full(int((~gone).sum()), level), column[~gone])
        for namer, level, column in zip(names, levels, codes, strict=True)
    ]
    return ClassLabels(tuple(labels), records[~gone], records[gone])


def _local_class_labels(release: Release, recoding: LocalRecoding, names: list[Namer]) -> ClassLabels:
    hierarchies = dict(release.schema.quasi)
    columns = [
        _RecodedColumn(namer, *recoding.distinct_labels[name], averaged=isinstance(hierarchies[name], Averaged))
        for name, namer in zip(recoding.quasi, names, strict=True)
    ]
    number = len(recoding.labels[0])
    wanted = np.zeros(number + 1, dtype=bool)  # the last is of those that have no class
    for column in columns:
        wanted[column.ranged] = True
    cells = np.flatnonzero(wanted[recoding.classes])
    members, codes = recoding.classes[cells], dict(zip(recoding.domains, recoding.codes, strict=True))
    labels = tuple(
        column.labelling(codes[name][cells], members) for name, column in zip(recoding.quasi, columns, strict=True)
    )
    records = add_up(recoding.classes.astype(np.int64) + 1, recoding.counts, number + 1)
    gone, sizes = records[:1], records[1:]
    return ClassLabels(labels, sizes, gone[gone > 0])


class _RecodedColumn:
    """What classes gave up in one column: by their group of the ladder, or by the range or set of their members.

    Classes that are called alike gave up the same, except by averages. So one of each name is looked at.
    """

    def __init__(self, namer: Namer, names: Texts, which: Counts, *, averaged: bool) -> None:
        self._namer, self._names, self._which, self._averaged = namer, names, which, averaged
        first = np.arange(len(which))
        if not averaged:
            first = np.empty(len(names), dtype=np.int64)
            first[which[::-1]] = np.arange(len(which))[::-1]
        places = {
            text: (level, group)
            for level in range(namer.height, -1, -1)
            for group, text in enumerate(namer.ladder.labels[level].tolist())
        }
        found = [(-1, -1) if averaged else places.get(text, (-1, -1)) for text in names[which[first]].tolist()]
        self._levels, self._groups = (np.array(part, dtype=np.int64) for part in zip(*found, strict=True))
        self.ranged: Counts = first[self._levels < 0]

    def labelling(self, codes: Ints, members: Ints) -> Labelling:
        """Say what each class gave up."""
        grouped = self._namer.by_group(np.maximum(self._levels, 0), np.maximum(self._groups, 0))
        place = np.full(len(self._which), -1, dtype=np.int64)
        place[self.ranged] = np.arange(len(self.ranged))
        inside = place[members]
        ranged = self._namer.by_set(codes[inside >= 0], inside[inside >= 0], len(self.ranged))
        lost, climbed, covered = grouped.lost.copy(), grouped.climbed.copy(), grouped.covered.copy()
        others = self._levels < 0
        lost[others], climbed[others], covered[others] = ranged.lost, ranged.climbed, ranged.covered
        alike = np.arange(len(self._which)) if self._averaged else self._which
        return Labelling(self._names, self._which, lost[alike], climbed[alike], covered[alike])


# Original records beside what is published of them.


@dataclass(frozen=True, slots=True, eq=False)
class PublishedRecords:
    """Records, and what is published of them; many that are alike at once."""

    values: tuple[Ints, ...] = field(repr=False)
    target: Ints = field(repr=False)
    labels: tuple[Ints, ...] = field(repr=False)
    names: tuple[Texts, ...] = field(repr=False)
    published: Bools = field(repr=False)
    counts: Counts = field(repr=False)


def published_records(recoding: Recoding, census: Census, target: str) -> PublishedRecords:
    """Put the records of a table beside what a recoding publishes of them."""
    if isinstance(recoding, FullDomainRecoding):
        return _records_by_levels(recoding, census, target)
    return _records_locally(recoding, census, target)


def _codes_of(census: Census, target: str) -> Ints:
    return census.codes[len(census.quasi) + census.sensitive.index(target)]


def _records_by_levels(recoding: FullDomainRecoding, census: Census, target: str) -> PublishedRecords:
    values = census.codes[: len(census.quasi)]
    steps = zip(census.quasi, values, strict=True)
    labels = tuple(census.ladders[name].parent_groups(0, recoding.levels[name])[codes] for name, codes in steps)
    names = tuple(census.ladders[name].labels[recoding.levels[name]] for name in census.quasi)
    published = ~recoding.is_suppressed(labels)
    return PublishedRecords(values, _codes_of(census, target), labels, names, published, census.counts.astype(np.int64))


def _records_locally(recoding: LocalRecoding, census: Census, target: str) -> PublishedRecords:
    """Give the records of a cell to its classes, in the order of the target where the recoding does not know it.

    An engine ranks records by all published columns. Where others than the target are published too, single records of
    a cell that is split may have gone elsewhere; how many of the cell went where is as it was.
    """
    known = dict(zip((*census.quasi, *census.sensitive), census.codes, strict=True))
    if census.person is not None:
        known[next(name for name in census.domains if name not in known)] = census.person
    shared = [name for name in recoding.domains if name in known]
    taken = dict(zip(recoding.domains, recoding.codes, strict=True))
    both = [np.concatenate((recoding.cell_codes(name, known[name]), taken[name])) for name in shared]
    sizes = dict(zip(recoding.domains, recoding.cardinalities, strict=True))
    ids = group(both, [sizes[name] for name in shared]).ids
    cells = np.lexsort((_codes_of(census, target), ids[: len(census)]))
    pieces = np.lexsort((recoding.classes, recoding.classes < 0, ids[len(census) :]))
    cell, piece, counts = overlay(census.counts[cells], recoding.counts[pieces])
    cell, classes = cells[cell], recoding.classes[pieces[piece]]
    names, labels = zip(*recoding.distinct_labels.values(), strict=True)
    return PublishedRecords(
        values=tuple(codes[cell] for codes in census.codes[: len(census.quasi)]),
        target=_codes_of(census, target)[cell],
        labels=tuple(codes[np.maximum(classes, 0)] for codes in labels),
        names=names,
        published=classes >= 0,
        counts=counts,
    )


# A release and its table side by side, in a form in which both can be compared.


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One of two tables that are compared."""

    codes: Mapping[str, Ints] = field(repr=False)
    counts: Ints = field(repr=False)
    covers: Mapping[str, Cover | Spread] = field(repr=False)
    tallies: Mapping[str, Counts] = field(repr=False)
    stars: Mapping[str, Bools] = field(repr=False)

    @classmethod
    def of(cls, census: Census, covers: Mapping[str, Cover | Spread], known: Mapping[str, Domain]) -> Side:
        """Take a table whose codes stand for values as covers say, and count every column.

        A text ``*`` that is no value of the original table, whose values are ``known``, is a star.
        """
        codes = dict(zip((*census.quasi, *census.sensitive), census.codes, strict=True))
        tallies = dict(zip(census.quasi, census.marginals, strict=True))
        for name in census.sensitive:
            tallies[name] = add_up(codes[name], census.counts, len(covers[name]))
        stars = {name: (census.domains[name].texts == TOP) & (TOP not in known[name].texts) for name in codes}
        return cls(codes, census.counts, covers, tallies, stars)

    def without_stars(self, columns: Iterable[str]) -> Side:
        """Count no record that has a star in one of some columns; the same table where none has."""
        starred = np.any([np.zeros(len(self.counts), bool), *(self.stars[n][self.codes[n]] for n in columns)], axis=0)
        if not starred.any():
            return self
        counts = np.where(starred, 0, self.counts)
        tallies = {name: add_up(codes, counts, len(self.covers[name])) for name, codes in self.codes.items()}
        return replace(self, counts=counts, tallies=tallies)

    @property
    def records(self) -> int:
        """How many records the table has."""
        return int(self.counts.sum(dtype=np.int64))

    def shares(self, column: str, groups: ValueGroups) -> Floats:
        """Give which share of all records is in each group of a column."""
        return np.asarray(self.tallies[column] @ self.on_groups(column, groups) / max(self.records, 1))

    def on_groups(self, column: str, groups: ValueGroups) -> Floats:
        """Give which share of each code of a column is in each group."""
        return self.covers[column].on_groups(groups)

    def joint(self, one: str, other: str) -> Joint:
        """Count how often the codes of two columns occur together."""
        sizes = len(self.covers[one]), len(self.covers[other])
        return Joint.of(self.codes[one], self.codes[other], self.counts, sizes)


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """A table before and after."""

    census: Census
    before: Side
    after: Side
    places: Mapping[str, Counts] = field(repr=False)
    groups: Mapping[str, ValueGroups] = field(repr=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """Quasi-identifiers, then sensitive columns."""
        return tuple(self.groups)


def beside_original(subject: Subject, census: Census) -> Compared:
    """Put a release beside its table."""
    names = (*census.quasi, *census.sensitive)
    request = CensusRequest(census.quasi, census.sensitive, count=subject.schema.count)
    published = census_within_memory(subject.engine, request)
    places = {name: line_positions(census.domains[name], census.ladders.get(name)) for name in names}
    values = {name: Cover.of_values(place, np.arange(len(place))) for name, place in places.items()}
    labels = {name: _cover(subject, census, published.domains[name], places[name]) for name in names}
    before, after = Side.of(census, values, census.domains), Side.of(published, labels, census.domains)
    groups = {
        name: comparison_groups(census.domains[name], before.tallies[name], census.ladders.get(name)) for name in names
    }
    return Compared(census, before, after, places, groups)


def read_labels(census: Census, name: str, texts: Sequence[str | None]) -> Cover | Spread:
    """Say what published labels stand for, to somebody who has no more than these and the hierarchy."""
    domain, ladder = census.domains[name], census.ladders[name]
    axis = Axis.of(domain)
    if axis is not None:
        return Spread.of_labels(axis, texts, domain, ladder)
    return Cover.of_labels(line_positions(domain, ladder), texts, domain, ladder)


def _cover(subject: Subject, census: Census, published: Domain, place: Counts) -> Cover | Spread:
    """Say which values of the original column the published ones stand for."""
    name, recoding = published.column, subject.recoding
    if name in census.quasi and (recoding is None or name not in recoding.unchanged):
        return read_labels(census, name, published.texts.tolist())
    codes = published.codes_in(census.domains[name])
    if (codes < 0).any():
        msg = f"Column {name!r} of the release has values that the table does not have."
        raise DataError(msg, hint="give the table that the release was made from.")
    return Cover.of_values(place, codes)


# The very table that a release was made from, for numbers that compare with it.


def original_census(release: Release, original: Any, sensitive: tuple[str, ...], **reading: Any) -> Census:
    """Count the table that a release was made from, with the ladders of the release where it has them."""
    schema = release.schema
    engine = open_original(release, original, schema, **reading)
    domains = engine.domains(schema.quasi_names)
    if any(domain != release.recoding.domains[name] for name, domain in domains.items()):
        raise _other_table()
    known = getattr(release.recoding, "ladders", None)
    ladders = dict(known) if known else Schema(dict(schema.quasi)).bind(domains, default=auto()).ladders
    request = CensusRequest(schema.quasi_names, sensitive, ladders, entity=schema.entity, count=schema.count)
    census = census_within_memory(engine, request)
    if census.records != release.recipe.records:
        raise _other_table()
    return census


def _other_table() -> DataError:
    msg = "This is not the table that the release was made from."
    return DataError(msg, hint="give the very table, with nothing added or removed.")
