"""How far a search is, on a terminal; nothing where nobody looks."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from incrowd.algorithms import Progress

LATE = 0.5
"""Who waits less than so many seconds needs no progress."""

LINE = 10.0
"""Seconds between two lines where stderr is no terminal."""


class Watch:
    """Tells how far a search is. Called by the search now and then."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet, self._start, self._last = quiet, time.monotonic(), 0.0
        self._terminal = sys.stderr.isatty()
        self._drawn = False

    def __call__(self, progress: Progress) -> bool:
        """Draw a line; the search goes on."""
        passed = time.monotonic() - self._start
        pause = 0.2 if self._terminal else LINE
        if not self._quiet and passed >= (LATE if self._terminal else LINE) and passed - self._last >= pause:
            self._last = passed
            self._draw(progress, passed)
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._drawn and self._terminal:
            sys.stderr.write("\r\x1b[K")

    def _draw(self, progress: Progress, passed: float) -> None:
        best = "nothing fits yet" if progress.best is None else f"best so far {progress.best:.4f}"
        rate = progress.checked / passed if passed else 0
        looked = f"{progress.checked:,} of at most {progress.nodes:,} versions looked at"
        text = f"search   {looked}, {rate:,.0f}/s, {best}, {passed:.0f} s"
        sys.stderr.write(f"\r\x1b[K{text}" if self._terminal else f"{text}\n")
        sys.stderr.flush()
        self._drawn = True
