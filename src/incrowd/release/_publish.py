"""``publish``: from what a search found to a written table that was checked again, and its release."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from incrowd.core import CensusRequest, Hint, ParameterError, Recoding, Schema, Verdict, remove_path, warn
from incrowd.engines import Engine, SparkBackend, Wording, cluster_of, open_table, open_written, peak_memory, unpersist
from incrowd.release._census import fits_in_memory
from incrowd.release._explanation import Explanation
from incrowd.release._feasibility import no_release
from incrowd.release._floor import NO_REPORTS
from incrowd.release._folder import Folders
from incrowd.release._output import Output
from incrowd.release._recipe import Basis, Predicted, Recipe, prediction_of
from incrowd.release._release import Release
from incrowd.release._release_file import Measuring, open_released
from incrowd.release._source import Source
from incrowd.release._verdict import verdict_on_published
from incrowd.search import Inspection, LocalOutcome, Outcome, Problem


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

    ``predicted`` are the classes that the recoding makes; ``None`` where they are held nowhere as a whole.
    """

    problem: Problem
    outcome: Outcome | LocalOutcome
    algorithm: str
    recoding: Recoding
    predicted: Future[Predicted] | None
    suppressed: int
    costs: Mapping[str, float]
    explanation: Explanation
    input: Future[dict[str, Any]]


def publish(source: Source, problem: Problem, outcome: Outcome | LocalOutcome, algorithm: str) -> Release:
    """Publish the best node, or the local recoding, that a search found."""
    masks = source.manner.suppression == "mask"
    with ThreadPoolExecutor(max_workers=1) as beside:  # NumPy and DuckDB let others run while they work
        if isinstance(outcome, LocalOutcome):
            if outcome.suppressed and masks:
                msg = "A local recoding leaves records out; it cannot mask them."
                raise ParameterError(msg, hint=Hint("use {suppression}.", suppression="drop"))
            recoding: Recoding = outcome.recoding
            predicted = beside.submit(prediction_of, problem, recoding, outcome.paths)
            suppressed, costs = outcome.suppressed, outcome.costs
            explanation = Explanation.of_local(problem, outcome)
        else:
            if outcome.best is None or outcome.best.classes == 0:
                raise no_release(problem, outcome)
            inspected = Inspection(problem, outcome.best.levels)
            node, costs = inspected.recoding(), inspected.costs()
            explanation = Explanation.of_node(problem, inspected)
            del inspected  # what it took to find out is forgotten before writing
            predicted = beside.submit(prediction_of, problem, node)
            recoding = replace(node, masked=True) if masks and node.has_left_out else node
            suppressed = outcome.best.suppressed
        described = source.described(problem.census.records + problem.census.dropped, beside)
        found = Found(problem, outcome, algorithm, recoding, predicted, suppressed, costs, explanation, described)
        if source.manner.output is not None:
            return _write_release(source, found, predicted, source.manner.output)
        return _publish_frame(source, found, predicted)


def _publish_frame(source: Source, found: Found, predicted: Future[Predicted]) -> Release:
    """Apply what was found, and check what came out of it with nothing but its labels."""
    table = source.recoded(found.recoding).materialise()
    with _engine_to_check(source, found, table) as engine:
        verdict, _ = verdict_on_published(engine, found.problem, found.recoding, predicted.result())
    return release_of(source, found, table, verdict)


def _write_release(source: Source, found: Found, predicted: Future[Predicted], output: Output) -> Release:
    """Write a release without ever holding its table; it is checked as it stands in the file."""
    schema = found.problem.schema
    with Folders.new(output.folder, force=output.force) as folders:
        data = folders.public / f"data.{output.format}"
        wanted = output.wording(source.engine, source.wording, schema, found.recoding.domains)
        codebook = output.codebook(source.engine)

        def write(engine: Engine, path: Path) -> Wording:
            return output.write(engine, path, wanted, found.recoding)

        cluster, wording = _write(source.recoded(found.recoding), data, write)
        with _engine_to_check(source, found, data, cluster, wording) as engine:
            verdict, classes = verdict_on_published(engine, found.problem, found.recoding, predicted.result())
            notes: tuple[str, ...] = ()
            if output.about is not None and not _can_report(source.engine, engine, schema):
                output, notes = replace(output, about=None), (NO_REPORTS,)
        release = release_of(source, found, output.folder / folders.public.name / data.name, verdict, notes)
        known: dict[str, Any] = {}
        if cluster is None and schema.entity is None:  # else persons were grouped, or by another reader
            known = {"released": engine, "found": Measuring.of(release, engine).take(classes).result()}
        folders.write_around(release, output, data, wording, codebook=codebook, **known)
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
            yield _open_written(beside, _write(source.recoded(found.recoding, [entity]), beside)[0], budget)
        finally:
            remove_path(beside)
    else:
        whole = source.recoded(found.recoding, [entity]).materialise()
        try:
            yield open_table(whole, missing_values=(), **budget)
        finally:
            unpersist(whole)


def _write(
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


def release_of(source: Source, found: Found, table: Any, verdict: Verdict, notes: tuple[str, ...] = ()) -> Release:
    """Put together what was published and what is known about it."""
    problem, census = found.problem, found.problem.census
    basis = None
    if found.predicted is not None:
        basis = Basis(
            table=source.table,
            reading=source.manner.reading,
            problem=problem,
            predicted=found.predicted.result(),
            named=found.outcome.labels if isinstance(found.outcome, LocalOutcome) else None,
            seconds=time.monotonic() - source.started,
            peak=peak_memory(),
        )
    return Release(
        table=table,
        verdict=verdict,
        measures=found.costs,
        recoding=found.recoding,
        recipe=_recipe_of(source, found, notes),
        schema=problem.schema,
        model=problem.model,
        explanation=found.explanation,
        distributions={name: census.domains[name] for name in census.sensitive},
        basis=basis,
    )


def _recipe_of(source: Source, found: Found, notes: tuple[str, ...]) -> Recipe:
    problem, outcome, census, manner = found.problem, found.outcome, found.problem.census, source.manner
    rows = census.records + census.dropped
    people = source.people(rows)
    repeated = [
        f"Groups may hold fewer people than rows: column {name!r} has {number} values in {rows:,} rows, and rows were "
        "counted. If it says whose row it is, call it the entity: then people are counted."
        for name, number in people.items()
    ]
    for note in repeated:
        warn(note)
    no_result = f"NOT A RESULT: tried out on a sample of {census.records:,} records. Nothing here may be published."
    tried = [] if source.sample is None else [no_result]
    lattice = None if isinstance(outcome, LocalOutcome) else outcome
    return Recipe(
        promise=str(problem.model),
        algorithm=found.algorithm,
        proof=outcome.proof,
        levels=None if found.recoding.levels is None else dict(found.recoding.levels),
        records=census.records,
        suppressed=found.suppressed,
        max_suppressed_records=problem.limit,
        dropped=census.dropped,
        checked=0 if lattice is None else lattice.checked,
        nodes=0 if lattice is None else lattice.nodes,
        lower_bound=0.0 if lattice is None else lattice.lower_bound,
        notes=(*tried, *outcome.notes, *manner.notes, *repeated, *notes),
        engine=type(source.engine).__name__,
        input=found.input.result(),
        order=manner.order,
        suppression=manner.suppression,
        pseudonymised=tuple(manner.pseudonyms),
        repeated=tuple(people),
        sample=source.sample,
        floor={} if found.predicted is None else problem.raised,
    )
