"""A release and its table side by side, in a form in which both can be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from incrowd.core import Census, CensusRequest, DataError, Domain, FullDomainRecoding, add_up
from incrowd.evidence._subject import Subject
from incrowd.measures import Axis, Cover, Groups, Joint, Spread, comparison_groups, in_line
from incrowd.release import census_within_memory

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One of two tables that are compared."""

    codes: Mapping[str, Ints] = field(repr=False)
    counts: Ints = field(repr=False)
    covers: Mapping[str, Cover | Spread] = field(repr=False)
    tallies: Mapping[str, Counts] = field(repr=False)

    @classmethod
    def of(cls, census: Census, covers: Mapping[str, Cover | Spread]) -> Side:
        """Take a table whose codes stand for values as covers say, and count every column."""
        codes = dict(zip((*census.quasi, *census.sensitive), census.codes, strict=True))
        tallies = dict(zip(census.quasi, census.marginals, strict=True))
        for name in census.sensitive:
            tallies[name] = add_up(codes[name], census.counts, len(covers[name]))
        return cls(codes, census.counts, covers, tallies)

    @property
    def records(self) -> int:
        """How many records the table has."""
        return int(self.counts.sum(dtype=np.int64))

    def shares(self, column: str, groups: Groups) -> Floats:
        """Give which share of all records is in each group of a column."""
        return np.asarray(self.tallies[column] @ self.on_groups(column, groups) / max(self.records, 1))

    def on_groups(self, column: str, groups: Groups) -> Floats:
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
    groups: Mapping[str, Groups] = field(repr=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """Quasi-identifiers, then sensitive columns."""
        return tuple(self.groups)


def compared(subject: Subject, census: Census) -> Compared:
    """Put a release beside its table."""
    names = (*census.quasi, *census.sensitive)
    request = CensusRequest(census.quasi, census.sensitive, count=subject.schema.count)
    published = census_within_memory(subject.engine, request)
    places = {name: in_line(census.domains[name], census.ladders.get(name)) for name in names}
    before = Side.of(census, {name: Cover.of_values(place, np.arange(len(place))) for name, place in places.items()})
    after = Side.of(published, {name: _cover(subject, census, published.domains[name], places[name]) for name in names})
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
    return Cover.of_labels(in_line(domain, ladder), texts, domain, ladder)


def _cover(subject: Subject, census: Census, published: Domain, place: Counts) -> Cover | Spread:
    """Say which values of the original column the published ones stand for."""
    name, recoding = published.column, subject.recoding
    levels = recoding.levels if isinstance(recoding, FullDomainRecoding) and not recoding.masks else {}
    if name in census.quasi and levels.get(name, 1) > 0:
        return read_labels(census, name, published.texts.tolist())
    codes = published.codes_in(census.domains[name])
    if (codes < 0).any():
        msg = f"Column {name!r} of the release has values that the table does not have."
        raise DataError(msg, hint="give the table that the release was made from.")
    return Cover.of_values(place, codes)
