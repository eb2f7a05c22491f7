"""What the columns and codes of SPSS and Stata mean, in a file of its own beside the published table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from incrowd.core import ParameterError, Schema
from incrowd.engines import Codebook, Engine, Wording, open_table, table_of_columns
from incrowd.hierarchies import Averaged

LABELS = "labels.csv"
Row = tuple[str, str | None, str]


def labels_known(engine: Engine, *, wanted: bool) -> Codebook | None:
    """Give what a table knows about its columns and codes, if that is wanted; refuse a table that knows nothing."""
    found: Codebook = getattr(engine, "codebook", Codebook())
    if wanted and not found:
        msg = "The table has no labels that could be written."
        raise ParameterError(msg, hint="files of SPSS and Stata have; leave labels out for others.")
    return found if wanted else None


def write_labels(public: Path, codebook: Codebook, released: Engine, schema: Schema, wording: Wording) -> None:
    """Write what published columns and codes mean: column, code, label; without a code it is about the column.

    Parameters
    ----------
    public
        The folder of what may be given away.
    codebook
        What the original table knows.
    released
        The published table: nothing is written about a code that it has not.
    schema
        The roles of the columns. The average of codes is no code.
    wording
        How the published table is written, which is how this is.
    """
    averaged = {name for name, hierarchy in schema.quasi if isinstance(hierarchy, Averaged)}
    rows = [*_rows(codebook, released, averaged)]
    named = zip(("column", "code", "label"), zip(*rows, strict=True) if rows else [(), (), ()], strict=True)
    table = table_of_columns({name: list(values) for name, values in named})
    open_table(table, missing_values=()).write(public / LABELS, keep_order=True, wording=Wording(wording.dialect, ()))


def _rows(codebook: Codebook, released: Engine, averaged: set[str]) -> Iterator[Row]:
    for name in released.columns():
        if name in codebook.labels:
            yield name, None, codebook.labels[name]
        if name in codebook.codes and name not in averaged:
            published = set(released.domains([name])[name].texts.tolist())
            for code, label in codebook.codes[name].items():
                text = str(int(code)) if isinstance(code, float) and code.is_integer() else str(code)
                if text in published:
                    yield name, text, label
