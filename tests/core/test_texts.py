"""Texts of a file become numbers or dates only if nothing is lost."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, strategies as st

from incrowd.core import Domain
from incrowd.core._texts import TypedValues


@pytest.mark.parametrize(
    "text",
    [
        "007",
        "01.50",
        "1_000",
        "+5",
        " 5",
        "5 ",
        "5\n",
        "٣",
        "²",
        "-0",
        "00",
        ".5",
        "5.",
        "1e5",
        "1E+16",
        "0x10",
        "inf",
        "-inf",
        "nan",
        "NaN",
        "1e999",
        "",
        "true",
        "20240501T10",
        "2024-5-1",
        "2024-W01-1",
        "2024-02-30",
        "01.05.2024",
        "2024-05-01T10",
        "2024-05-01 10:00:00.5",
        "2024-05-01 10:00:00+00:00",
        "2024-05-01T10:00:00Z",
        "9" * 5000,
        "0.1000000000000000055511151231257827",
    ],
)
def test_what_would_be_written_differently_stays_text(text: str) -> None:
    kind, values = TypedValues.of_texts([text])
    assert (kind, values.tolist()) == ("text", [text])


@pytest.mark.parametrize(
    ("text", "value"), [("0", 0), ("-12", -12), ("9223372036854775807", 2**63 - 1), ("-9223372036854775808", -(2**63))]
)
def test_integers_are_read(text: str, value: int) -> None:
    kind, values = TypedValues.of_texts([text])
    assert (kind, values.dtype.name, values.tolist()) == ("number", "int64", [value])


def test_integers_beyond_64_bits_that_a_float_would_round_stay_text() -> None:
    assert TypedValues.of_texts(["9223372036854775809"])[0] == "text"


def test_two_integers_that_a_float_would_merge_stay_text() -> None:
    assert TypedValues.of_texts(["18446744073709551616", "18446744073709551617"])[0] == "text"


def test_decimal_numbers_are_read() -> None:
    kind, values = TypedValues.of_texts(["0.1", "-2.5", "3", "4.0", "1e-07"])
    assert (kind, values.tolist()) == ("number", [0.1, -2.5, 3.0, 4.0, 1e-07])


def test_one_code_among_numbers_makes_them_all_text() -> None:
    assert TypedValues.of_texts(["1", "2", "03"])[0] == "text"


@pytest.mark.parametrize("twins", [["2", "2.0"], ["0.0", "-0.0"]])
def test_two_spellings_of_one_number_are_two_texts(twins: list[str]) -> None:
    assert TypedValues.of_texts(twins)[0] == "text"


def test_two_spellings_of_one_moment_are_two_texts() -> None:
    assert TypedValues.of_texts(["2024-05-01 10:00:00", "2024-05-01T10:00:00"])[0] == "text"


def test_dates_are_read() -> None:
    kind, values = TypedValues.of_texts(["2024-05-01", "0001-01-01"])
    assert (kind, values.tolist()) == ("date", [dt.date(2024, 5, 1), dt.date(1, 1, 1)])


def test_timestamps_are_read() -> None:
    kind, values = TypedValues.of_texts(["2024-05-01 10:30:00", "2024-05-01T10:30:00.000001"])
    assert kind == "datetime"
    assert [str(value) for value in values] == ["2024-05-01T10:30:00.000000", "2024-05-01T10:30:00.000001"]


@pytest.mark.parametrize("time", ["10:30", "10:30:00", "10:30:00.000", "10:30:00.000000"])
@pytest.mark.parametrize("sign", [" ", "T"])
def test_timestamps_may_be_written_to_the_minute_or_finer(sign: str, time: str) -> None:
    kind, values = TypedValues.of_texts([f"2024-05-01{sign}{time}"])
    assert (kind, str(values[0])) == ("datetime", "2024-05-01T10:30:00.000000")


def test_dates_among_timestamps_are_midnights() -> None:
    kind, values = TypedValues.of_texts(["2024-05-01", "2024-05-01 10:30:00"])
    assert (kind, [str(value)[:16] for value in values]) == ("datetime", ["2024-05-01T00:00", "2024-05-01T10:30"])


def test_a_date_and_its_midnight_are_two_texts() -> None:
    assert TypedValues.of_texts(["2024-05-01", "2024-05-01 00:00:00", "2024-05-01 10:30:00"])[0] == "text"


@pytest.mark.parametrize("text", ["0.0000001", "10000000000000000000000000"])
def test_numbers_are_read_as_we_write_them(text: str) -> None:
    kind, values = TypedValues.of_texts([text, "2.5"])
    assert (kind, values.tolist()) == ("number", [float(text), 2.5])


def test_no_texts_are_text() -> None:
    kind, values = TypedValues.of_texts([])
    assert (kind, len(values)) == ("text", 0)


@given(st.lists(st.integers(-(2**63), 2**63 - 1), unique=True, min_size=1))
def test_every_machine_integer_is_read_back(numbers: list[int]) -> None:
    kind, values = TypedValues.of_texts([str(number) for number in numbers])
    assert (kind, values.tolist()) == ("number", numbers)


@given(st.lists(st.text(alphabet="0123456789.-+eE_ :T", min_size=1), unique=True, min_size=1, max_size=4))
def test_different_texts_never_become_one_value(texts: list[str]) -> None:
    _, values = TypedValues.of_texts(texts)
    assert len(set(values.tolist())) == len(texts)


def test_numbers_with_equally_many_decimals_are_numbers() -> None:
    kind, values = TypedValues.of_texts(["84.86", "59.30", "-0.50", "100.00"])
    assert (kind, values.tolist()) == ("number", [84.86, 59.3, -0.5, 100.0])


@pytest.mark.parametrize(
    "texts",
    [
        ["1.10", "1.1"],  # two codes
        ["1.50", "2"],
        ["007.50", "1.25"],
        ["1.50", "x.50"],
        ["1,50", "2,25"],
        ["0.00", "-0.00"],
        ["+1.50"],
        ["0.1000000000000000055511151231257827"],
        ["1e5.00"],
    ],
)
def test_decimals_that_differ_in_their_number_stay_text(texts: list[str]) -> None:
    assert TypedValues.of_texts(texts)[0] == "text"


@given(st.lists(st.decimals(-(10**9), 10**9, places=3), min_size=1, unique=True))
def test_fixed_decimals_are_written_back_as_they_were(numbers: list[Decimal]) -> None:
    texts = [format(number, ".3f") for number in numbers if number or not number.is_signed()]
    domain = Domain.of_texts("x", texts, np.ones(len(texts), dtype=np.int64))
    assert sorted(domain.texts) == sorted(texts)
    assert domain.values.tolist() == sorted(map(float, texts)) if texts else True
