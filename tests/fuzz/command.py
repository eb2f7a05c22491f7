"""The command inside this process: what it said, its exit code, and whether that is one that it may have."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import NamedTuple

from fuzz.failures import expect
from incrowd.cli import main

KNOWN = {0, 1, 2, 3, 4, 130}
"""The exit codes that are documented."""


class Said(NamedTuple):
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str


def run(*arguments: str | Path) -> Said:
    """Run ``incrowd`` with arguments."""
    out, err = io.StringIO(), io.StringIO()
    code: object = None
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main([str(one) for one in arguments])
        except SystemExit as left:
            code = left.code
    return Said(code if isinstance(code, int) else -1, out.getvalue(), err.getvalue())


def expect_code(said: Said, codes: set[int], where: str) -> None:
    """Fail a case if a command ended in a way in which it must not, or lets its own code be seen."""
    told = f"exit code {said.code}, said {said.err[-600:]!r}: {where}"
    expect(said.code in KNOWN & codes, told)
    expect("Traceback (most recent" not in said.out + said.err, told)
    expect("IC302" not in said.err or 3 in codes, told)
    expect((said.code != 2) or ("error" in said.err), f"wrong use without an error: {told}")
