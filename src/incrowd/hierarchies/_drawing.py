"""A hierarchy drawn as a tree of text, checked as a file in ARX's format, and written as one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TextIO

import numpy as np

from incrowd.core import Domain, HierarchyError, Ladder, UncoveredValuesError
from incrowd.hierarchies._numbers import read_count
from incrowd.hierarchies._tree import Problem, Tree, find_problems, read_rows, tree, write_lines

Node = tuple[int, int]


def draw(ladder: Ladder, *, max_children: int = 8, show_values: bool = True) -> str:
    """Draw a hierarchy from its top down, with the number of values under each label.

    Of a node with more children than ``max_children`` the rest is only counted. Without ``show_values`` labels that are
    a value of the column are left out too.

    >>> import incrowd as ic
    >>> from incrowd.core import Domain
    >>> from incrowd.hierarchies import draw
    >>> print(draw(ic.intervals(10).bind(Domain.of("age", [21, 25, 34]))))
    *  (3 values)
    ├── [20, 30)  (2 values)
    │   ├── 21
    │   └── 25
    └── [30, 40)  (1 value)
        └── 34
    """
    drawing = _Drawing(ladder, read_count("max_children", max_children, at_least=1), show_values=show_values)
    return "\n".join(line for root in range(len(ladder.labels[-1])) for line in drawing.lines((ladder.height, root)))


class _Drawing:
    def __init__(self, ladder: Ladder, max_children: int, *, show_values: bool) -> None:
        self.ladder = ladder
        self.max_children = max_children
        self.show_values = show_values
        self.sizes = [
            np.bincount(group, minlength=len(names)) for group, names in zip(ladder.groups, ladder.labels, strict=True)
        ]
        self.hidden = set() if show_values else set(ladder.labels[0].tolist()) - {ladder.labels[-1][0]}
        parents = [ladder.parent_groups(level - 1, level) for level in range(1, ladder.height + 1)]
        # For every group of a level its groups one level below, in order.
        self.children = [
            np.split(np.argsort(parent, kind="stable"), np.cumsum(np.bincount(parent))[:-1]) for parent in parents
        ]

    def lines(self, node: Node, lead: str = "", inner: str = "") -> Iterator[str]:
        yield f"{lead}{self._name(node)}"
        below = self._below(node)
        if not self.show_values and below and below[0][0] == 0:
            return
        shown = below if len(below) <= self.max_children + 1 else below[: self.max_children]
        for child in shown:
            last = child == below[-1]
            yield from self.lines(child, f"{inner}{'└── ' if last else '├── '}", f"{inner}{'    ' if last else '│   '}")
        if len(shown) < len(below):
            yield f"{inner}└── … {len(below) - len(shown):,} more"

    def _below(self, node: Node) -> list[Node]:
        """Give the children; a label that is repeated without anything joining is drawn once."""
        level, group = node
        below = [(level - 1, int(child)) for child in self.children[level - 1][group]] if level else []
        return self._below(below[0]) if len(below) == 1 and self._label(below[0]) == self._label(node) else below

    def _label(self, node: Node) -> str | None:
        label: str | None = self.ladder.labels[node[0]][node[1]]
        return label

    def _name(self, node: Node) -> str:
        level, group = node
        label = self._label(node)
        name = "(hidden)" if label in self.hidden else "(missing)" if label is None else label
        count = self.sizes[level][group]
        return name if level == 0 else f"{name}  ({count:,} {'value' if count == 1 else 'values'})"


def check(path: str | os.PathLike[str], domain: Domain | None = None) -> list[Problem]:
    """Find everything that is wrong with a hierarchy file in ARX's format, in the order of its lines.

    With a domain values that the file does not cover are a problem too. Messages hold no labels, ``values`` may.
    """
    try:
        problems = find_problems(read_rows(path))
        if not problems and domain is not None:
            tree(path).bind(domain)
    except UncoveredValuesError as error:
        return [Problem(None, error.message, error.values)]
    except HierarchyError as error:
        return [Problem(None, error.message)]
    return problems


def write_csv(hierarchy: Ladder | Tree, target: str | os.PathLike[str] | TextIO) -> None:
    """Write a hierarchy as CSV: no header, one line per value, the value first and the top last, separated by ``;``.

    Missing values have no line. ``tree(path)`` bound to the same column gives the same ladder again, except that a tree
    of which the column has only a part is written with that part. The file holds the column's values: keep it where the
    table is kept. It is written for programs; a spreadsheet may take a label for a formula or a date.
    """
    if isinstance(hierarchy, Tree):
        return write_lines(hierarchy.paths, target)
    columns = [labels[group] for group, labels in zip(hierarchy.groups, hierarchy.labels, strict=True)]
    return write_lines([row for row in zip(*columns, strict=True) if row[0] is not None], target)
