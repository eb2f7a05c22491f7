"""(k, km)-anonymity by its definition: every record, every few of its items, all records looked through."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

Record = tuple[Any, Any, frozenset[Any]]
"""Who it is, what is known of it besides, and its items."""


def people_with(records: Sequence[Record], known: Any, items: frozenset[Any]) -> int:
    return len({who for who, base, held in records if base == known and items <= held})


def fewest_of(records: Sequence[Record], record: Record, m: int) -> int:
    """Say how few have some of a record's items, of ``m`` or fewer."""
    _, known, held = record
    few = range(min(m, len(held)) + 1)
    sets = (frozenset(some) for size in few for some in itertools.combinations(sorted(held), size))
    return min(people_with(records, known, some) for some in sets)


def fewest(records: Sequence[Record], m: int) -> int:
    return min(fewest_of(records, record, m) for record in records)


def left_in(records: Sequence[Record], k: int, m: int) -> list[Record]:
    """Leave out whoever breaks it, and whoever breaks it then, until nobody does."""
    while True:
        kept = [record for record in records if fewest_of(records, record, m) >= k]
        if len(kept) == len(records):
            return kept
        records = kept
