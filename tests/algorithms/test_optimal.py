from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms import slow
from algorithms.tables import PROMISES, problem, tables
from incrowd.algorithms import Optimal, _boxes, _rollup

pytestmark = pytest.mark.filterwarnings("ignore:AlphaAssociation lists")


def agrees(table: list[Any], model: Any, ok: slow.Ok, limit: int, measure: str) -> None:
    """The search finds what looking at every node finds."""
    outcome = Optimal(measure).search(problem(table, model, limit))
    expected = slow.best(table, ok, limit, measure)
    if expected is None:
        assert outcome.best is None
        return
    assert outcome.best is not None
    assert outcome.best.score == pytest.approx(expected[0], abs=1e-10)
    assert tuple(outcome.best.levels.values()) == expected[1]
    node = slow.visit(table, expected[1], ok)
    assert (outcome.best.suppressed, outcome.best.classes) == (node.suppressed, len(node.kept))
    assert (outcome.proof, outcome.gap) == ("optimal", 0.0)


@settings(max_examples=60)
@given(
    table=tables,
    promise=st.sampled_from(PROMISES),
    share=st.sampled_from([0.0, 0.1, 0.3, 1.0]),
    measure=st.sampled_from(sorted(slow.MEASURES)),
)
def test_equals_exhaustive_search(table: list[Any], promise: Any, share: float, measure: str) -> None:
    model, ok = promise
    agrees(table, model, ok, int(share * len(table)), measure)


@settings(max_examples=20)
@given(table=tables, promise=st.sampled_from(PROMISES), share=st.sampled_from([0.0, 0.2]))
def test_boxes_and_compiled_loops_change_nothing(table: list[Any], promise: Any, share: float) -> None:
    model, ok = promise
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_boxes, "BOX", 4)
        patch.setattr(_boxes, "COARSE", 1)
        patch.setattr(_rollup, "COMPILE_AFTER", -1)
        agrees(table, model, ok, int(share * len(table)), "loss")
