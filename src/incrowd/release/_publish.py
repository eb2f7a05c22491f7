"""``publish``: from what a search found to a written table that was checked again, and its release."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from incrowd.core import (
    TOP,
    Census,
    CensusRequest,
    FullDomainRecoding,
    Hint,
    Labelling,
    ParameterError,
    Recoding,
    Schema,
    Setting,
    Verdict,
    group,
    remove_path,
    text_domain,
    warn,
)
from incrowd.engines import Engine, SparkBackend, Wording, cluster_of, open_table, open_written, peak_memory, unpersist
from incrowd.hierarchies import Averaged
from incrowd.models import NTCloseness, Number, promise
from incrowd.release._census import CensusPlan, Goal, Reading, fits_in_memory, open_with_schema
from incrowd.release._explanation import Explanation
from incrowd.release._feasibility import no_release, refuse_infeasible
from incrowd.release._floor import NO_REPORTS, with_notes_on_floor
from incrowd.release._folder import Folders
from incrowd.release._output import Output
from incrowd.release._recipe import Basis, Predicted, Recipe, described_search, prediction_of
from incrowd.release._release import Release
from incrowd.release._release_file import Measuring, open_released
from incrowd.release._shifted_dates import IntervalRisk, described_shift
from incrowd.release._source import Source
from incrowd.release._verdict import verdict_of, verdict_on_published
from incrowd.search import Algorithm, Inspection, LocalOutcome, Outcome, Problem, Progress

# What a search found, before anything of it is published.


def check_algorithm(algorithm: Algorithm, schema: Schema) -> None:
    """Refuse what is no search, and averages of classes that are called by one level per column."""
    if isinstance(algorithm, type) or not isinstance(algorithm, Algorithm):
        msg = f"algorithm must be a search, such as Mondrian(), got {type(algorithm).__name__}."
        hint = Hint("write it with its brackets and without quotes: algorithm={}.", Setting.search("Mondrian"))
        raise ParameterError(msg, hint=hint)
    sets = [name for name, hierarchy in schema.quasi if getattr(hierarchy, "separator", None) is not None]
    if sets and algorithm.local and not getattr(algorithm, "labels_sets", False):
        msg = f"Column {sets[0]!r} holds sets of items, which {type(algorithm).__name__} has no labels for."
        raise ParameterError(
            msg, hint=Hint("use {}, or {}.", Setting.search("Optimal"), Setting.search("LevelsAndItems"))
        )
    columns = [name for name, hierarchy in schema.quasi if isinstance(hierarchy, Averaged)]
    if columns and not algorithm.local:
        msg = f"Column {columns[0]!r} is to be averaged, which {type(algorithm).__name__} cannot do."
        hint = Hint("use a local recoding, such as {}, or its hierarchy alone.", Setting.search("Mondrian"))
        raise ParameterError(msg, hint=hint)


def open_problem(
    table: Any, schema: Schema, *, model: Any, max_suppressed: Number, number: int | None, **more: Any
) -> tuple[Engine, Problem]:
    """Open a table and count it once, for several searches; refuse what no release can keep.

    ``more``: the levels, the importance and so on of ``anonymize``, and how to read a file.
    """
    model = promise(model)
    for note in model.trivial_notes():
        warn(note)
    reading = {name: more.pop(name) for name in Reading.__annotations__ if name in more}
    goal = Goal.of(schema, model, max_suppressed, number, local=True, **more)
    engine = open_with_schema(table, schema, **reading)
    problem = goal.problem(CensusPlan.of(engine, goal).census())
    refuse_infeasible(problem)
    return engine, problem


@dataclass(frozen=True, eq=False)
class Draft:
    """What would be published: every record as what, and what that costs.

    ``levels``: one per column, where columns have one. ``labels`` and ``paths``: as of a local recoding. ``labels`` too
    where people are left out with all rows.
    """

    problem: Problem = field(repr=False)
    recoding: Recoding = field(repr=False)
    suppressed: int
    costs: Mapping[str, float] = field(repr=False)
    explanation: Explanation = field(repr=False)
    levels: Mapping[str, int] | None
    proof: str
    notes: tuple[str, ...] = ()
    labels: Sequence[Labelling] | None = field(default=None, repr=False)
    paths: Any = field(default=None, repr=False)

    @classmethod
    def of(cls, problem: Problem, outcome: Outcome | LocalOutcome) -> Self:
        """Take what a search found; raise where that is nothing."""
        told: dict[str, Any] = {"proof": outcome.proof, "notes": outcome.notes}
        masks = problem.suppression == "mask"
        if isinstance(outcome, LocalOutcome):
            if outcome.suppressed and masks:
                msg = "A local recoding leaves records out; it cannot mask them."
                raise ParameterError(msg, hint=Hint("use {suppression}.", suppression="drop"))
            told |= {"levels": outcome.levels, "labels": outcome.labels, "paths": outcome.paths}
            explanation = Explanation.of_local(problem, outcome)
            return cls(problem, outcome.recoding, outcome.suppressed, outcome.costs, explanation, **told)
        if outcome.best is None or outcome.best.classes == 0:
            raise no_release(problem, outcome)
        inspected = Inspection(problem, outcome.best.levels)
        recoding, costs = inspected.recoding(), inspected.costs()
        if masks and isinstance(recoding, FullDomainRecoding) and recoding.has_left_out:
            recoding = replace(recoding, masked=True)
        explanation, told["labels"] = Explanation.of_node(problem, inspected), inspected.labels()
        return cls(problem, recoding, outcome.best.suppressed, costs, explanation, dict(outcome.best.levels), **told)

    @classmethod
    def by(
        cls,
        engine: Engine,
        problem: Problem,
        algorithm: Algorithm,
        progress: Callable[[Progress], bool | None] | None = None,
    ) -> Self:
        """Search; raise what keeps the search from it, or that nothing can be published."""
        check_algorithm(algorithm, problem.schema)
        return cls.of(problem, with_notes_on_floor(engine, problem, algorithm.search(problem, progress)))

    @cached_property
    def predicted(self) -> Predicted:
        """The classes that the recoding makes."""
        return prediction_of(self.problem, self.recoding, self.paths)

    @property
    def basis(self) -> Basis:
        """What a release of it would be made of, without the table."""
        return Basis(None, {}, self.problem, self.predicted, self.labels)

    @cached_property
    def published(self) -> Census:
        """What would be published, counted as a reader of it would."""
        census, classes = self.problem.census, self.predicted.classes
        masked = isinstance(self.recoding, FullDomainRecoding) and self.recoding.has_masked
        gone = self.predicted.left_out
        inside = np.ones(len(classes.members), dtype=bool) if masked else ~gone[classes.members]
        members, counts = classes.members[inside], classes.cells.counts[inside]
        domains, codes = dict(census.domains), list[Any]()
        for column, name in enumerate(census.quasi):
            texts = (np.where(gone, TOP, classes.texts(column)) if masked else classes.texts(column))[members]
            if name not in self.recoding.unchanged:
                domains[name] = text_domain(name, texts, counts)
            place = {text: code for code, text in enumerate(domains[name].texts.tolist())}
            codes.append(np.array([place[text] for text in texts.tolist()], dtype=np.int64))
        codes += [column[inside] for column in classes.cells.sensitive.values()]
        persons = [] if classes.cells.person is None else [classes.cells.person[inside]]
        cells = group([*codes, *persons], [len(domain) for domain in domains.values()])
        return Census(
            quasi=census.quasi,
            sensitive=census.sensitive,
            domains=domains,
            ladders={},
            floor=(0,) * len(census.quasi),
            codes=tuple(column[cells.first] for column in codes),
            person=persons[0][cells.first] if persons else None,
            counts=cells.sums(counts),
        )

    @cached_property
    def verdict(self) -> Verdict:
        """What is measured on the classes that would be published.

        The supersets of (n, t)-closeness are regions of the whole input, so there the predicted classes are judged.
        """
        problem, judges = self.problem, self.problem.judges()
        if any(isinstance(judge.model, NTCloseness) for judge in judges):
            classes = self.predicted.classes
            return verdict_of(judges, classes, problem.census.quasi, among=~self.predicted.left_out)
        return verdict_of(judges, self.published.classes(), problem.census.quasi)


# From there to a release.


def is_comparable(original: Engine, schema: Schema) -> bool:
    """Say whether a release can be compared with its table: if that fits, with all of its sensitive columns."""
    request = CensusRequest(schema.quasi_names, schema.sensitive_names, entity=schema.entity, count=schema.count)
    return fits_in_memory(original, request)


def _can_report(original: Engine, released: Engine, schema: Schema) -> bool:
    """Say whether a report can be written: nothing is compared in it where the original does not fit.

    Whose row it is only the original tells, so where people have several rows nothing is measured without it.
    """
    if is_comparable(original, schema):
        return True
    return schema.entity is None and fits_in_memory(released, CensusRequest(schema.quasi_names, schema.sensitive_names))


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What was searched, and what was found. Some of it is still being counted while the table is written.

    ``algorithm`` is ``None`` where the levels were given. ``predicted`` are the classes that the recoding makes;
    ``None`` where they are held nowhere as a whole.
    """

    problem: Problem
    outcome: Outcome | LocalOutcome
    algorithm: Algorithm | None
    recoding: Recoding
    levels: Mapping[str, int] | None
    predicted: Future[Predicted] | None
    suppressed: int
    costs: Mapping[str, float]
    explanation: Explanation
    input: Future[dict[str, Any]]
    named: Sequence[Labelling] | None = None


def publish(source: Source, problem: Problem, outcome: Outcome | LocalOutcome, algorithm: Algorithm | None) -> Release:
    """Publish the best node, or the local recoding, that a search found."""
    with ThreadPoolExecutor(max_workers=1) as beside:  # NumPy and DuckDB let others run while they work
        draft = Draft.of(problem, outcome)
        predicted = beside.submit(lambda: draft.predicted)
        described = source.described(problem.census.records + problem.census.dropped, beside)
        known = draft.recoding, draft.levels, predicted, draft.suppressed, draft.costs, draft.explanation
        found = Found(problem, outcome, algorithm, *known, described, draft.labels)
        if source.manner.output is not None:
            return _write_release(source, found, predicted, source.manner.output)
        return _publish_frame(source, found, predicted)


def _publish_frame(source: Source, found: Found, predicted: Future[Predicted]) -> Release:
    """Apply what was found, and check what came out of it with nothing but its labels."""
    table = source.recoded(found.recoding).materialise()
    with _engine_to_check(source, found, table) as engine:
        verdict, _ = verdict_on_published(engine, found.problem, found.recoding, predicted.result())
        intervals = source.intervals(engine, found.problem.schema)
    release = release_of(source, found, table, verdict, risk=intervals)
    source.check_unchanged()
    return release


def _write_release(source: Source, found: Found, predicted: Future[Predicted], output: Output) -> Release:
    """Write a release without ever holding its table; it is checked as it stands in the file."""
    schema = found.problem.schema
    with Folders.new(output.folder, force=output.force) as folders:
        data = folders.public / f"data.{output.format}"
        wanted = output.wording(source.engine, source.wording, schema, found.recoding.domains)
        codebook = output.codebook(source.engine)

        def write(engine: Engine, path: Path) -> Wording:
            return output.write(engine, path, wanted, found.recoding)

        cluster, wording = _write_table(source.recoded(found.recoding), data, write)
        with _engine_to_check(source, found, data, cluster, wording) as engine:
            verdict, classes = verdict_on_published(engine, found.problem, found.recoding, predicted.result())
            intervals = source.intervals(engine, schema)
            notes: Sequence[str] = ()
            if output.about is not None and not _can_report(source.engine, engine, schema):
                output, notes = replace(output, about=None), (NO_REPORTS,)
        release = release_of(source, found, output.folder / folders.public.name / data.name, verdict, notes, intervals)
        known: dict[str, Any] = {}
        if cluster is None and schema.entity is None:  # else persons were grouped, or by another reader
            known = {"released": engine, "found": Measuring.of(release, engine).take(classes).result()}
        folders.write_around(release, output, data, wording, codebook=codebook, **known)
        source.check_unchanged()
    return release


@contextmanager
def _engine_to_check(
    source: Source, found: Found, table: Any, cluster: SparkBackend | None = None, wording: Wording | None = None
) -> Iterator[Engine]:
    """Open what is published; whose row it is decides where it is known, so it is looked at beside it."""
    entity, budget = found.problem.schema.entity, source.engine.resources.options
    if entity is None or entity in source.columns:
        path = isinstance(table, Path)
        yield _open_written(table, cluster, budget, wording) if path else open_table(table, missing_values=(), **budget)
    elif isinstance(table, Path):
        beside = table.with_name(".checked.parquet")
        try:
            yield _open_written(beside, _write_table(source.recoded(found.recoding, [entity]), beside)[0], budget)
        finally:
            remove_path(beside)
    else:
        whole = source.recoded(found.recoding, [entity]).materialise()
        try:
            yield open_table(whole, missing_values=(), **budget)
        finally:
            unpersist(whole)


def _write_table(
    engine: Engine, path: Path, write: Callable[[Engine, Path], Wording] = lambda engine, path: engine.write(path)
) -> tuple[SparkBackend | None, Wording]:
    """Write a table; say which cluster did, if one did, and how. The engine is forgotten before its file is checked."""
    wording = write(engine, path)
    return cluster_of(engine), wording


def _open_written(
    path: Path, cluster: SparkBackend | None, budget: Mapping[str, Any], wording: Wording | None = None
) -> Engine:
    """Open what was written: what a cluster wrote, by the cluster."""
    if cluster is not None:
        return open_written(path, cluster, () if wording is None else wording.stars)
    return open_released(path, wording, **budget)


def release_of(
    source: Source,
    found: Found,
    table: Any,
    verdict: Verdict,
    notes: Sequence[str] = (),
    risk: IntervalRisk | None = None,
) -> Release:
    """Put together what was published and what is known about it."""
    problem, census = found.problem, found.problem.census
    basis = None
    if found.predicted is not None:
        basis = Basis(
            table=source.table,
            reading=source.manner.reading,
            problem=problem,
            predicted=found.predicted.result(),
            named=found.named,
            seconds=time.monotonic() - source.started,
            peak=peak_memory(),
        )
    return Release(
        table=table,
        verdict=verdict,
        measures=found.costs,
        recoding=found.recoding,
        recipe=_recipe_of(source, found, notes, risk),
        schema=problem.schema,
        model=problem.model,
        explanation=found.explanation,
        distributions={name: census.domains[name] for name in census.sensitive},
        basis=basis,
    )


def _recipe_of(source: Source, found: Found, notes: Sequence[str], intervals: IntervalRisk | None) -> Recipe:
    problem, outcome, census, manner = found.problem, found.outcome, found.problem.census, source.manner
    rows = census.records + census.dropped
    people = source.people(rows)
    repeated = [
        f"Groups may hold fewer people than rows: column {name!r} has {number} values in {rows:,} rows, and rows were "
        "counted. If it says whose row it is, call it the entity: then people are counted."
        for name, number in people.items()
    ]
    told = [] if intervals is None else intervals.sentences
    for note in (*repeated, *told):
        warn(note)
    no_result = f"NOT A RESULT: tried out on a sample of {census.records:,} records. Nothing here may be published."
    tried = [] if source.sample is None else [no_result]
    lattice = None if isinstance(outcome, LocalOutcome) else outcome
    return Recipe(
        promise=str(problem.model),
        algorithm="apply" if found.algorithm is None else repr(found.algorithm),
        proof=outcome.proof,
        levels=None if found.levels is None else dict(found.levels),
        records=census.records,
        suppressed=found.suppressed,
        max_suppressed_records=problem.limit,
        dropped=census.dropped,
        checked=0 if lattice is None else lattice.checked,
        nodes=0 if lattice is None else lattice.nodes,
        lower_bound=outcome.lower_bound or 0.0,
        notes=(*tried, *outcome.notes, *manner.notes, *repeated, *told, *notes),
        engine=type(source.engine).__name__,
        input=found.input.result(),
        order=manner.order,
        suppression=manner.suppression,
        pseudonymised=tuple(manner.pseudonyms),
        shifted=described_shift(problem.schema.shifted, intervals),
        repeated=tuple(people),
        sample=source.sample,
        floor={} if found.predicted is None else problem.raised,
        search=described_search(found.algorithm),
    )
