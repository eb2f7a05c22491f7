"""What two threads count together is what one counts alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.search.lattice import _rollup
from incrowd.search.lattice._acceptance import Acceptance
from incrowd.search.lattice._rollup import Rollup
from incrowd.search.lattice._thread_kernels import NEAR, count_classes
from search import slow
from search.tables import both, distinct, k, problem, tables

NODES = list(slow.nodes())


@pytest.fixture(autouse=True, scope="module")
def shared() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_rollup, "COMPILE_AFTER", -1)
        patch.setattr(_rollup, "SHARE_FROM", 0)
        yield


def room(words: int) -> Any:
    return np.empty(2 << words.bit_length(), dtype=np.int32)


@settings(max_examples=50)
@given(
    cells=st.dictionaries(st.tuples(st.integers(0, 40), st.integers(0, 7)), st.integers(1, 9), max_size=3 * NEAR),
)
def test_classes_are_counted_as_by_a_dict(cells: dict[tuple[int, int], int]) -> None:
    words = np.array([(one << 3) | value for one, value in cells], dtype=np.int64)
    counts = np.array(list(cells.values()), dtype=np.int64)
    found, sizes, values = count_classes(words, counts, 7, room(len(words)))
    expected: Counter[int] = Counter()
    for (one, _), count in cells.items():
        expected[one] += count
    assert dict(zip((found >> 3).tolist(), sizes.tolist(), strict=True)) == expected
    assert dict(zip((found >> 3).tolist(), values.tolist(), strict=True)) == Counter(one for one, _ in cells)


@pytest.mark.parametrize("rows", [1, NEAR - 1, NEAR, NEAR + 1, 5000])
def test_words_are_counted_whatever_their_number(rows: int) -> None:
    words = np.random.default_rng(rows).permutation(1 << 16)[:rows].astype(np.int64) << 40
    found, sizes, values = count_classes(words, np.arange(rows), 0, room(rows))
    order = np.argsort(found)
    assert found[order].tolist() == sorted(words.tolist())
    assert sizes[order].tolist() == np.argsort(words).tolist()
    assert (values == 1).all()


@settings(max_examples=20)
@given(
    table=st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 30), st.integers(0, 9)), min_size=1, max_size=60),
    levels=st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 1)),
)
def test_cells_are_rolled_up_as_by_one_thread(table: list[Any], levels: tuple[int, ...]) -> None:
    roles = ic.Schema(quasi={"a": ic.intervals(10, 100), "b": ic.intervals(5), "c": ic.flat()}, sensitive=["s"])
    census = ic.census([{"a": a, "b": b, "c": c % 4, "s": c} for a, b, c in table], roles)
    target = [min(one, census.ladders[name].height) for one, name in zip(levels, census.quasi, strict=True)]
    halves = Rollup(census, ["s"]).to(target)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_rollup, "SHARE_FROM", 2**62)
        alone = Rollup(census, ["s"]).to(target)
    cells = dict(zip(halves.words[0].tolist(), halves.counts.tolist(), strict=True))
    assert len(cells) == len(halves)
    assert cells == dict(zip(alone.words[0].tolist(), alone.counts.tolist(), strict=True))


@settings(max_examples=20)
@given(table=tables, limit=st.sampled_from([0, 3]))
def test_a_node_is_judged_as_by_the_slow_way(table: list[Any], limit: int) -> None:
    acceptance = Acceptance(problem(table, ic.KAnonymity(3) & ic.LDiversity(2), limit))
    for levels in NODES:
        tested = acceptance.test(acceptance.rollup.to(levels))
        expected = slow.visit(table, levels, both(k(3), distinct(2)))
        assert tested.suppressed == expected.suppressed
        assert tested.acceptable == (expected.suppressed <= limit)
        assert tested.classes == len(expected.kept)
        assert sorted(tested.sizes[tested.ok].tolist()) == sorted(map(len, expected.kept))


def test_promises_about_more_than_numbers_of_values_are_left_to_their_judges() -> None:
    rows = [{"age": "20", "sex": "f", "town": "ulm", "disease": one} for one in "aab"]
    for model in (ic.LDiversity(1.9, kind="entropy"), ic.TCloseness(0.1), ic.KAnonymity(2) & ic.BetaLikeness(1)):
        tested = Acceptance(problem(rows, model)).test(Acceptance(problem(rows, model)).rollup.start)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_rollup, "SHARE_FROM", 2**62)
            alone = Acceptance(problem(rows, model))
            assert tested.suppressed == alone.test(alone.rollup.start).suppressed
