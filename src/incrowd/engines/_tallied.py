"""A table that is sorted already: every different row once, and how often it occurs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextvars import copy_context
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from incrowd.engines._border import guarded
from incrowd.engines._coded import Coded
from incrowd.engines._columns import of_numbers
from incrowd.engines._eager import EagerEngine
from incrowd.engines._files import by_duckdb, check_suffix, ending_of, write_batches
from incrowd.engines._stage import begin
from incrowd.engines._wording import Wording

_BLOCK = 500_000
"""Rows that are laid out together when they are written."""


class TalliedEngine(EagerEngine):
    """What becomes of a file of text when its rows are published: it is written in blocks, never held as a whole.

    Parameters
    ----------
    columns
        The columns of the different rows, which ascend.
    counts
        How often each of them occurs.
    hand_back
        Turns a result into the kind of frame that came in.
    """

    shows_names = False

    def __init__(self, columns: Mapping[str, Coded], counts: Any, hand_back: Callable[[pa.Table], Any]) -> None:
        super().__init__(columns, hand_back)
        self._counts = counts

    @guarded
    def write(self, path: Path, *, keep_order: bool = False, wording: Wording | None = None) -> Wording:
        if not by_duckdb(path):
            return super().write(path, keep_order=keep_order, wording=wording)
        check_suffix(path)
        columns = {name: column for name, column in self._columns.items() if isinstance(column, Coded)}
        batches = _batches(columns, self._counts, anew=ending_of(path) == ".parquet")
        return write_batches(batches, path, wording, {name: column.keys for name, column in columns.items()})

    def _whole(self, name: str) -> Coded:
        """Give a column with every row as often as it occurs."""
        column = super()._whole(name)
        return Coded(column.keys, np.repeat(column.codes, self._counts))


def _batches(columns: Mapping[str, Coded], counts: Any, *, anew: bool) -> pa.RecordBatchReader:
    """Lay the rows out, a block at a time.

    Parameters
    ----------
    columns, counts
        The different rows, and how often each of them occurs.
    anew
        Whether every block numbers its own texts, so that it tells of no others. DuckDB would mix them up.
    """
    schema = pa.schema([(name, _type_of(column)) for name, column in columns.items()])
    here = copy_context()  # whoever pulls the blocks may do so in a thread that knows no watcher

    def blocks() -> Iterator[pa.RecordBatch]:
        ends, total = np.cumsum(counts), int(counts.sum())
        for start in range(0, total, _BLOCK):
            here.run(begin, "writing", start, total)
            first, last = np.searchsorted(ends, [start, start + _BLOCK - 1], side="right")
            rows = slice(first, last + 1)
            times = np.minimum(ends[rows], start + _BLOCK) - np.maximum(ends[rows] - counts[rows], start)
            found = (
                column.only(rows) if anew else Coded(column.keys, column.codes[rows]) for column in columns.values()
            )
            arrays = [_repeated(column, times, type_) for column, type_ in zip(found, schema.types, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)

    return pa.RecordBatchReader.from_batches(schema, blocks())


def _type_of(column: Coded) -> pa.DataType:
    """Say how a column is laid out: as numbers of texts where no text is missing."""
    if column.keys.null_count or not pa.types.is_string(column.keys.type):
        return column.keys.type
    return pa.dictionary(pa.int32(), pa.string())


def _repeated(column: Coded, times: Any, type_: pa.DataType) -> pa.Array:
    """Give values, each so many times."""
    codes = np.repeat(column.codes, times)
    if pa.types.is_dictionary(type_):
        return pa.DictionaryArray.from_arrays(of_numbers(codes.astype(np.int32)), column.keys)
    return column.keys.take(of_numbers(codes))
