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

    def stage(self, frame: Frame, names: Sequence[str]) -> Frame:
        """Keep some columns where reading them again is cheap."""

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
    stages
        Whether columns shall be staged before they are read repeatedly: a text file is parsed once.
    """

    def __init__(
        self,
        relation: duckdb.DuckDBPyRelation,
        hand_back: Callable[[pa.Table], Any] | None = None,
        *,
        stages: bool = False,
    ) -> None:
        self._relation = relation
        self._hand_back = hand_back
        self._stages = stages
        self._staged = 0

    def bring(self, table: pa.Table) -> Frame:
        brought: Frame = nw.from_native(self._scan(table))
        return brought

    def stage(self, frame: Frame, names: Sequence[str]) -> Frame:
        if not self._stages:
            return frame.select(names)
        self._staged += 1
        table = f"incrowd_stage_{self._staged}"
        relation = frame.select(names).to_native()
        relation.query("incrowd_source", f"CREATE TEMP TABLE {table} AS FROM incrowd_source")
        staged: Frame = nw.from_native(self._relation.query("incrowd_source", f"FROM {table}"))
        return staged

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
        return self._relation.query("incrowd_source", "FROM incrowd_brought")


class PolarsHome:
    """A Polars lazy frame stays with Polars."""

    def bring(self, table: pa.Table) -> Frame:
        import polars as pl  # noqa: PLC0415 - only who uses Polars needs it

        return nw.from_native(pl.DataFrame(table).lazy())

    def stage(self, frame: Frame, names: Sequence[str]) -> Frame:
        return frame.select(names)

    def write(self, frame: Frame, path: Path) -> None:
        lazy = frame.to_native()
        if path.suffix == ".parquet":
            lazy.sink_parquet(path)
        else:
            lazy.sink_csv(path)

    def hand_back(self, table: pa.Table) -> Any:
        return self.bring(table).to_native()


def check_suffix(path: Path) -> None:
    """Refuse to write what we could not read again."""
    if path.suffix not in {".csv", ".parquet"}:
        msg = f"Cannot write a table to {path.name!r}."
        raise DataError(msg, hint="the name must end in .csv or .parquet.")
