"""A table out: to a file or to a database, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from incrowd.engines import Database, check_suffix, open_table, private_folder, write_database
from incrowd.io._atomic import atomic_path


def write_table(table: Any, target: str | os.PathLike[str] | Database, *, force: bool = False) -> None:
    """Write a table to a file or to a database, sorted by its values, whole or not at all.

    Parameters
    ----------
    table
        Whatever can be opened, such as ``release.table``. It is never changed.
    target
        A path, whose ending says what is written (``.csv``, ``.tsv``, each also ``.gz``, ``.parquet``, ``.arrow``,
        ``.feather``, ``.xlsx``, ``.sav``, ``.dta``), or a ``Database`` with the name of a table.
    force
        Whether an existing file or table may be replaced.

    Notes
    -----
    A file is written beside its target and renamed when all of it is on the disk; a table is made in one transaction.
    Texts of a text file or spreadsheet that a spreadsheet would run as a formula are escaped: ``unescape_formula``
    undoes it. What a format cannot hold exactly is refused.

    Examples
    --------
    >>> import tempfile, incrowd as ic
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "table.csv"
    >>> ic.write_table([{"age": 34, "note": "=1+1"}, {"age": -5, "note": "none"}], path)
    >>> path.read_text().splitlines()
    ['age,note', '-5,none', "34,'=1+1"]
    """
    engine = open_table(table, missing_values=())
    if isinstance(target, Database):
        with private_folder() as folder:
            copy = folder / "table.arrow"
            engine.write(copy)
            write_database(copy, target, force=force)
        return
    check_suffix(Path(target))
    with atomic_path(target, force=force, reads=[table]) as part:
        engine.write(part)
