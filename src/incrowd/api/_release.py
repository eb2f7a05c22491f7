"""A published table, with the proof that it keeps its promises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from incrowd.core import Recoding, Verdict


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a release was made.

    Attributes
    ----------
    promise
        The promise, as its text.
    algorithm
        The search, with its parameters.
    proof
        What the search shows: ``"optimal"``, ``"all minimal nodes"``, ``"least height"``, ``"best found"``.
    levels
        The level of every quasi-identifier; ``None`` for a local recoding.
    records, suppressed
        How many records the table had, and how many are left out of the release.
    max_suppressed_records
        How many might have been left out.
    dropped
        How many records were removed first because a quasi-identifier is missing.
    checked, nodes
        How many nodes of the lattice were tested, of how many.
    lower_bound
        No release of this kind has a smaller measure than this.
    notes
        What the search had to do differently, and what a careful reader should know.
    version
        The version of incrowd.
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
    version: str


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """A published table that keeps its promises: it was checked again after it was made.

    Attributes
    ----------
    table
        The published table, of the kind that came in, sorted by its values.
    verdict
        What was measured on the published table.
    measures
        What it cost, per measure; smaller is better.
    recoding
        What every value is published as. As confidential as the original table.
    recipe
        How it was made.

    Notes
    -----
    There is no release that fails its promise: ``anonymize`` raises ``NoSafeRelease`` instead.
    """

    table: Any = field(repr=False)
    verdict: Verdict
    measures: Mapping[str, float] = field(repr=False)
    recoding: Recoding = field(repr=False)
    recipe: Recipe

    def __repr__(self) -> str:
        kept = self.recipe.records - self.recipe.suppressed
        return (
            f"Release({self.recipe.promise}: {kept} of {self.recipe.records} records, {self.verdict.classes} classes)"
        )
