"""``Recipe`` and ``Basis``: everything needed to make a release again, its input, versions and predicted classes."""

from __future__ import annotations

import functools
import math
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import (
    Cells,
    Classes,
    FullDomainRecoding,
    Grouping,
    Labelling,
    LocalRecoding,
    Namer,
    Recoding,
    Setting,
    ShiftedDates,
)
from incrowd.engines import Stamp, Wording
from incrowd.measures import Measure
from incrowd.release._census import AS_READ
from incrowd.release._shifted_dates import IntervalRisk
from incrowd.search import Algorithm, Problem

LIBRARIES = ("incrowd", "duckdb", "narwhals", "numpy", "pandas", "polars", "pyarrow", "pyspark")


def _installed_versions() -> dict[str, str]:
    """Give the versions of Python, of incrowd and of the libraries that are installed."""
    return {"python": platform.python_version(), **{name: found for name in LIBRARIES if (found := _version_of(name))}}


@functools.cache  # finding and parsing the metadata of a package takes milliseconds
def _version_of(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a release was made.

    Attributes
    ----------
    promise
        The promise, as its text.
    algorithm
        The search, with its parameters.
    search
        The same as plain data: its ``name`` as a plan has it, and its ``settings``.
    proof
        What the search shows: ``"optimal"``, ``"all minimal nodes"``, ``"least height"``, ``"best found"``.
    levels
        The level of every quasi-identifier, stars in single cells aside; ``None`` where every class has its own labels.
    records, suppressed
        How many records the table had, and how many are left out of the release, or masked in it.
    max_suppressed_records
        How many might have been left out.
    dropped
        How many records were removed first because a quasi-identifier is missing.
    checked, nodes
        How many nodes of the lattice were tested, of how many.
    lower_bound
        No release of this kind has a smaller measure than this: of levels and cells none loses less on average over the
        columns, weighted by their importance. 0 where nothing is known.
    notes
        What the search had to do differently, and what a careful reader should know.
    engine, input
        What read the table, and what is known about it: ``kind``, how many ``files`` and their ``sha256``, ``rows``,
        ``columns``. As confidential as the table: a hash confirms guesses.
    versions
        The versions of incrowd and of the libraries that took part.
    order, suppression
        Whether rows are sorted or keep their order, and whether suppressed records are dropped or masked.
    pseudonymised
        The columns that are published as pseudonyms. Their keys are nowhere.
    shifted
        The columns whose dates are shifted, ``within`` how many days, whether ``weekdays`` stay, and under
        ``intervals`` who can be told by the intervals between them. Their key is nowhere.
    repeated
        Identifiers that name fewer people than there are rows, though every row was counted as another person.
    sample
        How many records were tried out; ``None`` for a whole table. What came of a sample is no result.
    floor
        The columns whose finest levels were not counted, because the census would not have fit into memory, each with
        the level from which on it was; ``notes`` say what is known about the levels below.
    """

    promise: str
    algorithm: str
    proof: str
    levels: Mapping[str, int] | None
    records: int
    suppressed: int
    max_suppressed_records: int
    dropped: int
    checked: int
    nodes: int
    lower_bound: float
    notes: tuple[str, ...]
    engine: str
    input: Mapping[str, Any]
    versions: Mapping[str, str] = field(default_factory=_installed_versions)
    order: str = "sorted"
    suppression: str = "drop"
    pseudonymised: tuple[str, ...] = ()
    shifted: Mapping[str, Any] = field(default_factory=dict)
    repeated: tuple[str, ...] = ()
    sample: int | None = None
    floor: Mapping[str, int] = field(default_factory=dict)
    search: Mapping[str, Any] = field(default_factory=dict)

    @property
    def untrue(self) -> dict[str, str]:
        """What is said of every column whose dates are shifted."""
        if not self.shifted:
            return {}
        dates = ShiftedDates(**{name: self.shifted[name] for name in ("columns", "within", "weekdays")})
        return dict.fromkeys(dates.columns, f"not true: every date is shifted, all of a person alike, {dates.words}")

    @property
    def interval_sentences(self) -> list[str]:
        """Say for the owner who can be told by what a shift of dates leaves true."""
        found = IntervalRisk.read(self.shifted.get("intervals"))
        return [] if found is None else found.sentences

    @property
    def has_stars(self) -> bool:
        """Whether every column has one level, and single cells may have a star."""
        return bool(self.search.get("name") == STARRING)

    @property
    def gap(self) -> str:
        """Say how little other levels and stars could lose at best; empty where nothing is known of it."""
        known = self.proof == "heuristic" and self.lower_bound > 0
        least = math.floor(self.lower_bound * 1000) / 1000  # never more than is proven
        return f"whatever the levels and stars, at least {least:.1%} of the detail is lost" if known else ""

    @property
    def published(self) -> int:
        """How many records are published, masked or not."""
        return self.records - self.suppressed + self.masked

    @property
    def masked(self) -> int:
        """How many records are published with nothing in their quasi-identifiers."""
        return self.suppressed if self.suppression == "mask" else 0

    @property
    def wording(self) -> Wording | None:
        """How the file that was read is written; ``None`` if it was no text file."""
        return read_wording(self.input)


def read_wording(known: Mapping[str, Any]) -> Wording | None:
    """Say how a file that was read is written, by what is known of it; ``None`` if it was no text file."""
    if "dialect" in known:
        return Wording.read_of(known["dialect"])
    return Wording() if known["kind"] in {"csv", "tsv", "txt", "gz"} else None


STARRING = "levels-and-cells"
"""The search whose columns have one level each, and stars in single cells."""
OWNER_ONLY = frozenset({"outliers"})
"""Settings of searches that say how many records might have been left out, which only the owner knows."""


def public_search(search: Mapping[str, Any]) -> dict[str, Any]:
    """Give the name of a search, and those of its settings that anybody may know."""
    settings = {name: value for name, value in search["settings"].items() if name not in OWNER_ONLY}
    return {"name": search["name"], "settings": settings}


def search_in(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Give the same of a recipe that was read; nothing where it was damaged."""
    found = recipe.get("search", {"name": None, "settings": {}})
    whole = isinstance(found, dict) and "name" in found and isinstance(found.get("settings"), dict)
    return public_search(found) if whole else {}


def described_search(algorithm: Algorithm | None) -> dict[str, Any]:
    """Give the name of a search and its settings: ``apply`` where levels were given, ``other`` for one not ours."""
    if algorithm is None:
        return {"name": "apply", "settings": {}}
    if not (own := _own_fields(algorithm)):
        return {"name": "other", "settings": {}}
    named = {one.name: getattr(algorithm, one.name) for one in own}
    settings = {name: _plain_setting(value) for name, value in named.items() if value is not None}
    return {"name": Setting.search(type(algorithm).__name__).value["name"], "settings": settings}


def _plain_setting(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain_setting(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain_setting(inner) for inner in value]
    if isinstance(value, Measure):
        return " ".join([value.name, *(str(getattr(value, one.name)) for one in _own_fields(value))])
    return value if isinstance(value, (str, bool, int, float)) else "other"


def _own_fields(value: Any) -> tuple[Any, ...]:
    """Give the settings of what is ours; of what somebody else wrote nobody knows who may read them."""
    return fields(value) if type(value).__module__.startswith("incrowd.") and is_dataclass(value) else ()


def described_input(
    table: Any, stamp: Stamp | None, columns: list[str], rows: int, read: Wording | None, reading: Mapping[str, Any]
) -> dict[str, Any]:
    """Describe the input: files by the hash that they had when they were opened, how they are written and were read.

    Anything else is described by its size.
    """
    known: dict[str, Any] = {"kind": type(table).__name__, "sha256": None, "rows": rows, "columns": columns}
    if stamp is not None and isinstance(table, (str, os.PathLike)):
        files = stamp.found.files
        kind = files[0].suffix.lstrip(".").lower() or "file"
        known |= {"kind": kind, "sha256": stamp.digest(), "files": len(files)}
        said = {name: reading[name] for name in AS_READ if name in reading}
        known |= {"reading": said} if said else {}
    return known | ({} if read is None or read.plain is None else {"dialect": read.plain})


# The classes that a recoding says will be published.

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True, eq=False)
class Predicted:
    """The classes that a recoding makes."""

    classes: Classes
    left_out: Bools
    quasi: tuple[Ints, ...] | None = None


def prediction_of(problem: Problem, recoding: Recoding, paths: Ints | None = None) -> Predicted:
    """Give the classes that a recoding makes of a table."""
    if isinstance(recoding, FullDomainRecoding):
        classes = problem.census.classes(recoding.levels)
        return Predicted(classes, recoding.is_suppressed(classes.codes))
    classes = _predicted_classes(problem, recoding)
    classes = classes if paths is None else replace(classes, paths=paths)
    kept = _published_entries(recoding)
    quasi = tuple(column[kept] for column in recoding.codes[: len(recoding.quasi)])
    return Predicted(classes, np.zeros(len(classes), dtype=bool), quasi)


def _predicted_classes(problem: Problem, recoding: LocalRecoding) -> Classes:
    census, kept = problem.census, _published_entries(recoding)
    members = recoding.classes[kept]
    number = len(recoding.labels[0])
    first = np.zeros(number, dtype=np.intp)
    first[members[::-1]] = np.arange(len(members))[::-1]
    codes = dict(zip(recoding.domains, (column[kept] for column in recoding.codes), strict=True))
    entity = problem.schema.entity
    cells = Cells(
        {name: codes[name] for name in census.sensitive},
        {name: recoding.domains[name] for name in census.sensitive},
        None if entity is None else codes[entity],
        recoding.counts[kept],
    )
    names, ids = zip(*recoding.distinct_labels.values(), strict=True)
    return Classes.of(Grouping(members, first), ids, cells, labels=names)


def _published_entries(recoding: LocalRecoding) -> Bools | slice:
    """Say which entries of a recoding are published; a slice, which copies nothing, where all are."""
    kept = recoding.classes >= 0
    return slice(None) if kept.all() else kept


# What a release was made of, for whoever draws it: the original table, the census, and the classes it became.


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """What a release was made of. As confidential as the original table."""

    table: Any = field(repr=False)
    reading: Mapping[str, Any] = field(repr=False)
    problem: Problem = field(repr=False)
    predicted: Predicted = field(repr=False)
    named: Sequence[Labelling] | None = field(default=None, repr=False)
    seconds: float | None = field(default=None, repr=False)
    peak: int | None = field(default=None, repr=False)

    @property
    def budget(self) -> dict[str, Any]:
        """What may be used, and where to spill, for whoever reads the table or the release again."""
        return budget_of(self.reading)

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """The records of every published class."""
        return self.predicted.classes.records[~self.predicted.left_out]

    @property
    def labels(self) -> tuple[Labelling, ...]:
        """What every published class is called, per quasi-identifier, and what that gives up."""
        if self.named is not None:
            return tuple(self.named)
        classes, kept = self.predicted.classes, ~self.predicted.left_out
        assert classes.standing is not None  # noqa: S101 - a census says where its classes stand
        census = self.problem.census
        return tuple(
            Namer(census, column).by_group(np.full(int(kept.sum()), level), classes.codes[column][kept])
            for column, level in enumerate(classes.standing.levels)
        )


def budget_of(reading: Mapping[str, Any]) -> dict[str, Any]:
    """Give of how a table is read what any other table may be read with: the memory, and where to spill."""
    return {name: reading[name] for name in ("memory", "temp") if name in reading}
