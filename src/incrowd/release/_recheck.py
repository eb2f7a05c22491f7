"""Checking a published table again: its labels, grouped by an engine, against what the search predicted."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import (
    TOP,
    Cells,
    Classes,
    Domain,
    Finding,
    FullDomainRecoding,
    Grouping,
    PrivacyWarning,
    Recoding,
    ReleaseMismatch,
    Verdict,
    warn,
)
from incrowd.engines import Engine
from incrowd.models import Judge, NTCloseness, file_promise
from incrowd.release._input_distance import notes_on_few
from incrowd.release._recipe import Predicted
from incrowd.release._release_file import with_codes_of, with_itself
from incrowd.release._verdict import verdict_of
from incrowd.search import Problem

# Records that break the promise, published with ``*`` in every quasi-identifier: one class, judged as any other.

Bools = npt.NDArray[np.bool_]


def merged(classes: Classes, masked: Bools) -> Classes:
    """Put all masked classes together into one, the last."""
    region = np.where(masked, int((~masked).sum()), np.cumsum(~masked) - 1)
    return classes.merge(region, int((~masked).sum()) + 1)


def looks_masked(classes: Classes) -> Bools:
    """Say which classes are called ``*`` in every quasi-identifier."""
    stars = [classes.texts(column) == TOP for column in range(len(classes.codes))]
    return np.asarray(np.logical_and.reduce(stars), dtype=bool)


def part_of(classes: Classes, wanted: Bools) -> Classes:
    """Give some of the classes."""
    inside = wanted[classes.members]
    members = (np.cumsum(wanted) - 1)[classes.members[inside]]
    first = np.unique(members, return_index=True)[1]
    cells = classes.cells
    within = Cells(
        {name: codes[inside] for name, codes in cells.sensitive.items()},
        cells.domains,
        _only(cells.person, inside),
        cells.counts[inside],
    )
    codes = tuple(code[wanted] for code in classes.codes)
    return Classes.of(Grouping(members, first), codes, within, classes.labels, classes.standing)


def same_mask(published: Classes, predicted: Classes, left_out: Bools) -> bool:
    """Say whether one class of a published table is what was to be masked."""
    together = merged(predicted, left_out)
    last = len(together) - 1
    if len(published) != 1:
        return False
    pairs: list[tuple[Any, Any]] = [(published.size, together.size[-1:]), (published.records, together.records[-1:])]
    for name in predicted.cells.sensitive:
        have, expected = published.histogram(name), together.histogram(name)
        wanted = expected.classes == last
        pairs += [(have.values[0], expected.values[0][wanted]), (have.counts, expected.counts[wanted])]
    return all(np.array_equal(*pair) for pair in pairs)


def _only(array: Any, inside: Bools) -> Any:
    return None if array is None else array[inside]


OTHER_ROWS = (
    "nothing was published. If the table gives other rows each time that it is read, as a sample does, hand over a "
    "copy of it; else please report this."
)


def checked_again(
    engine: Engine, problem: Problem, recoding: Recoding, predicted: Predicted
) -> tuple[Verdict, Classes]:
    """Judge a published table, and compare it with what the search predicted; give the verdict, and its classes.

    Neither census nor ladders take part in the verdict, with one exception: the supersets of (n, t)-closeness are
    regions of the whole input (N-REF), so there the predicted classes are judged, which equal the published ones.
    """
    published = as_predicted(engine, problem, recoding, predicted)
    judges = problem.judges()
    if any(isinstance(judge.model, NTCloseness) for judge in judges):
        verdict = verdict_of(judges, predicted.classes, recoding.quasi, among=~predicted.left_out)
    else:
        verdict = verdict_of(judges, published, recoding.quasi)
    expect(fine=verdict.holds, problem="does not keep the promise that the search found it to keep")
    notes = list(_notes_on_few(engine, published, problem))
    for note in notes:
        warn(note)
    verdict = replace(verdict, beside=beside_of(engine, published, problem), notes=(*verdict.notes, *notes))
    return verdict, published


def _notes_on_few(engine: Engine, published: Classes, problem: Problem) -> Iterator[str]:
    """Warn of promises about the original table where few of its records are left out."""
    left_out = problem.census.records - int(published.records.sum())
    bound, own = _with_own(engine, problem) if left_out else ([], {})
    if not bound:
        return
    classes = with_codes_of(published, own)
    promised = [str(judge.model) for judge in problem.judges() if judge.refers]
    found = verdict_of(bound, classes, problem.schema.quasi_names).findings
    named = [replace(finding, promise=text) for finding, text in zip(found, promised, strict=True)]
    yield from notes_on_few(bound, named, classes, own, left_out)


def as_predicted(engine: Engine, problem: Problem, recoding: Recoding, predicted: Predicted) -> Classes:
    """Group the labels of a published table, and refuse it if they are not what the search predicted."""
    census, schema = problem.census, problem.schema
    domains = {name: census.domains[name] for name in census.sensitive}
    published = engine.classes(schema.quasi_names, domains, schema.entity, schema.count)
    classes, left_out = predicted.classes, predicted.left_out
    if isinstance(recoding, FullDomainRecoding) and recoding.masks:
        masked = looks_masked(published)
        same = same_mask(part_of(published, masked), classes, left_out)
        expect(fine=same, problem="has other masked records than the search predicted")
        _compare(part_of(published, ~masked), predicted)
    else:
        _compare(published, predicted)
    return published


def beside_of(engine: Engine, published: Classes, problem: Problem, *, share: bool = False) -> tuple[Finding, ...]:
    """Measure the promises that compare with the original table against the published one, with its values alone."""
    bound, own = _with_own(engine, problem, share=share)
    if not bound:
        return ()
    verdict = verdict_of(bound, with_codes_of(published, own), problem.schema.quasi_names)
    return (with_itself(verdict) if share else verdict).findings


def _with_own(engine: Engine, problem: Problem, *, share: bool = False) -> tuple[list[Judge], dict[str, Domain]]:
    """Bind the promises that compare with the original table to the values of the published one."""
    judges = [judge for judge in problem.judges() if judge.refers]
    schema = problem.schema
    known = problem.census.domains
    own = engine.domains(list(dict.fromkeys(name for judge in judges for name in judge.columns))) if judges else {}
    own = {name: domain.read_as(known[name].kind) for name, domain in own.items()}
    parts = dict.fromkeys(judge.model for judge in judges)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)  # said already, about the original table
        whole = {name: domain.counts for name, domain in own.items()} if share else None
        shown = [file_promise(part, len(schema.quasi)) for part in parts]
        return [judge for part in shown for judge in part.bind(schema, own, whole)], own


def _compare(published: Classes, predicted: Predicted) -> None:
    """Refuse a table whose classes or sensitive values are not those that were predicted."""
    classes, kept = predicted.classes, ~predicted.left_out
    found = tuple(_codes(published, predicted, column) for column in range(len(classes.codes)))
    order = np.lexsort(found[::-1])
    places = np.flatnonzero(kept)
    places = places[np.lexsort([codes[places] for codes in classes.codes[::-1]])]
    same = len(order) == len(places) and all(
        np.array_equal(have[order], expected[places])
        for have, expected in zip(
            (*found, published.size, published.records),
            (*classes.codes, classes.size, classes.records),
            strict=True,
        )
    )
    expect(fine=same, problem="has other classes than the search predicted")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = places
    for name in classes.cells.sensitive:
        same = _same_values(published, classes, place, kept, name)
        expect(fine=same, problem="has other sensitive values in its classes than the search predicted")


def _codes(published: Classes, predicted: Predicted, column: int) -> npt.NDArray[np.int64]:
    """Give what the published classes are called as the codes of the predicted ones."""
    known = {text: code for code, text in enumerate(predicted.names(column).tolist())}
    assert published.labels is not None  # noqa: S101 - an engine reads labels
    own = np.array([known.get(text, -1) for text in published.labels[column].tolist()], dtype=np.int64)
    codes = own[published.codes[column]] if len(published) else own[:0]
    expect(fine=not (codes < 0).any(), problem="has labels that the search did not predict")
    return codes


def _same_values(found: Classes, predicted: Classes, place: Any, kept: Bools, name: str) -> bool:
    have, expected = found.histogram(name), predicted.histogram(name)
    wanted = kept[expected.classes]
    owner = place[have.classes]
    order = np.lexsort((have.values[0], owner))
    return all(
        np.array_equal(left[order], right[wanted])
        for left, right in (
            (owner, expected.classes),
            (have.values[0], expected.values[0]),
            (have.counts, expected.counts),
        )
    )


def expect(*, fine: bool, problem: str) -> None:
    """Refuse a published table of which something is not as it must be."""
    if not fine:
        msg = f"The published table {problem}."
        raise ReleaseMismatch(msg, hint=OTHER_ROWS)
