"""``Teller``: how far a task of a worker is, told to the server now and then."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable

from incrowd.core import PrivacyWarning
from incrowd.engines import Stage
from incrowd.search import Progress
from incrowd.web._refusal import Plain

OFTEN = 0.1  # seconds between two lines about one task

Say = Callable[[Plain], None]


class Teller:
    """Tells how far a task is, and hears whether it shall stop with what it has."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._last = 0.0
        self._stage = ""
        self._written = False
        self._part: Plain = {}
        self.stopping = threading.Event()
        self.caught: list[warnings.WarningMessage] = []

    @property
    def notes(self) -> list[str]:
        """What is allowed but dangerous, as far as it was said."""
        return [str(one.message) for one in self.caught if issubclass(one.category, PrivacyWarning)]

    def search(self, progress: Progress) -> bool:
        """Hear how far a search is; say whether it shall go on."""
        kept = None if progress.kept is None else f"{progress.kept:.4f}"
        words = f"{progress.checked:,} of at most {progress.nodes:,} combinations of levels checked"
        self._tell("searching", {"done": progress.checked, "total": None, "kept": kept, "words": words})
        return not self.stopping.is_set()

    def walk(self, progress: Progress) -> bool:
        """Hear how far a walk through the whole lattice is; what it need not look at comes off at the end."""
        words = "combinations of levels checked; many may need no check"
        self._tell("searching", {"done": progress.checked, "total": progress.nodes, "words": words})
        return True

    def stage(self, stage: Stage) -> None:
        """Hear what an engine is busy with; what is read after it was written is read to be checked."""
        self._written |= stage.name == "writing"
        name = "checking" if self._written and stage.name == "reading" else stage.name
        words = "" if stage.done is None else f"{stage.done:,} rows"
        self._tell(name, {"done": stage.done, "total": stage.total, "words": words})

    def step(self, words: str, done: int | None = None, total: int | None = None) -> None:
        self._tell("working", {"done": done, "total": total, "words": words}, at_once=True)

    def part(self, words: str, number: int, parts: int) -> None:
        """Say which of several parts begins, from 1; whatever is told from now on is about it."""
        self._part, self._written = {"part": number, "parts": parts, "part_words": words}, False
        self._tell("working", {"done": None, "total": None, "words": ""}, at_once=True)

    def _tell(self, stage: str, more: Plain, *, at_once: bool = False) -> None:
        now = time.monotonic()
        if at_once or stage != self._stage or now - self._last >= OFTEN:
            self._stage, self._last = stage, now
            self._say({"stage": stage, **more, **self._part})
