"""Datafly, µ-Argus and SwapDiversity on Adult: what they cost, how long they take, and what more outliers change."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path

from _searches import ADULT, schema

import incrowd as ic
from incrowd.models import promise
from incrowd.search import Datafly, LocalOutcome, MuArgus, Problem, SwapDiversity

EIGHT = tuple(name for name in ADULT if name != "occupation")
OUTLIERS = (None, 1_500, 10_000)


@dataclass(frozen=True)
class Run:
    """A search, the promise it is asked for, and the columns."""

    search: Datafly | MuArgus | SwapDiversity
    promise: str
    columns: tuple[str, ...] = ADULT
    limit: int = 0

    def of(self, adult: Path) -> tuple[float, LocalOutcome]:
        """Give the processor's seconds (the least of three runs) and what was found."""
        sensitive = [name for name in ADULT if name not in self.columns]
        roles = schema(self.columns, f"{adult}/hierarchy_", sensitive)
        asked = Problem(ic.census(adult / "adult.csv", roles), roles, promise(self.promise), self.limit)
        seconds = []
        for _ in range(3):
            start = time.process_time()
            outcome = self.search.search(asked)
            seconds.append(time.process_time() - start)
        return min(seconds), outcome


def runs() -> list[Run]:
    """Give everything that is measured."""
    return [
        *(Run(Datafly(outliers=outliers), "k>=5") for outliers in OUTLIERS),
        Run(Datafly(improved=False), "k>=5", limit=5),
        *(Run(MuArgus(outliers=outliers), "k>=5") for outliers in OUTLIERS),
        *(
            Run(SwapDiversity(swap=swap, outliers=outliers), "k>=5, l>=3[occupation]", EIGHT)
            for outliers in OUTLIERS
            for swap in (True, False)
        ),
    ]


def improved(adult: Path) -> None:
    """Print a line per search."""
    print("Datafly, µ-Argus, SwapDiversity on Adult: processor seconds of the search alone, census excluded")
    print(f"  {'':<64}{'promise':<26}{'seconds':>8}{'loss':>9}{'classes':>9}{'left out':>10}")
    for run in runs():
        seconds, outcome = run.of(adult)
        print(
            f"  {run.search!r:<64.64}{run.promise:<26}{seconds:>8.2f}{outcome.costs['loss']:>9.4f}"
            f"{outcome.classes:>9,}{outcome.suppressed:>10,}",
            flush=True,
        )


if __name__ == "__main__":
    improved(Path(sys.argv[1]))
