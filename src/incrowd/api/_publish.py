"""From a node of the lattice to a published table that was checked again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from incrowd.algorithms import Node, Outcome, Problem, costs_of, recoding_of
from incrowd.api._checked_again import checked_again
from incrowd.api._explain import explanation_of
from incrowd.api._recipe import Recipe, versions
from incrowd.api._release import Release
from incrowd.core import FullDomainRecoding, Verdict
from incrowd.engines import Engine, open_table


@dataclass(frozen=True, slots=True)
class Source:
    """The table that is published.

    Attributes
    ----------
    engine
        Where it lives.
    columns
        The columns that are published.
    described
        What is known about it, for the recipe.
    """

    engine: Engine
    columns: list[str]
    described: Mapping[str, Any]


def publish_node(source: Source, problem: Problem, outcome: Outcome, algorithm: str) -> Release:
    """Apply the best node that a search found, and check what came out of it with nothing but its labels."""
    best = outcome.best
    assert best is not None  # noqa: S101 - the caller saw to it
    recoding = recoding_of(problem, best.levels)
    table = source.engine.recode(recoding, source.columns).materialise()
    return Release(
        table=table,
        verdict=_verdict(source, problem, recoding, table),
        measures=costs_of(problem, best.levels),
        recoding=recoding,
        recipe=_recipe(source, problem, outcome, best, algorithm),
        schema=problem.schema,
        model=problem.model,
        explanation=explanation_of(problem, best),
        distributions={name: problem.census.domains[name] for name in problem.census.sensitive},
    )


def _verdict(source: Source, problem: Problem, recoding: FullDomainRecoding, table: Any) -> Verdict:
    """Let an engine group what is published; whose row it is decides where it is known, and is not published."""
    census, schema = problem.census, problem.schema
    if schema.entity is not None:
        table = source.engine.recode(recoding, [*source.columns, schema.entity]).materialise()
    domains = {name: census.domains[name] for name in census.sensitive}
    classes = open_table(table).classes(schema.quasi_names, domains, schema.entity, schema.count)
    return checked_again(classes, problem, recoding)


def _recipe(source: Source, problem: Problem, outcome: Outcome, best: Node, algorithm: str) -> Recipe:
    return Recipe(
        promise=str(problem.model),
        algorithm=algorithm,
        proof=outcome.proof,
        levels=dict(best.levels),
        records=problem.census.records,
        suppressed=best.suppressed,
        max_suppressed_records=problem.limit,
        dropped=problem.census.dropped,
        checked=outcome.checked,
        nodes=outcome.nodes,
        lower_bound=outcome.lower_bound,
        notes=outcome.notes,
        engine=type(source.engine).__name__,
        input=source.described,
        versions=versions(),
    )
