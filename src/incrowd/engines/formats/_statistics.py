"""SPSS, Stata and SAS files read and written, with what variables and codes are called (``Codebook``)."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from incrowd.core import DataError, import_extra
from incrowd.engines._arrow import check_finite, check_written_values, with_narrowest_types
from incrowd.engines.formats._csv import BROKEN

# What a statistics package knows about columns besides their values: what they mean, and what their codes mean.

Code = str | int | float
UNTRUE = "not true (dates shifted)"
LABEL = 80  # signs that Stata has for a label
_LABEL, _MEASURE, _CODES = b"incrowd.label", b"incrowd.measure", b"incrowd.codes"


@dataclass(frozen=True, slots=True)
class Codebook:
    """The labels of a table."""

    labels: Mapping[str, str] = field(default_factory=dict)
    measures: Mapping[str, str] = field(default_factory=dict)  # nominal, ordinal or scale
    codes: Mapping[str, Mapping[Code, str]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.labels or self.measures or self.codes)

    @classmethod
    def of(cls, schema: pa.Schema) -> Codebook:
        """Read the labels that an Arrow table carries."""
        known = {one.name: one.metadata for one in schema if one.metadata}
        try:
            return cls(
                {name: about[_LABEL].decode() for name, about in known.items() if _LABEL in about},
                {name: about[_MEASURE].decode() for name, about in known.items() if _MEASURE in about},
                {name: _codes_of(about[_CODES]) for name, about in known.items() if _CODES in about},
            )
        except (ValueError, TypeError, RecursionError):
            damaged = ", ".join(repr(name) for name, about in known.items() if {_LABEL, _MEASURE, _CODES} & {*about})
        msg = f"What the table says about its columns cannot be read: its labels or codes are damaged ({damaged})."
        raise DataError(msg, hint="copy the file again from where it came, or save it without the metadata of columns.")

    def only(self, table: pa.Table) -> Codebook:
        """Keep what is about columns and codes that the table has: nothing about what was left out or generalized."""
        names = set(table.column_names)
        values = {name: set(table[name].unique().to_pylist()) for name in names & self.codes.keys()}
        present = {
            name: {c: label for c, label in self.codes[name].items() if c in values[name]}
            for name in self.codes
            if name in names
        }
        return Codebook(
            {name: label for name, label in self.labels.items() if name in names},
            {name: measure for name, measure in self.measures.items() if name in names},
            {name: codes for name, codes in present.items() if codes},
        )

    def with_untrue(self, names: Iterable[str]) -> Codebook:
        """Say of some columns that they are not true, before what else they are called."""
        told = {name: f"{UNTRUE}: {self.labels[name]}" if name in self.labels else UNTRUE for name in names}
        return replace(self, labels={**self.labels, **{name: text[:LABEL] for name, text in told.items()}})

    def attach(self, table: pa.Table) -> pa.Table:
        kept = self.only(table)
        return table.cast(pa.schema([one.with_metadata(kept.about(one.name)) for one in table.schema]))

    def about(self, name: str) -> dict[bytes, bytes] | None:
        known = {
            _LABEL: self.labels.get(name, "").encode(),
            _MEASURE: self.measures.get(name, "").encode(),
            _CODES: json.dumps(list(self.codes[name].items())).encode() if name in self.codes else b"",
        }
        return {key: text for key, text in known.items() if text} or None


def _codes_of(written: bytes) -> dict[Code, str]:
    """Read what codes mean; a ``TypeError`` says that this is something else."""
    found: dict[Code, str] = dict(json.loads(written))
    if not all(isinstance(code, Code) and isinstance(label, str) for code, label in found.items()):
        raise TypeError
    return found


NO_CODEBOOK = Codebook()


@dataclass(frozen=True, slots=True)
class LabelledArrow:
    """Hands an Arrow table back with the labels that it came with."""

    codebook: Codebook

    def __call__(self, table: pa.Table) -> pa.Table:
        return self.codebook.attach(table) if self.codebook else table


READERS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
WRITERS = {".sav": "write_sav", ".dta": "write_dta"}
_PROGRAMS = {".sav": "SPSS", ".dta": "Stata"}
_NAMES = {".sav": re.compile(r"[^\W\d_][\w.$#@]{0,63}"), ".dta": re.compile(r"[^\W\d]\w{0,31}")}


def read_statistics(path: Path) -> tuple[pa.Table, Codebook]:
    """Read a file: its codes as they are, what they mean apart. Values that the file declares missing are missing."""
    pyreadstat = import_extra("pyreadstat", extra="files", what="Reading a file of SPSS, Stata or SAS")
    read = getattr(pyreadstat, READERS[path.suffix.lower()])
    with suppress(pyreadstat.ReadstatError, pyreadstat.PyreadstatError):
        columns, about = read(str(path), output_format="dict")
        table = with_narrowest_types(pa.table({name: _read_column(name, values) for name, values in columns.items()}))
        return table, _codebook_of_file(about, table)
    msg = f"The file {path.name!r} is not what its ending says, or is broken."
    raise DataError(msg, hint=BROKEN)


def _read_column(name: str, values: Iterable[Any]) -> pa.Array:
    try:
        column = pa.array(values, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        column = None
    if column is None:  # Stata's letters for kinds of missing among numbers
        msg = f"Column {name!r} mixes types."
        raise DataError(msg, hint="make the column one type before saving it.")
    empty = pa.types.is_string(column.type)
    return pa.array([value or None for value in column.to_pylist()], type=pa.string()) if empty else column


def _codebook_of_file(about: Any, table: pa.Table) -> Codebook:
    measures = {name: measure for name, measure in about.variable_measure.items() if measure not in {None, "unknown"}}
    return Codebook(
        {name: label for name, label in about.column_names_to_labels.items() if label},
        measures,
        {name: _codes_as_values(codes, table[name].type) for name, codes in about.variable_value_labels.items()},
    )


def _codes_as_values(codes: Mapping[Any, str], type_: pa.DataType) -> dict[Any, str]:
    """Write codes as the values of their column are written: 1, not 1.0."""
    whole = pa.types.is_integer(type_)
    return {int(code) if whole and float(code).is_integer() else code: label for code, label in codes.items()}


def write_statistics(table: pa.Table, path: Path, codebook: Codebook) -> None:
    """Write a file for SPSS or Stata, with what is known about its columns and codes."""
    pyreadstat = import_extra("pyreadstat", extra="files", what="Writing a file of SPSS or Stata")
    kind = path.suffix.lower()
    _check_names(table, kind)
    if kind == ".dta":
        check_finite(table, "Stata")
    kept = codebook.only(table)
    codes = {name: dict(codes) for name, codes in kept.codes.items() if kind == ".sav" or _is_integer(table[name])}
    how: dict[str, Any] = {"column_labels": dict(kept.labels), "variable_value_labels": codes}
    if kind == ".sav":
        how["variable_measure"] = dict(kept.measures)
        how["variable_format"] = {name: "F8.0" for name in table.column_names if _is_integer(table[name])}
    getattr(pyreadstat, WRITERS[kind])(_frame_to_write(table), str(path), **how)
    _without_date(path, kind)
    check_written_values(table, read_statistics(path)[0], path, empty_is_missing=True)


def _is_integer(column: pa.ChunkedArray) -> bool:
    return bool(pa.types.is_integer(column.type))


def _check_names(table: pa.Table, kind: str) -> None:
    for number, name in enumerate(table.column_names, start=1):
        if _NAMES[kind].fullmatch(name) is None or len(name.encode()) > 64:
            msg = f"Column {number} has a name that {_PROGRAMS[kind]} does not allow."
            raise DataError(msg, hint="use a letter first, then letters, digits and _, 32 at most.")


def _frame_to_write(table: pa.Table) -> Any:
    return _reading_library()(pa.table({name: _column_to_write(table[name]) for name in table.column_names}))


def _reading_library() -> Callable[[pa.Table], Any]:
    try:
        library: Callable[[pa.Table], Any] = importlib.import_module("polars").from_arrow
    except ImportError:
        pandas = import_extra("pandas", extra="files,pandas", what="Writing a file of SPSS or Stata")
        return lambda table: table.to_pandas(types_mapper=pandas.ArrowDtype)
    return library


def _column_to_write(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Give a column a type that the programs have: numbers are floats there, and a column of nothing is text."""
    if pa.types.is_decimal(column.type) or _is_integer(column):
        return column.cast(pa.float64(), safe=False)
    if pa.types.is_null(column.type):
        return column.cast(pa.string())
    return column


def _without_date(path: Path, kind: str) -> None:
    """Overwrite the time at which the file was made, so that equal tables give equal files."""
    with path.open("r+b") as file:
        start = file.read(1024)
        if kind == ".sav":
            place, text = 92, b"01 Jan 8000:00:00"
        else:
            place, text = start.find(b"<timestamp>") + len(b"<timestamp>") + 1, b"01 Jan 1980 00:00"
            if start[place - 1 : place] != bytes([len(text)]):
                return
        file.seek(place)
        file.write(text)
