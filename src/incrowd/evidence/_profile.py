"""``profile``: the values of every column of a table, how many are alone or missing, before any role is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Unpack

import numpy as np

from incrowd.core import Domain, FrozenMapping, Grid, Kind
from incrowd.engines import Engine, open_table
from incrowd.release import Reading


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """One column, in numbers.

    Attributes
    ----------
    name
        Its name.
    kind
        What its values are; ``None`` if they cannot be grouped, such as lists. Nothing else is then known.
    records, missing
        How many records there are, and in how many of them the column is missing.
    distinct
        How many different values it has, missing ones aside.
    alone
        How many records have a value that no other record has.
    """

    name: str
    kind: Kind | None
    records: int
    missing: int = 0
    distinct: int = 0
    alone: int = 0

    @property
    def share_alone(self) -> Fraction:
        """The share of the records with a value whose value nobody else has."""
        return Fraction(self.alone, max(self.records - self.missing, 1))

    @property
    def share_missing(self) -> Fraction:
        """The share of the records in which it is missing."""
        return Fraction(self.missing, max(self.records, 1))


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """The columns of a table, in numbers.

    Attributes
    ----------
    records
        How many records the table has.
    columns
        The columns in their order.
    domains
        The values of every column that can be grouped. As confidential as the table.

    Notes
    -----
    Printed it is a table with one line per column, also in a notebook. It shows no value of the table.
    """

    records: int
    columns: tuple[ColumnProfile, ...]
    domains: Mapping[str, Domain] = field(repr=False)

    _by_name: Mapping[str, ColumnProfile] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_name", {column.name: column for column in self.columns})

    def __getitem__(self, name: str) -> ColumnProfile:
        return self._by_name[name]

    def __str__(self) -> str:
        return "\n".join(self._grid().lines())

    def _repr_html_(self) -> str:
        return self._grid().html()

    def __repr__(self) -> str:
        return f"Profile({self.records:,} records, {len(self.columns):,} columns)"

    def _grid(self) -> Grid:
        """Give a row per column; of one that cannot be grouped nothing is known."""
        rows = [
            (
                one.name,
                one.kind or "not grouped",
                *((one.missing, one.distinct, one.alone) if one.kind else (None,) * 3),
            )
            for one in self.columns
        ]
        return Grid(("column", "kind", "missing", "values", "occur once"), rows, (30,))


def profile(table: Any, *, missing_values: Sequence[str] = ("",), **reading: Unpack[Reading]) -> Profile:
    """Count for every column its values, those that occur once, and those that are missing.

    Parameters
    ----------
    table
        A pandas, Polars or PyArrow table, a DuckDB relation, a list of dicts, or a path to a CSV or Parquet file. It is
        never changed.
    missing_values
        Texts that count as missing, besides null and NaN.
    reading
        How to read a file, as in ``census``.

    Notes
    -----
    A value that occurs once points at one person for whoever knows it. Columns that look harmless one by one can still
    single people out together: ``suggest`` measures that too.

    Examples
    --------
    >>> import incrowd as ic
    >>> found = ic.profile([{"age": 31, "sex": "f"}, {"age": 52, "sex": "f"}, {"age": None, "sex": "m"}])
    >>> found["age"]
    ColumnProfile(name='age', kind='number', records=3, missing=1, distinct=2, alone=2)
    """
    return profile_of(open_table(table, missing_values=missing_values, **reading))


def profile_of(engine: Engine) -> Profile:
    """Ask an engine for all columns that can be grouped, at once."""
    kinds = engine.columns()
    domains = engine.domains([name for name, kind in kinds.items() if kind is not None])
    records = max((int(domain.counts.sum()) for domain in domains.values()), default=0)
    columns = [
        column_of(domains[name], records) if name in domains else ColumnProfile(name, None, records) for name in kinds
    ]
    return Profile(records, tuple(columns), FrozenMapping(domains))


def column_of(domain: Domain, records: int) -> ColumnProfile:
    """Give a column in numbers."""
    counts = domain.counts[: len(domain.values)]
    missing = int(domain.counts[-1]) if domain.has_null else 0
    alone = int(np.count_nonzero(counts == 1))
    return ColumnProfile(domain.column, domain.kind, records, missing, len(counts), alone)
