"""Columns that give away another one: the days between two dates, and codes that belong to one department each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice

import numpy as np

from incrowd.core import CensusRequest, Domain
from incrowd.engines import Engine, go_together
from incrowd.plan.suggestion._codes import codes_in
from incrowd.plan.suggestion._persons import PEOPLE
from incrowd.plan.suggestion._roles import TIMES, Clues, RoleGuess
from incrowd.plan.suggestion._words import fit_of

DATES, PAIRS = 6, 12  # so many dates are compared with each other, and so many pairs of columns counted in the table

_STAYS = """
length of stay, los, stay, days in hospital, icu days, verweildauer, liegezeit, liegetage, aufenthaltsdauer,
duree sejour, duree de sejour, estancia, dias estancia, degenza, giornate degenza, ligduur, verpleegduur,
tempo internacao, dias internacao, vardtid, liggetid, czas pobytu, dni pobytu, survtime, survival time,
follow up days, sentence days, 入院日数, 在院日数, 住院天数
"""
STAYS = tuple(word.strip() for word in _STAYS.split(","))  # what the time between two dates is called


def related(engine: Engine, clues: Mapping[str, Clues], guesses: Mapping[str, RoleGuess]) -> dict[str, RoleGuess]:
    """Give the guesses, where confidential columns that give back what others know are not published unasked."""
    found = dict(guesses)
    for name, first, last in _spans(clues, guesses):
        told = f"the time between {first!r} and {last!r}: with one of them it gives back the other"
        found[name] = RoleGuess("quasi", told, sure=False, about=guesses[name].about)
    for name, other in _telling(engine, clues, found):
        told = f"tells {other!r}, which becomes vaguer: each value goes with one of it ({found[name].reason})"
        found[name] = replace(found[name], reason=told, sure=False)
    return found


def _spans(clues: Mapping[str, Clues], guesses: Mapping[str, RoleGuess]) -> Iterator[tuple[str, str, str]]:
    """Give confidential numbers that are the days between two dates, with these."""
    dates = [name for name, guess in guesses.items() if guess.role == "quasi" and _is_time(clues[name].domain)][:DATES]
    secret = [
        name
        for name, clue in clues.items()
        if guesses[name].role == "sensitive" and clue.domain.kind == "number" and clue.column.distinct > 2
    ]
    for name in secret if len(dates) > 1 else ():
        pair = next((pair for pair in combinations(dates, 2) if _is_between(name, *pair, clues)), None)
        if pair is None and any(fit_of(name, word) > 2 * len(word.replace(" ", "")) for word in STAYS):
            pair = (dates[0], dates[1])
        if pair is not None:
            yield name, *pair


def _is_time(domain: Domain) -> bool:
    codes = codes_in(domain)
    return codes is not None and codes.about in TIMES and len(domain.values) > 2


def _is_between(name: str, one: str, other: str, clues: Mapping[str, Clues]) -> bool:
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


def _telling(engine: Engine, clues: Mapping[str, Clues], guesses: Mapping[str, RoleGuess]) -> Sequence[tuple[str, str]]:
    """Give pairs of a confidential column and one that others know, which it determines; one for each."""
    sizes = {name: _sizes(clue) for name, clue in clues.items() if not clue.column.missing and clue.column.distinct > 1}
    secret = [name for name in sizes if guesses[name].role == "sensitive" and _are_groups(clues[name])]
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


def _sizes(clues: Clues) -> tuple[int, int, int]:
    """Say how many values there are, and how often the rarest and the most frequent occur."""
    return clues.column.distinct, int(clues.domain.counts.min()), int(clues.domain.counts.max())


def _are_groups(clues: Clues) -> bool:
    return PEOPLE * clues.column.distinct <= clues.column.records


# Columns that say the same in other words, such as a code and its label: what is known of one holds for the other.

# So many pairs are compared in the table at most; which could be twins is seen by how often their values occur
MOST = 40

FEWEST, LARGEST = 3, 100_000  # columns with fewer values agree by chance too easily; those with more stand for people
RANK = {"quasi": 1, "sensitive": 2}  # which role two twins get if both are known: the one that hides more


def alike(engine: Engine, clues: Mapping[str, Clues], guesses: Mapping[str, RoleGuess]) -> dict[str, RoleGuess]:
    """Give the guesses of columns that another one determines, and which determine it: both get one role."""
    found = dict(guesses)
    for one, other in _twins(engine, clues):
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


def _twins(engine: Engine, clues: Mapping[str, Clues]) -> Iterator[tuple[str, str]]:
    """Find pairs of columns whose values go together one by one."""
    by_counts: dict[bytes, list[str]] = {}
    for name, clue in clues.items():
        if FEWEST <= clue.column.distinct <= min(LARGEST, clue.column.records // 2):
            counts = np.sort(clue.domain.counts[: clue.column.distinct]).astype(np.int64)
            by_counts.setdefault(counts.tobytes(), []).append(name)
    pairs = [(names[0], other) for names in by_counts.values() for other in names[1:]]
    for one, other in pairs[:MOST]:
        missing = clues[one].domain.has_null or clues[other].domain.has_null
        if go_together(engine, one, other, clues[one].column.distinct + missing):
            yield one, other
