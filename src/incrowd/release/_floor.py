"""What is asked of a release, and its census: where that does not fit into memory, the levels from which on it does.

The rule: columns are raised step by step, each time where most of a column's variety goes for the least loss, until
about as many cells are left as fit. So the floor follows from the rows, the ladders and the budget, and from nothing
else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from incrowd.core import Census, CensusRequest, Domain, EngineError, Ladder, ParameterError, Schema, add_up
from incrowd.engines import Engine, census_size_about
from incrowd.hierarchies import Averaged
from incrowd.models import Model, suppression_limit
from incrowd.release._census import bound_request, cells_that_fit, fits_in_memory
from incrowd.search import LocalOutcome, Outcome, Problem, Suppression, hopeless_levels, too_small_levels

DIGITS = 9
"""What steps are worth is rounded, so that no machine decides otherwise than another."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What is asked of a release, before anything is counted; as in ``anonymize``.

    ``limit`` says how many of so many records may be left out, ``local`` that no one level per column is looked for.
    """

    schema: Schema
    model: Model
    limit: Callable[[int], int] = lambda records: records
    at_least: Mapping[str, int] = field(default_factory=dict)
    at_most: Mapping[str, int] = field(default_factory=dict)
    importance: Mapping[str, float] = field(default_factory=dict)
    balance: float = 0.5
    suppression: Suppression = "drop"
    local: bool = False

    @classmethod
    def of(cls, schema: Schema, model: Model, share: Any, number: int | None, **more: Any) -> Goal:
        """Read how many records may be left out, and what is said per column or not at all."""
        for name in ("at_least", "at_most", "importance"):
            said = more[name] = {} if more.get(name) is None else more[name]
            if not isinstance(said, Mapping):
                msg = f"{name} must say it per column, got {type(said).__name__}."
                raise ParameterError(msg, hint=f"write {name}={{'column': 1}}, with the names of your columns.")
        return cls(schema, model, lambda records: suppression_limit(records, share, number), **more)

    def problem(self, census: Census) -> Problem:
        """Ask it of a census."""
        return Problem(
            census,
            self.schema,
            self.model,
            self.limit(census.records),
            self.at_least,
            self.at_most,
            self.importance,
            self.balance,
            suppression=self.suppression,
        )


@dataclass(frozen=True, slots=True, eq=False)
class CensusPlan:
    """How a table is counted: as is asked, or at the lowest levels from which on that fits into memory.

    ``lows`` and ``highs`` say from where to where a column may be raised, ``fixed`` which cannot be.
    """

    engine: Engine
    request: CensusRequest
    domains: Mapping[str, Domain]
    cells: int
    lows: Mapping[str, int] = field(default_factory=dict)
    highs: Mapping[str, int] = field(default_factory=dict)
    importance: Mapping[str, float] = field(default_factory=dict)
    fixed: frozenset[str] = frozenset()

    @classmethod
    def of(cls, engine: Engine, goal: Goal) -> CensusPlan:
        """Count the quasi-identifiers with the sensitive columns that the promise is about."""
        schema, model = goal.schema, goal.model
        request, domains = bound_request(engine, schema, model)
        heights = {name: request.ladders[name].height for name in request.quasi}
        highs = {name: min(_level(goal.at_most.get(name), height), height) for name, height in heights.items()}
        lows = {name: _level(goal.at_least.get(name), 0) for name in heights}
        if not goal.local and schema.count is None:
            limit = goal.limit(int(domains[request.quasi[0]].counts.sum()))
            hopeless = {name: too_small_levels(model, domains[name], request.ladders[name], limit) for name in heights}
            lows = {name: max(low, hopeless[name]) for name, low in lows.items()}
        return cls(
            engine,
            request,
            domains,
            cells=cells_that_fit(engine, request, local=goal.local),
            lows={name: min(low, highs[name]) for name, low in lows.items()},
            highs=highs,
            importance={name: _weight(goal.importance.get(name)) for name in heights},
            fixed=frozenset(name for name, hierarchy in schema.quasi if isinstance(hierarchy, Averaged)),
        )

    def census(self) -> Census:
        """Count; nobody is served by a process that the system ends, so what does not fit is refused."""
        return self.engine.census(replace(self.request, floor=self.floor()))

    def floor(self) -> Mapping[str, int]:
        """Give the levels at which it is counted: those that were asked for, or the lowest of the chain that fit."""
        if self.fits(self.request.floor):
            return self.request.floor
        floors = self.chain()
        if not self.fits(floors[-1]):
            msg = f"No census of this table fits into memory, not even at the highest levels: {self.cells:,} cells do."
            raise EngineError(msg, hint="give it more memory, or ask for fewer sensitive columns.")
        low, high = 0, len(floors) - 1
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self.fits(floors[middle]) else (middle + 1, high)
        return floors[low]

    def fits(self, floor: Mapping[str, int]) -> bool:
        """Say whether a census at these levels does."""
        return fits_in_memory(self.engine, replace(self.request, floor=floor), self.cells)

    def chain(self) -> list[dict[str, int]]:
        """Give floors from the lowest to the highest, each time one column raised: where that is worth most."""
        ladders = self.request.ladders
        floor = {name: 0 if name in self.fixed else self.lows.get(name, 0) for name in self.request.quasi}
        steps = {name: _Steps(self.domains[name], ladders[name], self.importance.get(name, 1.0)) for name in floor}
        highs = {name: self.highs.get(name, ladders[name].height) for name in floor}
        result = [dict(floor)]
        while open_columns := [name for name in floor if name not in self.fixed and floor[name] < highs[name]]:
            jumps = [(*steps[name].best(floor[name], highs[name]), name) for name in open_columns]
            _, level, column = max(jumps, key=lambda jump: jump[0])  # of equals the first of the schema
            floor[column] = level
            result.append(dict(floor))
        return result


def _level(given: Any, otherwise: int) -> int:
    """Read a level; what is none is refused later, where all of the problem is."""
    return given if isinstance(given, int) and given >= 0 else otherwise


def _weight(given: Any) -> float:
    """Read an importance in the same way."""
    return float(given) if isinstance(given, int | float) and 0 < given < math.inf else 1.0


class _Steps:
    """What raising a column takes away: the bits by which it tells records apart, and detail."""

    def __init__(self, domain: Domain, ladder: Ladder, weight: float) -> None:
        records, leaves = max(int(domain.counts.sum()), 1), max(int(ladder.leaves[-1][0]) - 1, 1)
        sizes = [
            add_up(groups, domain.counts, len(labels))
            for groups, labels in zip(ladder.groups, ladder.labels, strict=True)
        ]
        self._bits = [_bits(size / records) for size in sizes]
        covered = zip(sizes, ladder.leaves, strict=True)
        self._loss = [weight * float(size @ (leaf - 1)) / leaves / records for size, leaf in covered]

    def best(self, level: int, high: int) -> tuple[float, int]:
        """Give the most that a step up from a level is worth, and where it leads; of equals the shortest."""
        return max(
            ((self._worth(level, to), to) for to in range(level + 1, high + 1)), key=lambda pair: (pair[0], -pair[1])
        )

    def _worth(self, level: int, to: int) -> float:
        return round((self._bits[level] - self._bits[to]) / (self._loss[to] - self._loss[level] + 1e-9), DIGITS)


def _bits(shares: np.ndarray) -> float:
    some = shares[shares > 0]
    return float(-(some @ np.log2(some)))


# What a search that began above the lowest levels did not look at, and what is known about that all the same.

Found = Outcome | LocalOutcome

FLOOR = "The census of this table does not fit into memory{cells}, so it was taken at coarser levels."
HARMLESS = "No release has a finer level there: nothing was lost by that."
NO_REPORTS = "No reports were written: what they measure does not fit into memory."
GIVEN = "None is above the level that was given: nothing was lost by that."
MORE = "A release with such levels may be better: more memory would look at them."


def with_notes_on_floor(engine: Engine, problem: Problem, outcome: Found) -> Found:
    """Say of an outcome what was not searched because the census was taken at a floor."""
    if not floor_of(problem):
        return outcome
    if isinstance(outcome, LocalOutcome):
        return replace(outcome, notes=(*outcome.notes, *notes_on_floor(engine, problem, local=True)))
    told = notes_on_levels(engine, problem)
    notes = (*outcome.notes, *told)
    if told[-1] == HARMLESS:
        return replace(outcome, notes=notes)
    return replace(outcome, notes=notes, proof=f"{outcome.proof} among the levels searched", lower_bound=0.0)


def notes_on_levels(engine: Engine, problem: Problem) -> tuple[str, ...]:
    """Say which levels were not searched, and of which of them it is proven that no release has them."""
    floor = floor_of(problem)
    if not floor:
        return ()
    cells = _cells(engine, problem)
    hopeless = {name: _hopeless_below(engine, problem, name, cells) for name in floor}
    lines = [_level_note(name, hopeless[name], level) for name, level in floor.items()]
    open_levels = any(hopeless[name] < level for name, level in floor.items())
    return _floor_note(engine, cells), *lines, MORE if open_levels else HARMLESS


def notes_on_floor(engine: Engine, problem: Problem, *, local: bool = False) -> tuple[str, ...]:
    """Say how fine the columns were that a search saw, perhaps for a local recoding; nothing without a floor."""
    floor = floor_of(problem)
    if not floor:
        return ()
    raised = ", ".join(f"{name} (level {level})" for name, level in floor.items())
    first = _floor_note(engine, _cells(engine, problem, local=local))
    return (f"{first} The search saw these columns no finer than that: {raised}. {MORE}",)


def notes_on_given_levels(engine: Engine, problem: Problem) -> tuple[str, ...]:
    """Say the same where nothing was searched: none of these levels is above those that were given."""
    return (f"{_floor_note(engine, _cells(engine, problem))} {GIVEN}",) if floor_of(problem) else ()


def floor_of(problem: Problem) -> dict[str, int]:
    """Give the columns that were counted above the lowest level that is allowed, each with its level there."""
    floors = zip(problem.census.quasi, problem.census.floor, strict=True)
    return {name: level for name, level in floors if level > problem.at_least.get(name, 0)}


def _floor_note(engine: Engine, cells: int) -> str:
    """Say why there is a floor; how many cells fit only if that was said, for what the machine has left changes."""
    return FLOOR.format(cells="" if engine.resources.memory is None else f" ({cells:,} cells do)")


def _cells(engine: Engine, problem: Problem, *, local: bool = False) -> int:
    """Say how many cells fit; the person is one of the columns."""
    census = problem.census
    return engine.resources.budget.cells(len(census.codes) + (census.person is not None), local=local)


def _hopeless_below(engine: Engine, problem: Problem, column: str, cells: int) -> int:
    """Say below which level of a column no release can be: by its values, and by counting it alone as finely as fits.

    Levels below one that is hopeless are, so nothing below the finest that fits need be counted.
    """
    census, schema = problem.census, problem.schema
    ladder, known = census.ladders[column], 0
    if schema.count is None:
        known = too_small_levels(problem.model, census.domains[column], ladder, problem.limit)
    highest = dict(zip(census.quasi, problem.highs, strict=True))
    for level in range(known, census.floor[census.quasi.index(column)]):
        floor = {**highest, column: level}
        request = CensusRequest(census.quasi, census.sensitive, census.ladders, floor, schema.entity, schema.count)
        if census_size_about(engine, request, cells) <= cells:
            found = hopeless_levels(replace(problem, census=engine.census(request)), column)
            return found if found > level else known
    return known


def _level_note(name: str, hopeless: int, level: int) -> str:
    """Say what became of the levels of a column below the floor."""
    proven, rest = _levels(0, min(hopeless, level)), _levels(hopeless, level)
    parts = [f"{proven} cannot keep the promise, which is proven"] if proven else []
    parts += [f"{rest} {'was' if level - hopeless == 1 else 'were'} not searched"] if rest else []
    return f"Column {name!r} was counted at level {level}: {'; '.join(parts)}."


def _levels(first: int, end: int) -> str:
    if end <= first:
        return ""
    return f"level {first}" if end - first == 1 else f"levels {first} to {end - 1}"
