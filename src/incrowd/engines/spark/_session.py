"""Starting a Spark or reaching one that runs: Java, addresses, Ctrl-C, and what goes wrong there, said plainly."""

from __future__ import annotations

import importlib
import logging
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

from incrowd.core import DataError, EngineError, IncrowdError, ParameterError, import_extra
from incrowd.engines._private_folder import private_folder
from incrowd.engines._resources import free_memory

# The Java that Spark runs in: whether there is one, and what becomes of it when the user stops a run.

JAVA = 17  # the oldest Java that Spark 4 runs on
_FOLDERS = "SPARK_LOCAL_DIRS"  # the variable that tells Spark where to keep what it moves between its tasks
JAVA_PATIENCE = 20.0  # seconds that Java may take to leave its places tidy


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


@contextmanager
def java_of_our_own(folders: Sequence[Path]) -> Iterator[Callable[[], None]]:
    """Let every Java that PySpark starts in the block write to private folders, and end with it or by Ctrl-C.

    PySpark itself leaves it running to the end of the process. Gives a function that listens to Ctrl-C again: Spark
    listens itself once it runs.
    """
    started: list[subprocess.Popen[bytes]] = []
    try:
        with _ended_by_ctrl_c(started) as listen, _recording_processes(started, ",".join(map(str, folders))):
            listen()
            yield listen
    finally:
        if started:
            _forget_java()
        for process in started:
            _end_processes(process)


@contextmanager
def _ended_by_ctrl_c(started: list[subprocess.Popen[bytes]]) -> Iterator[Callable[[], None]]:
    """Let Ctrl-C end every Java before anything is tidied up: then nothing writes.

    PySpark itself forgets a Java that it is still waiting for, and does not stop a job that it is waiting for.
    """
    stopped = threading.Event()

    def stop(*_: object) -> NoReturn:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        stopped.set()
        for process in started:
            _end_processes(process)
        raise KeyboardInterrupt

    def listen() -> None:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, stop)

    earlier = signal.getsignal(signal.SIGINT)
    try:
        yield listen
    except Exception:
        if not stopped.is_set():
            raise
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, earlier)
    if stopped.is_set():
        raise KeyboardInterrupt  # whatever came of a Java that is gone


@contextmanager
def _recording_processes(started: list[subprocess.Popen[bytes]], folders: str) -> Iterator[None]:
    """Note what PySpark starts, and let it write to some folders, for this user alone."""
    gateway: Any = importlib.import_module("pyspark.java_gateway")
    alone: dict[str, Any] = {"umask": 0o077} if os.name == "posix" else {}

    class Noted(subprocess.Popen[bytes]):
        def __init__(self, *args: Any, env: Mapping[str, str], **kwargs: Any) -> None:
            started.append(self)
            # What Java says is for whoever runs a cluster; it may quote the data, and stdout is ours.
            silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            super().__init__(*args, **{**kwargs, **alone, **silent, "env": {**env, _FOLDERS: folders}})

    plain, gateway.Popen = gateway.Popen, Noted
    try:
        yield
    finally:
        gateway.Popen = plain


def _forget_java() -> None:
    """Let PySpark start another Java when it needs one."""
    context: Any = importlib.import_module("pyspark").SparkContext
    gateway, context._gateway, context._jvm = context._gateway, None, None  # noqa: SLF001 - it has no other way
    with suppress(Exception):  # whatever it says: what it led to is about to end
        gateway.shutdown()


def _end_processes(process: subprocess.Popen[bytes]) -> None:
    if not hasattr(process, "pid"):
        return  # it was not started yet
    for end in (process.terminate, process.kill):
        end()
        with suppress(subprocess.TimeoutExpired):
            process.wait(JAVA_PATIENCE)
            return


PATIENCE = 10.0  # seconds after which a master that says nothing does not answer
RETRIES = 6
"""So often a Connect server that is gone is called again, which takes half a minute; Spark itself does so for ten."""

_LOCAL = r"local(\[(\*|[1-9]\d*)(,[1-9]\d*)?\])?"
_MASTER = re.compile(rf"({_LOCAL}|local-cluster\[[1-9]\d*,[1-9]\d*,[1-9]\d*\]|yarn|(spark|sc|k8s)://.+)")

_PORTS = {"spark": 7077, "sc": 15002}  # where a cluster listens unless it is said


@contextmanager
def spark_session(master: str) -> Iterator[Any]:
    if not _MASTER.fullmatch(master):
        msg = f"The master {_without_secrets(master)!r} is not known to Spark."
        raise ParameterError(msg, hint="write local[2], yarn, spark://host:7077, or sc://host:15002 for Spark Connect.")
    spark = import_extra("pyspark.sql", extra="spark", what="Spark")
    if master.startswith(("sc://", "spark://")):
        _reach_cluster(master)
    opened = _cluster_session if master.startswith("sc://") else _local_session
    with _without_logs(), opened(_configured_builder(spark.SparkSession.builder, master)) as session:
        yield session


@contextmanager
def _cluster_session(builder: Any) -> Iterator[Any]:
    """Give a session of a cluster that runs already."""
    session = _start_spark(builder)
    try:
        _have_patience(session, RETRIES)
        yield session
    finally:
        _have_patience(session, 0)  # what is lost need not be told that we leave
        session.stop()


@contextmanager
def _local_session(builder: Any) -> Iterator[Any]:
    """Give a session of a Spark whose driver is started here."""
    check_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with ExitStack() as rooms, java_of_our_own([rooms.enter_context(private_folder(at)) for at in _places()]) as listen:
        session = _start_spark(builder)
        listen()
        try:
            yield session
        finally:
            session.stop()


def _places() -> Sequence[str | None]:
    """Say where Spark is to keep what it moves between its tasks: where the user wants, or among temporary files."""
    return [place for place in os.environ.get(_FOLDERS, "").split(",") if place] or [None]


@contextmanager
def _without_logs() -> Iterator[None]:
    """Keep PySpark from writing down what it meets, which may quote the data."""
    level = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(level)


def _configured_builder(builder: Any, master: str) -> Any:
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
        builder = builder.config("spark.driver.memory", f"{max(free_memory() // 2**21, 1024)}m")
    return builder


def _have_patience(session: Any, retries: int) -> None:
    from pyspark.sql.connect.client.retries import DefaultPolicy  # noqa: PLC0415 - only who uses Connect has it

    session.client.set_retry_policies([DefaultPolicy(max_retries=retries, max_backoff=10_000)])


def _start_spark(builder: Any) -> Any:
    """Start it, or say that it does not; what it says itself is withheld, because it may quote addresses and more."""
    try:
        return builder.getOrCreate()
    except IncrowdError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is
        kind = type(error).__name__
    msg = f"Spark does not start, or does not answer ({kind})."
    raise EngineError(msg, hint="check the master, and try it with pyspark --master first.")


def _reach_cluster(master: str) -> None:
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


# What Spark raises, told in one sentence without a value of the table.

LIBRARIES = {"pyspark", "py4j", "grpc"}

_LOST = (
    "All masters are unresponsive",
    "An error occurred while trying to connect",
    "Answer from Java side is empty",
    "Connection refused",
    "Connection reset",
    "Error while obtaining a new communication channel",
    "SESSION_CLOSED",
    "SESSION_NOT_FOUND",
    "SparkContext was shut down",
    "UNAVAILABLE",
    "stopped SparkContext",
)

_KNOWN: tuple[tuple[tuple[str, ...], IncrowdError], ...] = (
    (
        ("maxResultSize",),
        EngineError(
            "The census is larger than Spark may send to this machine.",
            hint="raise spark.driver.maxResultSize, or begin at coarser levels with at_least.",
        ),
    ),
    (
        ("OutOfMemoryError", "Java heap space", "GC overhead", "UNABLE_TO_ACQUIRE_MEMORY"),
        EngineError("Spark ran out of memory.", hint="raise spark.driver.memory or spark.executor.memory."),
    ),
    (
        ("No space left on device",),
        EngineError("The disk of a worker is full.", hint="set SPARK_LOCAL_DIRS elsewhere."),
    ),
    (
        ("PATH_NOT_FOUND", "FileNotFoundException", "TABLE_OR_VIEW_NOT_FOUND", "FAILED_READ_FILE.FILE_NOT_EXIST"),
        DataError(
            "Spark does not find the table, or a file of it.",
            hint="check the path; every worker must see it. If it was rewritten meanwhile, open it again.",
        ),
    ),
    (
        ("UNABLE_TO_INFER_SCHEMA", "CANNOT_READ_FILE_FOOTER", "is not a Parquet file"),
        DataError("Spark finds no Parquet table there.", hint="check the path, and write the table as Parquet first."),
    ),
    (
        ("PATH_ALREADY_EXISTS",),
        DataError("Spark does not write there: something of that name exists.", hint="choose another name."),
    ),
    (
        ("PARQUET_TYPE_", "UNSUPPORTED_TIME_TYPE"),
        DataError(
            "The table has a column of a type that Spark does not read, such as timestamps in nanoseconds.",
            hint="write timestamps in microseconds and times of day as texts, or do without Spark.",
        ),
    ),
    (
        ("FileSystem not found", "No FileSystem for scheme"),
        EngineError(
            "Spark has no connector for the storage that this address names.",
            hint="add its package to Spark: for s3a:// that is org.apache.hadoop:hadoop-aws, as new as its Hadoop.",
        ),
    ),
    (
        ("SPARK_JOB_CANCELLED",),
        EngineError("Somebody cancelled the job on the cluster.", hint="run it again; nothing was published."),
    ),
    (
        _LOST,
        EngineError(
            "The Spark cluster was lost.", hint="look into its logs, start it and this again; nothing was published."
        ),
    ),
)


def trouble_with_spark(error: BaseException) -> IncrowdError | None:
    """Say what went wrong on a cluster; ``None`` if it was not Spark, or nothing that we know."""
    if not LIBRARIES & {type(one).__module__.partition(".")[0] for one in error_chain(error)}:
        return None
    message = "\n".join(map(str, error_chain(error)))
    return next((trouble for signs, trouble in _KNOWN if any(sign in message for sign in signs)), None)


def error_chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
