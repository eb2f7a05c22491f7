"""What every engine must answer, asked of Spark: the bodies are those of ``tests/engines``, each with its reasons."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from types import ModuleType

from engines import test_encoding, test_recoding, test_reference, test_shift, test_tables

NEVER = {
    "test_rows_can_keep_their_order": "the rows of a cluster have no order",
    "test_rows_of_a_local_recoding_can_keep_their_order": "the rows of a cluster have no order",
    "test_of_rows_that_are_published_alike_the_first_ones_come_first": "the rows of a cluster have no order",
    "test_a_file_is_written_sorted_or_in_the_order_of_the_table": "Spark writes Parquet, see test_release.py",
    "test_all_engines_write_the_same_csv": "Spark writes Parquet, see test_release.py",
    "test_forty_quasi_identifiers_of_a_thousand_values_do_not_overflow": "a minute of planning, see test_frames.py",
    "test_names_that_differ_only_in_case_are_refused": "Spark refuses to read such a file itself, see test_frames.py",
}
"""What is not asked, and why."""


def bodies(*modules: ModuleType) -> Iterator[tuple[str, Callable[..., None]]]:
    """Give the tests that take any kind of table, under names that tell where they are from."""
    for module in modules:
        for name, test in inspect.getmembers(module, inspect.isfunction):
            asks = {"subject", "typed"} & set(inspect.signature(test).parameters)
            if name.startswith("test_") and asks and name not in NEVER:
                yield name.replace("test_", f"{module.__name__.rpartition('.')[2]}_", 1), test


globals().update(bodies(test_encoding, test_recoding, test_reference, test_shift, test_tables))


def test_everything_that_is_not_asked_exists() -> None:
    tests = {name for module in (test_tables, test_reference, test_recoding) for name in dir(module)}
    assert set(NEVER) <= tests
