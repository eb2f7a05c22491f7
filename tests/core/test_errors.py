"""Messages say what is wrong and what would be right, and hold no value of a record."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest

import incrowd as ic
from incrowd import core
from incrowd.core import DataError, IncrowdError, PrivacyWarning, SchemaError, UncoveredValuesError, UnknownColumnError


def test_the_hint_follows_the_message() -> None:
    assert str(DataError("The file is cut off.", hint="copy it again.")) == "The file is cut off. Hint: copy it again."


def test_without_a_hint_there_is_only_the_message() -> None:
    assert str(DataError("The file is cut off.")) == "The file is cut off."


def test_an_unknown_column_is_answered_with_the_nearest_name() -> None:
    error = UnknownColumnError.of("zpi", ["age", "zip"], given_as="quasi-identifier")
    assert str(error) == "The table has no column 'zpi' (given as quasi-identifier). Hint: did you mean 'zip'?"


def test_an_unknown_column_like_no_other_is_answered_with_all_names() -> None:
    error = UnknownColumnError.of("x", ["age", "zip"], given_as="sensitive")
    assert str(error) == "The table has no column 'x' (given as sensitive). Hint: the table has 'age', 'zip'."


def test_of_many_columns_the_four_nearest_are_named() -> None:
    names = [*(f"c{number}" for number in range(8)), "hat-trick of a week", "height"]
    error = UnknownColumnError.of("what", names, given_as="sensitive")
    assert error.hint == "the table has 'height', 'hat-trick of a week', 'c0', 'c1' and 6 more."


@pytest.mark.parametrize("show", [True, False])
def test_a_table_without_columns_says_so(show: bool) -> None:
    assert UnknownColumnError.of("x", [], given_as="sensitive", show=show).hint == "the table has no columns."


@pytest.mark.parametrize(("names", "said"), [(["canary"], "1 column."), (["canary", "2"], "2 columns.")])
def test_names_that_may_be_a_record_are_counted_and_not_listed(names: list[str], said: str) -> None:
    error = UnknownColumnError.of("zip", names, given_as="sensitive", show=False)
    assert str(error) == f"The table has no column 'zip' (given as sensitive). Hint: the table has {said}"


def test_a_name_that_may_be_a_record_is_told_only_if_it_is_nearly_the_same() -> None:
    assert UnknownColumnError.of("disease", ["diseases"], given_as="count", show=False).hint.startswith("did you mean")
    assert UnknownColumnError.of("zpi", ["zip"], given_as="count", show=False).hint == "did you mean 'zip'?"
    assert UnknownColumnError.of("zip", ["Ada"], given_as="count", show=False).hint == "the table has 1 column."


def test_an_unknown_column_is_a_schema_error_and_a_key_error() -> None:
    assert issubclass(UnknownColumnError, SchemaError)
    assert issubclass(UnknownColumnError, KeyError)


@pytest.mark.parametrize("name", [name for name in core.__all__ if name.endswith("Error")])
def test_every_error_has_one_root(name: str) -> None:
    assert issubclass(getattr(core, name), IncrowdError)


def test_a_privacy_warning_is_a_warning_and_no_error() -> None:
    assert issubclass(PrivacyWarning, UserWarning)
    assert not issubclass(PrivacyWarning, IncrowdError)


def test_uncovered_values_travel_as_data_and_not_in_the_message() -> None:
    error = UncoveredValuesError("Column 'job' has 1 value too many.", column="job", values=["spy"])
    assert error.values == ("spy",)
    assert error.column == "job"
    assert "spy" not in f"{error} {error!r} {error.args}"


@pytest.mark.parametrize(
    "error",
    [
        DataError("No.", hint="yes."),
        UnknownColumnError.of("zpi", ["zip"], given_as="count"),
        UncoveredValuesError("No.", column="job", values=["spy"], hint="yes."),
    ],
)
def test_an_error_survives_the_way_from_another_process(error: IncrowdError) -> None:
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))


def test_a_warning_points_at_the_line_of_whoever_called() -> None:
    table = [{"age": 30, "disease": "flu"}, {"age": 30, "disease": "hiv"}]
    schema = ic.Schema(quasi=["age"], sensitive=["disease"])
    calls: list[Callable[[], object]] = [
        lambda: ic.check(table, schema, "k>=1"),
        lambda: ic.anonymize(table, schema, model="k>=1"),
        lambda: ic.check(table, schema, ic.AlphaAssociation({"measles": 0.5}, of="disease")),
        lambda: ic.anonymize(table, schema, model="k>=2", order="keep"),
    ]
    for call in calls:
        with pytest.warns(ic.PrivacyWarning) as told:
            call()
        assert {one.filename for one in told} == {__file__}


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("There is no file 'postgresql://me:sesame@host/db'.", "There is no file 'postgresql:...'."),
        ("There is no file '/home/me/postgresql:/me:sesame@host/db'.", "There is no file '/home/me/postgresql:...'."),
        ('got "mysql://me:ses ame@host:1/db?x=sesame".', 'got "mysql:...".'),
        ("got 'postgresql://me:sesam...'.", "got 'postgresql:...'."),
        ("at sc://host:15002/;token=sesame today", "at sc:... today"),
        ("https://me:sesame@host/ and https://host/?key=sesame", "https:... and https:..."),
        ("spark://host:7077, s3a://bucket/table", "spark://host:7077, s3a://bucket/table"),
        ("it must begin with postgresql:// or sqlite:.", "it must begin with postgresql:// or sqlite:."),
        *[(text, text) for text in ["such as postgresql://user@host/name or sqlite:file.db."]],
        ("C:/Users/me@home/a.csv", "C:/Users/me@home/a.csv"),
    ],
)  # fmt: skip
def test_nothing_repeats_how_to_connect_to_something(told: str, shown: str) -> None:
    error = DataError(told, hint=told)
    assert (error.message, error.hint, error.args) == (shown, shown, (shown,))
    problem = core.PlanProblem(told, told, 1, told, (len(told) - 1, len(told)))
    assert (problem.key, problem.message, problem.shown) == (shown, shown, shown)
    assert problem.mark[1] <= len(shown)
    with pytest.warns(PrivacyWarning) as warned:
        core.warn(told)
    assert str(warned[0].message) == shown
