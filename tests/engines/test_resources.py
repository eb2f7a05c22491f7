"""How much memory a run may use, and who gets which part."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from engines.subjects import make_subject
from incrowd.core import CensusRequest, EngineError, ParameterError
from incrowd.engines import Budget, Resources, _resources as budget, census_size_about, open_table
from incrowd.engines._duckdb import Workshop
from incrowd.engines._protocol import ENOUGH


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("4GB", 4 * 10**9),
        ("4 GiB", 4 * 2**30),
        ("1.5mb", 1_500_000),
        ("64KiB", 65_536),
        ("100B", 100),
        ("2TB", 2 * 10**12),
    ],
)
def test_amounts_are_read_as_they_are_written(written: str, read: int) -> None:
    assert Budget.of(written).total == read


@pytest.mark.parametrize("written", ["lots", "4", "-1GB", "GB", "4 G", "1e3MB", ""])
def test_what_is_no_amount_is_refused(written: str) -> None:
    with pytest.raises(ParameterError, match="memory cannot be read"):
        Budget.of(written)


@pytest.mark.parametrize("written", [4, 4.5, ["4GB"], "\N{ARABIC-INDIC DIGIT FOUR}GB"])
def test_what_is_no_text_of_plain_digits_is_no_amount(written: Any) -> None:
    with pytest.raises(ParameterError, match="memory cannot be read"):
        Budget.of(written)


@pytest.mark.parametrize("written", ["0B", "0GB", "0.0KiB", "0.4B"])
def test_nothing_is_no_budget(written: str) -> None:
    with pytest.raises(ParameterError, match="memory must be more than nothing"):
        Budget.of(written)


def test_more_than_there_is_may_be_asked_for() -> None:
    assert Budget.of("9999999TB").cells(8) > 10**15


@pytest.mark.parametrize("kind", ["parquet", "csv", "duckdb"])
def test_a_column_with_more_values_than_fit_is_refused_while_they_are_counted(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "VALUES", 50)
    monkeypatch.setattr(budget, "free_memory", lambda: 40_000)  # what a connection of the user's may fill here
    table = pa.table({"few": [number % 20 for number in range(60)], "many": [f"v{number}" for number in range(60)]})
    path = tmp_path / f"t.{kind}"
    if kind == "csv":
        pyarrow.csv.write_csv(table, path)
    else:
        pyarrow.parquet.write_table(table, path)
    source = duckdb.read_parquet(str(path)) if kind == "duckdb" else path
    how: dict[str, Any] = {} if kind == "duckdb" else {"memory": "30KB"}
    assert len(open_table(source, **how).domains(["few"])["few"]) == 20
    with pytest.raises(EngineError, match="Column 'many' has more different values than fit into memory: 50 of all"):
        open_table(source, **how).domains(["few", "many"])
    monkeypatch.setattr(budget, "VALUES", 80)
    assert len(open_table(source, **how).domains(["few", "many"])["many"]) == 60


def test_two_fifths_beside_the_libraries_are_for_duckdb_and_for_cells_each() -> None:
    given = Budget.of("1GB")
    left = 10**9 - budget.LIBRARIES
    assert given.engine == left * 2 // 5
    assert given.cells(9) == left * 2 // 5 // (budget.CELL + 18)
    assert given.cells(9, local=True) == left * 2 // 5 // (budget.LOCAL_CELL + 18)
    assert given.values == left // 1000


@pytest.mark.parametrize("memory", ["800MB", "1GB", "1500MB", "16GB", "2TB"])
@pytest.mark.parametrize("columns", [1, 9, 200])
def test_no_part_of_the_memory_is_given_away_twice(memory: str, columns: int) -> None:
    given = Budget.of(memory)
    cells = given.cells(columns, local=True) * (budget.LOCAL_CELL + 2 * columns)
    held = given.rows(columns) * 2 * columns
    assert budget.LIBRARIES + given.engine + cells + held <= given.total
    assert given.rows(columns) * 32 <= given.total * 2 // 5  # sorted before there are cells


def test_more_memory_is_never_less_of_anything() -> None:
    given = [Budget.of(f"{size}MB") for size in range(800, 4000, 100)]
    for less, more in itertools.pairwise(given):
        assert less.engine < more.engine
        assert less.cells(9) < more.cells(9)
        assert less.rows(9) < more.rows(9)
        assert less.batch(9) <= more.batch(9)


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
def test_a_long_table_is_refused_before_it_is_read_where_libraries_fill_the_memory(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"t.{ending}"
    rng = np.random.default_rng(0)
    open_table(pa.table({"age": rng.integers(0, 10**9, 500)})).write(path)
    monkeypatch.setattr(budget, "SHORT_TABLE", 50)
    with pytest.raises(EngineError, match=r"more than 50 rows takes more memory than 799 MB.*memory='800MB'"):
        open_table(path, memory="799MB")
    assert open_table(path, memory="800MB").domains(["age"])["age"].counts.sum() == 500
    monkeypatch.setattr(budget, "SHORT_TABLE", 5000)
    assert open_table(path, memory="1KB").domains(["age"])["age"].counts.sum() == 500


def test_duckdb_gets_what_it_cannot_do_without() -> None:
    workshop = Workshop(Resources("1KB"))
    ((limit, threads),) = workshop.connection.execute(
        "SELECT current_setting('memory_limit'), current_setting('threads')"
    ).fetchall()
    assert (limit, threads) == ("64.0 MiB", 1)


def test_the_most_memory_of_the_process_is_known_in_bytes() -> None:
    told = [
        sys.executable,
        "-c",
        "from incrowd.engines import peak_memory; held = b'x' * 3 * 10**8; print(peak_memory())",
    ]
    most = int(subprocess.run(told, capture_output=True, check=True).stdout)
    assert 3 * 10**8 < most < 6 * 10**8


def test_there_is_a_budget_where_nothing_is_said() -> None:
    assert 2**26 < Budget.of(None).total <= 0.75 * budget.free_memory() * 1.2


def group(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="ascii")
    return folder


def test_a_container_of_the_new_kind_leaves_its_limit_without_what_is_used(tmp_path: Path) -> None:
    (tmp_path / "own").write_text("0::/jobs/mine\n", encoding="ascii")
    group(tmp_path / "fs" / "jobs", **{"memory.max": "9000\n", "memory.stat": "anon 1000\nfile 5000\n"})
    group(tmp_path / "fs" / "jobs" / "mine", **{"memory.max": "max\n"})
    assert list(budget._free_in_containers(tmp_path / "own", tmp_path / "fs")) == [8000]


def test_a_container_of_the_old_kind_too(tmp_path: Path) -> None:
    (tmp_path / "own").write_text("4:memory:/mine\n3:cpu,cpuacct:/mine\n", encoding="ascii")
    files = {"memory.limit_in_bytes": "5000\n", "memory.stat": "cache 1\ntotal_rss 6000\n"}
    group(tmp_path / "fs" / "memory" / "mine", **files)
    assert list(budget._free_in_containers(tmp_path / "own", tmp_path / "fs")) == [0]


def test_what_a_container_says_in_no_known_way_is_no_limit(tmp_path: Path) -> None:
    (tmp_path / "own").write_text("nonsense\n0::/mine\n\n", encoding="ascii")
    group(tmp_path / "fs" / "mine", **{"memory.max": "7000\n", "memory.stat": "anon much\nfile\n"})
    assert list(budget._free_in_containers(tmp_path / "own", tmp_path / "fs")) == [7000]
    (tmp_path / "fs" / "mine" / "memory.max").unlink()
    (tmp_path / "fs" / "mine" / "memory.max").mkdir()  # cannot be read as a file
    assert list(budget._free_in_containers(tmp_path / "own", tmp_path / "fs")) == []


def test_a_machine_without_containers_has_no_limits_of_theirs(tmp_path: Path) -> None:
    assert list(budget._free_in_containers(tmp_path / "none", tmp_path)) == []


@pytest.mark.parametrize("kind", ["parquet", "frame", "csv"])
def test_about_how_many_cells_there_are_is_the_same_everywhere(tmp_path: Path, kind: str) -> None:
    rng = np.random.default_rng(5)
    table = pa.table({"a": rng.integers(0, 2000, 200_000), "b": rng.integers(0, 1000, 200_000)})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    if kind == "csv":
        open_table(table).write(tmp_path / "t.csv")
    engine = open_table(table if kind == "frame" else tmp_path / f"t.{kind}")
    request = CensusRequest(("a", "b"))
    exact = engine.census_size(request)
    about = census_size_about(engine, request, 4 * ENOUGH)
    assert about == pytest.approx(exact, rel=0.03)
    assert about == 190_640
    assert census_size_about(engine, request, 1000) == exact


def test_keys_of_several_words_are_estimated_too() -> None:
    rng = np.random.default_rng(6)
    table = pa.table({f"c{number}": rng.integers(0, 2**40, 100_000) for number in range(8)})
    request = CensusRequest(tuple(table.column_names))
    assert census_size_about(open_table(table), request, 8 * ENOUGH) == pytest.approx(100_000, rel=0.03)


def test_duckdb_prints_no_progress_where_results_go() -> None:
    asked = "SELECT current_setting('enable_progress_bar'), current_setting('enable_progress_bar_print')"
    assert Workshop().connection.execute(asked).fetchall() == [(False, False)]


@pytest.mark.parametrize("kind", ["polars-lazy", "duckdb", "parquet"])
def test_values_count_against_the_memory_that_was_said_wherever_the_table_is(kind: str, tmp_path: Path) -> None:
    engine: Any = open_table(make_subject(kind, tmp_path).load(pa.table({"age": [34]})), memory="3GB")
    assert engine._most_values() == Budget.of("3GB").values == 2_540_000
