"""The options that commands share: how a table is read, which column is what, and how the answer is written."""

from __future__ import annotations

import csv
import functools
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Context, Option

from incrowd.cli._terminal import amount

if TYPE_CHECKING:
    from incrowd.hierarchies import Categories

Names = list[str] | None

Encoding = Annotated[str, Option("--encoding", help="How the characters of a CSV table are encoded.")]
Separator = Annotated[
    str | None, Option("--separator", help="What stands between the values of a CSV table; found out if not given.")
]
Sheet = Annotated[
    str | None, Option("--sheet", metavar="NAME", help="The sheet of an Excel file, by its name or number.")
]
Decimal = Annotated[
    str | None, Option("--decimal", metavar="MARK", help="The decimal mark of a CSV table: a point or a comma.")
]
THOUSANDS = "What stands between thousands: point, comma, blank or apostrophe"
Thousands = Annotated[str | None, Option("--thousands", metavar="MARK", help=f"{THOUSANDS}.")]
DATES = "How days are written, such as %d.%m.%Y"
Dates = Annotated[str | None, Option("--dates", metavar="FORM", help=f"{DATES}; ISO if not given.")]
Header = Annotated[
    bool, Option("--header/--no-header", help="Whether the first line of a CSV table names the columns.")
]
Memory = Annotated[str | None, Option(metavar="SIZE", help="Use at most so much, such as 4GB; spill to disk.")]
FoundEncoding = Annotated[
    str | None, Option("--encoding", help="How the characters of a CSV table are encoded; found out if not given.")
]
FoundDecimal = Annotated[
    str | None,
    Option("--decimal", metavar="MARK", help="The decimal mark, a point or a comma; found out if not given."),
]
FoundThousands = Annotated[
    str | None, Option("--thousands", metavar="MARK", help=f"{THOUSANDS}; found out if not given.")
]
FoundDates = Annotated[str | None, Option("--dates", metavar="FORM", help=f"{DATES}; found out if not given.")]

READING: dict[str, tuple[Any, Any]] = {
    "encoding": (Encoding, "utf-8"),
    "separator": (Separator, None),
    "sheet": (Sheet, None),
    "decimal": (Decimal, None),
    "thousands": (Thousands, None),
    "dates": (Dates, None),
    "header": (Header, True),
    "memory": (Memory, None),
}
"""Per option that says how a table is read what it is, and what it is if not given."""
FOUND_OUT: dict[str, tuple[Any, Any]] = {
    "encoding": (FoundEncoding, None),
    "decimal": (FoundDecimal, None),
    "thousands": (FoundThousands, None),
    "dates": (FoundDates, None),
}
"""Those of a command that finds them out."""


def with_reading(**instead: tuple[Any, Any] | None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let a command have the options that say how a table is read, in place of its parameter ``reading``."""
    offered = {name: option for name, option in {**READING, **instead}.items() if option is not None}
    options = [
        inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=kind, default=default)
        for name, (kind, default) in offered.items()
    ]

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def run(**given: Any) -> Any:
            reading = {name: given.pop(name) for name in offered}
            return command(**given, reading=_reading(**reading))

        signature = inspect.signature(command, eval_str=True)
        own = signature.parameters.items()
        parameters = [one for name, given in own for one in (options if name == "reading" else [given])]
        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        return run

    return decorate


def _reading(separator: str | None, header: bool, memory: str | None = None, **given: str | None) -> dict[str, Any]:
    """Say how to read the file; what was not given is left to the engine."""
    given |= {"separator": "\t" if separator == r"\t" else separator}  # hard to type in a shell
    given |= {"memory": checked_memory(memory)}
    named = {name: value for name, value in given.items() if value is not None}
    return named if header else {**named, "header": False}


def checked_memory(memory: str | None) -> str | None:
    """Refuse an amount of memory that cannot be read."""
    from incrowd.core import ParameterError

    if memory is not None and not re.fullmatch(r"\d+(\.\d+)? ?([KMGT]i?)?B", memory, re.IGNORECASE):
        msg = f"--memory cannot be read: {memory!r}."
        raise ParameterError(msg, hint="write a number and a unit, such as 500MB or 4GB.")
    return memory


# Which column is what.

Quasi = Annotated[
    Names, Option("--quasi", metavar="NAMES", help="Columns by which to recognise a person: age,zip,sex.")
]
Sensitive = Annotated[
    Names, Option("--sensitive", metavar="NAMES", help="Columns that nobody should learn about a person.")
]
CategoryFiles = Annotated[
    Names, Option("--categories", metavar="[COLUMN=]FILE", help="A file that says how secret the values are.")
]
Entity = Annotated[str | None, Option(metavar="NAME", help="The column that says whose row it is.")]
Count = Annotated[str | None, Option(metavar="NAME", help="The column that says how often a row counts.")]
Missing = Annotated[Names, Option(metavar="TEXTS", help="What counts as missing besides empty texts, such as NA,?")]


def names_in(given: Names) -> list[str]:
    """Read names that are separated by commas; one that has a comma stands in double quotes."""
    fields = csv.reader(given or [], skipinitialspace=True)
    return [name.strip() for row in fields for name in row if name.strip()]


def categories_in(sensitive: list[str], files: Names) -> dict[str, Categories | None]:
    """Read the categories of sensitive columns; a file without a column belongs to the only one."""
    from incrowd.core import ParameterError
    from incrowd.hierarchies import categories

    meanings: dict[str, Categories | None] = dict.fromkeys(sensitive)
    for given in files or []:
        column, equals, file = given.partition("=")
        if not equals or column not in meanings:
            if len(meanings) != 1:
                msg = f"--categories does not say which of {amount(len(meanings), 'sensitive column')} it is about."
                hint = "write --categories COLUMN=FILE, and name the column in --sensitive too."
                raise ParameterError(msg, hint=hint)
            column, file = sensitive[0], given
        meanings[column] = categories(file)
    return meanings


# What is read besides, and how the answer is written.

PlanFile = Annotated[Path, Argument(metavar="PLAN", help="The plan, such as plan.toml.")]
Json = Annotated[bool, Option("--json", help="Write JSON, for machines.")]
Quiet = Annotated[bool, Option("--quiet", "-q", help="Say nothing on stderr, except warnings and errors.")]


def _remember(context: Context, asked: bool) -> bool:
    context.find_root().obj.show_values = asked
    return asked


ShowValues = Annotated[
    bool, Option("--show-values", callback=_remember, help="Print values that are not covered. They are data!")
]
"""Errors print them: the callback remembers it, and most commands need not look."""
