"""The classes that a recoding says will be published."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from incrowd.algorithms import Problem
from incrowd.core import Cells, Classes, FullDomainRecoding, Grouping, LocalRecoding, Recoding, group

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True, eq=False)
class Predicted:
    """The classes that a recoding makes.

    Attributes
    ----------
    classes
        All classes; they know what they are called.
    left_out
        Which of them are not published.
    quasi
        The quasi-identifiers of the cells inside the classes, where a local recoding says which they are.
    """

    classes: Classes
    left_out: Bools
    quasi: tuple[Ints, ...] | None = None

    def names(self, column: int) -> npt.NDArray[np.object_]:
        """Give the label of every code of a quasi-identifier."""
        if self.classes.labels is not None:
            return self.classes.labels[column]
        standing = self.classes.standing
        assert standing is not None  # noqa: S101 - a census says where its classes stand
        return standing.texts(column)


def predicted_by(problem: Problem, recoding: Recoding, paths: Ints | None = None) -> Predicted:
    """Give the classes that a recoding makes of a table.

    Parameters
    ----------
    problem
        The table, as the search saw it.
    recoding
        What the search found.
    paths
        How a local recoding cut its classes out, if it did: one row per class.
    """
    if isinstance(recoding, FullDomainRecoding):
        classes = problem.census.classes(recoding.levels)
        return Predicted(classes, _left_out(classes, recoding))
    classes = _locally(problem, recoding)
    classes = classes if paths is None else replace(classes, paths=paths)
    kept = _published(recoding)
    quasi = tuple(column[kept] for column in recoding.codes[: len(recoding.quasi)])
    return Predicted(classes, np.zeros(len(classes), dtype=bool), quasi)


def _locally(problem: Problem, recoding: LocalRecoding) -> Classes:
    census, kept = problem.census, _published(recoding)
    members = recoding.classes[kept]
    number = len(recoding.labels[0])
    first = np.zeros(number, dtype=np.intp)
    first[members[::-1]] = np.arange(len(members))[::-1]
    codes = dict(zip(recoding.domains, (column[kept] for column in recoding.codes), strict=True))
    entity = problem.schema.entity
    cells = Cells(
        {name: codes[name] for name in census.sensitive},
        {name: recoding.domains[name] for name in census.sensitive},
        None if entity is None else codes[entity],
        recoding.counts[kept],
    )
    names, ids = zip(*recoding.named.values(), strict=True)
    return Classes.of(Grouping(members, first), ids, cells, labels=names)


def _published(recoding: LocalRecoding) -> Bools | slice:
    """Say which entries of a recoding are published; a slice, which copies nothing, where all are."""
    kept = recoding.classes >= 0
    return slice(None) if kept.all() else kept


def _left_out(predicted: Classes, recoding: FullDomainRecoding) -> Bools:
    """Say which classes of a node are suppressed."""
    if not recoding.leaves_out:
        return np.zeros(len(predicted), dtype=bool)
    sizes = [len(recoding.ladders[name].labels[level]) for name, level in recoding.levels.items()]
    both = [np.concatenate(pair) for pair in zip(predicted.codes, recoding.suppressed, strict=True)]
    ids = group(both, sizes).ids
    return np.isin(ids[: len(predicted)], ids[len(predicted) :])
