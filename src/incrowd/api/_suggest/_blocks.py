"""Columns that belong together, by their names, their answers or their place: what is known of most holds for all."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from incrowd.api._suggest._roles import Clues, RoleGuess
from incrowd.api._suggest._words import tokens_of, vocabulary
from incrowd.core import Domain

TOGETHER = 2
"""So many confidential columns make the rest of their block confidential, if none of it is known to others."""

SCALE = range(4, 13)
"""So many values has a question that several columns answer."""

CHOICES = 6
"""So many columns side by side with the same two values are the choices of one question."""


def with_blocks(clues: Mapping[str, Clues], guesses: Mapping[str, RoleGuess]) -> dict[str, RoleGuess]:
    """Give the guesses, where columns of which little is known have the role of those they belong to."""
    found = dict(guesses)
    for names in _blocks(clues):
        told = [guesses[name].role for name in names if guesses[name].about is not None]
        if told.count("sensitive") == len(told) >= TOGETHER:
            guess = RoleGuess("sensitive", f"belongs to {len(told)} confidential columns", sure=False)
            found.update((name, guess) for name in names if _is_open(clues[name], guesses[name]))
    for names in _choices(clues):
        about = _subject(names, guesses)
        if about is not None:
            guess = RoleGuess("quasi", f"one of {len(names)} choices about {about}", sure=False, about=about)
            found.update((name, guess) for name in names if guesses[name].role != "quasi" and not guesses[name].sure)
    return found


def _subject(names: Sequence[str], guesses: Mapping[str, RoleGuess]) -> str | None:
    """Say what at least half of some columns are about, if it is something that others know."""
    known = Counter(guesses[name].about for name in names if guesses[name].role == "quasi")
    return next((about for about, most in known.items() if about is not None and 2 * most >= len(names)), None)


def _is_open(clues: Clues, guess: RoleGuess) -> bool:
    """Whether nothing is known of a column: neither its name nor its values say anything."""
    known = guess.about is not None or guess.sure or guess.stands_for is not None or clues.topics
    return guess.role == "quasi" and not known and clues.column.distinct > 1


def _blocks(clues: Mapping[str, Clues]) -> Iterator[Sequence[str]]:
    """Give the columns that have a part of their names or all their answers in common."""
    members: dict[object, list[str]] = defaultdict(list)
    for name, clue in clues.items():
        for mark in _marks(name, clue.domain):
            members[mark].append(name)
    yield from members.values()


def _marks(name: str, domain: Domain) -> Iterator[object]:
    """Give what a column can have in common with others: words of its name that mean nothing alone, and its answers."""
    tokens = tokens_of(name)
    if len(tokens) > 1:
        yield from {token for token in tokens if token.isalpha() and len(token) > 1 and not vocabulary().knows(token)}
    if len(domain.values) in SCALE:
        yield domain.kind, *domain.values.tolist()


def _choices(clues: Mapping[str, Clues]) -> Iterator[Sequence[str]]:
    """Give the runs of columns side by side that have the same two values."""
    for values, names in groupby(clues, lambda name: _two_values(clues[name].domain)):
        run = [*names]
        if values is not None and len(run) >= CHOICES:
            yield run


def _two_values(domain: Domain) -> tuple[object, ...] | None:
    return (domain.kind, *domain.values.tolist()) if len(domain.values) == 2 else None
