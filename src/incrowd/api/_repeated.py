"""Identifiers that repeat where nobody said whose row is whose: groups may then hold fewer people than rows."""

from __future__ import annotations

from collections.abc import Mapping

from incrowd.api._profile import column_of
from incrowd.api._suggest._persons import names_somebody
from incrowd.api._suggest._roles import clues_of, guess_role
from incrowd.core import CensusRequest, Domain, Schema
from incrowd.engines import Engine

MOST = 4
"""So many identifiers are counted at most."""


def people_named(engine: Engine, schema: Schema, looked_at: Mapping[str, Domain]) -> dict[str, int]:
    """Count the different values of identifiers that repeat, where every row counts as another person.

    Parameters
    ----------
    engine, schema
        The table and the roles of its columns.
    looked_at
        The values of some columns in a sample of it: only what repeats there is counted.
    """
    names = [name for name in could_name_people(schema) if name in looked_at and _repeats(looked_at[name])]
    return {name: engine.census_size(CensusRequest((name,))) for name in names[:MOST]}


def could_name_people(schema: Schema) -> tuple[str, ...]:
    """Name the columns that could say whose row it is, if none is said to."""
    return () if schema.entity is not None or schema.count is not None else schema.identifiers


def repeating(named: Mapping[str, int], rows: int) -> dict[str, int]:
    """Keep those that name clearly fewer people than there are rows: two people of one name are not meant.

    Parameters
    ----------
    named
        How many different values each identifier has.
    rows
        How many rows the table has.
    """
    return {name: people for name, people in named.items() if people > 1 and 10 * people <= 9 * rows}


def note_on(name: str, people: int, rows: int) -> str:
    """Say what it means that an identifier repeats."""
    return (
        f"Groups may hold fewer people than rows: column {name!r} has {people:,} values in {rows:,} rows, and rows "
        f"were counted. If it says whose row it is, call it the entity: then people are counted."
    )


def _repeats(domain: Domain) -> bool:
    """Whether values are numbers of people and stand in several rows; two people may have one name, and sex is none."""
    if domain.has_null or not (domain.counts[: len(domain.values)] > 1).any():
        return False
    return names_somebody(guess_role(clues_of(column_of(domain, int(domain.counts.sum())), domain), frozenset()))
