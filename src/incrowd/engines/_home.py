"""Where a lazy frame lives: what differs between DuckDB and Polars, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import narwhals.stable.v2 as nw
import pyarrow as pa

from incrowd.core import DataError

if TYPE_CHECKING:
    import duckdb

Frame = nw.LazyFrame[Any]


class Home(Protocol):
    """What the one engine over narwhals needs from the library under a frame."""

    def bring(self, table: pa.Table) -> Frame:
        """Put a small table beside the frame, so that the two can be joined."""

    def write(self, frame: Frame, path: Path) -> None:
        """Write a frame to a file."""

    def hand_back(self, table: pa.Table) -> Any:
        """Turn a result into the kind of frame that came in."""


class DuckHome:
    """DuckDB: for its own relations, for files, and for eager frames, which it reads in place.

    Parameters
    ----------
    relation
        The table. What we bring is brought to its connection, and leaves nothing behind in its catalog.
    hand_back
        Turns a result into what came in; by default a relation on the same connection.
    connection
        The connection, if it is ours: it must live as long as the relation.
    """

    def __init__(
        self,
        relation: duckdb.DuckDBPyRelation,
        hand_back: Callable[[pa.Table], Any] | None = None,
        *,
        connection: duckdb.DuckDBPyConnection | None = None,
    ) -> None:
        self._connection = connection
        self._relation = relation
        self._hand_back = hand_back

    def bring(self, table: pa.Table) -> Frame:
        brought: Frame = nw.from_native(self._scan(table))
        return brought

    def write(self, frame: Frame, path: Path) -> None:
        relation = frame.to_native()
        if path.suffix == ".parquet":
            relation.write_parquet(str(path), compression="zstd")
        else:
            relation.write_csv(str(path), header=True)

    def hand_back(self, table: pa.Table) -> Any:
        return self._scan(table) if self._hand_back is None else self._hand_back(table)

    def _scan(self, table: pa.Table) -> Any:
        incrowd_brought = table  # noqa: F841 - DuckDB finds it here by its name
        brought = self._relation.query("incrowd_source", "FROM incrowd_brought")
        self._relation.query("incrowd_source", _FORGET)
        return brought


_FORGET = "DROP VIEW IF EXISTS incrowd_source"
"""DuckDB before 2.0 makes a view of what is queried, and leaves it behind."""


class PolarsHome:
    """A Polars lazy frame stays with Polars."""

    def bring(self, table: pa.Table) -> Frame:
        import polars as pl  # noqa: PLC0415 - only who uses Polars needs it

        return nw.from_native(pl.DataFrame(table).lazy())

    def write(self, frame: Frame, path: Path) -> None:
        lazy = frame.to_native()
        if path.suffix == ".parquet":
            lazy.sink_parquet(path)
        else:
            lazy.sink_csv(path)

    def hand_back(self, table: pa.Table) -> Any:
        return self.bring(table).to_native()


def only(frame: Frame, names: Sequence[str]) -> Frame:
    """Select columns by name, as expressions: DuckDB before 2.0 reads a bare text as SQL, and `1` is a name too."""
    return frame.select(*(nw.col(name) for name in names))


def check_suffix(path: Path) -> None:
    """Refuse to write what we could not read again."""
    if path.suffix not in {".csv", ".parquet"}:
        msg = f"Cannot write a table to {path.name!r}."
        raise DataError(msg, hint="the name must end in .csv or .parquet.")
