"""Original records beside what is published of them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from incrowd.core import Census, FullDomainRecoding, LocalRecoding, Recoding, group, overlay

Bools = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]
Ints = npt.NDArray[np.integer]
Texts = npt.NDArray[np.object_]


@dataclass(frozen=True, slots=True, eq=False)
class Linked:
    """Records, and what is published of them; many that are alike at once.

    Attributes
    ----------
    values
        Per quasi-identifier, the code of the original value.
    target
        The code of the target.
    labels
        Per quasi-identifier, the number of the label.
    names
        Per quasi-identifier, the labels by their number.
    published
        Whether the records are published.
    counts
        How many records are so.
    """

    values: tuple[Ints, ...] = field(repr=False)
    target: Ints = field(repr=False)
    labels: tuple[Ints, ...] = field(repr=False)
    names: tuple[Texts, ...] = field(repr=False)
    published: Bools = field(repr=False)
    counts: Counts = field(repr=False)


def linked(recoding: Recoding, census: Census, target: str) -> Linked:
    """Put the records of a table beside what a recoding publishes of them.

    Parameters
    ----------
    recoding
        What every record is published as.
    census
        The table, with the target among its sensitive columns.
    target
        A column that is published as it is.
    """
    if isinstance(recoding, FullDomainRecoding):
        return _by_levels(recoding, census, target)
    return _locally(recoding, census, target)


def _target(census: Census, target: str) -> Ints:
    return census.codes[len(census.quasi) + census.sensitive.index(target)]


def _by_levels(recoding: FullDomainRecoding, census: Census, target: str) -> Linked:
    values = census.codes[: len(census.quasi)]
    steps = zip(census.quasi, values, strict=True)
    labels = tuple(census.ladders[name].step(0, recoding.levels[name])[codes] for name, codes in steps)
    names = tuple(census.ladders[name].labels[recoding.levels[name]] for name in census.quasi)
    published = np.ones(len(census), dtype=bool)
    if recoding.leaves_out:
        both = [np.concatenate(pair) for pair in zip(labels, recoding.suppressed, strict=True)]
        ids = group(both, [len(texts) for texts in names]).ids
        published = ~np.isin(ids[: len(census)], ids[len(census) :])
    return Linked(values, _target(census, target), labels, names, published, census.counts.astype(np.int64))


def _locally(recoding: LocalRecoding, census: Census, target: str) -> Linked:
    """Give the records of a cell to its classes, in the order of the target where the recoding does not know it.

    An engine ranks records by all published columns. Where others than the target are published too, single records of
    a cell that is split may have gone elsewhere; how many of the cell went where is as it was.
    """
    known = dict(zip((*census.quasi, *census.sensitive), census.codes, strict=True))
    if census.person is not None:
        known[next(name for name in census.domains if name not in known)] = census.person
    shared = [name for name in recoding.domains if name in known]
    taken = dict(zip(recoding.domains, recoding.codes, strict=True))
    both = [np.concatenate((recoding.counted(name, known[name]), taken[name])) for name in shared]
    sizes = dict(zip(recoding.domains, recoding.cardinalities, strict=True))
    ids = group(both, [sizes[name] for name in shared]).ids
    cells = np.lexsort((_target(census, target), ids[: len(census)]))
    pieces = np.lexsort((recoding.classes, recoding.classes < 0, ids[len(census) :]))
    cell, piece, counts = overlay(census.counts[cells], recoding.counts[pieces])
    cell, classes = cells[cell], recoding.classes[pieces[piece]]
    names, labels = zip(*recoding.named.values(), strict=True)
    return Linked(
        values=tuple(codes[cell] for codes in census.codes[: len(census.quasi)]),
        target=_target(census, target)[cell],
        labels=tuple(codes[np.maximum(classes, 0)] for codes in labels),
        names=names,
        published=classes >= 0,
        counts=counts,
    )
