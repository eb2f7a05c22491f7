"""Read the categories of a sensitive column from a CSV file with a header."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from incrowd.core import HierarchyError
from incrowd.hierarchies._file import Line, read_lines
from incrowd.hierarchies._weights import agrees, weights_of

NEEDED = ("value", "category", "rank")


def read_categories(path: str | os.PathLike[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Read and check a file; no message holds what stands in it."""
    name = Path(path).name
    header, *lines = read_lines(path) or [(1, ())]
    columns = [field.strip().lower() for field in header[1]]
    missing = [needed for needed in NEEDED if needed not in columns]
    if missing:
        msg = f"The category file {name!r} has no column {missing[0]!r}."
        raise HierarchyError(msg, hint="its first line must be value,category,rank[,label,weight].")
    if not lines:
        raise _wrong(name, header[0], "there is no value below the header.")
    for number, fields in lines:
        if len(fields) != len(columns):
            raise _wrong(name, number, f"has {len(fields)} fields, but the header has {len(columns)}.")
    return _sort(name, columns, lines)


def _sort(name: str, columns: Sequence[str], lines: Sequence[Line]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    value, category, rank = (columns.index(needed) for needed in NEEDED)
    ranks: dict[int, str] = {}
    members: dict[str, str] = {}
    for number, fields in lines:
        place = _read_rank(name, number, fields[rank])
        if ranks.setdefault(place, fields[category]) != fields[category]:
            raise _wrong(name, number, f"rank {place} already belongs to another category.")
        if members.setdefault(fields[value], fields[category]) != fields[category]:
            raise _wrong(name, number, "the value already belongs to another category.")
    if sorted(ranks) != list(range(1, len(ranks) + 1)) or len(set(ranks.values())) < len(ranks):
        msg = f"The category file {name!r} needs the ranks 1 to {len(set(ranks.values()))}, one for each category."
        raise HierarchyError(msg, hint="rank 1 is the most secret.")
    if "weight" in columns:
        _check_weights(name, [(number, fields[rank], fields[columns.index("weight")]) for number, fields in lines])
    groups = (
        (ranks[place], [text for text, home in members.items() if home == ranks[place]]) for place in sorted(ranks)
    )
    return tuple((home, tuple(sorted(texts))) for home, texts in groups)


def _read_rank(name: str, number: int, text: str) -> int:
    if not text.strip().isdecimal():
        raise _wrong(name, number, "the rank is no whole number.")
    return int(text)


def _check_weights(name: str, lines: Sequence[tuple[int, str, str]]) -> None:
    weights = weights_of(max(int(rank) for _, rank, _ in lines))
    for number, rank, written in lines:
        if written.strip() and not agrees(written, weights[int(rank) - 1]):  # no weight says nothing
            raise _wrong(
                name, number, f"the weight is not {weights[int(rank) - 1]}, which follows from rank {int(rank)}."
            )


def _wrong(name: str, number: int, problem: str) -> HierarchyError:
    msg = f"The category file {name!r}, line {number}: {problem}"
    return HierarchyError(msg, hint="rank 1 is the most secret; every value belongs to one category.")
