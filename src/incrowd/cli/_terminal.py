"""Writing to stdout and stderr: lines, JSON, amounts with their noun, and the progress bar of a long job."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, Self, TextIO

if TYPE_CHECKING:
    from incrowd.engines import Stage
    from incrowd.search import Progress

LATE = 0.5
"""Who waits less than so many seconds needs no progress."""
LINE = 10.0
"""Seconds between two lines where stderr is no terminal."""


def write(*lines: str) -> None:
    """Write line by line: unbuffered, Python drops the rest of a large text without a word if its reader goes away."""
    for line in lines:
        sys.stdout.write(f"{line}\n")


def write_json(plain: Any, **how: Any) -> None:
    """Write plain data for machines; where stdout has not every sign, with the numbers that JSON has for them."""
    escaped = not (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
    write(*json.dumps(plain, indent=2, ensure_ascii=escaped, **how).split("\n"))


@contextmanager
def stdout_for_data() -> Iterator[TextIO]:
    """Give stdout for a table: in UTF-8 whatever the terminal has, so that every value is what it was."""
    stream = sys.stdout
    if not isinstance(stream, TextIOWrapper):
        yield stream
        return
    encoding = stream.encoding
    stream.reconfigure(encoding="utf-8")
    try:
        yield stream
    finally:
        stream.reconfigure(encoding=encoding)


def tell(*lines: str) -> None:
    """Talk to the user, on stderr: stdout is for data."""
    for line in lines:
        sys.stderr.write(f"{line}\n")


def amount(number: int, noun: str) -> str:
    """Write a number and what it counts: one value, two values."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


class Watch:
    """Tells what a job is busy with: the stage, how much of it is done, how fast, and how long it may still take."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._terminal = sys.stderr.isatty()
        self._name, self._start = "", time.monotonic()
        self._part = ""
        self._last = self._start
        self._written = False
        self._bar: _Bar | None = None
        self._ends = ExitStack()

    def __enter__(self) -> Self:
        if not self._quiet:
            from incrowd.engines import watching

            self._ends.enter_context(watching(self._stage))
            if self._terminal:
                self._bar = self._ends.enter_context(_Bar())
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.close()

    def part(self, name: str, number: int, parts: int) -> None:
        """Hear which of several searches begins."""
        self._part = f"{name} ({number} of {parts}): "

    def __call__(self, progress: Progress) -> bool:
        """Hear how far a search is; it goes on."""
        if not self._quiet:
            best = "nothing fits yet" if progress.best is None else f"best so far {progress.best:.4f}"
            looked = f"{self._part}{progress.checked:,} of at most {progress.nodes:,} combinations of levels"
            self._show("searching", progress.checked, None, (looked, f", {best}"))  # most are never looked at
        return True

    def _stage(self, stage: Stage) -> None:
        """Hear what an engine is busy with; what is read after it was written is read to be checked."""
        self._written |= stage.name == "writing"
        name = "checking" if self._written and stage.name == "reading" else stage.name
        about = "" if stage.total is None else f" of about {stage.total:,}"
        looked = "" if stage.done is None else f"{stage.done:,}{about} rows"
        self._show(name, stage.done, stage.total, (looked, ""))

    def _show(self, name: str, done: int | None, total: int | None, words: tuple[str, str]) -> None:
        now = time.monotonic()
        if name != self._name:
            self._name, self._start = name, now
        passed = now - self._start
        rate = f", {done / passed:,.0f}/s" if done and passed > LATE else ""
        text = words[0] + rate + words[1]
        if self._bar is not None:
            self._bar.show(name, done, total, text)
        elif now - self._last >= LINE:
            self._last = now
            sys.stderr.write(f"{name:<10}{text}{', ' if text else ''}{passed:.0f} s\n")
            sys.stderr.flush()


class _Bar:
    """A bar that appears when a job takes longer, and is gone when it ends."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        task, text = TextColumn("{task.description:<9}"), TextColumn("{task.fields[text]}")
        left = (TextColumn("left:"), TimeRemainingColumn())
        columns = (task, BarColumn(bar_width=20), text, TimeElapsedColumn(), *left)
        self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task: Any = None
        self._name = ""
        self._timer = threading.Timer(LATE, self._progress.start)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._timer.join()
        self._progress.stop()

    def show(self, name: str, done: int | None, total: int | None, text: str) -> None:
        """Show a stage; one follows the other."""
        if name != self._name:
            self._name = name
            if self._task is not None:
                self._progress.remove_task(self._task)
            self._task = self._progress.add_task(name, total=total, text=text)
        self._progress.update(self._task, completed=done or 0, total=total, text=text)
