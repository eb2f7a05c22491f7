from __future__ import annotations

import pytest

import incrowd as ic
from experiments.test_reproduce import claims, rows
from incrowd.experiments import (
    Reproduction,
)


def test_table_5_as_printed_is_not_close_and_the_one_of_table_4_is_up_to_1000(found: Reproduction) -> None:
    nearest = {(row["table"], row["n"]): row["smallest_t"] for row in rows(found, "closeness", "nearest")}
    assert nearest["as printed", 1000] == pytest.approx(2 / 9)
    assert nearest["from Table 4", 1000] == 0
    assert nearest["from Table 4", 1001] == pytest.approx(4 / 15)
    assert [claim.holds for claim in found["closeness"].claims[:2]] == [False, True]


def test_the_check_for_many_n_and_t_agrees_with_the_front_door(found: Reproduction) -> None:
    grid = {
        (row["n"], row["t"]): row["holds"] for row in rows(found, "closeness", "check") if row["table"] != "as printed"
    }
    counts = {("476**", "2*"): (300, 300), ("479**", "4*"): (200, 1800), ("476**", "3*"): (200, 200)}
    table = [
        {"zip": code, "age": age, "disease": disease, "count": count}
        for (code, age), both in counts.items()
        for disease, count in zip(("Cancer", "Flu"), both, strict=True)
    ]
    schema = ic.Schema(quasi=["zip", "age"], sensitive=["disease"], count="count")
    for n, t in ((800, 0.1), (1000, 0.0), (1001, 0.1), (1001, 0.3), (2000, 0.25), (3000, 0.3)):
        assert grid[n, t] == ic.check(table, schema, f"nt(n={n}, t={t})[disease, drop]").holds


def test_incomes_are_as_far_from_the_whole_as_published(found: Reproduction) -> None:
    values = [row["value"] for row in rows(found, "closeness", "distances")]
    assert values == ["3/8", "1/6", "2/3", "2/3"]


def test_t_closeness_is_the_promise_with_n_as_large_as_the_table(found: Reproduction) -> None:
    said = "By the definition, t-closeness is the special case in which n is the size of the table."
    assert claims(found, "closeness")[said] == (
        "With n = 1,000 both give the same classes and loss for 2 of 2 values of t.",
        True,
    )
