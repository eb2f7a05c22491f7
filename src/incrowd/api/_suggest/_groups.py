"""What is the same for all people of a school, a hospital or a village: a property of it, by which others know it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from incrowd.api._suggest._roles import FEW, NUMBERS, Clues, RoleGuess
from incrowd.engines import Engine, go_together

PLACES = ("a place", "a postcode", "education", "work")
"""What many people have in common, and others know of them."""

GROUPS, PROPERTIES = 2, 12
"""So many columns are tried as groups, each beside so many others: one count of pairs each."""

PEOPLE = 5
"""So many people on average make a group; what is the same for fewer can be chance."""


def properties(engine: Engine, clues: Mapping[str, Clues], guesses: Mapping[str, RoleGuess]) -> dict[str, RoleGuess]:
    """Give the guesses, where a confidential column that is the same all through each group is one that others know."""
    found = dict(guesses)
    for group in _groups(clues, guesses):
        for name in _perhaps_of(group, clues, found):
            if go_together(engine, group, name, clues[group].column.distinct):
                found[name] = RoleGuess("quasi", f"the same for all of one {group!r}", sure=False)
    return found


def _groups(clues: Mapping[str, Clues], guesses: Mapping[str, RoleGuess]) -> Sequence[str]:
    """Give the columns that stand for places or units with some people each, those with most values first."""
    names = [
        name
        for name, clue in clues.items()
        if guesses[name].role == "quasi" and not clue.column.missing and (clue.whole or clue.domain.kind == "text")
        and (guesses[name].about in PLACES or any(one.topic.about in NUMBERS for one in clue.topics))
        and FEW < clue.column.distinct <= clue.column.records // PEOPLE
    ]  # fmt: skip
    return sorted(names, key=lambda name: (-clues[name].column.distinct, name))[:GROUPS]


def _perhaps_of(group: str, clues: Mapping[str, Clues], guesses: Mapping[str, RoleGuess]) -> Sequence[str]:
    """Give the confidential columns that can be properties: no value is rarer than the smallest group."""
    smallest = int(clues[group].domain.counts[: clues[group].column.distinct].min())
    names = [
        name
        for name, clue in clues.items()
        if guesses[name].role == "sensitive" and 1 < clue.column.distinct <= clues[group].column.distinct
        and int(clue.domain.counts[: clue.column.distinct].min()) >= smallest
    ]  # fmt: skip
    return names[:PROPERTIES]
