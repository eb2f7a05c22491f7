"""Notes on what a search did not look at because its census was taken at a floor, and what is known about it."""

from __future__ import annotations

from dataclasses import replace

from incrowd.core import CensusRequest
from incrowd.engines import Engine, census_size_about
from incrowd.search import LocalOutcome, Outcome, Problem, hopeless_levels, too_small_levels

Found = Outcome | LocalOutcome

FLOOR = "The census of this table does not fit into memory{cells}, so it was taken at coarser levels."
HARMLESS = "No release has a finer level there: nothing was lost by that."
NO_REPORTS = "No reports were written: what they measure does not fit into memory."
GIVEN = "None is above the level that was given: nothing was lost by that."
MORE = "A release with such levels may be better: more memory would look at them."


def with_notes_on_floor(engine: Engine, problem: Problem, outcome: Found) -> Found:
    """Say of an outcome what was not searched because the census was taken at a floor."""
    if not problem.raised:
        return outcome
    if isinstance(outcome, LocalOutcome):
        notes = (*outcome.notes, *notes_on_floor(engine, problem, local=True))
        return replace(outcome, notes=notes, bound=None if outcome.bound is None else lambda: 0.0)
    told = notes_on_levels(engine, problem)
    notes = (*outcome.notes, *told)
    if told[-1] == HARMLESS:
        return replace(outcome, notes=notes)
    return replace(outcome, notes=notes, proof=f"{outcome.proof} among the levels searched", lower_bound=0.0)


def notes_on_levels(engine: Engine, problem: Problem) -> tuple[str, ...]:
    """Say which levels were not searched, and of which of them it is proven that no release has them."""
    floor = problem.raised
    if not floor:
        return ()
    cells = _cells_text(engine, problem)
    hopeless = {name: _hopeless_below(engine, problem, name, cells) for name in floor}
    lines = [_level_note(name, hopeless[name], level) for name, level in floor.items()]
    open_levels = any(hopeless[name] < level for name, level in floor.items())
    return _floor_note(engine, cells), *lines, MORE if open_levels else HARMLESS


def notes_on_floor(engine: Engine, problem: Problem, *, local: bool = False) -> tuple[str, ...]:
    """Say how fine the columns were that a search saw, perhaps for a local recoding; nothing without a floor."""
    floor = problem.raised
    if not floor:
        return ()
    raised = ", ".join(f"{name} (level {level})" for name, level in floor.items())
    first = _floor_note(engine, _cells_text(engine, problem, local=local))
    return (f"{first} The search saw these columns no finer than that: {raised}. {MORE}",)


def notes_on_given_levels(engine: Engine, problem: Problem) -> tuple[str, ...]:
    """Say the same where nothing was searched: none of these levels is above those that were given."""
    return (f"{_floor_note(engine, _cells_text(engine, problem))} {GIVEN}",) if problem.raised else ()


def _floor_note(engine: Engine, cells: int) -> str:
    """Say why there is a floor; how many cells fit only if that was said, for what the machine has left changes."""
    return FLOOR.format(cells="" if engine.resources.memory is None else f" ({cells:,} cells do)")


def _cells_text(engine: Engine, problem: Problem, *, local: bool = False) -> int:
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
    proven, rest = _levels_text(0, min(hopeless, level)), _levels_text(hopeless, level)
    parts = [f"{proven} cannot keep the promise, which is proven"] if proven else []
    parts += [f"{rest} {'was' if level - hopeless == 1 else 'were'} not searched"] if rest else []
    return f"Column {name!r} was counted at level {level}: {'; '.join(parts)}."


def _levels_text(first: int, end: int) -> str:
    if end <= first:
        return ""
    return f"level {first}" if end - first == 1 else f"levels {first} to {end - 1}"
