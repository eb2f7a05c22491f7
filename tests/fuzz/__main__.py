"""The fuzzing run: ``python -m fuzz --seconds 60 --seed 7 --only files --cases 100``, from the folder ``tests``.

Cases of all parts in turn, each made of its seed alone. What fails prints a command that does the same again.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from fuzz.faults import FAULTS
from fuzz.parts import PARTS
from fuzz.pool import Done, cases_done

ENOUGH = 25
"""After so many failures it ends."""
WITHIN = 400
"""In so many cases a part must see a planted fault."""


@dataclass
class Run:
    """What is to be done, and what was."""

    parts: Sequence[str]
    seed: int
    cases: int | None
    until: float
    spent: Counter[str] = field(default_factory=Counter)
    """Milliseconds of every part."""
    begun: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)

    def following(self) -> tuple[str, int] | None:
        """Give the next case: of the part that had least time so far."""
        open_parts = [part for part in self.parts if self.cases is None or self.begun[part] < self.cases]
        if not open_parts or time.monotonic() > self.until or self.failed.total() >= ENOUGH:
            return None
        part = min(open_parts, key=lambda name: self.spent[name])
        self.begun[part] += 1
        self.spent[part] += 1
        return part, self.seed + self.begun[part] - 1

    def count(self, done: Done) -> None:
        """Keep what became of a case, and say what went wrong."""
        self.spent[done.part] += round(1000 * done.seconds)
        self.verdicts[done.part] += done.verdicts
        if done.failed is not None:
            self.failed[done.part] += 1
            say(f"FAILED {done.part} {done.seed}: {done.failed}")
            say(f"again: make fuzz ONLY={done.part} SEED={done.seed} CASES=1\n")


def say(text: str) -> None:
    """Say something at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main(given: Sequence[str] | None = None) -> int:
    """Run what was asked for; 1 if anything failed, or a planted fault was not seen."""
    asked = _arguments(given)
    if asked.fault == "all":
        return _see_all_faults(asked)
    run = Run(_parts(asked), asked.seed, asked.cases, time.monotonic() + asked.seconds)
    began = time.monotonic()
    planted = f", with the fault {asked.fault!r}" if asked.fault else ""
    say(f"seed {asked.seed}, {', '.join(run.parts)}, {asked.jobs} processes{planted}")
    for done in cases_done(asked.jobs, run.following, asked.fault):
        run.count(done)
    _say_summary(run, time.monotonic() - began)
    return min(run.failed.total(), 1)


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    reader = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    reader.add_argument("--seconds", type=float, default=60.0, help="how long new cases begin")
    reader.add_argument("--seed", type=int, default=int(time.time()), help="the seed of the first case of every part")
    reader.add_argument("--only", choices=PARTS, help="one part instead of all")
    reader.add_argument("--cases", type=int, help="so many cases of every part at most")
    reader.add_argument(
        "--fault", choices=["", "all", *FAULTS], default="", help="plant a fault; all: each must be seen"
    )
    reader.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes side by side")
    return reader.parse_args(given)


def _parts(asked: argparse.Namespace) -> list[str]:
    if asked.fault:
        return [FAULTS[asked.fault].part]
    return [asked.only] if asked.only else list(PARTS)


def _say_summary(run: Run, seconds: float) -> None:
    say(f"{'part':14}{'cases':>9}{'verdicts':>11}{'failed':>8}{'per second of a process':>25}")
    for part in run.parts:
        rate = 1000 * run.verdicts[part] / max(run.spent[part], 1)
        say(f"{part:14}{run.begun[part]:9,}{run.verdicts[part]:11,}{run.failed[part]:8,}{rate:25.1f}")
    verdicts = run.verdicts.total()
    say(f"{verdicts:,} verdicts in {seconds:.0f} s, {verdicts / max(seconds, 1e-9):.1f} per second")


def _see_all_faults(asked: argparse.Namespace) -> int:
    """Plant every fault in turn; its part must fail within some cases."""
    unseen = 0
    for name, fault in FAULTS.items():
        if asked.only not in {None, fault.part}:
            continue
        run = Run([fault.part], asked.seed, asked.cases or WITHIN, time.monotonic() + 600)
        found = next((done for done in cases_done(asked.jobs, run.following, name) if done.failed), None)
        unseen += found is None
        seen = "NOT SEEN" if found is None else f"seen after {found.seed - asked.seed + 1} cases"
        say(f"{fault.part:14}{name:40}{seen}")
    return min(unseen, 1)


if __name__ == "__main__":
    sys.exit(main())
