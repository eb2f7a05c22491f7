"""Whether a released text file is written as it is said to be: then no two of its cells are read as one."""

from __future__ import annotations

import gzip
from pathlib import Path

from incrowd.engines._border import guarded
from incrowd.engines._open import open_table
from incrowd.engines._text import TextEngine
from incrowd.engines._wording import Wording


@guarded
def is_written_by(path: Path, wording: Wording) -> bool:
    """Say whether every character, number and day of a file is written as a wording says, and not in another way too.

    Parameters
    ----------
    path
        The file, plain or ``.gz``.
    wording
        How it is said to be written.
    """
    if not _is_encoded_by(path, wording):
        return False
    file = open_table(path, missing_values=(), separator=wording.dialect.separator, encoding=wording.encoding)
    assert isinstance(file, TextEngine)  # noqa: S101 - it is one of text
    columns = {*wording.columns}
    return columns <= {*file.columns()} and file.keeps(dict.fromkeys(wording.columns, wording.kept_sql))


def _is_encoded_by(path: Path, wording: Wording) -> bool:
    """Say whether the characters of a file, encoded again, are its bytes."""
    found = gzip.decompress(path.read_bytes()) if path.suffix.lower() == ".gz" else path.read_bytes()
    try:
        text = found.decode(wording.dialect.encoding)
        return text.startswith("\ufeff") is wording.dialect.mark and text.encode(wording.dialect.encoding) == found
    except UnicodeError:
        return False
