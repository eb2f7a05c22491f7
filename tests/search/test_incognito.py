"""Incognito finds every acceptable node, and the minimal ones among them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from incrowd.search import Incognito
from search import slow
from search.tables import PROMISES, problem, tables

pytestmark = pytest.mark.filterwarnings("ignore:AlphaAssociation lists")
shares = st.sampled_from([0.0, 0.1, 0.3])


def as_set(rows: Any) -> set[tuple[int, ...]]:
    return {tuple(row) for row in rows.tolist()}


@settings(max_examples=20)
@given(table=tables, promise=st.sampled_from(PROMISES), share=shares)
def test_incognito_finds_all_acceptable_and_all_minimal_nodes(table: list[Any], promise: Any, share: float) -> None:
    model, ok = promise
    limit = int(share * len(table))
    outcome = Incognito().search(problem(table, model, limit))
    expected = slow.acceptable(table, ok, limit)
    assert as_set(outcome.acceptable) == {node.levels for node in expected}
    assert as_set(outcome.minimal) == slow.minimal(expected)
