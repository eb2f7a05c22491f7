"""The text of a value follows from the value and its column's kind alone: in memory, in every file, in every check."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any, get_args
from zoneinfo import ZoneInfo

import duckdb
import pandas as pd
import pyarrow as pa
import pytest

import incrowd as ic
from incrowd.release._output import Format
from release.verified import script_here

BERLIN = ZoneInfo("Europe/Berlin")
FORMATS: tuple[Format, ...] = get_args(Format)


def flat(*quasi: str, **roles: Any) -> ic.Schema:
    return ic.Schema(quasi={name: ic.flat() for name in quasi}, **roles)


def verified(folder: Path) -> bool:
    """Say whether a saved release is as certified, by us and by the script beside it."""
    found = ic.verify(folder / "public" / "release.json", owner=folder / "owner")
    return found.holds and script_here(folder)[0] == 0


class Ward(str, Enum):  # noqa: UP042 - unlike StrEnum, str() gives its name
    ONE = "one"


@pytest.mark.parametrize(
    ("one", "other", "published"),
    [
        (Decimal("1.0"), Decimal("1.00"), "1"),
        (1, 1.0, "1"),
        (1, Decimal("1.00"), "1"),
        (Decimal("2.50"), Decimal("2.5"), "2.5"),
        (0.0, -0.0, "0"),
        ("one", Ward.ONE, "one"),
        (
            dt.datetime(2024, 7, 1, 2, tzinfo=BERLIN),
            dt.datetime(2024, 7, 1, tzinfo=dt.UTC),
            "2024-07-01 00:00:00+00:00",
        ),
        (pd.Timestamp("2024-05-01 08:00"), dt.datetime(2024, 5, 1, 8), "2024-05-01 08:00:00"),  # noqa: DTZ001
    ],
)
def test_equal_values_of_a_list_are_published_as_one_text(one: Any, other: Any, published: str) -> None:
    release = ic.anonymize([{"q": one}, {"q": other}], flat("q"), model="k>=2")
    assert [str(row["q"]) for row in release.table] == [published] * 2
    assert len({type(row["q"]) for row in release.table}) == 1


def test_other_columns_of_a_list_are_published_in_one_form_too() -> None:
    rows = [{"q": "a", "s": Decimal("1.0"), "i": 1.0}, {"q": "a", "s": Decimal("1.00"), "i": 1}]
    release = ic.anonymize(rows, flat("q", sensitive=["s"], insensitive=["i"]), model="k>=2")
    assert [repr(row) for row in release.table] == ["{'q': 'a', 's': 1, 'i': 1}"] * 2


def test_an_hour_that_occurs_twice_is_published_as_two_moments() -> None:
    rows = [{"q": dt.datetime(2024, 10, 27, 2, 30, tzinfo=BERLIN, fold=fold)} for fold in (0, 1, 0, 1)]
    release = ic.anonymize(rows, flat("q"), model="k>=2")
    assert [str(row["q"])[11:16] for row in release.table] == ["00:30", "00:30", "01:30", "01:30"]


def test_timestamps_that_differ_by_nanoseconds_are_refused() -> None:
    rows = [{"q": pd.Timestamp(f"2024-05-01 08:00:00.00000000{digit}")} for digit in (1, 2)]
    with pytest.raises(ic.DataError, match=r"^Column 'q' holds timestamps that differ by nanoseconds"):
        ic.anonymize(rows, flat("q"), model="k>=2")


LEFT_OUT: dict[str, tuple[list[Any], str]] = {
    "fraction": ([1.0, 1.0, 2.5], "1"),
    "decimal": ([Decimal("1.5"), Decimal("1.50"), Decimal("7.123456789")], "1.5"),
    "hour": ([dt.datetime(2024, 5, 1)] * 2 + [dt.datetime(2024, 5, 1, 8)], "2024-05-01"),  # noqa: DTZ001
    "infinity": ([1.0, 1.0, float("inf")], "1"),
    "large": ([1, 1, 2**64], "1"),
}


@pytest.mark.parametrize("case", LEFT_OUT)
@pytest.mark.parametrize("kind", ["list", "pandas"])
@pytest.mark.parametrize("ending", ["parquet", "csv", "xlsx"])
def test_leaving_out_the_only_such_value_changes_no_text(case: str, kind: str, ending: Format, tmp_path: Path) -> None:
    values, text = LEFT_OUT[case]
    rows = [{"q": value, "s": value} for value in values]
    table = rows if kind == "list" else pd.DataFrame({name: pd.Series(values, dtype=object) for name in "qs"})
    given: dict[str, Any] = {"model": "k>=2", "max_suppressed_records": 1}
    release = ic.anonymize(table, flat("q", sensitive=["s"]), **given)
    release.save(tmp_path / "saved", format=ending)
    ic.anonymize(table, flat("q", sensitive=["s"]), output=tmp_path / "written", format=ending, **given)
    assert verified(tmp_path / "saved")
    assert verified(tmp_path / "written")
    if ending == "csv":
        assert (tmp_path / "saved/public/data.csv").read_text() == f"q,s\n{text},{text}\n{text},{text}\n"


COLUMNS = {
    "DECIMAL(10,2)": ["1.5", "22.25", "100"],
    "DECIMAL(4,4)": ["0.125", "0.25", "0.5"],
    "DECIMAL(38,20)": ["0.10000000000000000001", "2.5", "3"],
    "TIMESTAMPTZ": ["2024-07-01 00:00:00+00:00", "2024-07-01 00:00:00.500000+00:00", "2024-10-27 01:30:00+00:00"],
    "TIMESTAMP": ["2024-05-01", "2024-05-01 00:00:01", "2024-05-02"],
    "DOUBLE": ["-2.5", "0.0000001", "inf"],
    "UBIGINT": ["1", "2", "9223372036854775808"],
    "HUGEINT": ["1", "2", "9" * 38],
}


@pytest.mark.parametrize("type_", COLUMNS)
@pytest.mark.parametrize("ending", ["parquet", "csv", "csv.gz", "arrow"])
def test_ordered_columns_of_every_type_are_saved_and_verified(type_: str, ending: Format, tmp_path: Path) -> None:
    rows = ", ".join(f"('{group}', CAST('{text}' AS {type_}))" for group in "ab" for text in COLUMNS[type_])
    table = duckdb.sql(f"SELECT * FROM (VALUES {rows}) AS t(q, cost)")
    release = ic.anonymize(table, flat("q", sensitive=["cost"]), model="t<=0.1[cost, ordered]")
    release.save(tmp_path / "out", format=ending)
    assert verified(tmp_path / "out")
    if ending == "csv":
        lines = (tmp_path / "out/public/data.csv").read_text().splitlines()
        assert lines == ["q,cost", *(f"{group},{text}" for group in "ab" for text in COLUMNS[type_])]


MEANINGS: dict[str, Any] = {
    "categories": ic.categories({"high": ["2.50", 3], "low": [1.0]}),
    "tree": ic.tree({"all": {"high": [2.5, 3.0], "low": ["1.0"]}}),
    "order": ic.ordered([1, 2.5, 3.0]),
}


@pytest.mark.parametrize("meaning", MEANINGS)
@pytest.mark.parametrize("ending", FORMATS)
def test_what_is_known_about_numbers_is_saved_by_their_one_text(meaning: str, ending: Format, tmp_path: Path) -> None:
    table = pd.DataFrame({"q": ["a", "a", "b", "b", "c"], "s": [1.0, 3.0, 1.0, 3.0, 2.5]})
    distance = {
        "categories": "enhanced(p=2, alpha=1)",
        "tree": "t<=0.5[s, hierarchical]",
        "order": "t<=0.5[s, ordered]",
    }
    schema = flat("q", sensitive={"s": MEANINGS[meaning]})
    release = ic.anonymize(table, schema, model=f"k>=2, {distance[meaning]}", max_suppressed_records=1)
    release.save(tmp_path / "out", format=ending)
    assert verified(tmp_path / "out")


@pytest.mark.parametrize("ending", ["parquet", "csv", "xlsx"])
def test_listed_values_are_found_however_they_are_written(ending: Format, tmp_path: Path) -> None:
    table = pd.DataFrame({"q": ["a", "a", "b", "b", "c"], "s": [1.0, 3.0, 1.0, 3.0, 2.5]})
    release = ic.anonymize(
        table, flat("q", sensitive=["s"]), model="k>=2, alpha<=0.5[s: 1.0]", max_suppressed_records=1
    )
    release.save(tmp_path / "out", format=ending)
    assert verified(tmp_path / "out")


def test_a_recoding_of_floats_is_applied_to_integers(tmp_path: Path) -> None:
    table = pd.DataFrame({"q": [1.0, 1.0, 2.5, 2.5]})
    first = ic.anonymize(table, flat("q"), model="k>=2", algorithm=ic.Optimal())
    first.save(tmp_path / "out")
    again = ic.apply(tmp_path / "out/owner", pa.table({"q": [1, 1]}))
    assert again.table.to_pylist() == [{"q": 1}, {"q": 1}]


@pytest.mark.parametrize("values", [[1e17, 1e17, 10**17, 10**17], [10**17, 1e17], [Decimal("1E+17"), 1e17]])
def test_floats_beside_large_integers_that_are_equal_are_refused_whichever_comes_first(values: list[Any]) -> None:
    with pytest.raises(ic.DataError, match="mixes floating-point numbers with decimals or integers"):
        ic.anonymize([{"q": value} for value in values], ic.Schema({"q": ic.flat()}), model="k>=2")


def test_nanoseconds_in_a_column_of_objects_are_refused_as_anywhere() -> None:
    moments = [pd.Timestamp("2024-01-01 00:00:00.000000001"), pd.Timestamp("2024-01-01 00:00:00.000000002")]
    frame = pd.DataFrame({"q": pd.Series(moments, dtype=object)})
    with pytest.raises(ic.DataError, match="timestamps that differ by nanoseconds"):
        ic.anonymize(frame, ic.Schema({"q": ic.flat()}), model="k>=2")


def test_what_pandas_calls_missing_is_missing_in_a_list_too() -> None:
    release = ic.anonymize([{"q": value} for value in (1, 1, pd.NA, pd.NA)], ic.Schema({"q": ic.flat()}), model="k>=2")
    assert [row["q"] for row in release.table] == [1, 1, None, None]


def test_decimal_numbers_of_too_many_digits_are_refused_in_plain_words(tmp_path: Path) -> None:
    release = ic.anonymize([{"q": Decimal("1." + "1" * 60)}] * 2, ic.Schema({"q": ic.flat()}), model="k>=2")
    with pytest.raises(ic.DataError, match="Column 'q' mixes types, or holds values that are too large"):
        release.save(tmp_path / "out", format="csv")
