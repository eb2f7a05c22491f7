"""Several tables published as one release: one promise about the joined rows, then every table by itself, checked."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from incrowd.core import Hint, LocalRecoding, ParameterError, Recoding, Schema, Setting, Verdict, warn
from incrowd.engines import Dialect, Engine, JoinedTables, Shift, Tables, Wording, join_tables
from incrowd.models import Model
from incrowd.release._census import AS_READ, CensusPlan, Goal, Reading, check_arguments
from incrowd.release._feasibility import refuse_infeasible
from incrowd.release._floor import with_notes_on_floor
from incrowd.release._folder import Folders
from incrowd.release._joined_schema import TABLES, JoinedSchema, fills_of, table_recoding
from incrowd.release._output import Manner, Output, Publishing, check_choice_of
from incrowd.release._publish import Draft, Found, check_algorithm, release_of
from incrowd.release._recipe import described_input
from incrowd.release._release import Release
from incrowd.release._shifted_dates import IntervalRisk, windows_of
from incrowd.release._source import Source, doubts_about
from incrowd.release._table_files import TABLE_FORMATS, linked_files, published_tables
from incrowd.release._table_keys import DRAWN, TableKeys
from incrowd.release._tables_folder import TableWriter
from incrowd.release._verdict import verdict_on_published
from incrowd.search import Algorithm, Optimal, Outcome, Problem, Progress

OnProgress = Callable[[Progress], bool | None] | None


def anonymize_tables(
    tables: Tables,
    schema: Schema,
    model: Model,
    algorithm: Algorithm | None,
    limits: tuple[Any, ...],
    progress: OnProgress,
    options: Mapping[str, Any],
) -> Release:
    """Publish several tables so that their joined rows keep a promise; ``limits`` in the order of ``anonymize``."""
    started = time.monotonic()
    check_arguments(schema, options, {"sample": int, **Reading.__annotations__, **Publishing.__annotations__})
    algorithm = _full_domain(algorithm, schema)
    _refuse_options(options)
    keys = TableKeys.of(options.get("pseudonyms"), tables)
    for name in tables:
        _refuse_own_output(options, tables[name])
    reading = {name: options[name] for name in (*AS_READ, "memory", "temp") if options.get(name) is not None}
    joined = join_tables(tables, missing_values=schema.missing_values, **reading)
    roles = JoinedSchema.of(schema, tables, joined.columns).with_one_ladder(joined)
    joined.tables = roles.tables
    others = check_choice_of("others", options.get("others", "refuse"))
    publishing = {name: roles.published(name, joined.columns[name], others) for name in tables}
    manner = _manner(options, roles, drawn=keys.drawn)
    work = _Work(joined, roles, keys, publishing, manner)
    view = joined.joined()
    windows = windows_of(view, roles.schema)
    for note in work.notes():
        warn(note)
    goal = _goal(roles, model, limits)
    problem = goal.problem(CensusPlan.of(view, goal).census())
    refuse_infeasible(problem)
    outcome, problem = _outcome_of(problem, algorithm, roles, progress)
    outcome = cast("Outcome", with_notes_on_floor(view, problem, outcome))
    columns = [one.name for one in roles.columns]
    about = tables.about([name for name in columns if name != tables.person])
    source = Source(about, view, columns, manner, None, windows=windows, started=started)
    return work.publish(source, problem, outcome, algorithm)


def _full_domain(algorithm: Algorithm | None, schema: Schema) -> Algorithm:
    if algorithm is None:
        return Optimal()
    check_algorithm(algorithm, schema)
    if algorithm.local:
        msg = f"{type(algorithm).__name__} gives one value several labels, and in {TABLES} it must have one."
        hint = Hint("use {}, which has one level per column.", Setting.search("Optimal"))
        raise ParameterError(msg, hint=hint)
    return algorithm


def _refuse_options(options: Mapping[str, Any]) -> None:
    if options.get("sample") is not None:
        msg = f"A sample cannot be taken of {TABLES}: rows of one would lose theirs in another."
        raise ParameterError(msg, hint="leave sample out, or give the tables of some people only.")
    if options.get("suppression", "entity") != "entity":
        msg = (
            f"In {TABLES} a person is left out everywhere or nowhere: suppression={options['suppression']!r} cannot be."
        )
        raise ParameterError(msg, hint=Hint("leave it out, or use {suppression}.", suppression="entity"))
    if options.get("order", "sorted") != "sorted":
        msg = f"Rows of {TABLES} are sorted by what is published."
        raise ParameterError(msg, hint="leave order out.")
    if options.get("labels"):
        msg = f"What codes mean is not written for {TABLES}."
        raise ParameterError(msg, hint="leave labels out.")
    if options.get("output") is not None and options.get("format", "parquet") not in TABLE_FORMATS:
        msg = f"{TABLES.capitalize()} are written as {', '.join(TABLE_FORMATS)}, not as {options['format']!r}."
        raise ParameterError(msg, hint=Hint("use {format}.", format="parquet"))


def _refuse_own_output(options: Mapping[str, Any], table: Any) -> None:
    if options.get("output") is not None:
        output = Output(Path(options["output"]))
        Manner("refuse", "sorted", "drop", {}, {}, output, {}).refuse_own_output(table)


def _manner(options: Mapping[str, Any], roles: JoinedSchema, *, drawn: bool) -> Manner:
    """Read how tables are published; that a pseudonym links releases is said where its key is somebody's."""
    kept = {name: value for name, value in options.items() if name not in {"pseudonyms", "sample"}}
    manner = Manner.of({**kept, "suppression": "entity"}, roles.schema)
    return manner if drawn else replace(manner, pseudonyms={roles.tables.person: str})


def _goal(roles: JoinedSchema, model: Model, limits: tuple[Any, ...]) -> Goal:
    share, number, *given, balance = limits
    names = "at_least", "at_most", "importance"
    said = {name: roles.spread(one, name) for name, one in zip(names, given, strict=True)}
    said["at_most"] |= dict.fromkeys(roles.presence, 0)
    return Goal.of(roles.schema, model, share, number, balance=balance, suppression="entity", **said)


def _outcome_of(
    problem: Problem, algorithm: Algorithm, roles: JoinedSchema, progress: OnProgress
) -> tuple[Outcome, Problem]:
    """Search until every column that several tables have is at one level in all of them.

    Where it is not, all are raised to the highest of them, and no search may go below that again.
    """
    first = None
    while True:
        outcome = cast("Outcome", algorithm.search(problem, progress))  # searches for levels give nothing else
        first = first or outcome
        if outcome.best is None:
            return outcome, problem
        levels = outcome.best.levels
        highest = {name: max(levels[one] for one in names) for names in roles.shared.values() for name in names}
        if all(levels[name] == level for name, level in highest.items()):
            break
        problem = replace(problem, at_least={**problem.at_least, **highest})
    if outcome is not first:
        note = "Columns that several tables have were raised to one level: other levels together may lose less."
        notes = (*outcome.notes, note)
        outcome = replace(outcome, proof="best found", lower_bound=first.lower_bound, notes=notes)
    return outcome, problem


@dataclass(frozen=True, slots=True, eq=False)
class _Work:
    """Tables that are to be published, and how."""

    joined: JoinedTables
    roles: JoinedSchema
    keys: TableKeys
    publishing: Mapping[str, Sequence[str]]
    manner: Manner

    def notes(self) -> Iterator[str]:
        yield from self.manner.notes
        for name, engine in self.joined.engines.items():
            harmless = [column for column in self.publishing[name] if column in self.roles.own.insensitive]
            yield from doubts_about(engine, harmless)

    def publish(self, source: Source, problem: Problem, outcome: Outcome, algorithm: Algorithm) -> Release:
        """Publish what a search found."""
        draft = Draft.of(problem, outcome)
        predicted: Future[Any] = Future()
        predicted.set_result(draft.predicted)
        described: Future[dict[str, Any]] = Future()
        described.set_result(self._described_input(problem))
        known = draft.recoding, draft.levels, predicted, draft.suppressed, draft.costs, draft.explanation
        found = Found(problem, outcome, algorithm, *known, described, draft.labels)
        notes = [DRAWN] if self.keys.drawn else []
        if self.manner.output is not None:
            return self._write(source, found, self.manner.output, notes)
        frames = {name: self._recoded(name, found.recoding).materialise() for name in self.joined.tables}
        published = published_tables(self.joined.tables, frames, self.keys)
        verdict, intervals = self._checked(
            source, found, join_tables(published, missing_values=(), ours=True, **self._budget)
        )
        release = self._release(source, found, published, verdict, notes, intervals)
        self.joined.check_unchanged()
        return release

    def _release(self, *known: Any) -> Release:
        release = release_of(*known)
        return replace(release, recipe=replace(release.recipe, pseudonymised=(self.joined.tables.person,)))

    @property
    def _budget(self) -> dict[str, Any]:
        return {name: self.manner.reading[name] for name in ("memory", "temp") if name in self.manner.reading}

    def _recoded(self, name: str, recoding: Recoding) -> Engine:
        """Give a table as it is published."""
        roles, joined = self.roles, self.joined
        pseudonyms = self.keys.of_table(name, joined.tables)
        engine = joined.taken_apart(name, pseudonyms, _left_out(recoding, joined.tables.person))
        person, constant = joined.hidden_names(name)
        own = table_recoding(roles.recoding(name, recoding), constant)
        shifts = {
            str(one.column): Shift(person, self.manner.shifts[one.name].days_of)
            for one in roles.columns
            if one.table == name and one.name in self.manner.shifts
        }
        return engine.recode(own, self._published_columns(name), replace=shifts)

    def _checked(self, source: Source, found: Found, published: JoinedTables) -> tuple[Verdict, IntervalRisk | None]:
        """Join what is published, and check what comes of it."""
        view = published.joined(fills_of(found.recoding))
        assert found.predicted is not None  # noqa: S101 - the joined rows were counted as a whole
        verdict, _ = verdict_on_published(view, found.problem, found.recoding, found.predicted.result())
        return verdict, source.intervals(view, found.problem.schema)

    def _write(self, source: Source, found: Found, output: Output, notes: Sequence[str]) -> Release:
        """Write every table, check them as they stand in their files, and put the certificate beside them."""
        names = {name: self._published_columns(name) for name in self.joined.tables}
        links = published_tables(self.joined.tables, dict.fromkeys(names), self.keys)
        writer = TableWriter(links, names, found.problem.schema, found.recoding)
        with Folders.new(output.folder, force=output.force) as folders:
            files = [
                writer.write(
                    name, self._recoded(name, found.recoding), engine, _wording_of(engine), folders.tables, output
                )
                for name, engine in self.joined.engines.items()
            ]
            joined = join_tables(
                linked_files(files, folders.tables, links), missing_values=(), ours=True, **self._budget
            )
            verdict, intervals = self._checked(source, found, joined)
            final = linked_files(files, output.folder / folders.public.name / folders.tables.name, links)
            release = self._release(source, found, final, verdict, notes, intervals)
            writer.finish(folders, release, output, (files, joined))
            self.joined.check_unchanged()
        return release

    def _published_columns(self, name: str) -> list[str]:
        linked = self.keys.of_table(name, self.joined.tables)
        return [one for one in self.joined.columns[name] if one in linked or one in self.publishing[name]]

    def _described_input(self, problem: Problem) -> dict[str, Any]:
        """Describe the tables for their owner."""
        tables = self.joined.tables
        each = {
            name: described_input(tables[name], engine.stamp, list(engine.columns()), 0, _wording_of(engine), {})
            for name, engine in self.joined.engines.items()
        }
        for one in each.values():
            del one["rows"]
        rows = problem.census.records
        columns = list(problem.schema.quasi_names)
        links = {"keys": dict(tables.keys), "of": {name: dict(to) for name, to in tables.of.items()}}
        return {"kind": "tables", "sha256": None, "rows": rows, "columns": columns, "tables": each, **links}


def _wording_of(engine: Engine) -> Wording | None:
    """Say how a text file that was opened is written; ``None`` if it is none."""
    dialect: Dialect | None = getattr(engine, "dialect", None)
    return None if dialect is None else Wording(dialect, tuple(getattr(engine, "rewritten", ())))


def _left_out(recoding: Recoding, person: str) -> list[str]:
    """Name the people who are left out, as they are printed."""
    if not isinstance(recoding, LocalRecoding):
        return []
    at = list(recoding.domains).index(person)
    gone = recoding.codes[at][recoding.classes < 0]
    texts = recoding.domains[person].texts
    return [str(text) for text in texts[np.unique(gone)].tolist()]
