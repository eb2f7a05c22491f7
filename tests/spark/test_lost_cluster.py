from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow.parquet
import pytest

from spark.applications import connect_server
from spark.tables import people
from spark.test_starting import PLAN


@pytest.mark.usefixtures("java")
def test_a_cluster_that_is_lost_in_the_middle_of_a_run_leaves_nothing_half_written(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(people(), tmp_path / "people.parquet")
    (tmp_path / "plan.toml").write_text(PLAN)
    before = sorted(path.name for path in tmp_path.iterdir())
    logs = tmp_path.with_name(f"{tmp_path.name}_logs")
    logs.mkdir()
    with connect_server(logs) as server:
        command = [sys.executable, str(Path(__file__).with_name("lost_cluster.py")), str(server.group)]
        command += ["anonymize", "plan.toml", "--engine", "spark", "--master", server.address]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    assert "The Spark cluster was lost" in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == before
