"""The classes of a table or a release whose risk is measured."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import (
    Census,
    CensusRequest,
    Classes,
    DataError,
    Domain,
    ParameterError,
    Recoding,
    Schema,
    SchemaError,
    UnknownColumnError,
)
from incrowd.engines import Engine, Remembered, classes_of
from incrowd.evidence._subject import Target, target_of
from incrowd.hierarchies import auto
from incrowd.release import (
    Release,
    budget_of,
    census_within_memory,
    certificate_beside,
    certificate_in,
    open_original,
    open_release,
    open_with,
    read_certificate,
)

# A saved release whose risk is measured: what lies in its folder.


@dataclass(frozen=True, slots=True, eq=False)
class Saved:
    """A saved release."""

    target: Target
    several: bool

    @property
    def engine(self) -> Engine:
        """The published table."""
        return self.target.engine

    @property
    def schema(self) -> Schema:
        """The roles of its columns: the owner's, or else those of the certificate."""
        return self.target.owned or self.target.schema

    @property
    def meanings(self) -> dict[str, Any]:
        """Per sensitive column what is known about its values."""
        return dict(self.target.schema.sensitive)

    def with_persons(self, original: Any, reading: dict[str, Any]) -> Saved:
        """Put the persons beside the published table, if there are any; only the original knows them."""
        if not self.several:
            return self
        if original is None:
            raise no_persons()
        if self.target.owned is None:
            msg = "People have several rows here, and only the folder owner says how the release was made of theirs."
            raise ParameterError(msg, hint="put it beside the folder public again.")
        return Saved(self.target.with_persons(original, reading), several=True)


def saved_release(path: Any, reading: dict[str, Any]) -> Saved | None:
    """Open a saved release; nothing if this is neither its folder nor its certificate, nor its data file."""
    named = Path(path) if isinstance(path, (str, os.PathLike)) else None
    found = None if named is None else certificate_in(named) or certificate_beside(named)
    if found is None:
        return None
    target = target_of(found, None, reading)
    several = read_certificate(found).get("counted") == "persons"
    return Saved(replace(target, engine=Remembered(target.engine)), several=several)


def no_persons() -> ParameterError:
    """Refuse to count rows as people."""
    msg = "People have several rows here, and a release does not say whose row is whose."
    return ParameterError(msg, hint="give the table that it was made from: original=...")


@dataclass(frozen=True, slots=True, eq=False)
class Grouped:
    """A table grouped into classes."""

    schema: Schema
    engine: Engine = field(repr=False)
    classes: Classes
    persons: int | None
    sensitive: tuple[str, ...]
    weights: npt.NDArray[np.float64] | None = field(default=None, repr=False)
    recoding: Recoding | None = field(default=None, repr=False)

    @property
    def people(self) -> int:
        """How many people there are: persons where the table says whose row is whose, else records."""
        return int(self.classes.records.sum()) if self.persons is None else self.persons


def grouped(table: Any, schema: Schema | None, original: Any, weight: str | None, **reading: Any) -> Grouped:
    """Group a table or a release into its classes."""
    saved = saved_release(table, reading) if schema is None else None
    if saved is not None:
        found = saved.with_persons(original, reading)
        return _of_table(found.engine, found.schema, weight, found.target.recoding)
    if not isinstance(table, Release):
        if schema is None:
            msg = "A table needs a schema that says which columns are quasi-identifiers."
            raise ParameterError(msg, hint="write risk(table, schema). Only a release brings its own.")
        return _of_table(open_with(table, schema, **reading), schema, weight)
    if schema is not None:
        msg = "A release brings its own schema."
        raise ParameterError(msg, hint="leave schema out, or give the released table with it.")
    roles = table.schema
    if roles.entity is None:
        return _of_table(open_release(table, **budget_of(reading)), roles, weight, table.recoding)
    if original is None:
        raise no_persons()
    if weight is not None:
        raise _no_weights()
    return _of_persons(table, original, **reading)


def original_census(release: Release, original: Any, sensitive: tuple[str, ...], **reading: Any) -> Census:
    """Count the table that a release was made from, with the ladders of the release where it has them."""
    schema = release.schema
    engine = open_original(release, original, schema, **reading)
    domains = engine.domains(schema.quasi_names)
    _expect_the_same(release, domains)
    known = getattr(release.recoding, "ladders", None)
    ladders = dict(known) if known else Schema(dict(schema.quasi)).bind(domains, default=auto()).ladders
    request = CensusRequest(schema.quasi_names, sensitive, ladders, entity=schema.entity, count=schema.count)
    census = census_within_memory(engine, request)
    if census.records != release.recipe.records:
        raise _other_table()
    return census


def _expect_the_same(release: Release, domains: Mapping[str, Domain]) -> None:
    for name, domain in domains.items():
        if domain != release.recoding.domains[name]:
            raise _other_table()


def _other_table() -> DataError:
    msg = "This is not the table that the release was made from."
    return DataError(msg, hint="give the very table, with nothing added or removed.")


def _of_table(
    engine: Engine,
    schema: Schema,
    weight: str | None,
    recoding: Recoding | None = None,
) -> Grouped:
    if weight is not None and schema.entity is not None:
        raise _no_weights()
    columns = list(engine.columns())
    if weight is not None and weight not in columns:
        raise UnknownColumnError.of(weight, columns, given_as="weight", show=engine.shows_names)
    if weight in schema.quasi_names:
        msg = f"Column {weight!r} cannot be the weight: its role is quasi-identifier."
        raise SchemaError(msg, hint="a weight says how many people a record stands for; nobody is recognised by it.")
    more = (weight,) if weight is not None and weight not in schema.sensitive_names else ()
    request = CensusRequest(
        schema.quasi_names, (*schema.sensitive_names, *more), entity=schema.entity, count=schema.count
    )
    census = census_within_memory(engine, request)
    classes = classes_of(engine, census)
    return Grouped(
        schema=schema,
        engine=engine,
        classes=classes,
        persons=census.persons,
        sensitive=schema.sensitive_names,
        weights=None if weight is None else _weights(classes, weight),
        recoding=recoding,
    )


def _of_persons(release: Release, original: Any, **reading: Any) -> Grouped:
    """Publish the table again beside its persons, whom a release does not show; every sensitive column is known."""
    schema = release.schema
    census = original_census(release, original, schema.sensitive_names, **reading)
    domains = {name: census.domains[name] for name in schema.sensitive_names}
    assert schema.entity is not None  # noqa: S101 - who has none is not asked
    # All published columns decide which rows of a cell go where; whose they are is the same in all of a cell.
    columns = dict.fromkeys([*open_release(release).columns(), schema.entity])
    engine = open_original(release, original, schema, **reading).recode(release.recoding, list(columns))
    classes = engine.classes(schema.quasi_names, domains, schema.entity, schema.count)
    if int(classes.records.sum()) != release.recipe.published:
        raise _other_table()
    person = classes.cells.person
    persons = 0 if person is None else len(np.unique(person))
    return Grouped(schema, engine, classes, persons, schema.sensitive_names, recoding=release.recoding)


def _weights(classes: Classes, weight: str) -> npt.NDArray[np.float64]:
    """Add up the weights of every class."""
    domain = classes.cells.domains[weight]
    numbers = domain.values.astype(np.float64) if domain.kind == "number" else np.zeros(len(domain))
    if domain.has_null or domain.kind != "number" or not (numbers > 0).all() or not np.isfinite(numbers).all():
        msg = f"Column {weight!r} (given as weight) must hold numbers above 0 in every row."
        raise DataError(msg)
    each = numbers[classes.cells.sensitive[weight]] * classes.cells.counts
    return np.asarray(np.bincount(classes.members, weights=each, minlength=len(classes)), dtype=np.float64)


def _no_weights() -> ParameterError:
    msg = "Weights are about records, and here people have several."
    return ParameterError(msg, hint="leave out weight, or give the size of the population.")
