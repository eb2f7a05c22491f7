"""Everything that can be missing where Spark is to start, and the command line on Spark."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

import incrowd as ic
from incrowd.engines import places_of, read_folder, spark_session
from spark.tables import people, tally

PLAN = """
version = 1
[data]
path = "people.parquet"
[columns.age]
role = "quasi"
hierarchy = { intervals = [5, 10, 20] }
[columns.zip]
role = "quasi"
hierarchy = "mask"
[columns.disease]
role = "sensitive"
[privacy]
promise = ["k>=3", "l>=2[disease]"]
max_suppressed = 0.2
[output]
others = "drop"
"""


def start(master: str) -> None:
    with spark_session(master):
        pass


def test_a_library_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(
        ic.EngineError, match=r"'pyspark', which is not installed. Hint: pip install 'incrowd\[spark\]'"
    ):
        start("local[2]")


def test_a_machine_without_java_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ic.EngineError, match=r"there is none on this machine. Hint: install Java 17"):
        start("local[2]")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    with pytest.raises(ic.EngineError, match="there is none where JAVA_HOME says"):
        start("local[2]")


def test_an_old_java_is_refused_by_its_number(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"1.8.0_392\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(ic.EngineError, match=r"needs Java 17 or newer, and this is Java 8"):
        start("local[2]")


@pytest.mark.parametrize("master", ["sc://127.0.0.1:1", "spark://127.0.0.1:1"])
def test_a_cluster_that_cannot_be_reached_is_the_machines_fault(master: str) -> None:
    with pytest.raises(ic.EngineError, match=r"No Spark answers at 127.0.0.1:1"):
        start(master)


def test_a_master_that_is_none_is_wrong_use() -> None:
    with pytest.raises(ic.ParameterError, match=r"'lokal\[2\]' is none that Spark knows"):
        start("lokal[2]")


def incrowd(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from incrowd.cli import main; main()", "anonymize", "plan.toml", *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_command_runs_a_plan_on_spark_as_it_does_here(server: str, tmp_path: Path) -> None:
    pyarrow.parquet.write_table(people(), tmp_path / "people.parquet")
    (tmp_path / "plan.toml").write_text(PLAN)
    done = incrowd(tmp_path, "--engine", "spark", "--master", server, "--json")
    assert (done.returncode, done.stderr.count("PASS")) == (0, 1), done.stderr
    assert json.loads(done.stdout)["written"].endswith("out")
    public = tmp_path / "out" / "public"
    assert ic.verify(public / "release.json", owner=tmp_path / "out" / "owner").holds
    here = ic.Plan.read(tmp_path / "plan.toml").run()
    assert tally(pyarrow.parquet.read_table(public / "data.parquet")) == tally(here.table)


def test_a_table_is_found_as_it_is_here(tmp_path: Path) -> None:
    folder = tmp_path / "a{b}[c]*"
    folder.mkdir()
    for number in range(2):
        pyarrow.parquet.write_table(people(10), folder / f"visit{number}.parquet")
    (folder / "_SUCCESS").touch()
    signs = r"a\{b\}\[c\]\*"
    both = [f"file://{tmp_path.resolve()}/{signs}/visit{number}.parquet" for number in range(2)]
    assert places_of(folder) == both
    assert places_of(folder / "visit1.parquet") == both[1:]
    assert places_of(tmp_path / "on the server") == [f"file://{tmp_path.resolve()}/on the server"]
    pyarrow.parquet.write_table(people(10).select(["age"]), folder / "visit2.parquet")
    with pytest.raises(ic.DataError, match=r"'visit2.parquet' has other columns than 'visit0.parquet'"):
        places_of(folder)


def test_signs_of_a_pattern_are_taken_as_they_are(spark: Any, tmp_path: Path) -> None:
    for name in ("a{b}[c]*?.parquet", "abc1.parquet"):
        pyarrow.parquet.write_table(people(10), tmp_path / name)
    assert read_folder(spark, places_of(tmp_path / "a{b}[c]*?.parquet")).count() == 10
    assert read_folder(spark, places_of(tmp_path)).count() == 20


@pytest.mark.parametrize(
    ("path", "options", "code", "says"),
    [
        ("missing.parquet", ["--engine", "spark"], 2, "Spark does not find the table"),
        ("people.csv", ["--engine", "spark"], 2, "Spark reads Parquet here"),
        ("people.parquet", ["--engine", "flink"], 2, "--engine must be local or spark"),
        ("people.parquet", [], 2, "--master is for Spark"),
        ("people.parquet", ["--engine", "spark", "--master", "sc://127.0.0.1:1"], 3, "No Spark answers"),
    ],
)
def test_what_goes_wrong_is_one_paragraph_and_a_code(
    path: str, options: list[str], code: int, says: str, server: str, tmp_path: Path
) -> None:
    (tmp_path / "plan.toml").write_text(PLAN.replace("people.parquet", path))
    done = incrowd(tmp_path, "--master", server, *options)
    assert done.returncode == code, done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr
