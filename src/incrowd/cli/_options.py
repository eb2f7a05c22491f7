"""How a table is read: the options that commands share."""

from __future__ import annotations

import re
from typing import Annotated, Any

import typer

UTF8 = "utf-8"

Encoding = Annotated[str, typer.Option("--encoding", help="How the characters of a CSV table are encoded.")]
FoundEncoding = Annotated[
    str | None,
    typer.Option("--encoding", help="How the characters of a CSV table are encoded; found out if not given."),
]
Separator = Annotated[
    str | None,
    typer.Option("--separator", help="What stands between the values of a CSV table; found out if not given."),
]
Sheet = Annotated[
    str | None, typer.Option("--sheet", metavar="NAME", help="The sheet of an Excel file, by its name or number.")
]
Decimal = Annotated[
    str | None, typer.Option("--decimal", metavar="MARK", help="The decimal mark of a CSV table: a point or a comma.")
]
Thousands = Annotated[
    str | None,
    typer.Option(
        "--thousands", metavar="MARK", help="What stands between thousands: point, comma, blank or apostrophe."
    ),
]
Dates = Annotated[
    str | None,
    typer.Option("--dates", metavar="FORM", help="How days are written, such as %d.%m.%Y; ISO if not given."),
]
FoundDecimal = Annotated[
    str | None,
    typer.Option("--decimal", metavar="MARK", help="The decimal mark, a point or a comma; found out if not given."),
]
FoundThousands = Annotated[
    str | None,
    typer.Option(
        "--thousands",
        metavar="MARK",
        help="What stands between thousands: point, comma, blank or apostrophe; found out if not given.",
    ),
]
FoundDates = Annotated[
    str | None,
    typer.Option("--dates", metavar="FORM", help="How days are written, such as %d.%m.%Y; found out if not given."),
]
Header = Annotated[
    bool, typer.Option("--header/--no-header", help="Whether the first line of a CSV table names the columns.")
]
Memory = Annotated[str | None, typer.Option(metavar="SIZE", help="Use at most so much, such as 4GB; spill to disk.")]


def reading_of(  # noqa: PLR0913, PLR0917 - a table can be written in many ways
    encoding: str | None,
    separator: str | None,
    sheet: str | None,
    decimal: str | None = None,
    thousands: str | None = None,
    dates: str | None = None,
    header: bool = True,
    memory: str | None = None,
) -> Any:
    """Say how to read the file; what was not given is left to the engine."""
    from incrowd.core import ParameterError

    if memory is not None and not re.fullmatch(r"\d+(\.\d+)? ?([KMGT]i?)?B", memory, re.IGNORECASE):
        msg = f"--memory cannot be read: {memory!r}."
        raise ParameterError(msg, hint="write a number and a unit, such as 500MB or 4GB.")
    tab = separator == r"\t"  # hard to type in a shell
    given: dict[str, Any] = {
        "encoding": encoding,
        "separator": "\t" if tab else separator,
        "sheet": sheet,
        "memory": memory,
    }
    given |= {"decimal": decimal, "thousands": thousands, "dates": dates, "header": None if header else False}
    return {name: value for name, value in given.items() if value is not None}
