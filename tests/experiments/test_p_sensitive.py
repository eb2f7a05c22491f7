from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest

import incrowd as ic
from experiments.test_reproduce import rows
from incrowd.experiments import (
    Reproduction,
    _p_sensitive,
    _p_sensitive as _p_sensitive_claims,
    reproduce,
)
from incrowd.experiments._adult import find_adult, p_sensitive_hierarchies
from incrowd.experiments._p_sensitive import NODES
from incrowd.search import Problem


@pytest.mark.parametrize(
    ("spared", "judged", "verdict", "share"),
    [
        (0, 100, "does not hold", "0 of 100 nodes in all runs, 0.00%"),
        (2, 4235, "barely holds", "2 of 4,237 nodes in all runs, 0.05%"),
        (504, 5605, "barely holds", "504 of 6,109 nodes in all runs, 8.25%"),
        (1, 9, "holds", "1 of 10 nodes in all runs, 10.00%"),
    ],
)
def test_conditions_that_spare_next_to_nothing_barely_improve_a_test(
    spared: int, judged: int, verdict: str, share: str
) -> None:
    row = {"excluded_by_condition_2": 38, "spared_by_condition_2": spared, "nodes_judged": judged}
    early, less = _p_sensitive_claims._condition_claims([row])
    assert (early.verdict, less.verdict) == ("holds", verdict)
    assert "38 of 96 nodes per run, 39.6%" in early.found
    assert share in less.found
    assert "Below 10% it barely holds" in less.why


def test_a_2_sensitive_table_discloses_no_attribute(found: Reproduction) -> None:
    samples = rows(found, "p-sensitive", "samples")
    assert {row["disclosures_2_sensitive"] for row in samples} == {0}
    assert len(samples) == 2 * 2 * 3 * 3
    assert {(row["size"], row["records"]) for row in samples} == {(400, 400), (4000, 1000)}


def test_the_lattice_of_the_paper_on_p_sensitivity_has_96_nodes() -> None:
    heights = [hierarchy.height for hierarchy in list(p_sensitive_hierarchies().values())[:3]]
    assert heights == [3, 2, 3]
    assert np.prod([height + 1 for height in heights]) * 2 == NODES


def test_disclosures_are_pairs_of_a_class_and_a_constant_column() -> None:
    table = [
        {"age": "20s", "pay": "low", "gain": 0},
        {"age": "20s", "pay": "low", "gain": 5},
        {"age": "30s", "pay": "low", "gain": 0},
        {"age": "30s", "pay": "high", "gain": 0},
    ]
    schema = ic.Schema(quasi={"age": ic.flat()}, sensitive=["pay", "gain"])
    problem = Problem(ic.census(table, schema), schema, ic.KAnonymity(2))
    assert [_p_sensitive._count_disclosures(problem, [level]) for level in (0, 1)] == [2, 0]
    alone = [*table, {"age": "40s", "pay": "low", "gain": 0}]
    left_out = Problem(ic.census(alone, schema), schema, ic.KAnonymity(2), limit=1)
    assert _p_sensitive._count_disclosures(left_out, [0]) == 2


def test_confidential_columns_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("INCROWD_DATA", raising=False)
    found = reproduce("p-sensitive", small=True, confidential=["occupation", "education"])["p-sensitive"]
    assert found.data.endswith("; confidential are occupation, education")
    adult = find_adult(None, small=True).sample(400, 1)
    rows = list(zip(*(adult.columns[name] for name in ("age", "occupation", "education")), strict=True))
    (at_printed,) = (row["disclosures_at_printed_node"] for row in found.tables["samples"] if _first(row))
    race = {"White": "White", "Black": "Black"}
    married = {"Married-civ-spouse", "Married-AF-spouse", "Married-spouse-absent"}
    classes: dict[Any, list[tuple[str, str]]] = defaultdict(list)
    for place, (age, occupation, education) in enumerate(rows):
        spouse = adult.columns["marital-status"][place] in married
        label = (int(age) // 10, spouse, race.get(adult.columns["race"][place], "Other"))
        classes[label].append((occupation, education))
    constant = [
        len(set(column)) == 1 for values in classes.values() if len(values) > 1 for column in zip(*values, strict=True)
    ]
    assert at_printed == sum(constant)


def _first(row: Any) -> bool:
    return (row["size"], row["k"], row["max_suppressed"], row["sample"]) == (400, 2, 0, 1)


@pytest.mark.parametrize(
    ("name", "chosen", "problem"),
    [
        ("p-sensitive", ["pay"], "no column 'pay'"),
        ("p-sensitive", ["race"], "'race' is a key of this experiment"),
        ("p-sensitive", [], "must be a list of different columns"),
        ("p-sensitive", "occupation", "must be a list of different columns"),
        ("p-sensitive", ["occupation", "occupation"], "must be a list of different columns"),
        ("closeness", ["occupation"], "can be chosen for the experiment 'p-sensitive' only, got 'closeness'"),
    ],
)
def test_a_wrong_choice_of_confidential_columns_is_refused(
    name: str, chosen: Any, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("INCROWD_DATA", raising=False)
    with pytest.raises(ic.IncrowdError, match=problem):
        reproduce(name, small=True, confidential=chosen)
