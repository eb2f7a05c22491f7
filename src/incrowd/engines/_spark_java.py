"""The Java that Spark runs in: whether there is one, and what becomes of it when the user stops a run."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

from incrowd.core import EngineError

JAVA = 17
"""The oldest Java that Spark 4 runs on."""

PATIENCE = 20.0
"""Seconds that Java may take to leave its places tidy."""


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
def ended_by_ctrl_c() -> Iterator[Callable[[], None]]:
    """Let Ctrl-C end every Java that PySpark starts in the block, before anything is tidied up: then nothing writes.

    PySpark itself forgets a Java that it is still waiting for, and does not stop a job that it is waiting for. Gives a
    function that listens to Ctrl-C again: Spark listens itself once it runs.
    """
    started: list[subprocess.Popen[bytes]] = []
    stopped = threading.Event()

    def stop(*_: object) -> NoReturn:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        stopped.set()
        for process in started:
            _end(process)
        raise KeyboardInterrupt

    def listen() -> None:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, stop)

    earlier = signal.getsignal(signal.SIGINT)
    try:
        with _noting(started):
            listen()
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
def _noting(started: list[subprocess.Popen[bytes]]) -> Iterator[None]:
    """Note every process that PySpark starts, before it starts."""
    gateway: Any = importlib.import_module("pyspark.java_gateway")

    class Noted(subprocess.Popen[bytes]):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            started.append(self)
            super().__init__(*args, **kwargs)

    plain, gateway.Popen = gateway.Popen, Noted
    try:
        yield
    finally:
        gateway.Popen = plain


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process, if need be by force."""
    if not hasattr(process, "pid"):
        return  # it was not started yet
    for end in (process.terminate, process.kill):
        end()
        with suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)
            return
