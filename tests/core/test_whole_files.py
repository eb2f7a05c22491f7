from __future__ import annotations

import os
from pathlib import Path

import pytest

from incrowd.core import bytes_in, check_file, check_path, json_in, text_in


def test_a_file_is_read_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"ä": 1}', encoding="utf-8")
    assert bytes_in(tmp_path / "a.json") == '{"ä": 1}'.encode()
    assert text_in(str(tmp_path / "a.json")) == '{"ä": 1}'
    assert json_in(tmp_path / "a.json") == {"ä": 1}
    check_file(tmp_path / "a.json")


def test_a_pipe_is_not_waited_for_and_a_device_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        for read in (bytes_in, check_file):
            with pytest.raises(OSError, match="it is a pipe or a device, and no file"):
                read(path)


def test_what_is_missing_or_a_folder_is_said_as_the_system_says_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="No such file"):
        bytes_in(tmp_path / "none")
    for read in (bytes_in, check_file):
        with pytest.raises(IsADirectoryError, match="Is a directory"):
            read(tmp_path)


@pytest.mark.parametrize(("name", "wrong"), [("a\0b", "holds a character"), ("a" * 5_000, "too long")])
def test_what_no_file_can_be_called_is_said(name: str, wrong: str) -> None:
    for read in (check_path, check_file, bytes_in):
        with pytest.raises(OSError, match=wrong):
            read(name)
    check_path("nobody made this one")


def test_more_than_any_such_file_holds_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    assert bytes_in(tmp_path / "a", most=5) == b"12345"
    with pytest.raises(OSError, match="it is larger than"):
        bytes_in(tmp_path / "a", most=4)


@pytest.mark.parametrize("content", ["[" * 200_000, "9" * 5_000, "{", "\ufeff{}"])
def test_what_is_no_sensible_json_is_a_value_error(content: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=r"too deep|digits|Expecting|BOM"):
        json_in(tmp_path / "a.json")
