"""Whether a census fits into memory, asked before it is counted: nobody is served by a process that the system ends."""

from __future__ import annotations

import math
from collections.abc import Mapping

from incrowd.core import Census, CensusRequest, Domain, EngineError, Schema
from incrowd.engines import Budget, Engine, census_size_about
from incrowd.hierarchies import Auto, Averaged, Mask, auto


def fits(engine: Engine, request: CensusRequest, cells: int) -> bool:
    """Say whether a census has about as many cells as fit, or fewer.

    Parameters
    ----------
    engine, request
        The table, and what would be counted. It is read once more only where neither its rows nor its values tell.
    cells
        How many fit.
    """
    return _size_about(engine, request, cells) <= cells


def check_labels(schema: Schema, domains: Mapping[str, Domain], memory: str | None) -> None:
    """Refuse masks of long texts that are too many: every value gets a label for every character."""
    most, labels = Budget.of(memory).labels, 0
    for name, given in schema.quasi:
        plain = given.hierarchy if isinstance(given, Averaged) else given
        hierarchy = auto().choose(domains[name]) if plain is None or isinstance(plain, Auto) else plain
        if isinstance(hierarchy, Mask):
            levels = hierarchy.levels(domains[name])
            labels += len(domains[name]) * levels
            if labels > most:
                values = f"{len(domains[name]):,} values, {levels} each"
                msg = f"The labels of column {name!r} do not fit into memory: {values}."
                hint = (
                    "give it more memory, such as memory='16GB', or hide fewer characters one by one: mask(keep=...)."
                )
                raise EngineError(msg, hint=hint)


def shares_needed(engine: Engine, request: CensusRequest, memory: str | None = None) -> int:
    """Say in how many shares the cells of a table must be looked at, each of which fits."""
    cells = cells_within(request, memory)
    return max(math.ceil(_size_about(engine, request, cells) / cells), 1)


def _size_about(engine: Engine, request: CensusRequest, cells: int) -> int:
    """Say about how many cells a census has, or at most, where so many would fit."""
    rows = int(engine.domains(request.columns[:1])[request.columns[0]].counts.sum())
    if rows <= cells:
        return rows
    domains = engine.domains(request.needed)
    possible = math.prod(request.cardinality(domains[name]) for name in request.columns)
    return possible if possible <= cells else census_size_about(engine, request, cells)


def cells_within(request: CensusRequest, memory: str | None, *, local: bool = False) -> int:
    """Say how many cells of a census fit into what may be used; without a word, into a share of what is left.

    Fewer do where a local recoding is looked for.
    """
    return Budget.of(memory).cells(len(request.columns), local=local)


def census_within(
    engine: Engine, request: CensusRequest, memory: str | None, *, hint: str = "ask about fewer columns."
) -> Census:
    """Count a table where its census fits into memory.

    Parameters
    ----------
    engine, request
        The table, and what is counted.
    memory
        What may be used, such as ``"4GB"``.
    hint
        What to do instead of giving it more memory.

    Raises
    ------
    EngineError
        If it does not fit.
    """
    cells = cells_within(request, memory)
    if not fits(engine, request, cells):
        msg = f"The census of this table does not fit into memory: {cells:,} cells do."
        raise EngineError(msg, hint=f"give it more memory, such as memory='16GB', or {hint}")
    return engine.census(request)
