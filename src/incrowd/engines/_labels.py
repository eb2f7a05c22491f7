"""The classes of a published table: its labels grouped as texts, with no help from census, ladders or kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.core import Cells, Classes, Grouping, UncoveredValuesError, smallest_unsigned
from incrowd.engines._columns import of_numbers, to_numpy
from incrowd.engines._encoding import Coding, free_prefix
from incrowd.engines._home import Frame


def label_classes(frame: Frame, quasi: Sequence[str], sensitive: Mapping[str, Coding], entity: str | None) -> Classes:
    """Group a frame by its labels, then read the classes off the sorted result."""
    others = [*sensitive, *([entity] if entity else [])]
    keys = [*quasi, *others]
    count = free_prefix(keys)
    texts = frame.with_columns(*(nw.col(name).cast(nw.String).alias(name) for name in quasi))
    counted = texts.group_by(keys).agg(nw.len().alias(count)).sort(keys, nulls_last=True)
    table = counted.collect(backend="pyarrow").to_native()
    starts = _class_starts(table.select(list(quasi)))
    first = np.flatnonzero(starts)
    members = (np.cumsum(starts) - 1).astype(smallest_unsigned(len(first)))
    cells = Cells(
        sensitive={name: _codes(table[name], coding) for name, coding in sensitive.items()},
        cardinalities={name: coding.cardinality for name, coding in sensitive.items()},
        person=None if entity is None else _dictionary(table[entity])[0],
        counts=to_numpy(table[count]),
    )
    columns = [_dictionary(table[name].take(of_numbers(first))) for name in quasi]
    codes = tuple(column[0] for column in columns)
    return Classes.of(Grouping(members, first), codes, cells, tuple(column[1] for column in columns))


def _class_starts(labels: pa.Table) -> Any:
    """Mark the rows at which some label differs from the row before; null is a label like any other."""
    rows = labels.num_rows
    starts = np.zeros(rows, dtype=bool)
    starts[:1] = True
    for column in labels.columns:
        low, high = column.slice(0, max(rows - 1, 0)), column.slice(1)
        differs = pc.fill_null(pc.not_equal(low, high), fill_value=False)
        appears = pc.xor(pc.is_null(low), pc.is_null(high))
        starts[1:] |= pc.or_(differs, appears).to_numpy(zero_copy_only=False) if rows > 1 else False
    return starts


def _codes(column: pa.ChunkedArray, coding: Coding) -> Any:
    column = column.cast(coding.keys.type)
    found = pc.index_in(column, value_set=coding.keys)
    null_known = coding.cardinality > len(coding.keys)
    unknown = pc.and_(pc.is_null(found), pc.is_valid(column)) if null_known else pc.is_null(found)
    if new := column.filter(unknown).unique().to_pylist():
        msg = f"Column {coding.column!r} has {len(new)} values that are not known."
        raise UncoveredValuesError(msg, column=coding.column, values=new)
    return to_numpy(pc.fill_null(found, len(coding.keys))).astype(smallest_unsigned(coding.cardinality))


def _dictionary(column: pa.ChunkedArray) -> tuple[Any, Any]:
    """Renumber the distinct values of a column; null is one of them."""
    encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    values = np.empty(len(encoded.dictionary), dtype=object)
    values[:] = encoded.dictionary.to_pylist()
    return to_numpy(encoded.indices).astype(np.uint32), values
