from __future__ import annotations

import datetime as dt
from decimal import Decimal
from zoneinfo import ZoneInfo

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from engines.subjects import Subject
from incrowd.core import DataError, Domain, SchemaError, UnknownColumnError
from incrowd.engines import open_table


def domain_of(subject: Subject, column: pa.Array) -> Domain:
    table = pa.table({"x": column, "other": pa.nulls(len(column), pa.int64())})
    return open_table(subject.load(table)).domains(["x"])["x"]


def test_numbers_are_ordered_by_value(subject: Subject) -> None:
    domain = domain_of(subject, pa.array([10, 9, 100, 9]))
    assert (domain.kind, domain.values.tolist(), domain.counts.tolist()) == ("number", [9, 10, 100], [2, 1, 1])


def test_null_comes_last_and_nan_is_null(typed: Subject) -> None:
    domain = domain_of(typed, pa.array([30.5, float("nan"), float("nan"), None]))
    assert (domain.values.tolist(), domain.counts.tolist()) == ([30.5], [1, 3])


def test_whole_floats_are_integers(subject: Subject) -> None:
    domain = domain_of(subject, pa.array([30.0, None, 31.0]))
    assert domain.texts.tolist()[-1] is None
    assert (domain.kind, str(domain.values.dtype), domain.values.tolist()) == ("number", "int64", [30, 31])


def test_text_is_ordered_by_code_point(subject: Subject) -> None:
    domain = domain_of(subject, pa.array(["b", "a", "Z", "é", "z", "\U0001f600", "\ufffd"]))
    assert domain.values.tolist() == ["Z", "a", "b", "z", "é", "\ufffd", "\U0001f600"]


def test_codes_keep_their_leading_zeros(subject: Subject) -> None:
    domain = domain_of(subject, pa.array(["00501", "10001", "02138"]))
    assert (domain.kind, domain.values.tolist()) == ("text", ["00501", "02138", "10001"])


def test_booleans_are_booleans(typed: Subject) -> None:
    domain = domain_of(typed, pa.array([True, None, False, True]))
    assert (domain.kind, domain.texts.tolist()) == ("boolean", ["false", "true", None])
    assert domain.counts.tolist() == [1, 2, 1]


def test_booleans_in_a_text_file_are_texts(tmp_path: pytest.TempPathFactory) -> None:
    path = tmp_path / "t.csv"  # type: ignore[operator]
    path.write_text("x\ntrue\nfalse\n")
    assert open_table(path).domains(["x"])["x"].kind == "text"


def test_a_category_that_nobody_has_is_no_value(typed: Subject) -> None:
    column = pa.DictionaryArray.from_arrays(pa.array([1, 1, 0]), pa.array(["a", "b", "unused"]))
    assert domain_of(typed, column).values.tolist() == ["a", "b"]


def test_categories_of_pandas_and_polars_are_texts() -> None:
    pandas = pd.DataFrame({"x": pd.Categorical(["b", "a", "b"], categories=["c", "b", "a"])})
    polars = pl.DataFrame({"x": pl.Series(["b", "a", "b"], dtype=pl.Enum(["c", "b", "a"]))})
    for table in (pandas, polars, polars.lazy()):
        domain = open_table(table).domains(["x"])["x"]
        assert (domain.values.tolist(), domain.counts.tolist()) == (["a", "b"], [1, 2])


def test_decimals_are_exact_numbers(typed: Subject) -> None:
    domain = domain_of(typed, pa.array([Decimal("10.50"), Decimal("9.25"), Decimal("9.25")]))
    assert (domain.kind, domain.values.tolist()) == ("number", [Decimal("9.25"), Decimal("10.50")])


def test_dates_are_dates(subject: Subject) -> None:
    domain = domain_of(subject, pa.array([dt.date(2024, 3, 1), dt.date(1999, 12, 31), None]))
    assert (domain.kind, domain.texts.tolist()) == ("date", ["1999-12-31", "2024-03-01", None])


def test_midnights_are_dates(typed: Subject) -> None:
    domain = domain_of(typed, pa.array([dt.datetime(2024, 3, 1), dt.datetime(2023, 3, 1)]))  # noqa: DTZ001
    assert (domain.kind, domain.texts.tolist()) == ("date", ["2023-03-01", "2024-03-01"])


def test_timestamps_without_a_zone(subject: Subject) -> None:
    domain = domain_of(subject, pa.array([dt.datetime(2024, 3, 1, 10, 30), dt.datetime(2024, 3, 1)]))  # noqa: DTZ001
    assert (domain.kind, len(domain), domain.values[1].astype(str)) == ("datetime", 2, "2024-03-01T10:30:00.000000")


def test_timestamps_with_a_zone_are_points_in_time(typed: Subject) -> None:
    berlin = pa.array(
        [dt.datetime(2024, 3, 1, 11, tzinfo=ZoneInfo("Europe/Berlin"))], pa.timestamp("us", "Europe/Berlin")
    )
    domain = domain_of(typed, berlin)
    assert (domain.kind, domain.texts.tolist()) == ("instant", ["2024-03-01 10:00:00+00:00"])


def test_nanoseconds_are_refused_where_they_would_be_lost() -> None:
    column = pa.array([1_700_000_000_000_000_001], pa.timestamp("ns"))
    with pytest.raises(DataError, match=r"'x' of type .* holds values that .* cannot hold exactly"):
        open_table(pa.table({"x": column})).domains(["x"])


def test_integers_beyond_63_bits(typed: Subject) -> None:
    domain = domain_of(typed, pa.array([2**63 + 5, 7], pa.uint64()))
    assert (domain.kind, domain.values.tolist()) == ("number", [7, 2**63 + 5])


def test_an_empty_text_is_missing_by_default(subject: Subject) -> None:
    domain = domain_of(subject, pa.array(["", "a", None]))
    assert (domain.values.tolist(), domain.counts.tolist()) == (["a"], [1, 2])


def test_an_empty_text_is_a_value_on_request(typed: Subject) -> None:
    source = typed.load(pa.table({"x": ["", "a", None]}))
    domain = open_table(source, missing_values=()).domains(["x"])["x"]
    assert (domain.values.tolist(), domain.counts.tolist()) == (["", "a"], [1, 1, 1])


def test_other_texts_are_missing_only_if_one_says_so(subject: Subject) -> None:
    table = pa.table({"x": ["NA", "a", "unknown"], "y": [1, 2, 3]})
    assert open_table(subject.load(table)).domains(["x"])["x"].has_null is False
    told = open_table(subject.load(table), missing_values=["", "NA", "unknown"]).domains(["x"])["x"]
    assert (told.values.tolist(), told.counts.tolist()) == (["a"], [1, 2])


def test_look_alikes_stay_apart_and_are_found(subject: Subject) -> None:
    domain = domain_of(subject, pa.array(["M", "\u041c", "F", "F "]))
    assert len(domain) == 4
    assert domain.look_alikes() == ((0, 1), (2, 3))


def test_an_empty_table_has_empty_domains(typed: Subject) -> None:
    if typed.name == "reference":
        assert len(open_table([]).domains(["x"])["x"]) == 0
    else:
        assert len(domain_of(typed, pa.array([], pa.string()))) == 0


def test_columns_are_named_in_order(typed: Subject) -> None:
    table = pa.table({"b": [1.5], "a": ["x"], "c": [dt.date(2024, 1, 1)], "d": [True]})
    kinds = open_table(typed.load(table)).columns()
    assert list(kinds) == ["b", "a", "c", "d"]
    assert list(kinds.values()) == ["number", "text", "date", "boolean"]


def test_an_unknown_column_is_named_with_the_nearest(subject: Subject) -> None:
    engine = open_table(subject.load(pa.table({"zip": ["1"], "age": [3]})))
    with pytest.raises(UnknownColumnError, match=r"no column 'zpi'.*did you mean 'zip'"):
        engine.domains(["zpi"])


def test_lists_cannot_be_grouped() -> None:
    engine = open_table(pa.table({"x": [[1], [2]]}))
    assert engine.columns() == {"x": None}
    with pytest.raises(DataError, match="'x' holds values of type List"):
        engine.domains(["x"])


def test_two_columns_of_one_name_are_refused() -> None:
    doubled = pd.DataFrame([[1, 2]], columns=["age", "age"])
    for table in (doubled, pa.table([[1], [2]], names=["age", "age"])):
        with pytest.raises(
            SchemaError, match="Columns 1 and 2 of the table have the same name, whatever the case: 'age' and 'age'"
        ):
            open_table(table)


def test_a_pandas_column_of_mixed_types_is_named_without_its_values() -> None:
    with pytest.raises(DataError, match="'x' mixes number and text values") as caught:
        open_table(pd.DataFrame({"x": ["canary", 5]}))
    assert "canary" not in str(caught.value)


def test_a_pandas_name_that_is_no_text_is_refused() -> None:
    with pytest.raises(SchemaError, match="Column 1 of the table has a name of type int"):
        open_table(pd.DataFrame({0: [1]}))


def test_an_unknown_kind_of_table_is_refused_by_its_type() -> None:
    with pytest.raises(DataError, match=r"type builtins.set cannot be opened.*pandas, Polars"):
        open_table({1, 2})
