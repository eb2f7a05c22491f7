"""The process that works on tables: one line of JSON per task in, lines of JSON about it out.

It ends when nobody writes to it any more: also when the server was killed and could say nothing.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from typing import IO, Any

from incrowd.core import PrivacyWarning
from incrowd.engines import Stage, watching
from incrowd.search import Progress
from incrowd.web._refusal import Plain, said_by

OFTEN = 0.1
"""Seconds between two lines about one task."""

Say = Callable[[Plain], None]


class Teller:
    """Tells how far a task is, and hears whether it shall stop with what it has.

    Parameters
    ----------
    say
        Where to tell it.
    """

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
        best = None if progress.best is None else f"{progress.best:.4f}"
        words = f"{progress.checked:,} of at most {progress.nodes:,} combinations of levels checked"
        self._tell("searching", {"done": progress.checked, "total": None, "best": best, "words": words})
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
        """Say in words what is being worked on."""
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


def perform(task: str, given: Plain, say: Say, began: Callable[[Teller], None] | None = None) -> Plain:
    """Do one task; give its answer or its error, whatever happens.

    Parameters
    ----------
    task, given
        The task and what it needs.
    say
        Where to tell how far it is.
    began
        Told who tells, so that it can be asked to stop.
    """
    from incrowd.web._tasks import TASKS  # noqa: PLC0415 - what tables need takes a while to load

    teller = Teller(say)
    if began is not None:
        began(teller)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PrivacyWarning)
        teller.caught = caught
        try:
            with watching(teller.stage):
                answer = TASKS[task](given, teller)
        except Exception as error:  # noqa: BLE001 - the last place where an error can be told from a crash
            return {"error": said_by(error)}
    if "notes" in answer:
        answer = {**answer, "notes": [*dict.fromkeys([*answer["notes"], *teller.notes])]}
    return {"answer": answer}


class Worker:
    """Does tasks one after the other, and listens while it does.

    Parameters
    ----------
    source, target
        Where tasks come from, and where answers go.
    """

    def __init__(self, source: IO[str], target: IO[str]) -> None:
        self._source, self._target = source, target
        self._tasks: queue.SimpleQueue[Plain] = queue.SimpleQueue()
        self._now: tuple[int, Teller] | None = None
        self._lock = threading.Lock()

    def run(self) -> None:
        """Work until the process ends."""
        threading.Thread(target=self._listen, daemon=True).start()
        while True:
            asked = self._tasks.get()
            number = asked["id"]
            answer = perform(asked["task"], asked["given"], self._sayer(number), self._beginner(number))
            self._now = None
            self._say({"id": number, **answer})

    def _listen(self) -> None:
        for line in self._source:
            asked = json.loads(line)
            if "stop" not in asked:
                self._tasks.put(asked)
            elif (now := self._now) is not None and now[0] == asked["stop"]:
                now[1].stopping.set()
        os._exit(0)  # the server is gone: nobody waits for the answer

    def _sayer(self, number: int) -> Say:
        return lambda progress: self._say({"id": number, "progress": progress})

    def _beginner(self, number: int) -> Callable[[Teller], None]:
        def begin(teller: Teller) -> None:
            self._now = number, teller

        return begin

    def _say(self, plain: Any) -> None:
        with self._lock:
            self._target.write(json.dumps(plain, ensure_ascii=True) + "\n")
            self._target.flush()


def main() -> None:
    """Work for the server at the other end of stdin and stdout; whatever else is printed goes nowhere."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server hears it, and ends us
    target = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    Worker(sys.stdin, target).run()
