"""Starting Spark, or reaching one that runs: everything that can be missing is said before Java says it."""

from __future__ import annotations

import logging
import os
import re
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from incrowd.core import EngineError, IncrowdError, ParameterError
from incrowd.engines._budget import left_over
from incrowd.engines._extras import need
from incrowd.engines._spark_java import check_java, ended_by_ctrl_c

PATIENCE = 10.0
"""Seconds after which a master that says nothing does not answer."""

RETRIES = 6
"""So often a Connect server that is gone is called again, which takes half a minute; Spark itself does so for ten."""

_LOCAL = r"local(\[(\*|[1-9]\d*)(,[1-9]\d*)?\])?"
_MASTER = re.compile(rf"({_LOCAL}|local-cluster\[[1-9]\d*,[1-9]\d*,[1-9]\d*\]|yarn|(spark|sc|k8s)://.+)")

_PORTS = {"spark": 7077, "sc": 15002}
"""Where a cluster listens unless it is said."""


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
        msg = f"The master {_without_secrets(master)!r} is not known to Spark."
        raise ParameterError(msg, hint="write local[2], yarn, spark://host:7077, or sc://host:15002 for Spark Connect.")
    spark = need("pyspark.sql", extra="spark", what="Spark")
    if master.startswith(("sc://", "spark://")):
        _reach(master)
    opened = _connected if master.startswith("sc://") else _started
    with _silent(), opened(_builder(spark.SparkSession.builder, master)) as session:
        yield session


@contextmanager
def _connected(builder: Any) -> Iterator[Any]:
    """Give a session of a cluster that runs already."""
    session = _start(builder)
    try:
        _have_patience(session, RETRIES)
        yield session
    finally:
        _have_patience(session, 0)  # what is lost need not be told that we leave
        session.stop()


@contextmanager
def _started(builder: Any) -> Iterator[Any]:
    """Give a session of a Spark whose driver is started here."""
    check_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with ended_by_ctrl_c() as listen:
        session = _start(builder)
        listen()
        try:
            yield session
        finally:
            session.stop()


@contextmanager
def _silent() -> Iterator[None]:
    """Keep PySpark from writing down what it meets, which may quote the data."""
    level = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(level)


def _builder(builder: Any, master: str) -> Any:
    if master.startswith("sc://"):
        return builder.remote(master)
    builder = builder.master(master).appName("incrowd")
    builder = builder.config("spark.ui.showConsoleProgress", "false").config("spark.log.level", "OFF")
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
    whole = _without_secrets(master)
    scheme, addresses = whole.partition("://")[0], urlsplit(whole).netloc.split(",")
    for address in addresses:
        try:
            door = urlsplit(f"//{address}")
            with socket.create_connection((door.hostname, door.port or _PORTS[scheme]), timeout=PATIENCE):
                return
        except (OSError, ValueError):
            continue
    msg = f"No Spark answers at {', '.join(addresses)}."
    raise EngineError(msg, hint="check host and port, and that the cluster runs and can be reached from here.")


def _without_secrets(master: str) -> str:
    """Leave out of an address who knocks there, and with which token."""
    return re.sub("//.*@", "//", re.split("[;?]", master, maxsplit=1)[0])
