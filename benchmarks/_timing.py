"""What the benchmarks share: every task in fresh processes, its peak memory, and rows with ratios."""

from __future__ import annotations

import importlib
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DATA = HERE / "data"

Task = Callable[..., Callable[[], dict[str, Any]]]
"""Prepares (imports, loads) and gives back what is to be timed, which tells facts about its result."""


@dataclass(frozen=True)
class Result:
    """The fastest of some runs."""

    seconds: float
    processors: float  # seconds of all processors, which say more on a machine that others use
    gib: float
    facts: dict[str, Any]


def measure(task: Task, *args: Any, runs: int = 3) -> Result:
    """Run a task in fresh processes, one at a time, and keep the fastest."""
    script = Path(sys.modules[task.__module__].__file__ or "").stem
    results = [_run(script, task.__name__, args) for _ in range(runs)]
    return min(results, key=lambda result: result.seconds)


def line(what: str, result: Result, yardstick: Result | None = None) -> None:
    """Print one row: the clock and the processors' time, each with its ratio to the yardstick, peak memory, facts."""
    ratio = f"{result.seconds / yardstick.seconds:6.2f} x" if yardstick else " " * 8
    by_cpu = f"{result.processors / yardstick.processors:6.2f} x" if yardstick else " " * 8
    facts = "  ".join(f"{key} {value}" for key, value in result.facts.items())
    clock, spent = f"{result.seconds:8.2f} s {ratio}", f"{result.processors:8.2f} s {by_cpu}"
    print(f"  {what:<44}{clock}{spent}{result.gib:7.2f} GiB  {facts}", flush=True)


def _run(script: str, task: str, args: tuple[Any, ...]) -> Result:
    command = [sys.executable, str(HERE / "_timing.py"), script, task, json.dumps(args, default=str)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=HERE)
    return Result(**json.loads(done.stdout.splitlines()[-1]))


def _main(script: str, task: str, args: str) -> None:
    timed = getattr(importlib.import_module(script), task)(*json.loads(args))
    start, before = time.perf_counter(), time.process_time()
    facts = timed()
    seconds, processors = time.perf_counter() - start, time.process_time() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps({"seconds": seconds, "processors": processors, "gib": peak, "facts": facts}))


if __name__ == "__main__":
    _main(*sys.argv[1:])
