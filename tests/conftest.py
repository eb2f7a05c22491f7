"""What all tests share."""

from __future__ import annotations

import gc
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import settings

settings.register_profile("patient", deadline=None)  # a busy machine is no failure
settings.load_profile("patient")


def pytest_collection_finish() -> None:
    """Look for rubbish only among what tests make: the libraries that all of them have loaded are none."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """Let Python clear everything away in the end, as it does without us."""
    gc.unfreeze()


ADULT = Path(__file__).parent / "data" / "adult"
COLUMNS_OF_ARX = (
    *("sex", "age", "race", "marital-status", "education", "native-country"),
    *("workclass", "occupation", "salary-class"),
)


@pytest.fixture(scope="session")
def adult_folder() -> Path:
    """Give the folder with the Adult table, 15 columns and unknown values among them, and its hierarchies."""
    return ADULT


@pytest.fixture(scope="session")
def adult_csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write Adult in the form that ARX works with: nine columns, nothing unknown, semicolons."""
    table = pyarrow.parquet.read_table(ADULT / "adult.parquet")
    for name in table.column_names:
        if table.schema.field(name).type == "string":
            table = table.filter(pc.not_equal(table[name], "?"))
    path: Path = tmp_path_factory.mktemp("adult") / "adult.csv"
    layout = pyarrow.csv.WriteOptions(delimiter=";", quoting_style="none")
    pyarrow.csv.write_csv(table.select(COLUMNS_OF_ARX), path, layout)
    return path
