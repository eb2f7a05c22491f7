"""Parquet folders that Spark writes: one file per part, with names that say nothing but their order."""

from __future__ import annotations

import glob
import json
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow.parquet

from incrowd.core import DataError, EngineError
from incrowd.engines._files import ending_of
from incrowd.engines._several import Several, check_columns, check_keys, files_of, parquet_columns

PATIENCE = 10.0
"""Seconds that jobs may take to stop."""


def write_folder(frame: Any, path: Path) -> None:
    """Write a Spark DataFrame to a new folder, and name its files by their order.

    Parameters
    ----------
    frame
        The table, under its own names.
    path
        The folder. Every worker must see it where this machine does.
    """
    try:
        frame.write.option("compression", "zstd").parquet(f"file://{path.resolve()}")
    except KeyboardInterrupt:
        _cancel(frame.sparkSession)
        raise
    parts = sorted(path.glob("part-*.parquet"))
    if not parts or not (path / "_SUCCESS").exists():
        msg = f"Spark wrote {path.name!r}, and it is not, or not whole, where this machine looks for it."
        raise EngineError(
            msg, hint="name a folder that all workers share, or leave out output and write release.table."
        )
    for number, part in enumerate(parts):
        part.rename(path / f"part-{number:05}.parquet")
    for other in path.iterdir():
        if not other.name.startswith("part-"):
            other.unlink()  # checksums and a marker, which name the files as they were


def places_of(path: Path) -> list[str]:
    """Say where Spark finds the Parquet files that a path of this machine means, as the local engine would find them.

    Parameters
    ----------
    path
        A file, a folder or a pattern. What is not here may be where Spark runs, and is left to it.
    """
    here = path.exists() or glob.has_magic(str(path))
    found = files_of(path) if here else Several((path,), (path.name,))
    endings = {ending_of(file) for file in found.files}
    if endings - ({".parquet"} if here else {".parquet", ""}):
        msg = f"Spark reads Parquet here, and {path.name!r} is something else."
        hint = "write it as Parquet first, with DuckDB or Polars, or read it with Spark and hand over the DataFrame."
        raise DataError(msg, hint=hint)
    if here:
        columns = [*map(parquet_columns, found.files)]
        check_columns(found, columns)
        check_keys(found, [name for name, _ in columns[0]])
        _check_names(found)
        if any(unit in str(type_) for _, type_ in columns[0] for unit in ("[ns", "time32", "time64")):
            _check_times(found)
    return [f"file://{_exactly(file.resolve())}" for file in found.files]


def read_folder(session: Any, places: Sequence[str]) -> Any:
    """Open Parquet files or folders with Spark.

    Parameters
    ----------
    session
        A Spark session.
    places
        Addresses that Spark knows, such as ``s3a://bucket/table``.
    """
    from incrowd.engines._border import guarded  # noqa: PLC0415 - it knows the errors of Spark

    return guarded(session.read.parquet)(*places)


def _cancel(session: Any) -> None:
    """Stop the jobs of a session: PySpark leaves one that it was waiting for running. Connect sees to it itself."""
    with suppress(Exception):  # Java may be gone
        context = session.sparkContext
        context.cancelAllJobs()
        end = time.monotonic() + PATIENCE
        while context.statusTracker().getActiveStageIds() and time.monotonic() < end:
            time.sleep(0.05)


def _check_names(found: Several) -> None:
    for name, file in zip(found.names, found.files, strict=True):
        if ":" in file.resolve().name:
            msg = f"Spark reads no file with a colon in its name, such as {name!r}."
            raise DataError(msg, hint="rename it; folders may have colons.")


def _check_times(found: Several) -> None:
    """Refuse what Spark knows no type for, by name: its own message says neither the column nor the file."""
    for name, file in zip(found.names, found.files, strict=True):
        columns = pyarrow.parquet.read_metadata(file).schema
        for column in map(columns.column, range(len(columns))):
            told = json.loads(column.logical_type.to_json())
            if told["Type"] == "Time" or (told["Type"] == "Timestamp" and told["timeUnit"] == "nanoseconds"):
                what = "times of day" if told["Type"] == "Time" else "timestamps in nanoseconds"
                msg = f"Column {column.path!r} of {name!r} holds {what}, which Spark does not read."
                raise DataError(msg, hint="write timestamps in microseconds and times as texts, or do without Spark.")


def _exactly(path: Path) -> str:
    """Write a path so that Spark takes it for this file alone and for no pattern."""
    return "".join(f"\\{sign}" if sign in "{}[]*?\\" else sign for sign in str(path))
