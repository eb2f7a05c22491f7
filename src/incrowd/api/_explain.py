"""Why a release is as it is, in plain words and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from incrowd.algorithms import Inspected, LocalOutcome, Node, Problem
from incrowd.api._recipe import Recipe
from incrowd.core import TOP


@dataclass(frozen=True, slots=True)
class Notch:
    """What one level less of a column would have meant.

    Attributes
    ----------
    column
        The quasi-identifier.
    level, height
        Its level in the release, and the highest one.
    groups, values
        How many labels it has at its level, and how many values in the table.
    hidden
        Whether nothing of it is published: all values have the label ``*``.
    left_out
        How many records would be left out one level lower; ``None`` where there is no lower level.
    breaks
        The promise that would leave out most of them.
    """

    column: str
    level: int
    height: int
    groups: int
    values: int
    hidden: bool
    left_out: int | None
    breaks: str | None

    @property
    def published(self) -> str:
        """Say in a few words what is published of the column."""
        if self.level == 0:
            return "as it is"
        if self.groups == 1:
            return "without its values (all are one group)"
        return f"in {self.groups:,} groups instead of {self.values:,} values (level {self.level} of {self.height})"


@dataclass(frozen=True, slots=True)
class Spread:
    """What a local recoding did to a column.

    Attributes
    ----------
    column
        The quasi-identifier.
    values, labels
        How many values it has in the table, and how many labels in the release.
    as_it_is, hidden
        The shares of the published records whose value is published as it is, or not at all.
    lost
        The share of its detail that is lost, from 0 to 1.
    """

    column: str
    values: int
    labels: int
    as_it_is: float
    hidden: float
    lost: float

    @property
    def published(self) -> str:
        """Say in a few words what is published of the column."""
        labels = "1 label" if self.labels == 1 else f"{self.labels:,} labels"
        values = "1 value" if self.values == 1 else f"{self.values:,} values"
        return (
            f"{labels} for {values}; {self.as_it_is:.1%} of the records as they are, {self.hidden:.1%} without a value"
        )


@dataclass(frozen=True, slots=True)
class Explanation:
    """Numbers behind a release: what each column and each promise has to do with it.

    Attributes
    ----------
    notches
        Per quasi-identifier, what one level less would have meant.
    left_out
        Per promise, how many records it leaves out alone.
    spreads
        Per quasi-identifier, what a local recoding did to it, which has no one level; then there are no notches.
    """

    notches: tuple[Notch, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    spreads: tuple[Spread, ...] = ()

    @property
    def columns(self) -> tuple[Notch | Spread, ...]:
        """What was done to every quasi-identifier."""
        return self.notches or self.spreads


def explanation_of(problem: Problem, best: Node, inspected: Inspected) -> Explanation:
    """Look at the nodes just below the best one, and at every promise alone."""
    levels = [best.levels[name] for name in problem.census.quasi]
    notches = tuple(_notch(problem, inspected, levels, column) for column in range(len(levels)))
    return Explanation(notches, inspected.left_out_alone())


def local_explanation_of(problem: Problem, outcome: LocalOutcome) -> Explanation:
    """Say what a local recoding did to every column."""
    sizes, records = outcome.sizes, max(int(outcome.sizes.sum()), 1)
    return Explanation(
        spreads=tuple(
            Spread(
                column=name,
                values=len(problem.census.domains[name]),
                labels=len(np.unique(labels.codes)),
                as_it_is=int(sizes[labels.climbed == 0].sum()) / records,
                hidden=int(sizes[labels.texts == TOP].sum()) / records,
                lost=float(labels.lost @ sizes) / records,
            )
            for name, labels in zip(problem.census.quasi, outcome.labels, strict=True)
        )
    )


def in_words(explanation: Explanation, recipe: Recipe, classes: int, measures: Mapping[str, float]) -> str:
    """Write an explanation, one line per column and per promise."""
    records, suppressed, limit = recipe.records, recipe.suppressed, recipe.max_suppressed_records
    lines = [
        *(note for note in recipe.notes if recipe.sample is not None),
        f"The release keeps {recipe.promise}.",
        f"It publishes {recipe.published:,} of {records:,} records in {classes:,} groups.",
        f"{suppressed:,} ({_share(suppressed, records)}) are {_gone(recipe)}; {limit:,} were allowed.",
        "",
        *(_line(notch, recipe) for notch in explanation.notches),
        *(f"{spread.column}: {spread.published}; loses {spread.lost:.3f}." for spread in explanation.spreads),
        "",
    ]
    if len(explanation.left_out) > 1:
        told = ", ".join(f"{text} {count:,}" for text, count in explanation.left_out.items())
        lines.append(f"Records that each promise leaves out alone: {told}. {_binds(explanation.left_out)}")
    lines.append(f"Loss {measures['loss']:.3f}: 0 is the original, 1 is nothing left. {_proof(recipe.proof)}")
    return "\n".join(lines)


def _notch(problem: Problem, inspected: Inspected, levels: list[int], column: int) -> Notch:
    name = problem.census.quasi[column]
    ladder = problem.census.ladders[name]
    left_out, breaks = None, None
    if levels[column] > problem.lows[column]:
        finer = [level - (place == column) for place, level in enumerate(levels)]
        left_out = inspected.left_out(finer)
        each = inspected.left_out_alone(finer)
        breaks = max(each, key=lambda text: each[text])
    return Notch(
        column=name,
        level=levels[column],
        height=ladder.height,
        groups=len(ladder.labels[levels[column]]),
        values=len(problem.census.domains[name]),
        hidden=ladder.labels[levels[column]].tolist() == [TOP],
        left_out=left_out,
        breaks=breaks,
    )


def _line(notch: Notch, recipe: Recipe) -> str:
    if notch.level == 0:
        return f"{notch.column}: published as it is."
    groups = "1 group" if notch.groups == 1 else f"{notch.groups:,} groups"
    what = "not published" if notch.hidden else f"{groups} instead of {notch.values:,} values"
    where = f"{notch.column}: {what} (level {notch.level} of {notch.height})."
    if notch.left_out is None:
        return f"{where} You asked for at least this level."
    change = f"One level finer would leave out {_share(notch.left_out, recipe.records)}"
    if notch.left_out > recipe.max_suppressed_records:
        return f"{where} {change}, which is too many; {notch.breaks} is what breaks."
    worse = ", which is allowed but worse by the measure of the search" if recipe.proof == "optimal" else ""
    return f"{where} {change}{worse}."


def _binds(left_out: Mapping[str, int]) -> str:
    most = max(left_out.values())
    binding = [text for text, count in left_out.items() if count == most]
    if most == 0:
        return "Each of them is kept by all classes."
    return f"{' and '.join(binding)} {'binds' if len(binding) == 1 else 'bind'}."


def _proof(proof: str) -> str:
    said = {
        "optimal": "No release with one level per column is better by the measure of the search.",
        "best found": "The search was stopped; a better one may exist.",
        "heuristic": "A better one may exist: nothing is proven but that the promise is kept.",
    }
    return said.get(proof, f"The search shows: {proof}.")


def _gone(recipe: Recipe) -> str:
    return "left out" if recipe.suppression == "drop" else "masked: their quasi-identifiers are not published"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "0.0%"
