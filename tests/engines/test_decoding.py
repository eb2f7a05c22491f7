from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from incrowd.core import DataError
from incrowd.engines import open_table

TEXTS = {
    "utf-8": "town,price\nKöln,5 €\nŁódź,6 €\n",
    "utf-16": "town,price\nKöln,5 €\nŁódź,6 €\n",
    "utf-16-le": "town,price\nKöln,5 €\nBonn,6 €\n",
    "utf-16-be": "town,price\nKöln,5 €\nBonn,6 €\n",
    "cp1252": "town,price\nKöln,5 €\nBonn,6 €\n",
    "latin-1": "town,price\nKöln,5\nBonn,6\n",
}


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
@pytest.mark.parametrize("encoding", TEXTS)
def test_the_encoding_that_is_advised_reads_the_file(tmp_path: Path, encoding: str, ending: str) -> None:
    path = tmp_path / f"prices{ending}"
    content = TEXTS[encoding].encode(encoding)
    path.write_bytes(gzip.compress(content) if ending.endswith("gz") else content)
    with pytest.raises(DataError, match="is not valid") as refused:
        open_table(path, encoding="ascii" if encoding == "utf-8" else "utf-8")
    advised = re.search("it can be read with encoding='(.*)'", refused.value.hint)
    assert advised is not None
    assert advised[1] == encoding
    towns = open_table(path, encoding=advised[1]).domains(["town"])["town"].texts.tolist()
    assert "Köln" in towns


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_file_of_two_bytes_a_letter_is_not_taken_for_utf_8(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "plain.csv").write_bytes("town,price\nBonn,5\n".encode(encoding))
    with pytest.raises(DataError, match=f"zeros between its letters.*it can be read with encoding='{encoding}'"):
        open_table(tmp_path / "plain.csv")
    assert list(open_table(tmp_path / "plain.csv", encoding=encoding).columns()) == ["town", "price"]


@pytest.mark.parametrize("place", [1, 200_000])
def test_a_sign_of_the_euro_anywhere_tells_windows_from_latin_1(tmp_path: Path, place: int) -> None:
    lines = ["town,price", *("Köln,5" for _ in range(place)), "Bonn,5 €", ""]
    (tmp_path / "prices.csv").write_bytes("\n".join(lines).encode("cp1252"))
    with pytest.raises(DataError, match=r"it can be read with encoding='cp1252'\."):
        open_table(tmp_path / "prices.csv").domains(["price"])


def test_a_file_that_is_wrong_far_below_is_advised_too(tmp_path: Path) -> None:
    lines = ["town,price", *("Bonn,5" for _ in range(200_000)), "Köln,5", ""]
    (tmp_path / "prices.csv").write_bytes("\n".join(lines).encode("latin-1"))
    with pytest.raises(DataError, match=r"Line 200002 .*it can be read with encoding='latin-1'\."):
        open_table(tmp_path / "prices.csv").domains(["town"])


def test_what_no_usual_encoding_reads_is_said_to_be_so(tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_bytes("town,price\nK\x94ln,5\x8d\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"say how it was saved, such as encoding='cp437'\. No usual encoding fits"):
        open_table(tmp_path / "old.csv")
    assert open_table(tmp_path / "old.csv", encoding="cp437").domains(["town"])["town"].texts.tolist() == ["Köln"]


def test_a_file_that_is_no_text_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "picture.csv").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\x01\xff\xfe" * 50)
    with pytest.raises(DataError, match="does not look like a text file: is the ending of its name the right one"):
        open_table(tmp_path / "picture.csv")
