"""The made-up table of the benchmarks: 8 quasi-identifiers and a disease, nearly every row a combination of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from _timing import DATA

QUASI = ("age", "zip", "sex", "race", "marital", "education", "country", "occupation")
SENSITIVE = ("disease",)


def files(rows: int) -> dict[str, Path]:
    """Give the Parquet and the CSV file of so many rows; make them the first time."""
    paths = {kind: DATA / f"made_up_{rows}.{kind}" for kind in ("parquet", "csv")}
    if not all(path.exists() for path in paths.values()):
        DATA.mkdir(exist_ok=True)
        made = table(rows)
        pyarrow.parquet.write_table(made, paths["parquet"], compression="zstd")
        pyarrow.csv.write_csv(made, paths["csv"])
    return paths


def table(rows: int, seed: int = 1) -> pa.Table:
    """Draw the table: skewed columns, independent of each other."""
    rng = np.random.default_rng(seed)

    def column(values: list[str], weights: np.ndarray | None = None) -> pa.Array:
        share = None if weights is None else weights / weights.sum()
        codes = rng.choice(len(values), size=rows, p=share).astype(np.int32)
        return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(values)).cast(pa.string())

    zips = np.sort(rng.choice(np.arange(10_000, 100_000), size=20_000, replace=False))
    return pa.table(
        {
            "age": pa.array(rng.integers(0, 100, rows).astype(np.uint8)),
            "zip": column([str(code) for code in zips], 1 / (np.arange(20_000) + 50.0)),
            "sex": column(["F", "M"]),
            "race": column([f"race{i}" for i in range(5)], np.array([72, 13, 6, 1, 8])),
            "marital": column([f"marital{i}" for i in range(7)]),
            "education": column([f"education{i:02}" for i in range(16)], 0.82 ** np.arange(16)),
            "country": column([f"country{i:02}" for i in range(41)], np.r_[9, 0.9 ** np.arange(40) / 9]),
            "occupation": column([f"occupation{i:02}" for i in range(14)], 0.85 ** np.arange(14)),
            "disease": column([f"disease{i:02}" for i in range(30)], 0.85 ** np.arange(30)),
        }
    )
