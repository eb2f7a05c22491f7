"""Whether a table can keep a promise at all, before a search; and the error that says how near one came."""

from __future__ import annotations

import functools
from dataclasses import replace
from fractions import Fraction
from typing import Any, Unpack

import numpy as np

from incrowd.core import (
    Cells,
    Census,
    CensusRequest,
    Classes,
    Grouping,
    Hint,
    NoSafeRelease,
    Schema,
    Setting,
    group,
    records_text,
    share_text,
)
from incrowd.models import Feasibility, Model, feasibility as feasibility_of, promise, suppression_limit
from incrowd.release._census import Reading, census_within_memory, open_with_schema
from incrowd.search import Outcome, Problem, is_monotone, left_out_at


def feasibility(
    table: Any,
    schema: Schema,
    model: Model | str,
    max_suppressed: float | Fraction = 0,
    max_suppressed_records: int | None = None,
    **reading: Unpack[Reading],
) -> Feasibility:
    """Say whether any release of a table can keep a promise, and by how many classes at most.

    Parameters
    ----------
    table
        A pandas, Polars or PyArrow table, a DuckDB relation, a list of dicts, or a path to a CSV or Parquet file.
    schema
        The role of every column. Hierarchies of quasi-identifiers take no part.
    model
        The promise, as a model or as its text: ``"k>=5, l>=3[disease]"``.
    max_suppressed
        The largest share of the records that a release may leave out, 0 to 1, as the decimal that was written.
    max_suppressed_records
        The largest number of records that a release may leave out, instead of a share.
    reading
        How to read a file, as in ``census``.

    Notes
    -----
    An obstacle is proven: no generalization, however coarse, removes it. Without an obstacle a search may still find
    nothing, because hierarchies cannot group the records as the promise needs.

    Examples
    --------
    >>> import incrowd as ic
    >>> table = [{"age": 31, "disease": "flu"}, {"age": 38, "disease": "flu"}, {"age": 45, "disease": "hiv"}]
    >>> schema = ic.Schema(quasi=["age"], sensitive=["disease"])
    >>> ic.feasibility(table, schema, "k>=2, l>=2").max_classes
    1
    >>> ic.feasibility(table, schema, "l>=3").obstacles[0].nearest
    'l>=2[disease]'
    """
    model = promise(model)
    engine = open_with_schema(table, schema, **reading)
    some = schema.quasi_names[:1]  # the table counts as one class, so the others need not be read
    request = CensusRequest(some, schema.sensitive_names, entity=schema.entity, count=schema.count)
    census = census_within_memory(engine, request)
    limit = suppression_limit(census.records, max_suppressed, max_suppressed_records)
    return feasibility_of(model.bind(schema, census.domains), census.classes(), limit)


# Why nothing can be published, how near it came, and what would help.


def refuse_infeasible(problem: Problem) -> None:
    """Stop before any search where no release can keep the promise."""
    if problem.census.records == 0:
        msg = "The table has no records: there is nothing to publish."
        raise NoSafeRelease(msg)
    known = feasibility_of(problem.judges(), _as_one_class(problem.census), problem.limit)
    if known.feasible:
        return
    reasons = " ".join(f"{obstacle.promise}: {obstacle.reason}" for obstacle in known.obstacles)
    nearest = [obstacle.nearest for obstacle in known.obstacles if obstacle.nearest]
    hint = f"{' and '.join(nearest)} would be possible." if nearest else ""
    msg = f"No release can keep the promise. {reasons}"
    raise NoSafeRelease(msg, hint=hint)


def _as_one_class(census: Census) -> Classes:
    """Give the whole table as one class: where nobody's rows are told apart, every combination of values once."""
    values = dict(zip(census.sensitive, census.codes[len(census.quasi) :], strict=True))
    domains = {name: census.domains[name] for name in census.sensitive}
    cells = Cells(values, domains, census.person, census.counts)
    if census.person is None and values:
        once = group(list(values.values()), [len(domain) for domain in domains.values()])
        values = {name: codes[once.first] for name, codes in values.items()}
        cells = Cells(values, domains, None, once.sums(census.counts))
    members = np.zeros(len(cells.counts), dtype=np.uint8)
    return Classes.of(Grouping(members, np.zeros(1, dtype=np.intp)), (), cells)


def no_release(problem: Problem, outcome: Outcome) -> NoSafeRelease:
    """Say how near the search came, which promise binds, and which column."""
    records, limit = problem.census.records, problem.limit
    if outcome.proof == "best found" and outcome.best is None:
        tested = f"{outcome.checked:,} of {outcome.nodes:,} combinations of levels (nodes) were tested"
        msg = f"No release was found in time; {tested}."
        return NoSafeRelease(msg, hint=Hint("{}.", Setting("seconds", None, "give it more time")))
    least = left_out_at(problem)(problem.highs)
    if least <= limit:
        msg = f"Only a release without any record keeps {problem.model}."
        return NoSafeRelease(msg, hint="ask for less, or look at the hierarchies.", nearest=least)
    sure = is_monotone(problem)  # else a version in between may leave out less
    verb = "leaves out" if problem.suppression != "mask" else "masks"
    msg = (
        f"No release keeps {problem.model} and {verb} at most {share_text(limit, records)} "
        f"({limit:,} of {records:,} records): "
        f"{'even ' if sure else ''}the most general one {verb} {share_text(least, records)} ({least:,})."
    )
    return NoSafeRelease(msg, hint=_binding_hint(problem, least, sure=sure), nearest=least if sure else None)


def _binding_hint(problem: Problem, least: int, *, sure: bool) -> str:
    """Name what binds: a level that may not be exceeded, or one of several promises."""
    parts: list[str] = []
    others = {name: {key: level for key, level in problem.at_most.items() if key != name} for name in problem.at_most}
    wider = {name: replace(problem, at_most=free) for name, free in others.items()}
    without = {name: left_out_at(one)(one.highs) for name, one in wider.items()}
    column = min(without, key=without.__getitem__, default=None)
    if column is not None and without[column] < least:
        told = records_text(without[column], problem.census.records)
        binds = Setting("at_most", {column: None}, f"at_most of {column!r} binds")
        parts.append(Hint("{}", binds) + f": without it {told} are left out")
    if len(problem.model.parts) > 1:
        alone = {str(part): left_out_at(replace(problem, model=part))(problem.highs) for part in problem.model.parts}
        parts.append(f"{max(alone, key=lambda text: alone[text])} is what binds")
    if sure and least < problem.census.records:
        parts.append(Hint("{max_suppressed_records} would be enough", max_suppressed_records=least))
    if problem.suppression == "mask":
        parts.append(_mask_hint(problem))
    parts = parts or ["ask for less, or look at the hierarchies and at_most"]
    return functools.reduce(lambda hint, part: hint + "; " + part, parts) + "."


def _mask_hint(problem: Problem) -> str:
    """Say what masking asks for, and whether dropping records would do."""
    dropped = left_out_at(replace(problem, suppression="drop"))(problem.highs)
    enough = dropped <= problem.limit and dropped < problem.census.records
    told = "masked records are one class, which must keep the promise too"
    drop = Hint("; {suppression} would leave out ", suppression="drop") + f"{dropped:,} and be enough"
    return told + drop if enough else told
