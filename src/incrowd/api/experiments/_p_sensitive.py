"""The paper on p-sensitive k-anonymity: k-anonymous samples of Adult still disclose attributes (S2-EXP)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from incrowd.algorithms import Outcome, Problem, Samarati, Savings
from incrowd.api.experiments._adult import Adult
from incrowd.api.experiments._adult_trees import FOUR, p_sensitive_hierarchies
from incrowd.api.experiments._result import Claim, Experiment, Row
from incrowd.core import Schema
from incrowd.models import KAnonymity, Model, PSensitive

PAPER = "T. M. Truta, B. Vinay. Privacy protection: p-sensitive k-anonymity property. ICDE Workshops, 2006."
CONFIDENTIAL = ("salary-class", "capital-gain", "capital-loss", "hours-per-week")
"""Pay, gain and loss as in the paper; its TaxPeriod is no column of Adult, so the working hours take its place."""
WITHOUT = ("salary-class", "education", "occupation", "workclass")
"""What is confidential in a file without gains and losses."""
LETTERS = "AMRS"
PRINTED = {(400, 2): ((1, 1, 1, 1), 6), (400, 3): ((1, 1, 2, 1), 2), (4000, 2): ((2, 1, 1, 1), 4)}
PRINTED |= {(4000, 3): ((2, 1, 2, 1), 0)}
"""Table 8: the node and its attribute disclosures, by sample size and k."""
SAMPLES, FEW = 20, 3


@dataclass(frozen=True)
class Searched:
    """A node that Samarati's search found, what it discloses, and whether the node of the paper would do."""

    node: tuple[int, ...]
    disclosures: int
    printed: bool
    savings: Savings


def p_sensitive(adult: Adult, *, small: bool) -> Experiment:
    """Search many samples of both sizes, for k = 2 and 3, with and without 2-sensitivity."""
    confidential = CONFIDENTIAL if set(CONFIDENTIAL) <= set(adult.columns) else WITHOUT
    schema = Schema(quasi=p_sensitive_hierarchies(), sensitive=list(confidential))
    rows = list(_rows(adult, schema, FEW if small else SAMPLES))
    return Experiment(
        name="p-sensitive",
        title="attribute disclosures of k-anonymous and 2-sensitive samples",
        paper=PAPER,
        data=f"samples of {adult.words}; confidential are {', '.join(confidential)}; no record is left out",
        stand_in=adult.stand_in,
        claims=_claims(rows),
        tables={"samples": rows, "summary": _summary(rows)},
    )


def _rows(adult: Adult, schema: Schema, samples: int) -> Iterator[Row]:
    for size, number in ((size, number) for size in (400, 4000) for number in range(1, samples + 1)):
        census = adult.sample(size, number).census(schema)
        for k in (2, 3):
            alone: Model = KAnonymity(k)
            both = alone & PSensitive(2, of=list(schema.sensitive_names))
            plain, sensitive = (_searched(Problem(census, schema, model), (size, k)) for model in (alone, both))
            yield {
                "size": size,
                "k": k,
                "sample": number,
                "node": _name(plain.node),
                "disclosures": plain.disclosures,
                "printed_node_is_enough": plain.printed,
                "printed_node_is_lowest": plain.printed and sum(plain.node) == sum(PRINTED[size, k][0]),
                "node_2_sensitive": _name(sensitive.node),
                "disclosures_2_sensitive": sensitive.disclosures,
                "nodes_with_small_classes": sensitive.savings.too_small,
                "nodes_with_too_many_classes": sensitive.savings.too_many,
                "nodes_judged": sensitive.savings.tested,
            }


def _searched(problem: Problem, asked: tuple[int, int]) -> Searched | None:
    """Search with both necessary conditions; nothing where no node keeps the promise."""
    found: Outcome = Samarati().search(problem)
    if found.best is None:
        return None
    node = tuple(found.best.levels.values())
    sizes = problem.census.classes(PRINTED[asked][0]).size
    return Searched(node, _disclosures(problem, node), bool((sizes >= asked[1]).all()), found.trace[0])


def _disclosures(problem: Problem, node: Sequence[int]) -> int:
    """Count the pairs of a class and a confidential column that is constant in it (S2-ATTRDISC)."""
    classes = problem.census.classes(node)
    return sum(int((np.diff(classes.histogram(name).starts) == 1).sum()) for name in problem.census.sensitive)


def _name(node: Sequence[int]) -> str:
    return " ".join(f"{letter}{level}" for letter, level in zip(LETTERS, node, strict=True))


def _summary(rows: Sequence[Row]) -> list[Row]:
    result: list[Row] = []
    for (size, k), (node, disclosures) in PRINTED.items():
        own = [row for row in rows if (row["size"], row["k"]) == (size, k) and row["node"] is not None]
        counts = [row["disclosures"] for row in own]
        often = Counter(row["node"] for row in own).most_common(1)
        result.append(
            {
                "size": size,
                "k": k,
                "printed_node": _name(node),
                "printed_disclosures": disclosures,
                "most_frequent_node": often[0][0] if often else None,
                "samples": len(own),
                "printed_node_is_enough": sum(row["printed_node_is_enough"] for row in own),
                "fewest_disclosures": min(counts, default=None),
                "median_disclosures": median(counts) if counts else None,
                "most_disclosures": max(counts, default=None),
            }
        )
    return result


def _claims(rows: Sequence[Row]) -> tuple[Claim, ...]:
    found = [row for row in rows if row["disclosures"] is not None]
    settings = {(row["size"], row["k"]) for row in found if row["disclosures"]}
    safe = [row["disclosures_2_sensitive"] for row in rows if row["disclosures_2_sensitive"] is not None]
    fell, rose, pairs = _when_k_grows(found)
    passed, judged = (sum(row[name] or 0 for row in rows) for name in ("nodes_passed_over", "nodes_judged"))
    return (
        *(_printed(row) for row in _summary(rows)),
        Claim(
            "In three of four settings the k-anonymous table discloses attributes.",
            f"In {len(settings)} of 4 settings, in {sum(row['disclosures'] > 0 for row in found)} of {len(found)} runs.",
            len(settings) >= 3,
        ),
        Claim(
            "When k increases, the number of attribute disclosures decreases.",
            f"From k = 2 to 3 it falls in {fell} of {pairs} samples and rises in {rose}.",
            fell == pairs if not rose else False,
            "It often falls, but nothing makes it: another node of the same height may be taken.",
        ),
        Claim(
            "p-sensitive k-anonymity guards against attribute disclosure.",
            f"{sum(safe)} disclosures in {len(safe)} 2-sensitive tables.",
            not any(safe),
        ),
        Claim(
            "The two necessary conditions spare work.",
            f"{passed:,} nodes were passed over by them, {judged:,} were judged class by class.",
            passed > 0,
            "",
        ),
    )


def _printed(row: Row) -> Claim:
    between = f"{row['fewest_disclosures']} to {row['most_disclosures']} disclosures, median {row['median_disclosures']:g}"
    return Claim(
        f"{row['size']} records, k = {row['k']}: node {row['printed_node']}, {row['printed_disclosures']} disclosures.",
        f"{row['samples']} samples: most often {row['most_frequent_node']}; {between}. The printed node is k-anonymous "
        f"in {row['printed_node_is_enough']} of them.",
        None,
        "The samples, how many records were left out, and the fourth confidential column are not known.",
    )


def _when_k_grows(rows: Sequence[Row]) -> tuple[int, int, int]:
    by_sample: dict[Any, dict[int, int]] = {}
    for row in rows:
        by_sample.setdefault((row["size"], row["sample"]), {})[row["k"]] = row["disclosures"]
    both = [found for found in by_sample.values() if len(found) == 2]
    return sum(one[3] < one[2] for one in both), sum(one[3] > one[2] for one in both), len(both)
