"""Every call of the file system below a folder counted, so that each can fail, or be the last, once."""

from __future__ import annotations

import builtins
import errno
import importlib
import io
import itertools
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import numpy as np
import pytest

from incrowd.core import _draft

BY_PATH = (
    *("open", "mkdir", "rmdir", "rename", "replace", "unlink", "remove", "link", "symlink", "chmod", "utime"),
    *("stat", "lstat", "scandir", "listdir", "truncate"),
)
"""What takes a path first."""
BY_DESCRIPTOR = ("fsync", "ftruncate", "close")
KINDS = (errno.ENOSPC, errno.EIO, errno.EACCES)


class WatchedFile:
    """A file whose writes are calls that can fail: then half of what was to be written is."""

    def __init__(self, file: Any, faults: Faults) -> None:
        self._file, self._faults = file, faults

    def write(self, what: Any) -> Any:
        self._faults.meet("write", lambda: self._file.write(what[: len(what) // 2]))
        return self._file.write(what)

    def flush(self) -> None:
        self._faults.meet("flush")
        self._file.flush()

    def close(self) -> None:
        if not self._file.closed:
            self._faults.meet("close", self._file.close)
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._file)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class Faults:
    """The calls of the file system below a folder: counted, and ``at`` one of them something happens instead."""

    def __init__(self, root: Path) -> None:
        self._root = os.path.realpath(root)
        self._descriptors: set[int] = set()
        self._meeting = False
        self.names: list[str] = []
        """What was called, in its order."""
        self.at: int | None = None
        self.happens: Callable[[int], None] = lambda _: None

    def meet(self, name: str, half: Callable[[], object] = lambda: None) -> None:
        """Count a call; if it is the one, let half of it be done and then happen what happens."""
        if self._meeting:
            return
        number = len(self.names)
        self.names.append(name)
        if self.at is None or self.at == number:
            self._meeting = True
            try:
                if self.at is not None:
                    half()
                self.happens(number)
            finally:
                self._meeting = False

    def begin(self, at: int | None, happens: Callable[[int], None]) -> None:
        """Count from the beginning; without a number it happens at every call."""
        self.names, self.at, self.happens = [], at, happens
        self._descriptors.clear()

    def watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in BY_PATH:
            monkeypatch.setattr(os, name, self._by_path(name, getattr(os, name)))
        for name in BY_DESCRIPTOR:
            monkeypatch.setattr(os, name, self._by_descriptor(name, getattr(os, name)))
        opened = self._opened(io.open)
        monkeypatch.setattr(io, "open", opened)
        monkeypatch.setattr(builtins, "open", opened)
        exchange = _draft._exchange
        monkeypatch.setattr(_draft, "_exchange", self._by_path("exchange", exchange))

    def _is_below(self, path: Any, given: dict[str, Any]) -> bool:
        if isinstance(path, int):
            return path in self._descriptors
        return given.get("dir_fd") in self._descriptors or str(Path.cwd() / os.fsdecode(path)).startswith(self._root)

    def _by_path(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(path: Any = ".", *args: Any, **given: Any) -> Any:
            below = not self._meeting and self._is_below(path, given)
            if below:
                try:
                    self.meet(name)
                except OSError as error:
                    error.filename = error.filename or path
                    raise
            found = real(path, *args, **given)
            if below and name == "open":
                self._descriptors.add(found)
            return found

        return call

    def _by_descriptor(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(descriptor: int) -> Any:
            if not self._meeting and descriptor in self._descriptors:
                if name == "close":  # it is closed, whatever the system says
                    self._descriptors.discard(descriptor)
                    self.meet(name, lambda: real(descriptor))
                else:
                    self.meet(name)
            return None if name == "fsync" else real(descriptor)  # a test needs no disk to be waited for

        return call

    def _opened(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(file: Any, mode: str = "r", *args: Any, **given: Any) -> Any:
            if self._meeting or not self._is_below(file, given):
                return real(file, mode, *args, **given)
            self.meet("open")
            found = real(file, mode, *args, **given)
            return found if isinstance(file, int) or mode.startswith("r") else WatchedFile(found, self)

        return call


def failing(kind: int) -> Callable[[int], None]:
    """Let a call fail as the system would."""

    def fail(_: int) -> None:
        raise OSError(kind, os.strerror(kind))

    return fail


def tree(folder: Path) -> dict[str, bytes] | None:
    """Give the files of a folder and what is in them; nothing if it is not there."""
    if not folder.exists():
        return None
    if folder.is_file():
        return {"": folder.read_bytes()}
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@contextmanager
def watched(root: Path) -> Iterator[Faults]:
    """Count what is called below a folder until the block ends."""
    with pytest.MonkeyPatch.context() as patch:
        faults = Faults(root)
        faults.watch(patch)
        yield faults


class Allocations:
    """The places in our code where NumPy is asked for memory: found by a run, and ``at`` one of them there is none."""

    def __init__(self, room: str) -> None:
        self._room = room
        self.places: dict[tuple[str, int], None] = {}
        """Module and line of each, in the order in which they were first met."""
        self.at: tuple[str, int] | None = None

    def watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name, function in vars(np).items():
            if callable(function) and not isinstance(function, (type, np.ufunc)) and name[0].islower():
                monkeypatch.setattr(np, name, self._watched(function))

    def _watched(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **given: Any) -> Any:
            frame = sys._getframe(1)
            place = str(frame.f_globals.get("__name__")), frame.f_lineno
            if place[0].startswith(self._room):
                self.places[place] = None
                if place == self.at:
                    self.at = None
                    raise MemoryError
            return real(*args, **given)

        return call


def killed_everywhere(root: Path, job: str, *options: str) -> list[Path]:
    """Let a job begin in copies of the folder ``root``, be killed at each of its calls, and give what it left.

    ``job`` names a function that takes the folder, as ``module:function``. Every process is a real one, and ends by
    SIGKILL; they are forked from one that has loaded everything.
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])}
    made = root.parent / f"{root.name}-killed"
    made.mkdir()
    command = [sys.executable, "-m", "core.faults", str(root), str(made), job, *options]
    subprocess.run(command, check=True, env=environment)
    return sorted(made.iterdir(), key=lambda folder: int(folder.name))


def _kill_everywhere(root: Path, made: Path, job: Callable[[Path], object]) -> None:
    for number in itertools.count():
        folder = shutil.copytree(root, made / str(number))
        child = os.fork()
        if not child:
            with watched(folder) as faults:
                faults.begin(number, lambda _: os.kill(os.getpid(), signal.SIGKILL))
                job(folder)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.waitstatus_to_exitcode(status) != -signal.SIGKILL:
            sys.exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    module, _, function = sys.argv[3].partition(":")
    if "without-exchange" in sys.argv[4:]:
        _draft._exchange = lambda *_: False
    _kill_everywhere(Path(sys.argv[1]), Path(sys.argv[2]), getattr(importlib.import_module(module), function))
