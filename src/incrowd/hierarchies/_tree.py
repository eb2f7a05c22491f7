"""``tree``: groups that somebody names, in nested tables or a file in ARX's format."""

from __future__ import annotations

import csv
import io
import itertools
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TextIO

import numpy as np

from incrowd.core import TOP, DataError, Domain, HierarchyError, IncrowdError, Ladder, Step, atomic_path, bytes_in
from incrowd.hierarchies._numbers import positions_in, text_of

# The paths of a tree, leaf first, and everything that can be wrong with them.

TreePath = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a hierarchy, in the whole file or at a line of it; messages hold no label."""

    line: int | None
    message: str
    values: tuple[object, ...] = field(default=(), repr=False)  # those that are meant, for the owner of the data

    def __str__(self) -> str:
        return self.message if self.line is None else f"line {self.line}: {self.message}"


@dataclass(frozen=True, slots=True)
class Rows:
    """Paths as they were written, with the number of each, and what a number counts (lines or leaves)."""

    paths: Sequence[TreePath]
    numbers: Sequence[int]
    word: str = "line"

    def with_top(self) -> Rows:
        """Add the level ``*`` where the last one has several labels."""
        if len({path[-1] for path in self.paths}) <= 1:
            return self
        return replace(self, paths=[(*path, TOP) for path in self.paths])

    def numbered(self) -> Iterator[tuple[int, TreePath]]:
        return zip(self.numbers, self.paths, strict=True)

    def without(self, problems: Sequence[Problem]) -> Rows:
        """Leave out the paths that something is wrong with."""
        wrong = {problem.line for problem in problems}
        return self._where(lambda number, _: number not in wrong)

    def distinct(self) -> Rows:
        first = {path: number for number, path in reversed([*self.numbered()])}
        return self._where(lambda number, path: first[path] == number)

    def _where(self, holds: Callable[[int, TreePath], bool]) -> Rows:
        kept = [(number, path) for number, path in self.numbered() if holds(number, path)]
        return Rows([path for _, path in kept], [number for number, _ in kept], self.word)


def find_problems(rows: Rows) -> list[Problem]:
    """Find everything that is wrong with paths as they were written; each way looks at what the ones before left."""
    if not rows.paths:
        return [Problem(None, "there is no value in it.")]
    uneven = [*_find_uneven(rows)]
    rows = rows.without(uneven).with_top()
    repeated = [*_find_repeated(rows)]
    rows = rows.without(repeated).distinct()
    parted = [*_find_parted(rows)]
    found = [*uneven, *repeated, *parted, *_find_ambiguous(rows.without(parted))]
    return sorted(found, key=lambda problem: problem.line or 0)


def _find_uneven(rows: Rows) -> Iterator[Problem]:
    """Find paths of another length than the first, and empty labels."""
    first, width = rows.numbers[0], len(rows.paths[0])
    for number, path in rows.numbered():
        if len(path) != width:
            text = f"has a path of {len(path)} labels, but {rows.word} {first} has one of {width}; all must be equal."
            yield Problem(number, text)
        elif path[0] and "" in path:
            text = f"the label of level {path.index('')} is empty, which would look like a missing value."
            yield Problem(number, text)


def _find_repeated(rows: Rows) -> Iterator[Problem]:
    """Find values that are listed again; the same path twice does no harm."""
    first: dict[str, tuple[int, TreePath]] = {}
    for number, path in rows.numbered():
        earlier, known = first.setdefault(path[0], (number, path))
        if known != path:
            yield Problem(number, f"the value of {rows.word} {earlier} is listed again with another path.")


def _find_parted(rows: Rows) -> Iterator[Problem]:
    """Find paths that meet another one and part again above."""
    above: dict[tuple[int, str], tuple[int, str]] = {}
    for number, path in rows.numbered():
        for level, (label, parent) in enumerate(itertools.pairwise(path)):
            earlier, known = above.setdefault((level, label), (number, parent))
            if known != parent:
                text = f"has the label of {rows.word} {earlier} at level {level}, but another one at level {level + 1}."
                yield Problem(number, text)
                break


def _find_ambiguous(rows: Rows) -> Iterator[Problem]:
    """Find labels that mean two different sets of values: classes would be merged silently."""
    sizes = count_leaves(rows.paths)
    first: dict[str, tuple[int, int, TreePath]] = {}
    reported: set[str] = set()
    for level in range(len(sizes)):
        here: dict[str, tuple[int, TreePath]] = {}
        for number, path in rows.numbered():
            here.setdefault(path[level], (number, path))
        for label, (number, path) in here.items():
            low, earlier, known = first.setdefault(label, (level, number, path))
            same = sizes[low][label] == sizes[level][label] and known[level] == label
            if not same and label not in reported:
                reported.add(label)
                yield Problem(
                    number,
                    f"the label of level {level} is also the label of level {low} in {rows.word} {earlier}, "
                    "where it means another set of values.",
                )


def count_leaves(paths: Sequence[TreePath]) -> list[Counter[str]]:
    return [Counter(labels) for labels in zip(*paths, strict=True)]


# Turn Python data, a nested dict or pairs of child and parent, into the paths of a tree.

_DEEP = 100


def paths_of_mapping(nested: Mapping[Any, Any], above: TreePath = ()) -> Iterator[TreePath]:
    """Walk down a nested dict with lists of values at the bottom."""
    if len(above) > _DEEP:
        msg = f"The tree is more than {_DEEP} levels deep."
        raise HierarchyError(msg, hint="does the dict hold itself?")
    for key, inner in nested.items():
        here = (checked_text(key), *above)
        if isinstance(inner, Mapping):
            yield from paths_of_mapping(inner, here)
        elif isinstance(inner, str) or not isinstance(inner, Iterable):
            msg = f"A group at depth {len(here)} of the tree holds {type(inner).__name__} instead of a list of values."
            raise HierarchyError(msg, hint="write {'West': ['FR', 'DE']}, also for a single value.")
        else:
            paths = [(checked_text(value), *here) for value in inner]
            if not paths:
                msg = f"A group at depth {len(here)} of the tree has no values."
                raise HierarchyError(msg, hint="leave the group out.")
            yield from paths


def paths_of_pairs(pairs: Iterable[Any]) -> list[TreePath]:
    """Follow every child to its parents' parents."""
    parent = _parent_of_child(pairs)
    inner = set(parent.values())
    leaves = [child for child in parent if child not in inner]
    paths = [_climb(leaf, parent) for leaf in leaves]
    if len(set().union(*paths)) < len(inner | parent.keys()):
        msg = f"The tree has a circle: some of its {len(inner)} groups contain themselves."
        raise HierarchyError(msg, hint="give pairs (child, parent) that lead to a top.")
    return paths


def _parent_of_child(pairs: Iterable[Any]) -> dict[str, str]:
    parent: dict[str, str] = {}
    for number, pair in enumerate(pairs, start=1):
        if isinstance(pair, str) or not isinstance(pair, Iterable) or len(both := tuple(pair)) != 2:
            msg = f"Item {number} of the tree is not a pair."
            raise HierarchyError(msg, hint="give pairs (child, parent), such as ('FR', 'West').")
        child, above = map(checked_text, both)
        if parent.setdefault(child, above) != above:
            msg = f"Pair {number} of the tree gives a child that already has another parent."
            raise HierarchyError(msg, hint="every node needs exactly one parent; the child comes first.")
    return parent


def _climb(leaf: str, parent: Mapping[str, str]) -> TreePath:
    path = [leaf]
    while path[-1] in parent:
        path.append(parent[path[-1]])
        if len(path) > len(parent) + 1:
            msg = f"The tree has a circle: one of its {len(parent)} pairs leads back to where it came from."
            raise HierarchyError(msg, hint="give pairs (child, parent) that lead to a top.")
    return tuple(path)


def checked_text(value: object) -> str:
    """Write a value or label of Python data as text; refuse what cannot be one."""
    text = text_of(value)
    if text is None:
        msg = f"A value or label is of type {type(value).__name__}."
        raise HierarchyError(msg, hint="use text, numbers, booleans or dates.")
    return text


# Read and write files of lines: hierarchies as ARX has them, and categories.

SEPARATORS = (";", "\t", ",")  # tried in this order: a comma inside a label is common, a semicolon is not

NumberedFields = tuple[int, tuple[str, ...]]


def read_lines(path: str | os.PathLike[str]) -> list[NumberedFields]:
    """Read the fields of every line that is not blank, with its number; the separator is found out."""
    text = _read_text(path)
    tries = [(separator, _parse(text, separator)) for separator in SEPARATORS]
    for _, lines in tries:
        if isinstance(lines, list) and lines and len(lines[0][1]) > 1 and len({len(row) for _, row in lines}) == 1:
            return lines
    start = text.partition("\n")[0]
    _, lines = max(tries, key=lambda attempt: start.count(attempt[0]))
    if isinstance(lines, int):
        msg = f"The file {Path(path).name!r} has an unbalanced quote or an overlong field near line {lines}."
        raise HierarchyError(msg, hint='a quote inside a quoted field is written twice: "say ""ah""".')
    return lines


def write_lines(rows: Iterable[Sequence[str]], target: str | os.PathLike[str] | TextIO) -> None:
    """Write lines so that ``read_lines`` gives the same fields back; a file whole or not at all."""
    rows = list(rows)
    # A single column has no separator to recognise, and these two characters are lost at a line's ends.
    careful = any(len(row) < 2 or any("\r" in field or "\ufeff" in field for field in row) for row in rows)
    quoting: Literal[0, 1] = csv.QUOTE_ALL if careful else csv.QUOTE_MINIMAL
    if isinstance(target, str | os.PathLike):
        with atomic_path(target, force=True) as part, part.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter=";", lineterminator="\n", quoting=quoting).writerows(rows)
    else:
        csv.writer(target, delimiter=";", lineterminator="\n", quoting=quoting).writerows(rows)


def _read_text(path: str | os.PathLike[str]) -> str:
    """Read the whole file; errors are raised outside of the except block, whose context would keep the bytes."""
    trouble: IncrowdError
    name = Path(path).name or os.fspath(path)  # ``.`` and ``/`` have no name of their own
    try:
        return bytes_in(path).decode("utf-8-sig")
    except OSError as error:
        msg = f"The file {name!r} cannot be read: {error.strerror}."
        trouble = DataError(msg, hint="check the path and your rights.")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        msg = f"The file {name!r} is not UTF-8: line {line} has other bytes."
        trouble = HierarchyError(msg, hint="save it as UTF-8.")
    raise trouble


def _parse(text: str, separator: str) -> list[NumberedFields] | int:
    """Split into fields; where the quotes are broken, give the line number instead."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        return [(reader.line_num, tuple(row)) for row in reader if row]
    except csv.Error:
        return reader.line_num


@dataclass(frozen=True, slots=True, repr=False)
class Tree:
    """A hierarchy given value by value. Built by ``tree``, which checks it."""

    paths: tuple[TreePath, ...]  # for every value its labels from the value to the top, sorted by value
    # Whether the groups were formed from the records that they are used for, and say something about them
    from_data: bool = False

    @property
    def height(self) -> int:
        return len(self.paths[0]) - 1

    def bind(self, domain: Domain) -> Ladder:
        rows = positions_in(domain, {path[0]: row for row, path in enumerate(self.paths)}, what="the tree")
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
        return _checked_tree(read_rows(source), f"The hierarchy file {Path(source).name!r}")
    if isinstance(source, Mapping):
        paths = list(paths_of_mapping(source))
    elif isinstance(source, Iterable):
        paths = paths_of_pairs(source)
    else:
        msg = f"tree needs a path, a nested dict or pairs, got {type(source).__name__}."
        raise HierarchyError(msg)
    return checked_tree(paths, "The tree", "leaf")


def read_rows(path: str | os.PathLike[str]) -> Rows:
    lines = read_lines(path)
    return Rows([fields for _, fields in lines], [number for number, _ in lines])


def checked_tree(paths: list[TreePath], what: str, word: str = "value") -> Tree:
    """Build a tree from the paths of values in their order, or say what is wrong with it."""
    return _checked_tree(Rows(paths, range(1, len(paths) + 1), word), what)


def _checked_tree(rows: Rows, what: str) -> Tree:
    problems = find_problems(rows)
    if not problems:
        return Tree(tuple(sorted(set(rows.with_top().paths))))
    first = problems[0]
    where = "" if first.line is None else f", {rows.word} {first.line}"
    more = {1: "", 2: " There is 1 more problem."}.get(len(problems), f" There are {len(problems) - 1} more problems.")
    hint = "incrowd hierarchy check FILE lists all problems." if rows.word == "line" else ""
    msg = f"{what}{where}: {first.message}{more}"
    raise HierarchyError(msg, hint=hint)
