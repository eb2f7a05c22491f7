"""How texts write days: read all at once, as one by one with the standard library."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from hypothesis import given, strategies as st

from incrowd.hierarchies._day_forms import FORMS, MONTHS, forms_in, read_moments

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
    names = [{*names.split()} for names in MONTHS]
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
