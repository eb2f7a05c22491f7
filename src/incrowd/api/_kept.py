"""What was counted about a release already: several questions about one file read it once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incrowd.api._census import AS_READ, as_before, open_with
from incrowd.api._fits import cells_within
from incrowd.api._released import open_released
from incrowd.core import CensusRequest, Schema
from incrowd.engines import Answers, Engine, Remembered, digest_of_files, open_table

if TYPE_CHECKING:
    from incrowd.api._release import Release

SHARE = 4
"""One part in so many of the cells that fit into memory may be kept: of the release, and of its table."""


@dataclass(eq=False)
class Kept:
    """What files answered, each with a hash of the bytes that it had then: a file that changed is counted anew.

    Attributes
    ----------
    published, original
        What was asked of the release, and of the table that it was made of; with the hash and how it was read.
    """

    published: tuple[Any, Answers] | None = field(default=None, repr=False)
    original: tuple[Any, Answers] | None = field(default=None, repr=False)

    def __reduce__(self) -> tuple[type[Kept], tuple[()]]:
        """Let a copy of a release begin with nothing."""
        return Kept, ()


def open_release(release: Release, **budget: Any) -> Engine:
    """Open the published table of a release; a file that is still the same remembers what it was asked.

    Parameters
    ----------
    release
        The release.
    budget
        The memory that may be used, and where to spill; by default what the release was made with.
    """
    table = release.table
    budget = budget or ({} if release.basis is None else release.basis.budget)
    if not isinstance(table, Path):
        return open_table(table, missing_values=(), **budget)
    engine, key = open_released(table, **budget), digest_of_files(table)
    if release.kept.published is None or release.kept.published[0] != key:
        release.kept.published = key, Answers(_room(release.schema, budget))
    return Remembered(engine, release.kept.published[1])


def open_original(release: Release, table: Any, schema: Schema, **reading: Any) -> Engine:
    """Open the table that a release was made of; a file that is still the same remembers what it was asked.

    Where it is the very file that was read to make the release, its census is known from then.

    Parameters
    ----------
    release, table
        The release, and its table.
    schema
        How the table is read.
    reading
        How to read a file; by default as it was read then.
    """
    reading = as_before(table, reading, release.recipe.input.get("reading", {}))
    engine = open_with(table, schema, **reading)
    if not isinstance(table, (str, os.PathLike)) or schema != release.schema:
        return engine
    key = digest_of_files(table), *_as_read(reading)
    if release.kept.original is None or release.kept.original[0] != key:
        answers = Answers(_room(schema, reading))
        _know(release, answers, key)
        release.kept.original = key, answers
    return Remembered(engine, release.kept.original[1])


def _know(release: Release, answers: Answers, key: tuple[Any, ...]) -> None:
    """Take over the census that a release was made from, if that was of these bytes and of all its columns."""
    basis, schema = release.basis, release.schema
    if (
        basis is None
        or release.recipe.sample is not None
        or key != (release.recipe.input.get("sha256"), *_as_read(basis.reading))
    ):
        return
    census = basis.problem.census
    if census.sensitive == schema.sensitive_names and not any(census.floor):
        request = CensusRequest(schema.quasi_names, schema.sensitive_names, entity=schema.entity, count=schema.count)
        answers.know(request, census)


def _as_read(reading: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(reading.get(name) for name in AS_READ)


def _room(schema: Schema, reading: Mapping[str, Any]) -> int:
    """Say how many cells may be kept."""
    request = CensusRequest(schema.quasi_names, schema.sensitive_names, entity=schema.entity)
    return cells_within(request, reading.get("memory")) // SHARE
