from __future__ import annotations

from fractions import Fraction

import pyarrow as pa
import pyarrow.csv
from hypothesis import given, strategies as st

import incrowd as ic
from incrowd.evidence import ColumnProfile


def test_a_profile_counts_values_missing_ones_and_those_that_occur_once() -> None:
    table = [{"age": 31, "sex": "f"}, {"age": 31, "sex": "m"}, {"age": 52, "sex": None}, {"age": None, "sex": "f"}]
    found = ic.profile(table)
    assert found.records == 4
    assert found.columns == (
        ColumnProfile("age", "number", records=4, missing=1, distinct=2, alone=1),
        ColumnProfile("sex", "text", records=4, missing=1, distinct=2, alone=1),
    )
    assert (found["age"].share_alone, found["age"].share_missing) == (Fraction(1, 3), Fraction(1, 4))


def test_a_column_that_cannot_be_grouped_says_so() -> None:
    table = pa.table({"tags": [{"a": 1}, {"a": 2}], "age": [30, 31]})
    assert ic.profile(table)["tags"] == ColumnProfile("tags", None, records=2)
    found = ic.suggest(table, roles={"age": "quasi"}).columns[0]
    assert (found.role, found.sure, found.reason) == ("drop", False, "values that cannot be grouped")


def test_a_profile_shows_no_values() -> None:
    assert "canary" not in repr(ic.profile([{"name": "canary"}]))
    assert "canary" not in repr(ic.suggest([{"job": "canary"}]))


def test_other_texts_can_count_as_missing() -> None:
    assert ic.profile([{"a": "NA"}, {"a": ""}, {"a": "x"}], missing_values=["", "NA"])["a"].missing == 2


@given(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=1))
def test_a_profile_agrees_with_counting_by_hand(values: list[str | None]) -> None:
    there = [value for value in values if value is not None]
    found = ic.profile([{"x": value} for value in values])["x"]
    assert (found.missing, found.distinct) == (len(values) - len(there), len(set(there)))
    assert found.alone == sum(there.count(value) == 1 for value in set(there))
