"""Ctrl-C: a run on Spark ends at once, says so, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from incrowd.engines import open_table
from incrowd.engines.spark._backend import write_folder
from spark.stopped import press_when_it_works
from spark.tables import people
from spark.test_starting import PLAN


def lives(group: int) -> bool:
    """Say whether a process of a group runs; what has ended and nobody asks for does not."""
    told = subprocess.run(["ps", "-A", "-o", "pgid=,stat="], capture_output=True, text=True, check=True).stdout
    return any(int(own) == group and not state.startswith("Z") for own, state in map(str.split, told.splitlines()))


@pytest.mark.usefixtures("java")
@pytest.mark.parametrize("when", ["starting", "writing"])
def test_a_command_that_is_stopped_leaves_neither_files_nor_java(when: str, tmp_path: Path) -> None:
    pyarrow.parquet.write_table(people(), tmp_path / "people.parquet")
    (tmp_path / "plan.toml").write_text(PLAN)
    before = sorted(path.name for path in tmp_path.iterdir())
    command = [sys.executable, str(Path(__file__).with_name("stopped.py")), when, "anonymize", "plan.toml"]
    command += ["--engine", "spark", "--master", "local[1]"]
    log = tmp_path.with_name(f"{tmp_path.name}.log")
    with log.open("wb") as said:  # a pipe would stay open as long as a Java that was left
        process = subprocess.Popen(command, stderr=said, cwd=tmp_path, start_new_session=True)
        process.wait()
    told = log.read_text()
    end = time.monotonic() + 20
    while lives(process.pid) and time.monotonic() < end:  # what only found out how to start Java ends by itself
        time.sleep(0.1)
    if left := lives(process.pid):
        os.killpg(process.pid, signal.SIGKILL)
    assert not left
    assert process.returncode == 130, told
    assert told.splitlines()[-1] == "stopped."
    assert "Traceback" not in told
    assert "\tat " not in told
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def count(frame: Any, path: Path) -> None:
    del path
    open_table(frame).domains(["a"])


@pytest.mark.parametrize("work", [count, write_folder])
def test_a_job_that_is_stopped_is_no_error_and_does_not_go_on(work: Any, local: Any, tmp_path: Path) -> None:
    listens = signal.getsignal(signal.SIGINT)
    assert getattr(listens, "__module__", "") == "pyspark.core.context"  # or it would wait for ever
    press_when_it_works(local)
    with pytest.raises(KeyboardInterrupt):
        work(local.range(10**15).selectExpr("id % 50 AS a"), tmp_path / "table.parquet")
    try:
        assert list(local.sparkContext.statusTracker().getActiveStageIds()) == []
    finally:
        local.sparkContext.cancelAllJobs()
