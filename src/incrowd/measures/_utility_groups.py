"""The groups of values in which an original column and its published labels are compared."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from incrowd.core import Domain, Ladder

Ints = npt.NDArray[np.integer]

MOST = 20
"""A column is compared in at most so many groups."""


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Groups of the values of one column.

    Attributes
    ----------
    group
        The group of every code.
    names
        What each group is called. Values of the table, or labels of its hierarchy.
    """

    group: Ints = field(repr=False)
    names: tuple[str, ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.names)


def comparison_groups(domain: Domain, counts: Ints, ladder: Ladder | None = None) -> Groups:
    """Choose the groups in which a column is compared before and after.

    Parameters
    ----------
    domain
        The original column.
    counts
        How many records have each code.
    ladder
        Its hierarchy, if it has one.

    Notes
    -----
    Up to 20 values are compared as they are. Of a hierarchy the finest level with 2 to 20 groups is taken. Other
    numbers and dates are cut into groups of about equal size, and of other texts the rarest are put together.
    """
    if len(domain) <= MOST:
        return Groups(np.arange(len(domain)), _names(domain.texts))
    for level in range(0 if ladder is None else ladder.height + 1):
        assert ladder is not None  # noqa: S101 - there is no level without one
        if 2 <= len(ladder.labels[level]) <= MOST:
            return Groups(ladder.groups[level], _names(ladder.labels[level]))
    return _rarest(domain, counts) if domain.kind in {"text", "boolean"} else _cut(domain, counts)


def _cut(domain: Domain, counts: Ints) -> Groups:
    """Cut a line of numbers into groups with about as many records each; null, if there is one, is the last."""
    values = len(domain.values)
    most = MOST - domain.has_null
    before = np.cumsum(counts[:values]) - counts[:values]
    raw = before * most // max(int(counts[:values].sum()), 1)
    group = np.unique(raw, return_inverse=True)[1]
    first = np.searchsorted(group, np.arange(int(group[-1]) + 1))
    texts = domain.texts
    names = [f"from {texts[code]}" for code in first.tolist()]
    if domain.has_null:
        group, names = np.append(group, len(names)), [*names, "missing"]
    return Groups(group, tuple(names))


def _rarest(domain: Domain, counts: Ints) -> Groups:
    """Keep the most frequent values, and put the others together; ties by the order of the domain."""
    order = np.argsort(-counts.astype(np.int64), kind="stable")
    group = np.full(len(domain), MOST - 1, dtype=np.int64)
    group[order[: MOST - 1]] = np.arange(MOST - 1)
    return Groups(group, (*_names(domain.texts[order[: MOST - 1]]), "all others"))


def _names(texts: npt.NDArray[np.object_]) -> tuple[str, ...]:
    return tuple("missing" if text is None else str(text) for text in texts.tolist())
