"""``Engine``: what every engine can do and nothing more; sizes estimated and samples taken alike by all of them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

import narwhals.stable.v2 as nw
import numpy as np

from incrowd.core import (
    Census,
    CensusRequest,
    Classes,
    DataError,
    Domain,
    EngineError,
    Kind,
    Packing,
    ParameterError,
    Recoding,
)
from incrowd.engines._files import Stamp
from incrowd.engines._resources import Resources
from incrowd.engines.formats._wording import Wording

Replace = Callable[[str], str]  # what a text is published as


@dataclass(frozen=True, slots=True)
class Shift:
    """How the dates of a column are shifted: by the days that follow from the person, as the person is printed."""

    by: str  # the column that says whose row it is
    days_of: Callable[[str], int]

    def days(self, persons: Domain) -> Any:
        """Give the days of every person."""
        check_persons(persons, "dates are shifted by person")
        return np.array([self.days_of(text) for text in persons.texts.tolist()], dtype=np.int64)


def check_persons(persons: Domain, why: str) -> None:
    """Refuse rows of nobody, where every row must be somebody's."""
    if persons.has_null:
        rows = int(persons.counts[-1])
        msg = f"Column {persons.column!r} says whose row it is, and is missing in {rows:,} rows."
        raise DataError(msg, hint=f"{why}: say whose these rows are, or leave them out.")


Replacements = Mapping[str, Replace | Shift] | None


def shifts_in(replace: Replacements) -> dict[str, Shift]:
    """Give the columns whose dates are shifted."""
    return {name: one for name, one in (replace or {}).items() if isinstance(one, Shift)}


def texts_in(replace: Replacements) -> dict[str, Replace]:
    """Give the columns whose texts are replaced."""
    return {name: one for name, one in (replace or {}).items() if not isinstance(one, Shift)}


class Engine(Protocol):
    """A table, wherever it lives, and the nine things that can be asked of it.

    An engine knows nothing of privacy. All engines give equal answers for equal tables, whatever the order of the
    rows, the number of threads or the way the table is cut into chunks.
    """

    shows_names: ClassVar[bool]
    """Whether an error may list the columns: the first line of a text file may be a record."""

    @property
    def sized(self) -> str | None:
        """The column of sizes, which the table was given."""

    @property
    def resources(self) -> Resources:
        """The memory and the temporary place that the table was opened with; what is made of it has the same."""

    @property
    def stamp(self) -> Stamp | None:
        """The files that the table is read from, as they were when it was opened; ``None`` if it lies in none."""

    def columns(self) -> dict[str, Kind | None]:
        """Name the columns in order, with the kind that the type of each declares; a text file has texts only.

        ``None`` stands for what cannot be grouped, such as lists.
        """

    def domains(self, names: Sequence[str]) -> dict[str, Domain]:
        """Give the distinct values of columns, in canonical order, with their counts."""

    def with_sizes(self, name: str, of: str) -> Engine:
        """Give the table with one more column: how many rows have the value that a row has in some column.

        All rows are counted, those too that are dropped because something is missing.
        """

    def census_size(self, request: CensusRequest) -> int:
        """Say how many cells a census would have, without fetching it."""

    def census(self, request: CensusRequest) -> Census:
        """Count the cells: encode first, then group, inside the engine."""

    def recode(
        self, recoding: Recoding, publish: Sequence[str], *, replace: Replacements = None, keep_order: bool = False
    ) -> Engine:
        """Replace quasi-identifiers by what they are published as, leave out what is suppressed.

        Parameters
        ----------
        recoding
            What each record is published as.
        publish
            The columns of the result, in order. All others are left out.
        replace
            Per column that is not recoded, what each of its texts is replaced by, or how its dates are shifted.
            Missing stays missing. What is known of persons for a shift are their texts before these are replaced.
        keep_order
            Whether rows come out in the order in which they went in, instead of sorted.
        """

    def classes(
        self, quasi: Sequence[str], sensitive: Mapping[str, Domain], entity: str | None = None, count: str | None = None
    ) -> Classes:
        """Group the labels as they stand in the table; census and ladders take no part.

        Parameters
        ----------
        quasi
            The columns with published labels.
        sensitive
            The sensitive columns, each with the domain whose codes the classes shall use.
        entity
            The column that says whose row it is.
        count
            The column that says how many records a row stands for.
        """

    def write(self, path: Path, *, keep_order: bool = False, wording: Wording | None = None) -> Wording:
        """Write the table to a file, sorted by its values unless the order is kept; say how a text file is written.

        Parameters
        ----------
        path
            The file, which is known by the ending of its name.
        keep_order
            Whether rows keep their order.
        wording
            How a text file is to be written; by default with commas, in UTF-8, with decimal points and ISO dates.
        """

    def materialise(self) -> Any:
        """Give the table as the kind of frame that came in, sorted by its values unless it was recoded otherwise."""


BY_SIZE = "the rows of each are counted"
"""Why nobody's rows are refused where sizes are asked for."""


# About how many cells a census would have: counted among some of them, which are the same ones on every engine.

ENOUGH = 1 << 16
"""So many cells, at least, are looked at when a census is as long as it may be: then it is right within 1 %."""

_PRIME, _FACTOR = 2**31 - 1, 48_271


@runtime_checkable
class CanEstimate(Protocol):
    def census_size_about(self, request: CensusRequest, one_in: int) -> int:
        """Count one cell in so many."""


@runtime_checkable
class KnowsFirst(Protocol):
    def first_differ(self, one: str, other: str) -> bool:
        """Say whether the first rows show two values of a column beside the same value of another."""


def determines(engine: Engine, one: str, other: str, values: int) -> bool:
    """Say whether each of so many values of a column, missing or not, stands beside a single one of another."""
    if isinstance(engine, KnowsFirst) and engine.first_differ(one, other):
        return False
    return engine.census_size(CensusRequest((one, other))) == values


def census_size_about(engine: Engine, request: CensusRequest, most: int) -> int:
    """Say about how many cells a census would have; exactly, if at most a few may be: so many are told from more."""
    one_in = max(most // ENOUGH, 1)
    return engine.census_size(request) if one_in == 1 else estimated_size(engine, request, one_in)


def estimated_size(engine: Engine, request: CensusRequest, one_in: int) -> int:
    """Say the same by counting one cell in so many."""
    if isinstance(engine, CanEstimate):
        return engine.census_size_about(request, one_in)
    census = engine.census(request)
    cardinalities = [request.cardinality(census.domains[name]) for name in request.columns]
    codes = [*census.codes, *([] if census.person is None else [census.person])]
    return cells_about(Packing.of(cardinalities).pack(codes), one_in)


def cells_about(words: Sequence[Any], one_in: int) -> int:
    """Say about how many cells there are, as an engine that does not have them here would."""
    return one_in * int(np.count_nonzero(_hash_of_words(words) % one_in == 0))


def is_in_share(words: Sequence[str], shares: int, number: int = 0) -> nw.Expr:
    """Choose the rows whose cell is in one of several shares, by the columns with its packed codes."""
    chosen: nw.Expr = _hash_of_words([nw.col(word) for word in words]) % shares == number
    return chosen


def _hash_of_words(words: Sequence[Any]) -> Any:
    """Turn packed codes into a number that looks random; nothing on the way needs more than 63 bits."""
    one: Any = functools.reduce(
        lambda mixed, word: (mixed * _FACTOR + word % _PRIME) % _PRIME, words[1:], words[0] % _PRIME
    )
    return ((one * one) % _PRIME * _FACTOR + one) % _PRIME


# Some rows of a table instead of all: to try something out, never to publish.


@runtime_checkable
class CanSample(Protocol):
    def sampled(self, rows: int) -> Engine:
        """Take so many rows, or all if there are no more: the same ones whatever their order."""


def sample_of(engine: Engine, rows: int) -> Engine:
    """Take a sample of a table. Which rows it has follows from their content, so it is the same every time."""
    if not isinstance(rows, int) or isinstance(rows, bool) or rows < 1:
        msg = f"A sample must have a whole number of rows, 1 or more, got {rows!r}."
        raise ParameterError(msg)
    if not isinstance(engine, CanSample):
        msg = "This kind of table cannot be sampled."
        raise EngineError(msg, hint="take a sample yourself, and give that.")
    return engine.sampled(rows)


def places_of_a_sample(total: int, rows: int) -> Any:
    """Draw places among rows that are in order; always the same ones."""
    return np.sort(np.random.default_rng(0).choice(total, size=min(rows, total), replace=False))


# What an engine is busy with, for whoever watches. Numbers only: nothing of the table.

StageName = Literal["reading", "writing", "checking"]


@dataclass(frozen=True, slots=True)
class Stage:
    """How far an engine is."""

    name: StageName
    done: int | None = None  # rows
    total: int | None = None  # about so many, where anybody knows


Watcher = Callable[[Stage], None]

_WATCHER: ContextVar[Watcher | None] = ContextVar("incrowd_watcher", default=None)


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Let somebody know what engines do, until the block ends."""
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def report_stage(name: StageName, done: int | None = None, total: int | None = None) -> None:
    watcher = _WATCHER.get()
    if watcher is not None:
        watcher(Stage(name, done, total))
