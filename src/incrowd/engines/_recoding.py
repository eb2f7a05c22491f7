"""Applying a recoding inside an engine by joins, and reading the classes off a published table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import mul
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from incrowd.core import (
    TOP,
    Cells,
    Classes,
    DataError,
    Domain,
    FullDomainRecoding,
    Grouping,
    LocalRecoding,
    Packing,
    group,
    smallest_unsigned,
)
from incrowd.engines._arrow import of_numbers, of_texts
from incrowd.engines._backend import Backend, DuckBackend, Frame, select_columns
from incrowd.engines._encoding import Coded, Coding, lookup_expression, with_lookups, with_words

Pieces = tuple[Any, Any, Any]  # what ``LocalRecoding.pieces`` says


BELONGS = "a local recoding belongs to the table that it was made for, with the rows that it had."


def check_records(recoding: LocalRecoding, domain: Domain) -> None:
    """Refuse to apply a local recoding to a table that is not the one it was made for, unless it speaks of a part.

    ``domain`` is that of the column of counts, or where every row is a record, of any column.
    """
    values = [1] * len(domain) if recoding.count is None else domain.values.tolist()
    records = sum(map(mul, values, domain.counts.tolist()))
    if records != int(recoding.counts.sum()) and not recoding.partial:
        msg = f"The recoding is about {int(recoding.counts.sum()):,} records, and the table has {records:,}."
        raise DataError(msg, hint=BELONGS)


def recode_full_domain(frame: Frame, recoding: FullDomainRecoding, coded: Mapping[str, Coding], home: Backend) -> Frame:
    """Publish every column at its level; suppressed classes are left out or masked. All columns stay."""
    groups = {name: recoding.ladders[name].groups[level][coded[name].codes] for name, level in recoding.levels.items()}
    raised = [name for name in recoding.quasi if name not in recoding.unchanged]
    labels = {
        name: of_texts(recoding.ladders[name].labels[recoding.levels[name]][groups[name]].tolist()) for name in raised
    }
    if recoding.has_left_out:
        sizes = _group_counts(recoding)
        codings = [
            replace(coded[name], codes=groups[name], cardinality=size)
            for name, size in zip(recoding.quasi, sizes, strict=True)
        ]
        frame, words = with_words(frame, codings, home, {coded[name].column: labels[name] for name in raised})
        packed = Packing.of(sizes).pack(recoding.suppressed)
        left_out = home.bring(pa.Table.from_arrays([of_numbers(word) for word in packed], words))
        if recoding.masked:
            frame = frame.join(left_out.with_columns(nw.lit(value=True).alias("masked")), on=words, how="left")
        else:
            frame = frame.join(left_out, on=words, how="anti")
    else:
        frame = with_lookups(frame, [(coded[name], {"label": labels[name]}) for name in raised], home)
    published = {}
    for name in raised:
        label = lookup_expression(coded[name], labels[name], "label")
        masked = (
            nw.when(nw.col("masked").is_null()).then(label).otherwise(nw.lit(TOP)) if recoding.has_masked else label
        )
        published[coded[name].column] = masked
    return frame.with_columns(**published) if published else frame


def recode_locally(
    frame: Frame,
    recoding: LocalRecoding,
    pieces: Pieces,
    coded: Mapping[str, Coding],
    home: Backend,
    ranks: Sequence[Coding | str],
) -> Frame:
    """Publish every record as its class, without the suppressed records."""
    columns = frame.collect_schema().names()
    codings = [
        replace(coded[name], codes=recoding.cell_codes(name, coded[name].codes), cardinality=size)
        for name, size in zip(recoding.domains, recoding.cardinalities, strict=True)
    ]
    frame, words = with_words(frame, codings, home)
    records = int(recoding.counts.sum())
    frame = home.settled(select_columns(frame, [*columns, *words]), records)
    entries, parting = _cell_entries(recoding, pieces, codings, words)
    kept = [*columns, "class"]
    result = select_columns(frame.join(home.bring(entries), on=words, how="inner"), kept)
    if len(parting):
        parts = home.bring(parting)
        ranked = _rows_ranked_in_cells(
            frame.join(select_columns(parts, words).unique(), on=words, how="inner"), words, ranks, home
        )
        rank = nw.col("rank")
        inside = (rank > nw.col("first")) & (rank <= nw.col("end"))
        result = nw.concat([result, select_columns(ranked.join(parts, on=words, how="inner").filter(inside), kept)])
    return _with_labels(home.settled(result.filter(nw.col("class") >= 0), records), recoding, coded, home)


def replace_values(frame: Frame, coding: Coding, texts: Sequence[str | None], home: Backend) -> Frame:
    """Replace every value of a column by a text: one per code, null last."""
    found = of_texts(texts)
    frame = with_lookups(frame, [(coding, {"new": found})], home)
    return frame.with_columns(**{coding.column: lookup_expression(coding, found, "new")})


def _cell_entries(
    recoding: LocalRecoding, pieces: Pieces, codings: Sequence[Coding], words: list[str]
) -> tuple[pa.Table, pa.Table]:
    """Give where cells go as a whole, and the pieces of those that part with the ranks that each takes."""
    order, first, split = pieces
    packed = Packing.of([coding.cardinality for coding in codings]).pack([codes[order] for codes in recoding.codes])
    arrays = [*packed, recoding.classes[order].astype(np.int64)]
    whole = [of_numbers(array[~split]) for array in arrays] if split.any() else [*map(of_numbers, arrays)]
    first, end = first[split], (first + recoding.counts[order])[split]
    parting = [of_numbers(array) for array in (*(array[split] for array in arrays), first, end)]
    names = [*words, "class"]
    return pa.Table.from_arrays(whole, names), pa.Table.from_arrays(parting, [*names, "first", "end"])


def _rows_ranked_in_cells(frame: Frame, words: Sequence[str], ranks: Sequence[Coding | str], home: Backend) -> Frame:
    """Renumber the rows of each cell from 1 by the values of the published columns, null last."""
    order: list[str] = []
    found = [(rank, of_numbers(rank.codes.astype(np.int64))) for rank in ranks if isinstance(rank, Coding)]
    frame = with_lookups(frame, [(coding, {"by": numbers}) for coding, numbers in found], home)
    joined = {coding.column: lookup_expression(coding, numbers, "by") for coding, numbers in found}
    for rank in ranks:
        name = rank if isinstance(rank, str) else rank.column
        value, absent = f"rank_{name}", f"absent_{name}"
        by = joined.get(name, nw.col(name))
        frame = frame.with_columns(by.alias(value), nw.col(name).is_null().cast(nw.Int8).alias(absent))
        order += [absent, value]
    for name in _columns_to_print(frame, ranks) if isinstance(home, DuckBackend) else ():
        frame = frame.with_columns(nw.col(name).cast(nw.String).alias(f"printed_{name}"))
        order.append(f"printed_{name}")
    rank_of = nw.col(words[0]).cum_count().over(*words, order_by=order or [words[0]])
    return frame.with_columns(rank_of.alias("rank"))


def _columns_to_print(frame: Frame, ranks: Sequence[Coding | str]) -> list[str]:
    """Name columns whose values may differ and yet be equal for DuckDB: a month and 30 days, lists of 0.0 and -0.0."""
    types, plain = frame.collect_schema(), (nw.String, nw.Boolean, nw.Date, nw.Datetime)
    columns = [rank for rank in ranks if isinstance(rank, str)]
    return [name for name in columns if not (types[name].is_numeric() or isinstance(types[name], plain))]


def _with_labels(frame: Frame, recoding: LocalRecoding, coded: Mapping[str, Coding], home: Backend) -> Frame:
    """Put the labels of their class into the rows; a column that keeps all of its values keeps their type."""
    labels = zip(recoding.quasi, recoding.labels, strict=True)
    raised = {coded[name].column: of_texts(texts.tolist()) for name, texts in labels if name not in recoding.unchanged}
    if not raised:
        return frame
    numbers = of_numbers(np.arange(len(recoding.labels[0])))
    names = ["class", *(f"label_{column}" for column in raised)]
    joined = frame.join(home.bring(pa.Table.from_arrays([numbers, *raised.values()], names)), on="class", how="inner")
    return joined.with_columns(**{column: nw.col(f"label_{column}") for column in raised})


# Applying a recoding to rows that are numbers.

Published = tuple[Any, dict[str, Coded]]
"""Which rows are published, as a mask, numbers or a slice; and in these rows, the columns that get labels."""


def publish_full_domain(recoding: FullDomainRecoding, codes: Mapping[str, Any]) -> Published:
    """Publish every column at its level; the suppressed classes are left out, or masked."""
    groups = {name: recoding.ladders[name].groups[level].take(codes[name]) for name, level in recoding.levels.items()}
    labels = {name: recoding.ladders[name].labels[level] for name, level in recoding.levels.items()}
    rows: Any = ~recoding.is_suppressed(list(groups.values())) if recoding.has_left_out else slice(None)
    if recoding.has_masked:
        masked = {name: np.where(rows, groups[name], len(labels[name])) for name in recoding.levels}
        return slice(None), {name: _labelled_rows(np.append(labels[name], TOP), masked[name]) for name in masked}
    raised = (name for name in recoding.quasi if name not in recoding.unchanged)
    return rows, {name: _labelled_rows(labels[name], groups[name][rows]) for name in raised}


def publish_locally(recoding: LocalRecoding, codes: Mapping[str, Any], ranks: Sequence[Any]) -> Published:
    """Publish every record as its class, without the suppressed records."""
    order, _, _ = recoding.pieces()
    own = [recoding.cell_codes(name, column) for name, column in codes.items()]
    entries, cells = _combination_numbers([column[order] for column in recoding.codes], own, recoding.cardinalities)
    rows, classes = _rows_with_class(recoding, order, entries, cells, ranks)
    labels = zip(recoding.quasi, recoding.labels, strict=True)
    return rows, {name: _labelled_rows(texts, classes) for name, texts in labels if name not in recoding.unchanged}


def classes_of_whole_cells(recoding: LocalRecoding, codes: Mapping[str, Any]) -> Any:
    """Give the class of every row, -1 if it is left out, by a recoding that parts no cell."""
    own = [recoding.cell_codes(name, codes[name]) for name in recoding.domains]
    entries, cells = _combination_numbers(recoding.codes, own, recoding.cardinalities)
    return _classes_by_number(recoding.classes, entries, cells)


def _classes_by_number(classes: Any, entries: Any, cells: Any) -> Any:
    known = np.full(int(max(entries.max(initial=0), cells.max(initial=0))) + 1, -2, dtype=np.int64)
    known[entries] = classes
    if (known[cells] == -2).any():
        raise other_records()
    return known[cells]


def _rows_with_class(recoding: LocalRecoding, order: Any, entries: Any, cells: Any, ranks: Sequence[Any]) -> Any:
    """Give the rows that are published, in the order of the table, and the class of each."""
    if recoding.count is not None:  # cells go as a whole, however many records a row stands for
        classes = _classes_by_number(recoding.classes[order], entries, cells)
        rows = np.flatnonzero(classes >= 0)
        return rows, classes[rows]
    rows = np.lexsort((*ranks[::-1], cells))
    rows = rows[np.isin(cells[rows], entries)] if recoding.partial else rows
    if not np.array_equal(np.repeat(entries, recoding.counts[order]), cells[rows]):
        raise other_records()
    classes = np.repeat(recoding.classes[order], recoding.counts[order])
    rows, classes = rows[classes >= 0], classes[classes >= 0]
    order = np.argsort(rows)  # for whoever wants to keep the order of the table
    return rows[order], classes[order]


def other_records() -> DataError:
    return DataError("The recoding is about other records than the table has.", hint=BELONGS)


def _group_counts(recoding: FullDomainRecoding) -> list[int]:
    return [len(recoding.ladders[name].labels[level]) for name, level in recoding.levels.items()]


def _combination_numbers(some: Sequence[Any], others: Sequence[Any], sizes: Sequence[int]) -> tuple[Any, Any]:
    """Give every combination of codes a number, the same in two tables, in the order of the combinations."""
    columns = [np.concatenate(pair) for pair in zip(some, others, strict=True)]
    ids = group(columns, sizes).ids
    return ids[: len(some[0])], ids[len(some[0]) :]


def _labelled_rows(texts: Any, numbers: Any) -> Coded:
    return Coded.ranked(of_texts(texts.tolist()).cast(pa.string()), numbers)


# The classes of a published table: its labels grouped as they stand, with no help from census, ladders or kernels.


def label_classes(
    *,
    quasi: Sequence[tuple[Any, Any]],  # per column the number of each row's label, and the texts of the labels
    sensitive: Mapping[str, Any],
    domains: Mapping[str, Domain],
    person: Any | None,
    counts: Any,
) -> Classes:
    """Read the classes off a published table that is grouped by all of these columns and sorted."""
    starts = changes([codes for codes, _ in quasi])
    first = np.flatnonzero(starts)
    members = (np.cumsum(starts) - 1).astype(smallest_unsigned(len(first)))
    smaller = {name: codes.astype(smallest_unsigned(len(domains[name]))) for name, codes in sensitive.items()}
    cells = Cells(smaller, domains, person, counts)
    codes = tuple(codes[first] for codes, _ in quasi)
    return Classes.of(Grouping(members, first), codes, cells, tuple(texts for _, texts in quasi))


def changes(columns: Sequence[Any]) -> Any:
    """Mark the rows at which some column differs from the row before."""
    starts = np.zeros(len(columns[0]), dtype=bool)
    starts[:1] = True
    for column in columns:
        starts[1:] |= column[1:] != column[:-1]
    return starts
