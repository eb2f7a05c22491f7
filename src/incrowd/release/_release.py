"""``Release``: a published table with the proof that it keeps its promises; its table and original opened again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field, fields, replace
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incrowd.core import CensusRequest, DataError, Domain, Grid, Recoding, Schema, Verdict
from incrowd.engines import Engine, Remembered, TableMemory, Tables, open_table
from incrowd.measures import mean_detail
from incrowd.models import Model
from incrowd.release._census import AS_READ, cells_that_fit, open_with_schema, reading_as_before
from incrowd.release._columns import PublishedColumn
from incrowd.release._explanation import Explanation, in_words
from incrowd.release._folder import report_room, save
from incrowd.release._output import Format, Stars, WantedDialect
from incrowd.release._recipe import Basis, Recipe
from incrowd.release._release_file import open_released
from incrowd.release._signature import KeyFile
from incrowd.release._tables_folder import save_tables

if TYPE_CHECKING:
    from incrowd.report import Charts


# What was counted about a release already: several questions about one file read it once.

SHARE = 4
"""One part in so many of the cells that fit into memory may be kept: of the release, and of its table."""


@dataclass(eq=False)
class KnownAnswers:
    """What files answered, each with a hash of the bytes that it had then: a file that changed is counted anew."""

    published: tuple[Any, TableMemory] | None = field(default=None, repr=False)
    original: tuple[Any, TableMemory] | None = field(default=None, repr=False)

    def __reduce__(self) -> tuple[type[KnownAnswers], tuple[()]]:
        """Let a copy of a release begin with nothing."""
        return KnownAnswers, ()


def open_release(release: Release, **budget: Any) -> Engine:
    """Open the published table of a release; a file that is still the same remembers what it was asked."""
    table = release.table
    budget = budget or ({} if release.basis is None else release.basis.budget)
    if not isinstance(table, Path):
        return open_table(table, missing_values=(), **budget)
    engine = open_released(table, **budget)
    key = None if engine.stamp is None else engine.stamp.digest()
    if release.kept.published is None or release.kept.published[0] != key:
        release.kept.published = key, TableMemory(_cells_to_keep(engine, release.schema))
    return Remembered(engine, release.kept.published[1])


def open_original(release: Release, table: Any, schema: Schema, **reading: Any) -> Engine:
    """Open the table that a release was made of; a file that is still the same remembers what it was asked.

    Where it is the very file that was read to make the release, its census is known from then.
    """
    reading = reading_as_before(table, reading, release.recipe.input.get("reading", {}))
    engine = open_with_schema(table, schema, **reading)
    if engine.stamp is None or not isinstance(table, (str, os.PathLike)):
        return engine
    digest = engine.stamp.digest()
    _expect_as_it_was(release, table, digest)
    if schema != release.schema:
        return engine
    key = digest, *_reading_key(reading)
    if release.kept.original is None or release.kept.original[0] != key:
        answers = TableMemory(_cells_to_keep(engine, schema))
        _remember_census(release, answers, key)
        release.kept.original = key, answers
    return Remembered(engine, release.kept.original[1])


def _expect_as_it_was(release: Release, table: str | os.PathLike[str], digest: str) -> None:
    """Refuse the file that a release was made of if it changed since: what is counted now would be of another table."""
    basis, path = release.basis, Path(table)
    made_of = basis is not None and isinstance(basis.table, (str, os.PathLike)) and Path(basis.table) == path
    if made_of and release.recipe.input["sha256"] != digest:
        msg = f"The file {path.name!r} changed since it was read for this release."
        raise DataError(msg, hint="make the release again.")


def _remember_census(release: Release, answers: TableMemory, key: tuple[Any, ...]) -> None:
    """Take over the census that a release was made from, if that was of these bytes and of all its columns."""
    basis, schema = release.basis, release.schema
    if (
        basis is None
        or release.recipe.sample is not None
        or key != (release.recipe.input.get("sha256"), *_reading_key(basis.reading))
    ):
        return
    census = basis.problem.census
    if census.sensitive == schema.sensitive_names and not any(census.floor):
        request = CensusRequest(schema.quasi_names, schema.sensitive_names, entity=schema.entity, count=schema.count)
        answers.know(request, census)


def _reading_key(reading: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(reading.get(name) for name in AS_READ)


def _cells_to_keep(engine: Engine, schema: Schema) -> int:
    """Say how many cells may be kept."""
    request = CensusRequest(schema.quasi_names, schema.sensitive_names, entity=schema.entity)
    return cells_that_fit(engine, request) // SHARE


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """A published table that keeps its promises: it was checked again after it was made.

    Attributes
    ----------
    table
        The published table, of the kind that came in, sorted by its values; the path of a file where it was written
        at once.
    verdict
        What was measured on the published table.
    measures
        What it cost, per measure; smaller is better.
    recoding
        What every value is published as. As confidential as the original table.
    recipe
        How it was made.
    schema, model
        The roles of the columns, and the promise.
    explanation
        Numbers behind it: what each column and each promise has to do with it.
    distributions
        The sensitive values of the original table that the promise is about, and how often each occurs. As confidential
        as the table.
    basis
        What it was made of, for charts and reports. As confidential as the original table.
    kept
        What files answered already, so that the next question about the release need not read them again. As
        confidential as the original table.

    Notes
    -----
    There is no release that fails its promise: ``anonymize`` raises ``NoSafeRelease`` instead. A pickled release leaves
    ``basis`` behind, and with it the original table; a copy keeps it.
    """

    table: Any = field(repr=False)
    verdict: Verdict
    measures: Mapping[str, float] = field(repr=False)
    recoding: Recoding = field(repr=False)
    recipe: Recipe
    schema: Schema = field(repr=False)
    model: Model = field(repr=False)
    explanation: Explanation = field(repr=False)
    distributions: Mapping[str, Domain] = field(default_factory=dict, repr=False)
    basis: Basis | None = field(default=None, repr=False)
    kept: KnownAnswers = field(default_factory=KnownAnswers, init=False, repr=False)

    def __getstate__(self) -> list[Any]:
        """Pickle a release without the original table and its counts: a pickle may go where they must not."""
        return [None if part.name == "basis" else getattr(self, part.name) for part in fields(self)]

    def __copy__(self) -> Release:
        return replace(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Release:
        return replace(self, table=deepcopy(self.table, memo))

    def save(  # noqa: PLR0913 - all but the first are optional
        self,
        folder: str | PathLike[str],
        *,
        format: Format = "parquet",  # noqa: A002 - what users call it
        dialect: WantedDialect = "input",
        labels: bool = False,
        force: bool = False,
        sign: KeyFile | None = None,
        plan: str | None = None,
        about: Mapping[str, str] | None = None,
        stars: Stars = "star",
    ) -> Path:
        """Write ``public``, which may be given away, and ``owner``, which must be kept, into a folder.

        Parameters
        ----------
        folder
            The folder to make. It appears whole or not at all.
        format
            How the table is written.
        dialect
            How a CSV file is written: ``"input"`` as the text file that was read, if it was one; ``"plain"`` with
            commas, in UTF-8, with decimal points and ISO dates; or what differs from the file that was read, such as
            ``{"separator": ";", "decimal": ",", "dates": "%d.%m.%Y", "encoding": "cp1252", "mark": False}``.
        labels
            Whether to write ``labels.csv`` beside the table: what the columns and codes of SPSS and Stata mean.
        force
            Whether an earlier release there may be replaced.
        sign
            A PEM file with a private Ed25519 key, to sign the certificate with.
        plan
            The text of the plan that it was made by.
        about
            Write reports too, with what only the owner knows, as in ``report``; an empty dict says nothing.
        stars
            What the file has where ``*`` is published: ``"star"``, or with ``"null"`` nothing, as for a missing value.
            The certificate then names these columns. One that has missing values of its own beside stars is refused.
        """
        how: dict[str, Any] = {"format": format, "dialect": dialect, "labels": labels, "force": force, "stars": stars}
        write = save_tables if isinstance(self.table, Tables) else save
        return write(self, folder, **how, sign=sign, plan=plan, about=about)

    @property
    def charts(self) -> Charts:
        """Charts of the release beside the original table, for notebooks. For the owner of the data."""
        drawn: Charts = report_room().Charts(self)
        return drawn

    def report(
        self,
        path: str | PathLike[str],
        *,
        about: Mapping[str, str] | None = None,
        public: bool = False,
        force: bool = False,
    ) -> Path:
        """Write a report that a board can read and sign: one HTML file, or JSON if the name ends in ``.json``.

        Parameters
        ----------
        path
            The file to write; its name ends in ``.html`` or ``.json``. For a PDF, print the page from a browser.
        about
            What only its owner can say: ``purpose``, ``controller``, ``recipients``, ``environment``, ``legal_basis``,
            ``period``, ``earlier_releases``, ``roles_confirmed_by``, ``threshold``, ``threshold_reasons``,
            ``population``, ``valid_until``. What is not said is marked as not stated. And, where something was open
            when it was released, ``released_anyway`` (why), ``released_by`` (who and when) and ``open_items``.
        public
            Write the version that may be given away: besides ``about`` it shows nothing that the released table and its
            certificate do not.
        force
            Whether an existing file may be replaced.
        """
        written: Path = report_room().write_report(self, path, about=about, public=public, force=force)
        return written

    @property
    def columns(self) -> dict[str, PublishedColumn]:
        """What is left of every quasi-identifier, by its name: values, cells that still say something, detail kept."""
        return {one.column: one for one in self.explanation.columns}

    @property
    def detail_kept(self) -> float:
        """The share of the detail that is kept, on average over the quasi-identifiers: 1 is the original table."""
        return mean_detail([1 - one.kept for one in self.explanation.columns])

    def explain(self) -> str:
        """Say in plain words what was done to each column and why, and which promise binds."""
        return in_words(self.explanation, self.recipe, self.verdict.classes, self.measures)

    def _repr_html_(self) -> str:
        """Show in a notebook what is left of every column; no value of the table."""
        rows = [(name, one.level, f"{one.kept:.1%}") for name, one in self.columns.items()]
        return f"<p>{escape(repr(self))}</p>{Grid(('column', 'level', 'detail kept'), rows).html()}"

    def __repr__(self) -> str:
        recipe = self.recipe
        masked = f", {recipe.masked} masked" if recipe.masked else ""
        marked = "" if recipe.sample is None else "NOT A RESULT, a sample: "
        records = f"{recipe.published} of {recipe.records} records{masked}"
        return f"Release({marked}{recipe.promise}: {records}, {self.verdict.classes} classes)"
