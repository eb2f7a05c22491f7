"""What a release was made of, for whoever draws it: the original table, the census, and the classes it became."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.algorithms import Problem
from incrowd.api._predicted import Predicted
from incrowd.core import Labelling, Namer


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """What a release was made of. As confidential as the original table.

    Attributes
    ----------
    table, reading
        The original table as it was given, and how to read it.
    problem
        What the search was asked.
    predicted
        The classes that it made.
    named
        What a local recoding calls its classes; a node's are called by their levels.
    seconds
        How long it took from opening the table to the checked release.
    peak
        The most bytes of memory that the process had until then, where the system tells.
    """

    table: Any = field(repr=False)
    reading: Mapping[str, Any] = field(repr=False)
    problem: Problem = field(repr=False)
    predicted: Predicted = field(repr=False)
    named: Sequence[Labelling] | None = field(default=None, repr=False)
    seconds: float | None = field(default=None, repr=False)
    peak: int | None = field(default=None, repr=False)

    @property
    def budget(self) -> dict[str, Any]:
        """What may be used, and where to spill, for whoever reads the table or the release again."""
        return budget_of(self.reading)

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """The records of every published class."""
        return self.predicted.classes.records[~self.predicted.left_out]

    @property
    def labels(self) -> tuple[Labelling, ...]:
        """What every published class is called, per quasi-identifier, and what that gives up."""
        if self.named is not None:
            return tuple(self.named)
        classes, kept = self.predicted.classes, ~self.predicted.left_out
        assert classes.standing is not None  # noqa: S101 - a census says where its classes stand
        census = self.problem.census
        return tuple(
            Namer(census, column).by_group(np.full(int(kept.sum()), level), classes.codes[column][kept])
            for column, level in enumerate(classes.standing.levels)
        )


def budget_of(reading: Mapping[str, Any]) -> dict[str, Any]:
    """Give of how a table is read what any other table may be read with: the memory, and where to spill."""
    return {name: reading[name] for name in ("memory", "temp") if name in reading}
