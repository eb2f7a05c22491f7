"""Checking a published table again: its labels, grouped by an engine, against what the search predicted."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.algorithms import Problem
from incrowd.api._check import verdict_of
from incrowd.core import Classes, FullDomainRecoding, ParameterError, ReleaseMismatch, Standing, Verdict, group
from incrowd.models import NTCloseness

Bools = npt.NDArray[np.bool_]


def checked_again(published: Classes, problem: Problem, recoding: FullDomainRecoding) -> Verdict:
    """Judge a published table, and compare it with what the search predicted.

    Parameters
    ----------
    published
        The classes of the published labels, sensitive values coded as in the census.
    problem
        What the search was asked.
    recoding
        What it found.

    Notes
    -----
    Neither census nor ladders take part in the verdict, with one exception: the supersets of (n, t)-closeness are
    regions of the whole input (N-REF), so there the predicted classes are judged, which equal the published ones.
    """
    predicted = problem.census.classes(recoding.levels)
    kept = ~_left_out(predicted, recoding)
    _compare(published, predicted, kept)
    judges = problem.judges()
    if any(isinstance(judge.model, NTCloseness) for judge in judges):
        verdict = verdict_of(judges, predicted, recoding.quasi, among=kept)
    else:
        verdict = verdict_of(judges, published, recoding.quasi)
    _expect(fine=verdict.holds, problem="does not keep the promise that the search found it to keep")
    return verdict


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


def _left_out(predicted: Classes, recoding: FullDomainRecoding) -> Bools:
    """Say which classes of a node are suppressed."""
    if not recoding.suppressed or not len(recoding.suppressed[0]):
        return np.zeros(len(predicted), dtype=bool)
    sizes = [len(recoding.ladders[name].labels[level]) for name, level in recoding.levels.items()]
    both = [np.concatenate(pair) for pair in zip(predicted.codes, recoding.suppressed, strict=True)]
    ids = group(both, sizes).ids
    return np.isin(ids[: len(predicted)], ids[len(predicted) :])


def _expect(*, fine: bool, problem: str) -> None:
    if not fine:
        msg = f"The published table {problem}."
        raise ReleaseMismatch(msg, hint="please report this; nothing was published.")
