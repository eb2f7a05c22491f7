"""Columns that are called insensitive, and do not look like it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.core import Domain, Schema
from incrowd.engines import Engine, sample_of
from incrowd.hierarchies import FEW_RECORDS, is_free_text, pattern_of

LOOKED_AT = 10_000
"""So many records are looked at: what is nearly unique among them points at few people among all."""

NEARLY = 0.9


def looked_at(engine: Engine, columns: Sequence[str]) -> dict[str, Domain]:
    """Give the values of some columns in a sample of the table."""
    if not columns:
        return {}
    sample = sample_of(engine, LOOKED_AT)
    kinds = sample.columns()
    return sample.domains([name for name in columns if kinds.get(name) is not None])


def suspicious(domains: Mapping[str, Domain]) -> list[str]:
    """Warn of columns that are published as they are and may name a person. Names and numbers only."""
    reasons = {name: _reason(domain) for name, domain in domains.items()}
    return [f"Column {name!r} is published as it is, and {why}." for name, why in reasons.items() if why is not None]


def _reason(domain: Domain) -> str | None:
    if pattern := pattern_of(domain):
        return f"its values look like {pattern}"
    if is_free_text(domain):
        return "it holds free text, which can name anybody"
    counts = domain.counts[: len(domain.values)]
    records = int(counts.sum())
    if records >= FEW_RECORDS and np.count_nonzero(counts == 1) >= NEARLY * records:
        return f"nearly every value occurs once among {records:,} records"
    return None


# Identifiers that repeat where nobody said whose row is whose: groups may then hold fewer people than rows.

PEOPLE, ROWS_OF_ONE = 20, 10
"""Fewer values than that name people only if each stands in few rows: else they are towns or wards."""
FEWER = 10 / 9
"""Rows per person from which on something is said: a number that is written twice by mistake is not meant."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a sample shows of an identifier: its rows, their different values, and the pairs of rows that share one."""

    rows: int
    values: int
    pairs: int

    @classmethod
    def of(cls, domain: Domain) -> Seen:
        """Count a column without missing values."""
        counts = domain.counts[: len(domain.values)].astype("int64")
        return cls(int(counts.sum()), len(counts), int((counts * (counts - 1)).sum()) // 2)


def people_named(schema: Schema, looked_at: Mapping[str, Domain]) -> dict[str, Seen]:
    """Count the identifiers that repeat in a sample, where every row counts as another person."""
    names = [name for name in could_name_people(schema) if name in looked_at and _repeats(looked_at[name])]
    return {name: Seen.of(looked_at[name]) for name in names}


def could_name_people(schema: Schema) -> tuple[str, ...]:
    """Name the columns that could say whose row it is, if none is said to."""
    return () if schema.entity is not None or schema.count is not None else schema.identifiers


def repeating(named: Mapping[str, Seen], rows: int) -> dict[str, str]:
    """Say how many people identifiers name, where these are clearly fewer than rows.

    Of a sample that is a part of the table the number is estimated: of the other rows of a person, as many are in the
    sample as the sample is of the table.
    """
    found = {}
    for name, seen in named.items():
        whole = seen.rows >= rows
        each = seen.rows / seen.values if whole else 1 + 2 * seen.pairs * rows / seen.rows**2
        if each >= FEWER and (seen.values >= PEOPLE or each <= ROWS_OF_ONE):
            found[name] = f"{seen.values:,}" if whole else f"about {float(f'{rows / each:.2g}'):,.0f}"
    return found


def note_on(name: str, people: str, rows: int) -> str:
    """Say what it means that an identifier repeats."""
    return (
        f"Groups may hold fewer people than rows: column {name!r} has {people} values in {rows:,} rows, and rows "
        f"were counted. If it says whose row it is, call it the entity: then people are counted."
    )


def _repeats(domain: Domain) -> bool:
    """Whether values are numbers or codes with digits, and some stand in several rows: two people may have one name."""
    texts = domain.texts[: len(domain.values)].tolist()
    if domain.has_null or len(texts) < 2 or not all(any(map(str.isdigit, text)) for text in texts):
        return False
    return bool((domain.counts[: len(texts)] > 1).any())
