"""A process that has loaded everything and runs commands in children of its own, which can be killed at any moment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Self

from fuzz.faults import PLANTED, plant
from incrowd.cli import main

SAID = "said.txt"
"""Beside the place for temporary files: what the last command told its user."""


class ForkServer:
    """Begins commands; one at a time."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "fuzz.fork_server"]
        pipe = subprocess.PIPE
        surroundings = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])}
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, env=surroundings, text=True)

    def begin(self, folder: Path, place: Path, *arguments: str) -> int:
        """Begin ``incrowd`` in a folder, with a place for its temporary files; give the number of its process."""
        return int(self._ask({"folder": str(folder), "place": str(place), "arguments": arguments}))

    def end(self) -> int:
        """Wait for the command, and give its exit code, or a signal as a negative number."""
        return int(self._ask({}))

    def _ask(self, question: dict[str, Any]) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()

    def close(self) -> None:
        """Let it end."""
        self._process.communicate()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def serve() -> None:
    """Run one command for every line, each in a child; nothing was run here before, so no thread is left behind."""
    _load()
    while line := sys.stdin.readline():
        asked = json.loads(line)
        child = os.fork()
        if not child:
            _run(asked)
        sys.stdout.write(f"{child}\n")
        sys.stdout.flush()
        sys.stdin.readline()  # until somebody asks how it ended nobody else gets its number
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def _load() -> None:
    """Import what the command would; none of it starts a thread."""
    import incrowd.plan  # noqa: PLC0415
    import incrowd.search.levels_and_cells._cells  # noqa: PLC0415

    assert incrowd.plan
    if PLANTED in os.environ:
        plant(os.environ[PLANTED])


def _run(asked: dict[str, Any]) -> None:
    os.chdir(asked["folder"])
    os.environ["TMPDIR"] = asked["place"]
    tempfile.tempdir = None
    nothing = os.open(os.devnull, os.O_RDWR)
    said = os.open(Path(asked["place"]).with_name(SAID), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream, file in enumerate((nothing, nothing, said)):
        os.dup2(file, stream)
    sys.argv = ["incrowd", *asked["arguments"]]
    try:
        main()
    except SystemExit as left:
        os._exit(left.code if isinstance(left.code, int) else 1)
    except KeyboardInterrupt:
        os._exit(130)
    os._exit(99)


if __name__ == "__main__":
    serve()
