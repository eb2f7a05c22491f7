"""``incrowd apply``: a release that was found once, on new data."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from incrowd.cli._anonymize import Force, Plain, Sign, close, show
from incrowd.cli._assess import Json, Quiet
from incrowd.cli._hierarchy import ShowValues
from incrowd.cli._progress import Watch
from incrowd.cli._reading import UTF8, Dates, Decimal, Encoding, Header, Memory, Separator, Sheet, Thousands, reading_of
from incrowd.cli._run import tell

Owner = Annotated[Path, typer.Argument(metavar="OWNER", help="The folder owner of a release that was written before.")]
Data = Annotated[Path, typer.Argument(metavar="DATA", help="The new table, with the same columns.")]
Output = Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where to write the release.")]
Format = Annotated[
    str | None, typer.Option("--format", metavar="KIND", help="csv, parquet, ...; the kind of DATA if not given.")
]
MaxSuppressed = Annotated[
    float, typer.Option(metavar="SHARE", help="The share of the records that may be left out, such as 0.02.")
]
MaxRecords = Annotated[
    int | None, typer.Option("--max-suppressed-records", metavar="N", help="Their number, in place of the share.")
]
Drop = Annotated[bool, typer.Option("--drop-others", help="Leave out columns without a role, instead of refusing.")]


def apply(  # noqa: PLR0913, PLR0917 - a table can be read in many ways
    owner: Owner,
    data: Data,
    output: Output,
    kind: Format = None,
    max_suppressed: MaxSuppressed = 0.0,
    max_records: MaxRecords = None,
    drop_others: Drop = False,
    force: Force = False,
    sign: Sign = None,
    plain: Plain = False,
    encoding: Encoding = UTF8,
    separator: Separator = None,
    sheet: Sheet = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    dates: Dates = None,
    header: Header = True,
    memory: Memory = None,
    as_json: Json = False,
    quiet: Quiet = False,
    show_values: ShowValues = False,  # noqa: ARG001 - its callback does the work
) -> None:
    """Publish new data exactly as an earlier release was: the same levels, the same labels, checked again.

    For example: incrowd apply out/owner patients-2027.csv -o out-2027
    """
    from incrowd import api
    from incrowd.api._save import format_like

    start = time.perf_counter()
    how: dict[str, Any] = {
        "output": output,
        "format": kind or format_like(data),
        "dialect": "plain" if plain else "input",
        "force": force,
        "sign": sign,
        **reading_of(encoding, separator, sheet, decimal, thousands, dates, header, memory),
    }
    if drop_others:
        how["others"] = "drop"
    folder = owner / "owner" if (owner / "owner").is_dir() else owner
    limit: dict[str, Any] = {"max_suppressed": max_suppressed, "max_suppressed_records": max_records}
    with Watch(quiet=quiet), _speaking():
        release = api.apply(folder, data, **limit, **how)
    if not quiet:
        tell(f"promise  {release.recipe.promise}")
    show(release, output, as_json=as_json)
    if not quiet:
        close(release, time.perf_counter() - start)


@contextmanager
def _speaking() -> Iterator[None]:
    """Let errors give hints that can be typed here: there is no plan to change."""
    from incrowd.core import IncrowdError

    try:
        yield
    except IncrowdError as error:
        error.hint = re.sub(r"max_suppressed_records=(\d+)", r"--max-suppressed-records \1", error.hint)
        raise
