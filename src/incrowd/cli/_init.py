"""``incrowd init``: look at a table, suggest roles and hierarchies, write a plan to edit."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incrowd.cli._assess import Count, Entity, Json, Missing, Names, Quiet, _names
from incrowd.cli._options import (
    FoundDates,
    FoundDecimal,
    FoundEncoding,
    FoundThousands,
    Header,
    Memory,
    Separator,
    Sheet,
    reading_of,
)
from incrowd.cli._progress import Watch
from incrowd.cli._run import amount, tell

if TYPE_CHECKING:
    from incrowd.plan import Suggestion

Data = Annotated[
    Path,
    typer.Argument(metavar="DATA", help="The table: any file that incrowd reads, such as CSV, Excel, Parquet, SPSS."),
]
Output = Annotated[Path, typer.Option("--output", "-o", metavar="PLAN", help="Where to write the plan.")]
Force = Annotated[bool, typer.Option("--force", help="Replace an existing plan.")]
Quasi = Annotated[Names, typer.Option("--quasi", metavar="NAMES", help="Columns that could help recognise a person.")]
Sensitive = Annotated[Names, typer.Option("--sensitive", metavar="NAMES", help="Columns that are confidential.")]
Identifiers = Annotated[Names, typer.Option("--identifier", metavar="NAMES", help="Columns that name a person.")]
Insensitive = Annotated[Names, typer.Option("--insensitive", metavar="NAMES", help="Columns that are harmless.")]
Drop = Annotated[Names, typer.Option("--drop", metavar="NAMES", help="Columns to leave out.")]


def init(  # noqa: PLR0913, PLR0917 - a table can be read in many ways, and each role can be said
    data: Data,
    output: Output = Path("plan.toml"),
    force: Force = False,
    quasi: Quasi = None,
    sensitive: Sensitive = None,
    identifier: Identifiers = None,
    insensitive: Insensitive = None,
    drop: Drop = None,
    entity: Entity = None,
    count: Count = None,
    missing: Missing = None,
    encoding: FoundEncoding = None,
    separator: Separator = None,
    sheet: Sheet = None,
    decimal: FoundDecimal = None,
    thousands: FoundThousands = None,
    dates: FoundDates = None,
    header: Header = True,
    memory: Memory = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Look at a table, suggest what each column is, and write a plan to edit.

    For example: incrowd init patients.csv -o plan.toml
    """
    from incrowd.core import atomic_path
    from incrowd.plan import suggest

    given = {
        "quasi": quasi, "sensitive": sensitive, "identifier": identifier, "insensitive": insensitive, "drop": drop,
    }  # fmt: skip
    reading = reading_of(encoding, separator, sheet, decimal, thousands, dates, header, memory)
    _keep_others(output)
    with (
        Watch(quiet=quiet),
        atomic_path(output, force=force, reads=[data]) as part,
    ):  # a plan that may not be written is said before the table is read
        found = suggest(
            data, roles=_roles(given), entity=entity, count=count, missing_values=["", *_names(missing)], **reading
        )
        ladders = found.write_ladders(output, force=force)
        plan = found.write(part, _seen_from(output, data), force=True, ladders=ladders)
    if not quiet:
        tell(_size(found))
    for line in _json(found, output, ladders) if as_json else str(found).splitlines():
        sys.stdout.write(f"{line}\n")
    if not quiet:
        tell("", f"wrote {output} ({amount(len(plan.columns), 'column')}, commented)")
        for file in ladders.values():
            tell(f"wrote {file} (a ladder, with values of the table: keep it where the table is)")
        tell(_next(found, output))


def _keep_others(output: Path) -> None:
    """Refuse to replace a file that is no plan, whatever it is."""
    from incrowd.core import DataError

    if output.is_file() and not any(sign in output.read_bytes() for sign in (b"[columns", b"[privacy]")):
        msg = f"The file {output.name!r} exists already, and it is no plan."
        raise DataError(msg, hint="choose another name: only a plan is replaced.")


def _roles(given: dict[str, Names]) -> dict[str, Any]:
    """Read the roles that were said; one column cannot have two."""
    from incrowd.core import ParameterError

    roles: dict[str, Any] = {}
    for role, names in given.items():
        for name in _names(names):
            if roles.setdefault(name, role) != role:
                msg = f"Column {name!r} is given as --{roles[name]} and as --{role}."
                raise ParameterError(msg, hint="give every column one role.")
    return roles


def _seen_from(output: Path, data: Path) -> str:
    """Write the table's path as the plan's folder sees it; an absolute one stays as it is."""
    if data.is_absolute():
        return str(data)
    return Path(os.path.relpath(data.absolute(), output.absolute().parent)).as_posix()


def _size(found: Suggestion) -> str:
    profile = found.profile
    missing = sum(column.missing for column in profile.columns)
    said = amount(missing, "missing value") if missing else "no missing values"
    size = [f"read {amount(profile.records, 'row')}", amount(len(profile.columns), "column"), said]
    return f"{', '.join(size)}\n"


def _json(found: Suggestion, output: Path, ladders: dict[str, Path]) -> list[str]:
    """Give the same as plain data, with the plan that was written."""
    files = {name: str(file) for name, file in ladders.items()}
    plain = {"schema": 1, **found.to_dict(), "written": str(output), "ladders": files}
    return json.dumps(plain, indent=2, ensure_ascii=False).splitlines()


def _next(found: Suggestion, output: Path) -> str:
    if not found.questions:
        return f"next: read {output}, then  incrowd anonymize {output}"
    return f"next: answer in {output} what is to be checked, then  incrowd anonymize {output}"
