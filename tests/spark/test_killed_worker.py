from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet
import pytest

import incrowd as ic
from spark.tables import people, schema, tally

TESTS = Path(__file__).parents[1]


@pytest.mark.usefixtures("java")
def test_a_worker_that_is_killed_while_it_publishes_and_while_it_checks_changes_nothing(tmp_path: Path) -> None:
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pyarrow.parquet.write_table(people(1_000), source, row_group_size=250)
    own = {"PYTHONPATH": str(TESTS), "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [sys.executable, str(Path(__file__).with_name("killed_worker.py")), str(source), str(target)]
    done = subprocess.run(command, env=os.environ | own, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    here = ic.anonymize(people(1_000), schema(), model="k>=3, l>=2[disease]", max_suppressed=0.2)
    assert tally(pyarrow.parquet.read_table(target)) == tally(here.table)
