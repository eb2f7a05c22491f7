"""The engine of a frame in memory: Arrow encodes its columns, rows are numbers from then on.

Starting DuckDB and joining every column there takes longer than all of this for a frame of some thousand rows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from incrowd.core import (
    Census,
    CensusRequest,
    Classes,
    Domain,
    Kind,
    LocalRecoding,
    Packing,
    Recoding,
    UnknownColumnError,
    tally,
)
from incrowd.engines._arrow import kind_of_type, of_numbers, with_own_type
from incrowd.engines._border import guarded
from incrowd.engines._duckdb import inner_names
from incrowd.engines._encoding import Coded
from incrowd.engines._files import Stamp
from incrowd.engines._protocol import (
    BY_SIZE,
    Replacements,
    check_persons,
    places_of_a_sample,
    report_stage,
    shifts_in,
    texts_in,
)
from incrowd.engines._recoding import check_records, label_classes, publish_full_domain, publish_locally
from incrowd.engines._resources import DEFAULT_RESOURCES, Resources
from incrowd.engines._shift import shifted_column
from incrowd.engines.formats._output import check_suffix, write_arrow
from incrowd.engines.formats._statistics import NO_CODEBOOK
from incrowd.engines.formats._wording import Wording


class EagerEngine:
    """A frame in memory."""

    shows_names: ClassVar[bool] = True

    stamp: Stamp | None = None
    sized: str | None = None
    unused: tuple[str, ...] = ()  # what was said about how the table is written, and is in none of its columns

    def __init__(
        self,
        columns: Mapping[str, pa.ChunkedArray | Coded],
        hand_back: Callable[[pa.Table], Any],
        *,
        missing_values: Sequence[str] = (),
        drop: Sequence[str] = (),
        keep_order: bool = False,
        untyped: Collection[str] = (),  # columns whose published values have to tell their type
        resources: Resources = DEFAULT_RESOURCES,
    ) -> None:
        self.resources, self.codebook = resources, getattr(hand_back, "codebook", NO_CODEBOOK)
        self._columns = dict(columns)
        self._untyped = untyped
        self._hand_back = self.hand_back = hand_back
        self._missing_values = list(missing_values)
        self._drop = list(drop)
        self._keep_order = keep_order
        self._known: dict[str, tuple[Coded, Domain]] = {}

    @guarded
    def columns(self) -> dict[str, Kind | None]:
        types = ((name, c.keys.type if isinstance(c, Coded) else c.type) for name, c in self._columns.items())
        return {name: kind_of_type(type_) for name, type_ in types}

    @guarded
    def domains(self, names: Sequence[str]) -> dict[str, Domain]:
        self._check(names)
        return {name: self._known_column(name)[1] for name in names}

    @guarded
    def with_sizes(self, name: str, of: str) -> EagerEngine:
        self._check([of])
        coded = self._all_rows(of)
        check_persons(coded.domain(of), BY_SIZE)
        sizes = np.bincount(coded.codes, minlength=len(coded.keys))[coded.codes]
        columns = {**self._columns, name: pa.chunked_array([of_numbers(sizes)])}
        reading: dict[str, Any] = {"missing_values": self._missing_values, "drop": self._drop, "untyped": self._untyped}
        made = EagerEngine(columns, self._hand_back, **reading, resources=self.resources)
        made.stamp, made.unused, made.sized = self.stamp, self.unused, name
        return made

    @guarded
    def census_size(self, request: CensusRequest) -> int:
        return len(self._count(request, self.domains(request.needed_columns))[1])

    @guarded
    def census(self, request: CensusRequest) -> Census:
        domains = self.domains(request.needed_columns)
        request.check(domains)
        codes, counts = self._count(request, domains)
        return Census.assemble(request, domains, codes, counts, self._count_dropped(request.count))

    @guarded
    def recode(
        self, recoding: Recoding, publish: Sequence[str], *, replace: Replacements = None, keep_order: bool = False
    ) -> EagerEngine:
        self._check(publish)
        domains = self.domains(list(recoding.domains))
        codes = {
            name: domains[name].codes_within(domain).take(self._column(name).codes)
            for name, domain in recoding.domains.items()
        }
        others = [name for name in publish if name not in recoding.quasi]
        if isinstance(recoding, LocalRecoding):
            counted = recoding.count or recoding.quasi[0]
            check_records(recoding, self.domains([counted])[counted])
            rows, labelled = publish_locally(recoding, codes, [self._column(name).codes for name in others])
        else:
            rows, labelled = publish_full_domain(recoding, codes)
        columns = {name: labelled[name] if name in labelled else self._column(name).only(rows) for name in publish}
        days: dict[str, Any] = {}
        for name, shift in shifts_in(replace).items():
            person, known = self._known_column(shift.by)
            days[shift.by] = shift.days(known) if shift.by not in days else days[shift.by]
            columns[name] = shifted_column(columns[name], person.codes[rows], days[shift.by], name)
        for name, text_of in texts_in(replace).items():
            columns[name] = columns[name].replaced(text_of)
        return EagerEngine(
            columns, self._hand_back, keep_order=keep_order, untyped=self._untyped, resources=self.resources
        )

    @guarded
    def sampled(self, rows: int) -> EagerEngine:
        whole = [self._all_rows(name) for name in self._columns]
        order = np.lexsort([column.codes for column in whole[::-1]])
        chosen = order[places_of_a_sample(len(order), rows)]
        columns = {name: column.only(chosen) for name, column in zip(self._columns, whole, strict=True)}
        return EagerEngine(columns, self._hand_back, drop=self._drop, untyped=self._untyped, resources=self.resources)

    @guarded
    def classes(
        self, quasi: Sequence[str], sensitive: Mapping[str, Domain], entity: str | None = None, count: str | None = None
    ) -> Classes:
        report_stage("checking")
        names = [*filter(None, (*quasi, *sensitive, entity))]
        own = self.domains([*filter(None, (*names, count))])
        known = {name: own[name].codes_within(domain) for name, domain in sensitive.items()}
        codes, counts = self._distinct(names, self._weights(count, own))
        column = dict(zip(names, codes, strict=True))
        return label_classes(
            quasi=[(column[name], own[name].texts) for name in quasi],
            sensitive={name: known[name][column[name]] for name in sensitive},
            domains=sensitive,
            person=column[entity] if entity else None,
            counts=counts,
        )

    @guarded
    def write(self, path: Path, *, keep_order: bool = False, wording: Wording | None = None) -> Wording:
        check_suffix(path)
        report_stage("writing")
        return write_arrow(self._sorted_frame(keep=keep_order), path, self.resources, self.codebook, wording)

    @guarded
    def materialise(self) -> Any:
        of_codes = getattr(self._hand_back, "of_codes", None)
        return self._hand_back(self._sorted_frame()) if of_codes is None else of_codes(self._sorted_codes())

    @guarded
    def copy(self, path: Path) -> None:
        """Keep the rows, as they are after the door, in a Parquet file, its columns called ``c0``, ``c1``, …."""
        table = self._sorted_frame(keep=True)
        pyarrow.parquet.write_table(table.rename_columns(inner_names(table.num_columns)), str(path))

    def _check(self, names: Sequence[str]) -> None:
        UnknownColumnError.check(names, self._columns, given_as="column")

    def _all_rows(self, name: str) -> Coded:
        """Encode a column, unless that was done before; rows that are to be dropped are still there."""
        column = self._columns[name]
        if not isinstance(column, Coded):
            self._columns[name] = column = Coded.of(column, self._missing_values)
            if self.stamp is not None:  # what is not looked at is not read
                self.stamp.check()
        return column

    @cached_property
    def _dropped_rows(self) -> Any:
        return np.any([self._all_rows(name).missing for name in self._drop], axis=0)

    def _known_column(self, name: str) -> tuple[Coded, Domain]:
        if name not in self._known:
            coded = self._all_rows(name)
            coded = coded.only(~self._dropped_rows) if self._drop and self._dropped_rows.any() else coded
            self._known[name] = coded, coded.domain(name)
        return self._known[name]

    def _column(self, name: str) -> Coded:
        return self._known_column(name)[0]

    def _count(self, request: CensusRequest, domains: Mapping[str, Domain]) -> tuple[Sequence[Any], Any]:
        """Count the cells; give their codes and the counts, in order."""
        packing = Packing.of([request.cardinality(domains[name]) for name in request.columns])
        rows = [(request.codes(domains[name]), self._column(name).codes) for name in request.columns]
        words, counts = packing.tally(rows, self._weights(request.count, domains))
        return packing.unpack(words), counts

    def _weights(self, count: str | None, domains: Mapping[str, Domain]) -> Any:
        if count is None:
            return None
        return np.append(domains[count].values.astype(np.int64), 0)[self._column(count).codes]

    def _count_dropped(self, count: str | None) -> int:
        if not self._drop:
            return 0
        if count is None:
            return int(self._dropped_rows.sum())
        coded = self._all_rows(count)
        rows = np.bincount(coded.codes[self._dropped_rows], minlength=len(coded.keys)).tolist()
        return sum(int(value or 0) * times for value, times in zip(coded.keys.to_pylist(), rows, strict=True) if times)

    def _distinct(self, names: Sequence[str], weights: Any) -> tuple[list[Any], Any]:
        """Give the combinations of values that exist, in order, and how often each does."""
        columns = [self._column(name) for name in names]
        packing = Packing.of([len(column.keys) for column in columns])
        words, counts = tally(packing.pack([column.codes for column in columns]), weights)
        return list(packing.unpack(words)), counts

    def _typed_column(self, name: str) -> Coded:
        coded = self._column(name)
        return Coded(with_own_type(coded.keys), coded.codes) if name in self._untyped else coded

    def _sorted_frame(self, *, keep: bool = False) -> pa.Table:
        return pa.table({name: column.values() for name, column in self._sorted_codes(keep=keep).items()})

    def _sorted_codes(self, *, keep: bool = False) -> dict[str, Coded]:
        columns = {name: self._typed_column(name) for name in self._columns}
        if keep or self._keep_order:
            return columns
        packing = Packing.of([len(column.keys) for column in columns.values()])
        ordered = packing.in_order([column.codes for column in columns.values()])
        return {name: Coded(columns[name].keys, codes) for name, codes in zip(columns, ordered, strict=True)}
