"""``solutions``, all nodes that keep a promise, and ``frontier``, the curve of risk against utility, for a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, Unpack

from incrowd.core import Census, ParameterError, Schema
from incrowd.measures import Measure
from incrowd.models import KAnonymity, LDiversity, Model, Number, PSensitive, promise
from incrowd.release._census import CensusPlan, Goal, Reading, open_with_schema
from incrowd.release._floor import notes_on_floor, notes_on_levels
from incrowd.search import Frontier, Progress, Solutions, Suppression, all_solutions, find_frontier, growing_promise

Strength = Literal["k", "l", "p"]

VALUES = (*range(1, 21), 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 750, 1000)
"""The strengths of a curve where nothing is said."""


def solutions(  # noqa: PLR0913 - all but the first three are optional
    table: Any,
    schema: Schema,
    *,
    model: Model | str,
    max_suppressed: Number = 0,
    max_suppressed_records: int | None = None,
    at_least: Mapping[str, int] | None = None,
    at_most: Mapping[str, int] | None = None,
    suppression: Suppression = "drop",
    **reading: Unpack[Reading],
) -> Solutions:
    """List every node of the lattice that keeps a promise within the suppression limit.

    Parameters
    ----------
    table, schema, model, max_suppressed, max_suppressed_records, at_least, at_most, suppression, reading
        As in ``anonymize``.

    Notes
    -----
    A node that leaves out every record keeps every promise, and is listed; ``anonymize`` refuses it. One that masks
    every record is listed if the whole table, as one class, keeps the promise.

    Examples
    --------
    >>> import incrowd as ic
    >>> table = [{"age": age, "sex": sex} for age, sex in [(31, "f"), (34, "f"), (52, "m"), (58, "m")]]
    >>> schema = ic.Schema(quasi={"age": ic.intervals(10), "sex": ic.flat()})
    >>> found = ic.solutions(table, schema, model="k>=2")
    >>> found.minimal
    [{'age': 1, 'sex': 0}]
    >>> len(found), found.suppressed.tolist()
    (4, [0, 0, 0, 0])
    """
    levels = {"at_least": at_least, "at_most": at_most}
    goal = Goal.of(schema, promise(model), max_suppressed, max_suppressed_records, suppression=suppression, **levels)
    engine = open_with_schema(table, schema, **reading)
    problem = goal.problem(CensusPlan.of(engine, goal).census())
    found = all_solutions(problem)
    return replace(found, floor=problem.raised, notes=notes_on_levels(engine, problem))


def frontier(  # noqa: PLR0913 - all but the first two are optional
    table: Any,
    schema: Schema,
    *,
    by: Strength = "k",
    of: str | None = None,
    model: Model | str | None = None,
    values: Sequence[int] | None = None,
    measure: str | Measure = "loss",
    max_suppressed: Number = 0,
    max_suppressed_records: int | None = None,
    at_least: Mapping[str, int] | None = None,
    at_most: Mapping[str, int] | None = None,
    importance: Mapping[str, float] | None = None,
    balance: float = 0.5,
    suppression: Suppression = "drop",
    progress: Callable[[Progress], object] | None = None,
    **reading: Unpack[Reading],
) -> Frontier:
    """Find the best node for every strength of a promise at once: risk against utility.

    Parameters
    ----------
    table, schema, max_suppressed, max_suppressed_records, at_least, at_most, importance, balance, suppression, reading
        As in ``anonymize``.
    by
        What grows along the curve: ``"k"``, the least size of a class, or ``"l"`` or ``"p"``, its least number of
        different sensitive values.
    of
        The sensitive column, for ``"l"`` and ``"p"``. May be left out if there is only one.
    model
        Promises that every node keeps besides, whatever the strength. What they say about the number that grows along
        the curve gives way to it.
    values
        The strengths, ascending; by default 1 to 1,000 in growing steps, as far as the table reaches.
    measure
        The measure that is made small, as in ``Optimal``.
    progress
        Called now and then with how many nodes were looked at, of at most how many.

    Examples
    --------
    >>> import incrowd as ic
    >>> table = [{"age": age} for age in (31, 34, 52, 58)]
    >>> curve = ic.frontier(table, ic.Schema(quasi={"age": ic.intervals(10, 100)}), values=[1, 2, 3])
    >>> [node.levels for node in curve.nodes]
    [{'age': 0}, {'age': 1}, {'age': 2}]
    """
    models = {"k": KAnonymity(1), "l": LDiversity(1, of=of), "p": PSensitive(1, of=of)}
    if by not in models:
        msg = f"by must be 'k', 'l' or 'p', got {by!r}."
        raise ParameterError(msg)
    whole = growing_promise(models[by], None if model is None else promise(model), schema)

    goal = Goal.of(
        schema,
        whole,
        max_suppressed,
        max_suppressed_records,
        at_least=at_least,
        at_most=at_most,
        importance=importance,
        balance=balance,
        suppression=suppression,
    )
    engine = open_with_schema(table, schema, **reading)
    census = CensusPlan.of(engine, goal).census()
    most = census.records if by == "k" else _different_values(census, models[by], schema)
    chosen = [value for value in VALUES if value <= most] if values is None else sorted(set(values))
    if not chosen or not all(isinstance(value, int) and value >= 1 for value in chosen):
        msg = "values must be whole numbers of at least 1."
        raise ParameterError(msg)
    problem = goal.problem(census)
    curve = find_frontier(problem, by, chosen, measure, progress)
    return replace(curve, floor=problem.raised, notes=notes_on_floor(engine, problem))


def _different_values(census: Census, model: Model, schema: Schema) -> int:
    """Say how many different known values the column has whose number grows."""
    (judge,) = model.bind(schema, census.domains)
    return len(census.domains[judge.columns[0]].values)
