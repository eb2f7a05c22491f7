"""The rows and columns of a text file as codes while they come in; what kind of values the texts of a column are."""

from __future__ import annotations

import itertools
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.core import Domain, Kind, Packing, smallest_unsigned, tally
from incrowd.engines._arrow import nulls_in, objects_of, of_numbers, of_texts, to_numpy
from incrowd.engines._lazy_frame import ReadColumn
from incrowd.engines.formats._notation import Notation, Written, plain_texts

LONG = 20_000
"""Columns of so many rows are worth being looked at side by side, and to see whether numbers stand in them."""


class TooManyRowsError(Exception):
    """More rows or texts differ than can be kept."""


class TextRows:
    """The rows of a text file as codes: texts are numbered in the order in which they appear.

    Rows that are equal in all columns are merged as soon as there are more than the memory limit allows, so that what
    is kept grows with the census and not with the file.
    """

    def __init__(
        self,
        names: Sequence[str],
        missing: Iterable[str],
        most: int,  # from so many rows on they are merged
        fitting: float = math.inf,  # so many may be left then
        values: float = math.inf,  # so many different texts may be, in all columns together
    ) -> None:
        self.names = list(names)
        self._missing = of_texts(list(missing))
        self._most = most
        self._fitting = fitting
        self._values = values
        self._columns = [TextColumn() for _ in names]
        self._weights: list[Any] = []
        self._rows = 0

    def add(self, batch: pa.RecordBatch) -> None:
        with _side_by_side(batch.num_rows) as each:
            list(each(lambda column, texts: column.add(texts, self._missing), self._columns, batch.columns))
        self._weights.append(np.ones(batch.num_rows, dtype=np.uint8))
        self._rows += batch.num_rows
        if sum(column.most for column in self._columns) > self._values and self._number_of_texts() > self._values:
            raise TooManyRowsError
        if self._rows > self._most:
            self._merge()

    def codes(self, name: str) -> Any:
        return self._columns[self.names.index(name)].codes()

    def texts(self, name: str) -> pa.Array:
        return self._columns[self.names.index(name)].texts()

    def columns(self, names: Sequence[str], kept: Any) -> Iterable[ReadColumn]:
        """Give what is known of some columns of the rows that are kept."""
        weights = _if_many(self.weights[kept])

        def known(name: str) -> ReadColumn:
            column = self._columns[self.names.index(name)]
            counts = np.bincount(column.codes()[kept], weights=weights, minlength=len(column.texts()))
            return column_of(name, column.texts(), counts.astype(np.int64), column.numbers)

        with _side_by_side(len(self.weights)) as each:
            return [*each(known, names)]

    def tally(self, packing: Packing, codes: Mapping[str, Any], kept: Any, times: Any = 1) -> tuple[list[Any], Any]:
        """Count the rows that are kept, by a code for every text of some columns; a row may count several times."""
        coded = [(found, self.codes(name)) for name, found in codes.items()]
        return packing.tally(coded, _if_many((self.weights * times)[kept]), kept)

    def make_plain(self, notation: Notation) -> tuple[dict[str, Written], tuple[str, ...]]:
        """Rewrite the columns in which every text is a number or a day of a notation; say which, and what none has."""
        texts = {name: self.texts(name) for name in self.names}
        found, unused = plain_texts(texts, notation, self._missing.to_pylist())
        for name, (_, plain) in found.items():
            self._columns[self.names.index(name)].rewrite(plain, self._missing)
        return {name: kind for name, (kind, _) in found.items()}, unused

    @property
    def weights(self) -> Any:
        """How many rows of the file each row stands for."""
        self._weights = [np.concatenate(self._weights)] if self._weights else [np.zeros(0, dtype=np.uint8)]
        return self._weights[0]

    def _number_of_texts(self) -> int:
        return sum(len(column.texts()) for column in self._columns)

    def _merge(self) -> None:
        packing = Packing.of([len(column.texts()) for column in self._columns])
        words, weights = tally(packing.pack([self.codes(name) for name in self.names]), _if_many(self.weights))
        self._weights = [weights]
        for column, codes in zip(self._columns, packing.unpack(words), strict=True):
            column.pieces = [codes]
        self._rows = len(weights)
        if self._rows > self._fitting:
            raise TooManyRowsError
        self._most = max(self._most, 2 * self._rows)


@contextmanager
def _side_by_side(rows: int) -> Iterator[Callable[..., Iterable[Any]]]:
    """Give what applies a function to each of several columns: side by side, where they are so long that it pays."""
    if rows < LONG:
        yield map
        return
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:  # Arrow and NumPy let others run beside them
        yield pool.map


def _if_many(weights: Any) -> Any:
    """Give weights only where some row counts more than once: without them counting is a plain sort."""
    return weights if len(weights) and weights.max() > 1 else None


_FIRST = 4_096  # by so many of the first texts it is seen whether they are numbers
_DENSE = 8  # numbers up to so many times as far apart as they are many are told apart in a table


class TextColumn:
    """A column of texts, each with a number.

    Those of some rows are numbered anew at first, and together with the others as soon as they are as many: so no text
    is looked up more than a few times, however many rows follow. Whole numbers that hardly repeat, such as those of
    people, are kept as what they are for as long as nothing else comes: to look up each of a million texts takes as
    long as to parse them.
    """

    def __init__(self) -> None:
        self.pieces: list[Any] = []
        self.numbers: Any = None
        self._known = of_texts([])
        self._later: list[pa.Array] = []
        self._numbers: list[Any] | None = []

    @property
    def most(self) -> int:
        return len(self._known) + sum(map(len, self._later)) + sum(map(len, self._numbers or ()))

    def add(self, column: pa.Array, missing: pa.Array) -> None:
        if self._numbers is not None:
            numbers = _whole_numbers(column, missing) if self._numbers or _hardly_repeat(column) else None
            if numbers is not None:
                self._numbers.append(numbers)
                return
            self._number()
        encoded = column.dictionary_encode(null_encoding="encode")
        texts = _without_missing(missing, encoded.dictionary.cast(pa.large_string()))
        self.pieces.append(to_numpy(encoded.indices).astype(smallest_unsigned(len(texts))))
        self._later.append(texts)
        if sum(map(len, self._later)) >= len(self._known):
            self._settle()

    def codes(self) -> Any:
        self._settle()
        self.pieces = [np.concatenate(self.pieces)] if self.pieces else [np.zeros(0, dtype=np.uint8)]
        return self.pieces[0]

    def texts(self) -> pa.Array:
        self._settle()
        return self._known

    def rewrite(self, texts: pa.Array, missing: pa.Array) -> None:
        """Put other texts in the place of all; some may be the same then, or count as missing."""
        codes = self.codes()
        encoded = _without_missing(missing, texts).dictionary_encode(null_encoding="encode")
        self._known, self.numbers = encoded.dictionary, None
        self.pieces = [to_numpy(encoded.indices).astype(smallest_unsigned(len(self._known))).take(codes)]

    def _settle(self) -> None:
        """Give all texts their numbers together."""
        self._number()
        if not self._later:
            return
        if len(self._later) == 1 and not len(self._known) and self._later[0].null_count <= 1:
            self._known, self._later = self._later[0], []
            return
        encoded = pa.concat_arrays([self._known, *self._later]).dictionary_encode(null_encoding="encode")
        codes = to_numpy(encoded.indices).astype(smallest_unsigned(len(encoded.dictionary)))
        ends = np.cumsum([len(self._known), *map(len, self._later)])
        new = len(self.pieces) - len(self._later)
        for place, (start, end) in enumerate(itertools.pairwise(ends), new):
            self.pieces[place] = codes[start:end].take(self.pieces[place])
        self._known, self._later, self.numbers = encoded.dictionary, [], None

    def _number(self) -> None:
        """Turn the numbers that came in into texts and their codes; what follows is looked up."""
        numbers, self._numbers = self._numbers, None
        if not numbers:
            return
        self.numbers, codes = _distinct_numbers(np.concatenate(numbers))
        self._known = of_numbers(self.numbers).cast(pa.large_string())
        self.pieces = [codes.astype(smallest_unsigned(len(self.numbers)))]


def _without_missing(missing: pa.Array, texts: pa.Array) -> pa.Array:
    """Let texts that count as missing be null."""
    return pc.if_else(pc.is_in(texts, value_set=missing), pa.scalar(None, texts.type), texts) if len(missing) else texts


def _hardly_repeat(column: pa.Array) -> bool:
    """Whether most of the first texts differ, in so many rows that it matters."""
    return len(column) >= LONG and 2 * pc.count_distinct(column[:_FIRST]).as_py() > _FIRST


def _whole_numbers(column: pa.Array, missing: pa.Array) -> Any:
    """Give the numbers that all texts are; ``None`` if some are none, are missing, or are not written plainly."""
    if column.null_count:
        return None
    try:
        values = [to_numpy(some.cast(pa.int64())) for some in (column[:_FIRST], column)][1]  # Arrow fails slowly
    except pa.ArrowInvalid:
        return None
    if not np.array_equal(to_numpy(pc.binary_length(column)), _text_lengths(values)):
        return None  # zeros in front
    if len(missing) and pc.any(pc.is_in(column, value_set=missing.cast(column.type))).as_py():
        return None
    return values


def _text_lengths(values: Any) -> Any:
    powers = 10 ** np.arange(1, 19, dtype=np.uint64)
    size = np.abs(values).astype(np.uint64)  # the smallest number of all is its own size there
    low, high = (int(some) for some in (size.min(), size.max()))
    first, last = (int(np.searchsorted(powers, bound, side="right")) for bound in (low, high))
    lengths = np.full(len(values), first + 1, dtype=np.int32)
    for power in powers[first:last]:
        lengths += size >= power
    lengths += values < 0
    return lengths


def _distinct_numbers(values: Any) -> tuple[Any, Any]:
    """Give the different numbers, and for every number which of them it is."""
    low, high = int(values.min()), int(values.max())
    if high - low >= _DENSE * len(values):
        encoded = of_numbers(values).dictionary_encode()
        return to_numpy(encoded.dictionary), to_numpy(encoded.indices)
    offsets = values - low
    there = np.zeros(high - low + 1, dtype=bool)
    there[offsets] = True
    different = np.flatnonzero(there)
    if len(different) == len(there):
        return different + low, offsets
    return different + low, (np.cumsum(there) - 1).take(offsets)


# What the distinct texts of a column mean: Arrow says so where it is certain, and all other texts are read one by one.
#
# A text means a number or a moment only if the way back gives the text again (``incrowd.core`` has the rules). Where
# there are many texts, a test of the whole column at once can often tell that every one of them would survive. It never
# tells that one would not: then the texts are asked one by one, as if there were no such test.

_MANY = 200  # from so many texts on it pays to test them together
_WHOLE = r"-?(?:0|[1-9][0-9]*)"
_DECIMAL = rf"^{_WHOLE}(?:\.(?:0|[0-9]*[1-9]))?\z"
_MOMENT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.(?:[0-9]{3}|[0-9]{6}))?)?)?\z"
_MINUS_ZERO = of_texts(["-0"])[0]  # for a text of Python Arrow would import pandas
_FIRST_DAY = np.datetime64("0001-01-01")

Found = tuple[Kind, Any]  # a kind, and the values of all texts


def column_of(name: str, texts: pa.Array, counts: Any, numbers: Any = None) -> ReadColumn:
    """Find out what the texts of a column mean, of which those that occur count."""
    missing = nulls_in(texts)
    nulls = int(counts[missing].sum())
    there = counts > 0
    there[missing] = False
    if not there.all():
        places = np.flatnonzero(there)
        texts, counts = texts.take(of_numbers(places)), counts[places]
        numbers = None if numbers is None else numbers[places]
    many = len(texts) >= _MANY
    found: Found | None = (
        ("number", numbers) if many and numbers is not None else _certain_values(texts) if many else None
    )
    if found is None:
        return _one_by_one(name, texts, counts, nulls)
    kind, values = found
    if not _is_ascending(values):
        order = np.argsort(values, kind="stable")
        texts, values, counts = texts.take(of_numbers(order)), values[order], counts[order]
        if not _is_ascending(values):  # two texts of one value
            return _one_by_one(name, texts, counts, nulls)
    domain = Domain.build(name, kind, values, counts, nulls)
    spelling = objects_of(texts) if values.dtype.kind in "fM" else None  # as a domain of texts that are read one by one
    return ReadColumn(replace(domain, spelling=spelling), texts)


def _one_by_one(name: str, texts: pa.Array, counts: Any, nulls: int) -> ReadColumn:
    order = pc.array_sort_indices(texts)  # by code point, as bytes are: it is faster here than by comparing objects
    texts, counts = texts.take(order), counts[to_numpy(order)]
    domain = Domain.of_texts(name, texts.to_pylist(), counts, nulls)
    return ReadColumn(domain, texts if domain.kind == "text" else of_texts(domain.texts[: len(domain.values)].tolist()))


def _certain_values(texts: pa.Array) -> Found | None:
    """Read all texts at once; ``None`` if it is not certain that each would survive."""
    for read in (_read_integers, _read_decimals, _read_days, _read_moments, _fixed_decimals):
        try:
            found = None if read(texts[:1]) is None else read(texts)  # the first tells most: Arrow fails slowly
        except pa.ArrowInvalid:  # some are nothing of the kind
            continue
        if found is not None:
            return found
    return None


def _read_integers(texts: pa.Array) -> Found | None:
    numbers = texts.cast(pa.int64())
    return ("number", to_numpy(numbers)) if numbers.cast(texts.type).equals(texts) else None


def _read_decimals(texts: pa.Array) -> Found | None:
    """Read numbers without an exponent, of so few digits that a float has them all, or that a float is written as."""
    if not _all_match(texts, _DECIMAL) or pc.any(pc.equal(texts, _MINUS_ZERO)).as_py():
        return None
    numbers = texts.cast(pa.float64())
    long = of_numbers(np.flatnonzero(to_numpy(pc.binary_length(texts)) > sys.float_info.dig))
    if len(long) and not numbers.take(long).cast(texts.type).equals(texts.take(long)):
        return None
    return "number", to_numpy(numbers)


def _fixed_decimals(texts: pa.Array) -> Found | None:
    """Read numbers that all have equally many decimals, and so few digits that they are written as they were."""
    decimals = len(texts[0].as_py().rpartition(".")[2])
    few = pc.max(pc.binary_length(texts)).as_py() <= sys.float_info.dig + 1  # the point is no digit
    if not decimals or not few or not _all_match(texts, rf"^{_WHOLE}\.[0-9]{{{decimals}}}\z"):
        return None
    return "number", to_numpy(texts.cast(pa.float64()))


def _read_days(texts: pa.Array) -> Found | None:
    days = texts.cast(pa.date32())
    values = to_numpy(days.view(pa.int32())).astype("datetime64[D]")
    return ("date", values) if days.cast(texts.type).equals(texts) and values.min() >= _FIRST_DAY else None


def _read_moments(texts: pa.Array) -> Found | None:
    if not _all_match(texts, _MOMENT):
        return None
    values = to_numpy(texts.cast(pa.timestamp("us")).view(pa.int64())).astype("datetime64[us]")
    return ("datetime", values) if values.min() >= _FIRST_DAY else None


def _all_match(texts: pa.Array, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(texts, pattern)).as_py())


def _is_ascending(values: Any) -> bool:
    return bool((values[1:] > values[:-1]).all())
