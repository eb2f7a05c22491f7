"""How a command is run as a process, and left alone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Abandon = Callable[..., tuple[int, bytes]]
Process = Callable[..., tuple[int, str, str]]


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
