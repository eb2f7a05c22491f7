"""About how many cells a census would have: counted among some of them, which are the same ones on every engine.

A cell is looked at if a hash of its packed codes says so. The hash is plain arithmetic that no library does its own
way, so the estimate follows from the cells alone, and with it everything that is decided by it.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

import narwhals.stable.v2 as nw
import numpy as np

from incrowd.core import CensusRequest, Packing
from incrowd.engines._protocol import Engine

ENOUGH = 1 << 16
"""So many cells, at least, are looked at when a census is as long as it may be: then it is right within 1 %."""

_PRIME, _FACTOR = 2**31 - 1, 48_271

T = TypeVar("T")


@runtime_checkable
class CanEstimate(Protocol):
    """An engine that can say about how many cells a census would have."""

    def census_size_about(self, request: CensusRequest, one_in: int) -> int:
        """Count one cell in so many."""


@runtime_checkable
class KnowsFirst(Protocol):
    """An engine that has the first rows at hand."""

    def first_differ(self, one: str, other: str) -> bool:
        """Say whether the first rows show two values of a column beside the same value of another."""


def go_together(engine: Engine, one: str, other: str, values: int) -> bool:
    """Say whether every value of a column stands beside a single value of another, in all rows.

    Parameters
    ----------
    engine
        The table. Its first rows often show that it is not so, and then no others are counted.
    one, other
        The columns.
    values
        How many values the first one has; a missing one is a value.
    """
    if isinstance(engine, KnowsFirst) and engine.first_differ(one, other):
        return False
    return engine.census_size(CensusRequest((one, other))) == values


def census_size_about(engine: Engine, request: CensusRequest, most: int) -> int:
    """Say about how many cells a census would have; exactly, if not many may be.

    Parameters
    ----------
    engine, request
        The table, and what would be counted.
    most
        How many cells may be: so many are told apart from more.
    """
    one_in = max(most // ENOUGH, 1)
    return engine.census_size(request) if one_in == 1 else one_cell_in(engine, request, one_in)


def one_cell_in(engine: Engine, request: CensusRequest, one_in: int) -> int:
    """Say the same by counting one cell in so many."""
    if isinstance(engine, CanEstimate):
        return engine.census_size_about(request, one_in)
    census = engine.census(request)
    cardinalities = [request.cardinality(census.domains[name]) for name in request.columns]
    codes = [*census.codes, *([] if census.person is None else [census.person])]
    return how_many(Packing.of(cardinalities).pack(codes), one_in)


def how_many(words: Sequence[Any], one_in: int) -> int:
    """Say about how many cells there are, as an engine that does not have them here would."""
    return one_in * int(np.count_nonzero(_mixed(words) % one_in == 0))


def in_share(words: Sequence[str], shares: int, number: int = 0) -> nw.Expr:
    """Choose the rows whose cell is in one of several shares, by the columns with its packed codes."""
    chosen: nw.Expr = _mixed([nw.col(word) for word in words]) % shares == number
    return chosen


def _mixed(words: Sequence[Any]) -> Any:
    """Turn packed codes into a number that looks random; nothing on the way needs more than 63 bits."""
    one: Any = functools.reduce(
        lambda mixed, word: (mixed * _FACTOR + word % _PRIME) % _PRIME, words[1:], words[0] % _PRIME
    )
    return ((one * one) % _PRIME * _FACTOR + one) % _PRIME
