"""Columns that say the same in other words, such as a code and its label: what is known of one holds for the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from incrowd.api._suggest._roles import Clues, RoleGuess
from incrowd.engines import Engine, go_together

MOST = 40
"""So many pairs are compared in the table at most; which could be twins is seen by how often their values occur."""

FEWEST, LARGEST = 3, 100_000
"""Columns with fewer values agree by chance too easily; those with more stand for people."""

RANK = {"quasi": 1, "sensitive": 2}
"""Which role two twins get if both are known: the one that hides more."""


def alike(engine: Engine, clues: Mapping[str, Clues], guesses: Mapping[str, RoleGuess]) -> dict[str, RoleGuess]:
    """Give the guesses of columns that another one determines, and which determine it: both get one role."""
    found = dict(guesses)
    for one, other in _twins(engine, clues):
        known, open_ = sorted((one, other), key=lambda name: (not found[name].sure, found[name].about is None, name))
        better, worse = found[known], found[open_]
        if better.role == worse.role or better.role not in RANK or worse.role not in RANK:
            continue
        if better.about is None or (worse.about is not None and RANK[better.role] > RANK[worse.role]):
            known, open_, better, worse = open_, known, worse, better
        if better.about is not None:
            reason = f"says the same as {known!r} in other words"
            found[open_] = replace(worse, role=better.role, reason=reason, sure=False, about=worse.about)
    return found


def _twins(engine: Engine, clues: Mapping[str, Clues]) -> Iterator[tuple[str, str]]:
    """Find pairs of columns whose values go together one by one."""
    by_counts: dict[bytes, list[str]] = {}
    for name, clue in clues.items():
        if FEWEST <= clue.column.distinct <= min(LARGEST, clue.column.records // 2):
            counts = np.sort(clue.domain.counts[: clue.column.distinct]).astype(np.int64)
            by_counts.setdefault(counts.tobytes(), []).append(name)
    pairs = [(names[0], other) for names in by_counts.values() for other in names[1:]]
    for one, other in pairs[:MOST]:
        missing = clues[one].domain.has_null or clues[other].domain.has_null
        if go_together(engine, one, other, clues[one].column.distinct + missing):
            yield one, other
