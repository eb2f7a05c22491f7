"""``Explanation``: why a release is as it is, per column and per promise, in words and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from incrowd.core import TOP, records_text, share_text, unbroken_percent
from incrowd.measures import LabelSums, costs_of_sums
from incrowd.release._recipe import Recipe
from incrowd.search import Inspection, LocalOutcome, Node, Problem


class Nearby:
    """What the nodes just below a release would have left out. Counted when somebody asks, then kept."""

    def __init__(self, problem: Problem, levels: tuple[int, ...]) -> None:
        self._problem, self._levels = problem, levels

    def __getstate__(self) -> dict[str, Any]:
        """Pickle what was counted and not the census, which says who was left out."""
        return {"joined": self.joined, "alone": self.alone, "below": self.below}

    @cached_property
    def joined(self) -> int:
        """How many records keep the promise and are masked all the same, so that all masked ones together keep it."""
        if self._problem.suppression == "drop":
            return 0
        levels = dict(zip(self._problem.census.quasi, self._levels, strict=True))
        broken = Inspection(replace(self._problem, suppression="drop"), levels).left_out()
        return self._inspection.left_out() - broken

    @cached_property
    def alone(self) -> Mapping[str, int]:
        """Per promise, how many records it leaves out alone."""
        return self._inspection.left_out_alone()

    @cached_property
    def below(self) -> Mapping[str, tuple[int, Mapping[str, int]]]:
        """Per column that has a lower level, how many records would be left out there, by all promises and by each."""
        quasi, lows = self._problem.census.quasi, self._problem.lows
        lower = {
            name: [level - (other == name) for other, level in zip(quasi, self._levels, strict=True)]
            for name, level, low in zip(quasi, self._levels, lows, strict=True)
            if level > low
        }
        inspected = self._inspection
        return {name: (inspected.left_out(node), inspected.left_out_alone(node)) for name, node in lower.items()}

    @cached_property
    def _inspection(self) -> Inspection:
        return Inspection(self._problem, dict(zip(self._problem.census.quasi, self._levels, strict=True)))


@dataclass(frozen=True, slots=True)
class Notch:
    """What one level less of a column would have meant."""

    column: str
    level: int
    height: int
    groups: int
    values: int
    hidden: bool
    nearby: Nearby = field(repr=False, compare=False)

    @property
    def left_out(self) -> int | None:
        """How many records would be left out one level lower; ``None`` where there is no lower level."""
        each = self.nearby.below.get(self.column)
        return None if each is None else each[0]

    @property
    def breaks(self) -> str | None:
        """The promise that would leave out most of them."""
        each = self.nearby.below.get(self.column)
        return None if each is None else max(each[1], key=each[1].__getitem__)

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
    """What a local recoding did to a column."""

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
        as_it_is, hidden = unbroken_percent(self.as_it_is), unbroken_percent(self.hidden)
        return f"{labels} for {values}; {as_it_is} of the records as they are, {hidden} without a value"


@dataclass(frozen=True, slots=True)
class Explanation:
    """Numbers behind a release: what each column and each promise has to do with it."""

    notches: tuple[Notch, ...] = ()
    spreads: tuple[Spread, ...] = ()

    @classmethod
    def of_node(cls, problem: Problem, best: Node) -> Explanation:
        """Say what the best node did to every column; what those below it would have done is counted on request."""
        levels = tuple(best.levels[name] for name in problem.census.quasi)
        nearby = Nearby(problem, levels)
        return cls(tuple(_notch(problem, nearby, column, level) for column, level in enumerate(levels)))

    @classmethod
    def of_local(cls, problem: Problem, outcome: LocalOutcome) -> Explanation:
        """Say what a local recoding did to every column."""
        spreads = Spreads(problem)
        spreads.add(outcome)
        return spreads.explanation()

    def emptied_text(self, most: int | None = None) -> str:
        """Say how many columns carry nothing any more, and which; nothing if there is none."""
        names, all_ = self.empty, len(self.columns)
        if not names:
            return ""
        more = len(names) - len(names[:most])
        listed = ", ".join(names[:most]) + (f" and {more} more" if more else "")
        carry = "carries" if len(names) == 1 else "carry"
        return (
            f"{len(names)} of {all_} columns that could help to recognise somebody {carry} nothing any more: {listed}"
        )

    @property
    def left_out(self) -> Mapping[str, int]:
        """Per promise, how many records it leaves out alone; nothing of a local recoding."""
        return self.notches[0].nearby.alone if self.notches else {}

    @property
    def joined(self) -> int:
        """How many records are masked only so that all masked ones together keep the promise."""
        return self.notches[0].nearby.joined if self.notches else 0

    @property
    def columns(self) -> tuple[Notch | Spread, ...]:
        """What was done to every quasi-identifier."""
        return self.notches or self.spreads

    @property
    def empty(self) -> tuple[str, ...]:
        """The quasi-identifiers that carry nothing any more: everybody has one and the same label there."""
        notches = [one.column for one in self.notches if one.level and one.groups == 1]
        return (*notches, *(one.column for one in self.spreads if one.labels == 1 < one.values))


def in_words(explanation: Explanation, recipe: Recipe, classes: int, measures: Mapping[str, float]) -> str:
    """Write an explanation, one line per column and per promise."""
    records, suppressed, limit = recipe.records, recipe.suppressed, recipe.max_suppressed_records
    joined, drops = explanation.joined, recipe.suppression == "drop"
    who = "1 of them is" if joined == 1 else f"{joined:,} of them are"
    gone = "left out" if drops else "masked: their quasi-identifiers are not published"
    lines = [
        *(note for note in recipe.notes if recipe.sample is not None),
        f"The release keeps {recipe.promise}.",
        f"It publishes {recipe.published:,} of {records:,} records in {_groups_text(classes)}.",
        f"{suppressed:,} ({share_text(suppressed, records)}) are {gone}; {limit:,} were allowed.",
        *([f"{who} masked only because {ONE_GROUP}."] if joined else []),
        "",
        *(_column_sentence(notch, recipe) for notch in explanation.notches),
        *(f"{spread.column}: {spread.published}; loses {spread.lost:.3f}." for spread in explanation.spreads),
        "",
    ]
    if explanation.empty:
        lines += [f"{explanation.emptied_text()}.", ""]
    if len(explanation.left_out) > 1:
        told = ", ".join(f"{text} {count:,}" for text, count in explanation.left_out.items())
        most = max(explanation.left_out.values())
        binding = " and ".join(text for text, count in explanation.left_out.items() if count == most)
        strictest = f"The strictest here: {binding}." if most else "Each of them is kept by all classes."
        lines.append(f"Records that each promise leaves out alone: {told}. {strictest}")
    proof = PROOFS.get(recipe.proof, f"The search shows: {recipe.proof}.")
    lines.append(f"Loss {measures['loss']:.3f}: 0 is the original, 1 is nothing left. {proof}")
    if recipe.floor and recipe.sample is None:
        lines += ["", *recipe.notes]
    return "\n".join(lines)


def _notch(problem: Problem, nearby: Nearby, column: int, level: int) -> Notch:
    name = problem.census.quasi[column]
    ladder = problem.census.ladders[name]
    return Notch(
        column=name,
        level=level,
        height=ladder.height,
        groups=len(ladder.labels[level]),
        values=len(problem.census.domains[name]),
        hidden=ladder.labels[level].tolist() == [TOP],
        nearby=nearby,
    )


def _groups_text(number: int) -> str:
    return "1 group" if number == 1 else f"{number:,} groups"


def _column_sentence(notch: Notch, recipe: Recipe) -> str:
    if notch.level == 0:
        return f"{notch.column}: published as it is."
    what = "not published" if notch.hidden else f"{_groups_text(notch.groups)} instead of {notch.values:,} values"
    where = f"{notch.column}: {what} (level {notch.level} of {notch.height})."
    if notch.left_out is None:
        began = (
            "The search began at this level" if notch.column in recipe.floor else "You asked for at least this level"
        )
        return f"{where} {began}."
    verb = "leave out" if recipe.suppression == "drop" else "mask"
    change = f"One level finer would {verb} {records_text(notch.left_out, recipe.records)}"
    if notch.left_out > recipe.max_suppressed_records:
        most = recipe.max_suppressed_records
        return f"{where} {change}, which is more than the {most:,} allowed; {notch.breaks} would be broken."
    worse = ", which is allowed but worse by the measure of the search" if recipe.proof == "optimal" else ""
    return f"{where} {change}{worse}."


PROOFS = {
    "optimal": "No release with one level per column is better by the measure of the search.",
    "best found": "The search was stopped; a better one may exist.",
    "heuristic": "A better one may exist: nothing is proven but that the promise is kept.",
}
ONE_GROUP = "masked records are one group, which must keep the promise too"


# What a local recoding did to a table, added up part by part.


class Spreads:
    """What became of the quasi-identifiers."""

    def __init__(self, problem: Problem) -> None:
        census = problem.census
        self._domains = domains = [census.domains[name] for name in census.quasi]
        self._ladders = [census.ladders[name] for name in census.quasi]
        none = np.zeros(len(domains))
        self._sums = LabelSums(none, none, none, 0.0, 0, 0)
        self._labels: list[set[str | None]] = [set() for _ in domains]
        self._as_it_is, self._hidden = np.zeros((2, len(domains)), dtype=np.int64)

    def add(self, outcome: LocalOutcome) -> None:
        """Take in a part, or the whole table."""
        self._sums += LabelSums.of(outcome.labels, outcome.sizes)
        for place, column in enumerate(outcome.labels):
            self._labels[place].update(column.names[np.unique(column.codes)].tolist())
            self._as_it_is[place] += outcome.sizes[column.climbed == 0].sum()
            self._hidden[place] += outcome.sizes[column.texts == TOP].sum()

    def costs(self) -> Mapping[str, float]:
        """Give what it cost, by the name of the measure."""
        return costs_of_sums(self._sums, self._ladders, [domain.counts for domain in self._domains])

    def explanation(self) -> Explanation:
        """Say what was done to every column."""
        records = max(self._sums.records, 1)
        return Explanation(
            spreads=tuple(
                Spread(
                    column=domain.column,
                    values=len(domain),
                    labels=len(self._labels[place]),
                    as_it_is=int(self._as_it_is[place]) / records,
                    hidden=int(self._hidden[place]) / records,
                    lost=float(self._sums.lost[place]) / records,
                )
                for place, domain in enumerate(self._domains)
            )
        )
