"""Processes that run cases side by side; one that dies or hangs is replaced, and its case has failed."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from fuzz.parts import PARTS

START = 120.0
"""Seconds that a process may take to load everything, besides those of its first case."""


class Done(NamedTuple):
    """A case that ended: how many verdicts, how long it took, and what went wrong if anything did."""

    part: str
    seed: int
    verdicts: int
    seconds: float
    failed: str | None


@dataclass
class Member:
    """One process, and the case that it is at."""

    fault: str = ""
    _place: Any = field(default_factory=lambda: tempfile.TemporaryDirectory(prefix="incrowd-fuzz-"))

    def __post_init__(self) -> None:
        ask_from, self._ask = os.pipe()
        self.answers, tell_to = os.pipe()
        command = [sys.executable, "-m", "fuzz.worker", str(ask_from), str(tell_to), self.fault]
        tests = str(Path(__file__).parents[1])
        surroundings = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([tests, *sys.path]),
            "TMPDIR": self._place.name,
            "PYTHONHASHSEED": "0",
        }
        self._log = Path(self._place.name, "log").open("w+b")  # noqa: SIM115 - as long as the process
        self.process = subprocess.Popen(
            command,
            pass_fds=(ask_from, tell_to),
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            env=surroundings,
            cwd=self._place.name,
        )
        os.close(ask_from)
        os.close(tell_to)
        self.part, self.seed, self._since, self._left = "", 0, 0.0, START

    def begin(self, part: str, seed: int) -> None:
        """Give it a case."""
        self.part, self.seed, self._since = part, seed, time.monotonic()
        self._left += PARTS[part].seconds
        os.write(self._ask, f"{part} {seed}\n".encode())

    @property
    def hangs(self) -> bool:
        """Whether its case takes longer than any should."""
        return time.monotonic() - self._since > self._left

    def end(self) -> Done:
        """Hear what became of its case."""
        said = b""
        while not said.endswith(b"\n") and (more := os.read(self.answers, 1 << 16)):
            said += more
        spent, self._left = time.monotonic() - self._since, 0.0
        if not said.endswith(b"\n"):
            return Done(self.part, self.seed, 0, spent, self._last_words())
        answer = json.loads(said)
        return Done(self.part, self.seed, answer.get("verdicts", 0), spent, answer.get("failed"))

    def _last_words(self) -> str:
        code = self.process.wait()
        how = f"by signal {-code} ({signal.Signals(-code).name})" if code < 0 else f"with exit code {code}"
        self._log.seek(0)
        return f"the process ended {how}; it said: {self._log.read()[-2_000:].decode('utf-8', 'replace')}"

    def kill(self) -> Done:
        """End it, because its case hangs."""
        self.process.kill()
        self.process.wait()
        return Done(self.part, self.seed, 0, time.monotonic() - self._since, "the case hangs")

    def close(self) -> None:
        """Let it end."""
        os.close(self._ask)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.answers)
        self._log.close()
        self._place.cleanup()


def cases_done(size: int, following: Callable[[], tuple[str, int] | None], fault: str = "") -> Iterator[Done]:
    """Run one case after the other in so many processes, until there is none; give each when it has ended."""
    chosen = selectors.DefaultSelector()
    idle = [Member(fault) for _ in range(size)]
    busy: list[Member] = []
    try:
        while True:
            while idle and (case := following()):
                member = idle.pop()
                member.begin(*case)
                chosen.register(member.answers, selectors.EVENT_READ, member)
                busy.append(member)
            if not busy:
                return
            heard = [key.data for key, _ in chosen.select(1.0)]
            for member in [*heard, *(one for one in busy if one.hangs and one not in heard)]:
                chosen.unregister(member.answers)
                busy.remove(member)
                done = member.end() if member in heard else member.kill()
                if member.process.poll() is None:
                    idle.append(member)
                else:
                    member.close()
                    idle.append(Member(fault))
                yield done
    finally:
        for member in [*idle, *busy]:
            if member in busy:
                member.process.kill()
            member.close()
