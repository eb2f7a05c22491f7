"""Files that are read as a whole, such as plans, trees, keys and certificates: only files, and only of sensible size.

A pipe is waited for without end, a device never stops, and a name can hold what no name of a file has. All of that is
an ``OSError`` here, whose ``strerror`` says what is wrong: whoever reads such a file names it, and says that it cannot
be read.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from typing import Any

LARGEST = 2**28
"""Bytes of the largest file that is read as a whole: a tree of some million values."""


def bytes_in(path: str | os.PathLike[str], most: int = LARGEST) -> bytes:
    """Read a file; refuse what is none, and what is larger than any such file is."""
    check_path(path)
    with open(path, "rb", opener=_open_without_waiting) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most / 2**20:g} MB")
    return content


def text_in(path: str | os.PathLike[str], most: int = LARGEST) -> str:
    """Read a file of UTF-8; what is none is a ``UnicodeDecodeError``."""
    return bytes_in(path, most).decode()


def json_in(path: str | os.PathLike[str], most: int = LARGEST) -> Any:
    """Read a file of JSON; what is none, or nests without end, is a ``ValueError``."""
    try:
        return json.loads(text_in(path, most))
    except RecursionError:
        pass
    msg = "nests too deep"
    raise ValueError(msg)


def check_path(path: str | os.PathLike[str]) -> None:
    """Refuse what cannot be the name of a file, whether there is one or not."""
    try:
        os.lstat(path)
    except ValueError:
        raise OSError(errno.EINVAL, "its name holds a character that no file's name has") from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise OSError(errno.ENAMETOOLONG, "its name is too long") from None


def check_file(path: str | os.PathLike[str]) -> None:
    """Refuse what is no file; also what cannot be the name of one."""
    check_path(path)
    _check_kind(os.stat(path).st_mode)  # noqa: PTH116 - as it was given


def _open_without_waiting(path: str, flags: int) -> int:
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    try:
        _check_kind(os.fstat(descriptor).st_mode)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _check_kind(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is a pipe or a device, and no file")
