"""Which of some Parquet files cannot be read: DuckDB stops at the first, and often does not say at which."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb

from incrowd.core import DataError
from incrowd.engines._files import ending_of, exactly

FOREIGN = (duckdb.Error, RuntimeError)
"""What DuckDB raises at a damaged file; some of its errors have no class of their own."""

_OTHER_REASONS = (duckdb.OutOfMemoryException, duckdb.InterruptException, duckdb.IOException)
_INTERRUPTED = "Query interrupted"


def damaged(files: Sequence[Path], connection: duckdb.DuckDBPyConnection) -> DataError | None:
    """Read Parquet files once more, one after the other, to say which is damaged; ``None`` if none is.

    Parameters
    ----------
    files
        The files. Others than Parquet are not looked at.
    connection
        Where they were read.
    """
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
