"""One line of records, parted in two ways."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given, strategies as st

from incrowd.core import overlay


def test_a_line_is_cut_where_a_part_of_either_way_ends() -> None:
    one, other, counts = overlay(np.array([3, 2]), np.array([1, 4]))
    assert (one.tolist(), other.tolist(), counts.tolist()) == ([0, 0, 1], [0, 1, 1], [1, 2, 2])


def test_an_empty_line_has_no_pieces() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    assert [part.tolist() for part in overlay(nothing, nothing)] == [[], [], []]


@given(st.lists(st.integers(1, 4), min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_every_record_is_in_its_part_of_both_ways(counts: list[int], chance: random.Random) -> None:
    total = sum(counts)
    cuts = sorted(chance.sample(range(1, total), chance.randint(0, total - 1))) if total > 1 else []
    others = np.diff([0, *cuts, total])
    one, other, pieces = overlay(np.array(counts, dtype=np.uint8), others)
    assert np.repeat(one, pieces).tolist() == np.repeat(np.arange(len(counts)), counts).tolist()
    assert np.repeat(other, pieces).tolist() == np.repeat(np.arange(len(others)), others).tolist()
