"""Mondrian once more, slowly and obviously: record by record, part by part, as the literature has it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import incrowd as ic

Row = dict[str, Any]
Part = list[Row]
Check = Callable[[list[Part], list[Part]], bool]

TOWN = {
    "ulm": ("ulm", "south", "inland", "*"),
    "augsburg": ("augsburg", "south", "inland", "*"),
    "bonn": ("bonn", "west", "inland", "*"),
    "köln": ("köln", "west", "inland", "*"),
    "kiel": ("kiel", "north", "coast", "*"),
}
GRADE = ["none", "school", "trade", "study"]
AGES = [17, 20, 25, 31, 47, 49, 62, 88, None]
SEXES = ["d", "f", "m"]
QUASI = ("age", "grade", "sex", "town")


def schema(**more: Any) -> ic.Schema:
    town = ic.tree(sorted({pair for path in TOWN.values() for pair in pairwise(path)}))
    quasi: dict[str, Any] = {
        "age": ic.intervals(10, 20, 40),
        "grade": ic.ordered(GRADE),
        "sex": ic.flat(),
        "town": town,
    }
    return ic.Schema(quasi=quasi, sensitive={"disease": more.pop("disease", None)}, **more)


def canonical(row: Row) -> tuple[Any, ...]:
    """Sort records as cells are: numbers by value, texts by code point, what is missing last."""
    return (
        (row["age"] is None, row["age"] or 0),
        row["grade"],
        row["sex"],
        row["town"],
        row["disease"],
        row.get("person", ""),
    )


def position(name: str, value: Any) -> int:
    if name == "age":
        return AGES.index(value)
    return GRADE.index(value) if name == "grade" else SEXES.index(value)


def width(part: Part, table: Part, name: str) -> Fraction:
    """Give the range of a part as a share of the table's; a missing value beside others is as wide as can be."""
    have, all_ = ({row[name] for row in rows} for rows in (part, table))
    if len(have) == 1:
        return Fraction(0)
    if name != "age":
        return Fraction(len(have), len(all_))
    numbers = sorted(all_ - {None})
    return Fraction(1) if None in have else Fraction(max(have) - min(have), numbers[-1] - numbers[0])


def halves(part: Part, name: str, *, strict: bool) -> list[Part]:
    line = sorted(part, key=lambda row: (position(name, row[name]), canonical(row)))
    middle = (len(line) - 1) // 2
    if not strict:
        return [line[: middle + 1], line[middle + 1 :]]
    median = position(name, line[middle][name])
    left = [row for row in line if position(name, row[name]) <= median]
    if len(left) == len(line):
        left = [row for row in line if position(name, row[name]) < median]
    return [left, line[len(left) :]]


def path_of(name: str, value: Any) -> tuple[str, ...]:
    """Give the labels of a value, level by level."""
    if name == "town":
        return TOWN[value]
    if name == "age":
        if value is None:
            return (None, None, None, None, "*")  # type: ignore[return-value]
        starts = [value // wide * wide for wide in (10, 20, 40)]
        return (str(value), *(f"[{low}, {low + wide})" for low, wide in zip(starts, (10, 20, 40), strict=True)), "*")
    return (value, "*")


def ancestor(part: Part, name: str) -> int:
    """Give the level of the lowest label that all records share."""
    paths = [path_of(name, row[name]) for row in part]
    return next(level for level in range(len(paths[0])) if len({path[level] for path in paths}) == 1)


def groups(part: Part, name: str) -> list[Part]:
    below = ancestor(part, name) - 1
    labels = sorted({str(path_of(name, row[name])[below]) for row in part})
    return [[row for row in part if str(path_of(name, row[name])[below]) == label] for label in labels]


@dataclass(frozen=True)
class Leaf:
    """A class, and the parts that it was cut out of, the whole table first."""

    part: Part
    path: list[Part]


def mondrian(
    table: Part,
    check: Check,
    *,
    strict: bool = True,
    labels: str = "range",
    importance: dict[str, float] | None = None,
    quasi: Sequence[str] = QUASI,
) -> list[Leaf]:
    """Cut a table; ``check`` is asked about pieces and the parts that they would be cut out of."""
    weigh = {name: Fraction((importance or {}).get(name, 1)) for name in quasi}

    def split(part: Part, path: list[Part]) -> list[Leaf]:
        inner = [*path, part]
        for name in sorted(quasi, key=lambda name: -weigh[name] * width(part, table, name)):
            if len({row[name] for row in part}) == 1:
                continue
            nested = labels == "hierarchy" or name == "town"
            pieces = groups(part, name) if nested else halves(part, name, strict=strict)
            if all(pieces) and check(pieces, inner):
                return [leaf for piece in pieces for leaf in split(piece, inner)]
        return [Leaf(part, inner)]

    return split(table, [])


def label(part: Part, name: str, labels: str) -> str | None:
    """Say what a class is called in a column."""
    values = {row[name] for row in part}
    if len(values) == 1:
        value = values.pop()
        return None if value is None else str(value)
    if labels != "hierarchy" and name == "age":
        return "*" if None in values else f"{min(values)}..{max(values)}"
    if labels == "set" or (labels == "range" and name != "town"):
        return "{" + ", ".join(sorted(values)) + "}"
    return path_of(name, part[0][name])[ancestor(part, name)]


def published(leaves: Sequence[Leaf], labels: str) -> Counter[Any]:
    """Count what is published: every record beside what it is called."""
    result: Counter[Any] = Counter()
    for leaf in leaves:
        called = tuple(label(leaf.part, name, labels) for name in QUASI)
        result.update((tuple(row[name] for name in (*QUASI, "disease")), called) for row in leaf.part)
    return result
