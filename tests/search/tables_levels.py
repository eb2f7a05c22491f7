"""What a search for levels and cells found, read record by record: the rows of every class, and what they lose."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import Any

from incrowd.search import LocalOutcome
from search.slow import QUASI, Row
from search.slow_cheapest import lost


def rows(*ages_and_towns: tuple[str, str], sex: str = "f") -> list[Row]:
    return [{"age": age, "sex": sex, "town": town, "disease": "a"} for age, town in ages_and_towns]


def classes(outcome: LocalOutcome) -> dict[tuple[Any, ...], list[Row]]:
    """Give the records of every class by what it is called; those that are left out by nothing."""
    recoding = outcome.recoding
    names = list(zip(*(texts.tolist() for texts in recoding.labels), strict=True))
    texts = [domain.texts[codes] for domain, codes in zip(recoding.domains.values(), recoding.codes, strict=True)]
    result: defaultdict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for *values, number, count in zip(*texts, recoding.classes, recoding.counts, strict=True):
        row = dict(zip(recoding.domains, values, strict=True))
        result[names[number] if number >= 0 else ()] += [row] * int(count)
    return dict(result)


def sizes(outcome: LocalOutcome) -> dict[tuple[Any, ...], int]:
    return {label: len(inside) for label, inside in classes(outcome).items()}


def lost_by(outcome: LocalOutcome) -> Fraction:
    return loss(classes(outcome))


def loss(found: dict[tuple[Any, ...], list[Row]]) -> Fraction:
    """Give the mean over all cells of what is lost; who is left out loses all."""
    of = {label: sum((lost(n, t) for n, t in zip(QUASI, label, strict=True)), Fraction(0)) for label in found if label}
    lost_by = (len(inside) * of.get(label, Fraction(len(QUASI))) for label, inside in found.items())
    total = sum(lost_by, Fraction(0))
    return total / len(QUASI) / sum(map(len, found.values()))
