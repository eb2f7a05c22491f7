"""Whether a table can be the original of a release: recoded again, no class may hold fewer records than published."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from incrowd.core import (
    TOP,
    Census,
    Classes,
    DataError,
    Domain,
    FullDomainRecoding,
    LocalRecoding,
    Recoding,
    add_up,
    group,
)

Ints = npt.NDArray[np.integer]
Counts = npt.NDArray[np.int64]

SPARSE = 4
"""So many times more classes may be possible than there are cells, for them to be counted in a table of all."""


def expect_original(original: Census, recoding: Recoding | None, published: Census, classes: Classes) -> None:
    """Refuse a table that a release cannot have been made of."""
    if recoding is None or (isinstance(recoding, LocalRecoding) and is_made_from(recoding, original)):
        return
    codes = [_codes_in_recoding(original, recoding.domains[name], place) for place, name in enumerate(recoding.quasi)]
    if isinstance(recoding, LocalRecoding):
        _expect_cells(codes, original, recoding)
    else:
        _expect_classes(codes, original, recoding, (published, classes))


def is_made_from(recoding: LocalRecoding, original: Census) -> bool:
    """Say whether a recoding was made from this very census, array by array: then nothing needs to be compared."""
    own = dict(zip(recoding.domains, recoding.codes, strict=True))
    return (
        original.quasi == recoding.quasi
        and all(own[name] is codes for name, codes in zip(original.quasi, original.codes, strict=False))
        and all(recoding.domains[name] is original.domains[name] for name in original.quasi)
        and np.array_equal(recoding.counts, original.counts)
    )


def _codes_in_recoding(original: Census, known: Domain, place: int) -> Ints:
    """Give the codes of a column as the recoding has them; it knows every value of its table."""
    found = original.domains[known.column].codes_in(known)
    if (found < 0).any():
        why = f"column {known.column!r} has values that the release was not made of"
        raise _not_the_original(why)
    return found[original.codes[place]]


def _expect_cells(codes: Sequence[Ints], original: Census, recoding: LocalRecoding) -> None:
    """Compare with the cells of a local recoding: it lists all of its table."""
    places = [list(recoding.domains).index(name) for name in recoding.quasi]
    own = [recoding.codes[place] for place in places]
    numbers = [recoding.cardinalities[place] for place in places]
    theirs = [recoding.cell_codes(name, column) for name, column in zip(recoding.quasi, codes, strict=True)]
    sides = []
    for columns, counts in ((theirs, original.counts), (own, recoding.counts)):
        cells = group(columns, numbers)
        sides.append([cells.sums(counts), *(column[cells.first] for column in columns)])
    if any(not np.array_equal(one, other) for one, other in zip(*sides, strict=True)):
        why = "its records differ from those that the recoding lists"
        raise _not_the_original(why)


def _expect_classes(
    codes: Sequence[Ints], original: Census, recoding: FullDomainRecoding, published: tuple[Census, Classes]
) -> None:
    """Recode the table, and count what there is of every class that is published."""
    classes = published[1]
    levels = list(recoding.levels.items())
    labels = [recoding.ladders[name].labels[level] for name, level in levels]
    raised = [recoding.ladders[name].groups[level][column] for (name, level), column in zip(levels, codes, strict=True)]
    wanted = [
        _group_of_labels(published[0], recoding, name)[classes.codes[place]] for place, (name, _) in enumerate(levels)
    ]
    known = np.logical_and.reduce([column >= 0 for column in wanted])
    if recoding.has_masked:
        known &= ~np.logical_and.reduce([classes.texts(place) == TOP for place in range(len(levels))])
    counted = _combination_records(
        raised, original.counts, [column[known] for column in wanted], [len(one) for one in labels]
    )
    short = int((counted < classes.records[known]).sum())
    if short:
        why = f"{short:,} of {len(classes):,} groups have fewer records there than are published"
        raise _not_the_original(why)


def _group_of_labels(published: Census, recoding: FullDomainRecoding, name: str) -> Counts:
    """Give for every published label its group at the level of its column; -1 for one that is of another level."""
    level, domain = recoding.levels[name], published.domains[name]
    if not level and not recoding.has_masked:
        return domain.codes_in(recoding.domains[name])
    known = {text: code for code, text in enumerate(recoding.ladders[name].labels[level].tolist())}
    return np.array([known.get(text, -1) for text in domain.texts.tolist()], dtype=np.int64)


def _combination_records(
    columns: Sequence[Ints], counts: Ints, wanted: Sequence[Ints], numbers: Sequence[int]
) -> Counts:
    """Add up the records of wanted combinations of codes."""
    possible, cells = math.prod(numbers), len(counts)
    if possible <= SPARSE * cells:
        places = [np.ravel_multi_index(tuple(side), tuple(numbers)) for side in (columns, wanted)]
        return add_up(places[0], counts, possible)[places[1]]
    ids = group([np.concatenate(pair) for pair in zip(columns, wanted, strict=True)], numbers).ids
    return add_up(ids[:cells], counts, int(ids.max(initial=0)) + 1)[ids[cells:]]


def _not_the_original(why: str) -> DataError:
    msg = f"The original is not the table that the release was made of: {why}."
    return DataError(msg, hint="give the very table, with nothing added or removed.")
