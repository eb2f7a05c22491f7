"""Attacks written out person by person: slow, obvious, and what the fast ones must agree with."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

Rows = Sequence[tuple[Any, ...]]
"""The class and the sensitive value of each person."""


def numbers(*given: Any) -> tuple[Any, ...]:
    """Put numbers of different kinds side by side, to be compared."""
    return given


def grouped(rows: Rows) -> dict[Any, list[Any]]:
    classes: defaultdict[Any, list[Any]] = defaultdict(list)
    for row in rows:
        classes[row[0]].append(row[1])
    return dict(classes)


def certain(rows: Rows) -> Counter[Any]:
    """Give the people of classes with one value."""
    return Counter({key: len(values) for key, values in grouped(rows).items() if len(set(values)) == 1})


def best_guess(values: Sequence[Any]) -> Fraction:
    """Give how many are guessed right, the guess being one of the most frequent values."""
    return Fraction(max(Counter(values).values(), default=0))


def chance_after(values: Sequence[Any], excluded: int) -> Fraction:
    """Give the likeliest guess after some values other than the person's own are ruled out, whichever are."""
    best = Fraction(0)
    for value in set(values):
        others = sorted(set(values) - {value})
        for out in combinations(others, min(excluded, len(others))):
            left = [other for other in values if other not in out]
            best = max(best, Fraction(left.count(value), len(left)))
    return best


def right_after(values: Sequence[Any], excluded: int) -> Fraction:
    """Rule out, for each person, the most frequent others' values; guess the most frequent that is left.

    Of equally frequent values the first is ruled out or guessed, always in the same order.
    """
    counts, right = Counter(values), Fraction(0)
    for value in values:
        others = sorted((other for other in counts if other != value), key=lambda other: (-counts[other], other))
        left = {value, *others[min(excluded, len(counts) - 1) :]}
        right += min(left, key=lambda one: (-counts[one], one)) == value
    return right


def after_listed(values: Sequence[Any], out: set[Any]) -> tuple[int, int, int]:
    """Give how many values are left, how many people have one, and how many the most frequent one."""
    left = Counter(value for value in values if value not in out)
    return len(left), left.total(), max(left.values(), default=0)


def after_unlikely(values: Sequence[Any], public: Mapping[Any, Fraction], excluded: int) -> tuple[int, int]:
    """Rule out the least likely values of the class; give how many are left, and how many guesses are right."""
    ranked = sorted(set(values), key=lambda value: (value in public, public.get(value, 0), value))
    left = ranked[min(excluded, len(ranked) - 1) :]
    return len(left), max(values.count(value) for value in left)


def gain(values: Sequence[Any], everybody: Sequence[Any]) -> Fraction:
    return max(
        Fraction(values.count(value), len(values)) / Fraction(everybody.count(value), len(everybody))
        for value in set(values)
    )


def change(values: Sequence[Any], everybody: Sequence[Any]) -> Fraction:
    shares = [
        abs(Fraction(values.count(value), len(values)) - Fraction(everybody.count(value), len(everybody)))
        for value in set(everybody)
    ]
    return sum(shares, Fraction(0)) / 2


def said_of_everybody(rows: Rows, meaning: Mapping[Any, Any], known: Rows | None = None) -> Fraction:
    """Say one value, or what it means, of everybody; give the share of pairs of a person and a class that have it.

    It is the one that most have, or of these the one of most persons of a table that is known otherwise.
    """
    targets = {(row[0], row[2]) for row in rows}
    having = Counter(what for what, _ in {(meaning[row[1]], (row[0], row[2])) for row in rows})
    before = (
        having
        if known is None
        else Counter(
            what for what, _ in {(meaning[row[1]], row[2]) for row in known if row[1] in {row[1] for row in rows}}
        )
    )
    best = [what for what, many in before.items() if many == max(before.values())]
    return Fraction(max(having[what] for what in best), len(targets))


def within(rows: Rows, narrow: Fraction, known: Rows | None = None) -> tuple[Fraction, Fraction]:
    """Guess a range of numbers, one per class and one for everybody; give the shares of persons who are in it.

    Ranges begin at a number of the table, and are as wide as a share of all its numbers. Rows: class, number, person.
    """
    places = sorted({_exact(row[1]) for row in rows if row[1] is not None})
    limit = narrow * (places[-1] - places[0])

    def inside(some: Rows, start: Fraction) -> int:
        return len(
            {(row[0], row[2]) for row in some if row[1] is not None and start <= _exact(row[1]) <= start + limit}
        )

    targets = len({(row[0], row[2]) for row in rows})
    best = sum(
        max(inside([row for row in rows if row[0] == key], start) for start in places)
        for key in {row[0] for row in rows}
    )
    said = {start: inside(rows, start) for start in places}
    if known is not None:
        seen = [(0, *row[1:]) for row in known if row[1] is None or _exact(row[1]) in places]
        most = max(inside(seen, start) for start in places)
        said = {start: many for start, many in said.items() if inside(seen, start) == most}
    return Fraction(best, targets), Fraction(max(said.values()), targets)


def _exact(number: Any) -> Fraction:
    return Fraction(repr(number))
