"""How the table of a release is written as text: as the table that was read, unless told otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal

from incrowd.core import ParameterError, Schema
from incrowd.engines import Dialect, Engine, Wording, check_dialect
from incrowd.hierarchies import Averaged

Told = Literal["input", "plain"] | Mapping[str, Any]
"""As the file that was read, plainly, or by what differs from the file that was read."""
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


def wording_wanted(told: Told, read: Wording | None, engine: Engine, schema: Schema) -> Wording:
    """Say how a release is to be written.

    Parameters
    ----------
    told
        What the user says about it.
    read
        How the table that it was made of was written, if that was a text file.
    engine
        The table: what its columns are decides which of them are numbers or days, if it was no text file.
    schema
        The roles of the columns. Averages are numbers, whatever the column was.
    """
    if told == "plain" or (told == "input" and read is None):
        return Wording()
    averaged = [name for name, hierarchy in schema.quasi if isinstance(hierarchy, Averaged)]
    known = read or Wording(Dialect(), tuple(_numbers_and_days(engine)))
    if isinstance(told, Mapping):
        dialect = replace(known.dialect, **told)
        as_read = (dialect.decimal, dialect.dates) == (known.dialect.decimal, known.dialect.dates)
        known = Wording(dialect, known.columns if as_read or read is None else None)
    columns = known.columns
    return known if columns is None else Wording(known.dialect, tuple(dict.fromkeys([*columns, *averaged])))


def _numbers_and_days(engine: Engine) -> Iterable[str]:
    return (name for name, kind in engine.columns().items() if kind in {"number", "date", "datetime"})
