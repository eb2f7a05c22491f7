"""How a table is published: what may be said about it besides roles, promise and search."""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from incrowd.core import DataError, ParameterError, Schema, SchemaError
from incrowd.engines import Replace, files_of
from incrowd.release._census import Reading, check_names, check_schema
from incrowd.release._certificate import KeyFile
from incrowd.release._folder import Format
from incrowd.release._wording import Told, check_told
from incrowd.search import Suppression

# Pseudonyms: an identifier is published as a code that only the holder of a key can make again.

LEAST = 32
"""So many bytes a key must have: with fewer, all keys could be tried."""

LENGTH = 32
"""So many characters a pseudonym has: 128 bits, so that two persons never share one."""


def pseudonyms_of(keys: Mapping[str, str | os.PathLike[str]], schema: Schema) -> dict[str, Replace]:
    """Say how identifiers become pseudonyms.

    A pseudonym is the beginning of HMAC-SHA-256 of the value as it is printed, in UTF-8. The column's name takes no
    part: the same person gets the same pseudonym wherever the same key is used.
    """
    for name in keys:
        if schema.role(name) not in {"identifier", "entity"}:
            msg = f"Column {name!r} cannot become a pseudonym: it is no identifier."
            raise SchemaError(msg, hint="name it in identifiers=[...] or as entity in the schema.")
    return {name: _pseudonym(_key(Path(path), name)) for name, path in keys.items()}


def _pseudonym(key: bytes) -> Replace:
    def replace(text: str) -> str:
        return hmac.digest(key, text.encode(), hashlib.sha256).hex()[:LENGTH]

    return replace


def _key(path: Path, column: str) -> bytes:
    try:
        key = path.read_bytes()
    except OSError as error:
        trouble = f"The key of column {column!r} cannot be read: {error.strerror}."
    else:
        if len(key) >= LEAST:
            return key
        trouble = f"The key of column {column!r} has {len(key)} bytes, and must have at least {LEAST}."
    raise DataError(trouble, hint="make one with: python -c \"import os; open('key.bin', 'wb').write(os.urandom(32))\"")


Others = Literal["refuse", "drop"]
Order = Literal["sorted", "keep"]


class Publishing(Reading, total=False):
    """How to read a table, and how to publish it."""

    others: Others
    order: Order
    suppression: Suppression
    pseudonyms: Mapping[str, str | os.PathLike[str]] | None
    output: str | os.PathLike[str] | None
    format: Format
    dialect: Told
    labels: bool
    force: bool
    sign: KeyFile | None
    plan: str | None
    about: Mapping[str, str] | None


@dataclass(frozen=True, slots=True)
class Output:
    """Where a release is written, and how."""

    folder: Path
    format: Format
    force: bool
    sign: KeyFile | None
    plan: str | None
    about: Mapping[str, str] | None = None
    dialect: Told = "input"
    labels: bool = False


@dataclass(frozen=True, slots=True)
class Manner:
    """How a table is published, checked."""

    others: Others
    order: Order
    suppression: Suppression
    pseudonyms: Mapping[str, Replace]
    output: Output | None

    @property
    def notes(self) -> list[str]:
        """Say what is dangerous about it."""
        notes = [
            f"Column {name!r} is published as a pseudonym: it links the rows of a person, here and in other releases."
            for name in self.pseudonyms
        ]
        if self.order == "keep":
            notes.append("Rows keep their order: whoever knows the order of the original table knows whose row it is.")
        return notes


def reading_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """Give what is about reading a table."""
    return {name: value for name, value in options.items() if name in Reading.__annotations__}


def manner_of(options: Mapping[str, Any], schema: Schema) -> Manner:
    """Check how a table is to be published, before anything is read."""
    check_schema(schema)
    check_names(options, {**Reading.__annotations__, **Publishing.__annotations__})
    return Manner(
        others=_one_of("others", Others, options.get("others", "refuse")),
        order=_one_of("order", Order, options.get("order", "sorted")),
        suppression=_one_of("suppression", Suppression, options.get("suppression", "drop")),
        pseudonyms=pseudonyms_of(options.get("pseudonyms") or {}, schema),
        output=_output(options),
    )


def refuse_own_output(table: Any, manner: Manner) -> None:
    """Refuse to write where the table is read: the next run would take the release for a part of it."""
    if manner.output is None or not isinstance(table, (str, os.PathLike)) or Path(table).is_file():
        return
    folder = manner.output.folder.resolve()
    inside = Path(table).resolve() in {folder, *folder.parents}
    if inside or any(folder in file.resolve().parents for file in files_of(table).files):
        msg = f"The release cannot be written to {str(manner.output.folder)!r}: the table is read from there."
        raise ParameterError(msg, hint="choose a folder that is no part of the table.")


def _output(options: Mapping[str, Any]) -> Output | None:
    folder = options.get("output")
    if folder is None:
        for name in ("format", "dialect", "labels", "force", "sign", "plan", "about"):
            if options.get(name):
                msg = f"{name} says how files are written, and output is not given."
                raise ParameterError(msg, hint="give output, or write the files with release.save.")
        return None
    kind = _one_of("format", Format, options.get("format", "parquet"))
    if options.get("about") is not None:
        from incrowd.release._about import check_about  # noqa: PLC0415 - only where a report is asked for

        check_about(options["about"])
    return Output(
        folder=Path(folder),
        format=kind,
        force=bool(options.get("force")),
        sign=options.get("sign"),
        plan=options.get("plan"),
        about=options.get("about"),
        dialect=check_told(options.get("dialect", "input")),
        labels=bool(options.get("labels")),
    )


def _one_of(name: str, known: Any, given: Any) -> Any:
    names = get_args(known)
    if given not in names:
        msg = f"{name} must be {', '.join(map(repr, names[:-1]))} or {names[-1]!r}, got {given!r}."
        raise ParameterError(msg)
    return given
