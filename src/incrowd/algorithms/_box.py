"""A part of a lattice that waits for its turn."""

from __future__ import annotations

from dataclasses import dataclass, field

Levels = tuple[int, ...]


@dataclass(order=True, slots=True)
class Box:
    """A part of the lattice, as levels above the lowest of every axis, by its lower bound."""

    bound: float
    number: int
    lows: Levels = field(compare=False)
    highs: Levels = field(compare=False)

    @property
    def size(self) -> int:
        """How many nodes it has."""
        size = 1
        for low, high in zip(self.lows, self.highs, strict=True):
            size *= high - low + 1
        return size

    def halves(self) -> list[tuple[Levels, Levels]]:
        """Split along the axis that has most levels left."""
        axis = max(range(len(self.lows)), key=lambda axis: self.highs[axis] - self.lows[axis])
        middle = (self.lows[axis] + self.highs[axis]) // 2
        upper = (*self.lows[:axis], middle + 1, *self.lows[axis + 1 :]), self.highs
        lower = self.lows, (*self.highs[:axis], middle, *self.highs[axis + 1 :])
        return [upper, lower]
