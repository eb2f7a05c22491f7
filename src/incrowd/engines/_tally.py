"""A release laid out from counted rows, each different row once: repeated, sorted, written block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import copy_context
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from incrowd.core import Census, CensusRequest, FullDomainRecoding, LocalRecoding, Packing, Recoding, tally
from incrowd.engines._arrow import of_numbers, of_texts
from incrowd.engines._border import guarded
from incrowd.engines._eager_frame import EagerEngine
from incrowd.engines._encoding import Coded
from incrowd.engines._files import ending_of
from incrowd.engines._lazy_frame import FrameEngine
from incrowd.engines._protocol import Engine, Replacements, report_stage
from incrowd.engines._resources import DEFAULT_RESOURCES, Resources, trim_memory
from incrowd.engines.formats._output import STREAMED, write_batches
from incrowd.engines.formats._wording import Wording

_BLOCK = 500_000  # rows that are laid out together when they are written


class TalliedEngine(EagerEngine):
    """What becomes of a file of text when its rows are published: it is written in blocks, never held as a whole."""

    shows_names = False

    def __init__(
        self,
        columns: Mapping[str, Coded],
        counts: Any,
        hand_back: Callable[[pa.Table], Any],
        resources: Resources = DEFAULT_RESOURCES,
    ) -> None:
        super().__init__(columns, hand_back, resources=resources)
        self._counts = counts

    @guarded
    def write(self, path: Path, *, keep_order: bool = False, wording: Wording | None = None) -> Wording:
        if ending_of(path) not in STREAMED:
            return super().write(path, keep_order=keep_order, wording=wording)
        columns = {name: column for name, column in self._columns.items() if isinstance(column, Coded)}
        batches = _row_batches(columns, self._counts, anew=ending_of(path) == ".parquet")
        wording = write_batches(batches, path, wording, {name: column.keys for name, column in columns.items()})
        trim_memory()
        return wording

    def _all_rows(self, name: str) -> Coded:
        """Give a column with every row as often as it occurs."""
        column = super()._all_rows(name)
        return Coded(column.keys, np.repeat(column.codes, self._counts))


def _row_batches(columns: Mapping[str, Coded], counts: Any, *, anew: bool) -> pa.RecordBatchReader:
    """Lay rows out by blocks; those for Parquet number their own texts, to tell of no others: DuckDB mixes them up."""
    schema = pa.schema([(name, _type_of(column)) for name, column in columns.items()])
    here = copy_context()  # whoever pulls the blocks may do so in a thread that knows no watcher

    def blocks() -> Iterator[pa.RecordBatch]:
        ends, total = np.cumsum(counts), int(counts.sum())
        for start in range(0, total, _BLOCK):
            here.run(report_stage, "writing", start, total)
            first, last = np.searchsorted(ends, [start, start + _BLOCK - 1], side="right")
            rows = slice(first, last + 1)
            times = np.minimum(ends[rows], start + _BLOCK) - np.maximum(ends[rows] - counts[rows], start)
            found = (
                column.only(rows) if anew else Coded(column.keys, column.codes[rows]) for column in columns.values()
            )
            arrays = [_repeat_values(column, times, type_) for column, type_ in zip(found, schema.types, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)

    return pa.RecordBatchReader.from_batches(schema, blocks())


def _type_of(column: Coded) -> pa.DataType:
    """Say how a column is laid out: as numbers of texts where no text is missing."""
    if column.keys.null_count or not pa.types.is_string(column.keys.type):
        return column.keys.type
    return pa.dictionary(pa.int32(), pa.string())


def _repeat_values(column: Coded, times: Any, type_: pa.DataType) -> pa.Array:
    """Give values, each so many times."""
    codes = np.repeat(column.codes, times)
    if pa.types.is_dictionary(type_):
        return pa.DictionaryArray.from_arrays(of_numbers(codes.astype(np.int32)), column.keys)
    return column.keys.take(of_numbers(codes))


# The rows of a release, laid out from a census that tells all of them: the table is not read again.

Rows = tuple[dict[str, Coded], Any]
"""The different rows in order, by column, and how often each occurs."""


def rows_of_classes(
    recoding: LocalRecoding, classes: Any, counts: Any, values: Mapping[str, tuple[pa.Array, Any]]
) -> Rows:
    """Lay rows out as their classes; ``values``: per published column what there is, and which of it each row has."""
    kept = classes >= 0
    columns = {}
    for name, (found, codes) in values.items():
        if name in recoding.quasi and name not in recoding.unchanged:
            texts, which = recoding.distinct_labels[name]
            columns[name] = Coded.ranked(of_texts(texts.tolist()).cast(pa.string()), which[classes[kept]])
        else:
            columns[name] = Coded.ranked(found, codes[kept])
    return _sorted_rows(columns, counts[kept])


def _sorted_rows(columns: Mapping[str, Coded], counts: Any) -> Rows:
    """Bring rows into order, with those that are equal as one."""
    packing = Packing.of([len(column.keys) for column in columns.values()])
    words, sums = tally(packing.pack([column.codes for column in columns.values()]), counts)
    codes = zip(columns.items(), packing.unpack(words), strict=True)
    return {name: Coded(column.keys, own) for (name, column), own in codes}, sums


class CountedEngine(FrameEngine):
    """A lazy frame that keeps its last census of rows, because a release may follow from it."""

    _counted: Census | None = None
    _spilled = False  # whether its cells were written to a file, for others to cut them into parts

    @guarded
    def census(self, request: CensusRequest) -> Census:
        census = super().census(request)
        self._counted = census if request.entity is None and request.count is None else None
        return census

    @guarded
    def write_census(self, request: CensusRequest, path: Path) -> None:
        super().write_census(request, path)
        self._is_spilled(request)

    def _is_spilled(self, request: CensusRequest) -> None:
        self._spilled = request.entity is None and request.count is None

    def _tells(self, recoding: LocalRecoding, publish: Sequence[str]) -> bool:
        """Say whether all that is published stands in the cells of a recoding, which are those of this table.

        Whoever cuts the cells into parts has to see to it that a recoding of a part moves the cells of that part.
        """
        own = all(name in self._known and self._known[name].domain is known for name, known in recoding.domains.items())
        if not own or not {*publish} <= {*recoding.domains} or recoding.count is not None:
            return False
        if recoding.partial:
            return self._spilled
        return self._counted is not None and recoding.moves_all_of(self._counted)

    def _recoded_cells(self, recoding: LocalRecoding, publish: Sequence[str]) -> TalliedEngine:
        """Lay out the cells of a local recoding as a release."""
        self._home.check()
        return TalliedEngine(*self._rows_of_cells(recoding, publish), self._home.hand_back, self.resources)

    def _rows_of_cells(self, recoding: LocalRecoding, publish: Sequence[str]) -> Rows:
        codes = dict(zip(recoding.domains, recoding.codes, strict=True))
        values = {name: (self._own_values(name), codes[name]) for name in publish}
        return rows_of_classes(recoding, recoding.classes, recoding.counts, values)

    def _census_for(self, recoding: Recoding, publish: Sequence[str]) -> Census | None:
        """Give the last census if it has all that is published, at or below the levels, or in the very cells."""
        census = self._counted
        if census is None or set(publish) != {*census.quasi, *census.sensitive}:
            return None
        if isinstance(recoding, LocalRecoding):
            return census if not recoding.partial and self._tells(recoding, publish) else None
        tells = (
            not recoding.has_masked
            and set(census.quasi) == set(recoding.quasi)
            and all(recoding.domains[name] is census.domains[name] for name in census.quasi)
            and all(recoding.ladders[name] is census.ladders[name] for name in census.quasi)
            and all(recoding.levels[name] >= low for name, low in zip(census.quasi, census.floor, strict=True))
        )
        return census if tells else None

    def _rows_of_census(self, census: Census, recoding: Recoding, publish: Sequence[str]) -> Rows:
        """Lay out a census as a release, at its levels or by its cells."""
        if isinstance(recoding, LocalRecoding):
            return self._rows_of_cells(recoding, publish)
        census = census.rollup(recoding.levels)
        codes = dict(zip((*census.quasi, *census.sensitive), census.codes, strict=True))
        counts = census.counts.astype(np.int64)
        if recoding.has_left_out:
            stays = ~recoding.is_suppressed([codes[name] for name in recoding.quasi])
            codes, counts = {name: column[stays] for name, column in codes.items()}, counts[stays]
        columns = {name: Coded.ranked(self._published(recoding, name), codes[name]) for name in publish}
        return _sorted_rows(columns, counts)

    def _published(self, recoding: FullDomainRecoding, name: str) -> pa.Array:
        """Give what every code of a column is published as: labels, or values of the column's own type."""
        if level := recoding.levels.get(name, 0):
            return of_texts(recoding.ladders[name].labels[level].tolist()).cast(pa.string())
        return self._own_values(name)

    def _own_values(self, name: str) -> pa.Array:
        """Give the values of a column by their codes, null last."""
        column = self._known[name]
        return pa.concat_arrays([column.keys, pa.nulls(len(column.domain) - len(column.keys), column.keys.type)])


# Parquet files, whose rows are published without being read again where their census tells all of them.

MUCH_SHORTER = 2  # so many times fewer cells than rows are worth it


class ParquetEngine(CountedEngine):
    """Parquet files: what is published follows from the last census, or is recoded and sorted where the files are."""

    @guarded
    def recode(
        self, recoding: Recoding, publish: Sequence[str], *, replace: Replacements = None, keep_order: bool = False
    ) -> Engine:
        if not (replace or keep_order):
            census = self._census_for(recoding, publish)
            if census is not None and len(census) * MUCH_SHORTER <= census.records:
                self._home.check()
                rows, counts = self._rows_of_census(census, recoding, publish)
                return TalliedEngine(rows, counts, self._home.hand_back, self.resources)
        if isinstance(recoding, LocalRecoding) and not (replace or keep_order) and self._tells(recoding, publish):
            return self._recoded_cells(recoding, publish)
        return super().recode(recoding, publish, replace=replace, keep_order=keep_order)
