"""Records that break the promise, published with ``*`` in every quasi-identifier: one class, judged as any other."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import TOP, Cells, Classes, Grouping

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
    """Say whether one class of a published table is what was to be masked.

    Parameters
    ----------
    published
        What looks masked.
    predicted, left_out
        The classes of the node, and which of them are masked.
    """
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
