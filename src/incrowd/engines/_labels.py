"""The classes of a published table: its labels grouped as they stand, with no help from census, ladders or kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.core import Cells, Classes, Domain, Grouping, smallest_unsigned
from incrowd.engines._arrow import domain_of
from incrowd.engines._columns import of_numbers, to_numpy
from incrowd.engines._encoding import Coding


@dataclass(frozen=True, slots=True)
class Labelled:
    """A published table, grouped by all of these columns and sorted, with a count per row.

    Attributes
    ----------
    table
        The groups; its column ``n`` counts.
    quasi
        What the columns with labels are called in the table.
    sensitive
        The sensitive columns, each with its coding.
    domains
        What the codes of the sensitive columns stand for.
    entity
        What the column is called that says whose row it is.
    """

    table: pa.Table
    quasi: Sequence[str]
    sensitive: Mapping[str, Coding]
    domains: Mapping[str, Domain]
    entity: str | None


def label_classes(labelled: Labelled) -> Classes:
    """Read the classes off a sorted table."""
    table = labelled.table
    starts = _class_starts(table.select(list(labelled.quasi)))
    first = np.flatnonzero(starts)
    members = (np.cumsum(starts) - 1).astype(smallest_unsigned(len(first)))
    cells = Cells(
        sensitive={name: _codes(table[coding.column], coding) for name, coding in labelled.sensitive.items()},
        domains=labelled.domains,
        person=None if labelled.entity is None else _numbered(table[labelled.entity])[0],
        counts=to_numpy(table["n"]),
    )
    columns = [_numbered(table[name].take(of_numbers(first))) for name in labelled.quasi]
    codes = tuple(column[0] for column in columns)
    return Classes.of(Grouping(members, first), codes, cells, tuple(column[1] for column in columns))


def _class_starts(labels: pa.Table) -> Any:
    """Mark the rows at which some label differs from the row before; null is a label like any other."""
    rows = labels.num_rows
    starts = np.zeros(rows, dtype=bool)
    starts[:1] = True
    for column in labels.columns if rows > 1 else ():
        low, high = column.slice(0, rows - 1), column.slice(1)
        differs = pc.fill_null(pc.not_equal(low, high), fill_value=False)
        appears = pc.xor(pc.is_null(low), pc.is_null(high))
        starts[1:] |= to_numpy(pc.or_(differs, appears).cast(pa.uint8())).astype(bool)
    return starts


def _codes(column: pa.ChunkedArray, coding: Coding) -> Any:
    """Look sensitive values up; the coding knows them all, because it is the table's own."""
    found = pc.index_in(column, value_set=coding.keys)
    places = to_numpy(pc.fill_null(found, len(coding.keys)))
    return coding.codes[places].astype(smallest_unsigned(coding.cardinality))


def _numbered(column: pa.ChunkedArray) -> tuple[Any, Any]:
    """Give the code of every value in the order of the values, null last, and the texts of the codes."""
    encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    order = pc.sort_indices(encoded.dictionary)  # null last
    values = encoded.dictionary.take(order)
    texts = domain_of(
        "", pa.chunked_array([values]), pa.chunked_array([of_numbers(np.ones(len(values), np.int64))])
    ).texts
    rank = np.empty(len(order), dtype=np.uint32)
    rank[to_numpy(order)] = np.arange(len(order))
    return rank[to_numpy(encoded.indices)], texts
