"""``Ladder``: a hierarchy bound to a domain, with the group of each value and its label at every level."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from incrowd.core._domain import Domain
from incrowd.core._errors import HierarchyError, Hint, ParameterError, Setting, UncoveredValuesError
from incrowd.core._grouping import smallest_unsigned

TOP = "*"
"""The label that covers everything."""

Ints = npt.NDArray[np.integer]
Labels = npt.NDArray[np.object_]


@runtime_checkable
class Hierarchy(Protocol):
    """How the values of a column become vaguer, before it has met a table."""

    def bind(self, domain: Domain) -> Ladder:
        """Fit this hierarchy to the values of one column."""


@dataclass(frozen=True, slots=True)
class Step:
    """One level above the values, as a hierarchy describes it.

    Parameters
    ----------
    group
        For every value of the domain *without null* its group, in any numbering from 0.
    labels
        For every group its label.
    leaves
        For every group how many values the whole hierarchy has there; by default those of the domain.
    """

    group: Ints
    labels: Sequence[str]
    leaves: Sequence[int] | None = None

    @classmethod
    def top(cls, domain: Domain, leaves: int | None = None) -> Step:
        """Give the step to one label for all."""
        return cls(np.zeros(len(domain.values), dtype=np.int64), [TOP], None if leaves is None else [leaves])


@dataclass(frozen=True, eq=False)
class Ladder:
    """A hierarchy bound to a domain. Level 0 is the value itself, the last level is one label for all.

    Groups of a level are numbered in the order of their first value, so that the order of a domain carries over.

    Parameters
    ----------
    column
        The column's name.
    groups
        Per level, the group of each code of the domain.
    labels
        Per level, the text that is published for each group. ``None`` where a missing value stays missing.
    leaves
        Per level, how many values *of the hierarchy* each group covers, whether or not the table has them.
    separator
        What stands between the items of a value, where values are sets. Level 0 is then a set as the table writes it,
        which is never published, and level 1 the set in its one form; labels of two levels may be alike.
    """

    column: str
    groups: tuple[Ints, ...] = field(repr=False)
    labels: tuple[Labels, ...] = field(repr=False)
    leaves: tuple[npt.NDArray[np.int64], ...] = field(repr=False)
    separator: str | None = None

    def __post_init__(self) -> None:
        self._check_nested()
        if len(self.labels[-1]) > 1:
            msg = f"The hierarchy of column {self.column!r} ends in {len(self.labels[-1])} labels instead of one."
            raise HierarchyError(msg)
        self._check_labels()
        for array in (*self.groups, *self.labels, *self.leaves):
            array.setflags(write=False)

    @classmethod
    def climb(cls, domain: Domain, steps: Sequence[Step], separator: str | None = None) -> Ladder:
        """Build a ladder from the levels above the values.

        Null stays a group of its own up to the first level of one label made of asterisks, and a level ``*`` is added
        where the last one has several labels.
        """
        groups: list[Ints] = [np.arange(len(domain))]
        labels: list[Labels] = [domain.texts]
        leaves: list[npt.NDArray[np.int64]] = [np.ones(len(domain), dtype=np.int64)]
        for step in steps:
            group, names, covered = _level_of(domain, step)
            groups.append(group)
            labels.append(names)
            leaves.append(covered)
        if len(labels[-1]) > 1:
            groups.append(np.zeros(len(domain), dtype=np.int64))
            labels.append(np.array([TOP], dtype=object))
            leaves.append(np.array([leaves[-1].sum()]))
        compact = tuple(
            group.astype(smallest_unsigned(len(names))) for group, names in zip(groups, labels, strict=True)
        )
        return cls(domain.column, compact, tuple(labels), tuple(leaves), separator)

    @property
    def lowest(self) -> int:
        """The lowest level that may be published."""
        return 0 if self.separator is None else 1

    @property
    def height(self) -> int:
        """The number of steps from a value to the top."""
        return len(self.groups) - 1

    def check_level(self, level: int, *, at_least: int = 0) -> None:
        """Refuse a level that it does not have."""
        if not isinstance(level, Integral) or not at_least <= level <= self.height:
            msg = f"Column {self.column!r} has levels {at_least} to {self.height}, got {level!r}."
            raise ParameterError(msg)

    def parent_groups(self, low: int, high: int) -> Ints:
        """Give for every group of level ``low`` its group at level ``high``."""
        parent = np.zeros(len(self.labels[low]), dtype=self.groups[high].dtype)
        parent[self.groups[low]] = self.groups[high]
        return parent

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Ladder)
            and (self.column, self.separator) == (other.column, other.separator)
            and len(self.groups) == len(other.groups)
            and all(map(np.array_equal, self.groups, other.groups))
            and all(map(np.array_equal, self.labels, other.labels))
            and all(map(np.array_equal, self.leaves, other.leaves))
        )

    def __repr__(self) -> str:
        sizes = " → ".join(str(len(labels)) for labels in self.labels)
        return f"Ladder({self.column!r}, {sizes})"

    def _check_nested(self) -> None:
        for level in range(self.height):
            if not np.array_equal(self.parent_groups(level, level + 1)[self.groups[level]], self.groups[level + 1]):
                msg = (
                    f"The hierarchy of column {self.column!r} is not nested: "
                    f"values with one label at level {level} have different ones at level {level + 1}."
                )
                raise HierarchyError(msg, hint="once two values share a label they must share all labels above it.")

    def _check_labels(self) -> None:
        """Refuse a label that means two different things: local recoding would merge the classes silently."""
        known: dict[str | None, tuple[int, int]] = {}
        sizes = [
            np.bincount(group, minlength=len(names)) for group, names in zip(self.groups, self.labels, strict=True)
        ]
        step = functools.cache(self.parent_groups)  # few pairs of levels share a label
        for level, labels in enumerate(self.labels):
            known = known if self.separator is None else {}  # sets have one level for all, which tells labels apart
            for group, label in enumerate(labels.tolist()):
                low, lower = known.setdefault(label, (level, group))
                if (low, lower) == (level, group):
                    continue
                if low == level or sizes[low][lower] != sizes[level][group] or step(low, level)[lower] != group:
                    raise self._ambiguous(low, level)

    def _ambiguous(self, low: int, high: int) -> HierarchyError:
        where = f"at level {low}" if low == high else f"at levels {low} and {high}"
        msg = f"The hierarchy of column {self.column!r} uses one label for different groups of values ({where})."
        return HierarchyError(msg, hint="give every group a label of its own; a group must not be called like a value.")


def _level_of(domain: Domain, step: Step) -> tuple[Ints, Labels, npt.NDArray[np.int64]]:
    """Give a level's groups, labels and leaves, null included."""
    labels = np.array(step.labels, dtype=object)
    if len(labels) == 1 and set(labels[0]) == {TOP}:  # covers whatever there is
        covered = len(domain.values) if step.leaves is None else step.leaves[0]
        return np.zeros(len(domain), dtype=np.int64), labels, np.array([covered + domain.has_null])
    group, first = _renumber_groups(step.group)
    members = np.asarray(step.group)[first]
    leaves = np.bincount(group, minlength=len(first)) if step.leaves is None else np.asarray(step.leaves)[members]
    if not domain.has_null:
        return group, labels[members], leaves
    names = np.append(labels[members], np.array([None], dtype=object))
    return np.append(group, len(members)), names, np.append(leaves, 1)


def _renumber_groups(group: Ints) -> tuple[Ints, npt.NDArray[np.intp]]:
    """Renumber groups in the order of their first member; also give that member's position."""
    _, first, inverse = np.unique(group, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(first), dtype=np.int64)
    rank[order] = np.arange(len(first))
    return rank[inverse], first[order]


# A hierarchy that is known only by what it did to the values of one table.


@dataclass(frozen=True, eq=False)
class KnownLadder:
    """The labels that the values of one table had at every level; any other value is refused."""

    domain: Domain = field(repr=False)
    ladder: Ladder

    def bind(self, domain: Domain) -> Ladder:
        """Find the values of one column among the known ones."""
        places = domain.codes_in(self.domain)[: len(domain.values)]
        if (places < 0).any():
            values = domain.texts[: len(places)][places < 0]
            count = "1 value" if len(values) == 1 else f"{len(values):,} values"
            msg = f"Column {domain.column!r} has {count} that the saved hierarchy does not know."
            carried = Setting("values", "the values", "the error carries the values in .values")
            hint = Hint("search again with the hierarchy itself; {}.", carried)
            raise UncoveredValuesError(msg, column=domain.column, values=values, hint=hint)
        ladder = self.ladder
        steps = []
        for groups, labels, leaves in zip(ladder.groups[1:], ladder.labels[1:], ladder.leaves[1:], strict=True):
            null = int(self.domain.has_null and len(labels) == 1 and set(labels[0] or "") == {TOP})  # counted there
            steps.append(Step(groups[places], labels.tolist(), (leaves - null).tolist()))
        return Ladder.climb(domain, steps, ladder.separator)

    @property
    def separator(self) -> str | None:
        """What stands between the items of a value, where values are sets."""
        return self.ladder.separator
