"""What was left out cannot be read off what is public: types, scales, spellings, categories, dictionaries."""

from __future__ import annotations

import datetime as dt
import pickle
import sqlite3
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pyreadstat
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import incrowd as ic
from incrowd.engines import Budget
from incrowd.release._folder import save
from incrowd.release._output import Format

KEPT = [1, 1, 2, 2]
MOMENT = dt.datetime(2024, 10, 27, tzinfo=dt.UTC)
Columns = Mapping[str, list[Any]]
Source = Callable[[Columns, Path, pytest.MonkeyPatch], Any]


def public_of(table: Any, folder: Path, ending: Format) -> dict[str, bytes]:
    """Publish all records that have a twin, and give every public file."""
    schema = ic.Schema(quasi={"q": ic.flat()}, sensitive=["s"], insensitive=["i"])
    release = ic.anonymize(table, schema, model="k>=2", algorithm=ic.Optimal(), max_suppressed_records=2)
    save(release, folder, format=ending, date="2026-01-01")
    return {path.name: path.read_bytes() for path in (folder / "public").iterdir()}


def as_list(columns: Columns, folder: Path, patch: pytest.MonkeyPatch) -> Any:
    del folder, patch
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def as_objects(columns: Columns, folder: Path, patch: pytest.MonkeyPatch) -> Any:
    del folder, patch
    return pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns.items()})


def as_numbers_in_categories(columns: Columns, folder: Path, patch: pytest.MonkeyPatch) -> Any:
    return as_objects(columns, folder, patch).astype("category")


def as_objects_by_duckdb(columns: Columns, folder: Path, patch: pytest.MonkeyPatch) -> Any:
    patch.setattr(Budget, "rows", lambda *_: 0)
    return as_objects(columns, folder, patch)


def as_csv(columns: Columns, folder: Path, patch: pytest.MonkeyPatch) -> Any:
    del patch
    folder.mkdir(parents=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    (folder / "table.csv").write_text("\n".join(lines) + "\n")
    return folder / "table.csv"


def as_excel(columns: Columns, folder: Path, patch: pytest.MonkeyPatch) -> Any:
    del patch
    folder.mkdir(parents=True)
    pl.DataFrame({name: [float(value) for value in values] for name, values in columns.items()}).write_excel(
        folder / "table.xlsx"
    )
    return folder / "table.xlsx"


def as_sqlite(columns: Columns, folder: Path, patch: pytest.MonkeyPatch) -> Any:
    folder.mkdir(parents=True)
    with sqlite3.connect(folder / "table.db") as connection:
        connection.execute("CREATE TABLE t (q, s, i)")
        values = [
            [float(one) if one != int(one) else int(one) for one in row] for row in zip(*columns.values(), strict=True)
        ]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", values)
    patch.setenv(f"URI_OF_{folder.name}", f"sqlite:{folder / 'table.db'}")
    return ic.Database(f"URI_OF_{folder.name}", table="t")


SOURCES: dict[str, Source] = {
    "list": as_list,
    "objects": as_objects,
    "objects by DuckDB": as_objects_by_duckdb,
    "categories": as_numbers_in_categories,
    "CSV": as_csv,
    "Excel": as_excel,
    "SQLite": as_sqlite,
}


HIDDEN: dict[str, list[Any]] = {
    "plain": [3, 4],
    "floats": [2.5, 7.123456789],
    "decimals": [Decimal("2.5"), Decimal("7.123456789")],
    "both": [3, Decimal("4.00")],
}
TEXTS_OR_FLOATS = {"CSV", "Excel", "SQLite"}
"""Sources that write decimals as they write floats."""


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("ending", ["parquet", "csv", "xlsx", "sav"])
def test_no_public_file_tells_which_numbers_were_left_out(
    source: str, ending: Format, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {
        which: public_of(
            SOURCES[source]({name: [*KEPT, *hidden] for name in "qsi"}, tmp_path / which, monkeypatch),
            tmp_path / f"{which} out",
            ending,
        )
        for which, hidden in HIDDEN.items()
        if which != "decimals" or source not in TEXTS_OR_FLOATS
    }
    assert [which for which, public in found.items() if public != found["plain"]] == []


@pytest.mark.parametrize("source", ["list", "objects", "objects by DuckDB", "categories"])
@pytest.mark.parametrize("kept", [1, -(2**63), 2**63 - 1, 2**63])
def test_no_public_file_tells_how_large_the_whole_numbers_were_that_were_left_out(
    source: str, kept: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [
        public_of(
            SOURCES[source]({name: [kept, kept, hidden] for name in "qsi"}, tmp_path, monkeypatch),
            tmp_path / str(hidden),
            "parquet",
        )
        for hidden in (7, -7, 2**63 + 5, 2**80)
    ]
    assert found[1:] == found[:-1]


FAMILIES: dict[str, tuple[list[list[Any]], list[Any]]] = {
    "floats": ([[1, 1.0], [-3, -3.0], [2.5], [1e-7], [10**15, 1e15]], [0.1, 7, 2.0**60, float("inf"), 0.123456789]),
    "decimals": (
        [[1, Decimal("1.0"), Decimal("1.00")], [Decimal("2.5"), Decimal("2.500")], [2**40, Decimal(2**40)]],
        [Decimal("0.10"), 7, 2**70, Decimal("1E-9"), Decimal("7.123456789")],
    ),
    "moments": (
        [[MOMENT, MOMENT.astimezone(ZoneInfo("Europe/Berlin"))], [MOMENT + dt.timedelta(hours=8)]],
        [MOMENT + dt.timedelta(microseconds=1), MOMENT + dt.timedelta(days=1), MOMENT - dt.timedelta(seconds=90)],
    ),
}
"""Per family values that are equal to each other, and values to leave out."""


@pytest.mark.parametrize("source", ["list", "objects"])
@given(data=st.data(), family=st.sampled_from(sorted(FAMILIES)), ending=st.sampled_from(["csv", "parquet"]))
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_equal_values_are_one_text_and_left_out_ones_leave_no_trace(
    source: str, data: st.DataObject, family: str, ending: Format, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    equal, hidden = FAMILIES[family]
    chosen = data.draw(st.lists(st.sampled_from(equal), min_size=1, unique_by=id))
    kept = [value for forms in chosen for value in data.draw(st.lists(st.sampled_from(forms), min_size=2, max_size=3))]
    number = data.draw(st.integers(0, 2))
    public = []
    for which in ("one", "other"):
        more = data.draw(st.lists(st.sampled_from(hidden), min_size=number, max_size=number, unique=True))
        values = data.draw(st.permutations([*kept, *more]))
        folder = tmp_path / f"{which} {len([*tmp_path.iterdir()])}"
        public.append(public_of(SOURCES[source](dict.fromkeys("qsi", values), tmp_path, monkeypatch), folder, ending))
        assert ic.verify(folder / "public/release.json").holds
    assert public[0] == public[1]
    if ending == "csv":
        assert len(set(public[0]["data.csv"].splitlines())) == len(chosen) + 1


def as_categories(texts: list[str]) -> Any:
    return pd.DataFrame({name: pd.Categorical(texts) for name in "qsi"})


def as_enum(texts: list[str]) -> Any:
    return pl.DataFrame({name: pl.Series(texts, dtype=pl.Enum(sorted(set(texts)))) for name in "qsi"})


def as_lazy_enum(texts: list[str]) -> Any:
    return as_enum(texts).lazy()


def as_dictionaries(texts: list[str]) -> Any:
    return pa.table({name: pa.array(texts).dictionary_encode() for name in "qsi"})


@pytest.mark.parametrize("made", [as_categories, as_enum, as_lazy_enum, as_dictionaries])
@pytest.mark.parametrize("ending", ["parquet", "arrow", "xlsx", "sav"])
def test_no_category_of_a_left_out_record_is_left(
    made: Callable[[list[str]], Any], ending: Format, tmp_path: Path
) -> None:
    tables = [made(["a", "a", "b", "b", *more]) for more in (["c", "d"], ["hidden", "secret"])]
    found = [public_of(table, tmp_path / str(number), ending) for number, table in enumerate(tables)]
    assert found[0] == found[1]


@pytest.mark.parametrize("made", [as_categories, as_enum, as_dictionaries])
def test_no_category_of_a_left_out_record_is_in_the_table_that_is_given_back(made: Callable[[list[str]], Any]) -> None:
    table = made(["a", "a", "b", "b", "secret"])
    schema = ic.Schema(quasi={"q": ic.flat()}, sensitive=["s"], insensitive=["i"])
    release = ic.anonymize(table, schema, model="k>=2", algorithm=ic.Optimal(), max_suppressed_records=1)
    assert b"secret" in pickle.dumps(table)
    assert b"secret" not in pickle.dumps(release.table)


@pytest.mark.parametrize("ending", ["sav", "dta", "parquet"])
def test_no_label_of_a_code_that_was_left_out_is_left(ending: Format, tmp_path: Path) -> None:
    found = []
    for number, label in enumerate(["other", "secret"]):
        table = pl.DataFrame({name: [*KEPT, 3] for name in "qsi"})
        labels: Any = {name: {1: "one", 2: "two", 3: label} for name in "qsi"}
        pyreadstat.write_sav(table, tmp_path / f"{number}.sav", variable_value_labels=labels)
        found.append(public_of(tmp_path / f"{number}.sav", tmp_path / str(number), ending))
    assert found[0] == found[1]
