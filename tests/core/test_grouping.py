"""Rows with equal tuples are grouped in the order of the tuples, whichever way is taken."""

from __future__ import annotations

import random
import sys
from collections import Counter

import numba
import numpy as np
import pytest
from hypothesis import given, strategies as st

from incrowd.core import Grouping, Packing, _grouping, add_up, group, overlay, smallest_unsigned, tally

Rows = list[tuple[int, ...]]


def group_rows(rows: Rows, cardinalities: list[int]) -> Grouping:
    return group([np.array([row[n] for row in rows], dtype=np.int64) for n in range(len(cardinalities))], cardinalities)


def check_against_a_dict(grouping: Grouping, rows: Rows) -> None:
    tally = Counter(rows)
    tuples = sorted(tally)
    assert [rows[row] for row in grouping.first.tolist()] == tuples
    assert [tuples[number] for number in grouping.ids.tolist()] == rows
    assert grouping.sizes().tolist() == [tally[key] for key in tuples]
    weights = np.arange(len(rows), dtype=np.int64)
    sums = {key: sum(n for n, row in enumerate(rows) if row == key) for key in tuples}
    assert grouping.sums(weights).tolist() == list(sums.values())


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[int], Rows]:
    cardinalities = draw(st.lists(st.sampled_from([1, 2, 3, 1000, 2**40]), min_size=1, max_size=8))
    codes = [st.sampled_from(sorted({0, cardinality // 2, cardinality - 1})) for cardinality in cardinalities]
    return cardinalities, draw(st.lists(st.tuples(*codes), max_size=30))


def test_groups_are_numbered_by_their_tuples() -> None:
    grouping = group_rows([(1, 0), (0, 2), (1, 0), (0, 1)], [2, 3])
    assert grouping.ids.tolist() == [2, 1, 2, 0]
    assert grouping.first.tolist()[:2] == [3, 1]
    assert len(grouping) == 3


@given(tables())
def test_grouping_equals_a_dict_over_tuples(table: tuple[list[int], Rows]) -> None:
    cardinalities, rows = table
    check_against_a_dict(group_rows(rows, cardinalities), rows)


@given(tables())
def test_sorted_rows_are_grouped_alike(table: tuple[list[int], Rows]) -> None:
    cardinalities, rows = table
    check_against_a_dict(group_rows(sorted(rows), cardinalities), sorted(rows))


@given(tables())
def test_the_compiled_way_equals_a_dict_over_tuples(table: tuple[list[int], Rows]) -> None:
    cardinalities, rows = table
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_grouping, "HASH_FROM", 0)
        check_against_a_dict(group_rows(rows, cardinalities), rows)


@pytest.mark.parametrize("rows", [1, 1_000, 200_000])
def test_the_compiled_way_equals_the_sorting_way(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    word = np.random.default_rng(rows).integers(0, 2**63 - 1, rows // 2 + 1)[np.arange(rows)[::-1] // 2]
    plain = _grouping._group_word(word)
    monkeypatch.setattr(_grouping, "HASH_FROM", 0)
    compiled = _grouping._group_word(word)
    assert compiled.ids.tolist() == plain.ids.tolist()
    assert compiled.ids.dtype == plain.ids.dtype
    assert word[compiled.first].tolist() == word[plain.first].tolist()


def test_rows_of_400_bits_are_grouped() -> None:
    rows = [tuple((row * 7 + column) % 1000 for column in range(40)) for row in (3, 1, 2, 1, 3, 3)]
    check_against_a_dict(group_rows(rows, [1000] * 40), rows)


def test_rows_that_differ_only_in_the_last_of_many_words_are_apart() -> None:
    rows = [(*[999] * 39, last) for last in (5, 4, 5)]
    assert group_rows(rows, [1000] * 40).ids.tolist() == [1, 0, 1]


def test_no_rows_make_no_groups() -> None:
    grouping = group_rows([], [3, 4])
    assert (len(grouping), grouping.ids.tolist(), grouping.sizes().tolist()) == (0, [], [])
    assert grouping.sums(np.array([], dtype=np.int64)).tolist() == []


def test_one_row_makes_one_group() -> None:
    grouping = group_rows([(2, 3)], [3, 4])
    assert (grouping.ids.tolist(), grouping.first.tolist()) == ([0], [0])


def test_group_numbers_take_the_smallest_type_that_fits() -> None:
    codes = np.arange(300)[::-1]
    assert group([codes], [300]).ids.dtype == np.uint16
    assert group([codes // 2], [150]).ids.dtype == np.uint8


@pytest.mark.parametrize("kind", ["int64", "uint64"])
def test_sums_beyond_what_a_float_adds_exactly_are_exact(kind: str) -> None:
    grouping = group_rows([(0,), (1,), (0,)], [2])
    assert grouping.sums(np.array([2**53, 5, 1], dtype=kind)).tolist() == [2**53 + 1, 5]


def test_sums_just_below_that_are_exact() -> None:
    grouping = group_rows([(0,), (0,)], [1])
    assert grouping.sums(np.array([2**51 + 1, 2**51 + 2], dtype=np.uint64)).tolist() == [2**52 + 3]


def test_small_counts_do_not_overflow_their_type() -> None:
    assert group_rows([(0,)] * 3, [1]).sums(np.array([200, 200, 200], dtype=np.uint8)).tolist() == [600]


@pytest.mark.parametrize("largest", [1, 7, 250, 40_000, 2**40])
def test_counts_are_added_up_exactly_whatever_their_size(monkeypatch: pytest.MonkeyPatch, largest: int) -> None:
    generator = np.random.default_rng(2)
    ids = generator.integers(0, 6, 900).astype(np.uint8)
    counts = generator.integers(1, largest + 1, 900).astype(np.min_scalar_type(largest))
    expected = [
        sum(count for one, count in zip(ids.tolist(), counts.tolist(), strict=True) if one == group)
        for group in range(7)
    ]
    assert add_up(ids, counts, 7).tolist() == expected
    monkeypatch.setattr(_grouping, "ADD_FROM", 900)
    monkeypatch.setattr(_grouping, "ADD_AT_ONCE", 100)
    monkeypatch.setitem(sys.modules, "numba", numba)
    assert add_up(ids, counts, 7).tolist() == expected


def test_numba_is_not_loaded_to_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_grouping, "ADD_FROM", 1)
    monkeypatch.setattr(_grouping, "_add_up_many", None)
    monkeypatch.delitem(sys.modules, "numba")
    assert add_up(np.array([1, 0, 1]), np.array([3, 4, 5]), 2).tolist() == [4, 8]


def test_words_are_tallied_in_order_short_or_long() -> None:
    short = np.array([7, 2**32 - 1, 7, 0], dtype=np.int64)
    (words,), counts = tally([short])
    assert (words.tolist(), counts.tolist(), words.dtype) == ([0, 7, 2**32 - 1], [1, 2, 1], np.dtype(np.int64))
    (words,), counts = tally([short + 2**32])
    assert (words.tolist(), counts.tolist()) == ([2**32, 2**32 + 7, 2**33 - 1], [1, 2, 1])
    (words,), counts = tally([short[:0]])
    assert (words.tolist(), counts.tolist()) == ([], [])


@given(words=st.lists(st.sampled_from([0, 1, 5, 2**31, 2**32, 2**60]) | st.integers(0, 2**62), min_size=1))
def test_words_that_two_threads_sort_are_tallied_alike(words: list[int]) -> None:
    expected = sorted(Counter(words).items())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_grouping, "SPLIT_FROM", 1)
        (found,), counts = tally([np.array(words, dtype=np.int64)])
    assert list(zip(found.tolist(), counts.tolist(), strict=True)) == expected


@given(st.lists(st.integers(0, 40), min_size=1), st.sampled_from([0, 1, 4]))
def test_words_are_counted_alike_by_sorting_and_in_a_table(words: list[int], dense: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_grouping, "DENSE", dense)
        (found,), counts = tally([np.array(words, dtype=np.int64)])
    assert dict(zip(found.tolist(), counts.tolist(), strict=True)) == Counter(words)
    assert found.tolist() == sorted({*words})
    assert [found.dtype, counts.dtype] == [np.dtype(np.int64)] * 2


@given(
    st.lists(st.tuples(st.integers(0, 6) | st.integers(0, 2**62), st.integers(0, 2), st.integers(0, 2)), min_size=1),
    st.sampled_from([0, 1, 4]),
    st.booleans(),
)
def test_tuples_are_ordered_alike_by_their_first_word_and_by_all(
    rows: list[tuple[int, int, int]], few: int, counted: bool
) -> None:
    counts = np.arange(1, len(rows) + 1) if counted else None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_grouping, "ORDER_FROM", 0)
        patch.setattr(_grouping, "FEW_TIES", few)
        words, found = tally([np.array(word, dtype=np.int64) for word in zip(*rows, strict=True)], counts)
    expected: Counter[tuple[int, ...]] = Counter()
    for place, row in enumerate(rows, 1):
        expected[row] += place if counted else 1
    assert list(zip(zip(*(word.tolist() for word in words), strict=True), found.tolist(), strict=True)) == sorted(
        expected.items()
    )


# One line of records, parted in two ways.


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


# Codes side by side in machine words keep their order and come out again.


@pytest.mark.parametrize(
    ("cardinality", "name"),
    [(0, "uint8"), (1, "uint8"), (256, "uint8"), (257, "uint16"), (65_537, "uint32"), (2**32 + 1, "uint64")],
)
def test_the_smallest_type_holds_the_codes(cardinality: int, name: str) -> None:
    assert smallest_unsigned(cardinality).name == name


def test_the_first_column_takes_the_highest_bits() -> None:
    words = Packing.of([4, 3]).pack([np.array([1, 3]), np.array([2, 0])])
    assert [word.tolist() for word in words] == [[0b0110, 0b1100]]


def test_columns_of_no_or_one_code_take_no_bits() -> None:
    packing = Packing.of([0, 1, 2, 1])
    assert [field.bits for field in packing.fields] == [0, 0, 1, 0]
    columns = [np.array([0, 0]), np.array([0, 0]), np.array([1, 0]), np.array([0, 0])]
    assert [codes.tolist() for codes in packing.unpack(packing.pack(columns))] == [[0, 0], [0, 0], [1, 0], [0, 0]]


def test_a_word_holds_63_bits_and_no_more() -> None:
    assert Packing.of([2**62, 2]).words == 1
    assert Packing.of([2**62, 3]).words == 2


def test_a_full_word_is_not_negative() -> None:
    packing = Packing.of([1, 2**31, 2**32])
    words = packing.pack([np.array([0]), np.array([2**31 - 1]), np.array([2**32 - 1])])
    assert words[0].tolist() == [2**63 - 1]
    assert [codes.tolist() for codes in packing.unpack(words)] == [[0], [2**31 - 1], [2**32 - 1]]


def test_forty_columns_of_a_thousand_values_come_out_again() -> None:
    columns = [np.arange(number, 1000 + number) % 1000 for number in range(40)]
    packing = Packing.of([1000] * 40)
    assert packing.words == 7  # six columns of ten bits each
    for packed, column in zip(packing.unpack(packing.pack(columns)), columns, strict=True):
        assert packed.dtype == np.uint16
        assert packed.tolist() == column.tolist()


def test_no_columns_pack_to_nothing() -> None:
    packing = Packing.of([])
    assert (packing.words, [word.tolist() for word in packing.pack([])], packing.unpack([])) == (1, [[]], ())


def test_a_column_more_than_agreed_is_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        Packing.of([2]).pack([np.array([0]), np.array([0])])


@st.composite
def packed_tables(draw: st.DrawFn) -> tuple[list[int], list[tuple[int, ...]]]:
    cardinalities = draw(st.lists(st.sampled_from([1, 2, 5, 1000, 2**20, 2**40, 2**62]), min_size=1, max_size=12))
    row = st.tuples(*(st.integers(0, cardinality - 1) for cardinality in cardinalities))
    return cardinalities, draw(st.lists(row, min_size=1, max_size=10))


@given(packed_tables())
def test_words_compare_as_their_tuples_do(table: tuple[list[int], list[tuple[int, ...]]]) -> None:
    cardinalities, rows = table
    words = Packing.of(cardinalities).pack([np.array(column) for column in zip(*rows, strict=True)])
    keys = list(zip(*(word.tolist() for word in words), strict=True))
    assert sorted(range(len(rows)), key=keys.__getitem__) == sorted(range(len(rows)), key=rows.__getitem__)


@given(packed_tables())
def test_every_tuple_comes_out_again(table: tuple[list[int], list[tuple[int, ...]]]) -> None:
    cardinalities, rows = table
    packing = Packing.of(cardinalities)
    unpacked = packing.unpack(packing.pack([np.array(column) for column in zip(*rows, strict=True)]))
    assert list(zip(*(codes.tolist() for codes in unpacked), strict=True)) == rows


@given(packed_tables())
def test_rows_are_put_into_the_order_of_their_tuples(table: tuple[list[int], list[tuple[int, ...]]]) -> None:
    cardinalities, rows = table
    columns = [np.array([row[place] for row in rows], dtype=np.int64) for place in range(len(cardinalities))]
    ordered = Packing.of(cardinalities).in_order(columns)
    assert list(zip(*(column.tolist() for column in ordered), strict=True)) == sorted(rows)
