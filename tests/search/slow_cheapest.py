"""What ``CheapestFirst`` must not get wrong, slowly and obviously: every label of a small table, record by record."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from search.slow import PATHS, QUASI, Ok, Row, leaves, nodes

Label = tuple[Any, ...]
Published = Mapping[Label, Sequence[Row]]


def covers(name: str, label: Any, value: Any) -> bool:
    """Say whether a published text covers a value: a group of the hierarchy, or a range of ages."""
    if label in PATHS[name][value]:
        return True
    low, dots, high = str(label).partition("..")
    return bool(dots) and name == "age" and int(low) <= int(value) <= int(high)


def cost(label: Label) -> Fraction:
    """Add up what the texts of a label give up."""
    return sum((lost(name, text) for name, text in zip(QUASI, label, strict=True)), Fraction(0))


def lost(name: str, text: Any) -> Fraction:
    return Fraction(leaves(name, text) - 1, len(PATHS[name]) - 1)


def cheapest(table: Sequence[Row], ok: Ok) -> list[Fraction | None]:
    """Give for every record the cost of the cheapest label under which the records of the table keep a promise."""
    under: defaultdict[Label, list[int]] = defaultdict(list)
    for levels in nodes():
        found: defaultdict[Label, list[int]] = defaultdict(list)
        for at, row in enumerate(table):
            found[tuple(PATHS[name][row[name]][level] for name, level in zip(QUASI, levels, strict=True))].append(at)
        under.update(found)
    good = {label: cost(label) for label, inside in under.items() if ok([table[at] for at in inside], table)}
    return [min((good[label] for label in good if at in under[label]), default=None) for at in range(len(table))]


def overlap(one: Label, other: Label) -> bool:
    """Say whether some combination of values is covered by both labels."""
    return all(
        any(covers(name, mine, value) and covers(name, theirs, value) for value in PATHS[name])
        for name, mine, theirs in zip(QUASI, one, other, strict=True)
    )


def overlapping(labels: Sequence[Label]) -> list[tuple[Label, Label]]:
    return [pair for pair in itertools.combinations(labels, 2) if overlap(*pair)]
