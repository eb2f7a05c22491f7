"""Run the command line, and press Ctrl-C while Spark starts, or while it writes a table that never ends.

``python stopped.py starting anonymize plan.toml ...``
"""

from __future__ import annotations

import importlib
import signal
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from incrowd.cli import main
from incrowd.engines.spark import _backend as _spark_backend
from incrowd.engines.spark._backend import write_folder


def press_when_it_works(session: Any) -> None:
    """Press Ctrl-C as soon as a stage of a job runs; whoever waits for the job is to hear it."""
    told, waiting = session.sparkContext.statusTracker(), threading.main_thread().ident

    def press() -> None:
        while not told.getActiveStageIds():
            time.sleep(0.05)
        signal.pthread_kill(waiting or 0, signal.SIGINT)

    threading.Thread(target=press, daemon=True).start()


def press_when_it_waits() -> None:
    """Press Ctrl-C when PySpark has started Java and begins to wait for it."""
    gateway: Any = importlib.import_module("pyspark.java_gateway")
    gateway.time = SimpleNamespace(sleep=lambda _: signal.raise_signal(signal.SIGINT))


def write(frame: Any, path: Path) -> None:
    press_when_it_works(frame.sparkSession)
    write_folder(frame.crossJoin(frame.sparkSession.range(10**12).toDF("number")).drop("number"), path)


if __name__ == "__main__":
    if sys.argv.pop(1) == "starting":
        press_when_it_waits()
    _spark_backend.write_folder = write
    main()
