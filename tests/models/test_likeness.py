from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, strategies as st

import incrowd as ic
from models import slow
from models.tables import bags, judge

rows = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abcdef")), min_size=1, max_size=40)


@given(rows=rows)
def test_kl_beta_and_delta_follow_their_formulas(rows: list[Any]) -> None:
    classes, whole = bags(rows)
    q = slow.shares(whole)
    assert judge(ic.TCloseness(1, distance="kl"), rows).measured[0].floats == pytest.approx(
        [slow.kl(bag, whole) for bag in classes], abs=1e-12
    )
    gains = [max(share / q[value] - 1 for value, share in slow.shares(bag).items()) for bag in classes]
    beta = judge(ic.BetaLikeness(1), rows)
    assert [beta.measured[0].at(i) for i in range(len(classes))] == gains
    allowed = [
        all(
            share / q[v] - 1 <= 0 or float(share / q[v] - 1) <= min(1, -math.log(q[v])) + 1e-12
            for v, share in slow.shares(bag).items()
        )
        for bag in classes
    ]
    assert judge(ic.BetaLikeness(1, enhanced=True), rows).ok.tolist() == allowed
    changes = [max(abs(math.log(share / q[value])) for value, share in slow.shares(bag).items()) for bag in classes]
    result = judge(ic.DeltaDisclosure(1), rows)
    assert result.measured[0].floats.tolist() == [len(whole) - len(bag) for bag in classes]
    assert result.measured[1].floats == pytest.approx(changes, abs=1e-12)
    assert result.ok.tolist() == [
        set(bag) == set(whole) and change < 1 + 1e-12 for bag, change in zip(classes, changes, strict=True)
    ]


bag = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=12)
