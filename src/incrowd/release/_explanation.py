"""``Explanation``: why a release is as it is, per column and per promise, in words and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from incrowd.core import records_text, share_text
from incrowd.measures import mean_detail
from incrowd.release._columns import PublishedColumn, columns_of_local, columns_of_node
from incrowd.release._recipe import Recipe
from incrowd.release._ways_back import Shortfall, WayBack, WaysBack
from incrowd.search import Inspection, LocalOutcome, Problem


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
        if self._problem.suppression != "mask":
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
class Explanation:
    """Numbers behind a release: what each column and each promise has to do with it."""

    columns: tuple[PublishedColumn, ...] = ()
    nearby: Nearby | None = field(default=None, repr=False, compare=False)
    back: WaysBack | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of_node(cls, problem: Problem, inspected: Inspection) -> Explanation:
        """Say what the best node did to every column; what those below it would have done is counted on request."""
        columns, levels = columns_of_node(problem, inspected), inspected.published.levels
        return cls(columns, Nearby(problem, levels), WaysBack(problem, columns, levels, None))

    @classmethod
    def of_local(cls, problem: Problem, outcome: LocalOutcome) -> Explanation:
        """Say what a local recoding did to every column."""
        columns, given = columns_of_local(problem, outcome), outcome.levels
        levels = None if given is None else tuple(given[name] for name in problem.census.quasi)
        return cls(columns, None, WaysBack(problem, columns, levels, outcome.search))

    def emptied_text(self, most: int | None = None) -> str:
        """Say how many columns carry nothing any more or little, and which; nothing if there is none."""
        all_ = f"{len(self.columns)} columns that could help to recognise somebody"
        told: list[str] = []
        for how, names in (("nothing any more", self.empty), ("little", self.scarce)):
            more = len(names) - len(names[:most])
            listed = ", ".join(names[:most]) + (f" and {more} more" if more else "")
            carry = f"{'carries' if len(names) == 1 else 'carry'} {how}: {listed}"
            told += [f"{len(names)} {carry}" if told else f"{len(names)} of {all_} {carry}"] if names else []
        return "; ".join(told)

    @property
    def ways_back(self) -> Mapping[str, tuple[WayBack, ...]]:
        """Per column that carries nothing or little, single changes that would bring it back; each was counted."""
        return {} if self.back is None else self.back.ways

    @property
    def shortfalls(self) -> tuple[Shortfall, ...]:
        """Say of every column that carries nothing or little what would bring it back, in plain words."""
        return () if self.back is None else self.back.shortfalls

    @property
    def left_out(self) -> Mapping[str, int]:
        """Per promise, how many records it leaves out alone; nothing of a local recoding."""
        return {} if self.nearby is None else self.nearby.alone

    @property
    def joined(self) -> int:
        """How many records are masked only so that all masked ones together keep the promise."""
        return 0 if self.nearby is None else self.nearby.joined

    @property
    def below(self) -> Mapping[str, tuple[int, Mapping[str, int]]]:
        """Per column that has a lower level, how many records one level less would leave out, in all and by promise.

        Nothing of a local recoding.
        """
        return {} if self.nearby is None else self.nearby.below

    @property
    def empty(self) -> tuple[str, ...]:
        """The quasi-identifiers that carry nothing any more: only stars, or one and the same value for everybody."""
        return tuple(one.column for one in self.columns if one.status == "nothing")

    @property
    def scarce(self) -> tuple[str, ...]:
        """The quasi-identifiers that carry little: less than half of their cells say something."""
        return tuple(one.column for one in self.columns if one.status == "little")


def in_words(explanation: Explanation, recipe: Recipe, classes: int, measures: Mapping[str, float]) -> str:
    """Write an explanation, one line per column and per promise."""
    kept = mean_detail([1 - one.kept for one in explanation.columns])
    records, suppressed, limit = recipe.records, recipe.suppressed, recipe.max_suppressed_records
    joined, drops = explanation.joined, recipe.suppression != "mask"
    who = "1 of them is" if joined == 1 else f"{joined:,} of them are"
    gone = "left out" if drops else "masked: their quasi-identifiers are not published"
    lines = [
        *(note for note in recipe.notes if recipe.sample is not None),
        f"The release keeps {recipe.promise}.",
        f"It publishes {recipe.published:,} of {records:,} records in {_groups_text(classes)}.",
        f"{suppressed:,} ({share_text(suppressed, records)}) are {gone}; {limit:,} were allowed.",
        *([f"{who} masked only because {ONE_GROUP}."] if joined else []),
        "",
        *(_column_sentence(one, explanation, recipe) for one in explanation.columns),
        *(f"{name}: {told}." for name, told in recipe.untrue.items()),
        "",
        *recipe.interval_sentences,
        *([""] if recipe.interval_sentences else []),
    ]
    if explanation.shortfalls:
        lines += [f"{explanation.emptied_text()}.", *map(str, explanation.shortfalls), ""]
    if len(explanation.left_out) > 1:
        told = ", ".join(f"{text} {count:,}" for text, count in explanation.left_out.items())
        most = max(explanation.left_out.values())
        binding = " and ".join(text for text, count in explanation.left_out.items() if count == most)
        strictest = f"The strictest here: {binding}." if most else "Each of them is kept by all classes."
        lines.append(f"Records that each promise leaves out alone: {told}. {strictest}")
    proof = PROOFS.get(recipe.proof, f"The search shows: {recipe.proof}.")
    proof = f"A better one may exist; {recipe.gap}." if recipe.gap else proof
    lines.append(f"Detail kept: {kept:.1%} on average over the columns.")
    lines.append(f"Geometric mean of losses {measures['loss']:.3f}: 0 is the original, 1 is nothing left. {proof}")
    if recipe.floor and recipe.sample is None:
        lines += ["", *recipe.notes]
    return "\n".join(lines)


def _groups_text(number: int) -> str:
    return "1 group" if number == 1 else f"{number:,} groups"


def _column_sentence(one: PublishedColumn, explanation: Explanation, recipe: Recipe) -> str:
    if explanation.nearby is None:
        return f"{one.column}: {one.published}; detail kept {one.kept:.1%}."
    if one.level == 0:
        return f"{one.column}: published as it is."
    hidden = one.starred == one.cells
    what = "not published" if hidden else f"{_groups_text(one.values)} instead of {one.values_before:,} values"
    where = f"{one.column}: {what} (level {one.level} of {one.height})."
    if one.column not in explanation.below:
        began = "The search began at this level" if one.column in recipe.floor else "You asked for at least this level"
        return f"{where} {began}."
    left_out, by_each = explanation.below[one.column]
    verb = "leave out" if recipe.suppression != "mask" else "mask"
    change = f"One level finer would {verb} {records_text(left_out, recipe.records)}"
    if left_out > recipe.max_suppressed_records:
        most, breaks = recipe.max_suppressed_records, max(by_each, key=by_each.__getitem__)
        return f"{where} {change}, which is more than the {most:,} allowed; {breaks} would be broken."
    worse = ", which is allowed but worse by the measure of the search" if recipe.proof == "optimal" else ""
    return f"{where} {change}{worse}."


PROOFS = {
    "optimal": "No release with one level per column is better by the measure of the search.",
    "best found": "The search was stopped; a better one may exist.",
    "heuristic": "A better one may exist: nothing is proven but that the promise is kept.",
}
ONE_GROUP = "masked records are one group, which must keep the promise too"
