"""``Attack`` and ``Attacks``: rates, baselines and worst classes of attacks; exposed records for the owner."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import ParameterError, Printed, percent
from incrowd.measures import Exposed, plain_number
from incrowd.models import MeasuredNumber as Number
from incrowd.release import free_name

Table = dict[str, npt.NDArray[Any]]

CHANCES = tuple(Fraction(chance) for chance in ("1/20", "9/100", "1/10", "1/5", "1/3", "1/2", "3/4", "9/10", "1"))
"""From which chances on people are counted."""


def with_column(table: Table, name: str, values: npt.NDArray[Any]) -> Table:
    """Add a column, under a name that no other has."""
    return {**table, free_name(name, table): values}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Attack:
    """What one attack found out.

    Attributes
    ----------
    name, column
        The attack, and the sensitive column that it is about, if it is about one.
    knows
        The intruder's background knowledge, in one sentence.
    means
        What it means to be exposed, in a few words.
    exposed
        Who is exposed: classes, records, persons.
    targets, right
        How many people were attacked (somebody in several classes counts in each), and about how many of them the
        intruder is right, on average where he guesses. Skewness guesses nothing: there ``right`` counts who is exposed.
        Nobody is found who is not in the release; where that is unknown, ``right`` is an upper bound.
    baseline
        The share of the targets about whom he would be right without the release.
    unit, worst
        What was measured on every class, and the worst of it: the highest ``chance``, the largest ``gain`` or
        ``change``, the narrowest ``width``. Nothing if there is no class.
    worst_class
        What the worst class is called, per quasi-identifier. It is published, so it is for whoever has the release.
    distribution
        How many people are in classes that are at least so bad: pairs of a number and a count of people.
    interval
        The 95 % confidence interval of the rate, where it was sampled.
    expected
        How many exposed classes chance alone would make, where that is known.
    unread
        How many records have a label that could not be read, so that it is not known whom they can be of: where there
        are any, a linkage is incomplete, and finding nobody is no good news.
    notes
        What a careful reader should know. Names and numbers only.
    """

    name: str
    column: str | None = None
    knows: str
    means: str
    exposed: Exposed
    targets: int
    right: Fraction
    baseline: Fraction
    unit: str = "chance"
    worst: Number | None
    worst_class: Mapping[str, str | None] = field(default_factory=dict, repr=False)
    distribution: tuple[tuple[Fraction, int], ...] = field(repr=False)
    interval: tuple[float, float] | None = None
    expected: float | None = None
    unread: int = 0
    notes: tuple[str, ...] = ()
    _records: Callable[[], Table] = field(default=dict, repr=False)

    @property
    def guesses(self) -> bool:
        """Whether the intruder guesses, and can be right; other attacks measure how far beliefs move."""
        return self.unit not in {"gain", "change"}

    @property
    def rate(self) -> Fraction:
        """The share of the targets about whom the intruder is right."""
        return self.right / max(self.targets, 1)

    @property
    def advantage(self) -> Fraction:
        """What the release adds to what he would be right about anyway."""
        return self.rate - self.baseline

    def exposed_records(self) -> Table:
        """Give who is exposed as a table, for the owner of the data: it holds labels and sensitive values."""
        return self._records()

    def to_dict(self, *, values: bool = False) -> dict[str, Any]:
        """Give plain data that can be written as JSON; rates are null where nothing is guessed.

        ``values`` adds what names values of the release: the labels of the worst class.
        """
        right, rate, baseline, advantage = (
            plain_number(number) if self.guesses else None
            for number in (self.right, self.rate, self.baseline, self.advantage)
        )
        return {
            "name": self.name,
            "column": self.column,
            "knows": self.knows,
            "means": self.means,
            "exposed": self.exposed.to_dict(),
            "targets": self.targets,
            "right": right,
            "rate": rate,
            "interval": None if self.interval is None else list(self.interval),
            "baseline": baseline,
            "advantage": advantage,
            "unit": self.unit,
            "worst": plain_number(self.worst),
            "distribution": [
                {"at_least": plain_number(bound), "people": people} for bound, people in self.distribution
            ],
            "expected": self.expected,
            "unread": self.unread,
            "notes": list(self.notes),
            **({"worst_class": dict(self.worst_class)} if values else {}),
        }


@dataclass(frozen=True, eq=False, repr=False)
class Attacks(Printed):
    """What a whole set of attacks found out. Made by ``attack``.

    Attributes
    ----------
    records, persons, classes
        What was attacked: how many records, persons where the table says whose row is whose, and classes.
    entries
        One entry per attack and sensitive column.
    notes
        What a careful reader should know: which attacks could not be made, and why.

    Notes
    -----
    A simulated attack shows what these intruders would learn, who know what is written. It proves no safety: others may
    know more. Printing shows numbers and names of columns; ``exposed_records`` of an entry shows people.
    """

    records: int
    persons: int | None
    classes: int
    entries: tuple[Attack, ...]
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Attack]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def get(self, name: str, column: str | None = None) -> Attack:
        """Give one attack, such as ``"homogeneity"``; the column may be left out where one entry has the name."""
        found = [entry for entry in self.entries if entry.name == name and column in {None, entry.column}]
        if len(found) != 1:
            there = f"are {len(found)} entries" if found else "is no entry"
            about = "" if column is None else f" about column {column!r}"
            msg = f"There {there} for the attack {name!r}{about}."
            raise ParameterError(msg, hint=f"there are {', '.join(dict.fromkeys(one.name for one in self.entries))}.")
        return found[0]

    @property
    def attribute_disclosures(self) -> int:
        """Pairs of a class and a sensitive column that is constant there (S2-ATTRDISC)."""
        return sum(entry.exposed.classes for entry in self.entries if entry.name == "homogeneity")

    def exposed_records(self) -> Table:
        """Give who is exposed to any attack as one table, for the owner of the data: it holds labels and values.

        Every row begins with the attack, and the sensitive column that it is about. Attacks tell different things
        about people, so a row has nothing in the columns of others. ``incrowd.engines.write_table`` writes the
        table to a file.
        """
        tables = [entry.exposed_records() for entry in self.entries]
        names = list(dict.fromkeys(name for table in tables for name in table))
        rows = [len(next(iter(table.values()), ())) for table in tables]
        result: dict[str, list[Any]] = {}
        for name, said in (("attack", "name"), ("about", "column")):
            pairs = zip(self.entries, rows, strict=True)
            result[free_name(name, names)] = [getattr(entry, said) for entry, many in pairs for _ in range(many)]
        for name in names:
            parts = [
                table[name].tolist() if name in table else [None] * many
                for table, many in zip(tables, rows, strict=True)
            ]
            result[name] = [value for part in parts for value in part]
        return {name: _object_column(values) for name, values in result.items()}

    def to_dict(self, *, values: bool = False) -> dict[str, Any]:
        """Give plain data that can be written as JSON; ``values`` adds the labels of the worst classes."""
        return {
            "schema": 1,
            "records": self.records,
            "persons": self.persons,
            "classes": self.classes,
            "attacks": [entry.to_dict(values=values) for entry in self.entries],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        return "\n".join(lines_of(self))

    def __repr__(self) -> str:
        return f"Attacks({len(self.entries)} attacks on {self.records:,} records in {self.classes:,} classes)"


def _object_column(values: list[Any]) -> npt.NDArray[np.object_]:
    """Give objects; numbers as text where a column has both, as when an attack's counts are called like one of ours."""
    if len({type(value) for value in values if value is not None}) > 1:
        values = [None if value is None else str(value) for value in values]
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


# Attacks as lines of text for a terminal of 80 columns: numbers and names of columns, never a value.

WIDTH, NAME = 80, 34


def lines_of(attacks: Attacks) -> Iterator[str]:
    """Say what every attack found out, and then what each intruder knows."""
    persons = "" if attacks.persons is None else f" of {_amount_text(attacks.persons, 'person')}"
    yield f"{_amount_text(attacks.records, 'record')}{persons} in {_amount_text(attacks.classes, 'group')}"
    yield ""
    yield f"{'attack':<{NAME}}{'right':>9}{'guessing':>10}{'worst':>10}{'exposed':>17}"
    yield from map(_attack_line, attacks)
    yield ""
    knowledge: dict[str, list[str]] = {}
    for entry in attacks:
        knowledge.setdefault(entry.knows, []).append(entry.name)
    said = [f"{', '.join(dict.fromkeys(names))}: knows {knows}." for knows, names in knowledge.items()]
    notes = dict.fromkeys([*attacks.notes, *(note for entry in attacks for note in entry.notes)])
    for text in [*said, *(f"note: {note}" for note in notes)]:
        yield from textwrap.wrap(text, WIDTH, subsequent_indent="  ")
    yield ""
    yield "right: how often the intruder is right; guessing: the same without the release"
    yield "worst: highest chance in any group; gain (x), change or range where these count"
    if any(entry.unread for entry in attacks):
        yield "?: incomplete, because labels could not be read; see the notes"


def _attack_line(entry: Attack) -> str:
    name = entry.name if entry.column is None else f"{entry.name}, {entry.column}"
    title = "".join(sign if sign.isprintable() else "?" for sign in name)
    title = title if len(title) < NAME else f"{title[: NAME - 4]}..."
    right, before = (percent(share) if entry.guesses else "-" for share in (entry.rate, entry.baseline))
    counted = entry.unit != "change"
    exposed, share = (f"{entry.exposed.people:,}", percent(entry.exposed.share)) if counted else ("-", "")
    right += "?" if entry.unread else ""
    return f"{title:<{NAME}}{right:>9}{before:>10}{worst_text(entry):>10}{exposed:>9}{share:>8}".rstrip()


def worst_text(entry: Attack) -> str:
    """Write what an attack found in the worst group."""
    worst = entry.worst
    if worst is None:
        return "-"
    if entry.unit != "gain":
        return percent(worst if isinstance(worst, Fraction) else Fraction(str(worst)))
    if worst == math.inf:
        return "inf x"
    return f"{int(worst):,} x" if worst == int(worst) else f"{float(worst):,.1f} x"


def _amount_text(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
