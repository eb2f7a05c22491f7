from __future__ import annotations

from typing import Any

from hypothesis import given, strategies as st

import incrowd as ic
from models.tables import bags, judge

rows = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abcdef")), min_size=1, max_size=40)


@given(rows=rows)
def test_k_is_the_size(rows: list[Any]) -> None:
    sizes = [sum(bag.values()) for bag in bags(rows)[0]]
    result = judge(ic.KAnonymity(3), rows)
    assert result.measured[0].floats.tolist() == sizes
    assert result.ok.tolist() == [size >= 3 for size in sizes]
    assert result.deficit[0].tolist() == [max(3 - size, 0) for size in sizes]


bag = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=12)
