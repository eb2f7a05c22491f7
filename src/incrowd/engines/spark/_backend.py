"""Spark's part of the engine over narwhals: joining, moving and sorting rows, folders of Parquet, types it lacks."""

from __future__ import annotations

import glob
import importlib
import json
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.parquet

from incrowd.core import TOP, DataError, EngineError, Hint, ParameterError
from incrowd.engines._backend import Backend, Frame, frame_of
from incrowd.engines._border import guarded
from incrowd.engines._files import FileSet, ending_of, files_of
from incrowd.engines._resources import DEFAULT_RESOURCES, Resources
from incrowd.engines.formats._wording import Wording

# Parquet folders that Spark writes: one file per part, with names that say nothing but their order.

PATIENCE = 10.0  # seconds that jobs may take to stop


def write_folder(frame: Any, path: Path) -> None:
    """Write a Spark DataFrame to a new folder, which every worker must see too, and name its files by their order."""
    try:
        frame.write.option("compression", "zstd").parquet(f"file://{path.resolve()}")
    except KeyboardInterrupt:
        _cancel_jobs(frame.sparkSession)
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
    """Say where Spark finds the Parquet files of a path, as the local engine would; what is not here is left to it."""
    here = path.exists() or glob.has_magic(str(path))
    found = files_of(path) if here else FileSet((path,), (path.name,))
    endings = {ending_of(file) for file in found.files}
    if endings - ({".parquet"} if here else {".parquet", ""}):
        msg = f"Spark reads Parquet here, and {path.name!r} is something else."
        hint = "write it as Parquet first, with DuckDB or Polars, or read it with Spark and hand over the DataFrame."
        raise DataError(msg, hint=hint)
    if here:
        columns = found.parquet_columns()
        found.check_columns(columns, [name for name, _ in columns[0]])
        _check_names(found)
        if any(unit in str(type_) for _, type_ in columns[0] for unit in ("[ns", "time32", "time64")):
            _check_times(found)
    return [f"file://{_literal_path(file.resolve())}" for file in found.files]


@guarded
def read_folder(session: Any, places: Sequence[str]) -> Any:
    """Open Parquet files or folders with Spark, by addresses that it knows, such as ``s3a://bucket/table``."""
    return session.read.parquet(*places)


def _cancel_jobs(session: Any) -> None:
    """Stop the jobs of a session: PySpark leaves one that it was waiting for running. Connect sees to it itself."""
    with suppress(Exception):  # Java may be gone
        context = session.sparkContext
        context.cancelAllJobs()
        end = time.monotonic() + PATIENCE
        while context.statusTracker().getActiveStageIds() and time.monotonic() < end:
            time.sleep(0.05)


def _check_names(found: FileSet) -> None:
    for name, file in zip(found.names, found.files, strict=True):
        if ":" in file.resolve().name:
            msg = f"Spark reads no file with a colon in its name, such as {name!r}."
            raise DataError(msg, hint="rename it; folders may have colons.")


def _check_times(found: FileSet) -> None:
    """Refuse what Spark knows no type for, by name: its own message says neither the column nor the file."""
    for name, file in zip(found.names, found.files, strict=True):
        columns = pyarrow.parquet.read_metadata(file).schema
        for column in map(columns.column, range(len(columns))):
            told = json.loads(column.logical_type.to_json())
            if told["Type"] == "Time" or (told["Type"] == "Timestamp" and told["timeUnit"] == "nanoseconds"):
                what = "times of day" if told["Type"] == "Time" else "timestamps in nanoseconds"
                msg = f"Column {column.path!r} of {name!r} holds {what}, which Spark does not read."
                raise DataError(msg, hint="write timestamps in microseconds and times as texts, or do without Spark.")


def _literal_path(path: Path) -> str:
    """Write a path so that Spark takes it for this file alone and for no pattern."""
    return "".join(f"\\{sign}" if sign in "{}[]*?\\" else sign for sign in str(path))


# The rows of a release on a cluster: moved and sorted by what they say, so that nothing of their old order is left.

COPIES = 50_000  # so many copies of a row stay together at most
REFUSED = {"CalendarInterval", "Geography", "Geometry", "Map", "Time", "Variant", "YearMonthInterval"}
"""Types by which Spark does not move or sort rows, or that it does not write or send here."""


def is_publishable(type_: Any) -> bool:
    if type(type_).__name__ == "StructType":
        return all(is_publishable(field.dataType) for field in type_.fields)
    if type(type_).__name__ == "ArrayType":
        return is_publishable(type_.elementType)
    return type(type_).__name__.removesuffix("Type") not in REFUSED


def sort_in_parts(frame: Any, names: Sequence[str], parts: int) -> Any:
    """Move rows to their parts by their content, and sort each part."""
    by = [frame[name].asc_nulls_last() for name in names]
    return frame.repartition(parts, *names).sortWithinPartitions(*by)


def tally_in_parts(tally: Any, names: Sequence[str], parts: int) -> Any:
    """Do the same with every different row once, and repeat it at the end; many copies go to several parts."""
    sized = cut_into_chunks(tally, names)
    by = [sized[name].asc_nulls_last() for name in names]
    return repeat_rows(sized.repartition(parts, *names, "chunk").sortWithinPartitions(*by), names)


def cut_into_chunks(tally: Any, names: Sequence[str]) -> Any:
    of = functions_of(tally)
    count, chunk = of.col("count"), of.col("chunk")
    last = of.floor((count - 1) / COPIES)
    chunks = tally.select(*names, count, of.explode(of.sequence(of.lit(0), last)).alias("chunk"))
    size = of.least(of.lit(COPIES), count - chunk * COPIES).cast("int")
    return chunks.select(*names, chunk, size.alias("size"))


def repeat_rows(sized: Any, names: Sequence[str]) -> Any:
    of = functions_of(sized)
    copies = of.explode(of.array_repeat(of.lit(True), of.col("size")))  # noqa: FBT003
    return sized.select(*names, copies.alias("copy")).select(*names)


def functions_of(frame: Any) -> Any:
    """Give the functions for a frame: those of Connect are others, and a process may have frames of both kinds."""
    connect = type(frame).__module__.startswith("pyspark.sql.connect")
    return importlib.import_module("pyspark.sql.connect.functions" if connect else "pyspark.sql.functions")


def without_stars(frame: Any, wording: Wording) -> Any:
    """Let a frame have nothing where it has a star, and whole numbers where its columns have no other labels."""
    of = functions_of(frame)
    for name in wording.told_apart:
        cell = frame[f"`{name.replace('`', '``')}`"].cast("string")
        cell = of.when(cell != TOP, cell) if name in wording.stars else cell
        frame = frame.withColumn(name, cell.cast("bigint") if name in wording.numbers else cell)
    return frame


def with_stars(frame: Any, stars: Collection[str]) -> Any:
    """Let a frame have a star where some columns have nothing."""
    of = functions_of(frame)
    for name in stars:
        frame = frame.withColumn(name, of.coalesce(frame[f"`{name.replace('`', '``')}`"].cast("string"), of.lit(TOP)))
    return frame


DAY = 86_400_000_000  # microseconds
FEW = 1_000_000  # tables of so many rows are sent to every worker; larger ones are joined by shuffling


class SparkBackend(Backend):
    """A Spark session, classic or over Connect: none of its settings are changed."""

    has_order = False

    def __init__(self, session: Any, resources: Resources = DEFAULT_RESOURCES) -> None:
        super().__init__(resources)
        self._session = session

    def bring(self, table: pa.Table) -> Frame:
        frame = self.hand_back(table)
        return frame_of(frame.hint("broadcast") if table.num_rows <= FEW else frame)

    def look_up(self, frame: Frame, tables: Mapping[str, pa.Table]) -> Frame:
        # Joined without asking for the columns of the frame: over Connect, each such question sends the whole plan. The
        # key stays and is never read, so that Spark plans one join after another with no step between them.
        native = frame.to_native()
        of = functions_of(native)
        for column, table in tables.items():
            key = of.col(table.column_names[0])
            native = native.join(self.bring(table).to_native(), of.col(column) == key, "left")
        return frame_of(native)

    def write(self, frame: Frame, names: Sequence[str], path: Path, wording: Wording | None = None) -> Wording:
        native = frame.to_native().toDF(*names)
        write_folder(native if wording is None else without_stars(native, wording), path)
        return Wording()

    def hand_back(self, table: pa.Table) -> Any:
        """Make a frame of a table; timestamps without a zone stay without, whatever the zone of the session is."""
        types = importlib.import_module("pyspark.sql.types")
        type_of = importlib.import_module("pyspark.sql.pandas.types").from_arrow_type
        fields = [types.StructField(one.name, type_of(one.type, prefer_timestamp_ntz=True)) for one in table.schema]
        return self._session.createDataFrame(table, types.StructType(fields))

    def shifted(self, frame: Frame, column: str, days: str) -> Frame:
        native = frame.to_native()
        of, type_ = functions_of(native), native.schema[column].dataType.typeName()
        date, by = of.col(column), of.col(days)
        if type_ == "date":
            moved = of.date_add(date, by.cast("int"))
        elif type_ == "timestamp_ntz":
            moved = date + of.make_dt_interval(by.cast("int"))
        else:  # by hours of the clock it would depend on the zone of the session
            moved = of.timestamp_micros(of.unix_micros(date) + by * DAY)
        return frame_of(native.withColumn(column, moved))

    def numbered(self, frame: Frame) -> NoReturn:
        """Refuse: the rows of a cluster have no order."""
        del frame
        msg = "The rows of a Spark table have no order that could be kept."
        raise ParameterError(msg, hint=Hint("use {order}.", order="sorted"))

    def sampled(self, frame: Frame, rows: int) -> Frame:
        native = frame.to_native()
        return frame_of(native.orderBy(functions_of(native).xxhash64(*native.columns)).limit(rows))

    def read(self, path: Path) -> Any:
        """Open a folder that was written from here, by the same Spark."""
        return read_folder(self._session, places_of(path))
