"""``Problem``, what a search is asked: census, promise, limits, levels; and ``Outcome``, what it found."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal, Protocol, get_args, runtime_checkable

import numpy as np
import numpy.typing as npt

from incrowd.core import (
    Census,
    Hint,
    Labelling,
    LocalRecoding,
    ParameterError,
    Schema,
    Setting,
    UnknownColumnError,
    add_up,
)
from incrowd.models import Judge, KAnonymity, KmAnonymity, LDiversity, Model, NTCloseness, PAlphaSensitive, PSensitive

Bools = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer]
Policy = Literal["violating", "small_only"]
Suppression = Literal["drop", "mask", "entity"]
NEUTRAL = 0.5  # the balance between leaving records out and generalizing them, where nothing is said
OPTIMAL, MONDRIAN, CHEAPEST_FIRST, LEVELS_AND_CELLS = (
    Setting.search(name) for name in ("Optimal", "Mondrian", "CheapestFirst", "LevelsAndCells")
)
"""Searches that others advise."""


@dataclass(frozen=True, eq=False)
class Problem:
    """A table, a promise, and how much may be given up for it.

    ``limit``: exactly so many records may still be left out. ``model``: distances are measured to the distribution of
    this table (N-REF). ``balance``: how much leaving a record out weighs against generalizing it; 0.5 is neutral.
    ``policy``: ``"violating"`` leaves out every class that breaks the promise, ``"small_only"`` only classes smaller
    than k, and all others must keep it (N-SUPPWHAT). ``suppression``: records are dropped, or masked: then they are one
    class, which must keep the promise as any other; ``"entity"`` leaves out everybody who has one with all rows, and
    whoever breaks it then, until nobody does. ``part``: the census is that of a part; its domains count the whole
    table, and promises compare with that.
    """

    census: Census
    schema: Schema
    model: Model
    limit: int = 0
    at_least: Mapping[str, int] = field(default_factory=dict)
    at_most: Mapping[str, int] = field(default_factory=dict)
    importance: Mapping[str, float] = field(default_factory=dict)
    balance: float = NEUTRAL
    policy: Policy = "violating"
    suppression: Suppression = "drop"
    part: bool = False

    def __post_init__(self) -> None:
        check_choice("policy", self.policy, get_args(Policy))
        check_choice("suppression", self.suppression, get_args(Suppression))
        if self.suppression == "mask" and self.policy == "small_only":
            msg = "Masked records are one class that must keep the whole promise: policy must be 'violating'."
            raise ParameterError(msg)
        self._check_people()
        for given_as, levels in (("at_least", self.at_least), ("at_most", self.at_most)):
            for name, level in levels.items():
                self._check_level(name, level, given_as)
        for name, low, high in zip(self.census.quasi, self.lows, self.highs, strict=True):
            if low > high:
                msg = f"Column {name!r} must be at level {low} or higher and at level {high} or lower: nothing is both."
                raise ParameterError(msg, hint="lower at_least, raise at_most, or take the census at a lower floor.")

    def _check_people(self) -> None:
        """Refuse what does not go with leaving people out with all rows."""
        drop = Hint("use {suppression}.", suppression="drop")
        if self.suppression == "entity" and self.census.person is None:
            msg = "Nobody can be left out with all rows, as suppression='entity' asks: nothing says whose row is whose."
            raise ParameterError(msg, hint="name the entity of the schema, or " + drop)
        if self.by_person and (self.suppression == "mask" or self.policy == "small_only"):
            msg = f"Who breaks {self.model} is left out with all rows: nobody can be masked, nor small groups go alone."
            raise ParameterError(msg, hint=drop)
        if self.model.by_items and (self.suppression == "mask" or self.policy == "small_only"):
            msg = (
                f"Records that break {self.model} take others along: they cannot be masked, nor small groups go alone."
            )
            raise ParameterError(msg, hint=drop)
        if self.by_person and self.census.dropped:
            msg = f"{self.census.dropped:,} rows were left out for what is missing, and people go with all rows."
            raise ParameterError(msg, hint="let missing values count as a value, or leave these people out before.")
        by_others = self.by_person or self.model.by_items
        if by_others and any(isinstance(part, NTCloseness) for part in self.model.parts):
            msg = (
                "Larger groups of (n, t)-closeness hold everybody, and who is left out for what others hold is in none."
            )
            raise ParameterError(msg, hint="promise t-closeness instead.")

    @property
    def by_person(self) -> bool:
        """Whether people are left out with all of their rows."""
        return self.model.by_person or self.suppression == "entity"

    @property
    def lows(self) -> tuple[int, ...]:
        """The lowest level of every quasi-identifier."""
        lowest = (self.census.ladders[name].lowest for name in self.census.quasi)
        floors = zip(self.census.quasi, self.census.floor, lowest, strict=True)
        return tuple(max(self.at_least.get(name, 0), floor, low) for name, floor, low in floors)

    @property
    def raised(self) -> dict[str, int]:
        """The columns that were counted above the lowest level that is allowed, each with its level there."""
        floors = zip(self.census.quasi, self.census.floor, strict=True)
        return {name: level for name, level in floors if level > self.at_least.get(name, 0)}

    @property
    def highs(self) -> tuple[int, ...]:
        """The highest level of every quasi-identifier."""
        return tuple(self.at_most.get(name, self.census.ladders[name].height) for name in self.census.quasi)

    @property
    def nodes(self) -> int:
        """How many nodes the lattice has."""
        return math.prod(high - low + 1 for low, high in zip(self.lows, self.highs, strict=True))

    @cached_property
    def tried(self) -> dict[Algorithm, Outcome | LocalOutcome]:
        """What other searches found for it that were tried to their end: nobody waits for the same twice."""
        return {}

    def judges(self, model: Model | None = None) -> tuple[Judge, ...]:
        """Bind the promise, or another one, to this table."""
        return (self.model if model is None else model).bind(self.schema, self.census.domains, self._reference())

    def _reference(self) -> dict[str, npt.NDArray[np.int64]]:
        """Count the values of every sensitive column in the whole table: records, or people where they are known."""
        census = self.census
        if self.part:
            return {name: census.domains[name].counts for name in census.sensitive}
        if census.person is None:
            columns = zip(census.sensitive, census.codes[len(census.quasi) :], strict=True)
            return {name: add_up(codes, census.counts, len(census.domains[name])) for name, codes in columns}
        classes, result = census.classes(), {}
        for name in census.sensitive:
            whole = classes.reference(name)
            result[name] = np.zeros(len(census.domains[name]), dtype=np.int64)
            result[name][whole.values[0]] = whole.counts
        return result

    def _check_level(self, name: str, level: int, given_as: str) -> None:
        if name not in self.census.quasi:
            raise UnknownColumnError.of(name, self.census.quasi, given_as=given_as)
        height = self.census.ladders[name].height
        if not isinstance(level, int) or isinstance(level, bool) or not 0 <= level <= height:
            msg = f"{given_as} of column {name!r} must be a level from 0 to {height}, got {level!r}."
            raise ParameterError(msg)


def check_choice(name: str, given: object, choices: tuple[object, ...]) -> None:
    if given not in choices:
        *most, last = map(repr, choices)
        msg = f"{name} must be {', '.join(most)} or {last}, got {given!r}."
        raise ParameterError(msg)


def check_flag(name: str, given: object) -> None:
    if not isinstance(given, bool):
        msg = f"{name} must be true or false, got {given!r}."
        raise ParameterError(msg)


def least_size(model: Model) -> int:
    """Give the number of records below which no class keeps a promise: l different values need l records."""
    least = 1
    for part in model.parts:
        match part.implied:
            case KAnonymity(k=needed) | PSensitive(p=needed) | PAlphaSensitive(p=needed):
                least = max(least, needed)
            case KmAnonymity(k=needed, known=None):
                least = max(least, needed)
            case LDiversity(l=needed):
                least = max(least, math.ceil(needed))
    return least


@dataclass(frozen=True, slots=True)
class Node:
    """A node that keeps the promise; ``kept`` is the detail that it keeps, where that was asked for."""

    levels: Mapping[str, int]
    suppressed: int
    classes: int
    score: float
    kept: float | None = None

    @property
    def height(self) -> int:
        """The sum of the levels."""
        return sum(self.levels.values())


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a search has come.

    ``best`` is the smallest score so far, by the measure of the search, and ``kept`` the share of the detail that is
    kept there, on average over the columns; ``None`` if no node was good enough yet, or nothing is known of it.
    """

    checked: int
    nodes: int
    best: float | None
    kept: float | None = None


OnProgress = Callable[[Progress], bool | None]  # called while a search runs; False stops it


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What a search found.

    ``best`` is ``None`` if there is none, or none was found in time; ``proof`` is ``"optimal"`` or, where the search
    was stopped, ``"best found"``; no acceptable node scores below ``lower_bound``. ``acceptable`` and ``minimal`` (with
    none below) have one row of levels per node, and are ``None`` where the search does not look for them.
    """

    best: Node | None
    proof: str
    lower_bound: float
    checked: int
    nodes: int
    notes: tuple[str, ...] = ()
    acceptable: npt.NDArray[np.integer] | None = field(default=None, repr=False)
    minimal: npt.NDArray[np.integer] | None = field(default=None, repr=False)
    trace: tuple[Any, ...] = field(default=(), repr=False)

    @property
    def gap(self) -> float:
        """How much better the best node could be at most: 0 where it is proven."""
        return 0.0 if self.best is None else max(0.0, self.best.score - self.lower_bound)


@dataclass(frozen=True, eq=False)
class LocalOutcome:
    """What a search for a local recoding found.

    ``labels``: per column what each class is called, and what that gives up. ``paths``: per class the numbers of the
    parts that it was cut out of, the whole table first, filled up with -1; ``None`` where the search does not cut.
    ``search``: which search gives ``levels``, and would again. ``bound``: finds out what any other choice loses at
    least, which takes as long as a search, and is not asked of every outcome.
    """

    recoding: LocalRecoding
    labels: tuple[Labelling, ...] = field(repr=False)
    sizes: Counts = field(repr=False)
    suppressed: int
    costs: Mapping[str, float]
    proof: str = "heuristic"
    notes: tuple[str, ...] = ()
    paths: Ints | None = field(default=None, repr=False)
    levels: Mapping[str, int] | None = None
    search: Algorithm | None = None
    score: float | None = None
    bound: Callable[[], float] | None = field(default=None, repr=False)

    @cached_property
    def lower_bound(self) -> float | None:
        """What any other choice loses at least, where something is known."""
        return None if self.bound is None else self.bound()

    @property
    def classes(self) -> int:
        """How many classes are published."""
        return len(self.sizes)


@runtime_checkable
class Algorithm(Protocol):
    """A search."""

    local: ClassVar[bool]
    """Whether it gives a local recoding; else one level per column."""

    def search(self, problem: Problem, progress: OnProgress | None = None) -> Outcome | LocalOutcome:
        """Find what every record is published as."""
