"""Who a row is about: which column stands for a person, which for a household, by what stays the same within."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from incrowd.api._suggest._roles import Clues, RoleGuess
from incrowd.core import CensusRequest
from incrowd.engines import Engine

CANDIDATES, COMPARED = 4, 6
"""So many columns are tried as persons, each beside so many others: one count of pairs each."""

NEARLY = 1.02
"""A column stays the same within if there are hardly more pairs than persons."""

HOUSEHOLD = 10
"""More people on average are no household."""

FIXED = ("a sex or gender", "a date of birth")
"""What stays the same all through a life, and differs between the people of a household."""

SHARED = ("origin", "a place", "a postcode", "a dwelling or what is seen of it", "education")
"""What the people of a household have in common, and what hardly changes."""

WAVE = "a time of a wave or an event that others may know"


@dataclass(frozen=True, slots=True)
class Persons:
    """The columns that stand for persons and households.

    Attributes
    ----------
    entity
        The column that says whose row it is, where people have several.
    household
        The column that says which household a row belongs to.
    perhaps
        A column whose name is that of a number of persons and whose values repeat, though nothing else shows that it
        stands for them. Only where there is no ``entity``.
    """

    entity: str | None = None
    household: str | None = None
    perhaps: str | None = None


def persons_in(engine: Engine, clues: Mapping[str, Clues], guesses: Mapping[str, RoleGuess]) -> Persons:
    """Find the columns in which values repeat, while others do not change within.

    Parameters
    ----------
    engine
        The table.
    clues, guesses
        What is known of every column that can be grouped, and its probable role.
    """
    entity, household, perhaps = None, None, None
    for name in _candidates(clues, guesses):
        within = [*_within(engine, name, clues, guesses)]
        fixed = [same for about, same in within if about in FIXED]
        same = sum(same for _, same in within)
        called = guesses[name].stands_for
        if called == "household":
            household = household or name
        elif fixed and not all(fixed) and guesses[name].role == "identifier" and called is None:
            continue  # a name that several people have
        elif fixed and not all(fixed):
            small = clues[name].column.records <= HOUSEHOLD * clues[name].column.distinct
            enough = same if called else same > 1 and 5 * clues[name].column.distinct >= clues[name].column.records
            household = household or (name if small and enough else None)
        elif entity is None and (
            same >= 2 or (called and (same or not within or _is_panel(engine, name, clues, guesses)))
        ):
            entity = name if called or fixed else None
        if names_somebody(guesses[name]) and name not in {entity, household}:
            perhaps = perhaps or name
    return Persons(entity, household, perhaps if entity is None else None)


def names_somebody(guess: RoleGuess) -> bool:
    """Whether a column is called a number of people, or has values such as e-mail addresses."""
    return guess.stands_for == "record" or (guess.role == "identifier" and guess.sure and guess.about is None)


def _is_panel(engine: Engine, name: str, clues: Mapping[str, Clues], guesses: Mapping[str, RoleGuess]) -> bool:
    """Whether each value occurs once per wave, if a column says which wave a row is of."""
    times = [other for other, guess in guesses.items() if guess.about == WAVE and clues[other].column.distinct > 1]
    records = clues[name].column.records
    return any(engine.census_size(CensusRequest((name, other))) == records for other in times[:2])


def _candidates(clues: Mapping[str, Clues], guesses: Mapping[str, RoleGuess]) -> Sequence[str]:
    """Give the columns whose values repeat a few times each; those with the name of a number first."""
    names = [name for name, one in clues.items() if _repeats(one, guesses[name])]
    named = {"record": 0, "household": 0, "weight": 2, None: 1}
    order = sorted(names, key=lambda name: (named[guesses[name].stands_for], -clues[name].column.distinct))
    return [name for name in order if guesses[name].stands_for != "weight"][:CANDIDATES]


def _repeats(clues: Clues, guess: RoleGuess) -> bool:
    column = clues.column
    if column.missing or clues.few or not (clues.whole or clues.domain.kind == "text"):
        return False
    told = guess.about is not None or guess.sure or 100 * column.distinct < column.records
    if guess.stands_for is None and guess.role != "identifier" and told:
        return False
    return column.distinct > 1 and 10 * column.distinct <= 9 * column.records


def _within(
    engine: Engine, name: str, clues: Mapping[str, Clues], guesses: Mapping[str, RoleGuess]
) -> Iterator[tuple[str | None, bool]]:
    """Say of some other columns what they are about, and whether they stay the same within."""
    others = [
        other
        for other, one in clues.items()
        if other != name and one.column.distinct > 1 and 2 * one.column.distinct <= clues[name].column.distinct
        and guesses[other].stands_for is None
    ]  # fmt: skip
    fixed = sorted(others, key=lambda other: (_told(guesses[other].about), clues[other].column.distinct, other))
    people = clues[name].column.distinct
    for other in fixed[:COMPARED]:
        pairs = engine.census_size(CensusRequest((name, other)))
        yield guesses[other].about, pairs <= NEARLY * people


def _told(about: str | None) -> int:
    """Say how much it tells about persons and households that something stays the same within."""
    return 0 if about in FIXED else 1 if about in SHARED else 2
