"""What other libraries hand over in an unusual way is read; what cannot be read is refused by name, and says why."""

from __future__ import annotations

import datetime as dt
import errno
import gc
import gzip
import os
import struct
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
import pytest

from incrowd.core import CensusRequest, DataError, EngineError, ParameterError
from incrowd.engines import _backend, open_table
from incrowd.engines._duckdb import SHORT
from incrowd.engines._files import damage_in
from incrowd.engines._private_folder import make_private, private_folder
from incrowd.engines.formats import _output

HARDENED = {"no access": "SET enable_external_access = false", "no Python": "SET python_enable_replacements = false"}
DAMAGED = r"The file 'visits.parquet' is damaged: what it holds cannot be read\. Hint: copy it again"
CUT_OFF = r"The file 'visits.csv.gz' is not a gzip file, or is cut off"


Connection = duckdb.DuckDBPyConnection


@pytest.fixture
def connection() -> Connection:
    """Give a connection that lives as long as its relations, as DuckDB before 1.5 wants it."""
    return duckdb.connect()


def relation(connection: Connection, query: str) -> duckdb.DuckDBPyRelation:
    connection.execute(f"CREATE TABLE visits AS {query}")
    return connection.table("visits")


def texts(source: Any, name: str) -> list[str | None]:
    found: list[str | None] = open_table(source).domains([name])[name].texts.tolist()
    return found


def table_with(**columns: Any) -> pa.Table:
    return pa.table({"age": [30, 30, 31], **columns})


def broken_at(place: int, path: Path) -> None:
    """Write a Parquet file with one page, and overwrite some bytes of it."""
    pyarrow.parquet.write_table(pa.table({"age": list(range(5_000))}), path, use_dictionary=False)
    content = path.read_bytes()
    rest = place % len(content)
    path.write_bytes(content[:rest] + b"\xff\x00\xff\x13\x37\xff" + content[rest + 6 :])


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """Give a Parquet file whose page is damaged; it begins at the fifth byte."""
    broken_at(4, tmp_path / "visits.parquet")
    return tmp_path / "visits.parquet"


def test_json_is_read_as_text(connection: Connection) -> None:
    source = relation(connection, """SELECT * FROM (VALUES ('{"a": 1}'::JSON), ('{"a": 2}'), (NULL)) t(x)""")
    assert texts(source, "x") == ['{"a": 1}', '{"a": 2}', None]


def test_json_in_a_parquet_file_is_read_as_text(connection: Connection, tmp_path: Path) -> None:
    source = relation(connection, """SELECT '{"a": 1}'::JSON AS x, 1 AS age""")
    source.write_parquet(str(tmp_path / "visits.parquet"))
    assert texts(tmp_path / "visits.parquet", "x") == ['{"a": 1}']


@pytest.mark.parametrize("lossless", ["true", "false"])
@pytest.mark.parametrize("type_", ["HUGEINT", "UHUGEINT"])
def test_sums_of_duckdb_are_numbers_whatever_it_is_set_to_hand_over(
    type_: str, lossless: str, connection: Connection
) -> None:
    most = 10**38 - 1
    query = f"SELECT * FROM (VALUES (2::{type_}), ('{most}'), (NULL)) t(x)"
    connection.execute(f"SET arrow_lossless_conversion = {lossless}")
    source = relation(connection, query)
    engine = open_table(source)
    assert engine.domains(["x"])["x"].kind == "number"
    assert texts(source, "x") == ["2", str(most), None]
    assert set(engine.materialise().fetchall()) == {(Decimal(2),), (Decimal(most),), (None,)}


@pytest.mark.parametrize("lossless", ["true", "false"])
def test_numbers_of_more_than_38_digits_are_refused(lossless: str, connection: Connection) -> None:
    connection.execute(f"SET arrow_lossless_conversion = {lossless}")
    source = relation(connection, f"SELECT 1 AS age, '{10**38}'::HUGEINT AS x")
    with pytest.raises(DataError, match="Column 2 of the table holds whole numbers of more than 38 digits") as caught:
        open_table(source).domains(["x"])
    assert str(10**38) not in str(caught.value)


def zipped() -> bytes:
    return gzip.compress(b"age\n" + b"".join(b"%d\n" % (number * 7919 % 1009) for number in range(50_000)))


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
@pytest.mark.parametrize("kept", [0.5, 0.9, 0.9999])
def test_a_compressed_file_that_is_cut_off_is_refused_in_every_encoding(
    kept: float, encoding: str, tmp_path: Path
) -> None:
    content = zipped()
    (tmp_path / "visits.csv.gz").write_bytes(content[: int(len(content) * kept)])
    with pytest.raises(DataError, match=CUT_OFF):
        open_table(tmp_path / "visits.csv.gz", encoding=encoding).domains(["age"])


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_a_compressed_file_with_another_checksum_is_refused_in_every_encoding(encoding: str, tmp_path: Path) -> None:
    content = zipped()
    checksum, size = struct.unpack("<II", content[-8:])
    (tmp_path / "visits.csv.gz").write_bytes(content[:-8] + struct.pack("<II", checksum ^ 1, size))
    with pytest.raises(DataError, match=CUT_OFF):
        open_table(tmp_path / "visits.csv.gz", encoding=encoding).domains(["age"])


def test_a_compressed_file_that_only_duckdb_refuses_is_named(tmp_path: Path) -> None:
    (tmp_path / "visits.csv.gz").write_bytes(zipped() + b"\0" * 100)
    with pytest.raises(DataError, match=CUT_OFF):
        open_table(tmp_path / "visits.csv.gz").domains(["age"])


def test_a_compressed_file_of_several_parts_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "visits.csv.gz").write_bytes(gzip.compress(b"age\n30\n") + gzip.compress(b"31\n"))
    assert texts(tmp_path / "visits.csv.gz", "age") == ["30", "31"]


def test_a_parquet_file_with_a_damaged_page_is_named(damaged: Path) -> None:
    with pytest.raises(DataError, match=DAMAGED):
        open_table(damaged).census(CensusRequest(("age",)))


def test_the_damaged_one_of_several_parquet_files_is_named(damaged: Path) -> None:
    pyarrow.parquet.write_table(pa.table({"age": [30, 31]}), damaged.parent / "before.parquet")
    with pytest.raises(DataError, match=DAMAGED):
        open_table(damaged.parent).census(CensusRequest(("age",)))


def test_what_fails_for_another_reason_is_not_called_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise duckdb.Error

    pyarrow.parquet.write_table(pa.table({"age": [30, 31]}), tmp_path / "visits.parquet")
    engine = open_table(tmp_path / "visits.parquet")
    monkeypatch.setattr(engine, "_collect", fails)
    with pytest.raises(EngineError, match="The engine could not do it"):
        engine.census(CensusRequest(("age",)))


@pytest.mark.parametrize("place", [0, 4, 20])
def test_a_parquet_file_with_a_damaged_footer_is_named(place: int, tmp_path: Path) -> None:
    path = tmp_path / "visits.parquet"
    broken_at(4, path)
    (length,) = struct.unpack("<I", path.read_bytes()[-8:-4])
    broken_at(place - 8 - length, path)
    with pytest.raises(DataError, match=r"The file 'visits\.parquet' is (damaged|not a Parquet file, or is cut off)"):
        open_table(path).domains(["age"])


def test_an_arrow_file_that_is_cut_off_is_named(tmp_path: Path) -> None:
    table = table_with(x=["a", "b", "c"])
    with pyarrow.ipc.new_stream(str(tmp_path / "visits.arrow"), table.schema) as file:
        file.write_table(table)
    whole = (tmp_path / "visits.arrow").read_bytes()
    (tmp_path / "visits.arrow").write_bytes(whole[:-40])
    with pytest.raises(DataError, match=r"The file 'visits.arrow' is not an Arrow file, or is damaged or cut off"):
        open_table(tmp_path / "visits.arrow")


LENGTHS = [dt.timedelta(days=1), dt.timedelta(microseconds=1), None]


def of_arrow(_: Path) -> Any:
    return table_with(stay=pa.array(LENGTHS, pa.duration("ns")))


def of_arrow_inside(_: Path) -> Any:
    return table_with(stay=pa.array([[length] for length in LENGTHS], pa.list_(pa.duration("us"))))


def of_arrow_months(_: Path) -> Any:
    return table_with(stay=pa.array([(1, 2, 3)] * 3, pa.month_day_nano_interval()))


def of_pandas(_: Path) -> Any:
    return pd.DataFrame({"age": [30, 30, 31], "stay": pd.to_timedelta([1, 2, 3], unit="s")})


def of_polars(_: Path) -> Any:
    return pl.DataFrame({"age": [30, 30, 31], "stay": LENGTHS})


def of_parquet(folder: Path) -> Path:
    pyarrow.parquet.write_table(table_with(stay=pa.array(LENGTHS, pa.duration("us"))), folder / "visits.parquet")
    return folder / "visits.parquet"


@pytest.mark.parametrize(
    "make",
    [
        of_arrow,
        of_arrow_inside,
        of_arrow_months,
        of_pandas,
        of_polars,
        of_parquet,
    ],
)
def test_durations_are_refused_by_name_where_they_would_be_used(make: Callable[[Path], Any], tmp_path: Path) -> None:
    engine = open_table(make(tmp_path))
    assert engine.domains(["age"])["age"].values.tolist() == [30, 31]
    with pytest.raises(DataError, match=r"Column 'stay' holds durations.*make it a number first, such as days"):
        engine.domains(["stay"])


INTERVALS = "SELECT 30 AS age, INTERVAL '1 month 2 days 3.00{} seconds' AS stay"


def test_durations_of_duckdb_come_back_as_they_came(connection: Connection) -> None:
    published = open_table(relation(connection, INTERVALS.format("0456"))).materialise()
    assert published.project("stay::VARCHAR").fetchall() == [("1 month 2 days 00:00:03.000456",)]


def test_durations_of_which_parquet_would_lose_some_are_not_written(connection: Connection, tmp_path: Path) -> None:
    source = relation(connection, INTERVALS.format("0456"))
    with pytest.raises(
        DataError, match="Column 2 of the release holds durations finer than a millisecond, which Parque"
    ):
        open_table(source).write(tmp_path / "visits.parquet")


def test_durations_that_parquet_can_hold_are_written(connection: Connection, tmp_path: Path) -> None:
    open_table(relation(connection, INTERVALS.format("4"))).write(tmp_path / "visits.parquet")
    written = connection.read_parquet(str(tmp_path / "visits.parquet")).project("stay::VARCHAR")
    assert written.fetchall() == [("1 month 2 days 00:00:03.004",)]


@pytest.mark.parametrize("lazy", [True, False])
@pytest.mark.parametrize(
    ("column", "says"),
    [
        (pl.Series([10**25], dtype=pl.Int128), r"type Int128 of Polars.*cast it to Int64 first, or to Decimal"),
        (pl.Series([object()], dtype=pl.Object), r"type Object of Polars.*make it numbers, booleans"),
    ],
)
def test_what_only_polars_knows_is_refused_by_name(column: pl.Series, says: str, lazy: bool) -> None:
    frame = pl.DataFrame({"age": [30], "x": column})
    with pytest.raises(DataError, match=f"Column 'x' holds values of the {says}"):
        open_table(frame.lazy() if lazy else frame)


@pytest.mark.parametrize("setting", HARDENED.values(), ids=HARDENED.keys())
def test_a_connection_that_takes_no_tables_of_python_says_what_to_do(setting: str, connection: Connection) -> None:
    source = relation(connection, "SELECT 30 AS age")
    connection.execute(setting)
    engine = open_table(source)
    with pytest.raises(EngineError, match=r"does not let tables of Python be joined.*to_arrow_table\(\) instead"):
        engine.census(CensusRequest(("age",)))
    assert connection.sql("SHOW TABLES").fetchall() == [("visits",)]
    assert open_table(source.to_arrow_table()).census(CensusRequest(("age",))).records == 1


def test_more_memory_than_duckdb_can_count_may_be_asked_for(tmp_path: Path) -> None:
    assert open_table(csv_in(tmp_path), memory="99999999999TB").domains(["age"])["age"].texts.tolist() == ["30", "31"]


def csv_in(folder: Path) -> Path:
    (folder / "visits.csv").write_text("age\n30\n31\n")
    return folder / "visits.csv"


def test_a_file_is_no_place_to_spill_to(tmp_path: Path) -> None:
    source = csv_in(tmp_path)
    with pytest.raises(ParameterError, match=r"temp is no folder that can be written to: '.*visits.csv'"):
        open_table(source, temp=source)
    with pytest.raises(ParameterError, match="temp is no folder that can be written to"):
        open_table(source, temp=source / "inside")


def test_folders_that_were_made_to_spill_to_are_gone_afterwards(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    engines = [open_table(csv_in(tmp_path), temp=tmp_path / "mine" / "new" / "deep") for _ in range(2)]
    (shared,) = (tmp_path / "mine" / "new" / "deep").iterdir()
    assert len([path for path in shared.iterdir() if path.is_dir()]) == 2
    engines.pop(0)
    gc.collect()
    assert len([path for path in shared.iterdir() if path.is_dir()]) == 1
    engines.clear()
    gc.collect()
    assert list((tmp_path / "mine").iterdir()) == []


def test_folders_that_were_there_before_or_hold_something_else_stay(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    kept = [tmp_path / "mine", tmp_path / "new"]
    engines = [open_table(csv_in(tmp_path), temp=place) for place in kept]
    (tmp_path / "new" / "notes.txt").write_text("of somebody")
    engines.clear()
    gc.collect()
    assert [len(list(place.iterdir())) for place in kept] == [0, 1]


def test_a_disk_without_room_is_said_to_be_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("incrowd.engines._private_folder.make_private", full)
    with pytest.raises(EngineError, match="The disk is full"):
        open_table(csv_in(tmp_path), temp=tmp_path)


def test_a_place_that_was_just_taken_away_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, tries = tmp_path / "new", []

    def taken_away(parent: Path) -> tuple[Path, int | None]:
        tries.append(parent)
        if len(tries) == 1:
            parent.rmdir()
        return make_private(parent)

    monkeypatch.setattr("incrowd.engines._private_folder.make_private", taken_away)
    assert open_table(csv_in(tmp_path), temp=place).domains(["age"])["age"].texts.tolist() == ["30", "31"]
    assert tries == [place, place]


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_a_file_that_may_not_be_read_is_not_called_cut_off(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(*_: object) -> None:
        raise PermissionError(errno.EACCES, "no")

    (tmp_path / f"visits.{kind}").write_bytes(b"")
    monkeypatch.setattr("pyarrow.memory_map", closed)
    monkeypatch.setattr("pyarrow.parquet.read_schema", closed)
    with pytest.raises(DataError, match=r"The file( 'visits\.\w+')? may not be read or written"):
        open_table(tmp_path / f"visits.{kind}")


@pytest.mark.parametrize("reason", [duckdb.OutOfMemoryException, duckdb.IOException, duckdb.InterruptException])
def test_a_file_that_could_not_be_looked_at_is_not_called_damaged(reason: type[Exception], damaged: Path) -> None:
    class Busy:
        def read_parquet(self, *_: object, **__: object) -> None:
            raise reason

    assert damage_in([damaged], Busy()) is None  # type: ignore[arg-type]


def test_a_place_for_temp_that_somebody_else_uses_too_is_theirs(tmp_path: Path) -> None:
    place = tmp_path / "new"
    with private_folder(place):
        (place / "note").touch()
    (place / "note").unlink()
    place.rmdir()
    place.mkdir()
    with private_folder(place):
        pass
    assert place.is_dir()


def test_of_two_in_the_same_new_place_the_last_one_takes_it_away(tmp_path: Path) -> None:
    place = tmp_path / "a" / "b"
    with private_folder(place):
        with private_folder(place):
            pass
        assert place.is_dir()
    assert not (tmp_path / "a").exists()


class OutOfMemory:
    """Lets DuckDB run out of memory some times, before the work is done after all."""

    def __init__(self, times: int, error: Exception) -> None:
        self.times, self.error, self.rows = times, error, list[Any]()

    def __call__(self, wrapped: Any) -> Any:
        def work(*args: Any, **kwargs: Any) -> Any:
            self.rows.append(kwargs.get("rows", args[-1]))
            if len(self.rows) <= self.times:
                raise self.error
            return wrapped(*args, **kwargs)

        return work


OUT_OF_MEMORY = [
    duckdb.OutOfMemoryException("Out of Memory Error: failed to pin block of 'Müller'"),
    duckdb.InvalidInputException("get_next failed: Out of Memory Error: could not allocate 'Müller'"),
    OSError("Out of Memory Error: could not allocate 'Müller'"),
]


@pytest.mark.parametrize("error", OUT_OF_MEMORY, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("times", [1, 2])
def test_what_does_not_fit_is_tried_again_with_one_thread_and_short_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, times: int
) -> None:
    engine = open_table(csv_in(tmp_path), temp=tmp_path)
    failing = OutOfMemory(times, error)
    monkeypatch.setattr(_backend, "write_relation", failing(_output.write_relation))
    out = tmp_path / "out.parquet"
    if times == 1:
        engine.write(out)
        assert open_table(out).domains(["age"])["age"].counts.sum() == 2
    else:
        with pytest.raises(EngineError, match=r"^Memory ran out: 'out.parquet' could not be written\."):
            engine.write(out)
    assert failing.rows == [None, SHORT]
    ((threads,),) = engine._home._workshop.connection.execute("SELECT current_setting('threads')").fetchall()  # type: ignore[attr-defined]
    assert threads == 1


def test_another_trouble_is_not_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failing = OutOfMemory(1, duckdb.InvalidInputException("something else"))
    monkeypatch.setattr(_backend, "write_relation", failing(_output.write_relation))
    with pytest.raises(EngineError, match="InvalidInputException"):
        open_table(csv_in(tmp_path), temp=tmp_path).write(tmp_path / "out.parquet")
    assert failing.rows == [None]


def test_cells_on_the_disk_are_tried_again_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine: Any = open_table(csv_in(tmp_path), temp=tmp_path)
    failing = OutOfMemory(1, OUT_OF_MEMORY[0])
    monkeypatch.setattr(_backend, "write_parquet", failing(_output.write_parquet))
    engine._home.staged(engine._frame)
    assert failing.rows == [None, SHORT]


def test_tables_with_the_same_resources_share_one_memory(tmp_path: Path) -> None:
    first, second = (open_table(csv_in(tmp_path), memory="300MB", temp=tmp_path) for _ in range(2))
    other = open_table(csv_in(tmp_path), memory="400MB", temp=tmp_path)
    shared, same, another = (engine._home._workshop.database for engine in (first, second, other))  # type: ignore[attr-defined]
    assert shared is same
    assert shared is not another


def test_one_table_that_keeps_its_order_does_not_lose_it_to_another(tmp_path: Path) -> None:
    engines: list[Any] = [open_table(csv_in(tmp_path), memory="300MB", temp=tmp_path) for _ in range(2)]
    asked = "SELECT current_setting('preserve_insertion_order')"
    homes = [engine._home for engine in engines]
    homes[0].numbered(engines[0]._frame)
    homes[1].staged(engines[1]._frame)
    assert homes[1]._workshop.connection.execute(asked).fetchall() == [(True,)]
    del engines[0], homes[0]
    gc.collect()
    assert homes[0]._workshop.connection.execute(asked).fetchall() == [(False,)]
