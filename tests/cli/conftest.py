"""How a command is run: inside this process, as a process of its own, and left alone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from incrowd.cli import _terminal, main

Abandon = Callable[..., tuple[int, bytes]]
Process = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def _no_line_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what is said not depend on how long it takes: on a busy machine a job says every few seconds where it is."""
    monkeypatch.setattr(_terminal, "LINE", float("inf"))


@pytest.fixture
def inside(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Process:
    """Give a way to run ``incrowd`` in an empty folder without a process of its own: exit code, stdout and stderr.

    Whatever is written to the two is seen, be it by Python or by a library below it.
    """
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(arguments)
        said = capfd.readouterr()
        return int(left.value.code or 0), said.out, said.err

    return run


@pytest.fixture
def process(tmp_path: Path) -> Process:
    """Give a way to run ``incrowd`` as a process in an empty folder: its exit code, stdout and stderr.

    ``first`` is Python code that runs before it, and ``under`` a command that it runs under.
    """

    def run(*arguments: str, first: str = "", under: tuple[str, ...] = ()) -> tuple[int, str, str]:
        code = f"{first}\nfrom incrowd.cli import main\nmain()"
        command = [*under, sys.executable, "-c", code, *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture
def abandon() -> Abandon:
    """Give a way to run Python code, read one byte of its output and go away: its exit code, and what it said."""

    def run(code: str, **environment: str) -> tuple[int, bytes]:
        command = [sys.executable, "-c", code]
        pipe, surroundings = subprocess.PIPE, {**os.environ, **environment}
        with subprocess.Popen(command, stdout=pipe, stderr=pipe, env=surroundings) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.read(1)
            process.stdout.close()
            said = process.stderr.read()
        return process.returncode, said

    return run
