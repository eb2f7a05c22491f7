"""Why a release is as it is, in plain words and numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from incrowd.algorithms import Node, Problem, left_out_by
from incrowd.api._recipe import Recipe


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
        How many different labels it has in the release, and how many values in the table.
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


def explanation_of(problem: Problem, best: Node) -> Explanation:
    """Look at the nodes just below the best one, and at every promise alone."""
    levels = [best.levels[name] for name in problem.census.quasi]
    counts = _Counts(
        left_out_by(problem), {str(part): left_out_by(replace(problem, model=part)) for part in problem.model.parts}
    )
    notches = tuple(_notch(problem, counts, levels, column) for column in range(len(levels)))
    return Explanation(notches, {text: left_out(levels) for text, left_out in counts.parts.items()})


def in_words(explanation: Explanation, recipe: Recipe, classes: int, measures: Mapping[str, float]) -> str:
    """Write an explanation, one line per column and per promise."""
    records, suppressed, limit = recipe.records, recipe.suppressed, recipe.max_suppressed_records
    lines = [
        f"The release keeps {recipe.promise}.",
        f"It publishes {records - suppressed:,} of {records:,} records in {classes:,} groups.",
        f"{suppressed:,} ({_share(suppressed, records)}) are left out; {limit:,} were allowed.",
        "",
        *(_line(notch, records, suppressed, limit) for notch in explanation.notches),
        "",
    ]
    if len(explanation.left_out) > 1:
        told = ", ".join(f"{text} {count:,}" for text, count in explanation.left_out.items())
        lines.append(f"Records that each promise leaves out alone: {told}. {_binds(explanation.left_out)}")
    lines.append(f"Loss {measures['loss']:.3f}: 0 is the original, 1 is nothing left. {_proof(recipe.proof)}")
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _Counts:
    """Functions that say what a node leaves out: for the whole promise, and for each part of it."""

    all: Callable[[Sequence[int]], int]
    parts: Mapping[str, Callable[[Sequence[int]], int]]


def _notch(problem: Problem, counts: _Counts, levels: list[int], column: int) -> Notch:
    name = problem.census.quasi[column]
    ladder = problem.census.ladders[name]
    left_out, breaks = None, None
    if levels[column] > problem.lows[column]:
        finer = [level - (place == column) for place, level in enumerate(levels)]
        left_out = counts.all(finer)
        each = {text: count(finer) for text, count in counts.parts.items()}
        breaks = max(each, key=lambda text: each[text])
    return Notch(
        column=name,
        level=levels[column],
        height=ladder.height,
        groups=len(ladder.labels[levels[column]]),
        values=len(problem.census.domains[name]),
        left_out=left_out,
        breaks=breaks,
    )


def _line(notch: Notch, records: int, suppressed: int, limit: int) -> str:
    if notch.level == 0:
        return f"{notch.column}: published as it is."
    what = "not published" if notch.groups == 1 else f"{notch.groups:,} groups instead of {notch.values:,} values"
    where = f"{notch.column}: {what} (level {notch.level} of {notch.height})."
    if notch.left_out is None:
        return f"{where} You asked for at least this level."
    change = f"One level finer would leave out {_share(notch.left_out, records)}"
    if notch.left_out > limit:
        return f"{where} {change}, which is too many; {notch.breaks} is what breaks."
    if notch.left_out == suppressed:
        return f"{where} One level finer would leave out no more, but lose more elsewhere by the measure."
    return f"{where} {change}, which is allowed but loses more by the measure."


def _binds(left_out: Mapping[str, int]) -> str:
    most = max(left_out.values())
    binding = [text for text, count in left_out.items() if count == most]
    if most == 0:
        return "Each of them is kept by all classes."
    return f"{' and '.join(binding)} {'binds' if len(binding) == 1 else 'bind'}."


def _proof(proof: str) -> str:
    said = {
        "optimal": "No release with one level per column loses less within these limits.",
        "best found": "The search was stopped; a better one may exist.",
    }
    return said.get(proof, f"The search shows: {proof}.")


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "0.0%"
