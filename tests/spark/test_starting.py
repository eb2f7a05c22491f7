"""Everything that can be missing where Spark is to start, and the command line on Spark."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

import incrowd as ic
from incrowd.cli import main
from incrowd.engines import open_table, places_of, read_folder, spark_session
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


@pytest.mark.parametrize("master", ["lokal[2]", "local[x]", "local[0]", "local[2,0]", "local[]"])
def test_a_master_that_is_none_is_wrong_use(master: str) -> None:
    with pytest.raises(ic.ParameterError, match=rf"'{re.escape(master)}' is not known to Spark"):
        start(master)


@pytest.mark.parametrize(
    ("master", "doors"),
    [
        ("sc://[::1]:5000", [("::1", 5000)]),
        ("sc://[::1]", [("::1", 15002)]),
        ("sc://host/;token=Canary", [("host", 15002)]),
        ("spark://one:1,two:2", [("one", 1), ("two", 2)]),
        ("sc://me:Canary@host:3/;use_ssl=true", [("host", 3)]),
    ],
)
def test_a_cluster_is_reached_by_its_address(
    master: str, doors: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    knocked = []

    def refuse(address: tuple[str, int], **_: Any) -> None:
        knocked.append(address)
        raise OSError

    monkeypatch.setattr(socket, "create_connection", refuse)
    with pytest.raises(ic.EngineError, match="No Spark answers at") as caught:
        start(master)
    assert knocked == doors
    assert "Canary" not in str(caught.value)


def test_an_address_is_named_without_what_is_secret_in_it() -> None:
    with pytest.raises(ic.ParameterError, match=r"'scc:\.\.\.' is not known to Spark"):
        start("scc://me:Can@ary@host:1/;token=Canary")


def incrowd(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from incrowd.cli import main; main()", "anonymize", "plan.toml", *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


SHUFFLED = """
import os, signal
from pathlib import Path
from incrowd.engines import spark_session

place = Path(os.environ["SPARK_LOCAL_DIRS"])
with spark_session("local[1]") as spark:
    spark.range(1000).repartition(2, "id").persist().count()
    found = [*place.rglob("*")]
    shuffled = any(file.name.startswith("shuffle") for file in found)
    print(shuffled, [file for file in found if file.stat().st_mode & 0o077])
    for thread in Path("/proc/self/task").iterdir():
        for child in (thread / "children").read_text().split():
            os.kill(int(child), {how})
"""


@pytest.mark.usefixtures("java")
@pytest.mark.parametrize("how", [0, signal.SIGKILL.value], ids=["ended", "killed"])
def test_what_spark_moves_is_readable_by_nobody_else_and_gone_when_java_is(how: int, tmp_path: Path) -> None:
    environment = os.environ | {"SPARK_LOCAL_DIRS": str(tmp_path / "moved")}
    command = [sys.executable, "-W", "ignore", "-c", SHUFFLED.replace("{how}", str(how))]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == "True []\n", done.stderr
    assert not (tmp_path / "moved").exists()
    assert (done.returncode == 0) is (how == 0), done.stderr


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


def test_the_quiet_hear_nothing_of_java(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(people(), tmp_path / "people.parquet")
    (tmp_path / "plan.toml").write_text(PLAN)
    done = incrowd(tmp_path, "--engine", "spark", "--master", "local[1]", "--quiet", "--json", "--dry-run")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["holds"] is True


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


def test_types_and_names_that_spark_does_not_read_are_named(tmp_path: Path) -> None:
    path = tmp_path / "visits.parquet"
    for type_, what in ((pa.timestamp("ns"), "timestamps in nanoseconds"), (pa.time64("us"), "times of day")):
        pyarrow.parquet.write_table(pa.table({"a": [1], "seen": pa.array([1000], type_)}), path)
        with pytest.raises(ic.DataError, match=f"Column 'seen' of 'visits.parquet' holds {what}, which Spark does not"):
            places_of(path)
    nanoseconds = pa.table({"seen": pa.array([1000], pa.timestamp("ns"))})
    pyarrow.parquet.write_table(nanoseconds, path, use_deprecated_int96_timestamps=True)
    assert len(places_of(path)) == 1  # as Spark itself writes them
    path = path.rename(tmp_path / "9:30.parquet")
    with pytest.raises(ic.DataError, match=r"no file with a colon in its name, such as '9:30.parquet'"):
        places_of(path)


def test_what_only_spark_sees_is_said_too(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(ic.EngineError, match=r"no connector for the storage .* org.apache.hadoop:hadoop-aws"):
        open_table(read_folder(spark, ["s3a://hospital/patients"]))
    path = tmp_path / "visits.parquet"
    pyarrow.parquet.write_table(pa.table({"seen": pa.array([1000], pa.timestamp("ns"))}), path)
    with pytest.raises(ic.DataError, match="a type that Spark does not read, such as timestamps in nanoseconds"):
        open_table(read_folder(spark, [str(path)]))


@pytest.mark.parametrize(
    ("path", "options", "code", "says"),
    [
        ("people.csv", ["--engine", "spark"], 2, "Spark reads Parquet here"),
        ("people.parquet", ["--engine", "flink"], 2, "--engine must be local or spark"),
        ("people.parquet", [], 2, "--master is for Spark"),
        ("people.parquet", ["--engine", "spark"], 3, "No Spark answers"),
    ],
)
def test_what_goes_wrong_is_one_paragraph_and_a_code(
    path: str, options: list[str], code: int, says: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    (tmp_path / "plan.toml").write_text(PLAN.replace("people.parquet", path))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as caught:
        main(["anonymize", "plan.toml", "--master", "sc://127.0.0.1:1", *options])
    told = capsys.readouterr().err
    assert caught.value.code == code, told
    assert says in told
    assert "Traceback" not in told


def test_a_table_that_is_nowhere_is_one_paragraph_and_a_code(server: str, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(PLAN.replace("people.parquet", "missing.parquet"))
    done = incrowd(tmp_path, "--master", server, "--engine", "spark")
    assert done.returncode == 2, done.stderr
    assert "Spark does not find the table" in done.stderr
    assert "Traceback" not in done.stderr
