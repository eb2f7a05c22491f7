"""What is attacked: a release or anybody's table, as classes; and how its labels are read."""

from __future__ import annotations

import json
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
    Census,
    CensusRequest,
    Classes,
    DataError,
    Domain,
    FullDomainRecoding,
    Hierarchy,
    IncrowdError,
    LocalRecoding,
    ParameterError,
    Recoding,
    Schema,
    SchemaError,
)
from incrowd.engines import Engine, classes_of
from incrowd.hierarchies import (
    Averaged,
    Classification,
    Flat,
    Mask,
    Postcodes,
    Tree,
    as_they_are,
    asked,
    bound,
    coverage,
    is_from_data,
    members_of,
    some_of,
    unread,
    with_hierarchies,
)
from incrowd.models import Model, promise
from incrowd.release import (
    AS_READ,
    HEADER,
    OWNER,
    Release,
    as_before,
    budget_of,
    census_within_memory,
    certificate_beside,
    certificate_in,
    load_recoding,
    open_original,
    open_release,
    open_released,
    open_with,
    public_schema,
    read_certificate,
    wording_of,
)

Reading = dict[str, Any]
MARKED = 1 << 28
"""Up to so many pairs of label and value, those that occur are marked in a table of all."""


@dataclass(frozen=True, eq=False)
class Target:
    """What is attacked."""

    engine: Engine = field(repr=False)
    schema: Schema
    recoding: Recoding | None = None
    model: Model | None = None
    owned: Schema | None = None
    release: Release | None = field(default=None, repr=False)
    shown: frozenset[str] = frozenset()
    several: bool = False
    read_as: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def census(self) -> Census:
        """What is published, counted."""
        columns = self.engine.columns()
        schema = self.schema
        entity = schema.entity if schema.entity in columns else None
        count = schema.count if schema.count in columns else None
        request = CensusRequest(schema.quasi_names, schema.sensitive_names, entity=entity, count=count)
        return census_within_memory(self.engine, request)

    @property
    def hides_persons(self) -> bool:
        """Whether people may have several rows, and nobody can say whose they are."""
        several = self.several or (self.owned is not None and self.owned.entity is not None)
        return several and self.census.person is None

    @cached_property
    def classes(self) -> Classes:
        """What is published, in classes."""
        return classes_of(self.engine, self.census)

    @cached_property
    def _read(self) -> dict[str, list[npt.NDArray[np.intp]]]:
        """What was found out about labels already, per column."""
        return {}

    @cached_property
    def _readings(self) -> dict[str, dict[str | None, npt.NDArray[np.intp]]]:
        """What labels of a recoding cover, per column and label."""
        return {}

    def readings(self, column: str, names: Sequence[str | None]) -> list[npt.NDArray[np.intp]]:
        """Give for labels of a recoding the codes of its values that they cover; each is read once."""
        recoding = self.recoding
        assert recoding is not None  # noqa: S101 - who has no recoding does not ask
        known = self._readings.setdefault(column, {})
        new = [name for name in names if name not in known]
        known |= zip(new, coverage(new, recoding.domains[column], recoding.ladders[column]), strict=True)
        return [known[name] for name in names]

    @property
    def numbered(self) -> dict[str, tuple[npt.NDArray[np.object_], npt.NDArray[np.int64]]]:
        """Per column the labels of a local recoding, each once, and which one each of its classes has."""
        return self.recoding.named if isinstance(self.recoding, LocalRecoding) else {}

    @cached_property
    def members(self) -> Members:
        """Who is in which class of a local recoding."""
        recoding = self.recoding
        assert isinstance(recoding, LocalRecoding)  # noqa: S101 - who has no other does not ask
        return Members(recoding.classes, recoding.counts, len(recoding.labels[0]))

    @property
    def averaged(self) -> tuple[str, ...]:
        """Columns that are published as averages: their labels cover nothing that could be compared."""
        schema = self.owned or self.schema
        return tuple(name for name, hierarchy in schema.quasi if isinstance(hierarchy, Averaged))

    def original(self, table: Any, reading: Reading) -> tuple[Census, Classes]:
        """Count the original table as the release was made of it, and group it."""
        schema = self.owned or self.schema
        request = CensusRequest(schema.quasi_names, schema.sensitive_names, entity=schema.entity, count=schema.count)
        if self.release is None:
            engine = open_with(table, schema, **as_before(table, reading, self.read_as))
        else:
            engine = open_original(self.release, table, schema, **reading)
        found = census_within_memory(engine, request)
        if found.records < self.census.records:
            msg = "The original has fewer records than the release, so the release was not made of it."
            raise DataError(msg, hint="give the table that the release was made of.")
        expect_original(found, self.recoding, self.census, self.classes)
        return found, classes_of(engine, found)

    def with_persons(self, table: Any, reading: Reading) -> Target:
        """Publish the original again with its persons, who are not in the release: only the owner can."""
        schema = self.owned or self.schema
        if schema.entity is None or self.recoding is None:
            return self
        # All published columns decide which rows of a cell go where.
        columns = dict.fromkeys([*self.engine.columns(), schema.entity, *([schema.count] if schema.count else [])])
        engine = open_with(table, schema, **as_before(table, reading, self.read_as)).recode(
            self.recoding, list(columns)
        )
        found = replace(self, engine=engine, schema=as_published(schema))
        if (found.census.records, len(found.classes)) != (self.census.records, len(self.classes)):
            msg = "The original does not give this release when it is recoded again."
            raise DataError(msg, hint="give the table that the release was made of.")
        return found

    def with_persons_if_its(self, table: Any, reading: Reading) -> Target:
        """Publish a table again with its persons, if the release is of it; others stay as they are."""
        if (self.owned or self.schema).entity is None or self.recoding is None:
            return self
        try:
            self.original(table, reading)
            return self.with_persons(table, reading)
        except (DataError, SchemaError):
            return self

    def reached(self, column: str, domain: Domain) -> list[npt.NDArray[np.intp]]:
        """Give for every label of a quasi-identifier the codes of somebody's values that it covers.

        Values that a release was made of are covered as its recoding says, and others as the hierarchy says, if it
        gives a value the same labels in every table. Of those that it does not know, the labels are read. What is
        published as it was covers itself alone.
        """
        shown = as_they_are(self.census.domains[column], domain) if column in self.shown else None
        if shown is not None:
            return shown
        names, recoding = self.census.labels(column).tolist(), self.recoding
        if recoding is None:
            return asked(self.hierarchy(column), names, domain)
        known, ladder = recoding.domains[column], recoding.ladders[column]
        place = domain.codes_in(known)  # somebody's codes: theirs among the known ones
        own = self._covered(column, known)
        if np.array_equal(place, np.arange(len(known))):
            return own
        back = np.full(len(known), -1, dtype=np.intp)
        back[place[place >= 0]] = np.flatnonzero(place >= 0)
        theirs = [found[found >= 0] for found in (back[codes] for codes in own)]
        strange = np.flatnonzero(place < 0)
        if not len(strange):
            return theirs
        others = asked(self.hierarchy(column), names, some_of(domain, strange), ladder)
        return [np.concatenate([codes, strange[more]]) for codes, more in zip(theirs, others, strict=True)]

    def hierarchy(self, column: str) -> Hierarchy | None:
        """Give what can be asked about any value of a column: a hierarchy that is the same wherever it meets it."""
        recoding = self.recoding
        full = isinstance(recoding, FullDomainRecoding) and not recoding.levels[column]
        if full and recoding is not None and recoding.domains[column].kind == "text":
            return Flat()  # published as they were, though they may look like ranges
        hierarchy = dict((self.owned or self.schema).quasi)[column]
        return None if is_from_data(hierarchy) else hierarchy

    def unread(self, column: str, domain: Domain) -> npt.NDArray[np.bool_]:
        """Say which labels of a quasi-identifier cover only themselves because nobody can tell what they stand for."""
        names = self.census.labels(column).tolist()
        hierarchy = dict((self.owned or self.schema).quasi)[column]
        if self.recoding is not None or column in self.shown or isinstance(hierarchy, Flat):
            return np.zeros(len(names), dtype=bool)
        result = unread(names, domain)
        found = None if self.hierarchy(column) is None else bound(hierarchy, domain)
        if found is not None:
            result &= unread(names, *found)
        if isinstance(hierarchy, Mask):
            result &= np.array([hierarchy.char in str(name) for name in names], dtype=bool)
        if isinstance(hierarchy, (Classification, Postcodes)):
            result &= np.array([not hierarchy.knows(str(name)) for name in names], dtype=bool)
        if isinstance(hierarchy, Tree):
            known = {label for path in hierarchy.paths for label in path}
            result &= np.array([name not in known for name in names], dtype=bool)
        return result

    def _covered(self, column: str, known: Domain) -> list[npt.NDArray[np.intp]]:
        """Give for every label the known values that it covers, or that a local recoding called so; once."""
        if column in self._read:
            return self._read[column]
        names = self.census.labels(column).tolist()
        inside, taken, result = self._members(column), np.zeros(len(known), dtype=bool), []
        for name, own in zip(names, self.readings(column, names), strict=True):
            taken[own] = True
            taken[inside.get(name, own)] = True
            result.append(np.flatnonzero(taken))
            taken[:] = False
        self._read[column] = result
        return result

    def _members(self, column: str) -> dict[str | None, npt.NDArray[np.int64]]:
        """Say whom the labels of a local recoding stand for at least, however they are called."""
        recoding = self.recoding
        if not isinstance(recoding, LocalRecoding) or recoding.floor.get(column):  # its labels are those of the ladder
            return {}
        names, which = self.numbered[column]
        width, codes = len(recoding.domains[column]), recoding.codes[list(recoding.domains).index(column)]
        if len(names) * width > MARKED:
            kept = self.members.kept
            pairs = np.unique(which[kept(self.members.classes)] * width + kept(codes))
            bounds = np.searchsorted(pairs, np.arange(1, len(names)) * width)
            return dict(zip(names.tolist(), np.split(pairs % max(width, 1), bounds), strict=False))
        marks = np.zeros((len(names), width), dtype=bool)
        self.members.mark(codes, which, marks)
        return dict(zip(names.tolist(), map(np.flatnonzero, marks), strict=True))


def as_published(schema: Schema) -> Schema:
    """Read a published table: nothing stands for a missing value there, and all its rows count."""
    return Schema(
        dict(schema.quasi), dict(schema.sensitive), entity=schema.entity, count=schema.count, missing_values=()
    )


# Open what is attacked: a release, a saved one, or anybody's table.


def target_of(table: Any, schema: Schema | None, reading: Reading) -> Target:
    """Open what is attacked."""
    if isinstance(table, Release):
        _refuse(schema)
        return _of_release(table, budget_of(reading))
    if isinstance(table, str | os.PathLike):
        found = certificate_in(Path(table)) or (certificate_beside(Path(table)) if schema is None else None)
        if found is not None:
            _refuse(schema)
            return _of_files(found, budget_of(reading))
        if schema is None and not Path(table).exists():
            msg = f"There is no file {Path(table).name!r}."
            raise DataError(msg, hint="check the path.")
    if schema is None:
        msg = "A table alone does not say which columns are quasi-identifiers."
        raise ParameterError(msg, hint="give its schema, or a release, or the folder of a saved one.")
    return Target(open_with(table, schema, **reading), schema)


def _of_release(release: Release, budget: Mapping[str, Any]) -> Target:
    engine, schema = open_release(release, **budget), release.schema
    read_as = release.recipe.input.get("reading", {})
    return Target(engine, as_published(schema), release.recoding, release.model, schema, release, read_as=read_as)


def _of_files(certificate: Path, budget: Mapping[str, Any]) -> Target:
    """Open a saved release; where the owner's folder lies beside, hierarchies are known too."""
    plain = read_certificate(certificate)
    try:
        data = certificate.parent / Path(plain["data"]["name"]).name
        schema = public_schema(plain["columns"])
        wording = wording_of(plain["data"])
    except (KeyError, TypeError, AttributeError, IndexError):
        msg = "The certificate lacks something that every certificate has."
        raise DataError(msg, hint="incrowd verify says what is wrong with it.") from None
    if not data.exists():
        msg = f"The data file {data.name!r} is not beside the certificate."
        raise DataError(msg)
    owner = certificate.parent.parent / OWNER
    engine = open_released(data, wording, **budget)
    if not (owner / HEADER).is_file():
        names = (*schema.quasi_names, *schema.sensitive_names)
        known = (
            text for domain in engine.domains(names).values() for text in domain.texts.tolist() if text is not None
        )
        is_value = any("" in (members_of(text) or (text,)) for text in known)
        schema = public_schema(plain["columns"], () if is_value else ("",))  # others leave out what is missing
        several = plain.get("counted") == "persons"
        return Target(engine, schema, model=_promised(plain), shown=_shown(plain["columns"]), several=several)
    saved = load_recoding(owner)
    owned = with_hierarchies(saved.schema, saved.hierarchies)
    read_as = _read_as(owner / "input.json")
    return Target(engine, as_published(owned), saved.recoding, saved.model, owned, read_as=read_as)


def _read_as(path: Path) -> dict[str, Any]:
    """Find out how the original file was read, where the owner's files say it."""
    try:
        said = dict(json.loads(path.read_bytes())["reading"])
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return {name: said[name] for name in AS_READ if name in said}


def _promised(certificate: Mapping[str, Any]) -> Model | None:
    """Read the promise of a certificate; nothing where there is none that can be read, which is the safe side."""
    try:
        return promise(certificate["promise"])
    except (KeyError, TypeError, AttributeError, IncrowdError):
        return None


def _shown(columns: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """Find the columns that a certificate says were not made vaguer."""
    return frozenset(column["name"] for column in columns if column.get("level") == 0)


def _refuse(schema: Mapping[str, Any] | Schema | None) -> None:
    if schema is not None:
        msg = "A release brings its own schema."
        raise ParameterError(msg, hint="leave schema out, or give the released table with it.")
