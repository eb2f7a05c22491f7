"""Encoding inside the engine: values become codes, codes become machine words, before anything is grouped."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from incrowd.core import Domain, Packing, UncoveredValuesError
from incrowd.engines._columns import of_numbers
from incrowd.engines._home import Frame, Home


@dataclass(frozen=True, slots=True)
class Coding:
    """How one column is encoded.

    Attributes
    ----------
    column
        What the column is called inside the engine.
    keys
        Its values as the engine holds them, without null.
    codes
        The code of every key, and last that of null if the column has nulls.
    cardinality
        How many codes there are.
    """

    column: str
    keys: pa.Array
    codes: npt.NDArray[Any]
    cardinality: int


def codes_by(own: Domain, domain: Domain) -> npt.NDArray[Any]:
    """Give for every code of a column the code in a domain that may come from another table."""
    codes = np.arange(len(own)) if own is domain else own.codes_in(domain)
    if (codes < 0).any():
        values = own.texts[codes < 0].tolist()
        count = "1 value that is" if len(values) == 1 else f"{len(values):,} values that are"
        msg = f"Column {own.column!r} has {count} not known."
        raise UncoveredValuesError(msg, column=own.column, values=values)
    return codes


def packed(packing: Packing, columns: Iterable[tuple[npt.NDArray[Any], npt.NDArray[Any]]]) -> list[npt.NDArray[Any]]:
    """Put the codes of rows in memory into words.

    Parameters
    ----------
    packing
        Where the codes of every column sit.
    columns
        Per column a table of codes, and for every row its place in the table.
    """
    words: list[Any] = [0] * packing.words
    for (codes, rows), field in zip(columns, packing.fields, strict=True):
        words[field.word] += (codes.astype(np.int64) << field.shift).take(rows)  # half the time of an index
    return words


def rows_within(memory: float, columns: int) -> int:
    """Say how many rows may be kept as codes: half of the memory, at 2 bytes a code and 16 to sort."""
    return int(memory / 2 / (2 * columns + 16))


def with_words(
    frame: Frame, codings: Sequence[Coding], home: Home, labels: Mapping[str, pa.Array] | None = None
) -> tuple[Frame, list[str]]:
    """Add the packed codes of every row to a frame; give the frame and the names of its word columns.

    Parameters
    ----------
    frame, codings, home
        The frame, how its columns are encoded, and where it lives.
    labels
        What else is joined on the way, per column: ``looked_up`` finds it under the name ``label``.
    """
    packing = Packing.of([coding.cardinality for coding in codings])
    parts: list[list[nw.Expr]] = [[] for _ in range(packing.words)]
    found: list[tuple[Coding, Mapping[str, pa.Array]]] = []
    for coding, field in zip(codings, packing.fields, strict=True):
        shifted = of_numbers(coding.codes.astype(np.int64) << field.shift)
        beside = {"label": labels[coding.column]} if labels and coding.column in labels else {}
        found.append((coding, {"code": shifted, **beside}))
        parts[field.word].append(looked_up(coding, shifted, "code"))
    words = [f"word{number}" for number in range(packing.words)]
    sums = [functools.reduce(operator.add, part) for part in parts]  # null if any part is: sum_horizontal would hide it
    frame = with_lookups(frame, found, home)
    return frame.with_columns(**dict(zip(words, sums, strict=True))), words


def with_lookups(frame: Frame, found: Iterable[tuple[Coding, Mapping[str, pa.Array]]], home: Home) -> Frame:
    """Join to every row what is found, under some names, by its values; ``looked_up`` reads it.

    Parameters
    ----------
    frame, home
        The frame, and where it lives.
    found
        Per column one or several arrays, each one longer than the keys if null has an entry.
    """
    tables = {}
    for coding, arrays in found:
        names = [f"{next(iter(arrays))}_key_{coding.column}", *(f"{name}_of_{coding.column}" for name in arrays)]
        keys = coding.keys
        tables[coding.column] = pa.Table.from_arrays([keys, *(one[: len(keys)] for one in arrays.values())], names)
    return home.look_up(frame, tables)


def looked_up(coding: Coding, found: pa.Array, name: str) -> nw.Expr:
    """Give what was joined under a name."""
    result = nw.col(f"{name}_of_{coding.column}")
    if len(found) > len(coding.keys):
        for_null = nw.lit(found[-1].as_py(), dtype=nw.Int64 if pa.types.is_integer(found.type) else nw.String)
        result = nw.when(nw.col(coding.column).is_null()).then(for_null).otherwise(result)
    return result
