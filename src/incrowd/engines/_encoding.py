"""Encoding: the values of a column become codes and a domain, codes become packed words joined to every row."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.core import DataError, Domain, Kind, Packing, add_up, smallest_unsigned
from incrowd.engines._arrow import kind_of_type, of_numbers, of_texts, plain_type, tidy_column, to_numpy, without_nulls
from incrowd.engines._backend import Backend, Frame


@dataclass(frozen=True, slots=True)
class Coding:
    """How one column is encoded."""

    column: str  # as it is called inside the engine
    keys: pa.Array  # its values as the engine holds them, without null
    codes: npt.NDArray[Any]  # of every key, and last that of null if the column has nulls
    cardinality: int

    def look_up(self, table: pa.Table) -> Any:
        """Give the code of every row of a table whose values it knows, because they are the table's own."""
        return self.look_up_keys(table[self.column])

    def look_up_keys(self, values: pa.Array | pa.ChunkedArray) -> Any:
        found = pc.index_in(values, value_set=self.keys)
        return self.codes[without_nulls(found, len(self.keys))]


def with_words(
    frame: Frame, codings: Sequence[Coding], home: Backend, labels: Mapping[str, pa.Array] | None = None
) -> tuple[Frame, list[str]]:
    """Add the packed codes of every row to a frame; give the frame and the names of its word columns."""
    packing = Packing.of([coding.cardinality for coding in codings])
    parts: list[list[nw.Expr]] = [[] for _ in range(packing.words)]
    found: list[tuple[Coding, Mapping[str, pa.Array]]] = []
    for coding, field in zip(codings, packing.fields, strict=True):
        shifted = of_numbers(coding.codes.astype(np.int64) << field.shift)
        beside = {"label": labels[coding.column]} if labels and coding.column in labels else {}
        found.append((coding, {"code": shifted, **beside}))
        parts[field.word].append(lookup_expression(coding, shifted, "code"))
    words = [f"word{number}" for number in range(packing.words)]
    sums = [functools.reduce(operator.add, part) for part in parts]  # null if any part is: sum_horizontal would hide it
    frame = with_lookups(frame, found, home)
    return frame.with_columns(**dict(zip(words, sums, strict=True))), words


def with_lookups(frame: Frame, found: Iterable[tuple[Coding, Mapping[str, pa.Array]]], home: Backend) -> Frame:
    """Join to every row what is found by its values, under some names; arrays longer than the keys tell it for null."""
    tables = {}
    for coding, arrays in found:
        names = [f"{next(iter(arrays))}_key_{coding.column}", *(f"{name}_of_{coding.column}" for name in arrays)]
        keys = coding.keys
        tables[coding.column] = pa.Table.from_arrays([keys, *(one[: len(keys)] for one in arrays.values())], names)
    return home.look_up(frame, tables)


def lookup_expression(coding: Coding, found: pa.Array, name: str) -> nw.Expr:
    result = nw.col(f"{name}_of_{coding.column}")
    if len(found) > len(coding.keys):
        for_null = nw.lit(found[-1].as_py(), dtype=nw.Int64 if pa.types.is_integer(found.type) else nw.String)
        result = nw.when(nw.col(coding.column).is_null()).then(for_null).otherwise(result)
    return result


# A column as numbers: Arrow finds its distinct values, and only those are looked at one by one.

_MOST_TEXT = 2**31  # from so many bytes on texts do not fit into one Arrow array of the usual type
_BLOCK = 1_000_000  # rows whose values are laid out together, so that their texts fit


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """The distinct values of a column, and which of them each row has."""

    keys: pa.Array  # in canonical order, null last if there is one; each occurs in some row
    codes: npt.NDArray[Any]
    counts: npt.NDArray[np.int64] | None = None  # how many rows have each, where that is known

    @classmethod
    def of(cls, column: pa.ChunkedArray, missing_values: Sequence[str] = ()) -> Coded:
        """Read a column: NaN and the texts that mean missing become null, -0.0 becomes 0.0."""
        if not len(column):
            return cls(_clean_values(pa.nulls(0, plain_type(column.type)), ()), np.zeros(0, dtype=np.uint8))
        if pa.types.is_string(column.type) and column.nbytes >= _MOST_TEXT:
            column = column.cast(pa.large_string())
        encoded = _with_dictionary(column)
        values = _clean_values(encoded.dictionary, missing_values)
        if not encoded.indices.null_count:
            return cls.ranked(values, to_numpy(encoded.indices))
        numbers = without_nulls(encoded.indices.cast(pa.int32()), len(values))
        return cls.ranked(pa.concat_arrays([values, pa.nulls(1, values.type)]), numbers)

    @classmethod
    def ranked(cls, values: pa.Array, numbers: npt.NDArray[Any]) -> Coded:
        """Bring values into order, each once and without those that no row has; each row has the number of one."""
        numbers = numbers.astype(np.intp, copy=False)  # once: counting and looking up ask for these
        rows = np.bincount(numbers, minlength=len(values))
        used = np.flatnonzero(rows)
        known = values if len(used) == len(values) else values.take(of_numbers(used))
        distinct = known.dictionary_encode(null_encoding="encode")
        order = to_numpy(pc.sort_indices(distinct.dictionary))  # null last
        rank = np.empty(len(order), dtype=smallest_unsigned(len(order)))
        rank[order] = np.arange(len(order))
        lookup = np.zeros(len(values), dtype=rank.dtype)
        places = to_numpy(distinct.indices)
        lookup[used] = rank[places]
        counts = add_up(places, rows[used], len(order))[order]
        return cls(distinct.dictionary.take(of_numbers(order)), lookup.take(numbers), counts)

    @property
    def missing(self) -> Any:
        return self.codes >= len(self.keys) - self.keys.null_count

    def only(self, rows: Any) -> Coded:
        """Take some rows, by a mask or by their numbers."""
        return Coded.ranked(self.keys, self.codes[rows])

    def replaced(self, text_of: Callable[[str], str]) -> Coded:
        """Replace every value by a text that follows from its own; missing stays missing."""
        texts = self.domain("").texts.tolist()
        new = of_texts([None if text is None else text_of(text) for text in texts])
        return Coded.ranked(new.cast(pa.string()), self.codes)

    def domain(self, name: str) -> Domain:
        """Give the domain of the column; its codes are these."""
        counts = np.bincount(self.codes, minlength=len(self.keys)) if self.counts is None else self.counts
        return domain_of(name, pa.chunked_array([self.keys]), pa.chunked_array([of_numbers(counts)]))

    def values(self) -> pa.ChunkedArray:
        """Give the values of all rows."""
        blocks = (self.codes[start : start + _BLOCK] for start in range(0, len(self.codes), _BLOCK))
        return pa.chunked_array([self.keys.take(of_numbers(block)) for block in blocks], self.keys.type)


@dataclass(frozen=True, slots=True)
class PolarsFrame:
    """Hands a table back as a frame of Polars."""

    polars: Any  # the module: whoever hands a frame over has imported it

    def __call__(self, table: pa.Table) -> Any:
        return self.polars.from_arrow(table)

    def of_codes(self, columns: Mapping[str, Coded]) -> Any:
        """Hand back columns by their codes: every text is held once, and no row's is copied."""
        rows = {name: self.polars.Series(column.codes.astype(np.uint32)) for name, column in columns.items()}
        keys = {name: self.polars.from_arrow(column.keys) for name, column in columns.items()}
        return self.polars.DataFrame({name: keys[name].gather(rows[name]) for name in columns})


def _with_dictionary(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """Let Arrow number the values of a column, unless it has done so before."""
    if pa.types.is_dictionary(column.type) and any(chunk.dictionary.null_count for chunk in column.chunks):
        column = column.cast(column.type.value_type)  # dictionaries that hold null cannot be unified
    return column.unify_dictionaries().dictionary_encode().combine_chunks()


def _clean_values(values: pa.Array, missing_values: Sequence[str]) -> pa.Array:
    """Clean distinct values, and give numbers and texts one type each."""
    if pa.types.is_floating(values.type):
        return pc.if_else(pc.is_nan(values), pa.nulls(1, pa.float64())[0], pc.add(values, of_numbers(np.zeros(1))[0]))
    if pa.types.is_large_string(values.type) and values.nbytes < _MOST_TEXT:
        values = values.cast(pa.string())
    if missing_values and kind_of_type(values.type) == "text":
        missing = pc.is_in(values, value_set=of_texts(missing_values).cast(values.type))
        return pc.if_else(missing, pa.nulls(1, values.type)[0], values)
    return values


# The domain of a column, from its distinct values as Arrow has them.


def domain_of(column: str, values: pa.ChunkedArray, counts: pa.ChunkedArray) -> Domain:
    """Make the domain of a column from its distinct values, null among them or not, and how often each occurs."""
    present = pc.is_valid(values)
    nulls = pc.sum(counts.filter(pc.invert(present))).as_py() or 0
    kind, array = _values_of(column, values.filter(present))
    return Domain.build(column, kind, array, to_numpy(counts.filter(present)), nulls)


def _values_of(column: str, values: pa.ChunkedArray) -> tuple[Kind, Any]:
    type_ = values.type
    if pa.types.is_boolean(type_):
        return "boolean", np.array(values.to_pylist(), dtype=bool)
    if pa.types.is_integer(type_) or pa.types.is_floating(type_):
        return "number", _number_array(values)
    if pa.types.is_decimal(type_):
        return "number", np.array(values.to_pylist(), dtype=object)
    if pa.types.is_date(type_):
        return "date", to_numpy(values.cast(pa.date32()).cast(pa.int32())).astype("datetime64[D]")
    if pa.types.is_timestamp(type_):
        return "instant" if type_.tz else "datetime", to_numpy(_ticks(column, values)).astype("datetime64[us]")
    return "text", np.array(values.to_pylist(), dtype=object)


def _ticks(column: str, values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Give timestamps as microseconds; seconds can be so many that they have none."""
    with suppress(pa.ArrowInvalid):
        return tidy_column(column, values).cast(pa.timestamp("us", values.type.tz)).cast(pa.int64())
    msg = f"Column {column!r} holds dates before the year 1 or after the year 9999."
    raise DataError(msg, hint="make them missing, or dates within these years.")


def _number_array(values: pa.ChunkedArray) -> Any:
    array = to_numpy(values)
    if array.dtype.kind == "f":
        return array.astype(np.float64)
    if array.dtype == np.uint64 and len(array) and array.max() > np.iinfo(np.int64).max:
        return np.array(values.to_pylist(), dtype=object)
    return array.astype(np.int64)
