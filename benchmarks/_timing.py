"""What the benchmarks share: timing in fresh processes, peak memory, and printing ratios."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DATA = HERE / "data"


@dataclass(frozen=True)
class Result:
    """The best of some runs: seconds, peak memory in GiB, and what the task said about itself."""

    seconds: float
    gib: float
    facts: dict[str, Any]


def measure(task: Callable[..., dict[str, Any] | None], *args: Any, runs: int = 3) -> Result:
    """Run a task of a benchmark in fresh processes, one at a time, and keep the fastest."""
    script = Path(sys.modules[task.__module__].__file__ or "").name
    results = [_run(script, task.__name__, args) for _ in range(runs)]
    return min(results, key=lambda result: result.seconds)


def _run(script: str, task: str, args: tuple[Any, ...]) -> Result:
    command = [sys.executable, str(HERE / "_timing.py"), script, task, json.dumps(args, default=str)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=HERE)
    return Result(**json.loads(done.stdout.splitlines()[-1]))


def line(what: str, result: Result, yardstick: Result | None = None, **more: Any) -> None:
    """Print one row: time, ratio to the yardstick, memory, and what else matters."""
    ratio = f"{result.seconds / yardstick.seconds:6.2f} x" if yardstick else " " * 8
    extra = "  ".join(f"{key} {value}" for key, value in {**result.facts, **more}.items())
    print(f"  {what:<46}{result.seconds:8.2f} s {ratio}{result.gib:7.2f} GiB  {extra}", flush=True)


def _main() -> None:
    import importlib  # noqa: PLC0415
    import resource  # noqa: PLC0415

    script, task, args = sys.argv[1:]
    function = getattr(importlib.import_module(Path(script).stem), task)
    function.prepare() if hasattr(function, "prepare") else None
    start = time.perf_counter()
    facts = function(*json.loads(args)) or {}
    seconds = facts.pop("seconds", time.perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps({"seconds": seconds, "gib": peak, "facts": facts}))


if __name__ == "__main__":
    _main()
