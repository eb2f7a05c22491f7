"""How columns hang together: person columns, giveaways, twins, blocks; the roles of all columns guessed from it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby, islice

import numpy as np

from incrowd.core import CensusRequest, Domain
from incrowd.engines import Engine, determines
from incrowd.evidence import Profile
from incrowd.plan.suggestion._codes import codes_in
from incrowd.plan.suggestion._roles import FEW, TIMES, Clues, RoleGuess, clues_of, guess_role, subjects_of
from incrowd.plan.suggestion._words import fit_of, meaningless_names, tokens_of, vocabulary, word_list

AllClues = Mapping[str, Clues]  # what is known of every column that can be grouped
Guesses = Mapping[str, RoleGuess]  # and its probable role


@dataclass(frozen=True, slots=True)
class Persons:
    """The columns that stand for persons and households."""

    entity: str | None = None  # the column that says whose row it is, where people have several
    household: str | None = None  # the column that says which household a row belongs to
    # A column whose name is that of a number of persons and whose values repeat, though nothing else shows that it
    # stands for them. Only where there is no ``entity``
    perhaps: str | None = None


def guess_roles(
    engine: Engine, profile: Profile, domains: Mapping[str, Domain]
) -> tuple[dict[str, RoleGuess], Persons]:
    """Guess the roles of all columns: one by one, by what the table is about, and by how they hang together."""
    plain = meaningless_names(profile.domains)
    clues = {
        name: clues_of(replace(profile[name], kind=domain.kind), domain, named=name not in plain)
        for name, domain in domains.items()
    }
    subjects = subjects_of(clues.values())
    known = _with_blocks(clues, {name: guess_role(one, subjects) for name, one in clues.items()})
    for adjusted in (_with_twins, _with_properties, _with_giveaways):
        known = adjusted(engine, clues, known)
    persons = _persons_in(engine, clues, known)
    if persons.household is None:  # one person each, but still a household
        named = next((name for name, guess in known.items() if guess.stands_for == "household"), None)
        persons = replace(persons, household=named)
    for name, role in ((persons.entity, "a person"), (persons.household, "a household")):
        if name is not None:
            rows = f"{profile[name].distinct:,} values in {profile.records:,} rows"
            known[name] = RoleGuess("identifier", f"stands for {role}: {rows}", sure=False, about=known[name].about)
            known |= _telling_rows_together(engine, clues, known, name)
    lost = RoleGuess("drop", "values that cannot be grouped", sure=False)
    return {column.name: known.get(column.name, lost) for column in profile.columns}, persons


# Which column stands for a person, which for a household, by what stays the same within.

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


def _persons_in(engine: Engine, clues: AllClues, guesses: Guesses) -> Persons:
    """Find the columns in which values repeat, while others do not change within."""
    entity, household, perhaps = None, None, None
    for name in _person_candidates(clues, guesses):
        within = [*_constancy_within(engine, name, clues, guesses)]
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
        elif entity is None and (called or fixed):
            by_name = called and (same or not within or _is_panel(engine, name, clues, guesses))
            entity = name if same >= 2 or by_name else None
        if names_somebody(guesses[name]) and name not in {entity, household}:
            perhaps = perhaps or name
    return Persons(entity, household, perhaps if entity is None else None)


def names_somebody(guess: RoleGuess) -> bool:
    """Whether a column is called a number of people, or has values such as e-mail addresses."""
    return guess.stands_for == "record" or (guess.role == "identifier" and guess.sure and guess.about is None)


def _is_panel(engine: Engine, name: str, clues: AllClues, guesses: Guesses) -> bool:
    """Whether each value occurs once per wave, if a column says which wave a row is of."""
    times = [other for other, guess in guesses.items() if guess.about == WAVE and clues[other].column.distinct > 1]
    records = clues[name].column.records
    return any(engine.census_size(CensusRequest((name, other))) == records for other in times[:2])


def _person_candidates(clues: AllClues, guesses: Guesses) -> Sequence[str]:
    """Give the columns whose values repeat a few times each; those with the name of a number first."""
    guessed = {name: guesses[name].stands_for for name, one in clues.items() if _values_repeat(one, guesses[name])}
    names = [name for name, stands_for in guessed.items() if stands_for != "weight"]
    return sorted(names, key=lambda name: (guessed[name] is None, -clues[name].column.distinct))[:CANDIDATES]


def _values_repeat(clues: Clues, guess: RoleGuess) -> bool:
    column = clues.column
    if column.missing or clues.few or not (clues.whole or clues.domain.kind == "text"):
        return False
    told = guess.sure or (guess.about is not None and not clues.is_coded) or 100 * column.distinct < column.records
    if guess.stands_for is None and guess.role != "identifier" and told:
        return False
    return column.distinct > 1 and 10 * column.distinct <= 9 * column.records


def _constancy_within(
    engine: Engine, name: str, clues: AllClues, guesses: Guesses
) -> Iterator[tuple[str | None, bool]]:
    """Say of some other columns what they are about, and whether they stay the same within."""
    others = [
        other
        for other, one in clues.items()
        if other != name and one.column.distinct > 1 and 2 * one.column.distinct <= clues[name].column.distinct
        and guesses[other].stands_for is None
    ]  # fmt: skip
    telling = dict.fromkeys(FIXED, 0) | dict.fromkeys(SHARED, 1)  # the first tell most about persons
    order = sorted(
        others, key=lambda other: (telling.get(guesses[other].about or "", 2), clues[other].column.distinct, other)
    )
    for other in order[:COMPARED]:
        yield guesses[other].about, _is_constant_within(engine, other, clues[name])


def _is_constant_within(engine: Engine, other: str, within: Clues) -> bool:
    """Whether a column is the same within each value of another one, typing errors aside."""
    people, rows = within.column.distinct, within.column.records
    spare = max(NEARLY * people, min(MISTAKEN * rows, WRONG * people))
    return engine.census_size(CensusRequest((within.column.name, other))) <= people + spare


# What is published as it is, and tells which rows belong to one household or person: its number, in other words.

TELLING = 0.9  # so many different values for each household tell it apart from the others
PUBLISHED = 12  # so many confidential columns are looked at, each with one count of pairs


def _telling_rows_together(engine: Engine, clues: AllClues, guesses: Guesses, number: str) -> dict[str, RoleGuess]:
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
        if _is_constant_within(engine, name, within)
    }


# What is the same for all people of a school, a hospital or a village: a property of it, by which others know it.

PLACES = ("a place", "a postcode", "education", "work")  # what many people have in common, and others know of them
GROUPS, PROPERTIES = 2, 12  # so many columns are tried as groups, each beside so many others: one count of pairs each
PEOPLE = 5  # so many people on average make a group; what is the same for fewer can be chance


def _with_properties(engine: Engine, clues: AllClues, guesses: Guesses) -> dict[str, RoleGuess]:
    """Give the guesses, where a confidential column that is the same all through each group is one that others know."""
    found = dict(guesses)
    for group in _group_columns(clues, guesses):
        for name in _perhaps_of(group, clues, found):
            if determines(engine, group, name, clues[group].column.distinct):
                found[name] = RoleGuess("quasi", f"the same for all of one {group!r}", sure=False)
    return found


def _group_columns(clues: AllClues, guesses: Guesses) -> Sequence[str]:
    """Give the columns that stand for places or units with some people each, those with most values first."""
    names = [
        name
        for name, clue in clues.items()
        if guesses[name].role == "quasi" and not clue.column.missing and (clue.whole or clue.domain.kind == "text")
        and (guesses[name].about in PLACES or clue.is_coded)
        and FEW < clue.column.distinct <= clue.column.records // PEOPLE
    ]  # fmt: skip
    return sorted(names, key=lambda name: (-clues[name].column.distinct, name))[:GROUPS]


def _perhaps_of(group: str, clues: AllClues, guesses: Guesses) -> Sequence[str]:
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


def _with_blocks(clues: AllClues, guesses: Guesses) -> dict[str, RoleGuess]:
    """Give the guesses, where columns of which little is known have the role of those they belong to."""
    found = dict(guesses)
    for names in _column_blocks(clues):
        told = [guesses[name].role for name in names if guesses[name].about is not None]
        if told.count("sensitive") == len(told) >= TOGETHER:
            guess = RoleGuess("sensitive", f"belongs to {len(told)} confidential columns", sure=False)
            found.update((name, guess) for name in names if _is_open(clues[name], guesses[name]))
    for names in _choice_runs(clues):
        known = Counter(guesses[name].about for name in names if guesses[name].role == "quasi")
        about = next((about for about, most in known.items() if about is not None and 2 * most >= len(names)), None)
        if about is not None:  # what at least half of them are about
            guess = RoleGuess("quasi", f"one of {len(names)} choices about {about}", sure=False, about=about)
            found.update((name, guess) for name in names if guesses[name].role != "quasi" and not guesses[name].sure)
    return found


def _is_open(clues: Clues, guess: RoleGuess) -> bool:
    """Whether nothing is known of a column: neither its name nor its values say anything."""
    known = guess.about is not None or guess.sure or guess.stands_for is not None or clues.topics
    return guess.role == "quasi" and not known and clues.column.distinct > 1


def _column_blocks(clues: AllClues) -> Iterator[Sequence[str]]:
    """Give the columns that have a part of their names or all their answers in common."""
    members: dict[object, list[str]] = defaultdict(list)
    for name, clue in clues.items():
        tokens, values = tokens_of(name), clue.domain.values
        words = {token for token in tokens if token.isalpha() and len(token) > 1 and not vocabulary().knows(token)}
        for word in words if len(tokens) > 1 else ():  # words that mean nothing alone
            members[word].append(name)
        if len(values) in SCALE:
            members[clue.domain.kind, *values.tolist()].append(name)
    yield from members.values()


def _choice_runs(clues: AllClues) -> Iterator[Sequence[str]]:
    """Give the runs of columns side by side that have the same two values."""
    answers = {
        name: (one.domain.kind, *one.domain.values.tolist())
        for name, one in clues.items()
        if len(one.domain.values) == 2
    }
    for values, names in groupby(clues, answers.get):
        run = [*names]
        if values is not None and len(run) >= CHOICES:
            yield run


# Columns that give away another one: the days between two dates, and codes that belong to one department each.

DATES, PAIRS = 6, 12  # so many dates are compared with each other, and so many pairs of columns counted in the table


def _with_giveaways(engine: Engine, clues: AllClues, guesses: Guesses) -> dict[str, RoleGuess]:
    """Give the guesses, where confidential columns that give back what others know are not published unasked."""
    found = dict(guesses)
    for name, first, last in _day_spans(clues, guesses):
        told = f"the time between {first!r} and {last!r}: with one of them it gives back the other"
        found[name] = RoleGuess("quasi", told, sure=False, about=guesses[name].about)
    for name, other in _giveaway_pairs(engine, clues, found):
        told = f"tells {other!r}, which becomes vaguer: each value goes with one of it ({found[name].reason})"
        found[name] = replace(found[name], reason=told, sure=False)
    return found


def _day_spans(clues: AllClues, guesses: Guesses) -> Iterator[tuple[str, str, str]]:
    """Give confidential numbers that are the days between two dates, with these."""
    known = {name: clues[name].domain for name, guess in guesses.items() if guess.role == "quasi"}
    written = {name: codes_in(domain) for name, domain in known.items() if len(domain.values) > 2}
    dates = [name for name, codes in written.items() if codes is not None and codes.about in TIMES][:DATES]
    secret = [
        name
        for name, clue in clues.items()
        if guesses[name].role == "sensitive" and clue.domain.kind == "number" and clue.column.distinct > 2
    ]
    stays = word_list("names", "stays")
    for name in secret if len(dates) > 1 else ():
        pair = next((pair for pair in combinations(dates, 2) if _is_between(name, *pair, clues)), None)
        if pair is None and any(fit_of(name, word) > 2 * len(word.replace(" ", "")) for word in stays):
            pair = (dates[0], dates[1])
        if pair is not None:
            yield name, *pair


def _is_between(name: str, one: str, other: str, clues: AllClues) -> bool:
    """Whether numbers are on average exactly as many as there are days between two dates, or one more."""
    columns = [clues[each].domain for each in (name, one, other)]
    if any(domain.has_null for domain in columns) or any(domain.kind != "date" for domain in columns[1:]):
        return False
    days = [
        columns[0].values.astype(float),
        *(domain.values.astype("datetime64[D]").astype(float) for domain in columns[1:]),
    ]
    sums = [float(values @ domain.counts) for values, domain in zip(days, columns, strict=True)]
    people = int(columns[0].counts.sum())
    apart = abs(sums[2] - sums[1])
    return bool(apart > 0 and any(np.isclose(sums[0], apart + more * people, rtol=1e-12) for more in (0, 1)))


def _giveaway_pairs(engine: Engine, clues: AllClues, guesses: Guesses) -> Sequence[tuple[str, str]]:
    """Give pairs of a confidential column and one that others know, which it determines; one for each."""
    sizes = {  # how many values there are, and how often the rarest and the most frequent occur
        name: (clue.column.distinct, int(clue.domain.counts.min()), int(clue.domain.counts.max()))
        for name, clue in clues.items()
        if not clue.column.missing and clue.column.distinct > 1
    }
    groups = {name for name in sizes if PEOPLE * sizes[name][0] <= clues[name].column.records}
    secret = [name for name in sizes if guesses[name].role == "sensitive" and name in groups]
    known = [name for name in sizes if guesses[name].role == "quasi"]
    pairs = (
        (name, other)
        for name in secret
        for other in known
        if sizes[name][0] > sizes[other][0] and sizes[name][1] <= sizes[other][1] and sizes[name][2] <= sizes[other][2]
    )
    found: dict[str, str] = {}
    for name, other in islice(pairs, PAIRS):
        if name not in found and engine.census_size(CensusRequest((name, other))) == clues[name].column.distinct:
            found[name] = other
    return [*found.items()]


# Columns that say the same in other words, such as a code and its label: what is known of one holds for the other.

# So many pairs are compared in the table at most; which could be twins is seen by how often their values occur
TWINS = 40
FEWEST, LARGEST = 3, 100_000  # columns with fewer values agree by chance too easily; those with more stand for people
RANK = {"quasi": 1, "sensitive": 2}  # which role two twins get if both are known: the one that hides more


def _with_twins(engine: Engine, clues: AllClues, guesses: Guesses) -> dict[str, RoleGuess]:
    """Give the guesses of columns that another one determines, and which determine it: both get one role."""
    found = dict(guesses)
    for one, other in _twin_columns(engine, clues):
        known, open_ = sorted((one, other), key=lambda name: (not found[name].sure, found[name].about is None, name))
        better, worse = found[known], found[open_]
        if better.role == worse.role or better.role not in RANK or worse.role not in RANK:
            continue
        if better.about is None or (worse.about is not None and RANK[better.role] > RANK[worse.role]):
            known, open_, better, worse = open_, known, worse, better
        if better.about is not None:
            reason = f"says the same as {known!r} in other words"
            found[open_] = replace(worse, role=better.role, reason=reason, sure=False, about=worse.about)
    return found


def _twin_columns(engine: Engine, clues: AllClues) -> Iterator[tuple[str, str]]:
    """Find pairs of columns whose values go together one by one."""
    by_counts: dict[bytes, list[str]] = {}
    for name, clue in clues.items():
        if FEWEST <= clue.column.distinct <= min(LARGEST, clue.column.records // 2):
            counts = np.sort(clue.domain.counts[: clue.column.distinct]).astype(np.int64)
            by_counts.setdefault(counts.tobytes(), []).append(name)
    pairs = [(names[0], other) for names in by_counts.values() for other in names[1:]]
    for one, other in pairs[:TWINS]:
        missing = clues[one].domain.has_null or clues[other].domain.has_null
        if determines(engine, one, other, clues[one].column.distinct + missing):
            yield one, other
