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
import warnings
from collections.abc import Callable, Mapping
from typing import IO, Any

from incrowd.core import PrivacyWarning
from incrowd.engines import watching
from incrowd.web import _evidence, _table, _versions
from incrowd.web._progress import Say, Teller
from incrowd.web._refusal import Plain, plain_error

TASKS: Mapping[str, Callable[[Plain, Teller], Plain]] = {
    "suggest": _table.suggest_plan,
    "example": _table.example,
    "profile": _table.profile,
    "rows": _table.rows,
    "values": _table.values,
    "singling-out": _table.singling_out,
    "preview": _table.preview,
    "feasible": _table.feasible,
    "safe-harbor": _evidence.harbor,
    "harbor-kinds": _evidence.kinds,
    "run": _versions.run,
    "alternatives": _versions.alternatives,
    "frontier": _versions.frontier,
    "nodes": _versions.nodes,
    "node": _versions.node,
    "nt-check": _versions.nt_check,
    "graph": _versions.graph,
    "question": _versions.question,
    "evidence": _evidence.evidence,
    "export": _evidence.export,
}
"""Every task takes what it needs as plain data, and gives plain data."""


def perform(task: str, given: Plain, say: Say, began: Callable[[Teller], None] | None = None) -> Plain:
    """Do one task; give its answer or its error, whatever happens.

    ``say`` hears how far it is; ``began`` who tells that, so that it can be asked to stop.
    """
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
            return {"error": plain_error(error)}
    if "notes" in answer:
        answer = {**answer, "notes": [*dict.fromkeys([*answer["notes"], *teller.notes])]}
    return {"answer": answer}


class Worker:
    """Does tasks one after the other, and listens while it does."""

    def __init__(self, source: IO[str], target: IO[str]) -> None:
        self._source, self._target = source, target
        self._tasks: queue.SimpleQueue[Plain] = queue.SimpleQueue()
        self._now: tuple[int, Teller] | None = None
        self._lock = threading.Lock()

    def run(self) -> None:
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
