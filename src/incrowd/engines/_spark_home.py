"""A Spark session: what the one engine over narwhals needs from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import narwhals.stable.v2 as nw
import pyarrow as pa

from incrowd.core import ParameterError
from incrowd.engines._home import Frame
from incrowd.engines._spark_files import places_of, read_folder, write_folder
from incrowd.engines._spark_rows import functions_of
from incrowd.engines._wording import Wording

FEW = 1_000_000
"""Tables of so many rows are sent to every worker; larger ones are joined by shuffling."""


class SparkHome:
    """A Spark session, classic or over Connect.

    Parameters
    ----------
    session
        The session of the frame. What we bring is brought there; none of its settings are changed.
    """

    def __init__(self, session: Any) -> None:
        self._session = session

    def bring(self, table: pa.Table) -> Frame:
        frame = self.hand_back(table)
        brought: Frame = nw.from_native(frame.hint("broadcast") if table.num_rows <= FEW else frame)
        return brought

    def look_up(self, frame: Frame, tables: Mapping[str, pa.Table]) -> Frame:
        """Join without asking for the columns of the frame: over Connect, each such question sends the whole plan.

        The key stays and is never read, so that Spark plans one join after another with no step between them.
        """
        native = frame.to_native()
        of = functions_of(native)
        for column, table in tables.items():
            key = of.col(table.column_names[0])
            native = native.join(self.bring(table).to_native(), of.col(column) == key, "left")
        joined: Frame = nw.from_native(native)
        return joined

    def write(
        self,
        frame: Frame,
        names: Sequence[str],
        path: Path,
        wording: Wording | None = None,  # noqa: ARG002 - it writes no text
    ) -> Wording:
        write_folder(frame.to_native().toDF(*names), path)
        return Wording()

    def hand_back(self, table: pa.Table) -> Any:
        """Make a frame of a table; timestamps without a zone stay without, whatever the zone of the session is."""
        from pyspark.sql.pandas.types import from_arrow_type  # noqa: PLC0415 - only who uses Spark has it
        from pyspark.sql.types import StructField, StructType  # noqa: PLC0415

        fields = [
            StructField(field.name, from_arrow_type(field.type, prefer_timestamp_ntz=True)) for field in table.schema
        ]
        return self._session.createDataFrame(table, StructType(fields))

    def check(self) -> None:
        """Spark knows what it reads; we do not."""

    def numbered(self, frame: Frame) -> NoReturn:
        """Refuse: the rows of a cluster have no order."""
        del frame
        msg = "The rows of a Spark table have no order that could be kept."
        raise ParameterError(msg, hint="use order='sorted'.")

    def sampled(self, frame: Frame, rows: int) -> Frame:
        native = frame.to_native()
        sampled: Frame = nw.from_native(native.orderBy(functions_of(native).xxhash64(*native.columns)).limit(rows))
        return sampled

    def read(self, path: Path) -> Any:
        """Open a folder that was written from here, by the same Spark."""
        return read_folder(self._session, places_of(path))
