"""Every record of a text file is read, or the file is refused: records are counted a second time, by bytes."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from incrowd.core import DataError, IncrowdError
from incrowd.engines import _resources, open_table
from incrowd.engines.formats import _csv, _records

BEGIN = b"a,b\n" + b"1,2\n" * 600
LOST = BEGIN + b"3," + b"y" * 32_000_001  # DuckDB leaves out a last line that is longer than its buffer

Write = Callable[[Path, bytes], Path]


def plain(folder: Path, content: bytes) -> Path:
    (folder / "t.csv").write_bytes(content)
    return folder / "t.csv"


def zipped(folder: Path, content: bytes) -> Path:
    (folder / "t.csv.gz").write_bytes(gzip.compress(content, 1))
    return folder / "t.csv.gz"


def read(path: Path, encoding: str = "utf-8") -> int:
    """Count the records of a file as a census does."""
    (name, *_) = (engine := open_table(path, encoding=encoding)).columns()
    return int(engine.domains([name])[name].counts.sum())


@pytest.mark.parametrize("write", [plain, zipped])
@pytest.mark.parametrize("ended", [b"", b"\n", b"\r\n"])
def test_a_last_line_that_would_be_lost_is_refused(write: Write, tmp_path: Path, ended: bytes) -> None:
    path = write(tmp_path, LOST + ended)
    with pytest.raises(
        DataError, match=rf"^Line 602 of the file '{path.name}' is too long\. Hint: a line may have 2 MB"
    ):
        open_table(path)


def test_so_is_that_of_a_file_in_another_encoding(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"^Line 602 of the file 't\.csv' is too long"):
        open_table(plain(tmp_path, LOST), encoding="latin-1")


@pytest.mark.parametrize("write", [plain, zipped])
@pytest.mark.parametrize(
    ("content", "line", "byte"),
    [
        (BEGIN + b"\0" * 4096, 602, "2,405"),
        (BEGIN + b"\0" * 3_000_000, 602, "2,405"),
        (BEGIN[:-1] + b"\0", 601, "2,404"),
        (BEGIN + b"\0" * 4096 + b"3,4\n", 602, "2,405"),
        (BEGIN * 1000 + b"\x003,4\n5,6", 601_001, "2,404,001"),
    ],
    ids=["tail", "long tail", "no last line end", "hole", "far"],
)
def test_a_file_with_zeros_is_refused_with_line_and_byte(
    write: Write, tmp_path: Path, content: bytes, line: int, byte: str
) -> None:
    path = write(tmp_path, content)
    said = rf"^Line {line:,} of the file '{path.name}' has a zero where a letter should be, at byte {byte}\. Hint: the"
    with pytest.raises(DataError, match=said):
        read(path)


@pytest.mark.parametrize("memory", [None, "1MB"])
def test_a_record_that_is_lost_in_another_way_is_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: str | None
) -> None:
    monkeypatch.setattr(_csv, "check_end", lambda *_: None)
    monkeypatch.setattr(_resources, "SHORT_TABLE", 1 << 40)  # so that little memory is enough to begin with
    rows = b"".join(b"%d,%d\n" % (number, -number) for number in range(60_000))
    path = plain(tmp_path, b"a,b\n" + rows + LOST[len(BEGIN) :])
    with pytest.raises(
        DataError, match=r"^Of the file 't\.csv', 60,000 records were read, and there are 60,001\. Hint"
    ):
        open_table(path, memory=memory).domains(["a", "b"])


def test_of_several_files_all_records_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_csv, "check_end", lambda *_: None)
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "1.csv").write_bytes(BEGIN + b'"3\n",4')
    (tmp_path / "t" / "2.csv").write_bytes(b"a,b\r\n\r\n5,6\r\n")
    assert read(tmp_path / "t") == 602
    (tmp_path / "t" / "3.csv").write_bytes(LOST)
    with pytest.raises(DataError, match=r"^Of 3 files, 1,202 records were read, and there are 1,203\. Hint"):
        read(tmp_path / "t")


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    ("content", "records"),
    [
        (b'a,b\n"1\n\n2",3\n4,"5""\n"\n', 2),
        (b'a,b\r\n"1\r\n",2\r\n\r\n3,4', 2),
        (b"a,b\r1,2\r\r3,4\r", 2),
        (b'a,b\n1,5" disk\n2,6"\n', 2),
        (b'a,b\n "1\n",2\n3,"4" \n', 2),
        (b"a\n1\n\n2\n\n", 4),
        (b'a\r\n"1"\r\n\r\n', 2),
        (b"\xef\xbb\xbfa,b\n1,2\n\n", 1),
    ],
)
def test_line_ends_in_quotes_and_empty_lines_are_no_records_but_in_a_single_column(
    content: bytes, records: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: bool
) -> None:
    monkeypatch.setattr(_records, "_SMALL", 0 if compiled else 1000)
    assert read(plain(tmp_path, content)) == records


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    first=st.sampled_from(["a", "a,b"]),
    rows=st.lists(
        st.sampled_from(["1,2", '"1\n",2', '1,"2""\n"', "", '1"x,2', ' "1", 2', "1", '"\n\n"', '"",""', " "])
    ),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    last=st.booleans(),
)
def test_no_file_that_is_read_is_said_to_have_other_records(
    first: str, rows: list[str], end: str, tmp_path: Path, last: bool
) -> None:
    try:
        read(plain(tmp_path, (end.join([first, *rows]) + end * last).encode()))
    except IncrowdError as error:
        assert "records were read" not in str(error)  # noqa: PT017 - most are refused, and for other reasons
