"""``write_table``: a table written to a file or a database, or several to one database, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from incrowd.core import DataError, atomic_path
from incrowd.engines._private_folder import NamelessFile, private_folder
from incrowd.engines._tables import join_tables, open_table
from incrowd.engines._tables_of_people import Tables
from incrowd.engines.formats._database import Database, write_database, write_to_one_database
from incrowd.engines.formats._output import check_suffix


def write_table(
    table: Any, target: str | os.PathLike[str] | Database | Mapping[str, Database], *, force: bool = False
) -> None:
    """Write a table to a file or to a database, sorted by its values, whole or not at all.

    Parameters
    ----------
    table
        Whatever can be opened, such as ``release.table``. It is never changed.
    target
        For several ``Tables`` of the same people, per table one of one database. Else a path, whose ending says what is
        written (``.csv``, ``.tsv``, each also ``.gz``, ``.parquet``, ``.arrow``, ``.feather``, ``.xlsx``, ``.sav``,
        ``.dta``), or a ``Database`` with the name of a table.
    force
        Whether an existing file or table may be replaced.

    Notes
    -----
    A file is written beside its target and renamed when all of it is on the disk; a table is made in one transaction.
    Texts of a text file or spreadsheet that a spreadsheet would run as a formula are escaped: ``unescape_formula``
    undoes it. What a format cannot hold exactly is refused.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from incrowd.engines import write_table
    >>> path = Path(tempfile.mkdtemp()) / "table.csv"
    >>> write_table([{"age": 34, "note": "=1+1"}, {"age": -5, "note": "none"}], path)
    >>> path.read_text().splitlines()
    ['age,note', '-5,none', "34,'=1+1"]
    """
    if isinstance(table, Tables) or isinstance(target, Mapping):
        _write_tables(table, target, force=force)
        return
    engine = open_table(table, missing_values=())
    if isinstance(target, Database):
        with private_folder(engine.resources.temp) as folder, NamelessFile(folder, "table.arrow") as copy:
            engine.write(copy.path)
            write_database(copy.path, target, force=force)
        return
    check_suffix(Path(target))
    with atomic_path(target, force=force, reads=[table]) as part:
        engine.write(part)


def _write_tables(tables: Any, target: Any, *, force: bool) -> None:
    """Write several tables to one database, in one transaction."""
    fits = isinstance(tables, Tables) and isinstance(target, Mapping) and [*target] == [*tables]
    if not fits or not all(isinstance(one, Database) for one in target.values()):
        msg = "Several tables are written to tables of a database, and for each one must be named."
        raise DataError(msg, hint="write {'patients': Database('RESULTS_URI', table='patients'), ...} in their order.")
    opened = join_tables(tables, missing_values=(), ours=True).engines
    with private_folder() as folder, ExitStack() as stack:
        copies = [stack.enter_context(NamelessFile(folder, f"{number}.arrow")) for number in range(len(opened))]
        for engine, copy in zip(opened.values(), copies, strict=True):
            engine.write(copy.path)
        write_to_one_database(
            [(copy.path, target[name]) for name, copy in zip(opened, copies, strict=True)], force=force
        )
