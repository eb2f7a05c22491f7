"""Trees: somebody who knows the column says what belongs together."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

import numpy as np

from incrowd.core import Domain, HierarchyError, Ladder, Step
from incrowd.hierarchies._file import read_lines
from incrowd.hierarchies._match import match
from incrowd.hierarchies._nested import paths_of_mapping, paths_of_pairs
from incrowd.hierarchies._paths import Path, Rows, count_leaves, find_problems


@dataclass(frozen=True, slots=True, repr=False)
class Tree:
    """A hierarchy given value by value. Built by ``tree``, which checks it.

    Attributes
    ----------
    paths
        For every value its labels from the value to the top, sorted by value.
    from_data
        Whether the groups were formed from the records that they are used for, and say something about them.
    """

    paths: tuple[Path, ...]
    from_data: bool = False

    @property
    def height(self) -> int:
        """The number of steps from a value to the top."""
        return len(self.paths[0]) - 1

    def bind(self, domain: Domain) -> Ladder:
        """Find the values of one column, by their text, among the tree's."""
        rows = match(domain, {path[0]: row for row, path in enumerate(self.paths)}, what="the tree")
        counts = count_leaves(self.paths)
        steps = []
        for level in range(1, self.height + 1):
            number = {label: index for index, label in enumerate(counts[level])}
            group = np.array([number[self.paths[row][level]] for row in rows.tolist()], dtype=np.int64)
            steps.append(Step(group, list(counts[level]), list(counts[level].values())))
        return Ladder.climb(domain, steps)

    def __repr__(self) -> str:
        values = "1 value" if len(self.paths) == 1 else f"{len(self.paths)} values"
        return f"Tree({values}, {self.height} {'step' if self.height == 1 else 'steps'})"


def tree(source: str | os.PathLike[str] | Mapping[Any, Any] | Iterable[tuple[Any, Any]]) -> Tree:
    """Let values become the groups that somebody who knows the column put them in.

    Parameters
    ----------
    source
        A nested dict with lists of values at the bottom, ``{"Europe": {"West": ["FR", "DE"]}}``; pairs of child and
        parent, ``[("FR", "West"), ("West", "Europe")]``; or the path of a CSV file in ARX's format: no header, one
        line per value, the levels as columns from the value to the top, separated by ``;``, ``,`` or tabs, UTF-8.

    Notes
    -----
    All paths need the same number of levels, and once two values share a label they must share all labels above it.
    A label must mean one set of values wherever it stands, otherwise classes would be merged silently; it may be
    repeated upward on its path as long as no other value joins. Where the last level has several labels, ``*`` is
    added. Values are found by their text, so that ``39`` in a file covers the number 39. Missing values stay apart
    up to a top made of asterisks.

    How well a tree hides people depends on how many of them share a group, not on how the group is called.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.tree({"Europe": {"West": ["FR", "DE"], "North": ["SE"]}, "Asia": {"East": ["JP"]}})
    Tree(4 values, 3 steps)
    """
    if isinstance(source, str | os.PathLike):
        return _checked(read_rows(source), f"The hierarchy file {FilePath(source).name!r}")
    if isinstance(source, Mapping):
        paths = list(paths_of_mapping(source))
    elif isinstance(source, Iterable):
        paths = paths_of_pairs(source)
    else:
        msg = f"tree needs a path, a nested dict or pairs, got {type(source).__name__}."
        raise HierarchyError(msg)
    return _checked(Rows(paths, range(1, len(paths) + 1), "leaf"), "The tree")


def read_rows(path: str | os.PathLike[str]) -> Rows:
    """Read the paths of a hierarchy file as they are."""
    lines = read_lines(path)
    return Rows([fields for _, fields in lines], [number for number, _ in lines])


def checked_tree(paths: list[Path], what: str) -> Tree:
    """Build a tree from the paths of values in their order, or say what is wrong with it."""
    return _checked(Rows(paths, range(1, len(paths) + 1), "value"), what)


def _checked(rows: Rows, what: str) -> Tree:
    problems = find_problems(rows)
    if not problems:
        return Tree(tuple(sorted(set(rows.topped().paths))))
    first = problems[0]
    where = "" if first.line is None else f", {rows.word} {first.line}"
    more = {1: "", 2: " There is 1 more problem."}.get(len(problems), f" There are {len(problems) - 1} more problems.")
    hint = "incrowd hierarchy check FILE lists all problems." if rows.word == "line" else ""
    msg = f"{what}{where}: {first.message}{more}"
    raise HierarchyError(msg, hint=hint)
