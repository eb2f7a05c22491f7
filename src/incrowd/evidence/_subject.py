"""``Subject``: what a question is asked about (release, saved release, table), opened once; values its labels cover."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.attacks import Members, expect_original
from incrowd.core import (
    TOP,
    Census,
    CensusRequest,
    Classes,
    DataError,
    Domain,
    FullDomainRecoding,
    Hierarchy,
    Hint,
    IncrowdError,
    Ladder,
    LocalRecoding,
    ParameterError,
    Recoding,
    Schema,
    SchemaError,
    Setting,
    json_in,
)
from incrowd.engines import Engine, Remembered
from incrowd.hierarchies import (
    Averaged,
    Classification,
    Flat,
    Mask,
    Postcodes,
    Tree,
    bind_known_values,
    coverage,
    coverage_as_values,
    coverage_by_hierarchy,
    is_from_data,
    members_of,
    part_of_domain,
    unreadable,
    with_hierarchies,
)
from incrowd.models import Model, promise
from incrowd.release import (
    AS_READ,
    HEADER,
    OWNER,
    Release,
    budget_of,
    census_within_memory,
    certificate_beside,
    certificate_in,
    load_recoding,
    open_certified,
    open_original,
    open_release,
    open_with_schema,
    public_schema,
    read_certificate,
    reading_as_before,
)

Codes = npt.NDArray[np.intp]
MARKED = 1 << 28
"""Up to so many pairs of label and value, those that occur are marked in a table of all."""


@dataclass(frozen=True, eq=False)
class Subject:
    """What is published, and as far as it is known how it was made, of which table, and what it promises."""

    engine: Engine = field(repr=False)
    schema: Schema  # the roles of what is published
    recoding: Recoding | None = None
    model: Model | None = None
    owned: Schema | None = None  # the roles of the original table
    release: Release | None = field(default=None, repr=False)
    unchanged: frozenset[str] = frozenset()  # columns that a certificate says were not made vaguer
    counts_persons: bool = False  # as a certificate says
    read_as: Mapping[str, Any] = field(default_factory=dict)  # how the original file was read
    beside: tuple[str, ...] = ()  # columns that are counted besides the sensitive ones

    @property
    def roles(self) -> Schema:
        """The roles of the original table, where they are known; else of what is published."""
        return self.owned or self.schema

    @property
    def has_several_rows(self) -> bool:
        """Whether it is a release of people who may have several rows."""
        return self.counts_persons or (self.owned is not None and self.owned.entity is not None)

    @classmethod
    def of(cls, table: Any, schema: Schema | None, reading: Mapping[str, Any]) -> Subject:
        """Open what a question is asked about: a release, a saved one, or anybody's table."""
        budget = budget_of(reading)
        if isinstance(table, Release):
            _refuse_schema(schema)
            engine, owned = open_release(table, **budget), table.schema
            read_as = table.recipe.input.get("reading", {})
            return cls(engine, published_schema(owned), table.recoding, table.model, owned, table, read_as=read_as)
        if isinstance(table, str | os.PathLike):
            found = certificate_in(Path(table)) or (certificate_beside(Path(table)) if schema is None else None)
            if found is not None:
                _refuse_schema(schema)
                return _saved_subject(found, budget)
            if schema is None and not Path(table).exists():
                msg = f"There is no file {Path(table).name!r}."
                raise DataError(msg, hint="check the path.")
        if schema is None:
            msg = "A table alone does not say which columns are quasi-identifiers."
            words = "give its schema, or a release, or the folder of a saved one"
            raise ParameterError(msg, hint=Hint("{}.", Setting("schema", words=words)))
        return cls(open_with_schema(table, schema, **reading), schema)

    @property
    def names_persons(self) -> bool:
        """Whether what is published says whose row is whose, as by a pseudonym."""
        return self.census.person is not None

    @property
    def hides_persons(self) -> bool:
        """Whether people may have several rows, and nobody can say whose they are."""
        return self.has_several_rows and self.census.person is None

    @cached_property
    def census(self) -> Census:
        """What is published, counted."""
        return self.count()

    def count(self, ladders: Mapping[str, Ladder] | None = None) -> Census:
        """Count what is published, with hierarchies above it."""
        columns, schema = self.engine.columns(), self.schema
        entity = schema.entity if schema.entity in columns else None
        count = schema.count if schema.count in columns else None
        sensitive = (*schema.sensitive_names, *self.beside)
        request = CensusRequest(schema.quasi_names, sensitive, ladders or {}, entity=entity, count=count)
        return census_within_memory(self.engine, request)

    @cached_property
    def classes(self) -> Classes:
        """What is published, in classes."""
        return _classes_of_census(self.engine, self.census)

    @cached_property
    def members(self) -> Members:
        """Who is in which class of a local recoding."""
        recoding = self.recoding
        assert isinstance(recoding, LocalRecoding)  # noqa: S101 - who has no other does not ask
        return Members(recoding.classes, recoding.counts, len(recoding.labels[0]))

    @property
    def averaged(self) -> tuple[str, ...]:
        """Columns that are published as averages: their labels cover nothing that could be compared."""
        return tuple(name for name, hierarchy in self.roles.quasi if isinstance(hierarchy, Averaged))

    def open_original(self, table: Any, reading: Mapping[str, Any]) -> Engine:
        """Open the table that it was made of, as it was read then."""
        if self.release is None:
            return open_with_schema(table, self.roles, **reading_as_before(table, reading, self.read_as))
        return open_original(self.release, table, self.roles, **reading)

    def original(self, table: Any, reading: Mapping[str, Any]) -> tuple[Census, Classes]:
        """Count the original table as the release was made of it, and group it."""
        schema, engine = self.roles, self.open_original(table, reading)
        request = CensusRequest(schema.quasi_names, schema.sensitive_names, entity=schema.entity, count=schema.count)
        found = census_within_memory(engine, request)
        if found.records < self.census.records:
            msg = "The original has fewer records than the release, so the release was not made of it."
            raise DataError(msg, hint="give the table that the release was made of.")
        expect_original(found, self.recoding, self.census, self.classes)
        return found, _classes_of_census(engine, found)

    def with_persons(self, table: Any, reading: Mapping[str, Any]) -> Subject:
        """Publish the original again with its persons, who are not in the release: only the owner can."""
        schema = self.roles
        if schema.entity is None or self.recoding is None:
            return self
        # All published columns decide which rows of a cell go where.
        columns = dict.fromkeys([*self.engine.columns(), schema.entity, *([schema.count] if schema.count else [])])
        engine = self.open_original(table, reading).recode(self.recoding, list(columns))
        found = replace(self, engine=engine, schema=published_schema(schema))
        if (found.census.records, len(found.classes)) != (self.census.records, len(self.classes)):
            msg = "The original does not give this release when it is recoded again."
            raise DataError(msg, hint="give the table that the release was made of.")
        return found

    def with_persons_if_its(self, table: Any, reading: Mapping[str, Any]) -> Subject:
        """Publish a table again with its persons, if the release is of it; others stay as they are."""
        if self.roles.entity is None or self.recoding is None:
            return self
        try:
            self.original(table, reading)
            return self.with_persons(table, reading)
        except (DataError, SchemaError):
            return self

    # What labels stand for.

    def covered(self, column: str, domain: Domain) -> list[Codes]:
        """Give for every label of a quasi-identifier the codes of somebody's values that it covers.

        Values that a release was made of are covered as its recoding says, and others as the hierarchy says, if it
        gives a value the same labels in every table. Of those that it does not know, the labels are read. What is
        published as it was covers itself alone.
        """
        itself = coverage_as_values(self.census.domains[column], domain) if column in self.unchanged else None
        if itself is not None:
            return itself
        names, recoding = self.census.labels(column).tolist(), self.recoding
        if recoding is None:
            return coverage_by_hierarchy(self.hierarchy(column), names, domain)
        known = recoding.domains[column]
        place = domain.codes_in(known)  # somebody's codes: theirs among the known ones
        own = self._known_values_covered(column)
        if np.array_equal(place, np.arange(len(known))):
            return own
        back = np.full(len(known), -1, dtype=np.intp)
        back[place[place >= 0]] = np.flatnonzero(place >= 0)
        theirs = [found[found >= 0] for found in (back[codes] for codes in own)]
        strange = np.flatnonzero(place < 0)
        if not len(strange):
            return theirs
        others = coverage_by_hierarchy(
            self.hierarchy(column), names, part_of_domain(domain, strange), recoding.ladders[column]
        )
        return [np.concatenate([codes, strange[more]]) for codes, more in zip(theirs, others, strict=True)]

    def hierarchy(self, column: str) -> Hierarchy | None:
        """Give what can be asked about any value of a column: a hierarchy that is the same wherever it meets it."""
        recoding = self.recoding
        domain = recoding.domains[column] if recoding is not None and column in recoding.unchanged else None
        if domain is not None and domain.kind == "text":
            return Flat()  # published as they were, though they may look like ranges
        hierarchy = dict(self.roles.quasi)[column]
        return None if is_from_data(hierarchy) else hierarchy

    def unread(self, column: str, domain: Domain) -> npt.NDArray[np.bool_]:
        """Say which labels of a quasi-identifier cover only themselves because nobody can tell what they stand for."""
        names = self.census.labels(column).tolist()
        hierarchy = dict(self.roles.quasi)[column]
        if self.recoding is not None or column in self.unchanged or isinstance(hierarchy, Flat):
            return np.zeros(len(names), dtype=bool)
        result = unreadable(names, domain)
        found = None if self.hierarchy(column) is None else bind_known_values(hierarchy, domain)
        if found is not None:
            result &= unreadable(names, *found)
        if isinstance(hierarchy, Mask):
            result &= np.array([hierarchy.char in str(name) for name in names], dtype=bool)
        if isinstance(hierarchy, (Classification, Postcodes)):
            result &= np.array([not hierarchy.knows(str(name)) for name in names], dtype=bool)
        if isinstance(hierarchy, Tree):
            known = {label for path in hierarchy.paths for label in path}
            result &= np.array([name not in known for name in names], dtype=bool)
        return result

    @cached_property
    def _found(self) -> dict[str, list[Codes]]:
        return {}

    @cached_property
    def _read(self) -> dict[str, dict[str | None, Codes]]:
        return {}

    def covered_by(self, recoding: Recoding, column: str, names: Sequence[str | None]) -> list[Codes]:
        """Give for labels of its recoding the codes of the values that they cover; each is read once."""
        known = self._read.setdefault(column, {})
        new = [name for name in names if name not in known]
        known |= zip(new, coverage(new, recoding.domains[column], recoding.ladders[column]), strict=True)
        return [known[name] for name in names]

    def _known_values_covered(self, column: str) -> list[Codes]:
        """Give for every label the known values that it covers, or that a local recoding called so; once."""
        if column not in self._found:
            names = self.census.labels(column).tolist()
            if isinstance(self.recoding, FullDomainRecoding):
                self._found[column] = self._values_of_labels(self.recoding, column, names)
            elif self.recoding is not None:
                self._found[column] = self._covered_locally(self.recoding, column, names)
        return self._found[column]

    def _covered_locally(self, recoding: LocalRecoding, column: str, names: Sequence[str | None]) -> list[Codes]:
        inside, found = self._members(recoding, column), list[Codes]()
        taken = np.zeros(len(recoding.domains[column]), dtype=bool)
        for name, own in zip(names, self.covered_by(recoding, column, names), strict=True):
            taken[own] = True
            taken[inside.get(name, own)] = True
            found.append(np.flatnonzero(taken))
            taken[:] = False
        return found

    def _values_of_labels(self, recoding: FullDomainRecoding, column: str, names: Sequence[str | None]) -> list[Codes]:
        """Raise the values that a recoding knows to the level of their column."""
        number = {text: code for code, text in enumerate(names)}
        ladder, level = recoding.ladders[column], recoding.levels[column]
        texts = ladder.labels[level].tolist()
        if level or recoding.has_masked:
            to = np.array([number.get(text, -1) for text in texts], dtype=np.intp)
        else:  # published as they were, whatever their type
            to = recoding.domains[column].codes_in(self.census.domains[column])
        labels = to[ladder.groups[level]]
        order = np.argsort(labels, kind="stable")
        found = np.split(order, np.searchsorted(labels[order], np.arange(len(names))))[1:]
        if recoding.has_masked and TOP in number and TOP not in texts:
            found[number[TOP]] = np.arange(len(labels))
        return found

    def _members(self, recoding: LocalRecoding, column: str) -> dict[str | None, npt.NDArray[np.int64]]:
        """Say whom the labels of a local recoding stand for at least, however they are called."""
        if recoding.floor.get(column):  # its labels are those of the ladder
            return {}
        names, which = recoding.distinct_labels[column]
        width, codes = len(recoding.domains[column]), recoding.codes[list(recoding.domains).index(column)]
        if len(names) * width > MARKED:
            kept = self.members.within
            pairs = np.unique(which[kept(self.members.classes)] * width + kept(codes))
            bounds = np.searchsorted(pairs, np.arange(1, len(names)) * width)
            return dict(zip(names.tolist(), np.split(pairs % max(width, 1), bounds), strict=False))
        marks = np.zeros((len(names), width), dtype=bool)
        self.members.mark(codes, which, marks)
        return dict(zip(names.tolist(), map(np.flatnonzero, marks), strict=True))


def _classes_of_census(engine: Engine, census: Census) -> Classes:
    """Group a census of a table into its classes; once, where the table remembers."""
    return engine.grouped(census) if isinstance(engine, Remembered) else census.classes()


def published_schema(schema: Schema) -> Schema:
    """Read a published table: nothing stands for a missing value there, and all its rows count."""
    return Schema(
        dict(schema.quasi), dict(schema.sensitive), entity=schema.entity, count=schema.count, missing_values=()
    )


# Open it. The memory and the temporary place are those of the opened table.


def _saved_subject(certificate: Path, budget: Mapping[str, Any]) -> Subject:
    """Open a saved release; where the owner's folder lies beside, hierarchies are known too."""
    plain = read_certificate(certificate)
    schema = public_schema(plain["columns"])
    owner, engine = certificate.parent.parent / OWNER, Remembered(open_certified(plain, certificate.parent, **budget))
    persons = plain["counted"] == "persons"
    if (owner / HEADER).is_file():
        saved, read_as = load_recoding(owner), _read_as(owner / "input.json")
        owned = with_hierarchies(saved.schema, saved.hierarchies)
        found = Subject(engine, published_schema(owned), saved.recoding, saved.model, owned)
        return replace(found, counts_persons=persons, read_as=read_as)
    names = (*schema.quasi_names, *schema.sensitive_names)
    known = (text for domain in engine.domains(names).values() for text in domain.texts.tolist() if text is not None)
    is_value = any("" in (members_of(text) or (text,)) for text in known)
    schema = public_schema(plain["columns"], () if is_value else ("",))  # others leave out what is missing
    unchanged = frozenset(column["name"] for column in plain["columns"] if column["level"] == 0)
    return Subject(engine, schema, model=_certified_promise(plain), unchanged=unchanged, counts_persons=persons)


def _read_as(path: Path) -> dict[str, Any]:
    """Find out how the original file was read, where the owner's files say it."""
    try:
        said = dict(json_in(path)["reading"])
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return {name: said[name] for name in AS_READ if name in said}


def _certified_promise(certificate: Mapping[str, Any]) -> Model | None:
    """Read the promise of a certificate; nothing where it cannot be read, which is the safe side."""
    try:
        return promise(certificate["promise"])
    except IncrowdError:
        return None


def _refuse_schema(schema: Schema | None) -> None:
    if schema is not None:
        msg = "A release brings its own schema."
        words = "leave schema out, or give the released table with it"
        raise ParameterError(msg, hint=Hint("{}.", Setting("schema", None, words)))
