"""How a table is published and written: pseudonyms, other columns, dialect, labels of codes, formats."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from incrowd.core import TOP, DataError, Domain, Hint, ParameterError, Recoding, Schema, SchemaError, bytes_in
from incrowd.engines import (
    Codebook,
    Dialect,
    Engine,
    Replace,
    Shift,
    Wording,
    check_dialect,
    files_of,
    open_table,
    table_of_columns,
)
from incrowd.hierarchies import Averaged
from incrowd.release._about import check_about
from incrowd.release._census import Reading, check_arguments
from incrowd.release._shifted_dates import shifts_of, untrue_text
from incrowd.release._signature import KeyFile, check_key
from incrowd.search import Suppression

# Pseudonyms: an identifier is published as a code that only the holder of a key can make again.

LEAST = 32
"""So many bytes a key must have: with fewer, all keys could be tried."""
LENGTH = 32
"""So many characters a pseudonym has: 128 bits, so that two persons never share one."""


def pseudonyms_of(keys: Mapping[str, str | os.PathLike[str]], schema: Schema) -> dict[str, Replace]:
    """Say how identifiers become pseudonyms, by the file with the key of each.

    A pseudonym is the beginning of HMAC-SHA-256 of the value as it is printed, in UTF-8. The column's name takes no
    part: the same person gets the same pseudonym wherever the same key is used.
    """
    for name in keys:
        if schema.role(name) not in {"identifier", "entity"}:
            msg = f"Column {name!r} cannot become a pseudonym: it is no identifier."
            raise SchemaError(msg, hint="name it in identifiers=[...] or as entity in the schema.")
    return {name: _pseudonym(key_in(path, f"column {name!r}")) for name, path in keys.items()}


def _pseudonym(key: bytes) -> Replace:
    return lambda text: hmac.digest(key, text.encode(), hashlib.sha256).hex()[:LENGTH]


def date_key(path: KeyFile | None) -> bytes | None:
    """Read the key by which dates are shifted, if its file is named."""
    return None if path is None else key_in(path, "the shifted dates")


def key_in(path: KeyFile, what: str) -> bytes:
    """Read a key that is long enough."""
    try:
        key = bytes_in(path)
    except OSError as error:
        trouble = f"The key of {what} cannot be read: {error.strerror}."
    else:
        if len(key) >= LEAST:
            return key
        trouble = f"The key of {what} has {len(key)} bytes, and must have at least {LEAST}."
    raise DataError(trouble, hint="make one with: python -c \"import os; open('key.bin', 'wb').write(os.urandom(32))\"")


# What the file of a release looks like.

Format = Literal["parquet", "csv", "csv.gz", "arrow", "xlsx", "sav", "dta"]
Stars = Literal["star", "null"]
"""What a file has where a star is published: the star, or nothing."""
WantedDialect = Literal["input", "plain"] | Mapping[str, Any]
"""As the file that was read, plainly, or by what differs from the file that was read."""
KEYS = ("separator", "decimal", "dates", "encoding", "mark")
_TYPED = {"number", "date", "datetime"}
_WHOLE = re.compile("0|-?[1-9][0-9]{0,17}")


@dataclass(frozen=True, slots=True)
class Output:
    """Where a release is written, and how; without ``about``, what only the owner knows, without reports."""

    folder: Path
    format: Format = "parquet"
    dialect: WantedDialect = "input"
    labels: bool = False
    force: bool = False
    sign: KeyFile | None = None
    plan: str | None = None
    about: Mapping[str, str] | None = None
    stars: Stars = "star"

    def write(
        self, released: Engine, data: Path, wanted: Wording, recoding: Recoding, *, keep_order: bool = False
    ) -> Wording:
        """Write a published table, and say how."""
        wanted = self._without_stars(released, wanted, recoding)
        return replace(released.write(data, keep_order=keep_order, wording=wanted), stars=wanted.stars)

    def _without_stars(self, released: Engine, wanted: Wording, recoding: Recoding) -> Wording:
        """Say where stars are left out, and which columns then are whole numbers; refuse what nobody could tell apart.

        A missing value that is published is a value as any other: beside a star that is nothing too it would be lost.
        """
        if self.stars == "star":
            return wanted
        stars, numbers, columns = [], [], released.columns()
        for name, found in released.domains(recoding.quasi).items():
            labels = {*found.texts.tolist()}
            if TOP in labels:
                stars.append(name)
                if None in labels:
                    raise _not_told_apart(name)
            values = labels - {TOP, None}
            texts = columns[name] == "text" and recoding.domains[name].kind == "number"
            if texts and values and all(map(_WHOLE.fullmatch, values)):
                numbers.append(name)
        return replace(wanted, stars=tuple(stars), numbers=tuple(numbers))

    def wording(self, engine: Engine, read: Wording | None, schema: Schema, domains: Mapping[str, Domain]) -> Wording:
        """Say how a release is written as text: as the table was read, if that was a text file, unless told otherwise.

        What the columns of other tables are decides which of them are numbers or days. Averages are numbers, whatever
        the column was. Values of quasi-identifiers may be released among labels. A format that has labels says which
        columns are not true.
        """
        return replace(self._text_wording(engine, read, schema, domains), untrue=schema.shifted_names)

    def _text_wording(
        self, engine: Engine, read: Wording | None, schema: Schema, domains: Mapping[str, Domain]
    ) -> Wording:
        told = self.dialect
        if told == "plain" or (told == "input" and read is None):
            return Wording()
        columns = [name for name, hierarchy in schema.quasi if isinstance(hierarchy, Averaged)]
        typed = [name for name, kind in engine.columns().items() if kind in _TYPED] if read is None else []
        known, among_labels = read or Wording(Dialect(), tuple(typed)), False
        dialect = replace(known.dialect, **told) if isinstance(told, Mapping) else known.dialect
        if read is not None:  # plain numbers and days are none of the columns that were rewritten when they were read
            old = read.dialect
            among_labels = dialect.decimal != old.decimal == "." or (dialect.dates is not None and old.dates is None)
        if among_labels:
            quasi = schema.quasi_names
            columns += [name for name, domain in domains.items() if name in quasi and domain.kind in _TYPED]
        return Wording(dialect, tuple(dict.fromkeys([*known.columns, *columns])), among_labels)

    def codebook(self, engine: Engine) -> Codebook | None:
        """Give what a table knows about its columns and codes, if that is wanted; refuse a table that knows nothing."""
        found: Codebook = getattr(engine, "codebook", Codebook())
        if self.labels and not found:
            msg = "The table has no labels that could be written."
            raise ParameterError(msg, hint="files of SPSS and Stata have; leave labels out for others.")
        return found if self.labels else None


def _not_told_apart(name: str) -> DataError:
    msg = f"Column {name!r} has missing values that are published, and stars: both cannot be written as nothing."
    hint = Hint("use {stars}, or leave out records with missing values: {missing}.", stars="star", missing="drop")
    return DataError(msg, hint=hint)


def check_wanted_dialect(told: Any) -> WantedDialect:
    """Refuse what says nothing about a text file."""
    wanted: WantedDialect = told
    if not isinstance(told, Mapping):
        if told in ("input", "plain"):
            return wanted
        msg = f"dialect must be 'input', 'plain' or a table, got {told!r}."
        hint = "write 'input', 'plain', or what differs, such as {'separator': ';', 'decimal': ','}."
        raise ParameterError(msg, hint=hint)
    for key in told:
        if key not in KEYS:
            msg = f"dialect has no {key!r}."
            raise ParameterError(msg, hint=f"it has {', '.join(KEYS)}.")
    check_dialect(Dialect(**told))
    return dict(told)


# What the columns and codes of SPSS and Stata mean, in a file of its own beside the published table.

LABELS = "labels.csv"


def write_labels(public: Path, codebook: Codebook, released: Engine, schema: Schema, wording: Wording) -> None:
    """Write what published columns and codes mean: column, code, label; without a code it is about the column.

    It is written as the published table is. Nothing is said about a code that is not in there, nor about averages.
    """
    averaged = {name for name, hierarchy in schema.quasi if isinstance(hierarchy, Averaged)}
    rows = [*_label_rows(codebook.with_untrue(schema.shifted_names), released, averaged)]
    named = zip(("column", "code", "label"), zip(*rows, strict=True) if rows else [(), (), ()], strict=True)
    table = table_of_columns({name: list(values) for name, values in named})
    open_table(table, missing_values=()).write(public / LABELS, keep_order=True, wording=Wording(wording.dialect, ()))


def _label_rows(codebook: Codebook, released: Engine, averaged: set[str]) -> Iterator[tuple[str, str | None, str]]:
    for name in released.columns():
        if name in codebook.labels:
            yield name, None, codebook.labels[name]
        if name in codebook.codes and name not in averaged:
            published = set(released.domains([name])[name].texts.tolist())
            for code, label in codebook.codes[name].items():
                text = str(int(code)) if isinstance(code, float) and code.is_integer() else str(code)
                if text in published:
                    yield name, text, label


# What may be said when a table is published.

Others = Literal["refuse", "drop"]
Order = Literal["sorted", "keep"]


class Publishing(Reading, total=False):
    """How to read a table, and how to publish it."""

    others: Others
    order: Order
    suppression: Suppression
    pseudonyms: Mapping[str, str | os.PathLike[str]] | None
    shift_key: KeyFile | None
    output: str | os.PathLike[str] | None
    format: Format
    dialect: WantedDialect
    labels: bool
    force: bool
    sign: KeyFile | None
    plan: str | None
    about: Mapping[str, str] | None
    stars: Stars


@dataclass(frozen=True, slots=True)
class Manner:
    """How a table is read and published, checked; without an output it is given back."""

    others: Others
    order: Order
    suppression: Suppression
    pseudonyms: Mapping[str, Replace]
    shifts: Mapping[str, Shift]
    output: Output | None
    reading: Mapping[str, Any]

    @classmethod
    def of(cls, options: Mapping[str, Any], schema: Schema) -> Manner:
        """Check how a table is to be published, before anything is read."""
        check_arguments(schema, options, {**Reading.__annotations__, **Publishing.__annotations__})
        return cls(
            others=check_choice_of("others", options.get("others", "refuse")),
            order=check_choice_of("order", options.get("order", "sorted")),
            suppression=check_choice_of("suppression", options.get("suppression", "drop")),
            pseudonyms=pseudonyms_of(options.get("pseudonyms") or {}, schema),
            shifts=shifts_of(schema, date_key(options.get("shift_key"))),
            output=_output(options),
            reading={name: value for name, value in options.items() if name in Reading.__annotations__},
        )

    @property
    def replaced(self) -> dict[str, Replace | Shift]:
        """How columns that are not recoded are published."""
        return {**self.pseudonyms, **self.shifts}

    @property
    def notes(self) -> list[str]:
        """Say what is dangerous about it."""
        notes = [
            f"Column {name!r} is published as a pseudonym: it links the rows of a person, here and in other releases."
            for name in self.pseudonyms
        ]
        if self.shifts:
            notes.append(f"{untrue_text(tuple(self.shifts))} Whoever has the key of the shift can undo it.")
        if self.order == "keep":
            notes.append("Rows keep their order: whoever knows the order of the original table knows whose row it is.")
        return notes

    def refuse_own_output(self, table: Any) -> None:
        """Refuse to write where the table is read: the next run would take the release for a part of it."""
        if self.output is None or not isinstance(table, (str, os.PathLike)) or Path(table).is_file():
            return
        folder = self.output.folder.resolve()
        inside = Path(table).resolve() in {folder, *folder.parents}
        if inside or any(folder in file.resolve().parents for file in files_of(table).files):
            msg = f"The release cannot be written to {str(self.output.folder)!r}: the table is read from there."
            raise ParameterError(msg, hint="choose a folder that is no part of the table.")


def _output(options: Mapping[str, Any]) -> Output | None:
    if options.get("output") is None:
        for name in ("format", "dialect", "labels", "force", "sign", "plan", "about", "stars"):
            if options.get(name):
                msg = f"{name} says how files are written, and output is not given."
                raise ParameterError(msg, hint="give output, or write the files with release.save.")
        return None
    kind = check_choice_of("format", options.get("format", "parquet"))
    if options.get("about") is not None:
        check_about(options["about"])
    if options.get("sign") is not None:
        check_key(options["sign"])  # not after a search that would be for nothing
    return Output(
        folder=Path(options["output"]),
        format=kind,
        dialect=check_wanted_dialect(options.get("dialect", "input")),
        labels=bool(options.get("labels")),
        force=bool(options.get("force")),
        sign=options.get("sign"),
        plan=options.get("plan"),
        about=options.get("about"),
        stars=check_stars(options.get("stars", "star")),
    )


def check_stars(told: Any) -> Stars:
    """Refuse what says nothing about stars."""
    wanted: Stars = check_choice_of("stars", told)
    return wanted


_CHOICES: Mapping[str, Any] = {
    "others": Others,
    "order": Order,
    "suppression": Suppression,
    "format": Format,
    "stars": Stars,
}


def check_choice_of(name: str, given: Any) -> Any:
    """Refuse what is none of the words for something."""
    names = get_args(_CHOICES[name])
    if given not in names:
        msg = f"{name} must be {', '.join(map(repr, names[:-1]))} or {names[-1]!r}, got {given!r}."
        raise ParameterError(msg)
    return given
