"""Texts and numbers that often stand for a missing value: asked about, never assumed.

Only marks of a fixed list are ever named, and each is common to so many files that it tells nothing about a record.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.core import Domain

_TEXTS = (
    "?", "??", "-", "--", ".", "..", "na", "n/a", "n.a.", "n. a.", "#n/a", "<na>", "nan", "null", "none",
    "missing", "unknown", "unk", "k.a.", "k. a.", "k.a", "k/a", "keine angabe", "unbekannt", "fehlt",
    "inconnu", "nsp", "n.d.", "n/d", "non renseigné", "desconocido", "ns/nc", "sconosciuto", "onbekend", "s/i",
    "desconhecido", "não informado", "nieznane", "brak", "нет данных", "н/д", "不明", "未知", "无", "無", "미상",
)  # fmt: skip
MARKS = frozenset(_TEXTS)
"""Texts, in small letters, that often stand for a missing value."""
NEGATIVE = (-1, -2, -7, -8, -9, -77, -88, -99, -999, -9999)
NINES = (9, 99, 999, 9999, 99999)
"""Numbers that often stand for one: where nothing else is negative, and where nothing else is nearly as large."""
FEW, NAMED, NEAR = 3, 3, 5
"""More values than that tell a number apart; so many columns are named; nines stand at least so far from the others."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A mark that perhaps stands for a missing value.

    Attributes
    ----------
    mark
        The text.
    columns
        How often it stands in each column.
    becoming
        Columns of texts that would be of numbers or dates without it.
    number
        Whether it is a number among numbers.
    """

    mark: str
    columns: Mapping[str, int]
    becoming: tuple[str, ...] = ()
    number: bool = False


def is_mark(text: str) -> bool:
    """Say whether a text often stands for a missing value."""
    return not text.strip() or text.strip().casefold() in MARKS


def gaps_in(domains: Mapping[str, Domain], is_typed: Callable[[list[str]], bool]) -> list[Gap]:
    """Find marks that perhaps stand for missing values, those in most rows first.

    Parameters
    ----------
    domains
        The values of the columns.
    is_typed
        Whether texts are numbers or dates, all of them.
    """
    found: dict[str, dict[str, int]] = {}
    numbers: set[str] = set()
    becoming: dict[str, list[str]] = {}
    for name, domain in domains.items():
        marks = _texts_in(domain) if domain.kind == "text" else _numbers_in(domain) if domain.kind == "number" else {}
        for mark, count in marks.items():
            found.setdefault(mark, {})[name] = count
        if domain.kind == "number":
            numbers |= {*marks}
        elif marks and is_typed([text for text in domain.values.tolist() if text not in marks]):
            for mark in marks:
                becoming.setdefault(mark, []).append(name)
    gaps = [Gap(mark, columns, tuple(becoming.get(mark, ())), mark in numbers) for mark, columns in found.items()]
    return sorted(gaps, key=lambda gap: (-sum(gap.columns.values()), gap.mark))


def questions_of_gaps(gaps: Sequence[Gap], missing: Sequence[str], *, from_texts: bool) -> Iterator[str]:
    """Ask whether marks stand for missing values, and say what to do then.

    Parameters
    ----------
    gaps
        The marks.
    missing
        Texts that count as missing already.
    from_texts
        Whether numbers are read from texts, of which any can be called missing.
    """
    for gap in gaps:
        times = sum(gap.columns.values())
        columns = f"{len(gap.columns):,} column{'' if len(gap.columns) == 1 else 's'} ({listed([*gap.columns])})"
        told = f"write missing = [{', '.join(json.dumps(text, ensure_ascii=False) for text in (*missing, gap.mark))}]"
        told = told if from_texts or not gap.number else "make it null in the table"
        typed = f"; {listed(gap.becoming)} would then be of numbers or dates" if gap.becoming else ""
        yield (
            f"{gap.mark!r} stands {times:,} time{'' if times == 1 else 's'} in {columns}: does it mean missing? "
            f"Then {told}{typed}"
        )


def _texts_in(domain: Domain) -> dict[str, int]:
    if len(domain.values) < 2:
        return {}
    texts = domain.values.tolist()
    return {text: int(domain.counts[place]) for place, text in enumerate(texts) if is_mark(text)}


def _numbers_in(domain: Domain) -> dict[str, int]:
    values, counts = domain.values, domain.counts[: len(domain.values)]
    if len(values) <= FEW or values.dtype.kind == "O":
        return {}
    found = [mark for mark in NEGATIVE if mark in values[: len(NEGATIVE)]]
    below = values[values < 0]
    places = [int(np.searchsorted(values, mark)) for mark in found] if len(found) == len(below) else []
    top, second = values[-1], values[-2]
    if top in NINES and second >= 0:
        usual = float(np.median(counts[:-1]))
        if 2 * second <= top or (top - second >= NEAR and counts[-1] > NEAR * usual):
            places.append(len(values) - 1)
    return {text: int(counts[place]) for text, place in zip(domain.texts_at(places), places, strict=True)}


def listed(names: Sequence[str]) -> str:
    """Name the first of some columns, and say how many more there are."""
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return f"{', '.join(map(repr, names[:NAMED]))}{more}"
