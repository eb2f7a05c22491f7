"""The distinct values of a column, in one form and one order for all engines."""

from __future__ import annotations

import datetime as dt
import itertools
from decimal import Decimal
from enum import Enum, IntEnum
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from incrowd.core import DataError, Domain, Kind, kind_of

NAN = float("nan")


def texts(values: list[Any]) -> list[str | None]:
    found: list[str | None] = Domain.of("x", values).texts.tolist()
    return found


def ones(count: int) -> np.ndarray[Any, Any]:
    return np.ones(count, dtype=np.int64)


def test_numbers_stand_by_value_and_not_by_text() -> None:
    assert texts([10, 9, -1]) == ["-1", "9", "10"]


def test_text_stands_by_code_point() -> None:
    assert texts(["b", "é", "a", "B", "10", "9"]) == ["10", "9", "B", "a", "b", "é"]


def test_dates_stand_by_value() -> None:
    assert texts([dt.date(2024, 1, 2), dt.date(999, 12, 31)]) == ["0999-12-31", "2024-01-02"]


def test_booleans_are_false_then_true() -> None:
    domain = Domain.of("x", [True, False, True])
    assert (domain.kind, domain.texts.tolist(), domain.counts.tolist()) == ("boolean", ["false", "true"], [1, 2])


def test_null_comes_last_and_is_counted() -> None:
    domain = Domain.of("x", [None, "a", None])
    assert domain.has_null
    assert (len(domain), domain.texts.tolist(), domain.counts.tolist()) == (2, ["a", None], [1, 2])


def test_a_column_without_gaps_has_no_null() -> None:
    assert not Domain.of("x", [1, 2]).has_null


@pytest.mark.parametrize("missing", [NAN, Decimal("NaN"), None, np.datetime64("NaT")])
def test_what_is_not_a_number_is_null(missing: object) -> None:
    assert texts([1, missing]) == ["1", None]


def test_whole_floats_are_integers() -> None:
    domain = Domain.of("x", [2.0, 1.0, 2])
    assert domain.values.dtype == np.int64
    assert (domain.texts.tolist(), domain.counts.tolist()) == (["1", "2"], [1, 2])


def test_a_whole_number_is_written_as_such_beside_a_fraction_too() -> None:
    assert texts([2.0, 1.5]) == ["1.5", "2"]


def test_floats_beyond_their_exact_integers_stay_floats() -> None:
    assert Domain.of("x", [2.0**53 + 2]).values.dtype == np.float64
    assert Domain.of("x", [2.0**53]).values.dtype == np.int64


def test_numbers_are_written_without_an_exponent() -> None:
    assert texts([1e-7, 1.5e16, -2.5e-5]) == ["-0.000025", "0.0000001", "15000000000000000"]


def test_infinity_stays_a_float_in_its_place() -> None:
    assert texts([float("inf"), 1.0, float("-inf")]) == ["-inf", "1", "inf"]


@pytest.mark.parametrize("zeros", [[-0.0, 0.5], [0.0, 0.5], [0.5, -0.0, 0.0]])
def test_minus_zero_is_zero(zeros: list[float]) -> None:
    assert texts(zeros) == ["0", "0.5"]


def test_zeros_of_either_sign_from_an_engine_become_one_value() -> None:
    domain = Domain.build("x", "number", np.array([0.0, 0.5, -0.0]), np.array([1, 2, 4]))
    assert (domain.values.tolist(), domain.counts.tolist()) == ([0.0, 0.5], [5, 2])


def test_a_column_of_nothing_but_gaps_is_not_one_of_decimal_numbers() -> None:
    domain = Domain.build("x", "number", np.array([], dtype=np.float64), np.array([]), nulls=3)
    assert domain.values.dtype == np.int64


def test_whole_decimals_are_integers() -> None:
    assert Domain.of("x", [Decimal("2.00"), Decimal(10), 2]) == Domain.of("x", [2, 2, 10])


def test_decimals_keep_their_exact_value() -> None:
    assert texts([Decimal("0.30"), Decimal("0.10000000000000000001")]) == ["0.10000000000000000001", "0.3"]


@pytest.mark.parametrize("rows", list(itertools.permutations([Decimal("1.5"), Decimal("1.50"), Decimal(2)])))
def test_the_order_of_rows_does_not_decide_how_decimals_are_written(rows: tuple[Decimal, ...]) -> None:
    assert texts(list(rows)) == ["1.5", "2"]


def test_minus_zero_of_decimals_is_zero() -> None:
    assert texts([Decimal("-0.0"), Decimal("0.5")]) == ["0", "0.5"]


def test_decimals_may_be_infinite() -> None:
    assert texts([Decimal("Infinity"), Decimal("0.1"), float("-inf")]) == ["-inf", "0.1", "inf"]


def test_integers_among_decimals_stay_integers() -> None:
    assert texts([1, Decimal("1.5"), 2**64]) == ["1", "1.5", "18446744073709551616"]


def test_integers_beyond_64_bits_keep_every_digit() -> None:
    assert texts([2**63, 2**63 - 1, -(2**63) - 1]) == [
        "-9223372036854775809",
        "9223372036854775807",
        "9223372036854775808",
    ]


def test_integers_of_64_bits_are_machine_integers() -> None:
    assert Domain.of("x", [2**63 - 1, -(2**63)]).values.dtype == np.int64


def test_midnight_timestamps_are_dates() -> None:
    domain = Domain.of("x", [dt.datetime(2024, 5, 1), dt.datetime(2023, 5, 1)])  # noqa: DTZ001
    assert (domain.kind, domain.texts.tolist()) == ("date", ["2023-05-01", "2024-05-01"])


def test_a_midnight_is_written_as_its_date_beside_other_hours_too() -> None:
    domain = Domain.of("x", [dt.datetime(2024, 5, 1), dt.datetime(2024, 5, 1, 8, 30)])  # noqa: DTZ001
    assert (domain.kind, domain.texts.tolist()) == ("datetime", ["2024-05-01", "2024-05-01 08:30:00"])


def test_an_hour_that_occurs_twice_is_two_instants() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    hours = [dt.datetime(2024, 10, 27, 2, 30, tzinfo=berlin, fold=fold) for fold in (0, 1, 1)]
    domain = Domain.of("x", hours)
    assert domain.texts.tolist() == ["2024-10-27 00:30:00+00:00", "2024-10-27 01:30:00+00:00"]
    assert domain.counts.tolist() == [1, 2]


def test_nanoseconds_are_refused_and_not_cut_off() -> None:
    with pytest.raises(DataError, match=r"^Column 'x' holds timestamps that differ by nanoseconds\. Hint: round"):
        Domain.of("x", [pd.Timestamp("2024-05-01 08:30:00.000000001")])


def test_no_timestamps_stay_timestamps() -> None:
    assert Domain.build("x", "datetime", np.array([], dtype="datetime64[us]"), np.array([])).kind == "datetime"


@pytest.mark.parametrize("odd", ["0000-12-31", "10000-01-01", "294247-01-10"])
@pytest.mark.parametrize(("kind", "unit"), [("date", "D"), ("datetime", "us"), ("instant", "us")])
def test_dates_that_no_calendar_can_write_are_refused(kind: Kind, unit: str, odd: str) -> None:
    values = np.array(["2024-05-01", odd], dtype=f"datetime64[{unit}]")
    with pytest.raises(DataError, match=r"^Column 'x' holds dates before the year 1 or after the year 9999"):
        Domain.build("x", kind, values, ones(2))


def test_the_first_and_the_last_day_of_the_calendar_are_welcome() -> None:
    assert texts([dt.date.max, dt.date.min]) == ["0001-01-01", "9999-12-31"]


def test_one_instant_in_two_zones_is_one_value() -> None:
    berlin = dt.datetime(2024, 7, 1, 2, tzinfo=dt.timezone(dt.timedelta(hours=2)))
    domain = Domain.of("x", [berlin, dt.datetime(2024, 7, 1, tzinfo=dt.UTC)])
    assert (domain.kind, domain.counts.tolist()) == ("instant", [2])
    assert domain.texts.tolist() == ["2024-07-01 00:00:00+00:00"]


def test_no_values_are_text() -> None:
    domain = Domain.of("x", [])
    assert (domain.kind, len(domain), domain.texts.tolist()) == ("text", 0, [])


@pytest.mark.parametrize(
    ("mixed", "said"),
    [
        ([1, "HIV"], "mixes number and text"),
        ([dt.date(2024, 1, 1), dt.datetime(2024, 1, 1, 5)], "mixes date and datetime"),  # noqa: DTZ001
        ([dt.datetime(2024, 1, 1, tzinfo=dt.UTC), dt.datetime(2024, 1, 1)], "mixes datetime and instant"),  # noqa: DTZ001
        ([True, 2], "mixes boolean and number"),
        ([True, 1], "mixes boolean and number"),
        ([0.0, False], "mixes boolean and number"),
    ],
)
def test_types_are_not_mixed_and_no_value_is_quoted(mixed: list[Any], said: str) -> None:
    with pytest.raises(DataError, match=f"^Column 'x' {said} values. Hint: make the column one type") as error:
        Domain.of("x", mixed)
    assert "HIV" not in str(error.value)


@pytest.mark.parametrize("exact", [2**53 + 1, Decimal("0.1"), Decimal("0.25"), 10**400, Decimal("1e400")])
def test_numbers_that_a_float_cannot_hold_are_not_mixed_with_floats(exact: object) -> None:
    with pytest.raises(DataError, match="mixes floating-point numbers with decimals or integers that they cannot hold"):
        Domain.of("x", [0.5, exact])


def test_numbers_that_a_float_holds_are_mixed_with_floats() -> None:
    assert texts([0.5, Decimal("2.00"), 2**53]) == ["0.5", "2", "9007199254740992"]


@pytest.mark.parametrize(("odd", "name"), [([1], "list"), ({"a": 1}, "dict"), (b"x", "bytes"), (1j, "complex")])
def test_other_types_are_refused_by_name(odd: object, name: str) -> None:
    with pytest.raises(DataError, match=f"^Column 'x' holds values of type {name}. Hint: use numbers, booleans"):
        Domain.of("x", [odd])


class Seven(IntEnum):
    SEVEN = 7


class Colour(str, Enum):  # noqa: UP042 - unlike StrEnum, str() gives its name
    RED = "red"


@pytest.mark.parametrize("value", [np.int64(7), np.float64(7), np.float32(7), Seven.SEVEN])
def test_special_numbers_become_plain_ones(value: Any) -> None:
    assert texts([value, 7]) == ["7"]


@pytest.mark.parametrize("value", [np.str_("red"), Colour.RED])
def test_special_texts_become_plain_ones(value: str) -> None:
    domain = Domain.of("x", [value])
    assert [type(text) for text in domain.values] == [str]
    assert domain.texts.tolist() == ["red"]


def test_repeats_from_an_engine_are_added_up() -> None:
    domain = Domain.build("x", "text", np.array(["b", "a", "b"], dtype=object), np.array([1, 2, 4]), nulls=8)
    assert (domain.texts.tolist(), domain.counts.tolist()) == (["a", "b", None], [2, 5, 8])


def test_the_texts_of_a_file_become_numbers_where_nothing_is_lost() -> None:
    domain = Domain.of_texts("x", ["10", "9"], ones(2), nulls=1)
    assert (domain.kind, domain.values.tolist(), domain.spelling) == ("number", [9, 10], None)
    assert domain.texts.tolist() == ["9", "10", None]


@pytest.mark.parametrize("spelled", [["2", "10", "1.5"], ["2.0", "10.0"], ["2.0", "10", "1.5"], ["1e+16", "2.5"]])
def test_the_spelling_of_numbers_survives(spelled: list[str]) -> None:
    domain = Domain.of_texts("x", spelled, ones(len(spelled)))
    assert domain.kind == "number"
    assert domain.texts.tolist() == sorted(spelled, key=float)


def test_whole_floats_of_a_file_equal_its_integers_and_keep_their_spelling() -> None:
    domain = Domain.of_texts("x", ["3.0", "2.0"], ones(2))
    assert domain == Domain.of_texts("x", ["2", "3"], ones(2))
    assert domain.texts.tolist() == ["2.0", "3.0"]


@pytest.mark.parametrize("sign", ["T", " "])
def test_the_spelling_of_timestamps_survives(sign: str) -> None:
    spelled = [f"2024-05-01{sign}00:00:00", f"2023-05-01{sign}00:00:00"]
    domain = Domain.of_texts("x", spelled, np.array([1, 2]))
    assert (domain.kind, domain.texts.tolist(), domain.counts.tolist()) == ("date", spelled[::-1], [2, 1])


def test_domains_are_equal_by_column_kind_values_and_counts() -> None:
    assert Domain.of("x", [1, 2, None]) == Domain.of("x", [None, 2, 1])
    assert Domain.of("x", [1, 2]) != Domain.of("y", [1, 2])
    assert Domain.of("x", [1, 2]) != Domain.of("x", [1, 3])
    assert Domain.of("x", [1, 2]) != Domain.of("x", [1, 2, 2])
    assert Domain.of("x", [1, 2]) != Domain.of("x", [1, None])
    assert Domain.of("x", ["1"]) != Domain.of("x", [1])
    assert Domain.of("x", [1]) != "x"


def test_a_domain_cannot_be_changed() -> None:
    domain = Domain.of_texts("x", ["1.5", "2"], ones(2))
    for array in (domain.values, domain.counts, domain.spelling):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0  # type: ignore[index]
    with pytest.raises(AttributeError, match="cannot assign to field 'kind'"):
        domain.kind = "text"  # type: ignore[misc]


def test_a_domain_has_no_hash() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(Domain.of("x", [1]))


@pytest.mark.parametrize(
    ("values", "shown"),
    [(["HIV"], "Domain('x', text, 1 values)"), ([1, 2, None], "Domain('x', number, 2 values, null)")],
)
def test_a_domain_shows_numbers_and_no_value(values: list[Any], shown: str) -> None:
    assert repr(Domain.of("x", values)) == shown


VALUES = st.one_of(
    st.lists(st.none() | st.integers(-(2**70), 2**70)),
    st.lists(st.none() | st.floats(allow_nan=False)),
    st.lists(st.none() | st.text()),
    st.lists(st.none() | st.dates()),
    st.lists(st.none() | st.datetimes()),
    st.lists(st.none() | st.booleans()),
    st.lists(st.none() | st.decimals(allow_nan=False, allow_infinity=False, places=3)),
)


@given(VALUES, st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(values: list[Any], random: Any) -> None:
    shuffled = random.sample(values, len(values))
    assert Domain.of("x", shuffled) == Domain.of("x", values)
    assert texts(shuffled) == texts(values)


@given(VALUES)
def test_values_are_distinct_and_ascend_and_all_rows_are_counted(values: list[Any]) -> None:
    domain = Domain.of("x", values)
    listed = domain.values.tolist()
    assert all(low < high for low, high in itertools.pairwise(listed))
    assert len(listed) == len({value for value in values if value is not None})
    assert domain.counts.sum() == len(values)


MIXED = st.sampled_from(
    [
        st.integers(-3, 3) | st.sampled_from([-2.0, 1.0, 2.5, 0.1, 1e-7, 1e20, float("inf")]),
        st.integers(-3, 3) | st.sampled_from([Decimal("1.0"), Decimal("2.50"), Decimal("1E-7"), 10**20, 2**70]),
        st.sampled_from([dt.datetime(2024, 5, 1), dt.datetime(2024, 5, 1, 8), dt.datetime(2024, 5, 2, 0, 0, 0, 1)]),  # noqa: DTZ001
    ]
).flatmap(st.lists)


@given(MIXED)
def test_the_text_of_a_value_does_not_depend_on_the_others(values: list[Any]) -> None:
    assert set(texts(values)) == {texts([value])[0] for value in values}
    assert len(set(texts(values))) == len(set(values))


def test_texts_are_read_as_what_they_are_known_to_be() -> None:
    spelled = ["18446744073709551616", "0.10000000000000000001", "-inf", "1e-07"]
    domain = Domain.of("x", [*spelled, None]).read_as("number")
    assert (domain.kind, domain.has_null) == ("number", True)
    assert domain.texts.tolist() == ["-inf", "1e-07", "0.10000000000000000001", "18446744073709551616", None]


@pytest.mark.parametrize(
    ("spelled", "kind"),
    [
        (["2024-05-02", "2024-05-01 08:30:00"], "datetime"),
        (["2024-07-01 02:00:00+02:00", "2024-06-30 23:59:59Z"], "instant"),
        (["2024-05-02", "2024-05-01"], "date"),
    ],
)
def test_texts_say_which_dates_they_are(spelled: list[str], kind: str) -> None:
    domain = Domain.of("x", spelled).read_as("datetime")
    assert (domain.kind, domain.texts.tolist()) == (kind, spelled[::-1])


@pytest.mark.parametrize("spelled", [["1", "1.0"], ["1", "a"], ["1_0", "2"], ["nan", "2"], []])
def test_texts_that_are_something_else_stay_texts(spelled: list[str]) -> None:
    assert Domain.of("x", spelled).read_as("number").kind == "text"


@pytest.mark.parametrize("spelled", [["2024-05-01", "2024-05-01 10:00Z"], ["May", "2024-05-01"]])
def test_texts_that_are_no_moments_stay_texts(spelled: list[str]) -> None:
    assert Domain.of("x", spelled).read_as("datetime").kind == "text"


def test_a_float_is_found_among_decimals_as_it_is_published() -> None:
    assert codes_in([0.1, 2.0, 0.3], [Decimal("0.1"), Decimal("0.25"), 2]) == [0, -1, 2]
    assert codes_in([Decimal("0.1"), Decimal("0.25")], [0.25, 0.1]) == [0, 1]


def codes_in(values: list[Any], others: list[Any]) -> list[int]:
    found: list[int] = Domain.of("x", values).codes_in(Domain.of("y", others)).tolist()
    return found


def test_a_domain_finds_its_values_in_another() -> None:
    assert codes_in(["a", "b", "c"], ["c", "d", "a"]) == [0, -1, 1]


@pytest.mark.parametrize("thirty", [30, 30.0, Decimal(30), Decimal("30.00")])
@pytest.mark.parametrize("others", [[20, 30], [20.5, 30.0], [Decimal("20.5"), Decimal(30)], [30, 2**70, -1]])
def test_numbers_are_the_same_by_value_whatever_their_type(thirty: Any, others: list[Any]) -> None:
    assert codes_in([thirty], others) == [1]


def test_an_integer_that_no_float_holds_is_not_the_nearest_float() -> None:
    assert codes_in([2**53, 2**53 + 1], [0.5, 2.0**53]) == [1, -1]
    assert codes_in([0.5, 2.0**53, float("inf")], [2**53, 2**53 + 1]) == [-1, 0, -1]


def test_a_date_is_the_same_as_its_midnight() -> None:
    moments = [dt.datetime.fromisoformat(text) for text in ("2024-01-01", "2024-01-01 12:00", "2024-01-02")]
    assert codes_in([dt.date(2024, 1, 1), dt.date(2024, 1, 2)], moments) == [0, 2]
    assert codes_in(moments, [dt.date(2024, 1, 2)]) == [-1, -1, 0]


def test_kinds_that_cannot_be_compared_are_compared_as_they_are_published() -> None:
    assert codes_in(["30", "a", "true"], [7, 30]) == [1, -1, -1]
    assert codes_in([True, False], [0, 1]) == [-1, -1]
    assert codes_in([True, False], ["true"]) == [-1, 0]


def test_null_is_found_where_there_is_one() -> None:
    assert codes_in([1, None], [None, 1, 2]) == [0, 2]
    assert codes_in([1, None], [1]) == [0, -1]
    assert codes_in([None], [1, None]) == [1]


def test_nothing_is_found_in_an_empty_domain() -> None:
    assert codes_in([1, 2], []) == [-1, -1]
    assert codes_in([], [1, 2]) == []


WHOLE = st.integers(-3, 3) | st.integers(2**53 - 2, 2**53 + 2)
SAME_KINDS = st.sampled_from(
    [
        WHOLE,
        st.sampled_from([-1.5, -0.0, 0.0, 1.0, 2.5, 2.0**53, float("inf"), float("-inf")]),
        st.decimals(-3, 3, places=1) | WHOLE.map(Decimal),
        WHOLE | st.integers(2**70, 2**70 + 2),
    ]
).flatmap(lambda kind: st.lists(kind | st.none()))


@given(SAME_KINDS, SAME_KINDS)
def test_numbers_are_found_as_a_dictionary_finds_them(values: list[Any], others: list[Any]) -> None:
    domain, other = Domain.of("x", values), Domain.of("y", others)
    known = {value: code for code, value in enumerate([*other.values.tolist(), *([None] if other.has_null else [])])}
    wanted = [known.get(value, -1) for value in [*domain.values.tolist(), *([None] if domain.has_null else [])]]
    assert domain.codes_in(other).tolist() == wanted


@given(st.lists(st.text("ab", max_size=3) | st.none()), st.lists(st.text("ab", max_size=3) | st.none()))
def test_texts_are_found_as_a_dictionary_finds_them(values: list[Any], others: list[Any]) -> None:
    domain, other = Domain.of("x", values), Domain.of("y", others)
    known = {text: code for code, text in enumerate(other.texts)}
    assert domain.codes_in(other).tolist() == [known.get(text, -1) for text in domain.texts]


def test_the_kind_of_python_values_leaves_missing_ones_aside() -> None:
    assert kind_of("x", [None, 1, NAN, Decimal(2), 2.5]) == "number"
    assert kind_of("x", [dt.datetime(2024, 1, 1, tzinfo=dt.UTC)]) == "instant"
    assert kind_of("x", [None]) == "text"


def test_a_mixture_of_kinds_is_refused_by_name() -> None:
    with pytest.raises(DataError, match=r"Column 'x' mixes boolean and number values"):
        kind_of("x", iter([True, 1]))


@given(st.lists(st.decimals(-(10**6), 10**6, places=3), min_size=1, max_size=8), st.data())
def test_texts_that_write_one_number_are_counted(numbers: list[Decimal], data: st.DataObject) -> None:
    """Whatever way is chosen to write numbers, as many texts are too many as there are texts more than numbers."""
    ways = st.sampled_from(["f", "e", ".3f", ".5f", ".9f"])
    texts = sorted({format(number, data.draw(ways)) for number in numbers for _ in range(2)})
    domain = Domain.of("x", [*texts, *["a"] * data.draw(st.integers(0, 1))])
    assert domain.kind == "text"
    assert domain.repeats == len(texts) - len({Fraction(text) for text in texts})


@pytest.mark.parametrize(
    ("texts", "repeats"),
    [
        (["1", "1.0"], 1),
        (["7", "07", "007"], 2),
        (["1e5", "100000", "x"], 1),
        (["2024-07-01", "2024-07-01 00:00"], 1),
        (["1.5", "2.50"], 0),
        (["a", "b", "c", "1", "1.0"], 0),
        (["v1", "v1.0"], 0),
        ([], 0),
    ],
)
def test_numbers_and_days_that_are_written_twice_are_counted_and_codes_are_not(texts: list[str], repeats: int) -> None:
    assert Domain.of("x", texts).repeats == repeats


# Values that look alike in print are found.


@pytest.mark.parametrize(
    "twins",
    [
        pytest.param(["M", "М"], id="Cyrillic M"),  # noqa: RUF001
        pytest.param(["A", "Α"], id="Greek Alpha"),  # noqa: RUF001
        pytest.param(["flu", "flu "], id="blank at the end"),
        pytest.param(["heart attack", "heart  attack"], id="two blanks"),
        pytest.param(["heart attack", "heart\u00a0attack"], id="blank that does not break"),
        pytest.param(["heart attack", "heart\tattack"], id="tab"),
        pytest.param(["flu", "fl\u200bu"], id="blank of no width"),
        pytest.param(["flu", "flu\x00"], id="control character"),
        pytest.param(["é", "e\u0301"], id="accent apart"),
        pytest.param(["5", "５"], id="wide digit"),  # noqa: RUF001
        pytest.param(["flu", "\ufeffflu"], id="byte order mark"),
    ],
)
def test_twins_are_found(twins: list[str]) -> None:
    assert Domain.of("x", twins).look_alikes() == ((0, 1),)


def test_what_looks_different_is_no_twin() -> None:
    assert Domain.of("x", ["flu", "Flu", "flue", "fl u", "Влад", None]).look_alikes() == ()


def test_every_group_is_given_by_its_codes() -> None:
    domain = Domain.of("x", ["a", "a ", "b", "c", " c", "c "])  # in order: " c", "a", "a ", "b", "c", "c "
    assert domain.look_alikes() == ((0, 4, 5), (1, 2))


def test_numbers_do_not_look_alike() -> None:
    assert Domain.of("x", [1, 2]).look_alikes() == ()
