"""The process in which cases run: whatever kills it, the one that gave it the case knows which it was."""

from __future__ import annotations

import importlib
import json
import os
import random
import sys
import traceback
from collections.abc import Callable
from typing import Any, cast

from fuzz.failures import MismatchError
from fuzz.parts import PARTS

SHOWN = 4_000
"""So many characters of what went wrong are shown."""


def case(part: str, seed: int) -> dict[str, Any]:
    """Run one case; give how many verdicts were compared, or what went wrong. The seed decides all of it."""
    run = cast("Callable[[random.Random], int]", importlib.import_module(PARTS[part].module).run)
    try:
        return {"verdicts": run(random.Random(f"{part} {seed}"))}
    except MismatchError as unlike:
        return {"failed": str(unlike)[:SHOWN]}
    except Exception:  # noqa: BLE001 - whatever comes is what was looked for
        return {"failed": traceback.format_exc()[-SHOWN:]}


def main(asked: int, told: int, fault: str) -> None:
    """Answer one line of JSON for every line with a part and a seed."""
    if fault:
        importlib.import_module("fuzz.faults").plant(fault)
    with os.fdopen(asked, encoding="utf-8") as questions, os.fdopen(told, "w", encoding="utf-8") as answers:
        for question in questions:
            part, seed = question.split()
            answers.write(json.dumps(case(part, int(seed))) + "\n")
            answers.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] if sys.argv[3:] else "")
