from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from incrowd.core import Domain, HierarchyError, ParameterError, UncoveredValuesError
from incrowd.hierarchies import Dates, dates


def path(hierarchy: Dates, *values: Any) -> list[str]:
    ladder = hierarchy.bind(Domain.of("born", values))
    return [names[group[0]] for group, names in zip(ladder.groups, ladder.labels, strict=True)]


def test_a_date_becomes_month_quarter_year_decade_century_and_star() -> None:
    hierarchy = dates("day", "month", "quarter", "year", "decade", "century")
    assert path(hierarchy, dt.date(2024, 3, 5), dt.date(2025, 1, 1)) == [
        *("2024-03-05", "2024-03-05", "2024-M03", "2024-Q1", "2024", "2020s", "20xx", "*"),
    ]


def test_dates_before_1970_are_counted_in_the_right_direction() -> None:
    assert path(dates("month", "quarter", "decade", "century"), dt.date(1899, 12, 31))[1:] == [
        *("1899-M12", "1899-Q4", "1890s", "18xx", "*"),
    ]


def test_a_decade_and_a_century_never_share_a_name() -> None:
    ladder = dates("decade", "century").bind(Domain.of("born", [dt.date(1905, 1, 1), dt.date(1955, 1, 1)]))
    assert [names.tolist() for names in ladder.labels[1:3]] == [["1900s", "1950s"], ["19xx"]]


def test_timestamps_become_days_first() -> None:
    assert path(dates("day", "year"), dt.datetime(2024, 3, 5, 10, 30)) == [  # noqa: DTZ001 - without a zone on purpose
        *("2024-03-05 10:30:00", "2024-03-05", "2024", "*"),
    ]


def test_timestamps_with_a_zone_are_taken_in_utc() -> None:
    tokyo = dt.timezone(dt.timedelta(hours=9))
    assert path(dates("day"), dt.datetime(2024, 3, 5, 3, 0, tzinfo=tokyo))[1] == "2024-03-04"


def test_text_is_read_as_iso_or_by_a_format() -> None:
    assert path(dates("month"), "2024-03-05", "2024-03-05T10:00:00+09:00") == ["2024-03-05", "2024-M03", "*"]
    assert path(dates("month", format="%d.%m.%Y"), "05.03.2024") == ["05.03.2024", "2024-M03", "*"]


def test_text_that_is_no_date_is_counted_and_carried_but_not_shown() -> None:
    with pytest.raises(UncoveredValuesError, match="1 of 2 values that are no dates of the format ISO 8601") as caught:
        dates("year").bind(Domain.of("born", ["2024-03-05", "canary"]))
    assert caught.value.values == ("canary",)
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
        (("week",), "unit must be one of day, month, quarter, year, decade, century, got 'week'"),
    ],
)
def test_units_that_do_not_nest_are_refused(units: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        dates(*units)


def test_a_format_must_be_text() -> None:
    with pytest.raises(ParameterError, match=r"such as '%d.%m.%Y', got int"):
        dates("year", format=5)  # type: ignore[arg-type]


def test_it_prints_as_written() -> None:
    assert repr(dates("year", format="%Y")) == "dates('year', format='%Y')"
