"""A table in several files: a folder, or a pattern such as ``visits/*.parquet``."""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet

from incrowd.core import DataError
from incrowd.engines._files import ending_of, exactly, is_text
from incrowd.engines.formats._csv import BROKEN

LOGS = {"_delta_log": "Delta", ".hoodie": "Hudi"}
"""Folders beside which files stand that are no part of the table any more."""

PATTERN = "a pattern takes some of the files, such as 'visits/*.parquet'."


@dataclass(frozen=True, slots=True)
class Several:
    """The files of a table."""

    files: tuple[Path, ...]  # in the order of their names
    names: tuple[str, ...]  # inside the folder
    keys: tuple[str, ...] = ()  # columns that the names of folders speak of, such as ``year=2020``
    source: Path | None = None  # the folder or pattern, if it is none of one file


def files_of(source: str | os.PathLike[str]) -> Several:
    """Find the files that a path means: one, those of a folder that begin with no dot or underscore, of a pattern."""
    path = Path(source)
    if path.is_file():
        return Several((path,), (path.name,))
    if path.is_dir():
        base, found = path, _inside(path)
    elif glob.has_magic(str(path)):
        base = _base(path)
        _refuse_closed_on_the_way(path, base)
        matches = _matches(path)
        found = [one for match in matches for one in _inside(Path(match))]
    else:
        msg = f"There is no file {str(path)!r}."
        raise DataError(msg, hint="check the path.")
    if not found:
        msg = f"There is no file in {path.name or str(path)!r} that could be read."
        raise DataError(msg, hint="name a file, or a folder with files of CSV or Parquet.")
    named = sorted({one.relative_to(base).as_posix(): one for one in found}.items())
    _refuse_twice(named)
    keys = dict.fromkeys(part.split("=", 1)[0] for name, _ in named for part in name.split("/")[:-1] if "=" in part)
    return Several(tuple(one for _, one in named), tuple(name for name, _ in named), tuple(keys), path)


def digest_of_files(source: str | os.PathLike[str]) -> str:
    """Give the SHA-256 of a file; of several, that of a list with a line for each: its name, a tab, its SHA-256."""
    found = files_of(source)
    if Path(source).is_file():
        return _digest(found.files[0])
    lines = (f"{name}\t{_digest(file)}\n" for name, file in zip(found.names, found.files, strict=True))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def check_kind(found: Several) -> None:
    """Refuse several files that are not all of one kind, Parquet or text."""
    first = found.names[0]
    for name in found.names:
        if not (is_text(Path(name)) or ending_of(name) == ".parquet"):
            msg = f"Of a folder or a pattern, only Parquet and text are read, and {name!r} is neither."
            raise DataError(msg, hint=PATTERN)
        if ending_of(name) != ending_of(first):
            msg = f"The files {first!r} and {name!r} are not of one kind."
            raise DataError(msg, hint=PATTERN)


def check_columns(found: Several, columns: Iterable[object]) -> None:
    """Refuse files whose columns, in the order of the files, are not the same everywhere."""
    first, *others = columns
    for name, other in zip(found.names[1:], others, strict=True):
        if other != first:
            msg = f"The file {name!r} has other columns than {found.names[0]!r}, or others of their types."
            raise DataError(msg, hint="every file of a table must have the same columns in the same order.")


def check_keys(found: Several, columns: Iterable[str]) -> None:
    """Refuse folders that speak of a column which the files do not have: its values would be lost."""
    lost = [key for key in found.keys if key not in set(columns)]
    if lost:
        msg = f"Names of folders hold the column {lost[0]!r}, which the files do not have: its values would be lost."
        raise DataError(msg, hint="open it with DuckDB (hive_partitioning=true) and give the relation, or rewrite it.")


def parquet_columns(file: Path) -> list[tuple[str, pa.DataType]]:
    """Give the names and types of a Parquet file's columns, however they are laid out."""
    try:
        return [(field.name, _comparable_type(field.type)) for field in pyarrow.parquet.read_schema(file)]
    except (FileNotFoundError, PermissionError):
        raise
    except (pa.ArrowInvalid, OSError, UnicodeError):
        msg = f"The file {file.name!r} is not a Parquet file, or is cut off."
        raise DataError(msg, hint=BROKEN) from None


def _comparable_type(type_: pa.DataType) -> pa.DataType:
    type_ = type_.value_type if pa.types.is_dictionary(type_) else type_
    texts = pa.types.is_string(type_) or pa.types.is_large_string(type_) or pa.types.is_string_view(type_)
    return pa.string() if texts else type_


def _inside(path: Path) -> list[Path]:
    """Give all files of a folder that are meant to be seen; a file alone is itself."""
    if path.is_file():
        return [path]
    _refuse_elsewhere(path, path.name)
    for log, kind in LOGS.items():
        if (path / log).exists():
            msg = f"The folder {path.name!r} is a {kind} table, whose files are not all part of it."
            raise DataError(msg, hint="open it with DuckDB, Polars or Spark, and give what that makes of it.")
    shown = [one for one in path.rglob("*") if not any(part[0] in "._" for part in one.relative_to(path).parts)]
    files = [one for one in shown if one.is_file()]
    for one in (path, *shown):
        _refuse_closed(one)
    for one in shown:
        if not one.is_file() and (one.is_symlink() or not one.is_dir()):
            _refuse_elsewhere(one, one.relative_to(path).as_posix(), linked=True)
    return files


def _refuse_elsewhere(path: Path, name: str, *, linked: bool = False) -> None:
    """Refuse what would be passed over in silence: a link that leads nowhere, and inside a folder to another one."""
    if not path.is_dir():
        msg = f"{name!r} is neither a file nor a folder; a link may lead nowhere."
        raise DataError(msg, hint=PATTERN)
    if linked:
        msg = f"{name!r} is a link to another folder, whose files would be passed over."
        raise DataError(msg, hint=PATTERN)


def _refuse_closed(path: Path) -> None:
    """Refuse a folder that may not be looked into: its files would be passed over."""
    if path.is_dir() and not os.access(path, os.R_OK | os.X_OK):
        msg = f"The folder {path.name!r} cannot be read, and its files would be passed over."
        raise DataError(msg, hint="ask whoever owns it for the right to read it, or take a pattern that leaves it out.")


def _refuse_closed_on_the_way(pattern: Path, base: Path) -> None:
    """Refuse a pattern that leads through such a folder."""
    _refuse_closed(base)
    parts = pattern.relative_to(base).parts[:-1]
    for number in range(len(parts)):
        for one in _matches(base.joinpath(*parts[: number + 1])):
            _refuse_closed(Path(one))


def _matches(pattern: Path) -> list[str]:
    return glob.glob(str(pattern), recursive=True)  # noqa: PTH207 - pathlib takes no absolute pattern


def _refuse_twice(named: Sequence[tuple[str, Path]]) -> None:
    """Refuse a file under two names: its people would count twice, and a crowd would look larger than it is."""
    seen: dict[tuple[int, int], str] = {}
    for name, file in named:
        known = file.stat()
        first = seen.setdefault((known.st_dev, known.st_ino), name)
        if first != name:
            msg = f"{first!r} and {name!r} are the same file, whose rows would be counted twice."
            raise DataError(msg, hint=PATTERN)


def _base(path: Path) -> Path:
    """Give the folder of a pattern: its parts before the first that stands for several."""
    fixed = Path(path.anchor) if path.anchor else Path()
    for part in path.parts[1 if path.anchor else 0 : -1]:
        if glob.has_magic(part):
            break
        fixed /= part
    return fixed


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# Which of some Parquet files cannot be read: DuckDB stops at the first, and often does not say at which.

FOREIGN = (duckdb.Error, RuntimeError)
"""What DuckDB raises at a damaged file; some of its errors have no class of their own."""

_OTHER_REASONS = (duckdb.OutOfMemoryException, duckdb.InterruptException, duckdb.IOException)
_INTERRUPTED = "Query interrupted"


def damaged(files: Sequence[Path], connection: duckdb.DuckDBPyConnection) -> DataError | None:
    """Read Parquet files once more, one after the other, to say which is damaged; ``None`` if none is."""
    for file in files:
        if ending_of(file) == ".parquet" and file.is_file() and not _is_whole(file, connection):
            msg = f"The file {file.name!r} is damaged: what it holds cannot be read."
            return DataError(msg, hint="copy it again from where it came, or write it anew.")
    return None


def _is_whole(file: Path, connection: duckdb.DuckDBPyConnection) -> bool:
    """Read every value of a file, and keep none."""
    try:
        connection.read_parquet(exactly(file), hive_partitioning=False).aggregate("max(hash(COLUMNS(*)))").fetchall()
    except _OTHER_REASONS:
        return True
    except FOREIGN as error:
        return _INTERRUPTED in str(error)
    return True
