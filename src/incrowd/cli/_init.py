"""``incrowd init``: look at a table, suggest roles and hierarchies, write a plan to edit."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from incrowd.cli._options import FOUND_OUT, Count, Entity, Json, Missing, Names, Quiet, names_in, with_reading
from incrowd.cli._terminal import Watch, amount, tell, write, write_json

if TYPE_CHECKING:
    from incrowd.plan import Suggestion

Data = Annotated[
    Path, Argument(metavar="DATA", help="The table: any file that incrowd reads, such as CSV, Excel, Parquet, SPSS.")
]
Output = Annotated[Path, Option("--output", "-o", metavar="PLAN", help="Where to write the plan.")]
Force = Annotated[bool, Option("--force", help="Replace an existing plan.")]
Quasi = Annotated[Names, Option("--quasi", metavar="NAMES", help="Columns that could help recognise a person.")]
Sensitive = Annotated[Names, Option("--sensitive", metavar="NAMES", help="Columns that are confidential.")]
Identifiers = Annotated[Names, Option("--identifier", metavar="NAMES", help="Columns that name a person.")]
Insensitive = Annotated[Names, Option("--insensitive", metavar="NAMES", help="Columns that are harmless.")]
Drop = Annotated[Names, Option("--drop", metavar="NAMES", help="Columns to leave out.")]


@with_reading(**FOUND_OUT)
def init(
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
    *,
    reading: dict[str, Any],
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Look at a table, suggest what each column is, and write a plan to edit.

    For example: incrowd init patients.csv -o plan.toml
    """
    from incrowd.core import check_target
    from incrowd.plan import suggest

    given = {"quasi": quasi, "sensitive": sensitive, "identifier": identifier, "insensitive": insensitive}
    _keep_others(output)
    check_target(output, force=force, reads=[data])
    with Watch(quiet=quiet):
        found = suggest(
            data,
            roles=_roles_of_options({**given, "drop": drop}),
            entity=entity,
            count=count,
            missing_values=["", *names_in(missing)],
            **reading,
        )
        plan, ladders = found.write(output, _path_seen_from(output, data), force=force), found.ladders(output)
    if not quiet:
        tell(_size_text(found))
    if as_json:
        files = {name: str(file) for name, file in ladders.items()}
        write_json({"schema": 1, **found.to_dict(), "written": str(output), "ladders": files})
    else:
        write(*str(found).splitlines())
    if not quiet:
        tell("", f"wrote {output} ({amount(len(plan.columns), 'column')}, commented)")
        for file in ladders.values():
            tell(f"wrote {file} (a ladder, with values of the table: keep it where the table is)")
        tell(_next_steps(found, output))


def _keep_others(output: Path) -> None:
    """Refuse to replace a file that is no plan, whatever it is."""
    from incrowd.core import DataError, bytes_in

    if output.is_file() and not any(sign in bytes_in(output) for sign in (b"[columns", b"[privacy]")):
        msg = f"The file {output.name!r} exists already, and it is no plan."
        raise DataError(msg, hint="choose another name: only a plan is replaced.")


def _roles_of_options(given: dict[str, Names]) -> dict[str, Any]:
    """Read the roles that were said; one column cannot have two."""
    from incrowd.core import ParameterError

    roles: dict[str, Any] = {}
    for role, names in given.items():
        for name in names_in(names):
            if roles.setdefault(name, role) != role:
                msg = f"Column {name!r} is given as --{roles[name]} and as --{role}."
                raise ParameterError(msg, hint="give every column one role.")
    return roles


def _path_seen_from(output: Path, data: Path) -> str:
    """Write the table's path as the plan's folder sees it; an absolute one stays as it is."""
    if data.is_absolute():
        return str(data)
    return Path(os.path.relpath(data.absolute(), output.absolute().parent)).as_posix()


def _size_text(found: Suggestion) -> str:
    profile = found.profile
    missing = sum(column.missing for column in profile.columns)
    said = amount(missing, "missing value") if missing else "no missing values"
    size = [f"read {amount(profile.records, 'row')}", amount(len(profile.columns), "column"), said]
    return f"{', '.join(size)}\n"


def _next_steps(found: Suggestion, output: Path) -> str:
    if not found.questions:
        return f"next: read {output}, then  incrowd anonymize {output}"
    return f"next: answer in {output} what is to be checked, then  incrowd anonymize {output}"
