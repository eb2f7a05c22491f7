"""Quantiles: groups of neighbours that hold about as many rows each."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from incrowd.core import Domain, HierarchyError, Ladder, ParameterError, Step
from incrowd.hierarchies._parameters import read_count, require_multiples


@dataclass(frozen=True, slots=True, repr=False)
class Quantiles:
    """Neighbours become groups of about as many rows. Built by ``quantiles``."""

    parts: tuple[int, ...]

    def bind(self, domain: Domain) -> Ladder:
        """Fit the groups to the numbers or dates of one column and how often each occurs."""
        if domain.kind in {"text", "boolean"} and len(domain.values):
            msg = f"Column {domain.column!r} is of kind {domain.kind} and has no order of its own."
            raise HierarchyError(msg, hint="use ordered([...]) with the values from least to most.")
        texts = [str(text) for text in domain.texts[: len(domain.values)]]
        part = self._finest(domain)
        steps = []
        for parts in self.parts:
            _, group = np.unique(part * parts // self.parts[0], return_inverse=True)
            steps.append(Step(group, _labels(texts, group)))
        return Ladder.climb(domain, [*steps, Step.top(domain)])

    def _finest(self, domain: Domain) -> npt.NDArray[np.int64]:
        """Give the part that the middle one of each value's rows lies in."""
        counts = domain.counts[: len(domain.values)]
        middle = 2 * np.cumsum(counts) - counts
        return np.asarray(middle * self.parts[0] // max(2 * int(counts.sum()), 1), dtype=np.int64)

    def __repr__(self) -> str:
        return f"quantiles({', '.join(map(str, self.parts))})"


def quantiles(*parts: int) -> Quantiles:
    """Let numbers and dates become ranges that hold about as many rows each: ``18..25``, ``26..31``, and ``*`` on top.

    Parameters
    ----------
    parts
        How many ranges there are at each level, falling; each a divisor of the one before, such as 8, 4, 2.

    Notes
    -----
    An alternative to ``intervals`` where numbers are spread unevenly, such as incomes. A value is never divided: where
    many rows have the same, there are fewer ranges. The ends are values of the table, and the ranges come from it:
    another table gets others, and they say where its quantiles lie. Missing values are not counted and stay apart.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.quantiles(8, 4, 2)
    quantiles(8, 4, 2)
    """
    counts = tuple(read_count("parts", part, at_least=2) for part in parts)
    if not counts:
        msg = "quantiles needs at least one number of ranges, got none."
        raise ParameterError(msg, hint="for example 8, 4, 2.")
    require_multiples("parts", [Fraction(count) for count in reversed(counts)])
    return Quantiles(counts)


def _labels(texts: list[str], group: npt.NDArray[np.integer]) -> list[str]:
    """Name ranges by their ends; groups are numbered along the values."""
    bounds = np.searchsorted(group, np.arange(int(group[-1]) + 2 if len(group) else 1)).tolist()
    return [
        texts[first] if end - first == 1 else f"{texts[first]}..{texts[end - 1]}"
        for first, end in itertools.pairwise(bounds)
    ]
