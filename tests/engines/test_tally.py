"""A text file whose published columns were read before is published without reading it again."""

from __future__ import annotations

import csv
import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st

import incrowd as ic
from incrowd.core import FullDomainRecoding, LocalRecoding, UncoveredValuesError
from incrowd.engines import _tally as _tallied, _text, open_table
from incrowd.engines._encoding import Coded
from incrowd.engines._lazy_frame import FrameEngine
from incrowd.engines._tally import CountedEngine, ParquetEngine, TalliedEngine
from incrowd.engines._text import TextEngine
from incrowd.engines._text_columns import TextRows
from incrowd.engines.formats._output import write_batches

PUBLISH = ["zip", "age", "disease"]
rows = st.lists(
    st.tuples(
        st.sampled_from(["", "9", "10", "31", "34"]),
        st.sampled_from(["01", "02", "", "é", "='x"]),
        st.sampled_from("ab"),
    ),
    min_size=1,
    max_size=30,
)


def written(folder: Path, table: list[tuple[str, ...]]) -> Path:
    with (folder / "t.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("age", "zip", "disease"), *table])
    return folder / "t.csv"


def recoding(engine: Any, age: int, zip_: int, suppressed: tuple[Any, ...] = ()) -> FullDomainRecoding:
    domains = engine.domains(["age", "zip"])
    ladders = {"age": ic.intervals(10, 20).bind(domains["age"]), "zip": ic.mask().bind(domains["zip"])}
    return FullDomainRecoding(domains, ladders, {"age": age, "zip": zip_}, suppressed)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    table=rows,
    age=st.integers(0, 1),
    zip_=st.integers(0, 1),
    most=st.sampled_from([1, 1_000]),
    drop=st.booleans(),
    gone=st.integers(0, 3),
)
def test_it_publishes_what_joins_in_duckdb_publish(
    table: list[tuple[str, ...]], age: int, zip_: int, most: int, drop: bool, gone: int, tmp_path: Path
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_text, "TextRows", lambda names, missing, *_: TextRows(names, missing, most))
        patch.setattr(_tallied, "_BLOCK", 4)
        engine: Any = open_table(written(tmp_path, table), drop_missing=["age"] if drop else [])
        engine.domains(PUBLISH)
        plan = recoding(engine, age, zip_)
        groups = [np.arange(min(gone, len(plan.ladders[name].labels[level]))) for name, level in plan.levels.items()]
        shortest = min(map(len, groups))
        plan = recoding(engine, age, zip_, tuple(codes[:shortest] for codes in groups))
        tallied, joined = engine.recode(plan, PUBLISH), FrameEngine.recode(engine, plan, PUBLISH)
        assert isinstance(tallied, TalliedEngine)
        expected = joined.materialise()
        assert tallied.materialise().to_pylist() == expected.to_pylist()
        if not len(expected):
            return
        for ending in ("parquet", "csv"):
            tallied.write(tmp_path / f"tallied.{ending}")
            joined.write(tmp_path / f"joined.{ending}")
        assert (tmp_path / "tallied.csv").read_bytes() == (tmp_path / "joined.csv").read_bytes()
        left, right = (pyarrow.parquet.read_table(tmp_path / f"{name}.parquet") for name in ("tallied", "joined"))
        assert left.schema.equals(right.schema)
        assert left.to_pylist() == right.to_pylist()


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=rows, left_out=st.sampled_from([0, 0.3]))
def test_it_publishes_classes_as_joins_in_duckdb_do(
    table: list[tuple[str, ...]], left_out: float, tmp_path: Path
) -> None:
    schema = ic.Schema({"age": ic.intervals(10, 20), "zip": ic.mask()}, ["disease"])
    path = written(tmp_path, table)
    how: Any = {"model": "k>=2", "max_suppressed": left_out, "algorithm": ic.LevelsAndCells()}
    assume(len(table) > 1)
    engines: list[Any] = []
    recode = TextEngine.recode

    def noticed(*args: Any, **more: Any) -> Any:
        engines.append(recode(*args, **more))
        return engines[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TextEngine, "recode", noticed)
        short = ic.anonymize(path, schema, **how)
        patch.setattr(TextEngine, "recode", FrameEngine.recode)
        long = ic.anonymize(path, schema, **how)
    assert isinstance(short.recoding, LocalRecoding)
    assert [type(engine) for engine in engines] == [TalliedEngine] or not short.recoding.is_whole
    assert short.table.to_pylist() == long.table.to_pylist()


def test_the_file_is_not_read_again(tmp_path: Path) -> None:
    path = written(tmp_path, [("31", "01", "a"), ("34", "01", "b")])
    engine = open_table(path)
    engine.domains(PUBLISH)
    published = engine.recode(recoding(engine, 1, 1), PUBLISH)
    path.unlink()
    published.write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().splitlines() == ["zip,age,disease", '0*,"[30, 40)",a', '0*,"[30, 40)",b']


@pytest.mark.parametrize("how", [{"keep_order": True}, {"replace": {"disease": str.upper}}])
def test_what_numbers_do_not_tell_is_left_to_duckdb(how: Any, tmp_path: Path) -> None:
    engine = open_table(written(tmp_path, [("31", "01", "a"), ("34", "01", "b")]))
    engine.domains(PUBLISH)
    assert not isinstance(engine.recode(recoding(engine, 1, 1), PUBLISH, **how), TalliedEngine)


def test_a_column_that_was_not_read_is_left_to_duckdb(tmp_path: Path) -> None:
    engine = open_table(written(tmp_path, [("31", "01", "a"), ("34", "01", "b")]))
    assert not isinstance(engine.recode(recoding(engine, 1, 1), PUBLISH), TalliedEngine)


def test_values_that_a_recoding_does_not_know_are_refused(tmp_path: Path) -> None:
    known = recoding(open_table(written(tmp_path, [("31", "01", "a")])), 1, 1)
    engine = open_table(written(tmp_path, [("99", "01", "a")]))
    engine.domains(PUBLISH)
    with pytest.raises(UncoveredValuesError, match="'age' has 1 value that is not known"):
        engine.recode(known, PUBLISH)


def test_rows_are_written_to_parquet_block_by_block(tmp_path: Path) -> None:
    rows, size = 600_000, 70_000
    schema = pa.schema([("row", pa.int64())])
    batches = [
        pa.RecordBatch.from_arrays([pa.array(np.arange(start, min(start + size, rows)))], schema=schema)
        for start in range(0, rows, size)
    ]
    write_batches(pa.RecordBatchReader.from_batches(schema, iter(batches)), tmp_path / "rows.parquet")
    file = pyarrow.parquet.ParquetFile(tmp_path / "rows.parquet")
    assert np.array_equal(file.read()["row"].to_numpy(), np.arange(rows))
    assert [file.metadata.row_group(number).num_rows for number in range(9)] == [70_000] * 8 + [40_000]


def test_a_part_of_a_file_names_the_texts_of_its_own_rows_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_tallied, "_BLOCK", 3)
    column = Coded(pa.array(["a", "b", "c"]), np.array([0, 1, 2]))
    TalliedEngine({"job": column}, np.array([3, 2, 2]), lambda table: table).write(tmp_path / "rows.parquet")
    file = pyarrow.parquet.ParquetFile(tmp_path / "rows.parquet", read_dictionary=["job"])
    named = [file.read_row_group(number)["job"].chunk(0).dictionary.to_pylist() for number in range(3)]
    assert named == [["a"], ["b", "c"], ["c"]]
    assert file.read()["job"].to_pylist() == ["a"] * 3 + ["b"] * 2 + ["c"] * 2


# Parquet files are published from their census where that is much shorter: nobody can tell which way it went.

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


@pytest.mark.parametrize("algorithm", [ic.Optimal(), ic.LevelsAndCells(), ic.CheapestFirst()], ids=repr)
@pytest.mark.parametrize(
    "more", [{}, {"at_least": {"age": 1}}, {"at_least": {"age": 2, "new": 1}, "at_most": {"born": 0}}]
)
def test_a_release_from_the_census_is_that_of_the_rows(
    tmp_path: Path, ways: list[bool], monkeypatch: pytest.MonkeyPatch, more: dict[str, Any], algorithm: Any
) -> None:
    if isinstance(algorithm, ic.CheapestFirst):
        more = {"at_least": more.get("at_least")}
    path = write(tmp_path)
    short = ic.anonymize(path, SCHEMA, algorithm=algorithm, **PROMISE, **more)
    assert ways == [True]
    monkeypatch.setattr(ParquetEngine, "_census_for", lambda *_: None)
    long = ic.anonymize(path, SCHEMA, algorithm=algorithm, **PROMISE, **more)
    assert short.recipe.suppressed == long.recipe.suppressed
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


# A local recoding names every record of every cell: where cells hold all that is published, nothing is read again.

LOCAL: dict[str, Any] = {
    "Mondrian": ic.Mondrian(),
    "CheapestFirst": ic.CheapestFirst(),
    "TopDown": ic.TopDown(),
    "LevelsAndCells": ic.LevelsAndCells(),
}


def as_text(path: Path) -> Path:
    open_table(path).write(path.with_suffix(".csv"))
    return path.with_suffix(".csv")


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize("name", LOCAL)
def test_a_local_recoding_laid_out_from_its_cells_is_that_of_the_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, name: str
) -> None:
    path = write(tmp_path, 1500)
    path = as_text(path) if kind == "csv" else path
    asked: dict[str, Any] = {**PROMISE, "model": "k>=7, l>=2[share], l>=2[seen]", "algorithm": LOCAL[name]}
    short = ic.anonymize(path, SCHEMA, **asked)
    written = ic.anonymize(path, SCHEMA, output=tmp_path / "out", **asked).table
    for way in ("_tells", "_census_for"):
        monkeypatch.setattr(CountedEngine, way, lambda *_: None)
    monkeypatch.setattr(LocalRecoding, "is_whole", False)
    long = ic.anonymize(path, SCHEMA, **asked)
    assert short.table.schema.equals(long.table.schema)
    assert short.table.equals(long.table)
    assert pyarrow.parquet.read_table(written).equals(long.table)


def cells_of(engine: Any, **changes: Any) -> LocalRecoding:
    """Publish all records of a table as one class, but for what is changed."""
    request = ic.core.CensusRequest(("age", "zip"), ("disease",))
    census = engine.census(request)
    star = np.array(["*"], dtype=object)
    told: dict[str, Any] = {
        "quasi": census.quasi,
        "domains": census.domains,
        "codes": census.codes,
        "classes": np.zeros(len(census), dtype=np.int64),
        "counts": census.counts.astype(np.int64),
        "labels": (star, star),
    }
    return LocalRecoding(**told | changes)


def test_cells_that_tell_all_are_not_read_again(tmp_path: Path) -> None:
    path = written(tmp_path, [("31", "01", "a"), ("", "01", "b"), ("34", "02", "a")])
    engine = open_table(path)
    published = engine.recode(cells_of(engine), PUBLISH)
    path.unlink()
    published.write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().splitlines() == ["zip,age,disease", "*,*,a", "*,*,a", "*,*,b"]


def test_a_recoding_of_other_records_than_were_counted_is_left_to_the_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LocalRecoding, "is_whole", False)  # else the rows that are held are laid out, one by one
    engine = open_table(written(tmp_path, [("31", "01", "a"), ("31", "01", "a"), ("34", "02", "b")]))
    assert isinstance(engine.recode(cells_of(engine), PUBLISH), TalliedEngine)
    moved = cells_of(engine, counts=np.array([1, 2]))
    assert not isinstance(engine.recode(moved, PUBLISH), TalliedEngine)
    elsewhere = open_table(written(tmp_path, [("31", "01", "a"), ("31", "01", "a"), ("34", "02", "b")]))
    elsewhere.domains(PUBLISH)
    assert not isinstance(elsewhere.recode(cells_of(engine), PUBLISH), TalliedEngine)
    part = cells_of(engine, partial=True)
    assert not isinstance(engine.recode(part, PUBLISH), TalliedEngine)


def test_a_file_that_changed_is_not_laid_out_from_its_cells(tmp_path: Path) -> None:
    engine = open_table(written(tmp_path, [("31", "01", "a")]))
    recoding = cells_of(engine)
    written(tmp_path, [("31", "01", "a"), ("31", "01", "b")])
    with pytest.raises(ic.DataError, match="changed while it was being read"):
        engine.recode(recoding, PUBLISH)
