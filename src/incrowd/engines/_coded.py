"""A column as numbers: Arrow finds its distinct values, and only those are looked at one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.core import Domain, smallest_unsigned
from incrowd.engines._arrow import domain_of, kind_of_type, plain_type
from incrowd.engines._columns import of_numbers, of_texts, to_numpy, without_nulls

_MOST_TEXT = 2**31
"""From so many bytes on texts do not fit into one Arrow array of the usual type."""

_BLOCK = 1_000_000
"""Rows whose values are laid out together, so that their texts fit."""


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """The distinct values of a column, and which of them each row has.

    Attributes
    ----------
    keys
        The values in canonical order, null last if there is one; each occurs in some row.
    codes
        The position of every row's value.
    """

    keys: pa.Array
    codes: npt.NDArray[Any]

    @classmethod
    def of(cls, column: pa.ChunkedArray, missing_values: Sequence[str] = ()) -> Coded:
        """Read a column: NaN and the texts that mean missing become null, -0.0 becomes 0.0."""
        if not len(column):
            return cls(_cleaned(pa.nulls(0, plain_type(column.type)), ()), np.zeros(0, dtype=np.uint8))
        if pa.types.is_string(column.type) and column.nbytes >= _MOST_TEXT:
            column = column.cast(pa.large_string())
        encoded = _encoded(column)
        values = _cleaned(encoded.dictionary, missing_values)
        if not encoded.indices.null_count:
            return cls.ranked(values, to_numpy(encoded.indices))
        numbers = without_nulls(encoded.indices.cast(pa.int32()), len(values))
        return cls.ranked(pa.concat_arrays([values, pa.nulls(1, values.type)]), numbers)

    @classmethod
    def ranked(cls, values: pa.Array, numbers: npt.NDArray[Any]) -> Coded:
        """Bring values into order, each once and without those that no row has.

        Parameters
        ----------
        values
            Values in any order, repeated or not, null among them or not.
        numbers
            For every row the position of its value.
        """
        used = np.flatnonzero(np.bincount(numbers, minlength=len(values)))
        distinct = values.take(of_numbers(used)).dictionary_encode(null_encoding="encode")
        order = to_numpy(pc.sort_indices(distinct.dictionary))  # null last
        rank = np.empty(len(order), dtype=smallest_unsigned(len(order)))
        rank[order] = np.arange(len(order))
        lookup = np.zeros(len(values), dtype=rank.dtype)
        lookup[used] = rank[to_numpy(distinct.indices)]
        return cls(distinct.dictionary.take(of_numbers(order)), lookup[numbers])

    @property
    def missing(self) -> Any:
        """Which rows have no value."""
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
        counts = np.bincount(self.codes, minlength=len(self.keys))
        return domain_of(name, pa.chunked_array([self.keys]), pa.chunked_array([of_numbers(counts)]))

    def values(self, rows: npt.NDArray[np.intp]) -> pa.ChunkedArray:
        """Give the values of rows, by their numbers."""
        blocks = (rows[start : start + _BLOCK] for start in range(0, len(rows), _BLOCK))
        return pa.chunked_array([self.keys.take(of_numbers(self.codes[block])) for block in blocks], self.keys.type)


def _encoded(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """Let Arrow number the values of a column, unless it has done so before."""
    if pa.types.is_dictionary(column.type) and any(chunk.dictionary.null_count for chunk in column.chunks):
        column = column.cast(column.type.value_type)  # dictionaries that hold null cannot be unified
    return column.unify_dictionaries().dictionary_encode().combine_chunks()


def _cleaned(values: pa.Array, missing_values: Sequence[str]) -> pa.Array:
    """Clean distinct values, and give numbers and texts one type each."""
    if pa.types.is_floating(values.type):
        return pc.if_else(pc.is_nan(values), pa.nulls(1, pa.float64())[0], pc.add(values, of_numbers(np.zeros(1))[0]))
    if pa.types.is_large_string(values.type) and values.nbytes < _MOST_TEXT:
        values = values.cast(pa.string())
    if missing_values and kind_of_type(values.type) == "text":
        missing = pc.is_in(values, value_set=of_texts(missing_values).cast(values.type))
        return pc.if_else(missing, pa.nulls(1, values.type)[0], values)
    return values
