"""Hot loops compiled by numba (hashing rows, counting pairs), and how compiled code is kept.

Where the package lies in a read-only place and there is no home to cache in, each process compiles them anew.
"""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]


def compiled(function: Callable[..., Any], **how: Any) -> Callable[..., Any]:
    """Compile a function when it is first called, and keep it for later processes where there is room for it."""
    result: Callable[..., Any]
    try:
        result = numba.njit(cache=True, nogil=True, **how)(function)
    except RuntimeError:  # "no locator available": nowhere to cache
        result = numba.njit(nogil=True, **how)(function)
    else:
        _forget_other_editions(getattr(result, "_cache", None))
    return result


def _forget_other_editions(cache: Any) -> None:
    """Let a kernel be compiled anew where what was kept names types of another edition, which numba fails to read."""
    if cache is None:  # compiling is switched off
        return
    load = cache.load_overload

    def load_overload(signature: Any, context: Any) -> Any:
        try:
            return load(signature, context)
        except (AttributeError, ImportError, EOFError, pickle.UnpicklingError):
            with contextlib.suppress(OSError):
                cache.flush()
            return None

    cache.load_overload = load_overload


@compiled
def add_rows(ids: npt.NDArray[np.uint32], counts: Words, totals: Words) -> None:
    """Add the count of every row to the total of its group."""
    for row in range(len(ids)):
        totals[ids[row]] += counts[row]


@compiled
def _fill(words: Words, slots: Slots, ids: Slots, first: Slots, start: int, known: int) -> tuple[int, int]:
    """Enter rows from ``start`` on until the table is half full; give the next row and the number of groups."""
    mask = len(slots) - 1
    half = len(slots) // 2
    for row in range(start, len(words)):
        word = words[row]
        mixed = word ^ (word >> 31)
        mixed = (mixed * 0x9E3779B97F4A7C1) & 0x7FFFFFFFFFFFFFFF
        slot = (mixed >> 20) & mask
        while True:
            group = slots[slot]
            if group < 0:
                if known >= half:
                    return row, known
                slots[slot] = known
                first[known] = row
                ids[row] = known
                known += 1
                break
            if words[first[group]] == word:
                ids[row] = group
                break
            slot = (slot + 1) & mask
    return len(words), known


@compiled
def _rehash(words: Words, slots: Slots, first: Slots, known: int) -> None:
    """Enter the known groups into a larger table."""
    mask = len(slots) - 1
    for group in range(known):
        word = words[first[group]]
        mixed = word ^ (word >> 31)
        mixed = (mixed * 0x9E3779B97F4A7C1) & 0x7FFFFFFFFFFFFFFF
        slot = (mixed >> 20) & mask
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = group


def hash_rows(words: Words) -> tuple[Slots, npt.NDArray[np.intp]]:
    """Renumber equal words in the order of their first appearance; also give those first rows."""
    ids = np.empty(len(words), dtype=np.int32)
    first = np.empty(len(words), dtype=np.int32)
    slots = np.full(1 << 16, -1, dtype=np.int32)
    row, known = _fill(words, slots, ids, first, 0, 0)
    while row < len(words):  # half full: go on in a table four times the size
        slots = np.full(len(slots) * 4, -1, dtype=np.int32)
        _rehash(words, slots, first, known)
        row, known = _fill(words, slots, ids, first, row, known)
    return ids, first[:known].astype(np.intp)


# Counting pairs of codes of very many cells, compiled by numba. Imported only where there are so many.

WordArray = npt.NDArray[np.unsignedinteger]


@compiled
def count_pairs(left: WordArray, right: WordArray, counts: WordArray, table: WordArray) -> None:
    """Add the records of some cells to a table of all pairs, with one row per code of the left column."""
    for cell in range(len(counts)):
        table[left[cell], right[cell]] += counts[cell]
