"""The first rows of files that are none of text, and the sheets of spreadsheets."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from incrowd.core import DataError
from incrowd.engines import head_of, sheets_of

FRAME = pl.DataFrame({"age": [9, 7, 8, 7], "name": ["d", "b", None, "a"]})


@pytest.mark.parametrize("kind", ["parquet", "excel"])
def test_rows_come_in_the_order_of_the_file(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"t.{'xlsx' if kind == 'excel' else kind}"
    getattr(FRAME, f"write_{kind}")(path)
    assert head_of(path, 3) == (["age", "name"], [(9, "d"), (7, "b"), (8, None)])
    assert len(head_of(path, 10)[1]) == 4


def test_a_table_without_rows_has_names(tmp_path: Path) -> None:
    FRAME.clear().write_parquet(tmp_path / "t.parquet")
    assert head_of(tmp_path / "t.parquet", 3) == (["age", "name"], [])


def test_columns_that_have_no_values_of_ours_are_left_out(tmp_path: Path) -> None:
    FRAME.with_columns(lists=pl.lit([[1]])).write_parquet(tmp_path / "t.parquet")
    assert head_of(tmp_path / "t.parquet", 1)[0] == ["age", "name"]


def test_a_broken_file_is_refused_without_a_word_of_it(tmp_path: Path) -> None:
    (tmp_path / "t.parquet").write_bytes(b"PAR1CANARY")
    with pytest.raises(DataError, match="Parquet") as caught:
        head_of(tmp_path / "t.parquet", 1)
    assert "CANARY" not in str(caught.value)


def test_sheets_are_named_in_their_order(tmp_path: Path) -> None:
    import xlsxwriter  # noqa: PLC0415 - an extra

    with xlsxwriter.Workbook(str(tmp_path / "t.xlsx")) as book:
        FRAME.write_excel(book, worksheet="zwei")
        FRAME.write_excel(book, worksheet="eins")
    assert sheets_of(tmp_path / "t.xlsx") == ["zwei", "eins"]
    assert head_of(tmp_path / "t.xlsx", 1, "eins")[1] == [(9, "d")]
