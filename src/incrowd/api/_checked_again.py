"""Checking a published table again: its labels, grouped by an engine, against what the search predicted."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.algorithms import Problem
from incrowd.api._check import verdict_of
from incrowd.api._masked import looks_masked, part_of, same_mask
from incrowd.api._promised import shown_by_a_file
from incrowd.core import (
    Classes,
    Domain,
    Finding,
    FullDomainRecoding,
    ParameterError,
    PrivacyWarning,
    ReleaseMismatch,
    Standing,
    Verdict,
    group,
)
from incrowd.engines import Engine
from incrowd.models import NTCloseness

Bools = npt.NDArray[np.bool_]


def checked_again(engine: Engine, problem: Problem, recoding: FullDomainRecoding) -> Verdict:
    """Judge a published table, and compare it with what the search predicted.

    Parameters
    ----------
    engine
        The published table, which groups its labels itself.
    problem
        What the search was asked.
    recoding
        What it found.

    Notes
    -----
    Neither census nor ladders take part in the verdict, with one exception: the supersets of (n, t)-closeness are
    regions of the whole input (N-REF), so there the predicted classes are judged, which equal the published ones.
    """
    census, schema = problem.census, problem.schema
    domains = {name: census.domains[name] for name in census.sensitive}
    published = engine.classes(schema.quasi_names, domains, schema.entity, schema.count)
    predicted = census.classes(recoding.levels)
    left_out = left_out_of(predicted, recoding)
    if recoding.masks:
        masked = looks_masked(published)
        same = same_mask(part_of(published, masked), predicted, left_out)
        _expect(fine=same, problem="has other masked records than the search predicted")
        _compare(part_of(published, ~masked), predicted, ~left_out)
    else:
        _compare(published, predicted, ~left_out)
    judges = problem.judges()
    if any(isinstance(judge.model, NTCloseness) for judge in judges):
        verdict = verdict_of(judges, predicted, recoding.quasi, among=~left_out)
    else:
        verdict = verdict_of(judges, published, recoding.quasi)
    _expect(fine=verdict.holds, problem="does not keep the promise that the search found it to keep")
    return replace(verdict, beside=_beside(engine, published, problem))


def _beside(engine: Engine, published: Classes, problem: Problem) -> tuple[Finding, ...]:
    """Measure the promises that compare with the original table against the published one, with its values alone."""
    judges = [judge for judge in problem.judges() if judge.refers]
    if not judges:
        return ()
    schema = problem.schema
    own = engine.domains(list(dict.fromkeys(name for judge in judges for name in judge.columns)))
    parts = dict.fromkeys(judge.model for judge in judges)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)  # said already, about the original table
        bound = [judge for part in parts for judge in shown_by_a_file(part, len(schema.quasi)).bind(schema, own)]
    return verdict_of(bound, _recoded(published, own), schema.quasi_names).findings


def _recoded(classes: Classes, own: Mapping[str, Domain]) -> Classes:
    """Give classes the codes of other domains, which have all the values that occur."""
    cells = classes.cells
    sensitive = {name: cells.domains[name].codes_in(domain)[cells.sensitive[name]] for name, domain in own.items()}
    return replace(classes, cells=replace(cells, sensitive=sensitive, domains=own))


def _compare(published: Classes, predicted: Classes, kept: Bools) -> None:
    """Refuse a table whose classes or sensitive values are not those that were predicted."""
    standing = predicted.standing
    assert standing is not None  # noqa: S101 - a census says where its classes stand
    found = _coded(published, standing)
    order = np.lexsort(found.codes[::-1])
    same = len(found) == int(kept.sum()) and all(
        np.array_equal(have[order], expected[kept])
        for have, expected in zip(
            (*found.codes, found.size, found.records),
            (*predicted.codes, predicted.size, predicted.records),
            strict=True,
        )
    )
    _expect(fine=same, problem="has other classes than the search predicted")
    place = np.empty(len(found), dtype=np.int64)
    place[order] = np.flatnonzero(kept)
    for name in predicted.cells.sensitive:
        same = _same_values(found, predicted, place, kept, name)
        _expect(fine=same, problem="has other sensitive values in its classes than the search predicted")


def _coded(published: Classes, standing: Standing) -> Classes:
    try:
        return standing.attach(published)
    except ParameterError:
        _expect(fine=False, problem="has labels that the search did not predict")
        raise


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


def left_out_of(predicted: Classes, recoding: FullDomainRecoding) -> Bools:
    """Say which classes of a node are suppressed."""
    if not recoding.leaves_out:
        return np.zeros(len(predicted), dtype=bool)
    sizes = [len(recoding.ladders[name].labels[level]) for name, level in recoding.levels.items()]
    both = [np.concatenate(pair) for pair in zip(predicted.codes, recoding.suppressed, strict=True)]
    ids = group(both, sizes).ids
    return np.isin(ids[: len(predicted)], ids[len(predicted) :])


def _expect(*, fine: bool, problem: str) -> None:
    if not fine:
        msg = f"The published table {problem}."
        raise ReleaseMismatch(msg, hint="please report this; nothing was published.")
