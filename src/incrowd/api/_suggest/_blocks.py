"""Columns that belong together, by a common part of their names or the same answers: what is known of most holds for all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from incrowd.api._suggest._roles import Clues, RoleGuess
from incrowd.api._suggest._words import tokens_of, vocabulary
from incrowd.core import Domain

TOGETHER = 2
"""So many confidential columns make the rest of their block confidential, if none of it is known to others."""

SCALE = range(4, 13)
"""So many values has a question that several columns answer."""


def with_blocks(clues: Mapping[str, Clues], guesses: Mapping[str, RoleGuess]) -> dict[str, RoleGuess]:
    """Give the guesses, where columns of which nothing is known have the role of the confidential ones beside them."""
    members: dict[object, list[str]] = defaultdict(list)
    for name, clue in clues.items():
        for mark in _marks(name, clue.domain):
            members[mark].append(name)
    found = dict(guesses)
    for names in members.values():
        told = [guesses[name] for name in names if guesses[name].about is not None]
        secret = sum(guess.role == "sensitive" for guess in told)
        if secret >= TOGETHER and secret == len(told):
            for name in names:
                if _is_open(clues[name], guesses[name]):
                    found[name] = RoleGuess("sensitive", f"belongs to {secret} confidential columns", sure=False)
    return found


def _is_open(clues: Clues, guess: RoleGuess) -> bool:
    """Whether nothing is known of a column: neither its name nor its values say anything."""
    known = guess.about is not None or guess.sure or guess.stands_for is not None or clues.topics
    return guess.role == "quasi" and not known and clues.column.distinct > 1


def _marks(name: str, domain: Domain) -> Iterator[object]:
    """Give what a column can have in common with others: words of its name that mean nothing alone, and its answers."""
    tokens = tokens_of(name)
    if len(tokens) > 1:
        yield from {token for token in tokens if token.isalpha() and len(token) > 1 and not vocabulary().knows(token)}
    if len(domain.values) in SCALE:
        yield domain.kind, *domain.values.tolist()
