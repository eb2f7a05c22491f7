"""The command line: arguments in, one call of another room, an exit code out.

Nothing is imported here, so that Ctrl-C is heard from the first moment on. Commands import what they need when they
run, and ``incrowd --help`` answers at once.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit code; without ``args`` this is the program, and takes its own."""
    as_program = args is None
    if as_program:
        _on_interrupt(_leave_at_once)
        _start_quickly()
    from incrowd.cli._commands import Program

    program = Program()
    if as_program:
        _on_interrupt(signal.default_int_handler)
    code = program.run(sys.argv[1:] if args is None else list(args))
    if as_program:
        _on_interrupt(signal.SIG_IGN)
    sys.exit(code)


def _start_quickly() -> None:
    """Look for rubbish less often: imports leave none. And let no threads wait for matrices that nobody multiplies."""
    gc.set_threshold(10_000)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _on_interrupt(do: Callable[[int, FrameType | None], object] | signal.Handlers) -> None:
    """Say what Ctrl-C does from now on; whoever ignores it, as a job in the background does, goes on ignoring it."""
    if signal.getsignal(signal.SIGINT) in {signal.default_int_handler, _leave_at_once}:
        signal.signal(signal.SIGINT, do)


def _leave_at_once(*_: object) -> NoReturn:
    """Leave at once: nothing was begun that would have to be undone, and an import that is cut off says odd things."""
    os.write(2, b"stopped.\n")
    os._exit(130)
