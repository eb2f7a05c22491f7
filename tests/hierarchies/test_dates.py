from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from incrowd.core import Domain, HierarchyError, ParameterError, UncoveredValuesError
from incrowd.hierarchies import Dates, Span, covered, dates, disjoint, span_of
from incrowd.hierarchies._dates import UNITS, begin_of_period, name_of_period, number_of_period, read_period


def path(hierarchy: Dates, *values: Any) -> list[str]:
    ladder = hierarchy.bind(Domain.of("born", values))
    return [names[group[0]] for group, names in zip(ladder.groups, ladder.labels, strict=True)]


def test_a_date_becomes_month_quarter_year_decade_century_and_star() -> None:
    hierarchy = dates("day", "month", "quarter", "year", "decade", "century")
    assert path(hierarchy, dt.date(2024, 3, 5), dt.date(2025, 1, 1)) == [
        *("2024-03-05", "2024-03-05", "2024-M03", "2024-Q1", "2024", "2020s", "20xx", "*")
    ]


def test_dates_before_1970_are_counted_in_the_right_direction() -> None:
    assert path(dates("month", "quarter", "decade", "century"), dt.date(1899, 12, 31))[1:] == [
        *("1899-M12", "1899-Q4", "1890s", "18xx", "*")
    ]


def test_a_decade_and_a_century_never_share_a_name() -> None:
    ladder = dates("decade", "century").bind(Domain.of("born", [dt.date(1905, 1, 1), dt.date(1955, 1, 1)]))
    assert [names.tolist() for names in ladder.labels[1:3]] == [["1900s", "1950s"], ["19xx"]]


def test_timestamps_become_days_first() -> None:
    assert path(dates("day", "year"), dt.datetime(2024, 3, 5, 10, 30)) == [  # noqa: DTZ001 - without a zone on purpose
        *("2024-03-05 10:30:00", "2024-03-05", "2024", "*")
    ]


def test_timestamps_with_a_zone_are_taken_in_utc() -> None:
    tokyo = dt.timezone(dt.timedelta(hours=9))
    assert path(dates("day"), dt.datetime(2024, 3, 5, 3, 0, tzinfo=tokyo))[1] == "2024-03-04"


def test_text_is_read_as_iso_or_by_a_format() -> None:
    assert path(dates("month"), "2024-03-05", "2024-03-05T10:00:00+09:00") == ["2024-03-05", "2024-M03", "*"]
    assert path(dates("month", format="%d.%m.%Y"), "05.03.2024") == ["05.03.2024", "2024-M03", "*"]


def test_text_in_one_other_form_is_read_where_it_leaves_no_doubt() -> None:
    assert path(dates("month"), "05.03.2024", "31.12.2023") == ["05.03.2024", "2024-M03", "*"]
    for doubtful in (["05/03/2024", "06/04/2024"], ["05.03.24", "31.12.23"], ["05.03.2024", "2023-12-31"]):
        with pytest.raises(UncoveredValuesError, match="no dates of the format ISO 8601"):
            dates("month").bind(Domain.of("born", doubtful))


def test_text_that_is_no_date_is_counted_and_carried_but_not_shown() -> None:
    with pytest.raises(UncoveredValuesError, match="1 of 2 values that are no dates of the format ISO 8601") as caught:
        dates("year").bind(Domain.of("born", ["2024-03-05", "canary"]))
    assert caught.value.values == ("canary",)
    assert "such as dates='%d.%m.%Y' (ic.suggest finds it out: **found.reading)" in caught.value.hint
    with pytest.raises(UncoveredValuesError, match="format '%Y'"):
        dates("year", format="%Y").bind(Domain.of("born", ["2024-03-05"]))


def test_numbers_are_no_dates() -> None:
    with pytest.raises(HierarchyError, match="kind number; dates"):
        dates("year").bind(Domain.of("born", [1990]))


@pytest.mark.parametrize(
    ("units", "message"),
    [
        ((), "without repeating, got none"),
        (("year", "month"), "from fine to coarse without repeating, got 'year', 'month'"),
        (("year", "year"), "without repeating"),
        (("hour",), "unit must be one of day, week, month, quarter, year, decade, century, got 'hour'"),
        (("month", "week"), "from fine to coarse"),
    ],
)
def test_units_that_do_not_nest_are_refused(units: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        dates(*units)


@pytest.mark.parametrize(
    ("day", "week"),
    [(1, "W1"), (7, "W1"), (8, "W2"), (14, "W2"), (15, "W3"), (21, "W3"), (22, "W4"), (28, "W4"), (29, "W4")],
)
def test_a_week_is_one_of_a_month_and_never_lies_in_two(day: int, week: str) -> None:
    values = dt.date(2024, 2, day), dt.date(2024, 3, 1)
    assert path(dates("week", "month", "year"), *values)[1:] == [f"2024-M02-{week}", "2024-M02", "2024", "*"]


def test_whole_numbers_are_days_by_a_format() -> None:
    assert path(dates("week", "year", format="%Y%m%d"), 20240301, 19991231) == [
        *("19991231", "1999-M12-W4", "1999", "*")
    ]
    with pytest.raises(UncoveredValuesError, match="1 of 2 values that are no dates of the format '%Y%m%d'"):
        dates("year", format="%Y%m%d").bind(Domain.of("born", [20240301, 20240231]))


@given(st.dates())
def test_the_name_of_a_period_is_read_back_and_its_day_lies_between_its_ends(day: dt.date) -> None:
    moment = np.array([day], dtype="datetime64[D]")
    for unit in UNITS:
        number = int(number_of_period(moment, unit)[0])
        assert read_period(name_of_period(number, unit)) == (unit, number)
        assert begin_of_period(number, unit) <= moment[0] < begin_of_period(number + 1, unit)


def test_a_week_says_without_its_hierarchy_what_it_covers() -> None:
    days = [dt.date(2024, 3, day) for day in (7, 8, 14, 15)]
    assert covered("2024-M03-W2", Domain.of("born", days)).tolist() == [False, True, True, False]
    assert covered("2024-M03-W2", Domain.of("born", [20240307, 20240308])).tolist() == [False, True]
    assert disjoint(["2024-M03-W2", "2024-M03-W1", "2024-M02"])
    assert not disjoint(["2024-M03-W4", "2024-Q1"])
    assert span_of("2024-M02-W4", "date", whole=True) == Span(19775.0, 19783.0)


def test_a_format_must_be_text() -> None:
    with pytest.raises(ParameterError, match=r"such as '%d.%m.%Y', got int"):
        dates("year", format=5)  # type: ignore[arg-type]


def test_it_prints_as_written() -> None:
    assert repr(dates("year", format="%Y")) == "dates('year', format='%Y')"
