"""Samarati finds the least height at which the promise is kept."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from incrowd.search import Samarati
from search import slow
from search.tables import PROMISES, problem, tables

pytestmark = pytest.mark.filterwarnings("ignore:AlphaAssociation lists")
shares = st.sampled_from([0.0, 0.1, 0.3])


def as_set(rows: Any) -> set[tuple[int, ...]]:
    return {tuple(row) for row in rows.tolist()}


@settings(max_examples=20)
@given(table=tables, promise=st.sampled_from(PROMISES), share=shares, conditions=st.booleans())
def test_samarati_finds_the_least_height(table: list[Any], promise: Any, share: float, conditions: bool) -> None:
    model, ok = promise
    limit = int(share * len(table))
    expected = slow.acceptable(table, ok, limit)
    one, height, minimal = (
        Samarati(every, conditions=conditions).search(problem(table, model, limit))
        for every in ("one", "height", "minimal")
    )
    if not expected:
        assert (one.best, height.best, minimal.best) == (None, None, None)
        return
    least = min(node.height for node in expected)
    assert one.best is not None
    assert one.best.height == least
    assert as_set(height.minimal) == {node.levels for node in expected if node.height == least}
    assert as_set(minimal.minimal) == slow.minimal(expected)
