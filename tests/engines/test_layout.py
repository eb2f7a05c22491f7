"""How a text file is laid out is found out before anybody reads it, and nothing of it is shown."""

from __future__ import annotations

import csv
import gzip
import tempfile
from pathlib import Path

import pytest

from incrowd.core import DataError
from incrowd.engines.formats._csv import check_encoding, copy_as_utf8, header_of


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


def test_a_copy_is_put_where_one_says(file: Path, tmp_path: Path) -> None:
    file.write_bytes("zip,größe\n".encode("latin-1"))
    (tmp_path / "here").mkdir()
    copy = copy_as_utf8(file, "latin-1", folder=tmp_path / "here")
    assert (copy.parent, copy.read_text(encoding="utf-8")) == (tmp_path / "here", "zip,größe\n")


def test_a_copy_that_fails_leaves_nothing_behind(file: Path, tmp_path: Path) -> None:
    file.write_bytes(b"zip\n\x81\n")
    (tmp_path / "here").mkdir()
    with pytest.raises(DataError, match=r"'t\.csv' is not valid cp1252") as caught:
        copy_as_utf8(file, "cp1252", folder=tmp_path / "here")
    assert list((tmp_path / "here").iterdir()) == []
    assert caught.value.__context__ is None


def test_a_copy_lies_among_temporary_files_unless_one_says(file: Path) -> None:
    file.write_text("zip\n")
    copy = copy_as_utf8(file, "latin-1")
    copy.unlink()
    assert copy.parent == Path(tempfile.gettempdir())


@pytest.mark.parametrize("encoding", ["utf-9", "hex", "rot13", "a\0b"])
def test_what_is_no_encoding_of_text_is_refused(encoding: str) -> None:
    with pytest.raises(DataError, match="There is no encoding") as caught:
        check_encoding(encoding)
    assert caught.value.__context__ is None
