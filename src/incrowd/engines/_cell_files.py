"""The cells of a census that does not fit into memory: in Parquet files, written and read a block at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet

from incrowd.core import CensusRequest, DataError, EngineError, Packing
from incrowd.engines._arrow import objects_of, of_numbers, of_texts, to_numpy
from incrowd.engines._border import guarded
from incrowd.engines._files import WAIT, damage_error
from incrowd.engines._lazy_frame import FrameEngine
from incrowd.engines._protocol import Engine

BLOCK = 1 << 20  # cells that are looked at together
Array = npt.NDArray[Any]


class Block(NamedTuple):
    """Some cells: their packed codes, how often each occurs, and the part that each is of."""

    words: list[Array]
    counts: Array
    parts: Array

    def some(self, chosen: Array) -> Block:
        return Block([word[chosen] for word in self.words], self.counts[chosen], self.parts[chosen])


@dataclass(frozen=True, slots=True)
class CellFile:
    """Cells in a file, in no order."""

    path: Path
    packing: Packing

    def blocks(self) -> Iterator[Block]:
        """Read the cells, so many at a time."""
        with _open_parquet(self.path) as file:
            batches = file.iter_batches(BLOCK)
            while (batch := _next(batches)) is not None:
                columns = [batch[f"word{number}"] for number in range(self.packing.words)]
                if any(column.null_count for column in columns):
                    msg = "The table changed while it was being read."
                    raise DataError(msg, hint=WAIT)
                words = [*map(to_numpy, columns)]
                parts = to_numpy(batch["part"]) if "part" in batch.schema.names else np.zeros(len(batch), np.int64)
                yield Block(words, to_numpy(batch["n"]), parts)

    def all(self) -> Block:
        blocks = list(self.blocks())
        words = [np.concatenate([block.words[number] for block in blocks]) for number in range(self.packing.words)]
        whole = Block(words, *(np.concatenate([block[part] for block in blocks]) for part in (1, 2)))
        return whole.some(np.lexsort(words[::-1]))

    def remove(self) -> None:
        self.path.unlink()


class CellWriter:
    """Writes cells to a file as they come."""

    @guarded
    def __init__(self, file: CellFile) -> None:
        names = [*(f"word{number}" for number in range(file.packing.words)), "n", "part"]
        self._schema = pa.schema([(name, pa.int64()) for name in names])
        self._writer = pyarrow.parquet.ParquetWriter(file.path, self._schema, compression="lz4")

    @guarded
    def add(self, block: Block) -> None:
        columns: Sequence[Array] = (*block.words, block.counts, block.parts)
        arrays = [of_numbers(np.ascontiguousarray(column, dtype=np.int64)) for column in columns]
        self._writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=self._schema))

    @guarded
    def close(self) -> None:
        self._writer.close()


def write_cells(file: CellFile, words: Sequence[Array], counts: Array) -> None:
    """Write cells that are held, so many at a time."""
    writer = CellWriter(file)
    for start in range(0, len(counts), BLOCK):
        rows = slice(start, start + BLOCK)
        block = counts[rows]
        writer.add(Block([word[rows] for word in words], block, np.zeros(len(block), np.int64)))
    writer.close()


@guarded
def _open_parquet(path: Path) -> Any:
    return pyarrow.parquet.ParquetFile(path)


@guarded
def _next(batches: Iterator[Any]) -> Any:
    return next(batches, None)


def can_spill(engine: Engine) -> bool:
    """Say whether an engine can write a census that is too long to be held."""
    return isinstance(engine, FrameEngine) and engine.can_spill


@guarded
def spill_census(engine: Engine, request: CensusRequest, path: Path) -> CellFile:
    """Write the cells of a census to a file."""
    if not isinstance(engine, FrameEngine):
        msg = "This kind of table cannot keep its census on the disk."
        raise EngineError(msg)
    domains = engine.domains(request.needed_columns)
    engine.write_census(request, path)
    return CellFile(path, Packing.of([request.cardinality(domains[name]) for name in request.columns]))


def shares_of(engine: Engine, names: Sequence[str], shares: int) -> Iterator[Engine]:
    """Give the rows of a table in several shares; those that are equal in some columns are in the same one."""
    if shares == 1 or not isinstance(engine, FrameEngine):
        yield engine
        return
    yield from (engine.share(names, number, shares) for number in range(shares))


# Named arrays in one Parquet file: a row per array, so that any reader can look one up by its name.

_KINDS = {"integers": pa.int64(), "floats": pa.float64(), "texts": pa.large_string()}


@guarded
def write_arrays(arrays: Mapping[str, Any], path: Path) -> None:
    """Write arrays of whole numbers, floats or texts."""
    schema = pa.schema([("name", pa.large_string()), *((kind, pa.large_list(type_)) for kind, type_ in _KINDS.items())])
    with pyarrow.parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for name, array in arrays.items():  # one after the other: there may be no room for all of them in 64 bits
            kind, values = _arrow_of_array(array)
            lists = {one: pa.nulls(1, schema.field(one).type) for one in _KINDS}
            lists[kind] = pa.LargeListArray.from_arrays(of_numbers(np.array([0, len(array)])), values)
            writer.write_batch(pa.record_batch([of_texts([name]), *lists.values()], schema=schema))


def _arrow_of_array(array: Any) -> tuple[str, pa.Array]:
    if array.dtype == object:
        return "texts", of_texts(array.tolist())
    return (
        ("floats", of_numbers(array.astype(np.float64)))
        if array.dtype.kind == "f"
        else ("integers", of_numbers(array.astype(np.int64)))
    )


@guarded
def read_arrays(path: Path) -> dict[str, Any]:
    """Read arrays that ``write_arrays`` wrote; whole numbers have 64 bits, texts are objects."""
    table = _read_parquet(path)
    found: dict[str, Any] = {}
    for row, name in enumerate(table["name"].to_pylist()):
        kind = next(kind for kind in _KINDS if table[kind][row].is_valid)
        values = table[kind][row].values
        found[name] = objects_of(values) if kind == "texts" else to_numpy(values).copy()
        if kind == "floats":  # of which there may be none
            found[name] = found[name].astype(np.float64)
    return found


@guarded
def read_texts(path: Path, missing: str) -> dict[str, list[str]]:
    """Read the columns of a Parquet file as texts, in the order of its rows."""
    table = _read_parquet(path)
    columns = {name: table[name].to_pylist() for name in table.column_names}
    return {name: [missing if value is None else str(value) for value in values] for name, values in columns.items()}


def _read_parquet(path: Path) -> pa.Table:
    if not path.is_file():
        msg = f"There is no file {path.name!r}."
        raise DataError(msg)
    try:
        return pyarrow.parquet.read_table(path)
    except (OSError, pa.ArrowException) as error:
        if getattr(error, "errno", None) is not None:  # the machine's fault
            raise
    raise damage_error(path)
