"""The class sizes of a sample, as estimators of uniqueness look at them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Sizes:
    """How many classes of which size a sample of a population has.

    Attributes
    ----------
    sizes
        The sizes that occur, ascending.
    classes
        How many classes have each.
    records
        How many records the sample has.
    population
        How many people the population has.
    """

    sizes: Counts = field(repr=False)
    classes: Counts = field(repr=False)
    records: int
    population: int

    @classmethod
    def of(cls, class_sizes: Counts, population: int) -> Sizes:
        """Count classes by their size."""
        sizes, classes = np.unique(class_sizes, return_counts=True)
        return cls(sizes.astype(np.int64), classes.astype(np.int64), int(class_sizes.sum()), population)

    @property
    def number(self) -> int:
        """How many classes there are."""
        return int(self.classes.sum())

    @property
    def alone(self) -> int:
        """How many classes of one there are."""
        return int(self.classes[0]) if len(self.sizes) and self.sizes[0] == 1 else 0

    @property
    def fraction(self) -> float:
        """Which share of the population is in the sample."""
        return self.records / self.population if self.population else 1.0
