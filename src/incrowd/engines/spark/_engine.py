"""The engine of a Spark table: rows stay on the cluster; domains, census and classes come to this machine.

Only the DataFrame API is used, so all of it works over Spark Connect. No row passes through Python.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from incrowd.core import CensusRequest, DataError, Domain, EngineError, FullDomainRecoding, Packing, Recoding
from incrowd.engines._arrow import kind_of_type, of_numbers, tidy, to_numpy
from incrowd.engines._backend import Frame, frame_of, select_columns
from incrowd.engines._border import guarded
from incrowd.engines._duckdb import inner_names
from incrowd.engines._eager_frame import EagerEngine
from incrowd.engines._encoding import Coded, domain_of
from incrowd.engines._files import ending_of
from incrowd.engines._lazy_frame import FrameEngine, ReadColumn
from incrowd.engines._protocol import Engine, Replacements, report_stage
from incrowd.engines._resources import A_TEXT, DEFAULT_RESOURCES, Resources, check_values
from incrowd.engines._tally import CountedEngine
from incrowd.engines.formats._wording import Wording
from incrowd.engines.spark._backend import (
    SparkBackend,
    cut_into_chunks,
    functions_of,
    is_publishable,
    repeat_rows,
    sort_in_parts,
    tally_in_parts,
    with_stars,
)

ROWS_PER_PART = 1_000_000  # so many rows about are published together, in one task and one file
FEWER = 1_000  # up to so many combinations of values beside the labels, equal rows are counted before they are moved
TOLD = 5_000_000
"""Up to so many different rows of a release are laid out here from the census, and repeated on the cluster."""

SETS = 30  # columns that are counted in one job: Spark numbers them by bits
MOST = 1_000_000  # up to so many different rows are brought here
LOOK = 30_000  # so many rows are looked at first
VALUE = 100  # bytes that a value takes on its way here, at most, unless texts are long


@dataclass(frozen=True, slots=True, eq=False)
class HeldRows:
    """The different rows of some columns."""

    columns: Mapping[str, Coded]
    counts: Any
    dropped: int  # rows that lack a value which none may lack: they are not among these

    @classmethod
    def of(cls, table: pa.Table, names: Mapping[str, str], drop: Sequence[str]) -> HeldRows:
        """Read rows that were counted: their columns by what they are called in the table, and ``n``."""
        columns = {name: Coded.of(table[inner]) for name, inner in names.items()}
        counts = to_numpy(table["n"])
        gone = np.zeros(len(counts), dtype=bool)
        for name in drop:
            gone |= columns[name].missing
        if not gone.any():
            return cls(columns, counts, 0)
        kept = {name: column.only(~gone) for name, column in columns.items()}
        return cls(kept, counts[~gone], int(counts[gone].sum()))

    def count(self, request: CensusRequest, domains: Mapping[str, Domain]) -> tuple[list[Any], Any]:
        packing = Packing.of([request.cardinality(domains[name]) for name in request.columns])
        coded = [(request.codes(domains[name]), self.columns[name].codes) for name in request.columns]
        return packing.tally(coded, self.counts)


def _counted_values(column: Coded, counts: Any) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """Give the values of a column in canonical order, and their counts, where its rows occur so often each."""
    sums = np.bincount(column.codes, weights=counts, minlength=len(column.keys)).astype(np.int64)
    return pa.chunked_array([column.keys]), pa.chunked_array([of_numbers(sums)])


class SparkEngine(CountedEngine):
    _home: SparkBackend
    _held: HeldRows | None = None  # the different rows of what was asked for first, where they are few
    _asked = False  # whether it was tried to bring them here
    repeats = False
    """Whether most rows are known to occur several times: then different rows are moved and sorted, not all rows."""

    def __init__(
        self,
        frame: Frame,
        home: SparkBackend,
        names: Sequence[str],
        *,
        missing_values: Sequence[str] = (),
        drop: Sequence[str] = (),
        rows: int | None = None,  # about so many; counted when needed
        tally: Any = None,  # the different rows with a column ``count``, where they are known already
    ) -> None:
        super().__init__(frame, home, names, missing_values=missing_values, drop=drop)
        self.cluster = home
        self._about = rows
        self._different = tally

    @guarded
    def recode(
        self, recoding: Recoding, publish: Sequence[str], *, replace: Replacements = None, keep_order: bool = False
    ) -> Engine:
        if keep_order:
            self._home.numbered(self._source)
        self.check_published(publish)
        if not replace:
            told = self._from_census(recoding, publish)
            if told is not None:
                return told
        recoded = super().recode(recoding, publish, replace=replace)
        if isinstance(recoded, SparkEngine):
            recoded.repeats = not replace and self._is_repetitive(recoding, publish)
        return recoded

    @guarded
    def check_published(self, publish: Sequence[str]) -> None:
        """Refuse columns by which rows cannot be moved and sorted, and those that cannot be written."""
        for name, field in zip(self._inner, self._source.to_native().schema.fields, strict=True):
            if name in publish and not is_publishable(field.dataType):
                msg = f"Column {name!r} is of type {field.dataType.simpleString()}, which no release on Spark can have."
                raise DataError(msg, hint="leave it out, or turn it into text first, for example with to_json or CAST.")

    @guarded
    def sampled(self, rows: int) -> Engine:
        """Take so many rows to this machine, the same ones whatever their order; not the columns that cannot travel."""
        fields = self._source.to_native().schema.fields
        kept = [name for name, field in zip(self._inner, fields, strict=True) if is_publishable(field.dataType)]
        source = select_columns(self._source, [self._inner[name] for name in kept])
        sample = self._collect(self._home.sampled(source, rows)).rename_columns(inner_names(len(kept)))
        reading: dict[str, Any] = {"missing_values": self._missing_values, "drop": self._drop}
        tidied = tidy(sample)
        if all(kind_of_type(type_) for type_ in tidied.schema.types):
            columns = dict(zip(kept, tidied.columns, strict=True))
            return EagerEngine(columns, self._home.hand_back, resources=self.resources, **reading)
        return SparkEngine(self._home.bring(sample), self._home, kept, **reading)

    @guarded
    def write(self, path: Path, *, keep_order: bool = False, wording: Wording | None = None) -> Wording:
        if ending_of(path) != ".parquet":
            msg = f"Spark cannot write {path.name!r}: it writes Parquet."
            raise DataError(msg, hint="use format='parquet', and a name that ends in .parquet.")
        return super().write(path, keep_order=keep_order, wording=wording)

    @guarded
    def copy(self, path: Path) -> None:
        """Bring the rows to this machine, where several tables are joined, if they fit."""
        rows, most = self._rows_about(), self.resources.budget.total // (A_TEXT * len(self._inner))
        if rows > most:
            msg = f"A table of {rows:,} rows is too long to be brought here, where several tables are joined."
            raise EngineError(msg, hint="write it to Parquet and name the file: it is then read piece by piece.")
        super().copy(path)

    @guarded
    def materialise(self) -> Any:
        """Give the table as a frame that Spark keeps: what is checked is what was made, and nothing is made twice."""
        report_stage("writing")
        table = self._sorted_frame().to_native().toDF(*self._inner).persist()
        table.count()
        return table

    def _in_order(self, frame: Frame, by: Sequence[str], once: Sequence[str] = ()) -> pa.Table:
        """Sort here: on a cluster it would take two more jobs."""
        del once
        return self._collect(frame).sort_by([(name, "ascending") for name in by])

    def _values(self, names: Sequence[str]) -> Iterator[tuple[str, pa.ChunkedArray, pa.ChunkedArray]]:
        """Bring the different rows here, which tell the values too; if they are many, count the values in one job."""
        if len(names) > 1 and not self._asked:
            self._fetch_rows(names)
        if self._held is not None and set(names) <= set(self._held.columns):
            for name in names:
                yield name, *_counted_values(self._held.columns[name], self._held.counts)
        else:
            yield from self._values_alone(names)

    def _fetch_rows(self, names: Sequence[str]) -> None:
        self._asked = True
        inner = {name: self._inner[name] for name in [*names, *(name for name in self._drop if name not in names)]}
        most = min(MOST, self.resources.budget.total // 5 // (VALUE * len(inner)))
        frame = self._clean(list(inner), drop=False).to_native()
        of = functions_of(frame)
        # Among m rows drawn from c that are equally common, about m² / 2c are equal to an earlier one. Some rows at the
        # beginning are looked at, as hashes; if so many of them are equal that few may differ, all are counted. What is
        # common is met soonest, so this may err: then more come than were expected.
        seen = frame.select(of.xxhash64(*inner.values()).alias("seen")).head(LOOK)
        different = len(set(seen))
        likely = different <= most if len(seen) < LOOK else 2 * most * (len(seen) - different) >= len(seen) ** 2
        if likely:
            counted = frame.groupBy(*inner.values()).agg(of.count("*").alias("n")).limit(most + 1)
            table = self._collect(frame_of(counted))
            self._held = HeldRows.of(table, inner, self._drop) if 0 < len(table) <= most else None

    def _counts_here(self, request: CensusRequest) -> bool:
        """Say whether the rows that are here tell a census."""
        needed = request.needed_columns
        self.domains(needed)  # which may bring them
        return self._held is not None and request.count is None and set(needed) <= set(self._held.columns)

    def _count(self, request: CensusRequest) -> tuple[list[Any], Any]:
        if self._held is None or not self._counts_here(request):
            return super()._count(request)
        return self._held.count(request, self.domains(request.needed_columns))

    def _count_dropped(self, count: str | None) -> int:
        return super()._count_dropped(count) if self._held is None or count else self._held.dropped

    def _learn(self, counted: pa.Table, names: Sequence[str]) -> None:
        """Let what was counted tell the values: no job is needed for them."""
        for name in names:
            if name not in self._known:
                values, counts = _counted_values(Coded.of(counted[self._inner[name]]), to_numpy(counted["n"]))
                self._known[name] = ReadColumn(domain_of(name, values, counts), values.drop_null().combine_chunks())

    def _values_alone(self, names: Sequence[str]) -> Iterator[tuple[str, pa.ChunkedArray, pa.ChunkedArray]]:
        for start in range(0, len(names), SETS):
            some = names[start : start + SETS]
            inner = [self._inner[name] for name in some]
            most = self._most_values()
            counted = self._collect(self._value_counts(some, inner).head(most + 1))
            which = to_numpy(counted["which"])
            if len(counted) > most:
                sizes = [int((which == _grouping_number(place, len(some))).sum()) for place in range(len(some))]
                check_values(some[int(np.argmax(sizes))], len(counted), most)
            for place, name in enumerate(some):
                own = pa.array(np.flatnonzero(which == _grouping_number(place, len(some))))
                table = counted.select([inner[place], "n"]).take(own).sort_by(inner[place])
                yield name, *table.columns

    def _most_values(self) -> int:
        return self.resources.budget.values

    def _value_counts(self, names: Sequence[str], inner: Sequence[str]) -> Frame:
        frame = self._clean(names).to_native()
        of = functions_of(frame)
        sets = frame.groupingSets([[name] for name in inner], *inner)
        return frame_of(sets.agg(of.grouping_id().alias("which"), of.count("*").alias("n")))

    def _published_engine(self, frame: Frame, publish: Sequence[str], *, numbered: bool) -> FrameEngine:
        del numbered  # refused before
        return SparkEngine(frame, self._home, publish, rows=self._rows_about())

    def _from_census(self, recoding: Recoding, publish: Sequence[str]) -> SparkEngine | None:
        """Lay the release out from the last census, if that tells all of it and few rows of it differ."""
        census = self._census_for(recoding, publish)
        if census is None:
            return None
        rows, counts = self._rows_of_census(census, recoding, publish)
        if len(counts) > TOLD or len(counts) * 2 > census.records:
            return None
        inner = inner_names(len(publish))
        arrays = [column.values() for column in rows.values()]
        tally = self._home.hand_back(pa.table([*arrays, of_numbers(counts)], [*inner, "count"]))
        frame = frame_of(repeat_rows(cut_into_chunks(tally, inner), inner))
        return SparkEngine(frame, self._home, publish, rows=int(counts.sum()), tally=tally)

    def _sorted_frame(self, *, keep: bool = False) -> Frame:
        """Bring equal rows together and sort each part: how the table is cut follows from its content alone."""
        if keep:
            self._home.numbered(self._source)
        inner = list(self._inner.values())
        parts = max(1, -(-self._rows_about() // ROWS_PER_PART))
        tally = self._different
        frame = self._clean(list(self._inner)).to_native() if tally is None else tally
        if tally is None and self.repeats:
            tally = frame.groupBy(*inner).count()
        return frame_of(sort_in_parts(frame, inner, parts) if tally is None else tally_in_parts(tally, inner, parts))

    def _is_repetitive(self, recoding: Recoding, publish: Sequence[str]) -> bool:
        """Say whether rows of a class are likely to be equal: there is little beside the labels that could differ."""
        others = [self._known.get(name) for name in publish if name not in recoding.quasi]
        known = [column for column in others if column is not None]
        different = math.prod(len(column.domain) for column in known)
        return isinstance(recoding, FullDomainRecoding) and len(known) == len(others) and different <= FEWER

    def _rows_about(self) -> int:
        if self._about is None:
            known = next(iter(self._known.values()), None)
            self._about = int(known.domain.counts.sum()) if known else int(self._source.to_native().count())
        return self._about


def open_spark(
    frame: Any, missing_values: Sequence[str], drop: Sequence[str], resources: Resources = DEFAULT_RESOURCES
) -> SparkEngine:
    fields = frame.schema.fields
    inner = frame.toDF(*inner_names(len(fields)))
    columns = [
        _as_printed(inner[name], field.dataType).alias(name) for name, field in zip(inner.columns, fields, strict=True)
    ]
    home = SparkBackend(frame.sparkSession, resources)
    names = [field.name for field in fields]
    return SparkEngine(frame_of(inner.select(*columns)), home, names, missing_values=missing_values, drop=drop)


def cluster_of(engine: Engine) -> SparkBackend | None:
    """Give the cluster that a table lives on; ``None`` if it lives on none."""
    return engine.cluster if isinstance(engine, SparkEngine) else None


def check_published(engine: Engine, publish: Sequence[str]) -> None:
    """Refuse columns that a cluster cannot publish, before it does any work."""
    if isinstance(engine, SparkEngine):
        engine.check_published(publish)


def open_written(path: Path, cluster: SparkBackend, stars: Sequence[str] = ()) -> SparkEngine:
    """Open a folder by the cluster that wrote it, with the same memory; nothing is a star in some columns."""
    return open_spark(with_stars(cluster.read(path), stars), (), (), cluster.resources)


def unpersist(table: Any) -> None:
    """Let Spark drop what it keeps of a frame that only we have looked at; other tables are not ours to drop."""
    if (spark := sys.modules.get("pyspark.sql")) and isinstance(table, spark.DataFrame):
        table.unpersist()


def _as_printed(column: Any, type_: Any) -> Any:
    """Write a column so that it compares as it is printed: texts by their characters, whatever their collation."""
    plain = type_.typeName() == "void" or (type_.typeName().startswith("string") and type_.simpleString() != "string")
    return column.cast("string") if plain else column


def _grouping_number(place: int, columns: int) -> int:
    """Give the number of the rows that count one of so many columns: a bit for every column that is left out."""
    return (1 << columns) - 1 - (1 << (columns - 1 - place))
