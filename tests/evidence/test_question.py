"""The ends of a range, as people type them."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from typing import Any

import pytest

import incrowd as ic
from incrowd.core import Domain
from incrowd.evidence import Answer, RangeError, Where, ask
from incrowd.evidence._question import Range
from incrowd.measures import Axis

DAYS = [dt.date(1959, 12, 31), dt.date(1960, 1, 1), dt.date(1960, 2, 1), dt.date(1969, 12, 31), dt.date(1970, 1, 1)]
CLOCK = ((9, 0), (12, 29), (12, 30), (23, 59))
ZONE = dt.timezone(dt.timedelta(hours=2))
MOMENTS = [dt.datetime(2024, 3, 1, hour, minute, 30, tzinfo=ZONE) for hour, minute in CLOCK]
TIMES = [one.replace(tzinfo=None) for one in MOMENTS]


def inside(values: list[Any], low: str | None, high: str | None) -> list[Any]:
    """Give the values that lie between two ends."""
    domain = Domain.of("asked", values)
    return sorted(values)[Range.of(domain, low, high).places(domain)]


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [
        ("01.01.1960", "31.12.1969", DAYS[1:4]),
        ("1.1.1960", "1.2.1960", DAYS[1:3]),
        ("1960-01-01", "1969-12-31", DAYS[1:4]),
        ("1960", "1969", DAYS[1:4]),
        ("1960-02", None, DAYS[2:]),
        (None, "1960-01", DAYS[:2]),
        ("31/12/1969", "01/01/1970", DAYS[3:]),
        ("12/31/1969", None, DAYS[3:]),
        ("1960/1/1", "1960/1/31", DAYS[1:2]),
        (" 1970-01-01 ", None, DAYS[4:]),
        (None, "1969-12-31 00:00", DAYS[:4]),
        ("1971", None, []),
    ],
)
def test_dates_are_compared_as_dates_however_they_are_written(low: str, high: str, found: list[Any]) -> None:
    assert inside(DAYS, low, high) == found


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [
        ("2024-03-01 12:30", None, TIMES[2:]),
        (None, "2024-03-01 12:29", TIMES[:2]),
        ("1.3.2024", "1.3.2024", TIMES),
        ("2024-03-01T12:29:30", "2024-03-01T12:29:30", TIMES[1:2]),
    ],
)
def test_times_stand_for_all_of_their_minute_or_second(low: str, high: str, found: list[Any]) -> None:
    assert inside(TIMES, low, high) == found


def test_points_in_time_are_compared_in_their_zone() -> None:
    assert inside(MOMENTS, "2024-03-01 12:30+02:00", None) == MOMENTS[2:]
    assert inside(MOMENTS, "2024-03-01 10:30", None) == MOMENTS[2:]


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [
        ("20", "30", [20, 30]),
        ("19,5", "20.5", [20]),
        ("1 000", None, [1000]),
        ("+20", "20.0", [20]),
        (None, "-1", [-1]),
    ],
)
def test_numbers_are_compared_as_numbers(low: str, high: str, found: list[Any]) -> None:
    assert inside([-1, 20, 30, 1000], low, high) == found


def test_numbers_that_no_floating_point_number_tells_apart_are_told_apart() -> None:
    large = [2**53, 2**53 + 1]
    assert inside(large, str(2**53 + 1), None) == [2**53 + 1]
    cents = [Decimal("0.10"), Decimal("0.10000000000000000001")]
    assert inside(cents, None, "0.1") == [Decimal("0.10")]


@pytest.mark.parametrize(
    ("values", "low", "high", "words", "end"),
    [
        (DAYS, "hello", "world", "cannot be read as one", "low"),
        (DAYS, "1960", "world", "cannot be read as one", "high"),
        (DAYS, "01/02/1960", None, "two different dates", "low"),
        (DAYS, "01-02-1960", None, "two different dates", "low"),
        (DAYS, "31.02.1960", None, "cannot be read as one", "low"),
        (DAYS, "1.1.60", None, "cannot be read as one", "low"),
        (DAYS, "1960-13", None, "cannot be read as one", "low"),
        (DAYS, "1960-00", None, "cannot be read as one", "low"),
        (DAYS, "1960-01-00", None, "cannot be read as one", "low"),
        (DAYS, "0000", None, "cannot be read as one", "low"),
        (DAYS, "1960-01 12:00", None, "cannot be read as one", "low"),
        (TIMES, "2024-03-01 12:00+02:00", None, "cannot be read as one", "low"),
        (DAYS, "1970", "1960", "ends before it begins", "high"),
        ([1, 2], "2", "1", "ends before it begins", "high"),
        ([1, 2], "many", None, "this is not one", "low"),
        ([1, 2], "nan", None, "this is not one", "low"),
        ([1, 2], "inf", None, "this is not one", "low"),
        ([1, 2], "1_0", None, "this is not one", "low"),
        ([1, 2], "1,000", None, "two ways", "low"),
        (["a", "b"], "a", "b", "has no order", "low"),
    ],
)
def test_an_end_that_cannot_be_read_is_refused_beside_its_field_with_an_example(
    values: list[Any], low: str, high: str | None, words: str, end: str
) -> None:
    with pytest.raises(RangeError, match=words) as refused:
        inside(values, low, high)
    assert refused.value.end == end
    assert refused.value.hint


@pytest.mark.parametrize(
    ("values", "low", "high", "begin", "end"),
    [
        ([1, 5], "2", "4", 2.0, 5.0),
        ([1, 5], "1.5", "4.5", 2.0, 5.0),
        ([1, 5], None, "4", -math.inf, 5.0),
        ([1, 5], "1.5", None, 2.0, math.inf),
        ([0.5, 5.5], "2", None, 2.0, math.inf),
        ([dt.date(1970, 1, 2), dt.date(1970, 1, 9)], "2.1.1970", "1970-01-03", 1.0, 3.0),
        ([dt.date(1970, 1, 2), dt.date(1970, 1, 9)], "1970-01-02 12:00", "1970-01-03 12:00", 2.0, 3.0),
        (TIMES, "1970-01-01 00:00:01", None, 1e6, math.inf),
    ],
)
def test_a_range_begins_and_ends_on_the_line_of_labels_where_it_does_among_values(
    values: list[Any], low: str, high: str, begin: float, end: float
) -> None:
    domain = Domain.of("asked", values)
    axis = Axis.of(domain)
    assert axis is not None
    assert Range.of(domain, low, high).stretch(axis) == (begin, end)


TABLE = [{"age": age, "sex": "fm"[age % 2], "cost": cost} for age, cost in ((21, 10), (22, 20), (31, 30), (32, 60))]


@pytest.fixture
def release() -> ic.Release:
    schema = ic.Schema(quasi={"age": ic.intervals(10), "sex": ic.flat()}, sensitive=["cost"])
    return ic.anonymize(TABLE, schema, model="k>=2", at_least={"age": 1, "sex": 1}, at_most={"age": 1})


def test_a_count_is_asked_of_the_table_and_of_the_release(release: ic.Release) -> None:
    found = ask(release, "count", where=[Where("age", low="31"), Where("age", high="39")])
    assert (found.before, found.after) == (2.0, 1.8)  # nine of the ten years of a label
    assert found.relative_error == pytest.approx(0.1)


def test_an_average_is_that_of_the_middles_of_labels(release: ic.Release) -> None:
    assert ask(release, "mean", "age") == Answer(26.5, 29.5)
    assert ask(release, "mean", "cost", [Where("sex", values=["m"])]) == Answer(20.0, 30.0)


def test_a_star_is_spread_and_told_apart_as_no_answer() -> None:
    table = [
        {"age": age, "sex": sex} for age, sex in ((20, "f"), (20, "f"), (24, "m"), (24, "m"), (22, "m"), (29, "m"))
    ]
    schema = ic.Schema({"age": ic.flat(), "sex": ic.flat()})
    release = ic.anonymize(table, schema, model="k>=2", algorithm=ic.LevelsAndCells())
    assert [row["age"] for row in release.table] == ["*", "*", "20", "20", "24", "24"]
    assert ask(release, "count", where=[Where("age", low="20", high="24")]) == Answer(5.0, 5.0, shown=4.0)
    assert ask(release, "mean", "age") == Answer(23.166666666666668, 22.833333333333332, shown=22.0)
    assert ask(release, "count", where=[Where("sex", values=["m"])]) == Answer(4.0, 4.0)


@pytest.mark.parametrize(("what", "column"), [("mean", None), ("mean", "sex")])
def test_an_average_needs_a_column_of_numbers(release: ic.Release, what: Any, column: str | None) -> None:
    with pytest.raises(ic.ParameterError, match="average"):
        ask(release, what, column)


def test_a_wrong_end_says_to_which_condition_it_belongs(release: ic.Release) -> None:
    with pytest.raises(RangeError, match="this is not one") as refused:
        ask(release, "count", where=[Where("sex", values=["f"]), Where("age", high="old")])
    assert (refused.value.condition, refused.value.end) == (1, "high")


def test_only_published_columns_can_be_asked_about(release: ic.Release) -> None:
    with pytest.raises(ic.UnknownColumnError, match="published column"):
        ask(release, "mean", "name")
