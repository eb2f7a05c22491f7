"""Who a row is about: which column stands for a person, which for a household, by what stays the same within."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from incrowd.core import CensusRequest, Domain
from incrowd.engines import Engine, go_together
from incrowd.plan.suggestion._roles import FEW, NUMBERS, Clues, RoleGuess
from incrowd.plan.suggestion._words import tokens_of, vocabulary

CANDIDATES, COMPARED = 4, 6  # so many columns are tried as persons, each beside so many others: one count of pairs each

# A column stays the same within if there are hardly more pairs than persons: so many for each of them, or, where typing
# errors make more, so many for each row and not more for each person
NEARLY, MISTAKEN, WRONG = 0.02, 0.02, 0.08

HOUSEHOLD = 10  # more people on average are no household

# What stays the same all through a life, and differs between the people of a household
FIXED = ("a sex or gender", "a date of birth")

# What the people of a household have in common, and what hardly changes
SHARED = ("origin", "a place", "a postcode", "a dwelling or what is seen of it", "education")

WAVE = "a time of a wave or an event that others may know"


@dataclass(frozen=True, slots=True)
class Persons:
    """The columns that stand for persons and households."""

    entity: str | None = None  # the column that says whose row it is, where people have several
    household: str | None = None  # the column that says which household a row belongs to
    # A column whose name is that of a number of persons and whose values repeat, though nothing else shows that it
    # stands for them. Only where there is no ``entity``
    perhaps: str | None = None


def persons_in(engine: Engine, clues: Mapping[str, Clues], guesses: Mapping[str, RoleGuess]) -> Persons:
    """Find the columns in which values repeat, while others do not change within."""
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
    coded = any(one.topic.about in NUMBERS for one in clues.topics)
    told = guess.sure or (guess.about is not None and not coded) or 100 * column.distinct < column.records
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
    for other in fixed[:COMPARED]:
        yield guesses[other].about, _stays(engine, other, clues[name])


def _stays(engine: Engine, other: str, within: Clues) -> bool:
    """Whether a column is the same within each value of another one, typing errors aside."""
    people, rows = within.column.distinct, within.column.records
    spare = max(NEARLY * people, min(MISTAKEN * rows, WRONG * people))
    return engine.census_size(CensusRequest((within.column.name, other))) <= people + spare


def _told(about: str | None) -> int:
    """Say how much it tells about persons and households that something stays the same within."""
    return 0 if about in FIXED else 1 if about in SHARED else 2


# What is published as it is, and tells which rows belong to one household or person: its number, in other words.

TELLING = 0.9  # so many different values for each household tell it apart from the others
PUBLISHED = 12  # so many confidential columns are looked at, each with one count of pairs


def telling_rows_together(
    engine: Engine, clues: Mapping[str, Clues], guesses: Mapping[str, RoleGuess], number: str
) -> dict[str, RoleGuess]:
    """Give the guesses of confidential columns that stand for a household or person as well as its number does."""
    within = clues[number]
    many = TELLING * within.column.distinct
    names = [
        name
        for name, clue in clues.items()
        if guesses[name].role == "sensitive" and clue.column.distinct >= many
        and clue.column.distinct < TELLING * clue.column.records
    ]  # fmt: skip
    told = f"the same for all rows of one {number!r} and nearly always another one for the next: it gives them back"
    return {
        name: replace(guesses[name], reason=f"{told} ({guesses[name].reason})", sure=False)
        for name in names[:PUBLISHED]
        if _stays(engine, name, within)
    }


# What is the same for all people of a school, a hospital or a village: a property of it, by which others know it.

PLACES = ("a place", "a postcode", "education", "work")  # what many people have in common, and others know of them
GROUPS, PROPERTIES = 2, 12  # so many columns are tried as groups, each beside so many others: one count of pairs each
PEOPLE = 5  # so many people on average make a group; what is the same for fewer can be chance


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


# Columns that belong together, by their names, their answers or their place: what is known of most holds for all.

TOGETHER = 2  # so many confidential columns make the rest of their block confidential, if none of it is known to others
SCALE = range(4, 13)  # so many values has a question that several columns answer
CHOICES = 6  # so many columns side by side with the same two values are the choices of one question


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
