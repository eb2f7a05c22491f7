"""Long jobs: the worker process and its tasks, one at a time, watched by any number of pages, stopped."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from incrowd.web._refusal import Plain, Refusal, plain_error, plain_refusal, refusal, status_of

# A worker as the server sees it: tasks in, answers out, and gone with one call.

Hear = Callable[[Plain], None]
LINE = 2**28  # the longest answer, in bytes


class Working(Protocol):
    async def call(self, task: str, given: Plain, hear: Hear | None = None) -> Plain:
        """Do a task and give its answer; told meanwhile how far it is."""

    async def stop(self) -> None:
        """Ask the present task to end with what it has."""

    async def end(self) -> None:
        """End at once, whatever is being done."""


@dataclass(eq=False)
class Process:
    """A worker in a process of its own, started when first needed; it ends with its stdin, however the server ends."""

    _child: asyncio.subprocess.Process | None = None
    _reader: asyncio.Task[None] | None = None
    _waiting: dict[int, tuple[Any, asyncio.Future[Plain], Hear | None]] = field(default_factory=dict)
    _number: int = 0
    _starting: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def call(self, task: str, given: Plain, hear: Hear | None = None) -> Plain:
        child = await self._running_child()
        self._number += 1
        number = self._number
        future: asyncio.Future[Plain] = asyncio.get_running_loop().create_future()
        self._waiting[number] = child, future, hear
        try:
            await _write_line(child, {"id": number, "task": task, "given": given})
            told = await future
        finally:
            self._waiting.pop(number, None)
        return answer_of(told)

    async def stop(self) -> None:
        if self._child is not None and self._waiting:
            await _write_line(self._child, {"stop": min(self._waiting)})

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
        return None if self._child is None else self._child.pid

    async def _running_child(self) -> asyncio.subprocess.Process:
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
                self._reader = asyncio.create_task(self._read_lines(self._child))
            return self._child

    async def _read_lines(self, child: asyncio.subprocess.Process) -> None:
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


async def _write_line(child: asyncio.subprocess.Process, plain: Any) -> None:
    assert child.stdin is not None  # noqa: S101 - we asked for it
    with contextlib.suppress(ConnectionError):  # it ended; whoever waits is told so
        child.stdin.write(json.dumps(plain).encode() + b"\n")
        await child.stdin.drain()


def answer_of(told: Plain) -> Plain:
    if "error" in told:
        raise Refusal(status_of(told["error"]), told["error"])
    answer: Plain = told["answer"]
    return answer


QUIET = 15.0  # seconds after which a page is told that we are still there
LISTENERS = 64  # so many pages may listen at once
KEPT = 20  # so many ended jobs are remembered

TOLD = ("stage", "words", "done", "total", "kept", "part", "parts", "part_words")
"""What is told of how far a job is; some work has parts, one after the other."""

State = Literal["running", "done", "stopped", "failed"]
Ended = Callable[["Job"], None]


@dataclass(eq=False)
class Job:
    """A long job, the run that it is about, and the seconds that its search may take if the plan says so."""

    kind: str
    run: int | None = None
    limit: float | None = None
    id: int = 0  # given when it starts
    state: State = "running"
    progress: Plain = field(default_factory=lambda: {"stage": "working", "words": "", "done": None, "total": None})
    result: Plain | None = None
    error: Plain | None = None
    began: float = field(default_factory=time.monotonic)
    staged: float = field(default_factory=time.monotonic)
    ended: float | None = None
    changes: int = 0

    def show(self) -> Plain:
        seconds = (self.ended or time.monotonic()) - self.began
        told = {key: self.progress.get(key) for key in TOLD}
        named = {"id": self.id, "kind": self.kind, "state": self.state, **told, "seconds": round(seconds, 1)}
        return {**named, "left": self._seconds_left(), "run": self.run, "result": self.result, "error": self.error}

    def hear(self, progress: Plain) -> None:
        if any(progress.get(key) != self.progress.get(key) for key in ("stage", "part")):
            self.staged = time.monotonic()
        self.progress = progress
        self.changes += 1

    def _seconds_left(self) -> float | None:
        """Guess the seconds that the present stage still takes."""
        passed = time.monotonic() - self.staged
        done: int | None = self.progress["done"]
        total: int | None = self.progress["total"]
        if self.state != "running":
            return None
        if self.progress["stage"] == "searching" and total is None and self.limit is not None:
            return round(max(self.limit - passed, 0.0), 1)
        if not done or not total or passed < 0.5:
            return None
        return round(max(passed * (total - done) / done, 0.0), 1)


class Jobs:
    def __init__(self, worker: Working) -> None:
        self._worker = worker
        self._jobs: dict[int, Job] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Condition()
        self._closing = False
        self._listening = 0

    @property
    def last(self) -> Job | None:
        return self._jobs[max(self._jobs)] if self._jobs else None

    def get(self, number: int) -> Job:
        if number not in self._jobs:
            raise refusal(404, "not-found", "There is no such job.", "it may be from before the server was started.")
        return self._jobs[number]

    def need_idle(self) -> None:
        """Refuse where a job is under way: the worker does one thing at a time."""
        if self.last is not None and self.last.state == "running":
            raise refusal(409, "busy", "Another job is under way.", "wait until it has ended, or stop it.")

    def start(self, job: Job, task: str, given: Plain, ended: Ended | None = None) -> Job:
        """Start a job, which goes on by itself; ``ended`` is called before anybody hears that it has ended."""
        self.need_idle()
        job.id = max(self._jobs, default=0) + 1
        self._jobs[job.id] = job
        for old in sorted(self._jobs)[:-KEPT]:
            del self._jobs[old]
        work = asyncio.get_running_loop().create_task(self._run(job, self._worker.call(task, given, job.hear), ended))
        self._tasks.add(work)
        work.add_done_callback(self._tasks.discard)
        return job

    async def _run(self, job: Job, work: Awaitable[Plain], ended: Ended | None) -> None:
        watch = asyncio.get_running_loop().create_task(self._watch(job))
        try:
            job.result = await work
            state: State = "done"
        except Refusal as error:
            state = "stopped" if error.plain["code"] == "stopped" else "failed"
            job.error = error.plain
        except Exception as error:  # noqa: BLE001 - whoever waits must hear of it
            state, job.error = "failed", plain_error(error)
        finally:
            watch.cancel()
        job.ended = time.monotonic()
        if ended is not None:
            ended(job)
        job.state = state
        await self._tell(job)

    async def _watch(self, job: Job) -> None:
        """Tell pages now and then, for seconds pass also where nothing else is told."""
        while True:
            await asyncio.sleep(0.5)
            await self._tell(job)

    async def _tell(self, job: Job) -> None:
        job.changes += 1
        async with self._changed:
            self._changed.notify_all()

    async def stop(self, number: int, *, keep: bool) -> Job:
        """Stop a job: with the best so far, or at once and with nothing."""
        job = self.get(number)
        if job.state != "running":
            return job
        if keep:
            await self._worker.stop()
            return job
        job.error = plain_refusal("stopped", "It was stopped.", "start it again when you like.")
        await self._worker.end()
        async with self._changed:
            await self._changed.wait_for(lambda: job.state != "running")
        return job

    async def close(self) -> None:
        self._closing = True
        await self._worker.end()
        async with self._changed:
            self._changed.notify_all()

    async def events(self, number: int) -> AsyncGenerator[str, None]:
        """Tell about a job as server-sent events until it has ended."""
        job, seen = self.get(number), -1
        self._listening += 1
        try:
            while not self._closing:
                if job.changes != seen:
                    seen = job.changes
                    yield f"event: job\ndata: {json.dumps(job.show())}\n\n"
                else:
                    yield ": still there\n\n"
                if job.state != "running":
                    return
                await self._wait_for_change(job, seen)
        finally:
            self._listening -= 1

    def need_room(self) -> None:
        """Refuse where too many listen already: each holds a connection for as long as a job takes."""
        if self._listening >= LISTENERS:
            raise refusal(503, "busy", "Too many pages are open already.", "close some of them.")

    async def _wait_for_change(self, job: Job, seen: int) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(QUIET), self._changed:
                await self._changed.wait_for(lambda: job.changes != seen or self._closing)
