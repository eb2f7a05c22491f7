"""Applying a recoding to rows that are numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from incrowd.core import TOP, DataError, FullDomainRecoding, LocalRecoding, group
from incrowd.engines._coded import Coded
from incrowd.engines._columns import of_texts

Published = tuple[Any, dict[str, Coded]]
"""Which rows are published, as a mask, numbers or a slice; and in these rows, the columns that get labels."""


def publish_full_domain(recoding: FullDomainRecoding, codes: Mapping[str, Any]) -> Published:
    """Publish every column at its level; the suppressed classes are left out, or masked.

    Parameters
    ----------
    recoding
        What each record is published as.
    codes
        Per quasi-identifier the code of every row in the domain of the recoding.
    """
    groups = {name: recoding.ladders[name].groups[level][codes[name]] for name, level in recoding.levels.items()}
    labels = {name: recoding.ladders[name].labels[level] for name, level in recoding.levels.items()}
    rows: Any = slice(None)
    if recoding.leaves_out:
        sizes = [len(texts) for texts in labels.values()]
        left_out, cells = together(recoding.suppressed, list(groups.values()), sizes)
        rows = np.isin(cells, left_out, invert=True)
    if recoding.masks:
        masked = {name: np.where(rows, groups[name], len(labels[name])) for name in recoding.levels}
        return slice(None), {name: _labelled(np.append(labels[name], TOP), masked[name]) for name in masked}
    raised = (name for name, level in recoding.levels.items() if level)
    return rows, {name: _labelled(labels[name], groups[name][rows]) for name in raised}


def publish_locally(recoding: LocalRecoding, codes: Mapping[str, Any], ranks: Sequence[Any]) -> Published:
    """Publish every record as its class, without the suppressed records.

    Parameters
    ----------
    recoding, codes
        As above, with a code for every column that makes a cell.
    ranks
        What decides which rows of a cell go where: the codes of the published columns.
    """
    order, _, _ = recoding.pieces()
    own = [recoding.counted(name, column) for name, column in codes.items()]
    entries, cells = together([column[order] for column in recoding.codes], own, recoding.cardinalities)
    rows = np.lexsort((*ranks[::-1], cells))
    rows = rows[np.isin(cells[rows], entries)] if recoding.partial else rows
    if not np.array_equal(np.repeat(entries, recoding.counts[order]), cells[rows]):
        msg = "The recoding is about other records than the table has."
        raise DataError(msg, hint="a local recoding belongs to the table that it was made for, one row per record.")
    classes = np.repeat(recoding.classes[order], recoding.counts[order])
    rows, classes = rows[classes >= 0], classes[classes >= 0]
    order = np.argsort(rows)  # the order of the table, for whoever wants to keep it
    rows, classes = rows[order], classes[order]
    labels = zip(recoding.quasi, recoding.labels, strict=True)
    return rows, {name: _labelled(texts, classes) for name, texts in labels}


def together(some: Sequence[Any], others: Sequence[Any], sizes: Sequence[int]) -> tuple[Any, Any]:
    """Give every combination of codes a number, the same in two tables, in the order of the combinations."""
    columns = [np.concatenate(pair) for pair in zip(some, others, strict=True)]
    ids = group(columns, sizes).ids
    return ids[: len(some[0])], ids[len(some[0]) :]


def _labelled(texts: Any, numbers: Any) -> Coded:
    return Coded.ranked(of_texts(texts.tolist()).cast(pa.string()), numbers)
