"""From what a search found to a published table that was checked again."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from incrowd.core import (
    CensusRequest,
    Classes,
    FullDomainRecoding,
    Hint,
    Labelling,
    ParameterError,
    Recoding,
    Schema,
    Verdict,
    remove_path,
    warn,
)
from incrowd.engines import Engine, SparkHome, Wording, cluster_of, forget, open_table, open_written, peak
from incrowd.release._census import fits_in_memory
from incrowd.release._certificate import columns_of
from incrowd.release._doubts import Seen, note_on, repeating
from incrowd.release._explanation import Explanation, explanation_of, local_explanation_of
from incrowd.release._floor import NO_REPORTS, floor_of
from incrowd.release._folder import new_folder, write_around
from incrowd.release._output import Manner, Output
from incrowd.release._recheck import checked_again
from incrowd.release._recipe import Basis, Predicted, Recipe, budget_of, described, predicted_by, versions
from incrowd.release._release import Release
from incrowd.release._release_file import Measuring, open_released
from incrowd.release._wording import labels_known, wording_read, wording_wanted
from incrowd.search import Inspection, LocalOutcome, Node, Outcome, Problem

# Whether a release can be compared with its table, or at least be measured, within the memory that may be used.


def comparable(original: Engine, schema: Schema) -> bool:
    """Say whether the census of the whole table fits, with all of its sensitive columns."""
    request = CensusRequest(schema.quasi_names, schema.sensitive_names, entity=schema.entity, count=schema.count)
    return fits_in_memory(original, request)


def reportable(original: Engine, released: Engine, schema: Schema) -> bool:
    """Say whether a report can be written: nothing is compared in it where the original does not fit.

    Whose row it is only the original tells, so where people have several rows nothing is measured without it.
    """
    if comparable(original, schema):
        return True
    request = CensusRequest(schema.quasi_names, schema.sensitive_names)
    return schema.entity is None and fits_in_memory(released, request)


@dataclass(frozen=True, slots=True)
class Source:
    """The table that is published."""

    table: Any
    engine: Engine
    columns: list[str]
    manner: Manner
    sample: int | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    named: Mapping[str, Seen] = field(default_factory=dict)
    started: float = field(default_factory=time.monotonic)

    def recoded(self, recoding: Recoding, more: Sequence[str] = ()) -> Engine:
        """Give the table as it is published, with more columns where it is only looked at."""
        keep = self.manner.order == "keep"
        columns = [*self.columns, *more]
        return self.engine.recode(recoding, columns, replace=self.manner.pseudonyms, keep_order=keep)


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What was searched, and what was found. Some of it is still being counted while the table is written."""

    problem: Problem
    outcome: Outcome | LocalOutcome
    algorithm: str
    recoding: Recoding
    predicted: Future[Predicted] | None
    suppressed: int
    costs: Mapping[str, float]
    explanation: Explanation
    input: Future[dict[str, Any]]


def publish_node(source: Source, problem: Problem, outcome: Outcome, algorithm: str) -> Release:
    """Publish the best node that a search found."""
    best = outcome.best
    assert best is not None  # noqa: S101 - the caller saw to it
    recoding, costs = _inspected(problem, best)
    with ThreadPoolExecutor(max_workers=1) as beside:  # NumPy and DuckDB let others run while they work
        predicted = beside.submit(predicted_by, problem, recoding)
        if source.manner.suppression == "mask" and recoding.leaves_out:
            recoding = replace(recoding, masked=True)
        found = Found(
            problem=problem,
            outcome=outcome,
            algorithm=algorithm,
            recoding=recoding,
            predicted=predicted,
            suppressed=best.suppressed,
            costs=costs,
            explanation=explanation_of(problem, best),
            input=describing(source, problem, beside),
        )
        return _publish(source, found)


def _inspected(problem: Problem, best: Node) -> tuple[FullDomainRecoding, dict[str, float]]:
    """Give what becomes of every record, and what that costs; what it took to find out is forgotten before writing."""
    inspected = Inspection(problem, best.levels)
    return inspected.recoding(), inspected.costs()


def publish_locally(source: Source, problem: Problem, outcome: LocalOutcome, algorithm: str) -> Release:
    """Publish the local recoding that a search found."""
    if outcome.suppressed and source.manner.suppression == "mask":
        msg = "A local recoding leaves records out; it cannot mask them."
        raise ParameterError(msg, hint=Hint("use {suppression}.", suppression="drop"))
    with ThreadPoolExecutor(max_workers=1) as beside:
        found = Found(
            problem=problem,
            outcome=outcome,
            algorithm=algorithm,
            recoding=outcome.recoding,
            predicted=beside.submit(predicted_by, problem, outcome.recoding, outcome.paths),
            suppressed=outcome.suppressed,
            costs=outcome.costs,
            explanation=local_explanation_of(problem, outcome),
            input=describing(source, problem, beside),
        )
        return _publish(source, found)


def _publish(source: Source, found: Found) -> Release:
    """Apply what was found, and check what came out of it with nothing but its labels."""
    if source.manner.output is not None:
        return _write(source, found, source.manner.output)
    table = source.recoded(found.recoding).materialise()
    with _to_check(source, found, table) as engine:
        verdict, _ = _verdict(engine, found)
    return release_of(source, found, table, verdict)


def _write(source: Source, found: Found, output: Output) -> Release:
    """Write a release without ever holding its table; it is checked as it stands in the file."""
    with new_folder(output.folder, force=output.force) as folders:
        data = folders.public / f"data.{output.format}"
        wanted = wording_wanted(
            output.dialect, wording_read(source.engine), source.engine, found.problem.schema, found.recoding.domains
        )
        labels = labels_known(source.engine, wanted=output.labels)
        cluster, wording = _written(source.recoded(found.recoding), data, wanted)
        with _to_check(source, found, data, cluster, wording) as engine:
            verdict, classes = _verdict(engine, found)
            about = output.about if output.about is None or _reportable(source, found, engine) else None
        notes = () if about is output.about else (NO_REPORTS,)
        release = release_of(source, found, output.folder / folders.public.name / data.name, verdict, notes)
        how: dict[str, Any] = {"sign": output.sign, "plan": output.plan, "about": about}
        if cluster is None and release.schema.entity is None:  # else persons were grouped, or by another reader
            quasi = release.schema.quasi_names
            measuring = Measuring(engine, columns_of(release, engine), release.model, quasi=quasi)
            how |= {"released": engine, "found": measuring.take(classes).result()}
        write_around(release, folders, data, wording, labels=labels, **how)
    return release


@contextmanager
def _to_check(
    source: Source, found: Found, table: Any, cluster: SparkHome | None = None, wording: Wording | None = None
) -> Iterator[Engine]:
    """Open what is published; whose row it is decides where it is known, so it is looked at beside it."""
    entity = found.problem.schema.entity
    budget = budget_of(source.reading)
    if entity is None or entity in source.columns:
        path = isinstance(table, Path)
        yield _opened(table, cluster, budget, wording) if path else open_table(table, missing_values=(), **budget)
    elif isinstance(table, Path):
        beside = table.with_name(".checked.parquet")
        try:
            yield _opened(beside, _written(source.recoded(found.recoding, [entity]), beside)[0], budget)
        finally:
            remove_path(beside)
    else:
        whole = source.recoded(found.recoding, [entity]).materialise()
        try:
            yield open_table(whole, missing_values=(), **budget)
        finally:
            forget(whole)


def _written(engine: Engine, path: Path, wanted: Wording | None = None) -> tuple[SparkHome | None, Wording]:
    """Write a table; say which cluster did, if one did, and how. The engine is forgotten before its file is checked."""
    wording = engine.write(path, wording=wanted)
    return cluster_of(engine), wording


def _opened(path: Path, cluster: SparkHome | None, budget: Mapping[str, Any], wording: Wording | None = None) -> Engine:
    """Open what was written: what a cluster wrote, by the cluster."""
    if cluster is not None:
        return open_written(path, cluster)
    return open_released(path, wording, **budget)


def _verdict(engine: Engine, found: Found) -> tuple[Verdict, Classes]:
    assert found.predicted is not None  # noqa: S101 - a table that is published as a whole has its classes here
    return checked_again(engine, found.problem, found.recoding, found.predicted.result())


def _reportable(source: Source, found: Found, released: Engine) -> bool:
    return reportable(source.engine, released, found.problem.schema)


def release_of(source: Source, found: Found, table: Any, verdict: Verdict, notes: tuple[str, ...] = ()) -> Release:
    """Put together what was published and what is known about it."""
    problem, census = found.problem, found.problem.census
    return Release(
        table=table,
        verdict=verdict,
        measures=found.costs,
        recoding=found.recoding,
        recipe=_recipe(source, found, notes),
        schema=problem.schema,
        model=problem.model,
        explanation=found.explanation,
        distributions={name: census.domains[name] for name in census.sensitive},
        basis=_basis(source, found),
    )


def _basis(source: Source, found: Found) -> Basis | None:
    if found.predicted is None:
        return None
    return Basis(
        table=source.table,
        reading=source.reading,
        problem=found.problem,
        predicted=found.predicted.result(),
        named=_labels_of(found.outcome),
        seconds=time.monotonic() - source.started,
        peak=peak(),
    )


def _labels_of(outcome: Outcome | LocalOutcome) -> tuple[Labelling, ...] | None:
    return outcome.labels if isinstance(outcome, LocalOutcome) else None


def _recipe(source: Source, found: Found, notes: tuple[str, ...]) -> Recipe:
    problem, outcome, census = found.problem, found.outcome, found.problem.census
    rows = census.records + census.dropped
    people = {} if source.sample is not None else repeating(source.named, rows)
    told = [note_on(name, number, rows) for name, number in people.items()]
    for note in told:
        warn(note)
    return Recipe(
        promise=str(problem.model),
        algorithm=found.algorithm,
        proof=outcome.proof,
        levels=None if found.recoding.levels is None else dict(found.recoding.levels),
        records=census.records,
        suppressed=found.suppressed,
        max_suppressed_records=problem.limit,
        dropped=census.dropped,
        **_searched(outcome),
        notes=(
            *_not_a_result(source, census.records),
            *outcome.notes,
            *source.manner.notes,
            *told,
            *notes,
        ),
        engine=type(source.engine).__name__,
        input=found.input.result(),
        versions=versions(),
        order=source.manner.order,
        suppression=source.manner.suppression,
        pseudonymised=tuple(source.manner.pseudonyms),
        repeated=tuple(people),
        sample=source.sample,
        floor={} if found.predicted is None else floor_of(problem),
    )


def describing(source: Source, problem: Problem, beside: ThreadPoolExecutor) -> Future[dict[str, Any]]:
    """Find out what is known about the table while others work."""
    rows = problem.census.records + problem.census.dropped
    columns, read = list(source.engine.columns()), wording_read(source.engine)
    return beside.submit(described, source.table, columns, rows, read, source.reading)


def _searched(outcome: Outcome | LocalOutcome) -> dict[str, Any]:
    """Say how much of a lattice was searched; a local recoding is on none."""
    if isinstance(outcome, LocalOutcome):
        return {"checked": 0, "nodes": 0, "lower_bound": 0.0}
    return {"checked": outcome.checked, "nodes": outcome.nodes, "lower_bound": outcome.lower_bound}


def _not_a_result(source: Source, records: int) -> list[str]:
    if source.sample is None:
        return []
    return [f"NOT A RESULT: tried out on a sample of {records:,} records. Nothing here may be published."]
