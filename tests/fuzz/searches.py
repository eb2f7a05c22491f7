"""What full-domain searches must find, by trying every node of the lattice record by record."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from fuzz.definitions import Promise, Row, classes_of, findings
from fuzz.tables import Case

Levels = tuple[int, ...]


@dataclass(frozen=True)
class Node:
    """What a node publishes, and how many records it leaves out; ``sure`` unless a class was too near to say."""

    levels: Levels
    kept: tuple[Row, ...]
    left_out: int
    sure: bool


def heights(case: Case) -> dict[str, int]:
    """Give the number of steps of every hierarchy."""
    return {name: len(next(iter(paths.values()))) - 1 for name, paths in case.paths.items()}


def recoded(case: Case, rows: Sequence[Row], levels: Levels) -> list[Row]:
    """Put the labels of a node into rows."""
    at = dict(zip(case.quasi, levels, strict=True))
    return [{**row, **{name: case.paths[name][row[name]][level] for name, level in at.items()}} for row in rows]


def nodes(case: Case, promises: Sequence[Promise]) -> Iterator[Node]:
    """Visit every node: classes that break a promise are left out whole."""
    for levels in itertools.product(*(range(height + 1) for height in heights(case).values())):
        groups = classes_of(recoded(case, case.rows, levels), case.quasi)
        judged = zip(*(findings(promise, groups, case.world) for promise in promises), strict=True)
        verdicts = [[found.holds for found in several] for several in judged]
        kept = [row for group, fine in zip(groups, verdicts, strict=True) if all(fine) for row in group]
        gone = sum(case.world.records(group) for group, fine in zip(groups, verdicts, strict=True) if not all(fine))
        sure = not any(None in fine and False not in fine for fine in verdicts)
        yield Node(levels, tuple(kept), gone, sure)


def acceptable(case: Case, promises: Sequence[Promise], limit: int) -> list[Node] | None:
    """Give the nodes that leave out no more than the limit; nothing if one of them was too near to say."""
    every = list(nodes(case, promises))
    return [node for node in every if node.left_out <= limit] if all(node.sure for node in every) else None


def minimal(found: Sequence[Node]) -> set[Levels]:
    """Give those below which there is no other."""
    levels = {node.levels for node in found}
    return {one for one in levels if not any(two != one and all(map(int.__le__, two, one)) for two in levels)}


def loss(case: Case, node: Node) -> float:
    """Give the loss of a node: per column the share of its values that a cell stands for, then the geometric mean."""
    records = case.world.records(case.rows)
    parts = []
    for name, level in zip(case.quasi, node.levels, strict=True):
        paths, lost = case.paths[name], Fraction(0)
        if len(paths) > 1:
            like = {label: sum(path[level] == label for path in paths.values()) for label in _labels(case, name, level)}
            for row in node.kept:
                weight = 1 if case.world.count is None else row[case.world.count]
                lost += weight * Fraction(like[row[name]] - 1, len(paths) - 1)
            lost += node.left_out
        parts.append(float(lost / records))
    return math.prod(1 + part for part in parts) ** (1 / len(parts)) - 1


def _labels(case: Case, name: str, level: int) -> set[str]:
    return {path[level] for path in case.paths[name].values()}
