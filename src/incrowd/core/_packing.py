"""Several small codes in one machine word, in an order-preserving way.

The first column takes the highest bits, so comparing words compares tuples. Words hold at most 63 bits, because
databases have signed integers only; tuples that need more take several words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

WORD_BITS = 63

_BLOCK = 1 << 16

Ints = npt.NDArray[np.integer]
Words = npt.NDArray[np.int64]


def smallest_unsigned(cardinality: int) -> np.dtype[np.unsignedinteger]:
    """Give the smallest type that holds the codes ``0 … cardinality - 1``."""
    return np.min_scalar_type(max(cardinality - 1, 0))


@dataclass(frozen=True, slots=True)
class Field:
    """Where a column's code sits: in which word, how far from the right, how many bits wide."""

    word: int
    shift: int
    bits: int


@dataclass(frozen=True, slots=True)
class Packing:
    """Where the codes of every column sit."""

    fields: tuple[Field, ...]
    cardinalities: tuple[int, ...]

    @classmethod
    def of(cls, cardinalities: Sequence[int]) -> Packing:
        """Lay columns with so many codes each side by side, filling words from the left."""
        widths = [max(cardinality - 1, 0).bit_length() for cardinality in cardinalities]
        words: list[list[int]] = [[]]
        for width in widths:
            if sum(words[-1]) + width > WORD_BITS:
                words.append([])
            words[-1].append(width)
        fields = []
        for number, word in enumerate(words):
            rest = sum(word)
            for width in word:
                rest -= width
                fields.append(Field(number, rest, width))
        return cls(tuple(fields), tuple(cardinalities))

    @property
    def words(self) -> int:
        """How many words a tuple takes."""
        return 1 + max((field.word for field in self.fields), default=0)

    def pack(self, columns: Sequence[Ints]) -> list[Words]:
        """Put the codes of each row into words."""
        length = len(columns[0]) if columns else 0
        words: list[Words] = [np.zeros(length, dtype=np.int64) for _ in range(self.words)]
        for start in range(0, length, _BLOCK):  # in pieces that stay in the processor's cache
            rows = slice(start, start + _BLOCK)
            for field, column in zip(self.fields, columns, strict=True):
                words[field.word][rows] |= column[rows].astype(np.int64) << field.shift
        return words

    def unpack(self, words: Sequence[Words]) -> tuple[Ints, ...]:
        """Take the codes of each row out again, in the smallest types that fit."""
        length = len(words[0]) if words else 0
        columns = tuple(np.empty(length, dtype=smallest_unsigned(cardinality)) for cardinality in self.cardinalities)
        for start in range(0, length, _BLOCK):  # in pieces, as above
            rows = slice(start, start + _BLOCK)
            for field, column in zip(self.fields, columns, strict=True):
                column[rows] = (words[field.word][rows] >> field.shift) & ((1 << field.bits) - 1)
        return columns
