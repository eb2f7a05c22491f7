"""How a table is read: the options that commands share."""

from __future__ import annotations

import re
from typing import Annotated, Any

import typer

UTF8 = "utf-8"

Encoding = Annotated[str, typer.Option("--encoding", help="How the characters of a CSV table are encoded.")]
Separator = Annotated[
    str | None,
    typer.Option("--separator", help="What stands between the values of a CSV table; found out if not given."),
]
Sheet = Annotated[
    str | None, typer.Option("--sheet", metavar="NAME", help="The sheet of an Excel file, by its name or number.")
]
Memory = Annotated[str | None, typer.Option(metavar="SIZE", help="Use at most so much, such as 4GB; spill to disk.")]


def reading_of(encoding: str, separator: str | None, sheet: str | None, memory: str | None = None) -> Any:
    """Say how to read the file; what was not given is left to the engine."""
    from incrowd.core import ParameterError

    if memory is not None and not re.fullmatch(r"\d+(\.\d+)? ?([KMGT]i?)?B", memory, re.IGNORECASE):
        msg = f"--memory cannot be read: {memory!r}."
        raise ParameterError(msg, hint="write a number and a unit, such as 500MB or 4GB.")
    tab = separator == r"\t"  # hard to type in a shell
    given = {"encoding": encoding, "separator": "\t" if tab else separator, "sheet": sheet, "memory": memory}
    return {name: value for name, value in given.items() if value is not None}
