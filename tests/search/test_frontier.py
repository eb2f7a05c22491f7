"""The best node for every strength of a promise, against a slow search."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.models import promise as read
from incrowd.search import find_frontier, growing_promise
from search import slow
from search.tables import PROMISES, both, distinct, k, problem, tables

pytestmark = pytest.mark.filterwarnings("ignore:AlphaAssociation lists")
shares = st.sampled_from([0.0, 0.1, 0.3])


@settings(max_examples=30)
@given(table=tables, share=shares, measure=st.sampled_from(sorted(slow.MEASURES)))
def test_the_frontier_is_the_best_node_for_every_k(table: list[Any], share: float, measure: str) -> None:
    limit = int(share * len(table))
    values = range(1, len(table) + 2)
    frontier = find_frontier(problem(table, ic.KAnonymity(1), limit), "k", values, measure)
    for value, node in zip(values, frontier.nodes, strict=True):
        expected = slow.best(table, k(value), limit, measure)
        if expected is None:
            assert node is None
        else:
            assert node is not None
            assert node.score == pytest.approx(expected[0], abs=1e-10)
            assert tuple(node.levels.values()) == expected[1]


@settings(max_examples=20)
@given(table=tables, share=shares)
def test_the_frontier_of_l(table: list[Any], share: float) -> None:
    limit = int(share * len(table))
    frontier = find_frontier(problem(table, ic.LDiversity(1), limit), "l", range(1, 5), "loss")
    for value, node in zip(range(1, 5), frontier.nodes, strict=True):
        expected = slow.best(table, distinct(value), limit, "loss")
        assert (node and tuple(node.levels.values())) == (expected and expected[1])
        assert np.isfinite(node.score) if node else True


@settings(max_examples=20)
@given(table=tables, promise=st.sampled_from(PROMISES), share=shares, mask=st.booleans())
def test_every_node_of_a_frontier_keeps_the_other_promises(
    table: list[Any], promise: Any, share: float, mask: bool
) -> None:
    model, ok = promise
    limit = int(share * len(table))
    values = range(1, len(table) + 2)
    asked = problem(table, ic.KAnonymity(1), limit, suppression="mask" if mask else "drop")
    asked = replace(asked, model=growing_promise(asked.model, model, asked.schema))
    others = [part for part in model.parts if not isinstance(part, ic.KAnonymity)]
    frontier = find_frontier(asked, "k", values, "loss")
    assert frontier.beside == ", ".join(map(str, others))
    beside = ok if others else lambda *_: True
    smallest = max([part.k for part in model.parts if isinstance(part, ic.KAnonymity)], default=1)
    for value, node in zip(values, frontier.nodes, strict=True):
        if value >= smallest:  # a slow twin knows its own k too
            expected = slow.best(table, both(k(value), beside), limit, "loss", mask=mask)
            assert (node and tuple(node.levels.values())) == (expected and expected[1])


def test_what_grows_takes_the_place_of_what_the_promise_says_about_it() -> None:
    roles = ic.Schema(quasi=["q"], sensitive=["a", "b"])
    promised = read("k>=5, l>=2[a, b], l>=2[a+b], entropy-l>=2[a], p>=2[a]")
    assert (
        str(growing_promise(ic.KAnonymity(1), promised, roles))
        == "k>=1, l>=2[a, b], l>=2[a+b], entropy-l>=2[a], p>=2[a]"
    )
    by_l = growing_promise(ic.LDiversity(1, of="a"), promised, roles)
    assert str(by_l) == "l>=1[a], k>=5, l>=2[b], l>=2[a+b], entropy-l>=2[a], p>=2[a]"
    assert str(growing_promise(ic.PSensitive(1, of="a"), read("p>=2[a]"), roles)) == "p>=1[a]"
    assert growing_promise(ic.KAnonymity(1), None, roles) == ic.KAnonymity(1)
