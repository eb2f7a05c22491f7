"""Every acceptable node of a lattice with its numbers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from incrowd.search import all_solutions
from search import slow
from search.tables import PROMISES, problem, tables

pytestmark = pytest.mark.filterwarnings("ignore:AlphaAssociation lists")
shares = st.sampled_from([0.0, 0.1, 0.3])


@settings(max_examples=30)
@given(table=tables, promise=st.sampled_from(PROMISES), share=shares)
def test_solutions_lists_every_node_with_its_numbers(table: list[Any], promise: Any, share: float) -> None:
    model, ok = promise
    limit = int(share * len(table))
    found = all_solutions(problem(table, model, limit))
    expected = {node.levels: node for node in slow.acceptable(table, ok, limit)}
    assert [tuple(node.values()) for node in found.acceptable] == sorted(expected)
    nodes = [expected[levels] for levels in sorted(expected)]
    assert found.suppressed.tolist() == [node.suppressed for node in nodes]
    assert found.classes.tolist() == [len(node.kept) for node in nodes]
    for name, measure in slow.MEASURES.items():
        assert found.measures[name] == pytest.approx([measure(node, table) for node in nodes], abs=1e-10)
    assert {tuple(node.values()) for node in found.minimal} == slow.minimal(nodes)
