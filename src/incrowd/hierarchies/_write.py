"""Save a hierarchy in ARX's format."""

from __future__ import annotations

import os
from typing import TextIO

from incrowd.core import Ladder
from incrowd.hierarchies._file import write_lines
from incrowd.hierarchies._tree import Tree


def write_csv(hierarchy: Ladder | Tree, target: str | os.PathLike[str] | TextIO) -> None:
    """Write a hierarchy as CSV: no header, one line per value, the value first and the top last.

    Parameters
    ----------
    hierarchy
        A hierarchy bound to a column, or a tree.
    target
        A path, which is overwritten, or an open text file. Lines end in a line feed, fields are separated by ``;``.

    Notes
    -----
    Missing values have no line. ``tree(path)`` bound to the same column gives the same ladder again, except that a
    tree of which the column has only a part is written with that part.
    The file holds the column's values: keep it where the table is kept. It is written for programs; a
    spreadsheet may take a label for a formula or a date.
    """
    write_lines(hierarchy.paths if isinstance(hierarchy, Tree) else _rows(hierarchy), target)


def _rows(ladder: Ladder) -> list[tuple[str, ...]]:
    columns = [labels[group] for group, labels in zip(ladder.groups, ladder.labels, strict=True)]
    return [row for row in zip(*columns, strict=True) if row[0] is not None]
