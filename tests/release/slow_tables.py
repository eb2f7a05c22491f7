"""Several tables by the definition: everybody's joined rows in plain Python, and what a promise says of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import combinations
from typing import Any

Rows = list[dict[str, Any]]


def joined(tables: Mapping[str, Rows], keys: Mapping[str, str], of: Mapping[str, tuple[str, str]]) -> Rows:
    """Join: ``of`` says per table by which column it belongs to which other one, which comes before it."""
    (people,) = [name for name in tables if name not in of]
    rows: list[dict[str, Any]] = [{people: row} for row in tables[people]]
    for name, (column, above) in of.items():
        longer = []
        for row in rows:
            own = row[above]
            mine: list[Any] = [] if own is None else [one for one in tables[name] if one[column] == own[keys[above]]]
            longer += [{**row, name: one} for one in [*mine] or [None]]
        rows = longer
    return rows


def view(rows: Rows, columns: Sequence[tuple[str, str | None]]) -> list[tuple[Any, ...]]:
    """Take columns out of joined rows; without a name it is whether there is a row of that table."""
    return [
        tuple(
            (row[table] is not None) if name is None else None if row[table] is None else row[table][name]
            for table, name in columns
        )
        for row in rows
    ]


def fewest_people(labels: Sequence[Hashable], persons: Sequence[Hashable], m: int = 1) -> int:
    """Give the fewest people who have some of a person's rows, at most ``m``."""
    own: dict[Hashable, set[Hashable]] = defaultdict(set)
    for person, label in zip(persons, labels, strict=True):
        own[person].add(label)
    sets = {frozenset(some) for mine in own.values() for n in range(1, m + 1) for some in combinations(mine, n)}
    return min(sum(some <= mine for mine in own.values()) for some in sets)


def fewest_values(
    labels: Sequence[Hashable], values: Sequence[Any], asked: Callable[[Any], bool] = lambda _: True
) -> int:
    """Give the fewest different known values that stand beside one label, of labels that are asked about."""
    found: dict[Hashable, set[Any]] = defaultdict(set)
    for label, value in zip(labels, values, strict=True):
        found[label] |= {value} - {None}
    return min(len(some) for label, some in found.items() if asked(label))
