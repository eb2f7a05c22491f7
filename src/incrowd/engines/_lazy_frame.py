"""The engine over narwhals for DuckDB, lazy Polars, files and large frames: counts, recodes, samples by queries."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from incrowd.core import (
    Census,
    CensusRequest,
    Classes,
    DataError,
    Domain,
    Kind,
    LocalRecoding,
    Packing,
    Recoding,
    UnknownColumnError,
)
from incrowd.engines._arrow import duration_error, of_numbers, to_numpy
from incrowd.engines._backend import ROW, Backend, Frame, cleaned_column, kind_of_dtype, select_columns
from incrowd.engines._border import guarded
from incrowd.engines._duckdb import inner_names
from incrowd.engines._encoding import Coded, Coding, domain_of, with_lookups, with_words
from incrowd.engines._files import WAIT, Stamp
from incrowd.engines._protocol import (
    BY_SIZE,
    Engine,
    Replacements,
    Shift,
    cells_about,
    check_persons,
    is_in_share,
    report_stage,
    shifts_in,
    texts_in,
)
from incrowd.engines._recoding import check_records, label_classes, recode_full_domain, recode_locally, replace_values
from incrowd.engines._resources import Budget, Resources, check_values, trim_memory
from incrowd.engines._shift import days_beside, shift_texts, with_days
from incrowd.engines.formats._output import check_suffix
from incrowd.engines.formats._statistics import Codebook
from incrowd.engines.formats._wording import Wording

_WITHOUT_END = 1 << 62


@dataclass(frozen=True, slots=True)
class ReadColumn:
    """What is known of a column that was looked at: its domain, and its values as the engine has them."""

    domain: Domain
    keys: pa.Array


class FrameEngine:
    """A lazy frame, its columns called ``c0``, ``c1``, … in order, and its home."""

    _limited = True  # whether the values of columns count against the memory
    _number: ClassVar[Any] = nw.Int64  # what numbers are that are added to the table

    shows_names: ClassVar[bool] = True
    """Whether an error may list the columns: the first line of a text file may be a record."""

    sized: str | None = None
    unused: tuple[str, ...] = ()  # what was said about how the table is written, and is in none of its columns

    def __init__(  # noqa: PLR0913 - all but the first three are optional
        self,
        frame: Frame,
        home: Backend,
        names: Sequence[str],
        *,
        missing_values: Sequence[str] = (),
        drop: Sequence[str] = (),
        numbered: bool = False,  # whether the frame has the numbers of rows too: then it is given back in that order
        refused: Collection[str] = (),  # columns of durations, which may be there but cannot be used
        untyped: Collection[str] = (),  # columns whose published values have to tell their type
    ) -> None:
        self._source = frame
        self._home = self.home = home
        self._inner = dict(zip(names, inner_names(len(names)), strict=True))
        self._dtypes = dict(zip(names, frame.collect_schema().values(), strict=not numbered))
        self._numbered, self._refused, self._untyped = numbered, refused, untyped
        self._missing_values = list(missing_values)
        self._drop = list(drop)
        self._known: dict[str, ReadColumn] = {}

    @property
    def resources(self) -> Resources:
        return self._home.resources

    @property
    def stamp(self) -> Stamp | None:
        return self._home.stamp

    @property
    def can_spill(self) -> bool:
        return self._home.can_spill

    @property
    def codebook(self) -> Codebook:
        return self._home.codebook

    @guarded
    def columns(self) -> dict[str, Kind | None]:
        return {name: kind_of_dtype(dtype) for name, dtype in self._dtypes.items()}

    @guarded
    def domains(self, names: Sequence[str]) -> dict[str, Domain]:
        self._check(names)
        self._learn_values([name for name in names if name not in self._known])
        return {name: self._known[name].domain for name in names}

    @guarded
    def with_sizes(self, name: str, of: str) -> Engine:
        whole, ordered = self._with_dropped_rows(), self._home.has_order
        domain = whole.domains([of])[of]
        check_persons(domain, BY_SIZE)
        sizes = {"size": of_numbers(domain.counts.astype(np.int64))}
        frame = whole._clean(list(self._inner), row=ordered)  # noqa: SLF001 - one of us
        frame = with_lookups(frame, [(whole._coding(of, domain), sizes)], self._home)  # noqa: SLF001
        names = [*self._inner, name]
        inner = dict(zip(names, inner_names(len(names)), strict=True))
        size = nw.col(f"size_of_{inner[of]}").cast(self._number)
        frame = frame.with_columns(size.alias(inner[name]))
        frame = self._home.ordered(frame, [ROW]) if ordered else frame
        made = self._on_frame(self._home.staged(select_columns(frame, list(inner.values()))), names)
        made.sized = name
        return made

    @guarded
    def census_size(self, request: CensusRequest) -> int:
        if self._counts_here(request):
            return len(self._count(request)[1])
        frame, words = self._with_codes(request)
        return int(self._collect(select_columns(frame, words).unique().select(self._tally(None)))["n"][0].as_py())

    @guarded
    def census_size_about(self, request: CensusRequest, one_in: int) -> int:
        if self._counts_here(request):
            return cells_about(self._count(request)[0], one_in)
        frame, words = self._with_codes(request)
        some = select_columns(frame, words).filter(is_in_share(words, one_in)).unique()
        return one_in * int(self._collect(some.select(self._tally(None)))["n"][0].as_py())

    @guarded
    def census(self, request: CensusRequest) -> Census:
        domains = self.domains(request.needed_columns)
        request.check(domains)
        packing = Packing.of([request.cardinality(domains[name]) for name in request.columns])
        words, counts = self._count(request)
        trim_memory()
        return Census.assemble(request, domains, packing.unpack(words), counts, self._count_dropped(request.count))

    @guarded
    def write_census(self, request: CensusRequest, path: Path) -> None:
        """Write the cells of a census that is too long to be held to a Parquet file: packed codes, counts, no order."""
        report_stage("reading")
        request.check(self.domains(request.needed_columns))
        frame, words = self._with_codes(request)
        self._home.spill(frame.group_by(words).agg(self._tally(request.count)), path)
        self._home.check()

    @guarded
    def share(self, names: Sequence[str], number: int, shares: int) -> FrameEngine:
        """Give one of several shares of the rows; those that are equal in some columns are in the same one."""
        domains = self.domains(names)
        codings = [self._coding(name, domain) for name, domain in domains.items()]
        frame, words = with_words(self._clean(list(self._inner)), codings, self._home)
        frame = select_columns(frame.filter(is_in_share(words, shares, number)), list(self._inner.values()))
        return self._on_frame(frame)

    @guarded
    def recode(
        self, recoding: Recoding, publish: Sequence[str], *, replace: Replacements = None, keep_order: bool = False
    ) -> Engine:
        self._check(publish)
        coded = {name: self._coding(name, domain) for name, domain in recoding.domains.items()}
        if isinstance(recoding, LocalRecoding):
            frame = self._frame_recoded_locally(recoding, publish, coded, keep_order=keep_order)
        else:
            frame = recode_full_domain(self._clean(list(self._inner), row=keep_order), recoding, coded, self._home)
        frame = self._with_shifts(frame, shifts_in(replace))
        for name, text_of in texts_in(replace).items():
            domain = self.domains([name])[name]
            texts = [None if text is None else text_of(text) for text in domain.texts.tolist()]
            frame = replace_values(frame, self._coding(name, domain), texts, self._home)
        renamed = zip(publish, inner_names(len(publish)), strict=True)
        columns = [nw.col(self._inner[name]).alias(inner) for name, inner in renamed]
        frame = frame.select(*columns, *([nw.col(ROW)] if keep_order else []))
        frame = self._home.settled(frame, int(next(iter(recoding.domains.values())).counts.sum()))
        return self._published_engine(frame, publish, numbered=keep_order)

    @guarded
    def sampled(self, rows: int) -> Engine:
        return self._on_frame(self._home.bring(self._collect(self._home.sampled(self._source, rows))))

    @guarded
    def classes(
        self, quasi: Sequence[str], sensitive: Mapping[str, Domain], entity: str | None = None, count: str | None = None
    ) -> Classes:
        names = [*filter(None, (*quasi, *sensitive, entity))]
        needed = [*filter(None, (*names, count))]
        self._check(needed)
        report_stage("checking")
        keys, labels = ([self._inner[name] for name in some] for some in (names, quasi))
        counted = self._in_order(self._clean(needed).group_by(keys).agg(self._tally(count)), keys, once=labels)
        trim_memory()
        if count is None:
            self._learn(counted, list(sensitive))
        found = [Coded.of(counted[label]) for label in labels]
        return label_classes(
            quasi=[(column.codes, column.domain("").texts) for column in found],
            sensitive={name: self._coding(name, domain).look_up(counted) for name, domain in sensitive.items()},
            domains=sensitive,
            person=Coded.of(counted[self._inner[entity]]).codes if entity else None,
            counts=to_numpy(counted["n"]),
        )

    @guarded
    def write(self, path: Path, *, keep_order: bool = False, wording: Wording | None = None) -> Wording:
        check_suffix(path)
        report_stage("writing")
        wording = self._home.write(self._sorted_frame(keep=keep_order), list(self._inner), path, wording)
        self._home.check()
        trim_memory()
        return wording

    @guarded
    def materialise(self) -> Any:
        return self._home.hand_back(self._collect(self._sorted_frame()).rename_columns(list(self._inner)))

    @guarded
    def copy(self, path: Path) -> None:
        """Keep the rows, as they are after the door, in a Parquet file, its columns called ``c0``, ``c1``, …."""
        self._home.copy(self._clean(list(self._inner)), path)

    def _with_dropped_rows(self) -> FrameEngine:
        """Give the table with the rows in which something is missing that must not be."""
        if not self._drop:
            return self
        made = self._on_frame(self._source)
        made._drop = []  # noqa: SLF001 - one of us
        return made

    def _on_frame(self, frame: Frame, names: Sequence[str] | None = None) -> Self:
        """Give another frame with the same columns, or those that are named, read in the same way."""
        names = list(self._inner) if names is None else names
        made = type(self)(frame, self._home, names, missing_values=self._missing_values, drop=self._drop)
        made._refused, made._untyped = self._refused, self._untyped  # noqa: SLF001 - one of us
        return made

    def _check(self, names: Sequence[str]) -> None:
        UnknownColumnError.check(names, self._inner, given_as="column", show=self.shows_names)
        for name in names:
            if name in self._refused:
                raise duration_error(name)

    def _clean(self, names: Sequence[str], *, drop: bool = True, row: bool = False) -> Frame:
        """Give these columns as they are after the door: missing is null, dropped rows are gone."""
        wanted = [*dict.fromkeys([*names, *self._drop])]
        doors = (cleaned_column(self._inner[name], self._dtypes[name], self._missing_values) for name in wanted)
        source = self._home.numbered(self._source) if row and not self._numbered else self._source
        frame = source.select(*doors, *([nw.col(ROW)] if row else []))
        if drop and self._drop:
            frame = frame.filter(*(~nw.col(self._inner[name]).is_null() for name in self._drop))
        return frame

    def _collect(self, frame: Frame, once: Sequence[str] = ()) -> pa.Table:
        table = self._home.fetched(frame, once)
        self._home.check()
        return table

    def _in_order(self, frame: Frame, by: Sequence[str], once: Sequence[str] = ()) -> pa.Table:
        """Fetch a frame, sorted; where that is possible without holding a text of some columns more than once."""
        return self._collect(self._home.ordered(frame, by), once)

    def _learn(self, counted: pa.Table, names: Sequence[str]) -> None:
        """Take the values of columns from rows that were counted, where looking at them would cost more."""

    def _learn_values(self, names: Sequence[str]) -> None:
        report_stage("reading")
        for name in names:
            if kind_of_dtype(self._dtypes[name]) is None:
                msg = f"Column {name!r} holds values of type {self._dtypes[name]}, which cannot be grouped."
                raise DataError(msg, hint="use numbers, booleans, dates, timestamps or text.")
        for name, values, counts in self._values(names):
            self._check_room(name, len(values))
            self._known[name] = ReadColumn(domain_of(name, values, counts), values.drop_null().combine_chunks())

    def _values(self, names: Sequence[str]) -> Iterator[tuple[str, pa.ChunkedArray, pa.ChunkedArray]]:
        """Count the values of columns, each in canonical order; one more than fit where there are more."""
        most = self._most_values() + 1
        for name in names:
            inner = self._inner[name]
            counted = select_columns(self._clean([name]), [inner]).group_by(inner).agg(self._tally(None)).head(most)
            yield name, *self._in_order(counted, [inner]).columns

    def _check_room(self, name: str, values: int) -> None:
        """Refuse a column whose values do not fit beside those of the columns that are known."""
        check_values(name, sum(len(column.domain) for column in self._known.values()) + values, self._most_values())

    def _most_values(self) -> int:
        """Say how many different values may be held, of all columns together."""
        return Budget(self._home.memory).values if self._limited else _WITHOUT_END

    def _coding(self, name: str, domain: Domain) -> Coding:
        """Encode a column by a domain, which may come from another table."""
        own = self.domains([name])[name]
        return Coding(self._inner[name], self._known[name].keys, own.codes_within(domain), len(domain))

    def _with_codes(self, request: CensusRequest) -> tuple[Frame, list[str]]:
        domains = self.domains(request.needed_columns)
        own = {name: (self._inner[name], self._known[name].keys, domains[name]) for name in request.columns}
        codings = [Coding(inner, keys, request.codes(d), request.cardinality(d)) for inner, keys, d in own.values()]
        return with_words(self._clean(request.needed_columns), codings, self._home)

    def _published_engine(self, frame: Frame, publish: Sequence[str], *, numbered: bool) -> FrameEngine:
        return FrameEngine(frame, self._home, publish, numbered=numbered, untyped=self._untyped)

    def _rows(self, name: str) -> int:
        return int(self.domains([name])[name].counts.sum())

    def _counts_here(self, request: CensusRequest) -> bool:
        """Say whether the rows of a census are in this process, so that to count them costs no more than to ask."""
        del request
        return False

    def _count(self, request: CensusRequest) -> tuple[list[Any], Any]:
        """Count the cells; give their packed codes and the counts, in order."""
        frame, words = self._with_codes(request)
        if not self._rows(request.quasi[0]):
            return [np.zeros(0, dtype=np.int64) for _ in words], np.zeros(0, dtype=np.int64)
        cells = self._in_order(frame.group_by(words).agg(self._tally(request.count)), words)
        if any(cells[word].null_count for word in words):
            msg = "The table changed while it was being read."
            raise DataError(msg, hint=WAIT)
        return [to_numpy(cells[word]) for word in words], to_numpy(cells["n"])

    def _tally(self, count: str | None) -> nw.Expr:
        """Count rows, or the records that they stand for."""
        if count is None:
            return nw.len().alias("n")
        return nw.col(self._inner[count]).cast(nw.Int64).sum().cast(nw.Int64).alias("n")

    def _count_dropped(self, count: str | None) -> int:
        if not self._drop:
            return 0
        before = self._clean([count] if count else [], drop=False)
        missing = (nw.col(self._inner[name]).is_null() for name in self._drop)
        gone = before.filter(nw.any_horizontal(*missing, ignore_nulls=False)).select(self._tally(count))
        return int(self._collect(gone)["n"][0].as_py() or 0)

    def _frame_recoded_locally(
        self, recoding: LocalRecoding, publish: Sequence[str], coded: Mapping[str, Coding], *, keep_order: bool
    ) -> Frame:
        counted = recoding.count or recoding.quasi[0]
        check_records(recoding, self.domains([counted])[counted])
        pieces, ranks = recoding.pieces(), []
        if pieces[-1].any():  # asked only where records of a cell part, and before the rows: they may move by it
            ranks = self._ranks([name for name in publish if name not in recoding.quasi])
            ranks += [ROW] if keep_order else []  # rows that are published alike differ by where they stand
        frame = self._clean(list(self._inner), row=keep_order)
        return recode_locally(frame, recoding, pieces, coded, self._home, ranks)

    def _with_shifts(self, frame: Frame, shifts: Mapping[str, Shift]) -> Frame:
        """Shift the dates of columns by the days of the person of each row."""
        days: dict[str, Any] = {}
        for name, shift in shifts.items():
            inner, persons = self._inner[name], self.domains([shift.by])[shift.by]
            if shift.by not in days:
                days[shift.by] = shift.days(persons)
                frame = with_days(frame, self._coding(shift.by, persons), days[shift.by], self._home)
            beside = days_beside(self._inner[shift.by])
            if kind_of_dtype(self._dtypes[name]) == "text":
                reach = int(np.abs(days[shift.by]).max(initial=0))
                coding = self._coding(name, self.domains([name])[name])
                frame = shift_texts(frame, coding, name, beside, reach, self._home)
            else:
                frame = self._home.shifted(frame, inner, beside)
        return frame

    def _ranks(self, names: Sequence[str]) -> list[Coding | str]:
        """Say how rows are ranked by their published columns: as the engine compares them."""
        return [self._inner[name] for name in names]

    def _sorted_frame(self, *, keep: bool = False) -> Frame:
        inner, numbered = list(self._inner.values()), keep or self._numbered
        frame = self._clean(list(self._inner), row=numbered)
        untyped = [self._inner[name] for name in self._inner if name in self._untyped]
        frame = self._home.with_own_types(frame, untyped) if untyped else frame
        return select_columns(self._home.ordered(frame, [ROW]), inner) if numbered else self._home.ordered(frame, inner)
