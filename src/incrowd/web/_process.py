"""A worker as the server sees it: tasks in, answers out, and gone with one call."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from incrowd.web._refusal import Plain, Refusal, refusal, status_of

Hear = Callable[[Plain], None]
LINE = 2**28
"""The longest answer, in bytes."""


class Working(Protocol):
    """Whoever does tasks."""

    async def call(self, task: str, given: Plain, hear: Hear | None = None) -> Plain:
        """Do a task and give its answer; told meanwhile how far it is."""

    async def stop(self) -> None:
        """Ask the present task to end with what it has."""

    async def end(self) -> None:
        """End at once, whatever is being done."""


@dataclass(eq=False)
class Process:
    """A worker in a process of its own, started when it is first needed.

    Notes
    -----
    It ends when its stdin does, so that it does not outlive the server, however that ends.
    """

    _child: asyncio.subprocess.Process | None = None
    _reader: asyncio.Task[None] | None = None
    _waiting: dict[int, tuple[Any, asyncio.Future[Plain], Hear | None]] = field(default_factory=dict)
    _number: int = 0
    _starting: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def call(self, task: str, given: Plain, hear: Hear | None = None) -> Plain:
        """Do a task and give its answer; told meanwhile how far it is."""
        child = await self._started()
        self._number += 1
        number = self._number
        future: asyncio.Future[Plain] = asyncio.get_running_loop().create_future()
        self._waiting[number] = child, future, hear
        try:
            await _write(child, {"id": number, "task": task, "given": given})
            told = await future
        finally:
            self._waiting.pop(number, None)
        return answer_of(told)

    async def stop(self) -> None:
        """Ask the present task to end with what it has."""
        if self._child is not None and self._waiting:
            await _write(self._child, {"stop": min(self._waiting)})

    async def end(self) -> None:
        """End at once, whatever is being done; the next task starts a new process."""
        child, reader = self._child, self._reader
        self._child = self._reader = None
        if child is not None:
            with contextlib.suppress(ProcessLookupError):
                child.kill()
            await child.wait()
        if reader is not None:
            await reader

    @property
    def number(self) -> int | None:
        """The number of the process, if it runs."""
        return None if self._child is None else self._child.pid

    async def _started(self) -> asyncio.subprocess.Process:
        async with self._starting:
            if self._child is None or self._reader is None or self._reader.done():  # it ended, or never began
                self._child = await asyncio.create_subprocess_exec(
                    sys.executable,
                    "-P",  # nothing is imported from the folder that we are in
                    "-c",
                    "from incrowd.web._worker import main; main()",
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.DEVNULL,  # what libraries print may quote a record
                    limit=LINE,
                )
                self._reader = asyncio.create_task(self._read(self._child))
            return self._child

    async def _read(self, child: asyncio.subprocess.Process) -> None:
        """Hand every line to whoever waits for it; when there are no more, nobody needs to wait."""
        assert child.stdout is not None  # noqa: S101 - we asked for it
        try:
            async for line in child.stdout:
                self._hand_out(json.loads(line))
        except ValueError:  # what it says is too long, or is no JSON: it cannot be trusted any more
            with contextlib.suppress(ProcessLookupError):
                child.kill()
        finally:
            for other, future, _ in self._waiting.values():
                if other is child and not future.done():  # a new child may be at work already
                    future.set_exception(refusal(503, "stopped", "It was stopped before it was done.", "ask again."))

    def _hand_out(self, told: Plain) -> None:
        _, future, hear = self._waiting.get(told["id"], (None, None, None))
        if "progress" in told:
            if hear is not None:
                hear(told["progress"])
        elif future is not None and not future.done():
            future.set_result(told)


async def _write(child: asyncio.subprocess.Process, plain: Any) -> None:
    assert child.stdin is not None  # noqa: S101 - we asked for it
    with contextlib.suppress(ConnectionError):  # it ended; whoever waits is told so
        child.stdin.write(json.dumps(plain).encode() + b"\n")
        await child.stdin.drain()


def answer_of(told: Plain) -> Plain:
    """Give an answer, or refuse what went wrong."""
    if "error" in told:
        raise Refusal(status_of(told["error"]), told["error"])
    answer: Plain = told["answer"]
    return answer


class Thread:
    """The same in a thread of the server: for tests, which do not wait for processes to start."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._teller: Any = None

    async def call(self, task: str, given: Plain, hear: Hear | None = None) -> Plain:
        """Do a task and give its answer; told meanwhile how far it is."""
        from incrowd.web._worker import perform  # noqa: PLC0415 - what tables need takes a while to load

        loop = asyncio.get_running_loop()

        def say(progress: Plain) -> None:
            if hear is not None:
                loop.call_soon_threadsafe(hear, progress)

        def begin(teller: Any) -> None:
            self._teller = teller

        async with self._lock:
            told = await asyncio.to_thread(perform, task, json.loads(json.dumps(given)), say, begin)
        return answer_of(json.loads(json.dumps(told)))

    async def stop(self) -> None:
        """Ask the present task to end with what it has."""
        if self._teller is not None:
            self._teller.stopping.set()

    async def end(self) -> None:
        """Ask the present task to end; a thread cannot be made to."""
        await self.stop()
