"""Parquet files are published from their census where that is much shorter: nobody can tell which way it went."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import incrowd as ic
from incrowd.engines._tally import ParquetEngine, TalliedEngine

PROMISE: Any = {"model": "k>=20, l>=2[share], l>=2[seen]", "max_suppressed": 0.1}
SCHEMA = ic.Schema(
    quasi={"age": ic.intervals(3), "born": ic.flat(), "cost": ic.flat(), "new": ic.flat()}, sensitive=["share", "seen"]
)


def write(folder: Path, rows: int = 3000) -> Path:
    rng, every = np.random.default_rng(0), range(rows)
    table = pa.table(
        {
            "seen": [dt.datetime(2020, 1, 1 + i % 5 % 3, 5, tzinfo=dt.UTC) for i in every],
            "age": rng.integers(0, 9, rows).astype(np.int16),
            "born": [None if i % 17 == 0 else dt.date(2000 + i % 3, 1, 1) for i in every],
            "cost": pa.array([None if i % 23 == 0 else Decimal(i % 4) / 2 for i in every], pa.decimal128(9, 2)),
            "new": [i % 2 == 0 for i in every],
            "share": rng.integers(0, 3, rows) / 3,
        }
    )
    pyarrow.parquet.write_table(table, folder / "t.parquet")
    return folder / "t.parquet"


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Tell which way each release went: from the census, or not."""
    told: list[bool] = []
    census_for = ParquetEngine._census_for

    def heard(*args: Any) -> Any:
        census = census_for(*args)
        told.append(census is not None and len(census) * 2 <= census.records)
        return census

    monkeypatch.setattr(ParquetEngine, "_census_for", heard)
    return told


@pytest.mark.parametrize(
    "more", [{}, {"at_least": {"age": 1}}, {"at_least": {"age": 2, "new": 1}, "at_most": {"born": 0}}]
)
def test_a_release_from_the_census_is_that_of_the_rows(
    tmp_path: Path, ways: list[bool], monkeypatch: pytest.MonkeyPatch, more: dict[str, Any]
) -> None:
    path = write(tmp_path)
    short = ic.anonymize(path, SCHEMA, **PROMISE, **more)
    assert ways == [True]
    monkeypatch.setattr(ParquetEngine, "_census_for", lambda *_: None)
    long = ic.anonymize(path, SCHEMA, **PROMISE, **more)
    assert short.recipe.suppressed == long.recipe.suppressed > 0
    assert short.table.equals(long.table)
    assert short.table.schema.equals(long.table.schema)


def test_a_release_that_is_written_holds_the_same_rows(tmp_path: Path, ways: list[bool]) -> None:
    path = write(tmp_path)
    table = ic.anonymize(path, SCHEMA, **PROMISE).table
    written = ic.anonymize(path, SCHEMA, output=tmp_path / "out", **PROMISE).table
    assert ways == [True, True]
    assert pyarrow.parquet.read_table(written).equals(table)


@pytest.mark.parametrize(
    "other",
    [
        {"suppression": "mask"},
        {"order": "keep"},
        {"algorithm": ic.Mondrian()},
        {"model": "k>=20, l>=2[seen]"},
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore:Rows keep their order")
def test_what_the_census_does_not_tell_is_read_again(tmp_path: Path, ways: list[bool], other: dict[str, Any]) -> None:
    release = ic.anonymize(write(tmp_path), SCHEMA, **{**PROMISE, **other})
    assert not any(ways)
    assert release.verdict.holds


def test_a_census_that_is_not_much_shorter_is_not_worth_it(tmp_path: Path, ways: list[bool]) -> None:
    ic.anonymize(write(tmp_path, 100), SCHEMA, model="k>=2, l>=2[share], l>=2[seen]", max_suppressed=0.9)
    assert ways == [False]


def test_a_file_that_changed_since_it_was_counted_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path)
    engine = ic.engines.open_table(path)
    assert isinstance(engine, ParquetEngine)
    domains = engine.domains([*SCHEMA.quasi_names, *SCHEMA.sensitive_names])
    ladders = SCHEMA.bind(domains, default=ic.auto()).ladders
    census = engine.census(ic.core.CensusRequest(SCHEMA.quasi_names, SCHEMA.sensitive_names, ladders))
    recoding = ic.core.FullDomainRecoding(
        {name: census.domains[name] for name in census.quasi}, census.ladders, dict.fromkeys(census.quasi, 0)
    )
    publish = [*SCHEMA.quasi_names, *SCHEMA.sensitive_names]
    assert isinstance(engine.recode(recoding, publish), TalliedEngine)
    write(tmp_path, 10)
    with pytest.raises(ic.DataError, match="changed while it was being read"):
        engine.recode(recoding, publish)
