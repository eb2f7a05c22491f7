"""The published classes with their counts of a sensitive column: associations, and (n, t)-closeness by class."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from incrowd.core import CensusRequest, Classes, ParameterError, UnknownColumnError
from incrowd.models import Association, Distance, NTCloseness
from incrowd.release import (
    Release,
    basis_of,
    census_within_memory,
    open_original,
    open_release,
    prediction_of,
)
from incrowd.search import Problem


def sensitive_classes(release: Release, column: str) -> tuple[Problem, Classes]:
    """Give what was searched, and the published classes with the counts of a sensitive column.

    A column that nothing was promised about is counted now; nothing is searched again.
    """
    basis, schema = basis_of(release), release.schema
    problem, predicted = basis.problem, basis.predicted
    if column not in schema.sensitive_names:
        raise UnknownColumnError.of(column, list(schema.sensitive_names), given_as="sensitive column")
    if column not in problem.census.sensitive:
        if release.recoding.levels is None:
            return problem, _classes_as_published(release, column)
        census = problem.census
        wanted = {*census.sensitive, column}
        request = CensusRequest(
            census.quasi,
            tuple(name for name in schema.sensitive_names if name in wanted),
            census.ladders,
            release.recoding.levels,  # nothing below them is published
            schema.entity,
            schema.count,
        )
        engine = open_original(release, basis.table, schema, **basis.reading)
        problem = replace(problem, census=census_within_memory(engine, request))
        predicted = prediction_of(problem, release.recoding)
    classes, left_out = predicted.classes, predicted.left_out
    return problem, classes.part(~left_out[classes.members]) if left_out.any() else classes


def _classes_as_published(release: Release, column: str) -> Classes:
    """Count a column group by group as everybody can who has the release, which says nothing of whose rows they are."""
    schema = release.schema
    if schema.entity is not None:
        msg = f"Nothing is promised about column {column!r}, so its values were not counted group by group."
        raise ParameterError(msg, hint="add a promise about it, such as l>=2, and run again.")
    engine = open_release(release)
    return engine.classes(schema.quasi_names, engine.domains([column]), None, schema.count)


def association_of(release: Release, column: str) -> Association:
    """Say which share of each published class has each value of a sensitive column."""
    return Association.of(sensitive_classes(release, column)[1], column)


class ClassCloseness(NamedTuple):
    """A class, its distance to the nearest superset, and the superset that shows it; none where it is too far."""

    labels: tuple[str | None, ...]
    records: int
    distance: float
    certified_by: str | None


@dataclass(frozen=True, slots=True, eq=False)
class ClosenessByClass:
    """Whether (n, t)-closeness holds class by class: those that fail first, and of these the farthest.

    ``supersets``: which kind of them counted. ``failing``, ``more``: classes that fail, and that are not listed.
    """

    promise: str
    quasi: tuple[str, ...]
    supersets: str
    notes: tuple[str, ...]
    failing: int
    classes: tuple[ClassCloseness, ...] = field(repr=False)
    more: int = 0


def closeness_by_class(
    release: Release,
    column: str,
    n: int,
    t: float,
    *,
    distance: Distance = "equal",
    supersets: Literal["lattice", "path", "drop", "table"] = "lattice",
    most: int | None = None,
) -> ClosenessByClass:
    """Say class by class whether (n, t)-closeness holds, and list the worst, at most so many."""
    problem, classes = sensitive_classes(release, column)
    model = NTCloseness(n, t, column, distance, supersets)
    if classes.standing is None:  # they stand at no levels, so there is no lattice above them
        model = model.in_file(len(classes.codes))
    (judge,) = model.bind(problem.schema, classes.cells.domains)
    found: Any = judge  # the judge of this model gives certificates
    certificates = found.certificates(classes)
    names, distances = certificates.supersets, certificates.distances.floats
    held = np.array([name is not None for name in names])
    order = np.lexsort((-distances, held))[:most].tolist()
    texts = [classes.texts(place) for place in range(len(classes.codes))]
    listed = tuple(
        ClassCloseness(
            tuple(one[place] for one in texts), int(classes.records[place]), float(distances[place]), names[place]
        )
        for place in order
    )
    return ClosenessByClass(
        str(model),
        problem.census.quasi,
        found.supersets(classes),
        tuple(found.notes(classes)),
        int((~held).sum()),
        listed,
        len(classes) - len(listed),
    )
