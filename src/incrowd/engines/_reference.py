"""The reference engine: plain Python on a list of dicts, slow and obvious. All others must agree with it."""

from __future__ import annotations

import datetime as dt
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from incrowd.core import (
    TOP,
    Cells,
    Census,
    CensusRequest,
    Classes,
    DataError,
    Domain,
    FullDomainRecoding,
    Kind,
    LocalRecoding,
    Recoding,
    UncoveredValuesError,
    UnknownColumnError,
    canonical_value,
    group,
    smallest_unsigned,
)
from incrowd.engines._arrow import column_of_objects
from incrowd.engines._border import guarded
from incrowd.engines._files import Stamp
from incrowd.engines._protocol import BY_SIZE, Replacements, check_persons, places_of_a_sample, shifts_in, texts_in
from incrowd.engines._recoding import check_records, other_records
from incrowd.engines._resources import DEFAULT_RESOURCES, Resources
from incrowd.engines._shift import WrittenDates
from incrowd.engines.formats._output import check_suffix, write_arrow
from incrowd.engines.formats._wording import Wording

Row = dict[str, Any]


class ReferenceEngine:
    """A table as a list of dicts with the same keys."""

    shows_names: ClassVar[bool] = True
    stamp: Stamp | None = None
    sized: str | None = None

    def __init__(
        self,
        rows: Sequence[Mapping[str, Any]],
        missing_values: Sequence[str],
        drop: Sequence[str],
        *,
        keep_order: bool = False,
        resources: Resources = DEFAULT_RESOURCES,
    ) -> None:
        self.resources = resources
        self.keep_order, self.drop = keep_order, drop
        self.names = list(rows[0]) if rows else []
        if any(row.keys() != rows[0].keys() for row in rows):
            msg = "The rows of the table do not all have the same columns."
            raise DataError(msg)
        cleaned = [{name: _clean(name, row[name], missing_values) for name in self.names} for row in rows]
        self.rows = [row for row in cleaned if all(row[name] is not None for name in drop)]
        self.dropped_rows = [row for row in cleaned if any(row[name] is None for name in drop)]

    @guarded
    def columns(self) -> dict[str, Kind | None]:
        return {name: domain.kind for name, domain in self.domains(self.names).items()}

    @guarded
    def domains(self, names: Sequence[str]) -> dict[str, Domain]:
        UnknownColumnError.check(names if self.rows else (), self.names, given_as="column")
        return {name: Domain.of(name, [row[name] for row in self.rows]) for name in names}

    @guarded
    def with_sizes(self, name: str, of: str) -> ReferenceEngine:
        rows = self.rows + self.dropped_rows
        UnknownColumnError.check([of] if rows else (), self.names, given_as="column")
        persons = Domain.of(of, [row[of] for row in rows])
        check_persons(persons, BY_SIZE)
        codes = _codes(persons, [row[of] for row in rows])
        sized = [{**row, name: int(persons.counts[code])} for row, code in zip(rows, codes, strict=True)]
        made = ReferenceEngine(sized, (), self.drop, keep_order=self.keep_order, resources=self.resources)
        made.sized = name
        return made

    @guarded
    def census_size(self, request: CensusRequest) -> int:
        return len(self.census(request))

    @guarded
    def census(self, request: CensusRequest) -> Census:
        request.check(self.domains(request.needed_columns))
        domains = self.domains(request.columns)
        tally: Counter[tuple[int, ...]] = Counter()
        for row, cell in zip(self.rows, self._cells(domains), strict=True):
            floor = tuple(int(request.codes(domains[name])[code]) for name, code in zip(domains, cell, strict=True))
            tally[floor] += _row_weight(row, request.count)
        cells = sorted(tally)
        widths = [request.cardinality(domain) for domain in domains.values()]
        codes = [
            np.array([cell[number] for cell in cells], dtype=smallest_unsigned(width))
            for number, width in enumerate(widths)
        ]
        dropped = sum(_row_weight(row, request.count) for row in self.dropped_rows)
        return Census.assemble(request, domains, codes, np.array([tally[cell] for cell in cells], dtype=int), dropped)

    @guarded
    def recode(
        self, recoding: Recoding, publish: Sequence[str], *, replace: Replacements = None, keep_order: bool = False
    ) -> ReferenceEngine:
        if isinstance(recoding, FullDomainRecoding):
            labelled = list(self._full_domain(recoding))
        else:
            counted = recoding.count or recoding.quasi[0]
            check_records(recoding, self.domains([counted])[counted])
            labelled = list(self._local(recoding, publish))
        for name, shift in shifts_in(replace).items():
            persons = self.domains([shift.by])[shift.by]
            days = dict(zip(persons.texts.tolist(), shift.days(persons).tolist(), strict=True))
            texts = persons.texts[_codes(persons, [row[shift.by] for row in labelled])].tolist()
            WrittenDates.of(name, [*{row[name] for row in labelled if isinstance(row[name], str)}])
            for row, person in zip(labelled, texts, strict=True):
                row[name] = _shifted_value(row[name], dt.timedelta(days=days[person]))
        for name, text_of in texts_in(replace).items():
            domain = self.domains([name])[name]
            for row, code in zip(labelled, _codes(domain, [row[name] for row in labelled]), strict=True):
                row[name] = None if row[name] is None else text_of(domain.texts[code])
        published = [{name: row[name] for name in publish} for row in labelled]
        return ReferenceEngine(published, (), (), keep_order=keep_order, resources=self.resources)

    @guarded
    def sampled(self, rows: int) -> ReferenceEngine:
        ranked = sorted(self.rows + self.dropped_rows, key=lambda row: _sort_key(row, self.names))
        chosen = [ranked[place] for place in places_of_a_sample(len(ranked), rows)]
        return ReferenceEngine(chosen, (), self.drop, resources=self.resources)

    @guarded
    def classes(
        self, quasi: Sequence[str], sensitive: Mapping[str, Domain], entity: str | None = None, count: str | None = None
    ) -> Classes:
        domains = self.domains(quasi)
        codes = [_codes(domains[name], [row[name] for row in self.rows]) for name in quasi]
        grouping = group(codes, [len(domain) for domain in domains.values()])
        cells = Cells(
            sensitive={name: _codes(domain, [row[name] for row in self.rows]) for name, domain in sensitive.items()},
            domains=sensitive,
            person=self._person_codes(entity),
            counts=np.array([_row_weight(row, count) for row in self.rows], dtype=np.int64),
        )
        texts = tuple(domain.texts for domain in domains.values())
        return Classes.of(grouping, tuple(code[grouping.first] for code in codes), cells, texts)

    @guarded
    def write(self, path: Path, *, keep_order: bool = False, wording: Wording | None = None) -> Wording:
        check_suffix(path)
        rows = self.rows if keep_order else self.materialise()
        columns = {name: column_of_objects(name, [row[name] for row in rows]) for name in self.names}
        return write_arrow(pa.table(columns), path, self.resources, wording=wording)

    @guarded
    def materialise(self) -> list[Row]:
        return self.rows if self.keep_order else sorted(self.rows, key=lambda row: _sort_key(row, self.names))

    def _cells(self, domains: Mapping[str, Domain]) -> Iterable[tuple[int, ...]]:
        codes = [_codes(domain, [row[name] for row in self.rows]) for name, domain in domains.items()]
        return zip(*(column.tolist() for column in codes), strict=True)

    def _person_codes(self, entity: str | None) -> Any:
        if entity is None:
            return None
        return _codes(self.domains([entity])[entity], [row[entity] for row in self.rows])

    def _full_domain(self, recoding: FullDomainRecoding) -> Iterable[Row]:
        left_out = set(zip(*(groups.tolist() for groups in recoding.suppressed), strict=True))
        for row, cell in zip(self.rows, self._cells(recoding.domains), strict=True):
            levels = list(recoding.levels.items())
            groups = tuple(
                int(recoding.ladders[name].groups[level][code])
                for (name, level), code in zip(levels, cell, strict=True)
            )
            if groups in left_out:
                if recoding.masked:
                    yield {**row, **dict.fromkeys(recoding.quasi, TOP)}
                continue
            published = {
                name: recoding.ladders[name].labels[level][number]
                for (name, level), number in zip(levels, groups, strict=True)
                if name not in recoding.unchanged
            }
            yield {**row, **published}

    def _local(self, recoding: LocalRecoding, publish: Sequence[str]) -> Iterable[Row]:
        order, _, _ = recoding.pieces()
        queues: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
        for entry in order.tolist():
            cell = tuple(int(codes[entry]) for codes in recoding.codes)
            queues[cell] += itertools.repeat(int(recoding.classes[entry]), int(recoding.counts[entry]))
        others = [name for name in publish if name not in recoding.quasi]
        domains = recoding.domains.items()
        columns = [
            recoding.cell_codes(name, _codes(domain, [row[name] for row in self.rows])) for name, domain in domains
        ]
        cells = list(zip(*(column.tolist() for column in columns), strict=True))
        published: dict[int, Row] = {}
        for place in sorted(range(len(cells)), key=lambda place: _sort_key(self.rows[place], others)):
            if recoding.partial and cells[place] not in queues:
                continue
            if not (waiting := queues[cells[place]]):
                raise other_records()
            number = waiting[0] if recoding.count else waiting.pop(0)  # a row with several records goes as a whole
            if number >= 0:
                labels = zip(recoding.quasi, recoding.labels, strict=True)
                raised = {name: texts[number] for name, texts in labels if name not in recoding.unchanged}
                published[place] = {**self.rows[place], **raised}
        yield from (published[place] for place in sorted(published))


def _clean(column: str, value: object, missing_values: Sequence[str]) -> object:
    """Read one value: what is equal becomes the same, and what means missing becomes nothing."""
    value = canonical_value(column, value)
    return None if isinstance(value, str) and value in missing_values else value


def _row_weight(row: Row, count: str | None) -> int:
    return int(row[count]) if count else 1


def _codes(domain: Domain, column: Sequence[object]) -> Any:
    lookup = {value: code for code, value in enumerate(domain.values.tolist())}
    known = {*lookup, None} if domain.has_null else {*lookup}
    column = [None if value is None else _value_as_in_domain(domain, value) for value in column]
    if new := {value for value in column if value not in known}:
        count = "1 value that is" if len(new) == 1 else f"{len(new):,} values that are"
        msg = f"Column {domain.column!r} has {count} not known."
        raise UncoveredValuesError(msg, column=domain.column, values=sorted(map(str, new)))
    codes = [len(lookup) if value is None else lookup[value] for value in column]
    return np.array(codes, dtype=smallest_unsigned(len(domain)))


def _value_as_in_domain(domain: Domain, value: Any) -> Any:
    """Give a value the form that its domain has."""
    if domain.kind == "instant":
        return value.astimezone(dt.UTC).replace(tzinfo=None)
    return value.date() if domain.kind == "date" and isinstance(value, dt.datetime) else value


def _shifted_value(value: Any, days: dt.timedelta) -> Any:
    if not isinstance(value, str):
        return None if value is None else value + days
    return (dt.date.fromisoformat(value[:10]) + days).isoformat() + value[10:]


def _sort_key(row: Row, names: Sequence[str]) -> list[tuple[bool, Any]]:
    return [(row[name] is None, 0 if row[name] is None else row[name]) for name in names]
