"""Codes side by side in machine words keep their order and come out again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from incrowd.core import Packing, smallest_unsigned


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
def tables(draw: st.DrawFn) -> tuple[list[int], list[tuple[int, ...]]]:
    cardinalities = draw(st.lists(st.sampled_from([1, 2, 5, 1000, 2**20, 2**40, 2**62]), min_size=1, max_size=12))
    row = st.tuples(*(st.integers(0, cardinality - 1) for cardinality in cardinalities))
    return cardinalities, draw(st.lists(row, min_size=1, max_size=10))


@given(tables())
def test_words_compare_as_their_tuples_do(table: tuple[list[int], list[tuple[int, ...]]]) -> None:
    cardinalities, rows = table
    words = Packing.of(cardinalities).pack([np.array(column) for column in zip(*rows, strict=True)])
    keys = list(zip(*(word.tolist() for word in words), strict=True))
    assert sorted(range(len(rows)), key=keys.__getitem__) == sorted(range(len(rows)), key=rows.__getitem__)


@given(tables())
def test_every_tuple_comes_out_again(table: tuple[list[int], list[tuple[int, ...]]]) -> None:
    cardinalities, rows = table
    packing = Packing.of(cardinalities)
    unpacked = packing.unpack(packing.pack([np.array(column) for column in zip(*rows, strict=True)]))
    assert list(zip(*(codes.tolist() for codes in unpacked), strict=True)) == rows
