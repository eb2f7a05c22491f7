"""Columns that are called insensitive, and do not look like it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from incrowd.api._suggest._content import is_free_text, pattern_of
from incrowd.api._suggest._roles import FEW_RECORDS
from incrowd.core import Domain
from incrowd.engines import Engine, sample_of

LOOKED_AT = 10_000
"""So many records are looked at: what is nearly unique among them points at few people among all."""

NEARLY = 0.9


def looked_at(engine: Engine, columns: Sequence[str]) -> dict[str, Domain]:
    """Give the values of some columns in a sample of the table.

    Parameters
    ----------
    engine
        The table.
    columns
        The columns; those that cannot be grouped are left out.
    """
    if not columns:
        return {}
    sample = sample_of(engine, LOOKED_AT)
    kinds = sample.columns()
    return sample.domains([name for name in columns if kinds.get(name) is not None])


def suspicious(domains: Mapping[str, Domain]) -> list[str]:
    """Warn of columns that are published as they are and may name a person. Names and numbers only.

    Parameters
    ----------
    domains
        The values of the insensitive columns that are published, in a sample.
    """
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
