"""The paper on p-sensitive k-anonymity: k-anonymous samples of Adult still disclose attributes."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

import numpy as np

from incrowd.core import Classes, DataError, ParameterError, Schema, UnknownColumnError
from incrowd.experiments._adult import Adult, p_sensitive_hierarchies
from incrowd.experiments._result import Claim, Experiment, Row
from incrowd.models import KAnonymity, Model, PSensitive, feasibility, suppression_limit
from incrowd.search import Outcome, Problem, Samarati, Savings

# What the paper on p-sensitive k-anonymity claims, beside our numbers.

LETTERS = "AMRS"
PRINTED = {
    (400, 2): ((1, 1, 1, 1), 6),
    (400, 3): ((1, 1, 2, 1), 2),
    (4000, 2): ((2, 1, 1, 1), 4),
    (4000, 3): ((2, 1, 2, 1), 0),
}
"""Table 8: the node and its attribute disclosures, by sample size and k."""
NODES = 96
"""So many nodes has the lattice of Table 7."""
MANY = 0.1
"""From this share on nodes are many, or a test is better."""
RULE = f"Below {MANY:.0%} it barely holds, at 0 it does not."


def name_of(node: Sequence[int]) -> str:
    """Call a node as the paper does: age, marital status, race and sex with their levels."""
    return " ".join(f"{letter}{level}" for letter, level in zip(LETTERS, node, strict=True))


def summary_of(rows: Sequence[Row]) -> list[Row]:
    """Put the samples of a setting together."""
    settings = dict.fromkeys((row["size"], row["k"], row["max_suppressed"]) for row in rows)
    return [
        _summary_of_rows([row for row in rows if (row["size"], row["k"], row["max_suppressed"]) == setting])
        for setting in settings
    ]


def _summary_of_rows(rows: Sequence[Row]) -> Row:
    size, k = rows[0]["size"], rows[0]["k"]
    node, disclosures = PRINTED[size, k]
    counts, there = ([row[name] for row in rows] for name in ("disclosures", "disclosures_at_printed_node"))
    return {
        "size": size,
        "k": k,
        "max_suppressed": rows[0]["max_suppressed"],
        "printed_node": name_of(node),
        "printed_disclosures": disclosures,
        "samples": len(rows),
        "records": rows[0]["records"],
        "most_frequent_node": Counter(row["node"] for row in rows).most_common(1)[0][0],
        "fewest_disclosures": min(counts),
        "median_disclosures": median(counts),
        "most_disclosures": max(counts),
        "printed_node_is_enough": sum(row["printed_node_is_enough"] for row in rows),
        "printed_node_is_lowest": sum(row["printed_node_is_lowest"] for row in rows),
        "fewest_at_printed_node": min(there),
        "most_at_printed_node": max(there),
    }


def claims_of(rows: Sequence[Row], summary: Sequence[Row]) -> tuple[Claim, ...]:
    """Compare."""
    settings = {(row["size"], row["k"]) for row in rows if row["disclosures"]}
    safe = [row["disclosures_2_sensitive"] for row in rows]
    fell, rose, pairs = _when_k_grows(rows)
    return (
        *(_printed_node_claim([row for row in summary if (row["size"], row["k"]) == setting]) for setting in PRINTED),
        Claim(
            "In three of four settings the k-anonymous table discloses attributes.",
            f"In {len(settings)} of 4 settings, in {sum(row['disclosures'] > 0 for row in rows)} of {len(rows)} runs.",
            len(settings) >= 3,
            of_data=True,
        ),
        Claim(
            "When k increases, the number of attribute disclosures decreases, in many tables.",
            f"From k = 2 to 3 it falls in {fell} of {pairs} pairs of runs, rises in {rose} and stays in the others.",
            2 * fell > pairs,
            "Nothing makes it fall: another node of the same height may be taken.",
            of_data=True,
        ),
        Claim(
            "p-sensitive k-anonymity guards against attribute disclosure.",
            f"{sum(safe)} disclosures in {len(safe)} 2-sensitive tables.",
            not any(safe),
        ),
        *_condition_claims(rows),
    )


def _printed_node_claim(rows: Sequence[Row]) -> Claim:
    first = rows[0]
    found = "; ".join(
        f"{100 * row['max_suppressed']:g} % left out: {row['fewest_disclosures']} to {row['most_disclosures']}, mostly "
        f"{row['most_frequent_node']}, the printed node would do in {row['printed_node_is_enough']} and is of least "
        f"height in {row['printed_node_is_lowest']}"
        for row in rows
    )
    low, high, printed = first["fewest_at_printed_node"], first["most_at_printed_node"], first["printed_disclosures"]
    fits = "which fits" if low <= printed <= high else "which does not fit"
    return Claim(
        f"{first['size']:,} records, k = {first['k']}: node {first['printed_node']}, {printed} attribute disclosures.",
        f"In {first['samples']} samples of {first['records']:,}, with at most {found}. At the printed node itself "
        f"{low} to {high}, {fits}.",
        None,
        "The samples, how many records were left out, and the fourth confidential column are not known.",
    )


def _condition_claims(rows: Sequence[Row]) -> tuple[Claim, ...]:
    """Compare what the two necessary conditions exclude, and what that spares after the test for k."""
    names = ("excluded_by_condition_2", "spared_by_condition_2", "nodes_judged")
    excluded, spared, judged = (sum(row[name] for row in rows) for name in names)
    early, less = excluded / (NODES * len(rows)), spared / max(spared + judged, 1)
    return (
        Claim(
            "The two necessary conditions eliminate many tables early that are not p-sensitive.",
            f"By its number of classes alone the second one excludes {excluded / len(rows):.0f} of {NODES} nodes per "
            f"run, {early:.1%}.",
            early > 0,
            f"{RULE} The first one only tells before a search that there is nothing to find, which was never so here.",
            of_data=True,
            barely=early < MANY,
        ),
        Claim(
            "They improve the basic test, which asks for k and then looks at every class.",
            f"After the test for k the second one spares this look for {spared:,} of {spared + judged:,} nodes in all "
            f"runs, {less:.2%}.",
            spared > 0,
            f"{RULE} Nodes with so many classes mostly have small ones too, which the test for k sees as quickly.",
            of_data=True,
            barely=less < MANY,
        ),
    )


def _when_k_grows(rows: Sequence[Row]) -> tuple[int, int, int]:
    """Count where the disclosures fall and rise from k = 2 to 3, of how many."""
    by_run: dict[Any, dict[int, int]] = {}
    for row in rows:
        by_run.setdefault((row["size"], row["sample"], row["max_suppressed"]), {})[row["k"]] = row["disclosures"]
    both = by_run.values()
    return sum(one[3] < one[2] for one in both), sum(one[3] > one[2] for one in both), len(both)


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
    confidential = _confidential_columns(adult, confidential)
    schema = Schema(quasi=p_sensitive_hierarchies(), sensitive=list(confidential))
    rows = [
        row
        for size in (400, 4000)
        for number in range(1, (FEW if small else SAMPLES) + 1)
        for row in _sample_rows(adult.sample(size, number), schema, size, number)
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


def _confidential_columns(adult: Adult, chosen: Sequence[str] | None) -> Sequence[str]:
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


def _sample_rows(sample: Adult, schema: Schema, size: int, number: int) -> Iterator[Row]:
    """Search one sample, for both k and with every share that may be left out."""
    census = sample.census(schema)
    both = PSensitive(2, of=list(schema.sensitive_names))
    excluded = _excluded_nodes(Problem(census, schema, both))
    for k, share in itertools.product((2, 3), SHARES):
        model: Model = KAnonymity(k)
        problem = Problem(census, schema, model, suppression_limit(census.records, share))
        plain, sensitive = _search_result(problem), _search_result(replace(problem, model=model & both))
        yield {
            "size": size,
            "k": k,
            "max_suppressed": share,
            "sample": number,
            "records": census.records,
            "node": name_of(plain.node),
            "disclosures": plain.disclosures,
            **_printed_node_row(problem, PRINTED[size, k][0], plain.node),
            "node_2_sensitive": name_of(sensitive.node),
            "disclosures_2_sensitive": sensitive.disclosures,
            "excluded_by_condition_2": excluded,
            "spared_by_condition_2": sensitive.savings.too_many,
            "nodes_judged": sensitive.savings.tested,
        }


def _search_result(problem: Problem) -> Searched:
    """Search with both necessary conditions, as the paper proposes."""
    found: Outcome = Samarati().search(problem)
    if found.best is None:
        msg = f"A sample of {problem.census.records:,} records cannot keep {problem.model}, even as one class."
        raise DataError(msg, hint="give the whole Adult table.")
    node = tuple(found.best.levels.values())
    return Searched(node, _count_disclosures(problem, node), found.trace[0])


def _printed_node_row(problem: Problem, printed: Sequence[int], found: Sequence[int]) -> Row:
    """Say whether the node of the paper would do here, whether none is lower, and what it discloses."""
    classes, kept = _node_classes(problem, printed)
    enough = int(classes.records[~kept].sum()) <= problem.limit
    return {
        "printed_node_is_enough": enough,
        "printed_node_is_lowest": enough and sum(found) == sum(printed),
        "disclosures_at_printed_node": _count_disclosures(problem, printed),
    }


def _excluded_nodes(problem: Problem) -> int:
    """Count the nodes of the lattice with more classes than any 2-sensitive table has (S2-COND2)."""
    census = problem.census
    most = feasibility(problem.judges(), census.classes(), 0).max_classes
    nodes = itertools.product(*(range(high + 1) for high in problem.highs))
    return sum(len(census.classes(node)) > most for node in nodes)


def _count_disclosures(problem: Problem, node: Sequence[int]) -> int:
    """Count the pairs of a published class and a confidential column that is constant in it (S2-ATTRDISC)."""
    classes, kept = _node_classes(problem, node)
    constant = [np.diff(classes.histogram(name).starts) == 1 for name in problem.census.sensitive]
    return sum(int((one & kept).sum()) for one in constant)


def _node_classes(problem: Problem, node: Sequence[int]) -> tuple[Classes, Any]:
    """Give the classes of a node, and which of them keep the promise: the others are left out."""
    classes = problem.census.classes(node)
    return classes, np.logical_and.reduce([judge.keeps(classes) for judge in problem.judges()])
