"""Full-domain searches once more, slowly and obviously: every node of the lattice, record by record."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Row = Mapping[str, Any]
Levels = tuple[int, ...]
Ok = Callable[[Sequence[Row], Sequence[Row]], bool]

PATHS: dict[str, dict[Any, tuple[str, ...]]] = {
    "age": {
        "20": ("20", "20s", "young", "*"),
        "25": ("25", "20s", "young", "*"),
        "31": ("31", "30s", "young", "*"),
        "47": ("47", "40s", "old", "*"),
        "49": ("49", "40s", "old", "*"),
        "62": ("62", "60s", "old", "*"),
    },
    "sex": {"f": ("f", "*"), "m": ("m", "*")},
    "town": {
        "ulm": ("ulm", "south", "*"),
        "bonn": ("bonn", "west", "*"),
        "kiel": ("kiel", "north", "*"),
        "köln": ("köln", "west", "*"),
    },
}
"""Per quasi-identifier and value its labels, level by level."""

QUASI = tuple(PATHS)
HEIGHTS = {name: len(next(iter(paths.values()))) - 1 for name, paths in PATHS.items()}


@dataclass(frozen=True)
class Found:
    """What a node does to a table: what is published, and what is left out."""

    levels: Levels
    kept: list[list[Row]]
    suppressed: int
    records: int

    @property
    def height(self) -> int:
        return sum(self.levels)


def nodes(quasi: Sequence[str] = QUASI) -> Iterator[Levels]:
    return itertools.product(*(range(HEIGHTS[name] + 1) for name in quasi))


def labels(row: Row, levels: Levels, quasi: Sequence[str] = QUASI) -> tuple[str, ...]:
    return tuple(PATHS[name][row[name]][level] for name, level in zip(quasi, levels, strict=True))


def classes(table: Sequence[Row], levels: Levels, quasi: Sequence[str] = QUASI) -> list[list[Row]]:
    found: defaultdict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in table:
        found[labels(row, levels, quasi)].append(row)
    return list(found.values())


def visit(table: Sequence[Row], levels: Levels, ok: Ok, quasi: Sequence[str] = QUASI) -> Found:
    groups = classes(table, levels, quasi)
    kept = [group for group in groups if ok(group, table)]
    return Found(levels, kept, len(table) - sum(map(len, kept)), len(table))


def visit_masked(table: Sequence[Row], levels: Levels, ok: Ok, quasi: Sequence[str] = QUASI) -> Found | None:
    """Mask what breaks the promise, and the smallest others until all of it together keeps it; None if nothing does."""
    groups = sorted(classes(table, levels, quasi), key=lambda group: _join_order(table, group, levels, quasi))
    kept = [group for group in groups if ok(group, table)]
    masked = [row for group in groups if group not in kept for row in group]
    while masked and not ok(masked, table):
        if not kept:
            return None
        masked += kept.pop(0)
    return Found(levels, kept, len(masked), len(table))


def _join_order(table: Sequence[Row], group: Sequence[Row], levels: Levels, quasi: Sequence[str]) -> Any:
    """Small classes first; equal ones by the first value of the table that has their label, column by column."""
    own = labels(group[0], levels, quasi)
    firsts = [
        min(row[name] for row in table if PATHS[name][row[name]][level] == label)
        for name, level, label in zip(quasi, levels, own, strict=True)
    ]
    return len(group), firsts


def acceptable(
    table: Sequence[Row], ok: Ok, limit: int, quasi: Sequence[str] = QUASI, *, mask: bool = False
) -> list[Found]:
    found = ((visit_masked if mask else visit)(table, levels, ok, quasi) for levels in nodes(quasi))
    return [node for node in found if node is not None and node.suppressed <= limit]


def minimal(found: Sequence[Found]) -> set[Levels]:
    levels = {node.levels for node in found}
    return {one for one in levels if not any(two != one and all(map(int.__le__, two, one)) for two in levels)}


def leaves(name: str, label: str) -> int:
    return sum(label in path for path in PATHS[name].values())


def cells(node: Found) -> Iterator[tuple[str, int, Row]]:
    """Give every published cell: its column, its level, its record."""
    for group in node.kept:
        for row in group:
            for name, level in zip(QUASI, node.levels, strict=True):
                yield name, level, row


def losses(node: Found) -> list[float]:
    """Give what every column loses."""
    result = []
    for name, level in zip(QUASI, node.levels, strict=True):
        domain = len(PATHS[name])
        shares = [Fraction(leaves(name, PATHS[name][row[name]][level]), domain) for group in node.kept for row in group]
        total = sum(shares, Fraction(0)) + node.suppressed
        low, high = Fraction(node.records, domain), Fraction(node.records)
        result.append(float((total - low) / (high - low)) if node.records else 0.0)
    return result


def loss(node: Found) -> float:
    return math.prod(1 + part for part in losses(node)) ** (1 / len(QUASI)) - 1


def arithmetic_loss(node: Found) -> float:
    return sum(losses(node)) / len(QUASI)


def distortion(node: Found) -> float:
    steps = sum(level for _, level, _ in cells(node)) + node.suppressed * sum(HEIGHTS.values())
    return steps / (node.records * sum(HEIGHTS.values()))


def precision(node: Found) -> float:
    steps = sum(level / HEIGHTS[name] for name, level, _ in cells(node)) + node.suppressed * len(QUASI)
    return steps / (node.records * len(QUASI))


def entropy(node: Found, table: Sequence[Row]) -> float:
    lost = most = 0.0
    for name, level in zip(QUASI, node.levels, strict=True):
        own = Counter(row[name] for row in table)
        grouped = Counter(PATHS[name][row[name]][level] for row in table)
        most += sum(math.log2(len(table) / own[row[name]]) for row in table)
        published = [row for group in node.kept for row in group]
        lost += sum(math.log2(grouped[PATHS[name][row[name]][level]] / own[row[name]]) for row in published)
        gone = Counter(row[name] for row in table) - Counter(row[name] for row in published)
        lost += sum(count * math.log2(len(table) / own[value]) for value, count in gone.items())
    return lost / most if most else 0.0


def discernibility(node: Found) -> float:
    return sum(len(group) ** 2 for group in node.kept) + node.suppressed * node.records


def aecs(node: Found) -> float:
    return node.records / max(len(node.kept) + (node.suppressed > 0), 1)


MEASURES: dict[str, Callable[[Found, Sequence[Row]], float]] = {
    "loss": lambda node, _: loss(node),
    "distortion": lambda node, _: distortion(node),
    "precision": lambda node, _: precision(node),
    "entropy": entropy,
    "height": lambda node, _: node.height,
    "discernibility": lambda node, _: discernibility(node),
    "aecs": lambda node, _: aecs(node),
}


def best(table: Sequence[Row], ok: Ok, limit: int, measure: str, *, mask: bool = False) -> tuple[float, Levels] | None:
    """Give the best score, and of the nodes that reach it the lowest, then the first."""
    found = [node for node in acceptable(table, ok, limit, mask=mask) if node.kept]  # nothing is no release
    if not found:
        return None
    scores = {node.levels: MEASURES[measure](node, table) for node in found}
    least = min(scores.values())
    tied = [levels for levels, score in scores.items() if score <= least + 1e-11 * max(1.0, abs(least))]
    return least, min(tied, key=lambda levels: (sum(levels), levels))
