"""Which role a column probably has: by its name, and by what its values look like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from incrowd.api._profile import ColumnProfile
from incrowd.api._suggest._content import is_free_text, pattern_of
from incrowd.api._suggest._words import Topic, topic_of
from incrowd.core import Domain

SuggestedRole = Literal["identifier", "quasi", "sensitive", "insensitive", "drop"]

FEW_RECORDS = 20
"""In so small a table nearly every value occurs once, whatever it is."""


@dataclass(frozen=True, slots=True)
class RoleGuess:
    """A role, why, and whether a person should look at it before anything is published.

    Attributes
    ----------
    role
        The role.
    reason
        Why, in a few words. Holds no value of the table.
    sure
        Whether it is nearly certain.
    about
        What the column is about, if its name says so.
    """

    role: SuggestedRole
    reason: str
    sure: bool
    about: str | None = None


def guess_role(column: ColumnProfile, domain: Domain | None) -> RoleGuess:
    """Guess the role of one column; whoever knows the table decides."""
    if column.kind is None or domain is None:
        return RoleGuess("drop", "values that cannot be grouped", sure=False)
    if column.records and not len(domain.values):
        return RoleGuess("drop", "empty", sure=False)
    topic = topic_of(column.name)
    if pattern := pattern_of(domain):
        return RoleGuess("identifier", f"values look like {pattern}", sure=True)
    if is_free_text(domain):
        return RoleGuess("identifier", "free text, can name anybody", sure=topic is None or topic.role == "identifier")
    return _by_values(column, domain) if topic is None else _by_name(column, topic)


def _by_name(column: ColumnProfile, topic: Topic) -> RoleGuess:
    sure = topic.sure
    reason = f"name suggests {topic.about}"
    if topic.role == "identifier" and column.records >= FEW_RECORDS and column.share_alone < 0.5:
        sure = False  # the same name or number many times: perhaps a person with several rows, perhaps a ward
        reason += ", values repeat"
    elif topic.role == "quasi" and column.kind == "text" and _nearly_unique(column):
        sure = False
        reason += ", nearly every value occurs once"
    elif topic.role == "sensitive" and column.distinct < 2:
        sure = False
        reason += f", {_values(column)}"
    return RoleGuess(topic.role, reason, sure, topic.about)


def _by_values(column: ColumnProfile, domain: Domain) -> RoleGuess:
    """Guess by the values alone: never certain, and in doubt a column helps to recognise somebody."""
    if _is_running_number(column, domain):
        return RoleGuess("identifier", "a running number", sure=False)
    if column.kind == "text" and _nearly_unique(column):
        return RoleGuess("identifier", "nearly every value occurs once", sure=False)
    return RoleGuess("quasi", f"{column.kind}, {_values(column)}", sure=False)


def _values(column: ColumnProfile) -> str:
    return f"{column.distinct:,} value{'' if column.distinct == 1 else 's'}"


def _nearly_unique(column: ColumnProfile) -> bool:
    return column.records >= FEW_RECORDS and column.share_alone >= 0.9


def _is_running_number(column: ColumnProfile, domain: Domain) -> bool:
    """Whether whole numbers follow each other without a gap, each once."""
    values = domain.values
    if domain.kind != "number" or values.dtype.kind != "i" or not _nearly_unique(column):
        return False
    return int(values[-1]) - int(values[0]) + 1 == len(values)
