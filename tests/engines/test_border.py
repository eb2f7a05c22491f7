"""No value of a table in any message: the canary must never sing."""

from __future__ import annotations

import errno
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pytest

from incrowd.core import CensusRequest, EngineError, FullDomainRecoding, IncrowdError
from incrowd.engines import open_table
from incrowd.engines._border import guarded
from incrowd.hierarchies import flat

CANARY = "Canary-4711"


def failing_relation() -> Any:
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE t AS SELECT '{CANARY}' AS zip")
    return connection.sql("SELECT CAST(zip AS INTEGER) AS zip FROM t")


def failing_lazy_frame() -> Any:
    return pl.LazyFrame({"zip": [CANARY]}).with_columns(pl.col("zip").str.to_integer(strict=True))


def failing_file(folder: Path) -> Path:
    path = folder / "t.csv"
    path.write_text(f"zip,x\n{CANARY},1,2\n")
    return path


@pytest.mark.parametrize("make", [failing_relation, failing_lazy_frame, failing_file])
def test_foreign_errors_are_replaced_at_the_border(make: Callable[..., Any], tmp_path: Path) -> None:
    source = make(tmp_path) if make is failing_file else make()
    with pytest.raises(IncrowdError) as caught:
        open_table(source).census(CensusRequest(("zip",)))
    error = caught.value
    assert CANARY not in "".join(traceback.format_exception(error))
    assert error.__cause__ is None
    assert error.__context__ is None


def test_an_unknown_error_names_its_kind_and_place_only() -> None:
    @guarded
    def fails() -> None:
        raise LookupError(CANARY)

    with pytest.raises(EngineError, match=r"builtins.LookupError at unknown place.*withheld") as caught:
        fails()
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (FileNotFoundError(CANARY), "The file does not exist"),
        (PermissionError(CANARY), "may not be read or written"),
        (MemoryError(CANARY), "Memory ran out"),
        (duckdb.OutOfMemoryException(CANARY), "Memory ran out"),
        (OSError(f"{CANARY}: No space left on device"), "The disk is full"),
        (duckdb.OutOfMemoryException(f"{CANARY}: set by the 'max_temp_directory_size' setting"), "The disk is full"),
        (
            duckdb.InvalidInputException(f"CSV Error on Line: 7 {CANARY} Value with unterminated quote found."),
            "Line 7.*quote",
        ),
        (duckdb.InvalidInputException(f"CSV Error on Line: 7 {CANARY} Invalid unicode"), "Line 7.*not valid UTF-8"),
        (duckdb.InvalidInputException(f"CSV Error on Line: 7 {CANARY}"), "Line 7 of the file cannot be read"),
    ],
)
def test_known_errors_say_what_to_do(error: Exception, says: str) -> None:
    @guarded
    def fails() -> None:
        raise error

    with pytest.raises(IncrowdError, match=says) as caught:
        fails()
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (OSError(errno.ENOSPC, f"{CANARY}: No space left on device"), "The disk is full"),
        (MemoryError(CANARY), "Memory ran out"),
        (OSError(errno.EIO, f"Error writing {CANARY}. Detail: Input/output error"), "Input/output error"),
        (duckdb.IOException(f"Could not write {CANARY}: Disk quota exceeded"), "Disk quota exceeded"),
        (LookupError(CANARY), r"The engine could not do it \(builtins.LookupError at unknown place\)"),
    ],
)
def test_an_error_says_which_file_could_not_be_written_or_read(error: Exception, says: str) -> None:
    @guarded
    def write(_: Path) -> None:
        raise error

    @guarded
    def read(_: Path) -> None:
        raise error

    @guarded
    def closed(_: Path) -> None:
        raise PermissionError(errno.EACCES, CANARY)

    with pytest.raises(IncrowdError, match=r"^The file 'data.csv' may not be read or written"):
        closed(Path("out/data.csv"))
    for work, done in ((write, "written"), (read, "read")):
        with pytest.raises(EngineError, match=f"^{says}: 'data.csv' could not be {done}") as caught:
            work(Path("out/data.csv"))
        assert CANARY not in str(caught.value)


def test_an_interrupt_passes_the_border() -> None:
    @guarded
    def fails() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fails()


def test_no_repr_shows_a_value() -> None:
    table = pa.table({"zip": [CANARY], "disease": [CANARY], "person": [CANARY]})
    engine = open_table(table)
    census = engine.census(CensusRequest(("zip",), ("disease",), entity="person"))
    shown = [repr(thing) for thing in (engine, census, census.domains["zip"], census.classes(), census.codes)]
    assert CANARY not in "".join(shown)


@pytest.mark.parametrize("error", [RuntimeError("Query interrupted"), duckdb.InterruptException("INTERRUPT Error")])
def test_who_stops_it_while_duckdb_works_has_stopped_it(error: Exception) -> None:
    @guarded
    def work() -> None:
        raise error

    with pytest.raises(KeyboardInterrupt):
        work()


def test_who_stops_it_while_rows_are_handed_to_duckdb_has_stopped_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "t.csv").write_text("zip\n1\n2\n")
    engine = open_table(tmp_path / "t.csv")
    domains = engine.domains(["zip"])
    recoding = FullDomainRecoding(domains, {"zip": flat().bind(domains["zip"])}, {"zip": 0})
    published = engine.recode(recoding, ["zip"])
    monkeypatch.setattr("incrowd.engines._tally.report_stage", stop)
    with pytest.raises(KeyboardInterrupt):
        published.write(tmp_path / "out.parquet")
