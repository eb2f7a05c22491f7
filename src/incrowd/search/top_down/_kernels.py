"""The loops of the top-down search that NumPy cannot do at once, compiled by numba. Plain arrays compile fast."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from incrowd.core.kernels import compiled

Bools = npt.NDArray[np.bool_]
Words = npt.NDArray[np.int64]

COUNT, KEPT, GROUP, SCORE, ROWS = range(5)
"""Rows of ``pieces``: records, how many of them are kept, the group, its score; then kinds, their entries, worths."""
STAGES = 3


@compiled
def divide(labels: Words, starts: Words, seen: Words, numbers: Words, order: Words, at: Words) -> int:
    """Give the labels of every part numbers in the order of their appearance, and line pieces up by these numbers.

    ``seen`` is -1 for every label; ``at`` is two longer than there are numbers, has zeros, and is filled with where
    each begins.
    """
    groups = 0
    for part in range(len(starts) - 1):
        first = groups
        for piece in range(starts[part], starts[part + 1]):
            number = seen[labels[piece]]
            if number < first:
                number = groups
                seen[labels[piece]] = number
                groups += 1
            numbers[piece] = number
            at[number + 2] += 1
    for group in range(groups):
        at[group + 2] += at[group + 1]
    for piece in range(len(labels)):
        place = numbers[piece] + 1
        order[at[place]] = piece
        at[place] += 1
    return groups


@compiled
def count_kinds(  # noqa: PLR0913, PLR0917 - plain arrays are what compiles fast
    order: Words,
    starts: Words,
    counts: Words,
    kinds: Words,
    worth: Words,
    seen: Words,
    have: Words,
    entry: Words,
    records: Words,
) -> None:
    """Add up what different kinds every group has, and count the records of each.

    ``seen``: two zeros for every kind. Fills from zeros ``have`` (per group and need), ``entry`` (per need and piece
    the number of its kind in its group) and ``records`` (of every such number).
    """
    entries = 0
    for group in range(len(starts) - 1):
        for line in range(starts[group], starts[group + 1]):
            piece = order[line]
            for need in range(len(kinds)):
                kind = kinds[need, piece]
                if seen[0, kind] <= group:
                    seen[0, kind], seen[1, kind] = group + 1, entries
                    have[group, need] += worth[kind]
                    entries += 1
                entry[need, piece] = seen[1, kind]
                records[seen[1, kind]] += counts[piece]


@compiled
def _movable(  # noqa: PLR0913, PLR0917
    piece: int,
    stage: int,
    pieces: Words,
    groups: Words,
    limits: Words,
    worth: Words,
    records: Words,
    back: Words,
    seen: Bools,
) -> int:
    """Say how many records of a piece go back before anything new is to be decided; 0 if none helps or none can."""
    group, most, wanted, helps, fits = pieces[GROUP, piece], pieces[KEPT, piece], 0, False, True
    kinds = len(pieces) - ROWS - len(back)
    for need in range(kinds):
        kind, left = pieces[ROWS + need, piece], records[pieces[ROWS + kinds + need, piece]] - 1
        short = limits[1, need] == stage and back[need] < limits[0, need]
        helps |= short and not seen[kind] and worth[kind] > 0
        fits &= left > 0 or groups[group, need] - worth[kind] >= limits[0, need]
        most = min(most, left)
    for need in range(kinds, len(back)):
        each, spare = pieces[ROWS + kinds + need, piece], groups[group, need] - limits[0, need]
        if each > 0:
            short = limits[0, need] - back[need]
            if limits[1, need] == stage and short > 0:
                wanted = max(wanted, (short + each - 1) // each)
            fits &= spare >= each
            most = min(most, spare // each)
    if not helps and wanted == 0:
        return 0
    alone = groups[group, len(back)] == 1
    result: int = max(min(most, wanted), 1 if fits or alone else 0)
    return result


@compiled
def _take(piece: int, moved: int, pieces: Words, groups: Words, worth: Words, records: Words) -> None:
    """Take records of a piece out of its group, whose last column is its size."""
    group, needs = pieces[GROUP, piece], groups.shape[1] - 1
    kinds = len(pieces) - ROWS - needs
    pieces[KEPT, piece] -= moved
    groups[group, needs] -= moved
    for need in range(kinds):
        kind, entry = pieces[ROWS + need, piece], pieces[ROWS + kinds + need, piece]
        records[entry] -= moved
        if records[entry] == 0:
            groups[group, need] -= worth[kind]
    for need in range(kinds, needs):
        groups[group, need] -= moved * pieces[ROWS + kinds + need, piece]


@compiled
def _add(piece: int, moved: int, pieces: Words, worth: Words, back: Words, seen: Bools) -> None:
    """Add records of a piece to what is back."""
    kinds = len(pieces) - ROWS - len(back)
    for need in range(kinds):
        kind = pieces[ROWS + need, piece]
        if not seen[kind]:
            seen[kind] = True
            back[need] += worth[kind]
    for need in range(kinds, len(back)):
        back[need] += moved * pieces[ROWS + kinds + need, piece]


@compiled
def _short(back: Words, limits: Words, stage: int) -> bool:
    for need in range(len(back)):  # noqa: SIM110 - a generator does not compile
        if limits[1, need] == stage and back[need] < limits[0, need]:
            return True
    return False


@compiled
def _look_for(  # noqa: PLR0913, PLR0917
    stage: int,
    line: Words,
    pieces: Words,
    groups: Words,
    limits: Words,
    worth: Words,
    records: Words,
    back: Words,
    seen: Bools,
) -> None:
    """Move records back, in line, until nothing is missing that this stage looks for."""
    at = 0
    while at < len(line) and _short(back, limits, stage):
        piece = line[at]
        at += 1
        while pieces[KEPT, piece] > 0:
            moved = _movable(piece, stage, pieces, groups, limits, worth, records, back, seen)
            if moved == 0:
                break
            _take(piece, moved, pieces, groups, worth, records)
            _add(piece, moved, pieces, worth, back, seen)
            if pieces[KEPT, piece] == 0 and groups[pieces[GROUP, piece], len(back)] == 1:
                at = 0


@compiled
def borrow(  # noqa: PLR0913, PLR0917
    starts: Words,
    line: Words,
    pieces: Words,
    groups: Words,
    limits: Words,
    worth: Words,
    records: Words,
    seen: Bools,
    failed: Bools,
) -> None:
    """Step 10: move records of every part back, those with the smallest scores first, until what is back has enough.

    Once passed over, a piece stays so: what is back only grows, and groups only shrink. But the last record of a group
    may go, so whoever is left alone is asked again. ``line``: the pieces of each part by score. Of ``pieces`` (see
    ``ROWS``) the row of what is kept changes; nothing is kept of what is back already. ``groups``: per need what each
    has, and last how many of its records are kept. ``limits``: per need how much is enough, and the stage in which it
    is looked for. ``failed``: per part whether records alone do not suffice.
    """
    back = np.zeros(limits.shape[1], np.int64)
    for part in range(len(starts) - 1):
        back[:] = 0
        for piece in range(starts[part], starts[part + 1]):
            if pieces[KEPT, piece] == 0:
                _add(piece, pieces[COUNT, piece], pieces, worth, back, seen)
        for stage in range(STAGES):
            _look_for(stage, line[starts[part] : starts[part + 1]], pieces, groups, limits, worth, records, back, seen)
            if _short(back, limits, stage):
                failed[part] = True
                break
        for piece in range(starts[part], starts[part + 1]):
            for need in range(len(pieces) - ROWS - len(back)):
                seen[pieces[ROWS + need, piece]] = False
