"""Attacks as lines of text for a terminal of 80 columns: numbers and names of columns, never a value."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator
from fractions import Fraction

from incrowd.api._attack._attacks import Attack, Attacks
from incrowd.api._shares import percent
from incrowd.api._worst import Number

WIDTH = 80
NAME = 34


def lines_of(attacks: Attacks) -> Iterator[str]:
    """Say what every attack found out, and then what each intruder knows."""
    persons = "" if attacks.persons is None else f" of {_many(attacks.persons, 'person')}"
    yield f"{_many(attacks.records, 'record')}{persons} in {_many(attacks.classes, 'group')}"
    yield ""
    yield f"{'attack':<{NAME}}{'right':>9}{'guessing':>10}{'worst':>10}{'exposed':>17}"
    for entry in attacks:
        yield _line(entry)
    knowledge: dict[str, list[str]] = {}
    for entry in attacks:
        knowledge.setdefault(entry.knows, []).append(entry.name)
    yield ""
    for knows, names in knowledge.items():
        yield from _wrapped(f"{', '.join(dict.fromkeys(names))}: knows {knows}.")
    for note in dict.fromkeys([*attacks.notes, *(note for entry in attacks for note in entry.notes)]):
        yield from _wrapped(f"note: {note}")
    yield ""
    yield "right: how often the intruder is right; guessing: the same without the release"
    yield "worst: highest chance in any group; gain (x), change or range where these count"
    if any(entry.unread for entry in attacks):
        yield "?: incomplete, because labels could not be read; see the notes"


def _line(entry: Attack) -> str:
    title = entry.name if entry.column is None else f"{entry.name}, {entry.column}"
    right, before = (percent(share) if is_guess(entry) else "-" for share in (entry.rate, entry.baseline))
    counted = entry.unit != "change"
    exposed, share = (f"{entry.exposed.people:,}", percent(entry.exposed.share)) if counted else ("-", "")
    right += "?" if entry.unread else ""
    return f"{_short(title):<{NAME}}{right:>9}{before:>10}{worst_of(entry):>10}{exposed:>9}{share:>8}".rstrip()


def is_guess(entry: Attack) -> bool:
    """Say whether an attack guesses, and can be right; others measure how far beliefs move, and have no rate."""
    return entry.guesses


def worst_of(entry: Attack) -> str:
    """Write what an attack found in the worst group."""
    if entry.worst is None:
        return "-"
    if entry.unit == "gain":
        return f"{_number(entry.worst)} x"
    return _percent_of(entry.worst)


def _percent_of(value: Number) -> str:
    return percent(value if isinstance(value, Fraction) else Fraction(str(value)))


def _number(value: Number) -> str:
    if value == math.inf:
        return "inf"
    return f"{int(value):,}" if value == int(value) else f"{float(value):,.1f}"


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _short(name: str) -> str:
    printable = "".join(sign if sign.isprintable() else "?" for sign in name)
    return printable if len(printable) < NAME else f"{printable[: NAME - 4]}..."


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent="  ")
