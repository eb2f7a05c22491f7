"""The engine of a text file: encoded while DuckDB parses it, read once, its rows kept as small numbers.

DuckDB parses, Arrow finds the distinct texts of each batch, and only those pass through Python. What is kept of a row
are small numbers. Encoding texts by joins inside DuckDB took half as long again (``benchmarks/census.py``), so that is
done only where too many rows differ to be kept: then the file is copied once, to columns on the disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import duckdb
import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.core import (
    CensusRequest,
    Classes,
    Domain,
    FullDomainRecoding,
    LocalRecoding,
    Packing,
    Recoding,
    tally,
)
from incrowd.engines._arrow import nulls_in, of_texts, to_numpy, without_nulls
from incrowd.engines._backend import DuckBackend, Frame, frame_of
from incrowd.engines._border import guarded
from incrowd.engines._cell_files import CellFile, write_cells
from incrowd.engines._duckdb import reader_of
from incrowd.engines._encoding import Coded, Coding
from incrowd.engines._protocol import Engine, Replacements, report_stage
from incrowd.engines._recoding import check_records, classes_of_whole_cells, label_classes
from incrowd.engines._resources import Budget, trim_memory
from incrowd.engines._tally import CountedEngine, TalliedEngine, rows_of_classes
from incrowd.engines._text_columns import LONG, TextRows, TooManyRowsError, column_of
from incrowd.engines.formats._notation import Notation, Written, plain_relation
from incrowd.engines.formats._records import RecordCount
from incrowd.engines.formats._wording import Dialect

_BATCH = 1_000_000  # rows that are looked at together at most: the more, the fewer texts are seen again
PLAIN = Dialect()


class TextEngine(CountedEngine):
    """A text file. Census and domains are read off its codes; all else is done where the frame lives.

    Texts are made plain when they are needed: all columns at once by their different texts, while the file is read, or
    else by a look at all of it before.
    """

    shows_names = False
    records: RecordCount | None = None  # what counts them by the bytes of the files, which are yet to be read
    _number = nw.String
    _home: DuckBackend
    _notation: Notation | None = None  # how the texts of the frame are written, unless they are plain

    def __init__(
        self,
        frame: Frame,
        home: DuckBackend,
        names: Sequence[str],
        *,
        dialect: Dialect = PLAIN,
        rows: int | None = None,  # about so many
        missing_values: Sequence[str],
        drop: Sequence[str],
    ) -> None:
        told = [text for text in missing_values if text]  # an empty text in a file is null already
        super().__init__(frame, home, names, missing_values=told, drop=drop)
        self.dialect, self._about = dialect, rows
        notation = Notation(dialect.decimal, dialect.thousands, dialect.dates)
        self._notation = None if notation.is_plain else notation
        self._rewritten: Mapping[str, Written] | None = None if self._notation else {}
        self._unused = notation.unusual
        self._read: TextRows | None = None
        self._staged = False

    @property
    @guarded
    def rewritten(self) -> Mapping[str, Written]:
        """The columns whose texts were made plain, as numbers or as days."""
        if self._rewritten is None:
            self._make_plain()
        return self._rewritten or {}

    @property
    def unused(self) -> tuple[str, ...]:  # type: ignore[override]
        """What was said about how the file is written, and is nowhere in it."""
        if self._rewritten is None:
            self._make_plain()
        return self._unused

    @property
    def _source(self) -> Frame:
        """The rows, in plain texts."""
        if self._notation is not None:
            self._make_plain()
        return self._frame

    @_source.setter
    def _source(self, frame: Frame) -> None:
        self._frame = frame

    @guarded
    def domains(self, names: Sequence[str]) -> dict[str, Domain]:
        self._check(names)
        new = [name for name in names if name not in self._known]
        if new and (rows := self._rows_in_memory(names)) is not None:
            self._known |= dict(zip(new, rows.columns(new, self._kept_rows(rows)), strict=True))
        return super().domains(names)

    @guarded
    def first_differ(self, one: str, other: str) -> bool:
        rows = None if self._drop else self._rows_in_memory([one, other])
        if rows is None:
            return False
        codes = [rows.codes(name)[:LONG] for name in (one, other)]
        pairs = tally(Packing.of([len(rows.texts(name)) for name in (one, other)]).pack(codes))[1]
        return len(pairs) > len(np.unique(codes[0]))

    @guarded
    def classes(
        self, quasi: Sequence[str], sensitive: Mapping[str, Domain], entity: str | None = None, count: str | None = None
    ) -> Classes:
        names = [*filter(None, (*quasi, *sensitive, entity))]
        needed = [*dict.fromkeys([*names, *filter(None, [count])])]
        self._check(needed)
        rows = None if self._drop else self._rows_in_memory(needed)
        if rows is None or not len(rows.weights):
            return super().classes(quasi, sensitive, entity, count)
        report_stage("checking")
        coded = {name: Coded.ranked(rows.texts(name), np.arange(len(rows.texts(name)))) for name in names}
        packing = Packing.of([len(column.keys) for column in coded.values()])
        codes = {name: column.codes for name, column in coded.items()}
        words, counts = rows.tally(packing, codes, slice(None), self._row_weights(rows, count))
        found = dict(zip(names, packing.unpack(words), strict=True))
        trim_memory()
        return label_classes(
            quasi=[(found[name], coded[name].domain("").texts) for name in quasi],
            sensitive={
                name: self._coding(name, domain).look_up_keys(coded[name].keys)[found[name]]
                for name, domain in sensitive.items()
            },
            domains=sensitive,
            person=found[entity] if entity else None,
            counts=counts,
        )

    @guarded
    def cells_hold(self, asked: Mapping[str, Callable[[str], str]]) -> bool:
        """Say whether the cells of some columns are as they should be."""
        questions = ", ".join(ask(self._inner[name]) for name, ask in asked.items())
        return not asked or all(self._source.to_native().aggregate(questions).fetchall()[0])

    @guarded
    def write_census(self, request: CensusRequest, path: Path) -> None:
        if not self._counts_here(request):
            super().write_census(request, path)
            return
        domains = self.domains(request.needed_columns)
        request.check(domains)
        packing = Packing.of([request.cardinality(domains[name]) for name in request.columns])
        write_cells(CellFile(path, packing), *self._count(request))
        self._is_spilled(request)

    @guarded
    def recode(
        self, recoding: Recoding, publish: Sequence[str], *, replace: Replacements = None, keep_order: bool = False
    ) -> Engine:
        if isinstance(recoding, LocalRecoding) and not (replace or keep_order) and self._tells(recoding, publish):
            return self._recoded_cells(recoding, publish)
        known = self._read is not None and {*publish, *self._drop} <= set(self._read.names)
        if known and set(recoding.quasi) <= set(publish) and not replace and not keep_order:
            if isinstance(recoding, FullDomainRecoding) and not recoding.has_masked:
                return self._recoded_tally(recoding, publish)
            if isinstance(recoding, LocalRecoding) and set(recoding.domains) <= set(publish) and recoding.is_whole:
                return self._tally_of_classes(recoding, publish)
        return super().recode(recoding, publish, replace=replace, keep_order=keep_order)

    def _on_frame(self, frame: Frame, names: Sequence[str] | None = None) -> Self:
        made = super()._on_frame(frame, names)
        made.dialect, made._rewritten, made._unused = self.dialect, self.rewritten, self._unused  # noqa: SLF001 - one of us
        return made

    def _make_plain(self) -> None:
        """Look at all of the file, and make its columns plain in which every text allows it."""
        report_stage("reading")
        notation = self._notation or Notation()
        relation, found, self._unused = plain_relation(self._frame.to_native(), notation, self._missing_values)
        names = {inner: name for name, inner in self._inner.items()}
        self._rewritten = {names[inner]: kind for inner, kind in found.items()}
        self._frame, self._notation = frame_of(relation), None

    def _recoded_tally(self, recoding: FullDomainRecoding, publish: Sequence[str]) -> TalliedEngine:
        """Publish what is known of the rows already: the file is not read again, and nothing but numbers is sorted."""
        rows, domains = self._rows_of(publish), self.domains(publish)
        codes_of = {name: domains[name].codes_within(domain) for name, domain in recoding.domains.items()}
        groups = {name: recoding.ladders[name].groups[level][codes_of[name]] for name, level in recoding.levels.items()}
        labels = {name: _published_texts(recoding, groups, domains[name], name) for name in publish}
        packing = Packing.of([len(column.keys) for column in labels.values()])
        by_text = {name: self._by_text(column.codes, rows, name) for name, column in labels.items()}
        words, counts = rows.tally(packing, by_text, self._kept_rows(rows))
        codes = dict(zip(publish, packing.unpack(words), strict=True))
        if recoding.has_left_out:
            shown = [_groups_by_text(groups[name], labels[name])[codes[name]] for name in recoding.quasi]
            stays = ~recoding.is_suppressed(shown)
            codes, counts = {name: column[stays] for name, column in codes.items()}, counts[stays]
        columns = {name: Coded.ranked(labels[name].keys, column) for name, column in codes.items()}
        return TalliedEngine(columns, counts, self._home.hand_back, self.resources)

    def _tally_of_classes(self, recoding: LocalRecoding, publish: Sequence[str]) -> TalliedEngine:
        """Publish rows as the classes of their cells, without reading the file again."""
        counted = recoding.count or recoding.quasi[0]
        check_records(recoding, self.domains([counted])[counted])
        rows, domains = self._rows_of(publish), self.domains(publish)
        packing = Packing.of([len(domain) for domain in domains.values()])
        by_text = {name: self._by_text(np.arange(len(domain)), rows, name) for name, domain in domains.items()}
        words, counts = rows.tally(packing, by_text, self._kept_rows(rows))
        codes = dict(zip(publish, packing.unpack(words), strict=True))
        within = {name: domains[name].codes_within(domain)[codes[name]] for name, domain in recoding.domains.items()}
        values = {
            name: (of_texts(domain.texts.tolist()).cast(pa.string()), codes[name]) for name, domain in domains.items()
        }
        told = rows_of_classes(recoding, classes_of_whole_cells(recoding, within), counts, values)
        return TalliedEngine(*told, self._home.hand_back, self.resources)

    def _own_values(self, name: str) -> pa.Array:
        return super()._own_values(name).cast(pa.string())

    def _counts_here(self, request: CensusRequest) -> bool:
        return self._rows_in_memory(request.needed_columns) is not None

    def _count(self, request: CensusRequest) -> tuple[list[Any], Any]:
        rows = self._rows_in_memory(request.needed_columns)
        if rows is None:
            return super()._count(request)
        domains = self.domains(request.needed_columns)
        packing = Packing.of([request.cardinality(domains[name]) for name in request.columns])
        by_text = {name: self._by_text(request.codes(domains[name]), rows, name) for name in request.columns}
        return rows.tally(packing, by_text, self._kept_rows(rows), self._row_weights(rows, request.count))

    def _count_dropped(self, count: str | None) -> int:
        if not self._drop:
            return 0
        rows = self._rows_in_memory([*filter(None, (*self._drop, count))])
        if rows is None:
            return super()._count_dropped(count)
        return int((rows.weights * self._row_weights(rows, count))[~self._kept_rows(rows)].sum(dtype=np.int64))

    def _ranks(self, names: Sequence[str]) -> list[Coding | str]:
        """Say how rows are ranked by their published columns: by what their texts mean, as in any other table."""
        self._limited = False  # what only ranks rows is met when all else is done, and must not end it
        return [self._coding(name, domain) for name, domain in self.domains(names).items()]

    def _rows_in_memory(self, names: Sequence[str]) -> TextRows | None:
        """Give the rows as codes; ``None`` if too many differ: then they are on the disk from then on."""
        if not self._staged:
            try:
                return self._rows_of(names)
            except TooManyRowsError:
                self._stage()
        return None

    def _stage(self) -> None:
        self._read, self._staged = None, True
        report_stage("reading")
        self._source = self._home.staged(self._source)
        self._expect_every_record(int(self._source.to_native().aggregate("count(*)").fetchall()[0][0]))

    def _learn_values(self, names: Sequence[str]) -> None:
        """Find out the distinct texts of columns on the disk, and what they mean."""
        report_stage("reading")
        for name, values, counts in self._values(names):
            self._check_room(name, len(values))
            texts = values.combine_chunks().cast(pa.large_string())
            self._known[name] = column_of(name, texts, to_numpy(counts).astype(np.int64))

    def _rows_of(self, names: Sequence[str]) -> TextRows:
        """Read the file, unless these columns have been read before."""
        wanted = [*dict.fromkeys([*(self._read.names if self._read else []), *names, *self._drop])]
        if self._read is None or len(wanted) > len(self._read.names):
            self._read = self._home.sparingly(lambda _: self._rows_from_file(wanted))
        return self._read

    def _rows_from_file(self, wanted: list[str]) -> TextRows:
        budget = Budget(self._home.memory)
        most = budget.rows(len(wanted))
        rows = TextRows(wanted, self._missing_values, most, most / 2, self._most_values())
        done = 0
        if self.records is not None:
            self.records.begin()
        notation = self._notation if len(wanted) == len(self._inner) else None
        source = self._source if notation is None else self._frame
        together, inner = min(_BATCH, budget.batch(len(wanted))), [self._inner[name] for name in wanted]
        for batch in _column_batches(source.to_native(), inner, together):
            report_stage("reading", done, self._about)
            rows.add(batch)
            done += batch.num_rows
        report_stage("reading", done, done)
        self._home.check()
        self._expect_every_record(done)
        if notation is not None:
            self._rewritten, self._unused = rows.make_plain(notation)
        return rows

    def _expect_every_record(self, read: int) -> None:
        if self.records is not None:
            self.records.check(read)

    def _kept_rows(self, rows: TextRows) -> Any:
        """Give the rows in which nothing is missing that must not be: a mask, or all."""
        if not self._drop:
            return slice(None)
        kept = np.ones(len(rows.weights), dtype=bool)
        for name in self._drop:
            kept &= np.isin(rows.codes(name), nulls_in(rows.texts(name)), invert=True)
        return kept

    def _by_text(self, found: Any, rows: TextRows, name: str) -> Any:
        """Give for every text of the file what is found under its code; anything, if all of its rows are dropped."""
        texts, column = rows.texts(name), self._known[name]
        codes = without_nulls(pc.index_in(texts, value_set=column.keys), 0).astype(np.int64)
        codes[nulls_in(texts)] = len(column.keys) if column.domain.has_null else 0
        return np.append(found, 0)[codes].astype(found.dtype)

    def _row_weights(self, rows: TextRows, count: str | None) -> Any:
        if count is None:
            return 1
        values = np.array([_count_of_text(text) for text in rows.texts(count).to_pylist()], dtype=np.int64)
        return values[rows.codes(count)]


def _published_texts(recoding: FullDomainRecoding, groups: Mapping[str, Any], domain: Domain, name: str) -> Coded:
    """Give the texts that a column is published as, in order, and which of them every value becomes."""
    raised = recoding.levels.get(name, 0)
    texts = recoding.ladders[name].labels[raised][groups[name]] if raised else domain.texts
    return Coded.ranked(of_texts(texts.tolist()).cast(pa.string()), np.arange(len(texts)))


def _groups_by_text(groups: Any, labels: Coded) -> Any:
    """Give for every published text the group that it stands for."""
    found = np.zeros(len(labels.keys), dtype=groups.dtype)
    found[labels.codes] = groups
    return found


def _count_of_text(text: str | None) -> int:
    """Read a count. Rows that are counted have been checked; what a dropped row says may be anything."""
    try:
        return int(float(text)) if text and "." in text else int(text or 0)
    except ValueError:
        return 0


def _column_batches(relation: duckdb.DuckDBPyRelation, names: Sequence[str], rows: int) -> Iterable[pa.RecordBatch]:
    """Stream some columns of a file; the columns are named as expressions, never as SQL."""
    yield from reader_of(relation.select(*(duckdb.ColumnExpression(name) for name in names)), rows)
