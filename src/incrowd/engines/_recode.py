"""Applying a recoding inside the engine: joins only, no row ever passes through Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from incrowd.core import DataError, FullDomainRecoding, LocalRecoding, Packing, Recoding
from incrowd.engines._columns import of_numbers, of_texts
from incrowd.engines._encoding import Coding, free_prefix, with_lookup, with_words
from incrowd.engines._home import Frame, Home, only


def recode(
    frame: Frame,
    recoding: Recoding,
    coded: Mapping[str, Coding],
    home: Home,
    rows: int,
    ranks: Sequence[Coding | str],
) -> Frame:
    """Publish a frame as a recoding says. All columns stay; the caller selects."""
    if isinstance(recoding, FullDomainRecoding):
        return _full_domain(frame, recoding, coded, home)
    check_rows(recoding, rows)
    return _local(frame, recoding, coded, home, ranks)


def check_rows(recoding: LocalRecoding, rows: int) -> None:
    """Refuse to apply a local recoding to a table that is not the one it was made for."""
    if rows != int(recoding.counts.sum()):
        msg = f"The recoding speaks of {int(recoding.counts.sum())} records, the table has {rows}."
        raise DataError(msg, hint="a local recoding belongs to the table that it was made for.")


def _full_domain(frame: Frame, recoding: FullDomainRecoding, coded: Mapping[str, Coding], home: Home) -> Frame:
    prefix = free_prefix(frame.collect_schema().names())
    groups = {name: recoding.ladders[name].groups[level] for name, level in recoding.levels.items()}
    if recoding.suppressed and len(recoding.suppressed[0]):
        sizes = [len(recoding.ladders[name].labels[level]) for name, level in recoding.levels.items()]
        codings = [
            replace(coded[name], codes=groups[name], cardinality=size)
            for name, size in zip(recoding.quasi, sizes, strict=True)
        ]
        frame, words = with_words(frame, codings, home, prefix)
        packed = Packing.of(sizes).pack(recoding.suppressed)
        left_out = home.bring(pa.Table.from_arrays([of_numbers(word) for word in packed], words))
        frame = frame.join(left_out, on=words, how="anti")
    published = {}
    for number, (name, level) in enumerate(recoding.levels.items()):
        if level:
            texts = recoding.ladders[name].labels[level][groups[name]].tolist()
            frame, published[name] = with_lookup(
                frame, name, coded[name].keys, of_texts(texts), home, f"{prefix}label_{number}"
            )
    return frame.with_columns(**published) if published else frame


def _local(
    frame: Frame,
    recoding: LocalRecoding,
    coded: Mapping[str, Coding],
    home: Home,
    ranks: Sequence[Coding | str],
) -> Frame:
    columns = frame.collect_schema().names()
    prefix = free_prefix(columns)
    codings = [coded[name] for name in recoding.domains]
    frame, words = with_words(frame, codings, home, prefix)
    frame = only(frame, [*columns, *words])
    order, first, split = recoding.pieces()
    packed = Packing.of([coding.cardinality for coding in codings]).pack([codes[order] for codes in recoding.codes])
    entries = pa.table(
        {
            **dict(zip(words, packed, strict=True)),
            f"{prefix}class": recoding.classes[order],
            f"{prefix}first": first,
            f"{prefix}end": first + recoding.counts[order],
        }
    )
    whole = frame.join(home.bring(entries.filter(pa.array(~split))), on=words, how="inner")
    kept = [*columns, f"{prefix}class"]
    result = only(whole, kept)
    if split.any():
        pieces = home.bring(entries.filter(pa.array(split)))
        ranked = _ranked(frame.join(only(pieces, words).unique(), on=words, how="inner"), words, ranks, home, prefix)
        rank = nw.col(f"{prefix}rank")
        inside = (rank > nw.col(f"{prefix}first")) & (rank <= nw.col(f"{prefix}end"))
        parted = ranked.join(pieces, on=words, how="inner").filter(inside)
        result = nw.concat([result, only(parted, kept)])
    return _labelled(result.filter(nw.col(f"{prefix}class") >= 0), recoding, home, prefix)


def _ranked(frame: Frame, words: Sequence[str], ranks: Sequence[Coding | str], home: Home, prefix: str) -> Frame:
    """Renumber the rows of each cell from 1 by the values of the published columns, null last."""
    order: list[str] = []
    for number, rank in enumerate(ranks):
        value, absent = f"{prefix}rank_{number}", f"{prefix}absent_{number}"
        name = rank if isinstance(rank, str) else rank.column
        if isinstance(rank, str):
            frame = frame.with_columns(nw.col(name).alias(value))
        else:
            frame, code = with_lookup(frame, name, rank.keys, of_numbers(rank.codes), home, f"{prefix}by_{number}")
            frame = frame.with_columns(code.alias(value))
        frame = frame.with_columns(nw.col(name).is_null().cast(nw.Int8).alias(absent))
        order += [absent, value]
    counted = nw.col(words[0]).cum_count()
    rank_of = counted.over(*words, order_by=order or [words[0]])
    return frame.with_columns(rank_of.alias(f"{prefix}rank"))


def _labelled(frame: Frame, recoding: LocalRecoding, home: Home, prefix: str) -> Frame:
    """Replace every quasi-identifier by the label of its class."""
    names = [f"{prefix}label_{number}" for number in range(len(recoding.quasi))]
    table = {name: of_texts(labels.tolist()) for name, labels in zip(names, recoding.labels, strict=True)}
    numbers = np.arange(len(recoding.labels[0]))
    labels = home.bring(pa.table({f"{prefix}class": numbers, **table}))
    joined = frame.join(labels, on=f"{prefix}class", how="inner")
    return joined.with_columns(**{name: nw.col(label) for name, label in zip(recoding.quasi, names, strict=True)})
