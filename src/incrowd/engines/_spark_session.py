"""Starting Spark, or reaching one that runs: everything that can be missing is said before Java says it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from incrowd.core import EngineError, IncrowdError, ParameterError
from incrowd.engines._budget import left_over
from incrowd.engines._extras import need

JAVA = 17
"""The oldest Java that Spark 4 runs on."""

PATIENCE = 10.0
"""Seconds after which a master that says nothing does not answer."""

RETRIES = 6
"""So often a Connect server that is gone is called again, which takes half a minute; Spark itself does so for ten."""

_MASTER = re.compile(r"(local(\[[^\]]+\])?|local-cluster\[\d+,\d+,\d+\]|yarn|(spark|sc|k8s)://.+)")


@contextmanager
def spark_session(master: str) -> Iterator[Any]:
    """Give a Spark session until the block ends.

    Parameters
    ----------
    master
        ``local[4]`` for this machine, ``yarn``, ``spark://host:7077``, ``k8s://...``, or, for Spark Connect,
        ``sc://host:15002``.
    """
    if not _MASTER.fullmatch(master):
        msg = f"The master {master!r} is none that Spark knows."
        raise ParameterError(msg, hint="write local[2], yarn, spark://host:7077, or sc://host:15002 for Spark Connect.")
    spark = need("pyspark.sql", extra="spark", what="Spark")
    if master.startswith(("sc://", "spark://")):
        _reach(master)
    if not master.startswith("sc://"):
        check_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    session = _start(_builder(spark.SparkSession.builder, master))
    remote = master.startswith("sc://")
    try:
        if remote:
            _have_patience(session, RETRIES)
        yield session
    finally:
        if remote:
            _have_patience(session, 0)  # what is lost need not be told that we leave
        session.stop()


def check_java() -> None:
    """Refuse to start where there is no Java, or an old one."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which(str(Path(home) / "bin" / "java")) if home else shutil.which("java")
    hint = f"install Java {JAVA} or newer (Debian: apt install openjdk-17-jre-headless), or set JAVA_HOME to one."
    if java is None:
        where = "where JAVA_HOME says" if home else "on this machine"
        msg = f"Spark needs Java, and there is none {where}."
        raise EngineError(msg, hint=hint)
    told = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr  # noqa: S603
    found = re.search(r'version "(?:1\.)?(\d+)', told)
    if found is None or int(found[1]) < JAVA:
        msg = f"Spark needs Java {JAVA} or newer, and this is Java {found[1] if found else 'of no known version'}."
        raise EngineError(msg, hint=hint)


def _builder(builder: Any, master: str) -> Any:
    if master.startswith("sc://"):
        return builder.remote(master)
    builder = builder.master(master).appName("incrowd")
    builder = builder.config("spark.ui.showConsoleProgress", "false").config("spark.log.level", "ERROR")
    if master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")  # nobody else is to reach it
        for name in ("spark.driver.host", "spark.driver.bindAddress"):
            builder = builder.config(name, "127.0.0.1")
        builder = builder.config("spark.ui.enabled", "false")
    if master.startswith("local") and not master.startswith("local-cluster"):
        builder = builder.config("spark.driver.memory", f"{max(left_over() // 2**21, 1024)}m")
    return builder


def _have_patience(session: Any, retries: int) -> None:
    from pyspark.sql.connect.client.retries import DefaultPolicy  # noqa: PLC0415 - only who uses Connect has it

    session.client.set_retry_policies([DefaultPolicy(max_retries=retries, max_backoff=10_000)])


def _start(builder: Any) -> Any:
    """Start it, or say that it does not; what it says itself is withheld, because it may quote addresses and more."""
    try:
        return builder.getOrCreate()
    except IncrowdError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is
        kind = type(error).__name__
    msg = f"Spark does not start, or does not answer ({kind})."
    raise EngineError(msg, hint="check the master, and try it with pyspark --master first.")


def _reach(master: str) -> None:
    """Knock at the doors of a cluster: Spark itself would wait for minutes."""
    addresses = urlsplit(master).netloc.split(",")
    for address in addresses:
        host, _, port = address.partition(":")
        try:
            with socket.create_connection((host, int(port.split("/")[0] or 15002)), timeout=PATIENCE):
                return
        except (OSError, ValueError):
            continue
    msg = f"No Spark answers at {', '.join(addresses)}."
    raise EngineError(msg, hint="check host and port, and that the cluster runs and can be reached from here.")
