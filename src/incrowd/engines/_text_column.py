"""The texts of one column of a file, numbered while they come in: what is kept of a row is a small number."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.core import smallest_unsigned
from incrowd.engines._arrow import of_numbers, of_texts, to_numpy
from incrowd.engines._duckdb import connect, reader_of
from incrowd.engines._home import inner_names
from incrowd.engines.formats._notation import Notation, Written, made_plain

_LONG, _FIRST = 20_000, 4_096
"""In so many rows it pays to look whether numbers stand in them, by so many of the first."""

_DENSE = 8
"""Numbers up to so many times as far apart as they are many are told apart in a table."""


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
        """How many texts there are at most."""
        return len(self._known) + sum(map(len, self._later)) + sum(map(len, self._numbers or ()))

    def add(self, column: pa.Array, missing: pa.Array) -> None:
        """Take in the texts of some rows, of which some count as missing."""
        if self._numbers is not None:
            numbers = _whole_numbers(column, missing) if self._numbers or _hardly_repeat(column) else None
            if numbers is not None:
                self._numbers.append(numbers)
                return
            self._number()
        encoded = column.dictionary_encode(null_encoding="encode")
        texts = _without(missing, encoded.dictionary.cast(pa.large_string()))
        self.pieces.append(to_numpy(encoded.indices).astype(smallest_unsigned(len(texts))))
        self._later.append(texts)
        if sum(map(len, self._later)) >= len(self._known):
            self._settle()

    def codes(self) -> Any:
        """Give the code of every row."""
        self._settle()
        self.pieces = [np.concatenate(self.pieces)] if self.pieces else [np.zeros(0, dtype=np.uint8)]
        return self.pieces[0]

    def texts(self) -> pa.Array:
        """Give the text of every code; null for missing."""
        self._settle()
        return self._known

    def rewrite(self, texts: pa.Array, missing: pa.Array) -> None:
        """Put other texts in the place of all; some may be the same then, or count as missing."""
        codes = self.codes()
        encoded = _without(missing, texts).dictionary_encode(null_encoding="encode")
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
        self.numbers, codes = _told_apart(np.concatenate(numbers))
        self._known = of_numbers(self.numbers).cast(pa.large_string())
        self.pieces = [codes.astype(smallest_unsigned(len(self.numbers)))]


def _without(missing: pa.Array, texts: pa.Array) -> pa.Array:
    """Let texts that count as missing be null."""
    return pc.if_else(pc.is_in(texts, value_set=missing), pa.scalar(None, texts.type), texts) if len(missing) else texts


def _hardly_repeat(column: pa.Array) -> bool:
    """Whether most of the first texts differ, in so many rows that it matters."""
    return len(column) >= _LONG and 2 * pc.count_distinct(column[:_FIRST]).as_py() > _FIRST


def _whole_numbers(column: pa.Array, missing: pa.Array) -> Any:
    """Give the numbers that all texts are; ``None`` if some are none, are missing, or are not written plainly."""
    if column.null_count:
        return None
    try:
        values = [to_numpy(some.cast(pa.int64())) for some in (column[:_FIRST], column)][1]  # Arrow fails slowly
    except pa.ArrowInvalid:
        return None
    if not np.array_equal(to_numpy(pc.binary_length(column)), _lengths(values)):
        return None  # zeros in front
    if len(missing) and pc.any(pc.is_in(column, value_set=missing.cast(column.type))).as_py():
        return None
    return values


def _lengths(values: Any) -> Any:
    """Say how many characters whole numbers are written in."""
    powers = 10 ** np.arange(1, 19, dtype=np.uint64)
    size = np.abs(values).astype(np.uint64)  # the smallest number of all is its own size there
    low, high = (int(some) for some in (size.min(), size.max()))
    first, last = (int(np.searchsorted(powers, bound, side="right")) for bound in (low, high))
    lengths = np.full(len(values), first + 1, dtype=np.int32)
    for power in powers[first:last]:
        lengths += size >= power
    lengths += values < 0
    return lengths


def _told_apart(values: Any) -> tuple[Any, Any]:
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


# The different texts of columns made plain: what a file writes a million times is rewritten once.

_SHORT = 1_000
"""Columns of up to so many texts are looked at together; beyond, those of about as many."""


def plain_texts(
    texts: Mapping[str, pa.Array], notation: Notation, missing: Sequence[str]
) -> tuple[dict[str, tuple[Written, pa.Array]], tuple[str, ...]]:
    """Rewrite the columns in which every text is a number or a day of a notation; say what of it no column has."""
    found: dict[str, tuple[Written, pa.Array]] = {}
    unused = set(notation.told)
    alone = connect(threads=1)  # several threads would hand texts back as they come
    for names in _about_as_long(texts):
        longest = max(len(texts[name]) for name in names)
        inner = dict(zip(inner_names(len(names)), names, strict=True))
        table = pa.table([_padded(texts[name], longest) for name in names], [*inner])
        relation, rewritten, others = made_plain(alone.from_arrow(table), notation, missing)
        unused.intersection_update(others)
        if not rewritten:
            continue
        plain = reader_of(relation.project(", ".join(rewritten))).read_all()
        for column, kind in rewritten.items():
            name = inner[column]
            found[name] = kind, plain[column].combine_chunks().cast(pa.large_string())[: len(texts[name])]
    return found, tuple(name for name in notation.told if name in unused)


def _about_as_long(texts: Mapping[str, pa.Array]) -> Iterator[list[str]]:
    """Put columns together of which none is more than twice as long as another, or all are short."""
    lengths: dict[int, list[str]] = {}
    for name, column in texts.items():
        lengths.setdefault(max(len(column), _SHORT).bit_length(), []).append(name)
    yield from lengths.values()


def _padded(column: pa.Array, longest: int) -> pa.Array:
    """Add nulls behind texts, which no question about them counts."""
    return pa.concat_arrays([column, pa.nulls(longest - len(column), column.type)])
