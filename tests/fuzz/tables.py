"""Random small tables, what their columns mean, and promises whose bounds are those that some class just reaches."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import incrowd as ic
from fuzz.definitions import STAR, Finding, Meaning, Promise, Row, World, classes_of, findings

DISEASES = ("flu", "hiv", "asthma", "ulcer", "gout", "cold")
Paths = dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Case:
    """A table with what is known about its columns, for the product and for the definitions."""

    rows: tuple[Row, ...]
    paths: Mapping[str, Paths]
    world: World
    flavours: Mapping[str, str]

    @property
    def quasi(self) -> tuple[str, ...]:
        return self.world.quasi

    @property
    def schema(self) -> ic.Schema:
        """What the product is told."""
        return ic.Schema(
            quasi={name: _hierarchy(paths) for name, paths in self.paths.items()},
            sensitive={name: self._meaning(name) for name in self.flavours},
            insensitive=["id"],
            entity=self.world.entity,
            count=self.world.count,
        )

    def _meaning(self, name: str) -> Any:
        known = self.world.meanings[name]
        if self.flavours[name] == "ordered":
            return ic.ordered(list(known.order))
        if self.flavours[name] == "tree":
            return ic.tree(edges(known.paths))
        if self.flavours[name] == "categories":
            groups: dict[str, list[str]] = {}
            for value, kind in sorted(known.category.items(), key=lambda pair: pair[1]):
                groups.setdefault(f"kind {kind}", []).append(value)
            return ic.categories(groups)
        return None

    def find(self, promise: Promise, rows: Sequence[Row] | None = None) -> list[Finding]:
        """Judge every class of the rows by the definitions."""
        return findings(promise, classes_of(self.rows if rows is None else rows, self.quasi), self.world)


def edges(paths: Mapping[Any, tuple[str, ...]]) -> list[tuple[str, str]]:
    """Give every step up in a tree once."""
    return sorted({pair for path in paths.values() for pair in pairwise(path)})


def _hierarchy(paths: Paths) -> Any:
    return ic.tree(edges(paths)) if len(next(iter(paths.values()))) > 1 else ic.flat()


def random_paths(rolls: random.Random, name: str) -> Paths:
    """Give some values, and what each becomes level by level, up to ``*``; flat, if there is one level."""
    values = [f"{name}{number}" for number in range(rolls.choice([1, 2, 3, 4, 4, 6, 9]))]
    height = rolls.choice([0, 0, 1, 2, 3])
    paths = {value: [value] for value in values}
    groups = {value: value for value in values}
    for level in range(1, height + 1):
        known = sorted(set(groups.values()))
        below = {label: f"{name}-{level}-{rolls.randrange(max(1, len(known) // 2 + 1))}" for label in known}
        groups = {value: below[label] for value, label in groups.items()}
        for value in values:
            paths[value].append(groups[value])
    return {value: (*path, STAR) for value, path in paths.items()}


def random_meaning(rolls: random.Random, values: Sequence[str]) -> Meaning:
    """Give values an order, a tree of equal depth, and categories with weights."""
    order = list(values)
    rolls.shuffle(order)
    kinds = rolls.randint(1, min(4, len(values)))
    category = {value: number if number < kinds else rolls.randrange(kinds) for number, value in enumerate(order)}
    weight = {kind: Fraction(kind, kinds - 1) if kind < kinds - 1 else Fraction(1) for kind in range(kinds)}
    organs = {value: f"organ {rolls.randrange(3)}" for value in values}
    parts = {organ: f"part {rolls.randrange(2)}" for organ in sorted(set(organs.values()))}
    paths = {value: (value, organ, parts[organ], STAR) for value, organ in organs.items()}
    return Meaning(tuple(order), paths, category, weight)


def random_case(rolls: random.Random, *, people: bool = True, missing: bool = True, most: int = 24) -> Case:
    """Draw a table; sometimes its rows have counts, or people have several, or values are missing."""
    quasi = tuple(f"q{number}" for number in range(rolls.choice([1, 2, 2, 3])))
    paths = {name: random_paths(rolls, name) for name in quasi}
    names = ("s", "u")[: rolls.choice([1, 1, 2])]
    kinds = {name: DISEASES[: rolls.randint(1, len(DISEASES))] for name in names}
    flavours = {name: rolls.choice(["plain", "ordered", "tree", "categories"]) for name in names}
    meanings = {name: random_meaning(rolls, values) for name, values in kinds.items()}
    counted = rolls.choice([None, None, None, "count", "entity"]) if people else None
    lacking = missing and rolls.random() < 0.2
    rows = []
    for number in range(rolls.randint(1, most)):
        row: dict[str, Any] = {name: _skewed(rolls, sorted(paths[name])) for name in quasi}
        for name in names:
            known = lacking and flavours[name] == "plain" and rolls.random() < 0.2
            row[name] = None if known else _skewed(rolls, kinds[name])
        row["id"] = number
        if counted is not None:
            row[counted] = rolls.randint(1, 4) if counted == "count" else f"p{rolls.randrange(8)}"
        rows.append(row)
    table = tuple(rows)
    how = {"count": "count" if counted == "count" else None, "entity": "entity" if counted == "entity" else None}
    return Case(table, paths, World(table, quasi, meanings, **how), flavours)


def _skewed(rolls: random.Random, values: Sequence[Any]) -> Any:
    """Draw a value, the first ones more often."""
    return values[int(len(values) * rolls.random() ** rolls.choice([1, 2, 3]))]


def random_promise(rolls: random.Random, case: Case, kinds: Sequence[str] | None = None) -> Promise:
    """Draw a promise that the table's columns allow, with bounds at, just below or just above what a class has."""
    possible = [kind for kind in (kinds or KINDS) if kind in kinds_for(case)]
    kind = rolls.choice(possible)
    draft = _draft(rolls, kind, case)
    measured = [number for found in case.find(draft) for number in found.measured[-1:] if number != math.inf]
    near = Fraction(rolls.choice(measured)).limit_denominator(60) if measured else Fraction(1)
    exact = rolls.random() < 0.6
    bound = near if exact else near + Fraction(rolls.choice([-1, 1]), rolls.choice([1, 7, 100]))
    return _bounded(draft, bound)


def kinds_for(case: Case) -> list[str]:
    """Say which promises the columns of a table allow."""
    if case.world.entity is not None:
        return ["k", "l", "p", "probabilistic-l", "alpha"]
    return [kind for kind in KINDS if kind not in {"p-alpha", "enhanced"} or "categories" in case.flavours.values()]


KINDS = (
    *("k", "candidates", "l", "p", "probabilistic-l", "entropy-l", "recursive", "alpha", "t", "nt", "beta"),
    *("enhanced-beta", "delta", "p-alpha", "enhanced"),
)
WHOLE = {"k", "candidates", "l", "p"}
UPWARD = ("k", "l", "p", "p-alpha", "enhanced")
CLOSED = (*UPWARD, "probabilistic-l", "entropy-l", "recursive", "alpha", "t", "beta", "enhanced-beta", "delta")
"""Kinds that classes keep when they are put together with any, and those that they keep when both do."""


def _draft(rolls: random.Random, kind: str, case: Case) -> Promise:
    """Draw all of a promise but its bound."""
    names = list(case.flavours)
    if kind in {"p-alpha", "enhanced"}:
        names = [name for name in names if case.flavours[name] == "categories"]
    columns: tuple[str, ...] = () if kind in {"k", "candidates"} else (rolls.choice(names),)
    if kind in {"l", "p"} and len(names) == 2 and rolls.random() < 0.3:
        columns = tuple(names)
    lacks = any(row[name] is None for row in case.rows for name in columns)
    more: dict[str, Any] = {}
    if kind in {"t", "nt"}:
        flavour = case.flavours[columns[0]]
        fitting = {"ordered": ["ordered"], "tree": ["hierarchical"]}.get(flavour, [])
        more["distance"] = "equal" if lacks else rolls.choice(["equal", "kl", *fitting * 2])
    if kind == "nt":
        more |= {"n": rolls.randint(1, case.world.size(case.rows)), "supersets": rolls.choice(["table", "drop"])}
    if kind == "alpha" and not lacks and rolls.random() < 0.4:
        present = sorted({row[columns[0]] for row in case.rows})
        more["values"] = tuple(rolls.sample(present, rolls.randint(1, len(present))))
    if kind in {"l", "p", "probabilistic-l", "entropy-l", "recursive", "p-alpha", "enhanced"}:
        more["missing"] = lacks and rolls.random() < 0.5
    if kind in {"p-alpha", "enhanced"}:
        more["over"] = rolls.choice(["records", "distinct"])
    second = {"recursive": Fraction(1), "p-alpha": Fraction(0), "enhanced": Fraction(0)}
    bounds = (Fraction(rolls.randint(1, 3)), second[kind]) if kind in second else (Fraction(1),)
    return Promise(kind, bounds, columns, **more)


def _bounded(draft: Promise, bound: Fraction) -> Promise:
    """Set the bound of a promise, or the second of two, to the nearest that it may have."""
    small = Fraction(1, 100)
    lows: Mapping[str, Fraction] = {"probabilistic-l": Fraction(1), "entropy-l": Fraction(1), "t": Fraction(0)}
    lows = {**lows, "nt": Fraction(0), "p-alpha": Fraction(0), "enhanced": Fraction(0)}
    bound = max(bound, lows.get(draft.kind, small))
    if draft.kind == "alpha" or (draft.kind in {"t", "nt"} and draft.distance != "kl"):
        bound = min(bound, Fraction(1))
    if draft.kind in WHOLE:
        bound = Fraction(max(1, round(bound)))
    bounds = (bound,) if len(draft.bounds) == 1 else (draft.bounds[0], bound)
    return Promise(**{**vars(draft), "bounds": bounds})


def shrunk(case: Case, fails: Callable[[Case], bool]) -> Case:
    """Leave out rows as long as a table still shows what it showed."""
    rows = list(case.rows)
    for row in list(rows):
        fewer = [other for other in rows if other is not row]
        world = World(tuple(fewer), case.quasi, case.world.meanings, case.world.count, case.world.entity)
        smaller = Case(tuple(fewer), case.paths, world, case.flavours)
        if fewer and fails(smaller):
            rows, case = fewer, smaller
    return case
