"""Columns that give away another one: the days between two dates, and codes that belong to one department each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice

import numpy as np

from incrowd.api._suggest._codes import codes_in
from incrowd.api._suggest._groups import PEOPLE
from incrowd.api._suggest._roles import TIMES, Clues, RoleGuess
from incrowd.api._suggest._words import fit_of
from incrowd.core import CensusRequest, Domain
from incrowd.engines import Engine

DATES, PAIRS = 6, 12
"""So many dates are compared with each other, and so many pairs of columns counted in the table."""

_STAYS = """
length of stay, los, stay, days in hospital, icu days, verweildauer, liegezeit, liegetage, aufenthaltsdauer,
duree sejour, duree de sejour, estancia, dias estancia, degenza, giornate degenza, ligduur, verpleegduur,
tempo internacao, dias internacao, vardtid, liggetid, czas pobytu, dni pobytu, survtime, survival time,
follow up days, sentence days, 入院日数, 在院日数, 住院天数
"""
STAYS = tuple(word.strip() for word in _STAYS.split(","))
"""What the time between two dates is called."""


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
