"""What somebody who knows the table has to answer: who a row is about, then what is most dangerous first."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from incrowd.api._suggest._gaps import listed
from incrowd.api._suggest._promise import NO_PROMISE

if TYPE_CHECKING:
    from incrowd.api._suggest._suggestion import ColumnSuggestion, Suggestion

SAID = "you said so"
"""The reason of what was given."""

BECOMES = {
    "identifier": "is left out, as something that names a person",
    "sensitive": "is published as it is, as something that nobody could know",
    "insensitive": "is published as it is",
    "quasi": "becomes vaguer, as something that others could know",
    "drop": "is left out",
}
"""What becomes of a column, by its role."""


def counted(suggestion: Suggestion) -> str:
    """Say who is counted where a column says whose row it is."""
    household = suggestion.entity is not None and suggestion.entity == suggestion.household
    return "households" if household else "people"


def rows_of(suggestion: Suggestion) -> Iterator[str]:
    """Say who a row is about, as far as the table tells."""
    rows = f"{suggestion.profile.records:,} rows"
    if suggestion.entity is not None:
        many = suggestion.profile[suggestion.entity].distinct
        yield f"{counted(suggestion)} are counted by {suggestion.entity!r} ({many:,} in {rows})"
    if suggestion.perhaps is not None:
        people = suggestion.profile[suggestion.perhaps].distinct
        told = f"{suggestion.perhaps!r} could say whose row it is ({people:,} in {rows})"
        yield f"{told}: if so, groups hold fewer people than rows"
    if suggestion.household is not None:
        many = suggestion.profile[suggestion.household].distinct
        told = f"{suggestion.household!r} stands for a household ({many:,} in {rows})"
        yield f"{told}: who knows one member may recognise the others"
    if suggestion.weight is not None:
        yield f"{suggestion.weight!r} looks like a survey weight: it is left out unless you say otherwise"


def questions_of(suggestion: Suggestion) -> Iterator[str]:
    """Give what to check, the most dangerous first.

    That is who a row is about, then what is published as it is, then how the table was read, then what becomes vaguer.
    """
    yield from _persons(suggestion)
    yield from _columns(suggestion, "identifier")
    yield from _columns(suggestion, "sensitive")
    yield from _without_promise(suggestion)
    yield from _columns(suggestion, "insensitive")
    yield from suggestion.asked
    yield from _columns(suggestion, "quasi")
    yield from _ladders(suggestion)
    yield from _columns(suggestion, "drop")


def _persons(suggestion: Suggestion) -> Iterator[str]:
    """Ask who a row is about: wrong either way, every group would be counted wrong."""
    said = {column.name for column in suggestion.columns if column.reason == SAID}
    if suggestion.entity is not None and suggestion.entity not in said:
        yield (
            f"is {suggestion.entity!r} a person? Groups are counted by it; if every row is another person, "
            f"take the line entity out of the plan"
        )
    if suggestion.perhaps is not None:
        yield (
            f"does {suggestion.perhaps!r} stand for a person? Then write entity = {json.dumps(suggestion.perhaps)} "
            f"below [data]: until then rows are counted, not people"
        )


def _columns(suggestion: Suggestion, role: str) -> Iterator[str]:
    """Ask about the columns of a role that are not sure, those with the same reason together."""
    numbers = {suggestion.entity, suggestion.household, suggestion.weight, suggestion.perhaps}
    open_ones = [one for one in suggestion.columns if one.role == role and _is_open(one) and one.name not in numbers]
    reasons = {one.name: one.check if role == "insensitive" else one.reason for one in open_ones}
    if role == "quasi":  # what is published vaguer is the least dangerous: without the numbers there are fewer lines
        reasons = {name: why.partition(": ")[0] for name, why in reasons.items()}
    for why, names in _by_reason(reasons):
        yield f"{listed(names)} {_plural(BECOMES[role], names)}: {why}"


def _ladders(suggestion: Suggestion) -> Iterator[str]:
    """Ask about ladders that somebody should look at."""
    asked = {one.name: one.check for one in suggestion.columns if one.role == "quasi" and one.check}
    for check, names in _by_reason(asked):
        told = check.removeprefix("please check: ").replace("; please look at the file", "")
        yield f"how {listed(names)} {_plural('becomes', names)} vaguer: {told}"


def _is_open(column: ColumnSuggestion) -> bool:
    return not column.sure or (column.role == "insensitive" and column.check != "")


def _without_promise(suggestion: Suggestion) -> Iterator[str]:
    """Name the confidential columns about which nothing is promised, and why."""
    without = [column for column in suggestion.columns if column.role == "sensitive" and column.promise is None]
    for why, names in _by_reason({one.name: one.check.partition("; ")[0] for one in without}):
        told = why.removeprefix(NO_PROMISE) or "values that cannot be grouped"
        yield f"nothing is promised about what is confidential in {listed(names)}: {told}; the plan says what could be"


def _by_reason(reasons: Mapping[str, str]) -> Iterator[tuple[str, list[str]]]:
    """Put columns together that have the same reason, in the order of the first."""
    for why in dict.fromkeys(reasons.values()):
        yield why, [name for name, reason in reasons.items() if reason == why]


def _plural(becomes: str, names: Sequence[str]) -> str:
    """Say of several columns what is said of one."""
    first, _, rest = becomes.partition(" ")
    several = {"is": "are", "becomes": "become"}[first]
    return becomes if len(names) == 1 else f"{several} {rest}".rstrip().replace("something that names", "what names")
