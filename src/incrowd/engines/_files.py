"""Which files a path means, their hash and whether they changed; reading Parquet, Arrow and what is read as a whole."""

from __future__ import annotations

import errno
import glob
import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from incrowd.core import DataError, IncrowdError, check_file
from incrowd.engines._arrow import is_text_type, plain_type
from incrowd.engines._duckdb import exact_path
from incrowd.engines.formats._csv import BROKEN
from incrowd.engines.formats._excel import read_spreadsheet
from incrowd.engines.formats._statistics import (
    NO_CODEBOOK,
    READERS,
    Codebook,
    read_statistics,
)

TEXTS = (".csv", ".tsv", ".txt")
ARROWS = (".arrow", ".feather", ".ipc")
SPREADSHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
READABLE = (*TEXTS, *(f"{text}.gz" for text in TEXTS), ".parquet", *ARROWS, *SPREADSHEETS, *READERS)
READABLE_HINT = f"the name must end in one of {', '.join(READABLE)}."
LOGS = {"_delta_log": "Delta", ".hoodie": "Hudi"}
"""Folders beside which files stand that are no part of the table any more."""

PATTERN = "a pattern takes some of the files, such as 'visits/*.parquet'."
WAIT = "take a copy first, or wait until nobody writes to it."

FOREIGN = (duckdb.Error, RuntimeError)
"""What DuckDB raises at a damaged file; some of its errors have no class of their own."""
_OTHER_REASONS = (duckdb.OutOfMemoryException, duckdb.InterruptException, duckdb.IOException)


def ending_of(path: str | os.PathLike[str]) -> str:
    """Give the ending of a file's name that says what it is, in small letters; with ``.gz`` if it is compressed."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    return "".join(suffixes[-2:] if suffixes[-1:] == [".gz"] else suffixes[-1:])


def is_text(path: str | os.PathLike[str]) -> bool:
    return ending_of(path).removesuffix(".gz") in TEXTS


@dataclass(frozen=True, slots=True)
class FileSet:
    files: tuple[Path, ...]  # in the order of their names
    names: tuple[str, ...]  # inside the folder
    keys: tuple[str, ...] = ()  # columns that the names of folders speak of, such as ``year=2020``
    source: Path | None = None  # the folder or pattern, if it is none of one file

    @property
    def ending(self) -> str:
        return ending_of(self.files[0])

    @property
    def is_text(self) -> bool:
        return is_text(self.files[0])

    def check_kind(self) -> None:
        """Refuse several files that are not all of one kind, Parquet or text."""
        for name in self.names if self.source else ():
            if not (is_text(name) or ending_of(name) == ".parquet"):
                msg = f"Of a folder or a pattern, only Parquet and text are read, and {name!r} is neither."
                raise DataError(msg, hint=PATTERN)
            if ending_of(name) != ending_of(self.names[0]):
                msg = f"The files {self.names[0]!r} and {name!r} are not of one kind."
                raise DataError(msg, hint=PATTERN)

    def check_columns(self, columns: Sequence[object], names: Iterable[str]) -> None:
        """Refuse files whose columns are not the same everywhere, and folders that speak of one that no file has."""
        for name, other in zip(self.names, columns, strict=True):
            if other != columns[0]:
                msg = f"The file {name!r} has other columns than {self.names[0]!r}, or others of their types."
                raise DataError(msg, hint="every file of a table must have the same columns in the same order.")
        if lost := [key for key in self.keys if key not in set(names)]:
            msg = (
                f"Names of folders hold the column {lost[0]!r}, which the files do not have: its values would be lost."
            )
            hint = "open it with DuckDB (hive_partitioning=true) and give the relation, or rewrite it."
            raise DataError(msg, hint=hint)

    def parquet_columns(self) -> list[list[tuple[str, pa.DataType]]]:
        """Give the names and types of the columns of each Parquet file, however they are laid out."""
        return [*map(_parquet_columns, self.files)]

    def parquet_rows(self) -> int:
        """Say how many rows Parquet files have."""
        return sum(pyarrow.parquet.read_metadata(file).num_rows for file in self.files)

    def parquet_relation(self, connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
        """Let DuckDB scan Parquet files; if it cannot, say which is damaged."""
        every: Any = [*map(exact_path, self.files)]  # DuckDB takes a list, and does not say so
        try:
            return connection.read_parquet(every, hive_partitioning=False)
        except FOREIGN:
            trouble = damage_in(self.files, connection)
            if trouble is None:
                raise
        raise trouble


def _parquet_columns(file: Path) -> list[tuple[str, pa.DataType]]:
    try:
        types = [(field.name, plain_type(field.type)) for field in pyarrow.parquet.read_schema(file)]
    except (FileNotFoundError, PermissionError):
        raise
    except (pa.ArrowInvalid, OSError, UnicodeError):
        msg = f"The file {file.name!r} is not a Parquet file, or is cut off."
        raise DataError(msg, hint=BROKEN) from None
    return [
        (name, pa.string() if is_text_type(type_) or pa.types.is_string_view(type_) else type_) for name, type_ in types
    ]


def files_of(source: str | os.PathLike[str]) -> FileSet:
    """Find the files that a path means: one, those of a folder that begin with no dot or underscore, of a pattern."""
    path = Path(source)
    _check_kind(path)
    if path.is_file():
        return FileSet((path,), (path.name,))
    if path.is_dir():
        base, found = path, _files_inside(path)
    elif glob.has_magic(str(path)):
        base = _fixed_part(path)
        parts = path.relative_to(base).parts
        for folder in (base, *(one for end in range(1, len(parts)) for one in _expand(base.joinpath(*parts[:end])))):
            _check_open(folder)
        found = [one for match in _expand(path) for one in _files_inside(match)]
    else:
        msg = f"There is no file {str(path)!r}."
        raise DataError(msg, hint="check the path.")
    if not found:
        msg = f"There is no file in {path.name or str(path)!r} that could be read."
        raise DataError(msg, hint="name a file, or a folder with files of CSV or Parquet.")
    named = dict(sorted((one.relative_to(base).as_posix(), one) for one in found))
    _refuse_twice(named)
    keys = dict.fromkeys(part.split("=", 1)[0] for name in named for part in name.split("/")[:-1] if "=" in part)
    return FileSet(tuple(named.values()), tuple(named), tuple(keys), path)


def _check_kind(path: Path) -> None:
    """Refuse what cannot be the name of a file, a pipe, which is waited for without end, and a device."""
    try:
        check_file(path)
    except OSError as error:
        reason = error.strerror if error.errno in {errno.EINVAL, errno.ENAMETOOLONG, errno.ELOOP} else None
        _check_no_address(path)
    else:
        return
    if reason is not None:
        msg = f"The file {path.name[:40]!r} cannot be read: {reason}."
        raise DataError(msg, hint="name a file, or a folder with files of CSV or Parquet.")


def _check_no_address(path: Path) -> None:
    """Refuse how to connect to a database, and do not repeat it: it may hold a password."""
    if any(re.fullmatch(r"[\w+.-]{2,}:", part) for part in path.parts):
        msg = "A table is named by a path here, and not by how to connect to it, which may hold a password."
        hint = "put that into an environment variable: Database(variable, table=...), connection_env in a plan."
        raise DataError(msg, hint=hint)


def _expand(pattern: Path) -> Iterator[Path]:
    return map(Path, glob.glob(str(pattern), recursive=True))  # noqa: PTH207 - pathlib takes no absolute pattern


def _fixed_part(path: Path) -> Path:
    """Give the folder of a pattern: its parts before the first that stands for several."""
    fixed = Path(path.anchor)
    for part in path.parts[bool(path.anchor) : -1]:
        if glob.has_magic(part):
            break
        fixed /= part
    return fixed


def _files_inside(path: Path) -> list[Path]:
    """Give all files of a folder that are meant to be seen; a file alone is itself."""
    if path.is_file():
        return [path]
    _check_folder(path, path.name)
    for log, kind in LOGS.items():
        if (path / log).exists():
            msg = f"The folder {path.name!r} is a {kind} table, whose files are not all part of it."
            raise DataError(msg, hint="open it with DuckDB, Polars or Spark, and give what that makes of it.")
    shown = [one for one in path.rglob("*") if not any(part[0] in "._" for part in one.relative_to(path).parts)]
    for one in (path, *shown):
        _check_open(one)
    for one in shown:
        if not one.is_file() and (one.is_symlink() or not one.is_dir()):
            _check_folder(one, one.relative_to(path).as_posix(), linked=True)
    return [one for one in shown if one.is_file()]


def _check_folder(path: Path, name: str, *, linked: bool = False) -> None:
    """Refuse what would be passed over in silence: a link that leads nowhere, and inside a folder to another one."""
    if not path.is_dir():
        msg = f"{name!r} is neither a file nor a folder; a link may lead nowhere."
        raise DataError(msg, hint=PATTERN)
    if linked:
        msg = f"{name!r} is a link to another folder, whose files would be passed over."
        raise DataError(msg, hint=PATTERN)


def _check_open(path: Path) -> None:
    """Refuse a folder that may not be looked into: its files would be passed over."""
    if path.is_dir() and not os.access(path, os.R_OK | os.X_OK):
        msg = f"The folder {path.name!r} cannot be read, and its files would be passed over."
        raise DataError(msg, hint="ask whoever owns it for the right to read it, or take a pattern that leaves it out.")


def _refuse_twice(named: Mapping[str, Path]) -> None:
    seen: dict[tuple[int, int], str] = {}
    for name, file in named.items():
        known = file.stat()
        first = seen.setdefault((known.st_dev, known.st_ino), name)
        if first != name:
            msg = f"{first!r} and {name!r} are the same file, whose rows would be counted twice."
            raise DataError(msg, hint=PATTERN)


def digest_of_files(source: str | os.PathLike[str]) -> str:
    """Give the SHA-256 of a file; of several, that of a list with a line for each: its name, a tab, its SHA-256."""
    return _digest_of_set(files_of(source))


def _digest_of_set(found: FileSet) -> str:
    digests = [*map(_digest_of_file, found.files)]
    if found.source is None:
        return digests[0]
    lines = (f"{name}\t{digest}\n" for name, digest in zip(found.names, digests, strict=True))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _digest_of_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True, slots=True)
class Stamp:
    """Files as they were when they were opened.

    Whatever is read of them, or said about them, holds only if they are checked afterwards.
    """

    found: FileSet
    states: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, found: FileSet) -> Stamp:
        return cls(found, tuple(map(_state_of, found.files)))

    def digest(self) -> str:
        """Give the SHA-256 that the files had when they were opened."""
        digest = _digest_of_set(self.found)
        self.check()
        return digest

    def check(self) -> None:
        """Refuse a file that is not as it was, and one that came or went."""
        for path, state in zip(self.found.files, self.states, strict=True):
            if _state_if_there(path) != state:
                msg = f"The file {path.name!r} changed while it was being read."
                raise DataError(msg, hint=WAIT)
        source = self.found.source
        if source is not None and files_of(source).files != self.found.files:
            msg = f"A file came to {source.name!r} while it was being read."
            raise DataError(msg, hint=WAIT)


def _state_of(path: Path) -> tuple[int, ...]:
    """Say which file it is, how long, and when it was written; its time can be set back, but not when that was done."""
    with path.open("rb") as file:  # what a network drive says of a file is up to date only when it is opened
        found = os.fstat(file.fileno())
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _state_if_there(path: Path) -> tuple[int, ...] | None:
    try:
        return _state_of(path)
    except OSError:
        return None


def damage_in(files: Sequence[Path], connection: duckdb.DuckDBPyConnection) -> DataError | None:
    """Read Parquet files one by one to say which is damaged: DuckDB stops at the first, and often does not say so."""
    for file in files:
        if ending_of(file) == ".parquet" and file.is_file() and not _is_whole(file, connection):
            return damage_error(file)
    return None


def _is_whole(file: Path, connection: duckdb.DuckDBPyConnection) -> bool:
    """Read every value of a file, and keep none."""
    try:
        connection.read_parquet(exact_path(file), hive_partitioning=False).aggregate("max(hash(COLUMNS(*)))").fetchall()
    except _OTHER_REASONS as error:
        return "Could not read enough bytes" not in str(error)
    except FOREIGN as error:
        return "Query interrupted" in str(error)
    return True


def read_whole(path: Path, sheet: str | int | None, hint: str = READABLE_HINT) -> tuple[pa.Table, Codebook]:
    """Read a file that is not one of text or Parquet; whatever a library finds wrong with it is damage."""
    ending = ending_of(path)
    try:
        if ending in ARROWS:
            return _read_arrow(path), NO_CODEBOOK
        if ending in SPREADSHEETS:
            return read_spreadsheet(path, sheet), NO_CODEBOOK
        if ending in READERS:
            return read_statistics(path)
    except (IncrowdError, MemoryError):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:  # the machine's fault
            raise
    else:
        msg = f"Cannot read a table from {path.name!r}."
        raise DataError(msg, hint=hint)
    raise damage_error(path)


def damage_error(path: Path) -> DataError:
    msg = f"The file {path.name!r} is damaged: what it holds cannot be read."
    return DataError(msg, hint="copy it again from where it came, or write it anew.")


def _read_arrow(path: Path) -> pa.Table:
    """Map a file into memory, and look at all of it: what Arrow believes of a damaged one ends the process."""
    for opened in (pyarrow.ipc.open_file, pyarrow.ipc.open_stream):
        try:
            with pa.memory_map(str(path)) as source:
                table = opened(source).read_all()
            table.validate(full=True)
        except PermissionError:
            raise
        except pa.ArrowMemoryError:  # so much is asked for that it is refused at once
            msg = f"The file {path.name!r} asks for more memory than there is: it is too large, or damaged."
            raise DataError(msg, hint="copy it again from where it came, or save it in pieces as Parquet.") from None
        except (pa.ArrowException, OSError, ValueError, OverflowError):
            continue
        return table
    msg = f"The file {path.name!r} is not an Arrow file, or is damaged or cut off."
    raise DataError(msg, hint=BROKEN)
