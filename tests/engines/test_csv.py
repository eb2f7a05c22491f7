from __future__ import annotations

import csv
import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from engines.subjects import Subject
from incrowd.core import CensusRequest, DataError, SchemaError
from incrowd.engines import open_table
from incrowd.engines._duckdb import Workshop
from incrowd.engines._resources import Resources
from incrowd.engines.formats._csv import check_encoding, copy_as_utf8, header_of

TEXT = 'zip;disease\n01;"flu; bad"\n02;hiv\n01;"flu; bad"\n'


def sizes(path: Path, **how: Any) -> Any:
    return open_table(path, **how).census(CensusRequest(("zip", "disease"))).counts.tolist()


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_found_out(separator: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"zip{separator}disease\n01{separator}flu\n02{separator}hiv\n01{separator}flu\n")
    assert sizes(path) == [2, 1]


def test_any_other_separator_can_be_said(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("zip#disease\n01#a,b\n01#a,b\n")
    assert sizes(path, separator="#") == [2]


def test_quoted_values_may_hold_separators_quotes_and_lines(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('zip,disease\n01,"flu, ""bad""\nreally"\n02,"x"\n')
    domain = open_table(path).domains(["disease"])["disease"]
    assert domain.values.tolist() == ['flu, "bad"\nreally', "x"]


def test_a_quoted_header_is_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('"zip";"the; disease"\n01;flu\n')
    assert list(open_table(path).columns()) == ["zip", "the; disease"]


def test_a_file_with_a_long_name_can_be_of_any_encoding(tmp_path: Path) -> None:
    path = tmp_path / f"{'数' * 82}.csv"
    path.write_bytes("town\nKöln\n".encode("latin-1"))
    assert open_table(path, encoding="latin-1").domains(["town"])["town"].texts.tolist() == ["Köln"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16", "iso8859-15"])
def test_encodings(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("zip,disease\n01,Grippe (für)\n", encoding=encoding)
    domain = open_table(path, encoding=encoding).domains(["disease"])["disease"]
    assert domain.values.tolist() == ["Grippe (für)"]


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("zip,disease\n01,flu\n", encoding="utf-8-sig")
    assert list(open_table(path).columns()) == ["zip", "disease"]


def test_compressed_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(TEXT.encode()))
    assert sizes(path) == [2, 1]


def test_lines_may_end_as_on_windows(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(TEXT.replace("\n", "\r\n").encode())
    assert sizes(path) == [2, 1]


def test_the_last_line_needs_no_end(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(TEXT.rstrip())
    assert sizes(path) == [2, 1]


def test_a_file_of_a_header_alone_is_an_empty_table(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("zip,disease\n")
    assert sizes(path) == []


def test_one_column_needs_no_separator(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("zip\n01\n01\n02\n")
    assert open_table(path).census(CensusRequest(("zip",))).counts.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is empty"),
        ("zip,zip\n1,2\n", "Columns 1 and 2 of the table have the same name"),
        ("zip,,x\n1,2,3\n", "Column 2 of the file 't.csv' has no name"),
        ("zip,disease\n1,canary\n1,canary,3\n", "Line 3 of the file 't.csv' has 3 values, expected 2"),
        ("zip,disease\n1,canary\ncanary\n", "Line 3 of the file 't.csv' has 1 value, expected 2"),
    ],
)
def test_a_malformed_file_is_described_without_its_values(text: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises((DataError, SchemaError), match=complaint) as caught:
        sizes(path)
    assert "canary" not in str(caught.value)
    assert caught.value.__context__ is None


def test_a_wrong_encoding_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("zip,disease\n01,für\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"not valid utf-8\. Hint: it can be read with encoding='cp1252'\."):
        open_table(path)
    with pytest.raises(DataError, match="no encoding 'utf-9'"):
        open_table(path, encoding="utf-9")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no file '.*nowhere.csv'"):
        open_table(tmp_path / "nowhere.csv")


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.docx"
    path.write_text("x")
    with pytest.raises(DataError, match=r"'t.docx'.*\.csv, \.tsv, \.txt"):
        open_table(path)


def test_a_parquet_file_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    path.write_text("canary")
    with pytest.raises(DataError, match="not a Parquet file"):
        open_table(path)


def test_paths_with_quotes_and_blanks_are_no_trouble(tmp_path: Path) -> None:
    folder = tmp_path / 'it\'s a "folder" [1] *'
    folder.mkdir()
    path = folder / "t.csv"
    path.write_text(TEXT)
    assert sizes(path) == [2, 1]
    parquet = folder / "t.parquet"
    pyarrow.parquet.write_table(pa.table({"zip": ["1"], "disease": ["flu"]}), parquet)
    assert sizes(parquet) == [1]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_written_table_reads_back_sorted(suffix: str, subject: Subject, tmp_path: Path) -> None:
    table = pa.table({"zip": ["02", "01", None], "note": ["a,b", 'say "x"', "line\nbreak"]})
    path = tmp_path / f"out.{suffix}"
    open_table(subject.load(table)).write(path)
    back = open_table(path).materialise().to_pylist()
    assert [tuple(row.values()) for row in back] == [("01", 'say "x"'), ("02", "a,b"), (None, "line\nbreak")]


def test_only_what_we_can_read_is_written(typed: Subject, tmp_path: Path) -> None:
    engine = open_table(typed.load(pa.table({"zip": ["02"]})))
    with pytest.raises(DataError, match=r"Cannot write a table to 'out.docx'"):
        engine.write(tmp_path / "out.docx")


def test_a_memory_limit_makes_it_spill(tmp_path: Path) -> None:
    rows = 190_000  # a table that is any longer is refused
    path = tmp_path / "t.parquet"
    values = {"a": 90_000, "b": 89_989}  # no two rows are equal
    table = pa.table({name: [f"{name}{i * 7919 % count}" for i in range(rows)] for name, count in values.items()})
    pyarrow.parquet.write_table(table, path, row_group_size=50_000)
    census = open_table(path, memory="100MB", temp=tmp_path / "spill").census(CensusRequest(("a", "b")))
    assert len(census) == rows


# How a text file is laid out is found out before anybody reads it, and nothing of it is shown.


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "t.csv"


def test_a_header_may_be_of_any_length(file: Path) -> None:
    names = [f"column {number}" for number in range(20_000)]
    file.write_text(";".join(names) + "\n" + ";".join("1" for _ in names) + "\n")
    header = header_of(file, "utf-8", None)
    assert (header.separator, list(header.columns)) == (";", names)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", ""])
def test_the_end_of_the_first_line_is_no_part_of_a_name(end: str, file: Path) -> None:
    file.write_bytes(f"zip,disease{end}".encode())
    assert header_of(file, "utf-8", None).columns == ("zip", "disease")


@pytest.mark.parametrize("text", ['zip,"the canary\ndisease"\n01,flu\n', 'zip,"canary\n01,flu\n', '"canary'])
def test_a_name_with_a_line_break_or_an_open_quote_is_refused(text: str, file: Path) -> None:
    file.write_text(text)
    with pytest.raises(DataError, match=r"^The first line of the file 't\.csv' has a quote that is never closed") as no:
        header_of(file, "utf-8", None)
    assert "canary" not in str(no.value)
    assert no.value.__context__ is None


def test_text_after_a_closing_quote_is_refused(file: Path) -> None:
    file.write_text('"zip"canary,disease\n01,flu\n')
    with pytest.raises(DataError, match="has text after a closing quote") as caught:
        header_of(file, "utf-8", ",")
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize("limit", [131_072, 2**31 - 1])
def test_a_name_of_endless_length_is_refused_whatever_the_limit_of_the_csv_module(limit: int, file: Path) -> None:
    file.write_text("x" * 200_000)
    before = csv.field_size_limit(limit)
    try:
        _refuses_a_long_name(file)
    finally:
        csv.field_size_limit(before)


def _refuses_a_long_name(file: Path) -> None:
    with pytest.raises(DataError, match=r"has a name of more than 131,072 characters"):
        header_of(file, "utf-8", None)


@pytest.mark.parametrize("first", ["\n", "\r\n", "  \n"])
def test_an_empty_first_line_is_refused(first: str, file: Path) -> None:
    file.write_bytes(f"{first}zip,disease\n01,flu\n".encode())
    with pytest.raises(DataError, match=r"The first line of the file 't\.csv' is empty.*must name the columns"):
        header_of(file, "utf-8", None)


@pytest.mark.parametrize("text", ["", "\n", "\n \n"])
def test_a_file_of_nothing_is_empty(text: str, file: Path) -> None:
    file.write_text(text)
    with pytest.raises(DataError, match=r"The file 't\.csv' is empty"):
        header_of(file, "utf-8", None)


@pytest.mark.parametrize("name", ["t.csv.gz", "T.CSV.GZ"])
def test_a_file_that_is_only_named_gzip_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("zip,canary\n")
    with pytest.raises(DataError, match=r"is not a gzip file, or is cut off") as caught:
        header_of(tmp_path / name, "utf-8", None)
    assert caught.value.__context__ is None


def test_a_gzip_file_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"zip,disease\n01,flu\n")[:-9])
    with pytest.raises(DataError, match="is not a gzip file, or is cut off"):
        header_of(path, "utf-8", None)


@pytest.mark.parametrize("separator", ["", "::", '"', "\n"])
def test_a_separator_is_one_character(separator: str, file: Path) -> None:
    file.write_text("zip::disease\n")
    with pytest.raises(DataError, match=r"The separator must be one character .* got '") as caught:
        header_of(file, "utf-8", separator)
    assert repr(separator) in str(caught.value)


def test_a_copy_is_put_where_one_says_and_has_no_name_there(file: Path, tmp_path: Path) -> None:
    file.write_bytes("zip,größe\n".encode("latin-1"))
    workshop = Workshop(Resources(temp=tmp_path / "here"))
    copy = copy_as_utf8(file, "latin-1", workshop)
    assert (copy.parent, copy.read_text(encoding="utf-8")) == (workshop.folder, "zip,größe\n")
    assert copy.is_symlink()
    assert tmp_path / "here" in workshop.folder.parents


def test_a_copy_that_fails_leaves_nothing_behind(file: Path, tmp_path: Path) -> None:
    file.write_bytes(b"zip\n\x81\n")
    workshop = Workshop(Resources(temp=tmp_path))
    before = {*workshop.folder.iterdir()}
    with pytest.raises(DataError, match=r"'t\.csv' is not valid cp1252") as caught:
        copy_as_utf8(file, "cp1252", workshop)
    assert {*workshop.folder.iterdir()} == before
    assert caught.value.__context__ is None


@pytest.mark.parametrize("encoding", ["utf-9", "hex", "rot13", "a\0b"])
def test_what_is_no_encoding_of_text_is_refused(encoding: str) -> None:
    with pytest.raises(DataError, match="There is no encoding") as caught:
        check_encoding(encoding)
    assert caught.value.__context__ is None
