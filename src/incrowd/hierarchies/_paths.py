"""The paths of a tree, leaf first, and everything that can be wrong with them.

No message holds a label: the labels of a hierarchy can be values of records.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from incrowd.core import TOP

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a hierarchy.

    Attributes
    ----------
    line
        The line of the file, from 1; ``None`` if the whole file is meant.
    message
        What is wrong, without any label.
    values
        The values that are meant, for the owner of the data. Never part of the message.
    """

    line: int | None
    message: str
    values: tuple[object, ...] = field(default=(), repr=False)

    def __str__(self) -> str:
        return self.message if self.line is None else f"line {self.line}: {self.message}"


@dataclass(frozen=True, slots=True)
class Rows:
    """Paths as they were written, with the number of each, and what a number counts (lines or leaves)."""

    paths: Sequence[Path]
    numbers: Sequence[int]
    word: str = "line"

    def topped(self) -> Rows:
        """Add the level ``*`` where the last one has several labels."""
        if len({path[-1] for path in self.paths}) <= 1:
            return self
        return Rows([(*path, TOP) for path in self.paths], self.numbers, self.word)

    def numbered(self) -> Iterator[tuple[int, Path]]:
        """Give every path with its number."""
        return zip(self.numbers, self.paths, strict=True)


def find_problems(rows: Rows) -> list[Problem]:
    """Find everything that is wrong with paths as they were written."""
    if not rows.paths:
        return [Problem(None, "there is no value in it.")]
    problems, sound = _split_uneven(rows)
    twice, distinct = _split_repeated(sound.topped())
    parted, nested = _split_parted(distinct)
    found = [*problems, *twice, *parted, *_find_ambiguous(nested)]
    return sorted(found, key=lambda problem: problem.line or 0)


def _split_uneven(rows: Rows) -> tuple[list[Problem], Rows]:
    """Sort out paths of another length than the first, and empty labels."""
    problems, good = [], []
    first, width = rows.numbers[0], len(rows.paths[0])
    for number, path in rows.numbered():
        if len(path) != width:
            text = f"has a path of {len(path)} labels, but {rows.word} {first} has one of {width}; all must be equal."
            problems.append(Problem(number, text))
        elif path[0] and "" in path:
            text = f"the label of level {path.index('')} is empty, which would look like a missing value."
            problems.append(Problem(number, text))
        else:
            good.append((number, path))
    return problems, _rows(good, rows.word)


def _split_repeated(rows: Rows) -> tuple[list[Problem], Rows]:
    """Sort out values that are listed again; the same path twice does no harm."""
    problems = []
    first: dict[str, tuple[int, Path]] = {}
    for number, path in rows.numbered():
        earlier, known = first.setdefault(path[0], (number, path))
        if known != path:
            problems.append(Problem(number, f"the value of {rows.word} {earlier} is listed again with another path."))
    return problems, _rows(list(first.values()), rows.word)


def _split_parted(rows: Rows) -> tuple[list[Problem], Rows]:
    """Sort out paths that meet another one and part again above."""
    problems, good = [], []
    above: dict[tuple[int, str], tuple[int, str]] = {}
    for number, path in rows.numbered():
        for level, (label, parent) in enumerate(itertools.pairwise(path)):
            earlier, known = above.setdefault((level, label), (number, parent))
            if known != parent:
                text = f"has the label of {rows.word} {earlier} at level {level}, but another one at level {level + 1}."
                problems.append(Problem(number, text))
                break
        else:
            good.append((number, path))
    return problems, _rows(good, rows.word)


def _find_ambiguous(rows: Rows) -> Iterator[Problem]:
    """Find labels that mean two different sets of values: classes would be merged silently."""
    sizes = count_leaves(rows.paths)
    first: dict[str, tuple[int, int, Path]] = {}
    told: set[str] = set()
    for level in range(len(rows.paths[0]) if rows.paths else 0):
        seen: set[str] = set()
        for number, path in rows.numbered():
            label = path[level]
            if label in seen or label in told:
                continue
            seen.add(label)
            low, earlier, known = first.setdefault(label, (level, number, path))
            if sizes[low][label] != sizes[level][label] or known[level] != label:
                told.add(label)
                yield Problem(
                    number,
                    f"the label of level {level} is also the label of level {low} in {rows.word} {earlier}, "
                    "where it means another set of values.",
                )


def count_leaves(paths: Sequence[Path]) -> list[dict[str, int]]:
    """Count for every level how many values lie under each label."""
    counts: list[dict[str, int]] = [{} for _ in (paths[0] if paths else ())]
    for path in paths:
        for level, label in enumerate(path):
            counts[level][label] = counts[level].get(label, 0) + 1
    return counts


def _rows(numbered: list[tuple[int, Path]], word: str) -> Rows:
    return Rows([path for _, path in numbered], [number for number, _ in numbered], word)
