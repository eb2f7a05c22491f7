"""How a command is left alone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

Abandon = Callable[..., tuple[int, bytes]]


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
