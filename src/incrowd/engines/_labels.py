"""The classes of a published table: its labels grouped as they stand, with no help from census, ladders or kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.core import Cells, Classes, Domain, Grouping, smallest_unsigned
from incrowd.engines._coded import Coded
from incrowd.engines._columns import to_numpy, without_nulls
from incrowd.engines._encoding import Coding


@dataclass(frozen=True, slots=True)
class Labelled:
    """A published table, grouped by all of these columns and sorted, with a count per row.

    Attributes
    ----------
    quasi
        Per column with labels the number of each row's label, and the texts of the labels.
    sensitive
        Per sensitive column the code of each row.
    domains
        What the codes of the sensitive columns stand for.
    person
        Whose row it is, as a number.
    counts
        How often each row occurs.
    """

    quasi: Sequence[tuple[Any, Any]]
    sensitive: Mapping[str, Any]
    domains: Mapping[str, Domain]
    person: Any | None
    counts: Any


def read_labels(
    table: pa.Table,
    quasi: Sequence[str],
    sensitive: Mapping[str, Coding],
    domains: Mapping[str, Domain],
    entity: str | None,
) -> Labelled:
    """Read what an engine grouped: a sorted table with a column ``n`` that counts, columns by their inner names."""
    labels = [Coded.of(table[name]) for name in quasi]
    return Labelled(
        quasi=[(column.codes, column.domain("").texts) for column in labels],
        sensitive={name: _codes(table[coding.column], coding) for name, coding in sensitive.items()},
        domains=domains,
        person=None if entity is None else Coded.of(table[entity]).codes,
        counts=to_numpy(table["n"]),
    )


def label_classes(labelled: Labelled) -> Classes:
    """Read the classes off a sorted table."""
    starts = changes([codes for codes, _ in labelled.quasi])
    first = np.flatnonzero(starts)
    members = (np.cumsum(starts) - 1).astype(smallest_unsigned(len(first)))
    sensitive = {
        name: codes.astype(smallest_unsigned(len(labelled.domains[name]))) for name, codes in labelled.sensitive.items()
    }
    cells = Cells(sensitive, labelled.domains, labelled.person, labelled.counts)
    codes = tuple(codes[first] for codes, _ in labelled.quasi)
    return Classes.of(Grouping(members, first), codes, cells, tuple(texts for _, texts in labelled.quasi))


def changes(columns: Sequence[Any]) -> Any:
    """Mark the rows at which some column differs from the row before."""
    starts = np.zeros(len(columns[0]), dtype=bool)
    starts[:1] = True
    for column in columns:
        starts[1:] |= column[1:] != column[:-1]
    return starts


def _codes(column: pa.ChunkedArray, coding: Coding) -> Any:
    """Look sensitive values up; the coding knows them all, because it is the table's own."""
    found = pc.index_in(column, value_set=coding.keys)
    return coding.codes[without_nulls(found, len(coding.keys))]
