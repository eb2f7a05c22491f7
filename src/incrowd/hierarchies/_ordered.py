"""``ordered``: runs of neighbouring values become groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import TOP, Domain, HierarchyError, Ladder, ParameterError, Step
from incrowd.hierarchies._numbers import positions_in, read_count, require_multiples
from incrowd.hierarchies._tree import Tree, checked_text, checked_tree

Runs = tuple[tuple[str, int], ...]  # the groups of one level in the order of the values: label and number of values


@dataclass(frozen=True, slots=True, repr=False)
class Ordered:
    """An order of values, and groups of neighbours. Built by ``ordered``."""

    # The values from least to most, or ``None`` for the order of the column's own numbers or dates
    values: tuple[str, ...] | None
    runs: tuple[int, ...] = ()  # per level the length of its runs, where the column brings its own order
    groups: Tree | None = None  # the checked tree of the groups, where the values were given

    def bind(self, domain: Domain) -> Ladder:
        if self.groups is not None:
            return self.groups.bind(domain)
        ranks = self.ranks(domain)
        texts = domain.texts[: len(ranks)].tolist()
        steps = [Step(ranks // length, _run_labels(texts, length)) for length in self.runs]
        return Ladder.climb(domain, [*steps, Step.top(domain)])

    def ranks(self, domain: Domain) -> npt.NDArray[np.int64]:
        """Give the rank of every value of a column (without null) in this order, from 0."""
        if self.values is not None:
            return positions_in(domain, {text: rank for rank, text in enumerate(self.values)}, what="the given order")
        if domain.kind in {"text", "boolean"} and len(domain.values):
            msg = f"Column {domain.column!r} is of kind {domain.kind} and has no order of its own."
            raise HierarchyError(msg, hint="give the values from least to most: ordered([...]).")
        return np.arange(len(domain.values))

    def __repr__(self) -> str:
        size = "own order" if self.values is None else f"{len(self.values)} values"
        levels = len(self.runs) if self.groups is None else self.groups.height - 1
        return f"Ordered({size}, {levels} levels of groups)"


def ordered(values: Iterable[Any] | None = None, *levels: int | Mapping[str, Iterable[Any]]) -> Ordered:
    """Give the values of a column an order, and let neighbours become groups.

    Parameters
    ----------
    values
        The values from least to most. ``None`` takes the order that numbers and dates have by themselves.
    levels
        One level of groups each: the number of neighbours in a group, each a multiple of the one before, or a dict
        from label to values. Groups must be runs of neighbours and nest.

    Notes
    -----
    For a quasi-identifier it says how values become vaguer: ``none..primary``, then ``*``. For a sensitive column it
    says how far two values are from each other (``ranks``), as t-closeness with the ordered distance asks.
    With ``values=None`` groups are formed from the values that the table has, so another table gets other groups.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.ordered(["none", "primary", "secondary", "bachelor", "master"], 2, 4)
    Ordered(5 values, 2 levels of groups)
    """
    if values is None:
        runs_of_own = tuple(read_count("level", level, at_least=2) for level in levels)
        require_multiples("levels", [Fraction(run) for run in runs_of_own])
        return Ordered(None, runs_of_own)
    if isinstance(values, str | int | Mapping) or not isinstance(values, Iterable):
        msg = f"values must be a list from least to most, got {type(values).__name__}."
        raise ParameterError(msg, hint="for groups of a column's own order write ordered(None, 2, 4).")
    texts = tuple(map(checked_text, values))
    if len(set(texts)) < len(texts) or not texts:
        msg = f"values must be distinct, got {len(texts)} of which {len(set(texts))} are different."
        raise ParameterError(msg)
    runs = [_runs_of(level, texts, number) for number, level in enumerate(levels, start=1)]
    labels = [[label for label, size in level for _ in range(size)] for level in runs]
    return Ordered(texts, groups=checked_tree([(*path, TOP) for path in zip(texts, *labels, strict=True)], "The order"))


def _runs_of(level: object, texts: tuple[str, ...], number: int) -> Runs:
    if isinstance(level, Mapping):
        return _named_runs(level, {text: rank for rank, text in enumerate(texts)}, number)
    length = read_count("level", level, at_least=2)
    labels = _run_labels(texts, length)
    return tuple((label, len(texts[index * length : (index + 1) * length])) for index, label in enumerate(labels))


def _named_runs(level: Mapping[Any, Any], rank: Mapping[str, int], number: int) -> Runs:
    groups = []
    for label, members in level.items():
        ranks = sorted(rank.get(checked_text(member), -1) for member in members)
        if not ranks or ranks[0] < 0 or ranks != list(range(ranks[0], ranks[0] + len(ranks))):
            msg = f"Level {number} has a group that is no run of neighbours among the {len(rank)} ordered values."
            raise HierarchyError(msg, hint="a group must hold known values, each once, without a gap in the order.")
        groups.append((ranks, checked_text(label)))
    groups.sort()
    if [position for ranks, _ in groups for position in ranks] != list(range(len(rank))):
        msg = f"Level {number} does not put each of the {len(rank)} ordered values into exactly one group."
        raise HierarchyError(msg, hint="every value belongs to one group of each level.")
    return tuple((label, len(ranks)) for ranks, label in groups)


def _run_labels(texts: list[str] | tuple[str, ...], length: int) -> list[str]:
    """Name runs by their ends: ``none..primary``; a run of one value keeps its name."""
    ends = [(texts[start], texts[min(start + length, len(texts)) - 1]) for start in range(0, len(texts), length)]
    return [first if first == last else f"{first}..{last}" for first, last in ends]
