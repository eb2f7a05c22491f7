"""The one engine over narwhals: pandas, Polars, PyArrow, DuckDB, and files through the embedded DuckDB."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

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
    UncoveredValuesError,
    UnknownColumnError,
)
from incrowd.engines._arrow import domain_of, keys_of
from incrowd.engines._border import guarded
from incrowd.engines._columns import to_numpy
from incrowd.engines._encoding import Coding, free_prefix, with_words
from incrowd.engines._home import Frame, Home, check_suffix, only
from incrowd.engines._labels import label_classes
from incrowd.engines._recode import recode


@dataclass(frozen=True, slots=True)
class Column:
    """What is known of a column once its values have been looked at."""

    domain: Domain
    type: pa.DataType


class FrameEngine:
    """A lazy frame and its home.

    Parameters
    ----------
    frame
        The table.
    home
        What the library under it can do.
    missing_values
        Texts that count as missing.
    drop
        Columns in which a missing value removes the row.
    """

    from_text: ClassVar[bool] = False
    """Whether all columns are texts of a file, so that their values decide what they are."""

    def __init__(
        self,
        frame: Frame,
        home: Home,
        *,
        missing_values: Sequence[str] = (),
        drop: Sequence[str] = (),
    ) -> None:
        self._home = home
        self._schema = frame.collect_schema()
        self._missing_values = list(missing_values)
        self._drop = list(drop)
        self._source = frame
        self._known: dict[str, Column] = {}

    @guarded
    def columns(self) -> dict[str, Kind | None]:
        return {name: _kind_of(dtype) for name, dtype in self._schema.items()}

    @guarded
    def domains(self, names: Sequence[str]) -> dict[str, Domain]:
        self._check(names)
        if new := [name for name in names if name not in self._known]:
            frame = self._frame(names)
            self._known |= {name: self._look_at(frame, name) for name in new}
        return {name: self._known[name].domain for name in names}

    @guarded
    def census_size(self, request: CensusRequest) -> int:
        if not self._rows(request):
            return 0
        frame, words = self._encoded(request)
        cells = only(frame, words).unique().select(nw.len())
        return int(cells.collect(backend="pyarrow").item())

    @guarded
    def census(self, request: CensusRequest) -> Census:
        domains = self.domains(request.needed)
        request.check(domains)
        packing = Packing.of([request.cardinality(domains[name]) for name in request.columns])
        words, counts = self._count(request)
        return Census.assemble(request, domains, packing.unpack(words), counts, self._dropped(request.count))

    @guarded
    def recode(self, recoding: Recoding, publish: Sequence[str]) -> FrameEngine:
        self._check(publish)
        self._check_covered(recoding.domains)
        coded = {name: self._coding(domain) for name, domain in recoding.domains.items()}
        rows = int(self.domains([recoding.quasi[0]])[recoding.quasi[0]].counts.sum())
        others = [name for name in publish if name not in recoding.quasi]
        ranks = self._ranks(others) if isinstance(recoding, LocalRecoding) else []
        frame = recode(self._clean(list(self._schema)), recoding, coded, self._home, rows, ranks)
        return FrameEngine(only(frame, publish), self._home)

    @guarded
    def classes(self, quasi: Sequence[str], sensitive: Mapping[str, Domain], entity: str | None = None) -> Classes:
        self._check([*quasi, *sensitive, *([entity] if entity else [])])
        frame = self._frame([*quasi, *sensitive, *([entity] if entity else [])])
        return label_classes(frame, quasi, {name: self._coding(domain) for name, domain in sensitive.items()}, entity)

    @guarded
    def write(self, path: Path) -> None:
        check_suffix(path)
        self._home.write(self._sorted(), path)

    @guarded
    def materialise(self) -> Any:
        return self._home.hand_back(self._sorted().collect(backend="pyarrow").to_native())

    def _check(self, names: Sequence[str]) -> None:
        for name in names:
            if name not in self._schema:
                raise UnknownColumnError.of(name, list(self._schema), given_as="column")

    def _frame(self, names: Sequence[str]) -> Frame:
        """Give the table as it is after the door: with these columns at least, missing is null, dropped rows gone."""
        return self._clean([*dict.fromkeys([*names, *self._drop])])

    def _clean(self, names: Sequence[str], *, drop: bool = True) -> Frame:
        frame = self._source.select(*(_at_the_door(name, self._schema[name], self._missing_values) for name in names))
        if drop and self._drop:
            frame = frame.filter(*(~nw.col(name).is_null() for name in self._drop))
        return frame

    def _look_at(self, frame: Frame, name: str) -> Column:
        if _kind_of(self._schema[name]) is None:
            msg = f"Column {name!r} holds values of type {self._schema[name]}, which cannot be grouped."
            raise DataError(msg, hint="use numbers, booleans, dates, timestamps or text.")
        counted = only(frame, [name]).group_by(name).agg(nw.len().alias(free_prefix([name])))
        table = counted.collect(backend="pyarrow").to_native()
        values, counts = table.columns
        return Column(domain_of(name, values, counts, from_text=self.from_text), values.type)

    def _coding(self, domain: Domain, codes: Any = None, cardinality: int | None = None) -> Coding:
        """Encode a column by a domain, which may come from another table."""
        name = domain.column
        self.domains([name])
        keys = keys_of(domain, self._known[name].type, from_text=self.from_text)
        codes = np.arange(len(domain)) if codes is None else codes
        return Coding(name, keys, codes, len(domain) if cardinality is None else cardinality)

    def _encoded(self, request: CensusRequest) -> tuple[Frame, list[str]]:
        domains = self.domains(request.needed)
        codings = [
            self._coding(domains[name], request.codes(domains[name]), request.cardinality(domains[name]))
            for name in request.columns
        ]
        return with_words(self._frame(request.needed), codings, self._home, free_prefix(request.needed))

    def _check_covered(self, known: Mapping[str, Domain]) -> None:
        """Refuse to recode a table with values that the recoding does not speak of."""
        for name, domain in self.domains(list(known)).items():
            if new := set(domain.texts) - set(known[name].texts):
                msg = f"Column {name!r} has {len(new)} values that are not known."
                raise UncoveredValuesError(msg, column=name, values=sorted(new, key=str))

    def _rows(self, request: CensusRequest) -> int:
        return int(self.domains(request.quasi)[request.quasi[0]].counts.sum())

    def _count(self, request: CensusRequest) -> tuple[list[Any], Any]:
        """Count the cells; give their packed codes and the counts, in order."""
        frame, names = self._encoded(request)
        if not self._rows(request):
            return [np.zeros(0, dtype=np.int64) for _ in names], np.zeros(0, dtype=np.int64)
        count = free_prefix([*names, *request.columns])
        tally = nw.len() if request.count is None else nw.col(request.count).cast(nw.Int64).sum().cast(nw.Int64)
        cells = frame.group_by(names).agg(tally.alias(count)).sort(names).collect(backend="pyarrow").to_native()
        if any(cells[name].null_count for name in names):
            msg = "The table changed while it was being read."
            raise DataError(msg, hint="take a copy first, or wait until nobody writes to it.")
        return [to_numpy(cells[name]) for name in names], to_numpy(cells[count])

    def _dropped(self, count: str | None) -> int:
        if not self._drop:
            return 0
        names = [*self._drop, *([count] if count else [])]
        before = self._clean(names, drop=False)
        gone = before.filter(nw.any_horizontal(*(nw.col(name).is_null() for name in self._drop), ignore_nulls=False))
        tally = nw.len() if count is None else nw.col(count).cast(nw.Int64).sum().cast(nw.Int64)
        return int(gone.select(tally).collect(backend="pyarrow").item() or 0)

    def _ranks(self, names: Sequence[str]) -> list[Coding | str]:
        """Say how rows are ranked by their published columns: texts of a file by what they mean, all else as it is."""
        if not self.from_text:
            return list(names)
        return [self._coding(domain) for domain in self.domains(names).values()]

    def _sorted(self) -> Frame:
        frame = self._clean(list(self._schema))
        return frame.sort(list(self._schema), nulls_last=True)


_KINDS: tuple[tuple[tuple[type[nw.dtypes.DType], ...], Kind], ...] = (
    ((nw.Boolean,), "boolean"),
    ((nw.Date,), "date"),
    ((nw.String, nw.Categorical, nw.Enum, nw.Unknown), "text"),
)


def _kind_of(dtype: nw.dtypes.DType) -> Kind | None:
    if dtype.is_numeric():
        return "number"
    if isinstance(dtype, nw.Datetime):
        return "instant" if dtype.time_zone else "datetime"
    return next((kind for types, kind in _KINDS if isinstance(dtype, types)), None)


def _at_the_door(name: str, dtype: nw.dtypes.DType, missing_values: Sequence[str]) -> nw.Expr:
    """Read one column: NaN and the texts that mean missing become null, categories become text."""
    column = nw.col(name)
    if dtype.is_float():
        column = nw.when(~column.is_nan()).then(column)
    elif _kind_of(dtype) == "text":
        column = column if isinstance(dtype, nw.String) else column.cast(nw.String)
        if missing_values:  # comparing one by one: engines are slow at looking into lists
            column = nw.when(*(column != text for text in missing_values)).then(column)
    return column.alias(name)
