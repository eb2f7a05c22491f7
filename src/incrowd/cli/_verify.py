"""``incrowd verify``: whether a released file keeps what its certificate says."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd.cli._reading import UTF8, Memory, reading_of
from incrowd.cli._run import FOUND, amount

if TYPE_CHECKING:
    from incrowd.api import Verification

Certificate = Annotated[
    Path, typer.Argument(metavar="CERTIFICATE", help="The file release.json, with the data file beside it.")
]
Owner = Annotated[Path | None, typer.Option(metavar="FOLDER", help="The folder owner, to compare the recipe too.")]
Original = Annotated[
    Path | None, typer.Option(metavar="DATA", help="The original file, to compare its hash; needs --owner.")
]
Key = Annotated[Path | None, typer.Option(metavar="FILE", help="The public Ed25519 key (PEM) of whoever signed it.")]
Json = Annotated[bool, typer.Option("--json", help="Write JSON, for machines.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Write only what differs.")]


def verify(
    certificate: Certificate,
    owner: Owner = None,
    original: Original = None,
    key: Key = None,
    memory: Memory = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Measure a released file again; leave with 1 if something differs from its certificate.

    For example: incrowd verify out/public/release.json --owner out/owner
    """
    from incrowd import api

    limit = reading_of(UTF8, None, None, memory).get("memory")
    found = api.verify(certificate, owner=owner, original=original, key=key, memory=limit)
    for line in _json(found) if as_json else _text(found, quiet=quiet):
        sys.stdout.write(f"{line}\n")
    return 0 if found.holds else FOUND


def _text(found: Verification, *, quiet: bool) -> list[str]:
    lines = [f"DIFFERS       {what}" for what in found.differences]
    if quiet:
        return lines
    lines = [f"as certified  {what}" for what in found.checked] + lines
    lines += [f"not checked   {what}" for what in found.not_checked]
    end = f"FAIL  {amount(len(found.differences), 'thing')} differ from the certificate"
    if len(found.differences) == 1:
        end = "FAIL  1 thing differs from the certificate"
    return [*lines, "PASS  all is as certified" if found.holds else end]


def _json(found: Verification) -> list[str]:
    plain = {
        "schema": 1,
        "holds": found.holds,
        "checked": found.checked,
        "differences": found.differences,
        "not_checked": found.not_checked,
    }
    return json.dumps(plain, indent=2, ensure_ascii=False).splitlines()
