"""Publish a table on a cluster of two workers and kill one of them twice: ``python killed_worker.py IN OUT``."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from pyspark.sql import SparkSession

import incrowd as ic
from incrowd.engines import Stage, watching
from spark.applications import JAVA, SETTINGS
from spark.tables import schema


def executors() -> list[int]:
    """Give the ids of the workers' processes, which are below this one."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if b"CoarseGrainedExecutorBackend" in command and os.fsencode(MARK) in command:
            found.append(int(process.name))
    return sorted(found)


MARK = f"incrowd.test.of={os.getpid()}"


def main(source: str, target: str) -> None:
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    settings = SETTINGS | {
        "spark.executor.extraJavaOptions": f"{JAVA} -D{MARK}",
        "spark.shuffle.io.maxRetries": "1",  # whom we killed need not be called again for long
        "spark.shuffle.io.retryWait": "100ms",
        "spark.speculation": "true",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    killed: list[str] = []

    def kill(stage: Stage) -> None:
        if stage.name in {"writing", "checking"} and stage.name not in killed:
            killed.append(stage.name)
            os.kill(executors()[0], signal.SIGKILL)

    with watching(kill):
        release = ic.anonymize(session.read.parquet(source), schema(), model="k>=3, l>=2[disease]", max_suppressed=0.2)
    assert killed == ["writing", "checking"]
    release.table.write.parquet(target)
    session.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
