"""Tall hierarchies for Adult: its own levels and more between them, so that the lattice has 200,000 nodes.

``python benchmarks/tall.py ADULT FOLDER`` reads ``hierarchy_*.csv`` of one folder and writes them into another.
Each level added merges the values of the level below it two by two, in the order of the file and never across a value
of the level above. All nodes of the usual lattice stay in the tall one.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

Rows = list[list[str]]
"""A hierarchy as its file has it: one row per original value, one entry per level."""

ADDED = {
    "sex": {},
    "age": {0: 1, 3: 2},
    "race": {},
    "marital-status": {0: 2},
    "education": {0: 1},
    "native-country": {0: 2},
    "workclass": {0: 1, 1: 1},
    "occupation": {0: 2},
    "salary-class": {},
}
"""How many levels are added above which level; 2 · 8 · 2 · 5 · 5 · 5 · 5 · 5 · 2 levels in all."""


def files(adult: Path, folder: Path) -> dict[str, Path]:
    """Write the tall hierarchies and tell where each column's is."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {}
    for column, added in ADDED.items():
        name = f"hierarchy_{column}.csv"
        with (adult / name).open(encoding="utf-8", newline="") as source:
            rows = taller(list(csv.reader(source, delimiter=";")), added)
        paths[column] = folder / name
        with paths[column].open("w", encoding="utf-8", newline="") as target:
            csv.writer(target, delimiter=";", lineterminator="\n").writerows(rows)
    return paths


def taller(rows: Rows, added: dict[int, int]) -> Rows:
    """Add levels, the highest first, so that the numbers of those below stay what they were."""
    for level, times in sorted(added.items(), reverse=True):
        for step in range(times):
            rows = _pair(rows, level + step)
    return rows


def _pair(rows: Rows, level: int) -> Rows:
    """Add one level above another: its values two by two, within their parents."""
    siblings: dict[str, list[str]] = {}
    for row in rows:
        children = siblings.setdefault(row[level + 1], [])
        if row[level] not in children:
            children.append(row[level])
    pairs = {}
    for children in siblings.values():
        for first in range(0, len(children), 2):
            pair = children[first : first + 2]
            pairs.update(dict.fromkeys(pair, " & ".join(pair)))
    return [[*row[: level + 1], pairs[row[level]], *row[level + 1 :]] for row in rows]


if __name__ == "__main__":
    files(*map(Path, sys.argv[1:]))
