"""How texts write days: read all at once, as one by one with the standard library."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from hypothesis import given, strategies as st

from incrowd.core import Domain
from incrowd.hierarchies import days_in, forms_of
from incrowd.hierarchies._classification import facts
from incrowd.hierarchies._day_forms import FORMS, forms_in, read_moments

NUMBERS = [form for form in FORMS if "%b" not in form]


@given(st.dates(dt.date(1800, 1, 1), dt.date(2100, 12, 31)), st.sampled_from(NUMBERS))
def test_days_are_read_as_strptime_reads_them(day: dt.date, form: str) -> None:
    text = day.strftime(form)
    moments, readable = read_moments([text], form)
    assert readable.all()
    assert moments[0] == np.datetime64(dt.datetime.strptime(text, form), "us")  # noqa: DTZ007 - a day has no zone


@given(st.text(alphabet="0123456789-/.: TZ年月日", max_size=22), st.sampled_from(FORMS))
def test_what_a_calendar_does_not_have_is_no_day(text: str, form: str) -> None:
    moments, readable = read_moments([text], form)
    if readable[0]:
        day = moments[0].astype("datetime64[D]").astype(dt.date)
        assert 1 <= day.year <= 9999
        assert str(day.year % 100).zfill(2) in text


@given(st.datetimes(dt.datetime(1800, 1, 1), dt.datetime(2100, 1, 1)))  # noqa: DTZ001 - the clock on the wall
def test_moments_are_read_as_iso_8601_with_any_zone(moment: dt.datetime) -> None:
    texts = [moment.isoformat(), f"{moment.isoformat(sep=' ')}Z", f"{moment.isoformat()}+02:00"]
    moments, readable = read_moments(texts, None)
    assert readable.all()
    assert {*moments.tolist()} == {moment}


def test_no_name_is_that_of_two_months() -> None:
    names = [{*names.split()} for _, names in facts("months.csv")]
    assert len(set.union(*names)) == sum(map(len, names))


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("7. März 2020", "2020-03-07"),
        ("1 août 2021", "2021-08-01"),
        ("7 de março de 2020", "2020-03-07"),
        ("3 dicembre 1999", "1999-12-03"),
        ("12 mei 2004", "2004-05-12"),
        ("Sept. 7, 2020", "2020-09-07"),
        ("07-Mar-98", "1998-03-07"),
        ("2020. 3. 7.", "2020-03-07"),
    ],
)
def test_names_of_months_are_read_in_seven_languages(text: str, day: str) -> None:
    forms = forms_in([text])
    assert len(forms) == 1
    assert str(read_moments([text], forms[0])[0][0].astype("datetime64[D]")) == day


@pytest.mark.parametrize(
    "text", ["31.02.2020", "2020-13-01", "7 foo 2020", "07.03.2020 25:00", "3/7/2020 13:05 PM", ""]
)
def test_what_looks_like_a_day_and_is_none_has_no_form(text: str) -> None:
    assert forms_in([text]) == []


@given(st.lists(st.integers(-10, 20301231), min_size=1, max_size=60, unique=True), st.sampled_from([1, 10, 1000]))
def test_looking_at_some_numbers_first_changes_nothing(numbers: list[int], scale: int) -> None:
    some = sorted({number // scale for number in numbers})
    domain = Domain.of("day", some)
    texts = [str(one).zfill(6) if len(str(one)) == 5 else str(one) for one in some]
    alike = len(texts) > 1 and len({*map(len, texts)}) == 1
    expected = ["%Y%m%d"] if days_in(domain) is not None else forms_in(texts) if alike else []
    assert forms_of(domain) == expected


def test_days_of_six_digits_are_found_among_many() -> None:
    days = [int(one.strftime("%y%m%d")) for one in (dt.date(2001, 1, 1) + dt.timedelta(n) for n in range(3000))]
    assert forms_of(Domain.of("day", days)) == forms_in([f"{day:06}" for day in days])
    assert "%y%m%d" in forms_of(Domain.of("day", days))
