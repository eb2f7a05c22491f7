"""A published table, with the proof that it keeps its promises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from incrowd.api._explain import Explanation, in_words
from incrowd.api._recipe import Recipe
from incrowd.core import Recoding, Schema, Verdict
from incrowd.models import Model


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
    schema, model
        The roles of the columns, and the promise.
    explanation
        Numbers behind it: what each column and each promise has to do with it.

    Notes
    -----
    There is no release that fails its promise: ``anonymize`` raises ``NoSafeRelease`` instead.
    """

    table: Any = field(repr=False)
    verdict: Verdict
    measures: Mapping[str, float] = field(repr=False)
    recoding: Recoding = field(repr=False)
    recipe: Recipe
    schema: Schema = field(repr=False)
    model: Model = field(repr=False)
    explanation: Explanation = field(repr=False)

    def explain(self) -> str:
        """Say in plain words what was done to each column and why, and which promise binds."""
        return in_words(self.explanation, self.recipe, self.verdict.classes, self.measures)

    def __repr__(self) -> str:
        kept = self.recipe.records - self.recipe.suppressed
        return (
            f"Release({self.recipe.promise}: {kept} of {self.recipe.records} records, {self.verdict.classes} classes)"
        )
