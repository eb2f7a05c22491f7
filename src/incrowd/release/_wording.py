"""How the table of a release is written as text: as the table that was read, unless told otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from incrowd.core import Domain, ParameterError, Schema
from incrowd.engines import Codebook, Dialect, Engine, Wording, check_dialect, open_table, table_of_columns
from incrowd.hierarchies import Averaged

Told = Literal["input", "plain"] | Mapping[str, Any]
"""As the file that was read, plainly, or by what differs from the file that was read."""
_TYPED = {"number", "date", "datetime"}
KEYS = ("separator", "decimal", "dates", "encoding", "mark")
HINT = "write 'input', 'plain', or what differs, such as {'separator': ';', 'decimal': ','}."


def check_told(told: Any) -> Told:
    """Refuse what says nothing about a text file."""
    if not isinstance(told, Mapping):
        if told in {"input", "plain"}:
            return told  # type: ignore[no-any-return]
        msg = f"dialect must be 'input', 'plain' or a table, got {told!r}."
        raise ParameterError(msg, hint=HINT)
    for key in told:
        if key not in KEYS:
            msg = f"dialect has no {key!r}."
            raise ParameterError(msg, hint=f"it has {', '.join(KEYS)}.")
    check_dialect(Dialect(**told))
    return dict(told)


def wording_read(engine: Engine) -> Wording | None:
    """Say how the file behind an engine writes its table; ``None`` if that is no text file."""
    dialect: Dialect | None = getattr(engine, "dialect", None)
    return None if dialect is None else Wording(dialect, tuple(getattr(engine, "rewritten", ())))


def wording_wanted(
    told: Told, read: Wording | None, engine: Engine, schema: Schema, domains: Mapping[str, Domain]
) -> Wording:
    """Say how a release is to be written."""
    if told == "plain" or (told == "input" and read is None):
        return Wording()
    columns = [name for name, hierarchy in schema.quasi if isinstance(hierarchy, Averaged)]
    known, typed = read or Wording(Dialect(), tuple(_numbers_and_days(engine))), False
    dialect = replace(known.dialect, **told) if isinstance(told, Mapping) else known.dialect
    if read is not None:  # plain numbers and days are none of the columns that were rewritten when they were read
        ways = zip(
            (dialect.decimal, dialect.dates), (read.dialect.decimal, read.dialect.dates), (".", None), strict=True
        )
        typed = any(new != old == plain for new, old, plain in ways)
    if typed:
        columns += [name for name, domain in domains.items() if name in schema.quasi_names and domain.kind in _TYPED]
    return Wording(dialect, tuple(dict.fromkeys([*known.columns, *columns])), typed)


def _numbers_and_days(engine: Engine) -> Iterable[str]:
    return (name for name, kind in engine.columns().items() if kind in _TYPED)


# What the columns and codes of SPSS and Stata mean, in a file of its own beside the published table.

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
    """Write what published columns and codes mean: column, code, label; without a code it is about the column."""
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
