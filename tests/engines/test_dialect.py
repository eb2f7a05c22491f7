"""An opened text file says how it was read, so that its release is written alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from incrowd.engines import Dialect, Remembered, open_table


@pytest.mark.parametrize(
    ("encoding", "mark", "written"),
    [
        ("utf-8", False, b""),
        ("utf-8", True, b"\xef\xbb\xbf"),
        ("cp1252", False, b""),
        ("utf-16", True, None),
    ],
)
def test_a_text_file_says_how_it_was_read(encoding: str, mark: bool, written: bytes | None, tmp_path: Path) -> None:
    file, text = tmp_path / "t.csv", "größe;zip\n1;01067\n"
    file.write_bytes((written or b"") + text.encode(encoding))
    engine = open_table(file, encoding=encoding)
    assert engine.dialect == Dialect(";", encoding, mark)  # type: ignore[attr-defined]
    assert Remembered(engine).dialect == Dialect(";", encoding, mark)
