"""The different texts of columns made plain: what a file writes a million times is rewritten once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa

from incrowd.engines._connection import connect, reader_of
from incrowd.engines._home import inner_names
from incrowd.engines._notation import Notation, Written, made_plain

_SHORT = 1_000
"""Columns of up to so many texts are looked at together; beyond, those of about as many."""


def plain_texts(
    texts: Mapping[str, pa.Array], notation: Notation, missing: Sequence[str]
) -> tuple[dict[str, tuple[Written, pa.Array]], tuple[str, ...]]:
    """Rewrite the columns in which every text is a number or a day of a notation; say what of it no column has.

    Parameters
    ----------
    texts
        The different texts of every column; null for missing.
    notation
        How numbers and days are written.
    missing
        Texts that count as missing.
    """
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
