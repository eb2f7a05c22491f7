"""Tables that are known by their dictionaries, with the roles that a careful steward would give; values are made up."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

import incrowd as ic
from incrowd.plan import ColumnSuggestion

DATA = Path(__file__).parent.parent / "data" / "roles"
ROWS = 480
ROLES = {
    "I": "identifier", "E": "entity", "H": "household", "W": "weight",
    "Q": "quasi", "S": "sensitive", "N": "insensitive",
}  # fmt: skip
FORMS = {
    "date": "%Y-%m-%d",
    "datetime": "%Y-%m-%d %H:%M:%S",
    "dd.mm.yyyy": "%d.%m.%Y",
    "dd/mm/yyyy": "%d/%m/%Y",
    "yyyymmdd": "%Y%m%d",
}


@dataclass(frozen=True)
class Labelled:
    """A table and the roles of its columns; the first role is the best one."""

    name: str
    table: pa.Table
    roles: dict[str, tuple[str, ...]]

    def named(self, role: str) -> list[str]:
        """The columns whose best role this is."""
        return [name for name, roles in self.roles.items() if roles[0] == role]


@dataclass
class Score:
    """How many suggested roles are right, dangerous, and called certain."""

    columns: int = 0
    right: int = 0
    sure: int = 0
    sure_right: int = 0
    wrong: list[str] = field(default_factory=list)
    dangerous: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)


def labelled(file: str) -> Iterator[Labelled]:
    """Read the tables of one file."""
    for part in (DATA / file).read_text(encoding="utf-8").split("== ")[1:]:
        name, *lines = part.strip().splitlines()
        columns = [line.split() for line in lines if line.strip()]
        roles = {column[0]: tuple(ROLES[letter] for letter in column[1]) for column in columns}
        yield Labelled(name, _table(columns), roles)


def _table(columns: list[list[str]]) -> pa.Table:
    repeats = max((int(column[2].split("*")[1]) for column in columns if "#*" in column[2]), default=1)
    return pa.table({column[0]: _values(column[0], column[2:], repeats) for column in columns})


def _values(name: str, shape: list[str], repeats: int) -> list[Any]:
    draw = random.Random(name)
    each = repeats if shape[0] == "@" or "#*" in shape[0] else 1
    if each == 1 < repeats == len(shape):  # the waves of a panel
        return [_typed(shape[row % repeats]) for row in range(ROWS)]
    make = _maker(draw, shape[1:] if shape[0] == "@" else shape)
    drawn = [make(place) for place in range(ROWS // each)]
    return [drawn[row // each] for row in range(ROWS // each * each)] + drawn[-1:] * (ROWS % each)


def _maker(draw: random.Random, shape: list[str]) -> Callable[[int], Any]:
    first = shape[0]
    if first.startswith("#"):
        text = first.removeprefix("#")
        return (
            (lambda place: f"{text}{place:05d}x") if text.isalpha() else lambda place: 1000 + place * (3 if text else 1)
        )
    if first in FORMS:
        day = dt.datetime(1960, 1, 1, 7, 30)  # noqa: DTZ001
        return lambda _: (day + dt.timedelta(days=draw.randrange(15_000), minutes=draw.randrange(600))).strftime(
            FORMS[first]
        )
    if len(shape) == 1 and ".." in first:
        low, high = first.split("..")
        width = len(low) if low.startswith("0") and len(low) > 1 else 0
        return lambda _: (
            f"{draw.randint(int(low), int(high)):0{width}d}" if width else draw.randint(int(low), int(high))
        )
    if len(shape) == 1 and "~" in first:
        least, most = map(float, first.split("~"))
        return lambda _: round(draw.uniform(least, most), 2)
    words = [_typed(word) for word in shape]
    if not all(isinstance(word, type(words[0])) for word in words):
        words = [word.replace("_", " ") for word in shape]
    return lambda _: draw.choice(words)


def _typed(word: str) -> Any:
    if word in {"TRUE", "FALSE"}:
        return word == "TRUE"
    try:
        return float(word) if not word.startswith("0") or word == "0" or word.startswith("0.") else word
    except ValueError:
        return word.replace("_", " ")


def score(tables: list[Labelled]) -> Score:
    """Let roles be suggested and compare them with the labels."""
    total = Score()
    for one in tables:
        found = ic.suggest(one.table)
        for column in found.columns:
            _judge(total, one, column, "entity" if column.name == found.entity else column.role)
        for what in ("entity", "household", "weight"):
            best = one.named(what)
            if best and getattr(found, what, None) not in best:
                total.missed.append(f"{one.name}: {what} {best[0]}")
    return total


def _judge(total: Score, one: Labelled, column: ColumnSuggestion, role: str) -> None:
    labels = one.roles[column.name]
    fine = {*labels, *({"drop"} if labels[0] in {"entity", "household", "weight", "identifier"} else ())}
    fine |= {"identifier"} if labels[0] in {"entity", "household"} else set()
    fine |= {"entity"} if labels[0] == "household" else set()
    right = role in fine
    total.columns += 1
    total.right += right
    total.sure += column.sure
    total.sure_right += column.sure and right
    if not right:
        said = f"{one.name}: {column.name} is {labels[0]}, got {role} {'SURE ' if column.sure else ''}({column.reason})"
        total.wrong.append(said)
        bad = {"quasi": {"insensitive", "sensitive"}, "identifier": {"insensitive", "sensitive"}}
        if role in bad.get(labels[0], {"insensitive"}):
            total.dangerous.append(said)
