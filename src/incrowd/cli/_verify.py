"""``incrowd verify``: whether a released file keeps what its certificate says."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd.cli._reading import UTF8, Dates, Decimal, Encoding, Header, Memory, Separator, Sheet, Thousands, reading_of
from incrowd.cli._run import FOUND, NOT_CHECKED, amount

if TYPE_CHECKING:
    from incrowd.api import Verification

Release = Annotated[
    Path, typer.Argument(metavar="RELEASE", help="The folder of a release, its release.json, or its data file.")
]
Owner = Annotated[Path | None, typer.Option(metavar="FOLDER", help="The folder owner, to compare the recipe too.")]
Original = Annotated[
    Path | None,
    typer.Option(metavar="DATA", help="The original table, to measure all that the file alone cannot show."),
]
Key = Annotated[Path | None, typer.Option(metavar="FILE", help="The public Ed25519 key (PEM) of whoever signed it.")]
Json = Annotated[bool, typer.Option("--json", help="Write JSON, for machines.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Write only what differs or could not be checked.")]

EXITS = {"holds": 0, "does not hold": FOUND, "could not be checked": NOT_CHECKED}
"""With which exit code the command leaves."""


def verify(  # noqa: PLR0913, PLR0917 - the original can be read in many ways
    release: Release,
    owner: Owner = None,
    original: Original = None,
    key: Key = None,
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
) -> int:
    """Measure a released file again; leave with 1 if it does not hold, with 4 if it could not be checked.

    For example: incrowd verify out --original patients.csv
    """
    from incrowd import api

    reading = reading_of(encoding, separator, sheet, decimal, thousands, dates, header, memory)
    found = api.verify(release, owner=owner, original=original, key=key, **reading)
    for line in _json(found) if as_json else _text(found, quiet=quiet):
        sys.stdout.write(f"{line}\n")
    return EXITS[found.outcome]


def _text(found: Verification, *, quiet: bool) -> list[str]:
    lines = [f"DIFFERS       {what}" for what in found.differences]
    lines += [f"not checked   {what}" for what in found.not_checked]
    if quiet:
        return lines
    trusted = [f"on trust      {', '.join(found.on_trust)}"] if found.on_trust else []
    return [*(f"as certified  {what}" for what in found.checked), *lines, *trusted, _end(found), *_why(found)]


def _end(found: Verification) -> str:
    word, differ, unseen = found.outcome.upper(), len(found.differences), len(found.not_checked)
    if differ:
        return f"{word}: {amount(differ, 'thing')} {'differs' if differ == 1 else 'differ'} from the certificate."
    if unseen:
        return f"{word}: {amount(unseen, 'promise')}; all else is as certified. The owner can, with --original."
    return f"{word}: every promise was measured again, and nothing differs."


def _why(found: Verification) -> list[str]:
    """Say what is missing where people are counted and the file has no column of persons."""
    from incrowd.api._compare_promises import WHOSE

    if found.differences or not any(WHOSE in what for what in found.not_checked):
        return []
    return [
        "Nothing is wrong: people were counted, and no column says whose row is whose, so that nobody can tie rows",
        "together. Whoever has the original table can count them: incrowd verify RELEASE --original TABLE.",
        "Others could only if every person had a pseudonym in the file, which would tie the rows together.",
    ]


def _json(found: Verification) -> list[str]:
    plain = {
        "schema": 1,
        "outcome": found.outcome,
        "holds": found.holds,
        "checked": found.checked,
        "differences": found.differences,
        "not_checked": found.not_checked,
        "on_trust": found.on_trust,
    }
    return json.dumps(plain, indent=2, ensure_ascii=False).splitlines()
