"""The rows of a release on a cluster: moved and sorted by what they say, so that nothing of their old order is left."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

COPIES = 50_000
"""So many copies of a row stay together at most."""

REFUSED = {"CalendarInterval", "Geography", "Geometry", "Map", "Time", "Variant", "YearMonthInterval"}
"""Types by which Spark does not move or sort rows, or that it does not write or send here."""


def publishable(type_: Any) -> bool:
    """Say whether a column of a type of Spark can be published."""
    if type(type_).__name__ == "StructType":
        return all(publishable(field.dataType) for field in type_.fields)
    if type(type_).__name__ == "ArrayType":
        return publishable(type_.elementType)
    return type(type_).__name__.removesuffix("Type") not in REFUSED


def in_parts(frame: Any, names: Sequence[str], parts: int) -> Any:
    """Move rows to their parts by their content, and sort each part."""
    by = [frame[name].asc_nulls_last() for name in names]
    return frame.repartition(parts, *names).sortWithinPartitions(*by)


def tallied(tally: Any, names: Sequence[str], parts: int) -> Any:
    """Do the same with every different row once, and repeat it at the end; many copies go to several parts."""
    sized = in_chunks(tally, names)
    by = [sized[name].asc_nulls_last() for name in names]
    return repeated(sized.repartition(parts, *names, "chunk").sortWithinPartitions(*by), names)


def in_chunks(tally: Any, names: Sequence[str]) -> Any:
    """Divide rows that occur often."""
    of = functions_of(tally)
    count, chunk = of.col("count"), of.col("chunk")
    last = of.floor((count - 1) / COPIES)
    chunks = tally.select(*names, count, of.explode(of.sequence(of.lit(0), last)).alias("chunk"))
    size = of.least(of.lit(COPIES), count - chunk * COPIES).cast("int")
    return chunks.select(*names, chunk, size.alias("size"))


def repeated(sized: Any, names: Sequence[str]) -> Any:
    """Repeat every row as often as it occurs."""
    of = functions_of(sized)
    copies = of.explode(of.array_repeat(of.lit(True), of.col("size")))  # noqa: FBT003
    return sized.select(*names, copies.alias("copy")).select(*names)


def functions_of(frame: Any) -> Any:
    """Give the functions for a frame: those of Connect are others, and a process may have frames of both kinds."""
    connect = type(frame).__module__.startswith("pyspark.sql.connect")
    return importlib.import_module("pyspark.sql.connect.functions" if connect else "pyspark.sql.functions")
