"""Whether a table keeps a promise; of a published one also whether it is what the search predicted, by its labels."""

from __future__ import annotations

import warnings
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import (
    TOP,
    Census,
    Classes,
    Domain,
    Finding,
    FullDomainRecoding,
    HierarchyError,
    Hint,
    Ladder,
    PrivacyWarning,
    Recoding,
    ReleaseMismatch,
    Schema,
    Setting,
    Verdict,
    warn,
)
from incrowd.engines import Engine
from incrowd.hierarchies import flat
from incrowd.models import Judge, Judgement, Model, NTCloseness
from incrowd.release._input_distance import notes_on_few
from incrowd.release._recipe import Predicted
from incrowd.search import Problem


def verdict_of(
    judges: Sequence[Judge], classes: Classes, quasi: Sequence[str], among: Any = None, notes: Sequence[str] = ()
) -> Verdict:
    """Judge classes that have been counted already."""
    among = np.ones(len(classes), dtype=bool) if among is None else among
    judgements = [judge.judge(classes) for judge in judges]
    failing = among & ~np.logical_and.reduce([judgement.ok for judgement in judgements])
    labels = {name: classes.texts(column)[failing] for column, name in enumerate(quasi)}
    return Verdict(
        findings=tuple(_finding_of(*pair, classes, among) for pair in zip(judges, judgements, strict=True)),
        classes=int(among.sum()),
        records=int(classes.records[among].sum()),
        persons=_count_persons(classes, among),
        failing={**labels, free_name("records", labels): classes.records[failing]},
        notes=tuple(dict.fromkeys([*notes, *(note for judge in judges for note in judge.notes(classes))])),
    )


def free_name(name: str, taken: Container[str]) -> str:
    """Give a column's name that no other column has, by underscores at its end."""
    return free_name(f"{name}_", taken) if name in taken else name


def notes_on_look_alikes(judges: Sequence[Judge], census: Census) -> list[str]:
    """Name the columns with values that look alike in print: they count as different."""
    promised = [name for judge in judges for name in judge.columns]
    alike = {name: sum(map(len, census.domains[name].look_alikes())) for name in (*census.quasi, *promised)}
    return [
        f"Column {name!r} has {count} values that look alike in print; they count as different."
        for name, count in alike.items()
        if count
    ]


def looks_at_levels(model: Model) -> bool:
    """Say whether a promise looks at coarser levels of the hierarchies."""
    return any(isinstance(part, NTCloseness) and part.supersets == "lattice" for part in model.parts)


def ladders_of(schema: Schema, domains: Mapping[str, Domain]) -> dict[str, Ladder]:
    """Fit the hierarchies that were given; a column without one has nothing above its values but ``*``."""
    given = {name: hierarchy for name, hierarchy in schema.quasi if hierarchy is not None}
    if not given:
        return {}
    try:
        return Schema(given).bind(domains, default=flat()).ladders
    except HierarchyError as error:
        either = Setting("supersets", ("drop", "path"), "supersets='drop' or 'path'")
        error.hint = Hint("for a released table use {}. For an original one: ", either) + error.hint
        raise


def _finding_of(judge: Judge, judgement: Judgement, classes: Classes, among: Any) -> Finding:
    bad, among = among & ~judgement.ok, among & judgement.asked
    requirements = judge.model.requirements
    pairs = zip(requirements, judgement.measured, strict=True)
    numbers = [values.worst(bound.sense, among) for bound, values in pairs]
    return Finding(
        promise=str(judge.model),
        columns=judge.columns,
        required=tuple((bound.name, bound.sense, bound.bound) for bound in requirements),
        measured=tuple(number for number in numbers if number is not None),
        failing_classes=int(bad.sum()),
        failing_records=int(classes.records[bad].sum()),
        failing_persons=None if classes.cells.person is None else int(classes.size[bad].sum()),
        reference=judge.reference_table,
        supersets=judge.supersets(classes),
    )


def _count_persons(classes: Classes, among: Any) -> int | None:
    """Count the people in classes, where the table says whose row is whose."""
    if classes.cells.person is None:
        return None
    return len(np.unique(classes.cells.person[among[classes.members]]))


# A published table, checked again: its labels, grouped by an engine, against what the search predicted.

Bools = npt.NDArray[np.bool_]
OTHER_ROWS = (
    "nothing was published. If the table gives other rows each time that it is read, as a sample does, hand over a "
    "copy of it; else please report this."
)


def verdict_on_published(
    engine: Engine, problem: Problem, recoding: Recoding, predicted: Predicted
) -> tuple[Verdict, Classes]:
    """Judge a published table, compare it with what the search predicted, and warn; give also its classes."""
    verdict, published = verdict_as_predicted(engine, problem, recoding, predicted)
    expect(fine=verdict.holds, problem="does not keep the promise that the search found it to keep")
    notes = list(_notes_on_few(engine, published, problem))
    for note in notes:
        warn(note)
    verdict = replace(verdict, beside=file_findings(engine, published, problem), notes=(*verdict.notes, *notes))
    return verdict, published


def verdict_as_predicted(
    engine: Engine, problem: Problem, recoding: Recoding, predicted: Predicted
) -> tuple[Verdict, Classes]:
    """Judge a published table that is what the search predicted; give also its classes.

    Neither census nor ladders take part in the verdict, with one exception: the supersets of (n, t)-closeness are
    regions of the whole input (N-REF), so there the predicted classes are judged, which equal the published ones.
    """
    published = classes_as_predicted(engine, problem, recoding, predicted)
    judges = problem.judges()
    if any(isinstance(judge.model, NTCloseness) for judge in judges):
        return verdict_of(judges, predicted.classes, recoding.quasi, among=~predicted.left_out), published
    return verdict_of(judges, published, recoding.quasi), published


def classes_as_predicted(engine: Engine, problem: Problem, recoding: Recoding, predicted: Predicted) -> Classes:
    """Group the labels of a published table, and refuse it if they are not what the search predicted."""
    census, schema = problem.census, problem.schema
    domains = {name: census.domains[name] for name in census.sensitive}
    published = engine.classes(schema.quasi_names, domains, schema.entity, schema.count)
    if isinstance(recoding, FullDomainRecoding) and recoding.has_masked:
        stars = [published.texts(column) == TOP for column in range(len(published.codes))]
        masked: Bools = np.logical_and.reduce(stars).astype(bool)
        same = _is_mask_as_predicted(published.part(masked[published.members]), predicted)
        expect(fine=same, problem="has other masked records than the search predicted")
        _compare(published.part(~masked[published.members]), predicted)
    else:
        _compare(published, predicted)
    return published


def _is_mask_as_predicted(published: Classes, predicted: Predicted) -> bool:
    """Say whether what looks masked is one class, and all that was to be masked: that is judged as any other class."""
    last, masked = int((~predicted.left_out).sum()), predicted.left_out
    together = predicted.classes.merge(np.where(masked, last, np.cumsum(~masked) - 1), last + 1)
    if len(published) != 1:
        return False
    pairs: list[tuple[Any, Any]] = [(published.size, together.size[-1:]), (published.records, together.records[-1:])]
    for name in together.cells.sensitive:
        have, expected = published.histogram(name), together.histogram(name)
        wanted = expected.classes == last
        pairs += [(have.values[0], expected.values[0][wanted]), (have.counts, expected.counts[wanted])]
    return all(np.array_equal(*pair) for pair in pairs)


def _compare(published: Classes, predicted: Predicted) -> None:
    """Refuse a table whose classes or sensitive values are not those that were predicted."""
    classes, kept = predicted.classes, ~predicted.left_out
    found = tuple(_predicted_codes(published, predicted, column) for column in range(len(classes.codes)))
    order = np.lexsort(found[::-1])
    places = np.flatnonzero(kept)
    places = places[np.lexsort([codes[places] for codes in classes.codes[::-1]])]
    pairs = zip(
        (*found, published.size, published.records), (*classes.codes, classes.size, classes.records), strict=True
    )
    same = len(order) == len(places) and all(np.array_equal(have[order], expected[places]) for have, expected in pairs)
    expect(fine=same, problem="has other classes than the search predicted")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = places
    for name in classes.cells.sensitive:
        same = _are_values_the_same(published, classes, place, kept, name)
        expect(fine=same, problem="has other sensitive values in its classes than the search predicted")


def _predicted_codes(published: Classes, predicted: Predicted, column: int) -> npt.NDArray[np.int64]:
    """Give what the published classes are called as the codes of the predicted ones."""
    known = {text: code for code, text in enumerate(predicted.classes.names(column).tolist())}
    own = np.array([known.get(text, -1) for text in published.names(column).tolist()], dtype=np.int64)
    codes = own[published.codes[column]] if len(published) else own[:0]
    expect(fine=not (codes < 0).any(), problem="has labels that the search did not predict")
    return codes


def _are_values_the_same(found: Classes, predicted: Classes, place: Any, kept: Bools, name: str) -> bool:
    have, expected = found.histogram(name), predicted.histogram(name)
    wanted, owner = kept[expected.classes], place[have.classes]
    order = np.lexsort((have.values[0], owner))
    pairs = (owner, expected.classes), (have.values[0], expected.values[0]), (have.counts, expected.counts)
    return all(np.array_equal(left[order], right[wanted]) for left, right in pairs)


def expect(*, fine: bool, problem: str) -> None:
    """Refuse a published table of which something is not as it must be."""
    if not fine:
        msg = f"The published table {problem}."
        raise ReleaseMismatch(msg, hint=OTHER_ROWS)


# Promises that compare with the original table, measured against the published one, with its values alone.


def file_findings(engine: Engine, published: Classes, problem: Problem, *, share: bool = False) -> tuple[Finding, ...]:
    """Measure them on a published table, or on a share of its classes."""
    judges, own = _judges_of_file(engine, problem, share=share)
    if not judges:
        return ()
    verdict = verdict_of(judges, published.with_domains(own), problem.schema.quasi_names)
    return (judged_by_itself(verdict) if share else verdict).findings


def _notes_on_few(engine: Engine, published: Classes, problem: Problem) -> Iterator[str]:
    """Warn of them where few records of the original table are left out."""
    left_out = problem.census.records - int(published.records.sum())
    judges, own = _judges_of_file(engine, problem) if left_out else ([], {})
    if not judges:
        return
    classes = published.with_domains(own)
    promised = [str(judge.model) for judge in problem.judges() if judge.refers]
    found = verdict_of(judges, classes, problem.schema.quasi_names).findings
    named = [replace(finding, promise=text) for finding, text in zip(found, promised, strict=True)]
    yield from notes_on_few(judges, named, classes, own, left_out)


def _judges_of_file(engine: Engine, problem: Problem, *, share: bool = False) -> tuple[list[Judge], dict[str, Domain]]:
    """Bind these promises to the values of the published table."""
    judges = [judge for judge in problem.judges() if judge.refers]
    schema, known = problem.schema, problem.census.domains
    own = engine.domains(list(dict.fromkeys(name for judge in judges for name in judge.columns))) if judges else {}
    own = {name: domain.read_as(known[name].kind) for name, domain in own.items()}
    parts = dict.fromkeys(judge.model for judge in judges)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)  # said already, about the original table
        whole = {name: domain.counts for name, domain in own.items()} if share else None
        shown = [part.in_file(len(schema.quasi)) for part in parts]
        return [judge for part in shown for judge in part.bind(schema, own, whole)], own


def judged_by_itself(verdict: Verdict) -> Verdict:
    """Say of a table that was judged share by share that it was compared with nothing but itself."""
    findings = (replace(one, reference="table") if one.reference else one for one in verdict.findings)
    return replace(verdict, findings=tuple(findings))
