"""The paper on p-sensitive k-anonymity: k-anonymous samples of Adult still disclose attributes (S2-EXP)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from incrowd.algorithms import Outcome, Problem, Samarati, Savings
from incrowd.api.experiments._adult import Adult
from incrowd.api.experiments._adult_trees import p_sensitive_hierarchies
from incrowd.api.experiments._p_sensitive_claims import PRINTED, claims_of, name_of, summary_of
from incrowd.api.experiments._result import Experiment, Row
from incrowd.core import Classes, DataError, ParameterError, Schema, UnknownColumnError
from incrowd.models import KAnonymity, Model, PSensitive, feasibility, suppression_limit

PAPER = "T. M. Truta, B. Vinay. Privacy protection: p-sensitive k-anonymity property. ICDE Workshops, 2006."
CONFIDENTIAL = ("salary-class", "capital-gain", "capital-loss", "hours-per-week")
"""Pay, gain and loss as in the paper; its TaxPeriod is no column of Adult, so the working hours take its place."""
WITHOUT = ("salary-class", "education", "occupation", "workclass")
"""What is confidential in a file without gains and losses."""
SAMPLES, FEW = 20, 3
SHARES = (0, 0.01, 0.05)
"""Which share of the records may be left out: the paper allows some, and does not say how many it was here."""


@dataclass(frozen=True)
class Searched:
    """A node that Samarati's search found, what it discloses, and what the search was spared."""

    node: tuple[int, ...]
    disclosures: int
    savings: Savings


def p_sensitive(adult: Adult, *, small: bool, confidential: Sequence[str] | None = None) -> Experiment:
    """Search many samples of both sizes, for k = 2 and 3, with and without 2-sensitivity."""
    confidential = _confidential(adult, confidential)
    schema = Schema(quasi=p_sensitive_hierarchies(), sensitive=list(confidential))
    rows = [
        row
        for size in (400, 4000)
        for number in range(1, (FEW if small else SAMPLES) + 1)
        for row in _rows(adult.sample(size, number), schema, size, number)
    ]
    summary = summary_of(rows)
    return Experiment(
        name="p-sensitive",
        title="attribute disclosures of k-anonymous and 2-sensitive samples",
        paper=PAPER,
        data=f"samples of {adult.words}; confidential are {', '.join(confidential)}",
        stand_in=adult.stand_in,
        claims=claims_of(rows, summary),
        tables={"samples": rows, "summary": summary},
    )


def _confidential(adult: Adult, chosen: Sequence[str] | None) -> Sequence[str]:
    """Give the columns that nobody should learn: those that were chosen, or those that are nearest to the paper's."""
    if chosen is None:
        return CONFIDENTIAL if set(CONFIDENTIAL) <= set(adult.columns) else WITHOUT
    if isinstance(chosen, str) or not chosen or len(set(chosen)) < len(chosen):
        msg = f"confidential must be a list of different columns of Adult, got {chosen!r}."
        raise ParameterError(msg, hint=f"for example {list(CONFIDENTIAL)}.")
    keys = p_sensitive_hierarchies()
    for name in chosen:
        if name in keys:
            msg = f"The column {name!r} is a key of this experiment, so it cannot be confidential too."
            raise ParameterError(msg, hint=f"the keys are {', '.join(keys)}, as in the paper.")
        if name not in adult.columns:
            raise UnknownColumnError.of(name, list(adult.columns), given_as="confidential")
    return tuple(chosen)


def _rows(sample: Adult, schema: Schema, size: int, number: int) -> Iterator[Row]:
    """Search one sample, for both k and with every share that may be left out."""
    census = sample.census(schema)
    both = PSensitive(2, of=list(schema.sensitive_names))
    excluded = _excluded(Problem(census, schema, both))
    for k, share in itertools.product((2, 3), SHARES):
        model: Model = KAnonymity(k)
        problem = Problem(census, schema, model, suppression_limit(census.records, share))
        plain, sensitive = _searched(problem), _searched(replace(problem, model=model & both))
        yield {
            "size": size,
            "k": k,
            "max_suppressed": share,
            "sample": number,
            "records": census.records,
            "node": name_of(plain.node),
            "disclosures": plain.disclosures,
            **_at_printed(problem, PRINTED[size, k][0], plain.node),
            "node_2_sensitive": name_of(sensitive.node),
            "disclosures_2_sensitive": sensitive.disclosures,
            "excluded_by_condition_2": excluded,
            "spared_by_condition_2": sensitive.savings.too_many,
            "nodes_judged": sensitive.savings.tested,
        }


def _searched(problem: Problem) -> Searched:
    """Search with both necessary conditions, as the paper proposes."""
    found: Outcome = Samarati().search(problem)
    if found.best is None:
        msg = f"A sample of {problem.census.records:,} records cannot keep {problem.model}, even as one class."
        raise DataError(msg, hint="give the whole Adult table.")
    node = tuple(found.best.levels.values())
    return Searched(node, _disclosures(problem, node), found.trace[0])


def _at_printed(problem: Problem, printed: Sequence[int], found: Sequence[int]) -> Row:
    """Say whether the node of the paper would do here, whether none is lower, and what it discloses."""
    classes, kept = _published(problem, printed)
    enough = int(classes.records[~kept].sum()) <= problem.limit
    return {
        "printed_node_is_enough": enough,
        "printed_node_is_lowest": enough and sum(found) == sum(printed),
        "disclosures_at_printed_node": _disclosures(problem, printed),
    }


def _excluded(problem: Problem) -> int:
    """Count the nodes of the lattice with more classes than any 2-sensitive table has (S2-COND2)."""
    census = problem.census
    most = feasibility(problem.judges(), census.classes(), 0).max_classes
    nodes = itertools.product(*(range(high + 1) for high in problem.highs))
    return sum(len(census.classes(node)) > most for node in nodes)


def _disclosures(problem: Problem, node: Sequence[int]) -> int:
    """Count the pairs of a published class and a confidential column that is constant in it (S2-ATTRDISC)."""
    classes, kept = _published(problem, node)
    constant = [np.diff(classes.histogram(name).starts) == 1 for name in problem.census.sensitive]
    return sum(int((one & kept).sum()) for one in constant)


def _published(problem: Problem, node: Sequence[int]) -> tuple[Classes, Any]:
    """Give the classes of a node, and which of them keep the promise: the others are left out."""
    classes = problem.census.classes(node)
    return classes, np.logical_and.reduce([judge.keeps(classes) for judge in problem.judges()])
