"""Why a release is as it is, in plain words and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from incrowd.algorithms import Inspected, Node, Problem
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


@dataclass(frozen=True, slots=True)
class Explanation:
    """Numbers behind a release: what each column and each promise has to do with it.

    Attributes
    ----------
    notches
        Per quasi-identifier, what one level less would have meant.
    left_out
        Per promise, how many records it leaves out alone.
    """

    notches: tuple[Notch, ...]
    left_out: Mapping[str, int]


def explanation_of(problem: Problem, best: Node, inspected: Inspected) -> Explanation:
    """Look at the nodes just below the best one, and at every promise alone."""
    levels = [best.levels[name] for name in problem.census.quasi]
    notches = tuple(_notch(problem, inspected, levels, column) for column in range(len(levels)))
    return Explanation(notches, inspected.left_out_alone())


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
    }
    return said.get(proof, f"The search shows: {proof}.")


def _gone(recipe: Recipe) -> str:
    return "left out" if recipe.suppression == "drop" else "masked: their quasi-identifiers are not published"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "0.0%"
