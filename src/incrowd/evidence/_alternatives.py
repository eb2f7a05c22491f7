"""What several searches would publish of one table, side by side."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, is_dataclass
from fractions import Fraction
from typing import Any

from incrowd.core import IncrowdError, ParameterError, Printed, Setting, Verdict, percent, unbroken_percent
from incrowd.evidence._attack_result import Attack, Attacks
from incrowd.release import PublishedColumn, Version
from incrowd.search import Algorithm

AS_PLANNED = "as planned"
"""What the search of a plan is called beside the others."""

SENTENCES = {
    "best node": "For whoever wants one level for all of a column, and to tell the least about how records stood out.",
    "levels and cells": "For whoever counts and models by column: no two values overlap, and * is read as missing.",
    "most detail": "For whoever looks at records one by one, and can work with values that overlap, vague and precise.",
    AS_PLANNED: "What the plan says now.",
    "ranges": "For whoever needs numbers and dates as narrow as possible; the ends of ranges are real values.",
}
"""Who would want a search, by its name."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Alternative:
    """What one search would publish.

    Attributes
    ----------
    name
        What the search is called here, such as ``"levels and cells"``.
    algorithm
        The search.
    seconds
        How long it took, with what was measured about it.
    error
        Why it publishes nothing, and what would help; ``None`` where it publishes something.
    kept
        The share of the detail that is kept: 1 less the mean loss of the columns, weighted by their importance.
    version
        Its levels, classes and detail; ``None`` where it publishes nothing, as what follows.
    verdict
        What was measured of the promise, on the classes that would be published.
    columns
        What is left of every quasi-identifier.
    attacks
        What attacks find: linkage by everybody in the table, and for a local recoding what knowing the search gives
        away. ``None`` where the table was counted too coarsely to tell.
    proof
        What the search shows: ``"optimal"``, ``"best found"`` or ``"heuristic"``.
    notes
        What a careful reader should know.
    """

    name: str
    algorithm: Algorithm
    seconds: float
    error: IncrowdError | None = field(default=None, repr=False)
    kept: float | None = None
    version: Version | None = None
    verdict: Verdict | None = field(default=None, repr=False)
    columns: tuple[PublishedColumn, ...] = field(default=(), repr=False)
    attacks: Attacks | None = field(default=None, repr=False)
    proof: str = ""
    notes: tuple[str, ...] = ()

    @property
    def reason(self) -> str | None:
        """Why it publishes nothing; ``None`` where it publishes something."""
        return None if self.error is None else self.error.message

    @property
    def wanted_by(self) -> str:
        """Who would want it, in a sentence; empty for a search that was brought along."""
        return SENTENCES.get(self.name, "")

    @property
    def python(self) -> str:
        """The search as it is written in Python."""
        return f"ic.{search_setting(self.algorithm)}"

    @property
    def plan(self) -> str | dict[str, Any]:
        """The search as it stands in a plan, as ``algorithm`` under ``[search]``."""
        named: dict[str, Any] = search_setting(self.algorithm).value
        return named if len(named) > 1 else str(named["name"])

    @property
    def starred(self) -> int:
        """How many cells of the published records are ``*``."""
        return sum(one.starred for one in self.columns)

    @property
    def carry_nothing(self) -> tuple[str, ...]:
        """The columns that carry nothing: one value for everybody, or none."""
        return tuple(one.column for one in self.columns if one.status == "nothing")

    @property
    def carry_little(self) -> tuple[str, ...]:
        """The columns that still say something in less than half of their cells."""
        return tuple(one.column for one in self.columns if one.status == "little")

    def attack(self, name: str) -> Attack | None:
        """Give an attack by its name; of several columns the one about which most is learnt. ``None`` without any."""
        found = [one for one in self.attacks or () if one.name == name]
        return max(found, key=lambda one: one.advantage, default=None)

    def to_dict(self) -> dict[str, Any]:
        """Give plain data that can be written as JSON."""
        version = self.version
        told: dict[str, Any] = {
            "name": self.name,
            "python": self.python,
            "plan": {"algorithm": self.plan},
            "wanted_by": self.wanted_by,
            "possible": version is not None,
            "reason": self.reason,
            "hint": None if self.error is None else str(self.error.hint),
            "seconds": round(self.seconds, 3),
        }
        if version is None or self.verdict is None:
            return told
        return told | {
            "holds": self.verdict.holds,
            "proof": self.proof,
            "levels": None if version.levels is None else dict(version.levels),
            "detail_kept": version.kept,
            "kept_by_importance": self.kept,
            "left_out": version.suppressed,
            "starred": self.starred,
            "classes": version.classes,
            "smallest": version.smallest,
            "highest_chance": version.highest,
            "average_chance": version.average,
            "carry_nothing": list(self.carry_nothing),
            "carry_little": list(self.carry_little),
            "columns": [one.to_dict() for one in self.columns],
            "attacks": None if self.attacks is None else self.attacks.to_dict()["attacks"],
            "notes": list(self.notes),
        }


def search_setting(algorithm: Algorithm) -> Setting:
    """Give a search as it is written: with the options that differ from what they are by default."""
    parts: tuple[Field[Any], ...] = fields(algorithm) if is_dataclass(algorithm) else ()
    given = {one.name: value for one in parts if (value := getattr(algorithm, one.name)) != one.default}
    return Setting.search(type(algorithm).__name__, **given)


@dataclass(frozen=True, eq=False, repr=False)
class Alternatives(Printed):
    """What several searches would publish of one table. Made by ``alternatives``.

    Attributes
    ----------
    records, promise
        How many records the table has, and what all of them keep.
    important
        The quasi-identifiers that weigh more than others; empty where all weigh the same.
    entries
        One per search.
    notes
        What a careful reader should know.
    planned
        The name of the one that a plan says, where it was asked of a plan.

    Notes
    -----
    Nothing of it was published or written. Detail is one measure for all of them; a search may have made another one
    small.
    """

    records: int
    promise: str
    important: tuple[str, ...]
    entries: tuple[Alternative, ...]
    notes: tuple[str, ...] = ()
    planned: str | None = None

    def __iter__(self) -> Iterator[Alternative]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def get(self, name: str) -> Alternative:
        """Give one of them, such as ``"levels and cells"``."""
        for one in self.entries:
            if one.name == name:
                return one
        msg = f"There is no alternative {name!r}."
        raise ParameterError(msg, hint=f"there are {', '.join(one.name for one in self.entries)}.")

    @property
    def recommended(self) -> Alternative | None:
        """The one to begin with; ``None`` where nothing can be published.

        Of those that publish something the ones that leave something of the most columns that are important (of all,
        where none is), then those with the fewest of these that carry little, then those with one level per column,
        which can be grouped by; of these the one that keeps most detail, by importance.
        """
        possible = [one for one in self.entries if one.version is not None]
        return min(possible, key=self._rank, default=None)

    def _rank(self, one: Alternative) -> tuple[int, int, bool, float]:
        assert one.version is not None  # noqa: S101 - only those are ranked
        nothing, little = (len(self._of_interest(names)) for names in (one.carry_nothing, one.carry_little))
        return nothing, little, one.version.levels is None, -(one.kept or 0)

    def _of_interest(self, names: Sequence[str]) -> list[str]:
        return [name for name in names if name in self.important or not self.important]

    @property
    def because(self) -> str:
        """Why it is recommended, in a sentence; empty where nothing is."""
        one = self.recommended
        if one is None or one.version is None:
            return ""
        lost = self._of_interest(one.carry_nothing)
        which = "all important columns" if self.important else "all columns"
        but = f" but {_listed(lost)}" if lost else ""
        level = ", each at one level" if one.version.levels is not None else ""
        return (
            f"it leaves something of {which}{but}{level}, and keeps {unbroken_percent(one.version.kept)} of the detail"
        )

    def table(self) -> dict[str, list[Any]]:
        """Give a table with one row per search: any frame can be made of it."""
        found = [one.to_dict() for one in self.entries]
        names = ("name", "python", "detail_kept", "left_out", "starred", "carry_nothing", "carry_little", "smallest")
        told: dict[str, list[Any]] = {name: [one.get(name) for one in found] for name in names}
        for name in ("linkage", "narrowest group", "minimality"):
            attacks = [one.attack(name) for one in self.entries]
            told[name] = [None if one is None else float(one.rate) for one in attacks]
        return {**told, "seconds": [one["seconds"] for one in found], "reason": [one["reason"] for one in found]}

    def to_dict(self) -> dict[str, Any]:
        """Give plain data that can be written as JSON."""
        chosen = self.recommended
        return {
            "schema": 1,
            "records": self.records,
            "promise": self.promise,
            "important": list(self.important),
            "alternatives": [one.to_dict() for one in self.entries],
            "recommended": None if chosen is None else chosen.name,
            "because": self.because,
            "planned": self.planned,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        return "\n".join([*alternatives_lines(self), "", *(f"{one.name}: {one.python}" for one in self if one.version)])

    def __repr__(self) -> str:
        chosen = self.recommended
        told = "nothing can be published" if chosen is None else f"{chosen.name} recommended"
        return f"Alternatives({len(self)} searches for {self.records:,} records, {told})"


# Side by side as lines of text for a terminal of 80 columns: numbers and names of columns, never a value.

WIDTH, LABEL, COLUMN = 80, 24, 14
Fact = Callable[[Alternative, Version], str]


def _share(attack: str, part: str) -> Fact:
    def fact(one: Alternative, _: Version) -> str:
        found = one.attack(attack)
        return "-" if found is None else percent(max(getattr(found, part), 0))

    return fact


def _weighted_detail(one: Alternative, version: Version) -> str:
    return "-" if one.kept is None or one.kept == version.kept else percent(one.kept)


def _crowd(one: Alternative, _: Version) -> str:
    found = one.attack("linkage")
    return "-" if found is None or not isinstance(found.worst, Fraction) else f"{int(1 / found.worst):,}"


FACTS: Mapping[str, Fact] = {
    "detail kept": lambda _, version: percent(version.kept),
    "  by importance": _weighted_detail,
    "records left out": lambda _, version: f"{version.suppressed:,}",
    "cells starred": lambda one, _: f"{one.starred:,}",
    "columns with nothing": lambda one, _: f"{len(one.carry_nothing):,}",
    "columns with little": lambda one, _: f"{len(one.carry_little):,}",
    "smallest group": lambda _, version: f"{version.smallest:,}",
    "smallest crowd": _crowd,
    "found by linkage": _share("linkage", "rate"),
    "found by narrowest group": _share("narrowest group", "rate"),
    "found by guessing": _share("linkage", "baseline"),
    "learnt by minimality": _share("minimality", "advantage"),
    "seconds": lambda one, _: f"{one.seconds:,.1f}",
}
"""What is compared, and how it is written of one that publishes something."""

LEGEND = (
    "columns with nothing: one value for everybody, or only *; with little: less than half of the cells say something.",
    "smallest crowd: the fewest records that somebody of the table can be.",
    "found: how often it is known whose record is whose, by linkage, the narrowest group that fits, or guessing.",
    "learnt by minimality: how many more values are guessed right by knowing that a search divides what it may divide.",
)


def alternatives_lines(found: Alternatives) -> Iterator[str]:
    """Compare them, four at a time; then say what is left of the columns, who wants what, and what is recommended."""
    for start in range(0, len(found), (WIDTH - LABEL) // COLUMN):
        yield from _block(found, found.entries[start : start + (WIDTH - LABEL) // COLUMN])
        yield ""
    chosen = found.recommended
    if chosen is not None:
        yield from _folded(f"recommended: {chosen.name}, because {found.because}.")
    for one in found:
        yield from _folded(f"{one.name}: {' '.join(_sentences(one))}")
    yield ""
    legend = LEGEND if any(one.attack("minimality") for one in found) else LEGEND[:-1]
    for text in (*legend, *found.notes):
        yield from _folded(text)


def _block(found: Alternatives, entries: Sequence[Alternative]) -> Iterator[str]:
    names = [textwrap.wrap(one.name, COLUMN - 1) for one in entries]
    heads = [[*[""] * (max(map(len, names)) - len(lines)), *lines] for lines in names]
    yield from (_row("", line) for line in zip(*heads, strict=True))
    chosen = found.recommended
    for word, marked in (("recommended", None if chosen is None else chosen.name), ("in the plan", found.planned)):
        if marked in [one.name for one in entries]:
            yield _row("", [word if one.name == marked else "" for one in entries])
    for label, fact in FACTS.items():
        cells = ["" if one.version is None else fact(one, one.version) for one in entries]
        if label == "detail kept":
            cells = ["impossible" if one.version is None else cell for one, cell in zip(entries, cells, strict=True)]
        if set(cells) - {"-", ""}:
            yield _row(label, cells)


def _row(label: str, cells: Sequence[str]) -> str:
    return f"{label:<{LABEL}}{''.join(f'{cell:>{COLUMN}}' for cell in cells)}".rstrip()


def _sentences(one: Alternative) -> Iterator[str]:
    if one.wanted_by:
        yield one.wanted_by
    if one.reason is not None:
        yield f"Not possible here: {one.reason}"
    if one.carry_nothing:
        yield f"Nothing is left of {_listed(one.carry_nothing)}."
    if one.carry_little:
        yield f"Little is left of {_listed(one.carry_little)}."
    yield from one.notes if one.proof == "best found" else ()


def _listed(names: Sequence[str], most: int = 6) -> str:
    """List some columns, and count the others."""
    some = ["".join(sign if sign.isprintable() else "?" for sign in name) for name in names[:most]]
    more = [f"{len(names) - most:,} more"] if len(names) > most else []
    names = [*some, *more]
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def _folded(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent="  ")
