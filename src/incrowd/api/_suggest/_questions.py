"""What somebody who knows the table has to answer: who a row is about, then what is most dangerous first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from incrowd.api._suggest._suggestion import ColumnSuggestion, Suggestion

SAID = "you said so"
"""The reason of what was given."""

NAMED = 3
"""So many columns are named in one question; more are counted."""

DANGER = {
    "insensitive": "is published as it is",
    "sensitive": "is published as it is, as something that nobody could know",
    "drop": "is left out",
    "quasi": "becomes vaguer, as something that others could know",
    "identifier": "is left out, as something that names a person",
}
"""What becomes of a column, by its role; the most dangerous first."""


def rows_of(suggestion: Suggestion) -> Iterator[str]:
    """Say who a row is about, as far as the table tells."""
    rows = f"{suggestion.profile.records:,} rows"
    if suggestion.entity is not None:
        people = suggestion.profile[suggestion.entity].distinct
        yield f"people are counted by {suggestion.entity!r} ({people:,} in {rows})"
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
    """Give what to check, the most dangerous first; what was perhaps not read right comes before all else."""
    yield from suggestion.asked
    said = {column.name for column in suggestion.columns if column.reason == SAID}
    if suggestion.entity is not None and suggestion.entity not in said:
        yield f"is {suggestion.entity!r} a person? If every row is another one, take entity out of the plan"
    if suggestion.perhaps is not None:
        yield f"does {suggestion.perhaps!r} stand for a person? Then name it as entity: rows are counted, not people"
    numbers = {suggestion.entity, suggestion.household, suggestion.weight, suggestion.perhaps}
    for role, becomes in DANGER.items():
        for column in suggestion.columns:
            if column.role == role and _is_open(column) and column.name not in numbers:
                yield f"{column.name!r} {becomes}: {column.check if role == 'insensitive' else column.reason}"
        if role == "sensitive":
            yield from _without_promise(suggestion)


def _is_open(column: ColumnSuggestion) -> bool:
    return not column.sure or (column.role == "insensitive" and column.check != "")


def _without_promise(suggestion: Suggestion) -> Iterator[str]:
    """Name the confidential columns about which nothing is promised."""
    names = [column.name for column in suggestion.columns if column.role == "sensitive" and column.promise is None]
    if not names:
        return
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    named = ", ".join(map(repr, names[:NAMED]))
    yield f"nothing is promised about what is confidential in {named}{more}: two values, or too few people differ"
