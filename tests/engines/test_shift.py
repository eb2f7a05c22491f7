from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from engines.subjects import TYPED, Subject, make_subject
from incrowd.core import DataError, Domain, FullDomainRecoding, Ladder, LocalRecoding, Step
from incrowd.engines import Shift, check_room, first_and_last_day, open_table
from incrowd.engines._shift import WrittenDates, _days_within

DAYS = {"p": 3, "q": -400, "7": 7, "": 1}
SHIFT = Shift("person", lambda text: DAYS[text])
NOON = dt.datetime.fromisoformat("2024-02-29T12:30:15")
STAYS = pa.table(
    {
        "age": ["old", "old", "old", "young"],
        "person": ["p", "q", "p", "q"],
        "came": [dt.date(2024, 2, 28), dt.date(2024, 12, 31), None, dt.date(1900, 3, 1)],
        "seen": pa.array([NOON, None, NOON + dt.timedelta(microseconds=7), NOON], pa.timestamp("us")),
        "told": ["2024-02-29", "2024-01-01 10:00", None, "2023-12-31T23:59:59.5+02:00"],
    }
)
SHIFTED = [
    (dt.date(2024, 3, 2), NOON + dt.timedelta(days=3), "2024-03-03"),
    (dt.date(2023, 11, 27), None, "2022-11-27 10:00"),
    (None, NOON + dt.timedelta(days=3, microseconds=7), None),
    (dt.date(1899, 1, 25), NOON - dt.timedelta(days=400), "2022-11-26T23:59:59.5+02:00"),
]


def as_it_is(table: pa.Table = STAYS) -> FullDomainRecoding:
    domain = Domain.of("age", table["age"].to_pylist())
    return FullDomainRecoding({"age": domain}, {"age": Ladder.climb(domain, [Step.top(domain)])}, {"age": 0})


def shifted(source: Any, columns: list[str], recoding: Any = None, **more: Any) -> Any:
    replace = {**dict.fromkeys(columns, SHIFT), **more}
    return open_table(source).recode(recoding or as_it_is(), [*replace], replace=replace).materialise()


def plain(value: Any) -> Any:
    """Write a value so that a text file, and a column of pandas, says the same."""
    if value is None or value != value:  # noqa: PLR0124 - NaT is unlike itself
        return None
    return value if isinstance(value, str) else str(value).removesuffix(" 00:00:00")


def rows(subject: Subject, result: Any) -> list[tuple[Any, ...]]:
    return in_order([tuple(map(plain, row)) for row in subject.rows(result)])


def in_order(found: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Sort rows by what is written: a column of text sorts otherwise than its dates do, and Spark keeps no order."""
    return sorted(found, key=repr)


def test_dates_moments_and_texts_are_shifted_and_missing_stays_missing(subject: Subject) -> None:
    expected = in_order([tuple(map(plain, row)) for row in SHIFTED])
    found = rows(subject, shifted(subject.load(STAYS), ["came", "seen", "told"]))
    if subject.name == "csv":  # which wrote the fractions of all seconds
        found = in_order([tuple(text and text.removesuffix(".000000") for text in row) for row in found])
    assert found == expected


def test_a_type_stays_what_it_was(typed: Subject) -> None:
    replace = {"came": SHIFT, "seen": SHIFT}
    result = open_table(typed.load(STAYS)).recode(as_it_is(), ["came", "seen"], replace=replace)
    assert result.columns() == {"came": "date", "seen": "datetime"}


def test_persons_are_known_by_their_texts_before_these_are_replaced(subject: Subject) -> None:
    found = rows(subject, shifted(subject.load(STAYS), ["came"], person=lambda text: f"<{text}>"))
    assert {("2024-03-02", "<p>"), ("2023-11-27", "<q>"), (None, "<p>")} < {*found}


def test_only_rows_that_are_published_are_shifted_and_keep_their_person(subject: Subject) -> None:
    recoding = as_it_is()
    without_old = FullDomainRecoding(recoding.domains, recoding.ladders, {"age": 0}, (np.array([0]),))
    assert rows(subject, shifted(subject.load(STAYS), ["came"], without_old)) == [("1899-01-25",)]
    domain = recoding.domains["age"]
    parts = LocalRecoding(
        ("age",),
        {"age": domain},
        codes=(np.array([0, 1]),),
        classes=np.array([0, -1]),
        counts=np.array([3, 1]),
        labels=(np.array(["old"], dtype=object),),
    )
    found = rows(subject, shifted(subject.load(STAYS), ["came"], parts))
    assert found == in_order([("2024-03-02",), ("2023-11-27",), (None,)])


def test_numbers_of_persons_are_known_as_they_are_printed(subject: Subject) -> None:
    table = pa.table({"age": ["old"], "person": [7], "came": [dt.date(2024, 1, 1)]})
    assert rows(subject, shifted(subject.load(table), ["came"], as_it_is(table))) == [("2024-01-08",)]


def test_moments_with_a_zone_move_by_24_hours_for_each_day(typed: Subject) -> None:
    moment = dt.datetime(2024, 3, 30, 12, tzinfo=dt.UTC)  # the clocks of Europe change on the next day
    table = pa.table({"age": ["old"], "person": ["p"], "seen": pa.array([moment], pa.timestamp("us", "Europe/Berlin"))})
    ((found,),) = typed.rows(shifted(typed.load(table), ["seen"], as_it_is(table)))
    assert found.astimezone(dt.UTC) == dt.datetime(2024, 4, 2, 12, tzinfo=dt.UTC)


def test_moments_in_nanoseconds_are_shifted_beyond_their_last_year(typed: Subject) -> None:
    last = dt.datetime.fromisoformat("2262-04-10T12:00")
    table = pa.table({"age": ["old"], "person": ["7"], "seen": pa.array([last], pa.timestamp("ns"))})
    assert rows(typed, shifted(typed.load(table), ["seen"], as_it_is(table))) == [("2262-04-17 12:00:00",)]


def test_rows_of_nobody_are_refused(subject: Subject) -> None:
    table = pa.table({"age": ["old", "old"], "person": ["p", None], "came": [dt.date(2024, 1, 1)] * 2})
    with pytest.raises(DataError, match="'person' says whose row it is, and is missing in 1 rows"):
        shifted(subject.load(table), ["came"], as_it_is(table))


def test_texts_that_are_no_dates_are_refused_without_a_word_of_them(subject: Subject) -> None:
    table = pa.table({"age": ["old"] * 3, "person": ["p"] * 3, "told": ["2024-01-01", "canary", "2023-02-29"]})
    with pytest.raises(
        DataError, match="'told' is to be shifted, and has 2 different texts that are no dates"
    ) as caught:
        shifted(subject.load(table), ["told"], as_it_is(table))
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize(
    "text", ["24-01-01", "2024-1-1", "01.02.2024", "2024-02-30", "2024-01-01 25:00", "2024-01-01x", "20240101", ""]
)
def test_a_text_of_another_form_is_no_date(text: str) -> None:
    with pytest.raises(DataError, match="has 1 text that is no date"):
        WrittenDates.of("told", [text])


def test_only_dates_have_a_first_and_a_last_day() -> None:
    assert first_and_last_day(Domain.of("came", [dt.date(1970, 1, 3), dt.date(1970, 1, 1), None])) == (0, 2)
    assert first_and_last_day(Domain.of("told", ["1970-01-02 10:00", "1969-12-31"])) == (-1, 1)
    assert first_and_last_day(Domain.of("seen", [dt.datetime.fromisoformat("1970-01-01T23:59")])) == (0, 0)
    assert first_and_last_day(Domain.of("none", [None])) is None
    for values in ([1], [True]):
        with pytest.raises(DataError, match="'age' is to be shifted, and holds values of the kind"):
            first_and_last_day(Domain.of("age", values))


def test_dates_at_the_ends_of_the_calendar_are_refused_if_a_shift_could_leave_it() -> None:
    check_room(Domain.of("none", [None]), 7)
    check_room(Domain.of("came", [dt.date(1, 1, 8), dt.date(9999, 12, 24)]), 7)
    for day in (dt.date(1, 1, 7), dt.date(9999, 12, 25)):
        with pytest.raises(DataError, match="'came' has dates that a shift by up to 7 days can take"):
            check_room(Domain.of("came", [day]), 7)


def test_only_days_that_a_shift_can_reach_are_written_out() -> None:
    assert _days_within(np.array([-719_000, 5, 9, 2_932_000]), 1).tolist() == [
        *(-719_001, -719_000, -718_999),
        *(4, 5, 6, 8, 9, 10),
        *(2_931_999, 2_932_000, 2_932_001),
    ]


MOMENTS = st.integers(-8_000_000_000, 8_000_000_000).map(lambda seconds: NOON + dt.timedelta(seconds=seconds))
ROWS = st.lists(
    st.tuples(
        st.sampled_from("pq7"),
        st.none() | st.dates(dt.date(3, 1, 1), dt.date(9997, 1, 1)),
        st.none() | MOMENTS,
        st.none() | st.dates(dt.date(3, 1, 1)).map(str) | MOMENTS.map(str),
    ),
    min_size=1,
    max_size=12,
)


@pytest.mark.parametrize("name", [*TYPED[1:], "csv"])
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ROWS)
def test_all_engines_shift_alike(name: str, tmp_path: Path, people: list[tuple[Any, ...]]) -> None:
    person, came, seen, told = zip(*people, strict=True)
    table = pa.table(
        {
            "age": ["old"] * len(people),
            "person": list(person),
            "came": pa.array(came, pa.date32()),
            "seen": pa.array(seen, pa.timestamp("s")),
            "told": pa.array(told, pa.string()),
        }
    )
    subject = make_subject(name, tmp_path)
    expected = [
        tuple(
            None if value is None else plain(value + dt.timedelta(days=DAYS[who]))
            for value in (day, moment, text and dt.datetime.fromisoformat(text))
        )
        for who, day, moment, text in people
    ]
    found = rows(subject, shifted(subject.load(table), ["came", "seen", "told"], as_it_is(table)))
    found = [tuple(text and text.removesuffix(" 00:00:00") for text in row) for row in found]
    assert in_order(found) == in_order(expected)
