"""Compiled loops of the top-down search: parts divided by labels, records lent back to groups that lack something."""

from __future__ import annotations

from typing import NamedTuple

from incrowd.core.kernels import compiled
from incrowd.search._problem import Bools, Counts

COUNT, KEPT, GROUP, SCORE, ROWS = range(5)
"""Rows of ``pieces``: records, how many of them are kept, the group, its score; then kinds, their entries, worths."""
STAGES = 3


@compiled
def divide(labels: Counts, starts: Counts, seen: Counts, numbers: Counts, order: Counts, at: Counts) -> int:
    """Give the labels of every part numbers in the order of their appearance, and line pieces up by these numbers."""
    # `seen` is -1 for every label; `at` is two longer than there are numbers, has zeros, and is filled with where each
    # begins.
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


class Tally(NamedTuple):
    """What different kinds every group has; all filled from zeros."""

    # `seen`: two zeros for every kind. `have`: per group and need; `entry`: per need and piece the number of its kind
    # in its group; `records`: of every such number.
    seen: Counts
    have: Counts
    entry: Counts
    records: Counts


@compiled
def count_kinds(order: Counts, starts: Counts, counts: Counts, kinds: Counts, worth: Counts, tally: Tally) -> None:
    """Add up what different kinds every group has, and count the records of each."""
    seen, entries = tally.seen, 0
    for group in range(len(starts) - 1):
        for line in range(starts[group], starts[group + 1]):
            piece = order[line]
            for need in range(len(kinds)):
                kind = kinds[need, piece]
                if seen[0, kind] <= group:
                    seen[0, kind], seen[1, kind] = group + 1, entries
                    tally.have[group, need] += worth[kind]
                    entries += 1
                tally.entry[need, piece] = seen[1, kind]
                tally.records[seen[1, kind]] += counts[piece]


class Loan(NamedTuple):
    """Who may lend records to those who stay."""

    # Of `pieces` (see `ROWS`) the row of what is kept changes; nothing is kept of what is back already. `groups`: per
    # need what each has, and last how many of its records are kept. `limits`: per need how much is enough, and the
    # stage in which it is looked for. `back` and `seen`: per need what is back, and per kind whether it is.
    pieces: Counts
    groups: Counts
    limits: Counts
    worth: Counts
    records: Counts
    back: Counts
    seen: Bools


@compiled
def _movable_records(piece: int, stage: int, loan: Loan) -> int:
    """Say how many records of a piece go back before anything new is to be decided; 0 if none helps or none can."""
    pieces, groups, limits, worth, records, back, seen = loan
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
def _take(piece: int, moved: int, loan: Loan) -> None:
    """Take records of a piece out of its group, whose last column is its size."""
    pieces, groups, records = loan.pieces, loan.groups, loan.records
    group, needs = pieces[GROUP, piece], groups.shape[1] - 1
    kinds = len(pieces) - ROWS - needs
    pieces[KEPT, piece] -= moved
    groups[group, needs] -= moved
    for need in range(kinds):
        kind, entry = pieces[ROWS + need, piece], pieces[ROWS + kinds + need, piece]
        records[entry] -= moved
        if records[entry] == 0:
            groups[group, need] -= loan.worth[kind]
    for need in range(kinds, needs):
        groups[group, need] -= moved * pieces[ROWS + kinds + need, piece]


@compiled
def _add_piece(piece: int, moved: int, loan: Loan) -> None:
    """Add records of a piece to what is back."""
    pieces, back = loan.pieces, loan.back
    kinds = len(pieces) - ROWS - len(back)
    for need in range(kinds):
        kind = pieces[ROWS + need, piece]
        if not loan.seen[kind]:
            loan.seen[kind] = True
            back[need] += loan.worth[kind]
    for need in range(kinds, len(back)):
        back[need] += moved * pieces[ROWS + kinds + need, piece]


@compiled
def _is_short(back: Counts, limits: Counts, stage: int) -> bool:
    for need in range(len(back)):  # noqa: SIM110 - a generator does not compile
        if limits[1, need] == stage and back[need] < limits[0, need]:
            return True
    return False


@compiled
def _move_back(stage: int, line: Counts, loan: Loan) -> None:
    """Move records back, in line, until nothing is missing that this stage looks for."""
    at, kept = 0, loan.pieces[KEPT]
    while at < len(line) and _is_short(loan.back, loan.limits, stage):
        piece = line[at]
        at += 1
        while kept[piece] > 0:
            moved = _movable_records(piece, stage, loan)
            if moved == 0:
                break
            _take(piece, moved, loan)
            _add_piece(piece, moved, loan)
            if kept[piece] == 0 and loan.groups[loan.pieces[GROUP, piece], len(loan.back)] == 1:
                at = 0


@compiled
def borrow(starts: Counts, line: Counts, loan: Loan, failed: Bools) -> None:
    """Step 10: move records of every part back, those with the smallest scores first, until what is back has enough."""
    # Once passed over, a piece stays so: what is back only grows, and groups only shrink. But the last record of a
    # group may go, so whoever is left alone is asked again. `line`: the pieces of each part by score. `failed`: per
    # part whether records alone do not suffice.
    pieces, back = loan.pieces, loan.back
    for part in range(len(starts) - 1):
        back[:] = 0
        for piece in range(starts[part], starts[part + 1]):
            if pieces[KEPT, piece] == 0:
                _add_piece(piece, pieces[COUNT, piece], loan)
        for stage in range(STAGES):
            _move_back(stage, line[starts[part] : starts[part + 1]], loan)
            if _is_short(back, loan.limits, stage):
                failed[part] = True
                break
        for piece in range(starts[part], starts[part + 1]):
            for need in range(len(pieces) - ROWS - len(back)):
                loan.seen[pieces[ROWS + need, piece]] = False
