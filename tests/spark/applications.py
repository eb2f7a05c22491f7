"""Spark for the tests: one application in this process, and one Connect server of our own on loopback."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from engines.subjects import Subject

JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""How Java starts soonest: much of what it would compile well runs once."""

SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.extraJavaOptions": JAVA,
    "spark.driver.host": "127.0.0.1",
    "spark.log.level": "ERROR",
    "spark.sql.adaptive.enabled": "false",  # tables of some rows need no plans that learn
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


@dataclass(frozen=True)
class Server:
    """A Connect server: its address, and the process group that it and its Java are in."""

    address: str
    group: int


class SparkSubject(Subject):
    """A kind of table that a Spark session has."""

    def rows(self, result: Any) -> list[tuple[Any, ...]]:
        """Give the rows of a frame as they come, missing values as None."""
        return [tuple(row.values()) for row in result.toArrow().to_pylist()]


def spark_subject(name: str, session: Any, folder: Path) -> SparkSubject:
    """Load tables through Parquet files, as they reach Spark in life."""
    count = iter(range(1_000_000))

    def load(table: pa.Table) -> Any:
        path = folder / f"table{next(count)}.parquet"
        pyarrow.parquet.write_table(table, path, row_group_size=3, coerce_timestamps="us")
        return session.read.parquet(str(path))

    return SparkSubject(name, load)


@contextmanager
def local_application() -> Iterator[Any]:
    """Start Spark in this process, with a zone of its own that must not matter."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 - it warns of pandas 3 while tests are being collected

    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    builder = SparkSession.Builder().master("local[2]").config("spark.sql.session.timeZone", "Asia/Kathmandu")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()


@contextmanager
def connect_server(folder: Path) -> Iterator[Server]:
    """Start a Connect server, give its address, and stop it with everything it started."""
    import pyspark  # noqa: PLC0415

    home, port = Path(pyspark.__file__).parent, _free_port()
    settings = SETTINGS | {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }
    command = [str(home / "sbin" / "start-connect-server.sh"), "--master", "local[2]"]
    command += [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
    own = {"SPARK_HOME": str(home), "SPARK_NO_DAEMONIZE": "1", "SPARK_LOCAL_IP": "127.0.0.1"}
    own |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOG_DIR": str(folder)}
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            command, env=os.environ | own, stdout=log, stderr=log, cwd=folder, start_new_session=True
        )
        try:
            _wait(port, server)
            yield Server(f"sc://127.0.0.1:{port}", server.pid)
        finally:
            with suppress(ProcessLookupError):  # a test may have ended it
                os.killpg(server.pid, signal.SIGTERM)  # the script alone would leave its Java behind
            server.wait(timeout=60)


@contextmanager
def connect_session(address: str) -> Iterator[Any]:
    """Reach a Connect server; its builder is taken directly, because this process has another session too."""
    from pyspark.sql.connect.session import SparkSession  # noqa: PLC0415

    session = SparkSession.builder.remote(address).create()
    try:
        yield session
    finally:
        session.stop()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _wait(port: int, server: subprocess.Popen[bytes]) -> None:
    """Wait until the server listens."""
    end = time.monotonic() + 120
    while time.monotonic() < end and server.poll() is None:
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    msg = "The Connect server does not start."
    raise RuntimeError(msg)
