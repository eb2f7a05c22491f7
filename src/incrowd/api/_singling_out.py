"""Which quasi-identifiers single people out: who is unique without one of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from incrowd.api._exposed import Exposed
from incrowd.core import Classes, Packing, group, tally


def unique_without(classes: Classes, cardinalities: Sequence[int], dropped: int) -> int:
    """Count the people who are alone once a quasi-identifier is dropped.

    Parameters
    ----------
    classes
        The classes on all quasi-identifiers.
    cardinalities
        How many codes each quasi-identifier has.
    dropped
        The position of the one that is dropped.
    """
    others = [place for place in range(len(cardinalities)) if place != dropped]
    columns = [classes.codes[place] for place in others]
    sizes = [cardinalities[place] for place in others]
    if classes.cells.person is not None:
        return _persons_alone(classes, columns, sizes)
    crowded = (classes.size > 1).astype(np.uint8)
    words, together = tally(Packing.of([*sizes, 2]).pack([*columns, crowded]))  # crowded is the lowest bit of all
    alone = (together == 1) & (words[-1] & 1 == 0)
    same = np.logical_and.reduce([word[1:] == word[:-1] for word in [*words[:-1], words[-1] >> 1]])
    alone[1:] &= ~same
    alone[:-1] &= ~same
    return int(np.count_nonzero(alone))


def _persons_alone(classes: Classes, columns: Sequence[npt.NDArray[np.integer]], cardinalities: Sequence[int]) -> int:
    """Group the cells anew: a person with rows in two classes may end up alone in one."""
    nothing = np.zeros(len(classes.members), dtype=np.uint8)
    cells = [nothing, *(codes[classes.members] for codes in columns)]
    merged = Classes.of(group(cells, [1, *cardinalities]), (), classes.cells)
    return Exposed.of(merged, merged.size == 1).people
