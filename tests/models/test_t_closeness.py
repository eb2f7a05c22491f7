from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import strategies as st

import incrowd as ic
from models.tables import counted, judge

rows = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abcdef")), min_size=1, max_size=40)


def test_missing_values_do_not_shrink_a_taxonomy() -> None:
    named, starred = (ic.tree({top: {"x": ["a", "b"], "y": ["c", "d"]}}) for top in ("Any", "*"))
    rows = [*counted({"a": 5, "b": 5}, {"c": 5, "d": 5}), (0, None)]
    model = ic.TCloseness(0.4, distance="hierarchical")
    assert judge(model, rows, starred).ok.tolist() == [False, False]
    with pytest.raises(ic.SchemaError, match="missing values, which have no place in its taxonomy"):
        judge(model, rows, named)


def test_billions_of_records_do_not_overflow() -> None:
    table = [{"q": q, "s": s, "n": n} for q, s, n in ((1, "a", 10**10), (1, "b", 1), (2, "a", 1), (2, "b", 10**10))]
    schema = ic.Schema(quasi=["q"], sensitive=["s"], count="n")
    verdict = ic.check(table, schema, "t<=0.1, beta<=0.5")
    assert [float(finding.measured[0]) for finding in verdict.findings] == pytest.approx([0.5, 1.0], abs=1e-6)


def test_an_order_may_name_values_that_the_table_lacks() -> None:
    rows = counted({"a": 9, "c": 1}, {"a": 1, "c": 9})
    for order in (["a", "b", "c"], ["b", "a", "c"], ["a", "c"]):
        measured = judge(ic.TCloseness(1, distance="ordered"), rows, ic.ordered(order)).measured[0]
        assert [measured.at(0), measured.at(1)] == [Fraction(2, 5), Fraction(2, 5)]


def test_a_column_with_missing_values_has_no_order() -> None:
    with pytest.raises(ic.SchemaError, match="'s' has missing values, which have no place in an order"):
        judge(ic.TCloseness(0.1, distance="ordered"), [(1, 1), (1, None)])
