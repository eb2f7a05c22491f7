"""What a search is asked: a census, a promise, and how much may be given up for it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from incrowd.core import Census, ParameterError, Schema, Setting, UnknownColumnError, add_up
from incrowd.models import Judge, KAnonymity, LDiversity, Model, PAlphaSensitive, PSensitive

Policy = Literal["violating", "small_only"]
Suppression = Literal["drop", "mask"]

OPTIMAL, MONDRIAN, CHEAPEST_FIRST = (Setting.search(name) for name in ("Optimal", "Mondrian", "CheapestFirst"))
"""Searches that others advise."""


@dataclass(frozen=True, eq=False)
class Problem:
    """A table, a promise, and how much may be given up for it.

    ``limit``: exactly so many records may still be left out. ``model``: distances are measured to the distribution of
    this table (N-REF). ``balance``: how much leaving a record out weighs against generalizing it; 0.5 is neutral.
    ``policy``: ``"violating"`` leaves out every class that breaks the promise, ``"small_only"`` only classes smaller
    than k, and all others must keep it (N-SUPPWHAT). ``suppression``: records are dropped, or masked: then they are one
    class, which must keep the promise as any other. ``part``: the census is that of a part; its domains count the whole
    table, and promises compare with that.
    """

    census: Census
    schema: Schema
    model: Model
    limit: int = 0
    at_least: Mapping[str, int] = field(default_factory=dict)
    at_most: Mapping[str, int] = field(default_factory=dict)
    importance: Mapping[str, float] = field(default_factory=dict)
    balance: float = 0.5
    policy: Policy = "violating"
    suppression: Suppression = "drop"
    part: bool = False

    def __post_init__(self) -> None:
        if self.policy not in ("violating", "small_only"):
            msg = f"policy must be 'violating' or 'small_only', got {self.policy!r}."
            raise ParameterError(msg)
        if self.suppression not in ("drop", "mask"):
            msg = f"suppression must be 'drop' or 'mask', got {self.suppression!r}."
            raise ParameterError(msg)
        if self.suppression == "mask" and self.policy == "small_only":
            msg = "Masked records are one class that must keep the whole promise: policy must be 'violating'."
            raise ParameterError(msg)
        for given_as, levels in (("at_least", self.at_least), ("at_most", self.at_most)):
            for name, level in levels.items():
                self._check_level(name, level, given_as)
        for name, low, high in zip(self.census.quasi, self.lows, self.highs, strict=True):
            if low > high:
                msg = f"Column {name!r} must be at level {low} or higher and at level {high} or lower: nothing is both."
                raise ParameterError(msg, hint="lower at_least, raise at_most, or take the census at a lower floor.")

    @property
    def lows(self) -> tuple[int, ...]:
        """The lowest level of every quasi-identifier."""
        floors = zip(self.census.quasi, self.census.floor, strict=True)
        return tuple(max(self.at_least.get(name, 0), floor) for name, floor in floors)

    @property
    def highs(self) -> tuple[int, ...]:
        """The highest level of every quasi-identifier."""
        return tuple(self.at_most.get(name, self.census.ladders[name].height) for name in self.census.quasi)

    @property
    def nodes(self) -> int:
        """How many nodes the lattice has."""
        result = 1
        for low, high in zip(self.lows, self.highs, strict=True):
            result *= high - low + 1
        return result

    def judges(self, model: Model | None = None) -> tuple[Judge, ...]:
        """Bind the promise, or another one, to this table."""
        model = self.model if model is None else model
        return model.bind(self.schema, self.census.domains, self._reference())

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


# How small a class can be at best: what every promise says about sizes alone.


def least_size(model: Model) -> int:
    """Give the number of records below which no class keeps a promise: l different values need l records."""
    return max(map(_least, model.parts))


def _least(model: Model) -> int:
    implied = model.implied
    if isinstance(implied, KAnonymity):
        return implied.k
    if isinstance(implied, LDiversity):
        return math.ceil(implied.l)
    if isinstance(implied, PSensitive | PAlphaSensitive):
        return implied.p
    return 1
