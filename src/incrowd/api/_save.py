"""A release on disk: what may be published in one folder, what must not in another."""

from __future__ import annotations

import datetime as dt
import math
import os
from collections.abc import Mapping
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from incrowd.api._certificate import canonical, certificate_of, readable
from incrowd.api._promised import exactly
from incrowd.api._recoding_files import save_recoding
from incrowd.api._sign import KeyFile, signature_of
from incrowd.core import Domain, ParameterError
from incrowd.engines import open_table
from incrowd.io import atomic_folder

if TYPE_CHECKING:
    from incrowd.api._release import Release

Format = Literal["parquet", "csv"]
PUBLIC, OWNER = "public", "owner"
CERTIFICATE, SCRIPT = "release.json", "verify.py"


def save(
    release: Release,
    folder: str | os.PathLike[str],
    *,
    format: Format = "parquet",  # noqa: A002 - what users call it
    force: bool = False,
    sign: KeyFile | None = None,
    plan: str | None = None,
    date: str | None = None,
) -> Path:
    """Write a release: ``public`` may be given away, ``owner`` must be kept.

    Parameters
    ----------
    release
        The release.
    folder
        The folder to make. It appears whole or not at all.
    format
        How the table is written.
    force
        Whether an earlier release there may be replaced.
    sign
        A PEM file with a private Ed25519 key, to sign the certificate with.
    plan
        The text of the plan that it was made by.
    date
        When it was made, as ISO 8601 writes it; by default today.
    """
    if format not in ("parquet", "csv"):
        msg = f"format must be 'parquet' or 'csv', got {format!r}."
        raise ParameterError(msg)
    date = date or dt.datetime.now(dt.UTC).date().isoformat()
    with atomic_folder(folder, holds=(PUBLIC, OWNER), force=force) as part:
        (part / OWNER).mkdir(mode=0o700)
        (part / PUBLIC).mkdir()
        _write_public(release, part / PUBLIC, format, date, sign)
        _write_owner(release, part / OWNER, date, plan)
    return Path(folder)


def _write_public(release: Release, folder: Path, kind: Format, date: str, sign: KeyFile | None) -> None:
    data = folder / f"data.{kind}"
    open_table(release.table, missing_values=()).write(data)
    certificate = certificate_of(release, data, date)
    if sign is not None:
        certificate["signature"] = signature_of(canonical(certificate), sign)
    (folder / CERTIFICATE).write_text(readable(certificate), encoding="utf-8")
    (folder / SCRIPT).write_bytes((files("incrowd.api") / "_verify_script.py").read_bytes())


def _write_owner(release: Release, folder: Path, date: str, plan: str | None) -> None:
    save_recoding(release, folder)
    recipe = {
        **asdict(release.recipe),
        "date": date,
        "measures": dict(release.measures),
        "promises": _promises(release),
    }
    known = recipe.pop("input")
    (folder / "recipe.json").write_text(readable(_plain(recipe)), encoding="utf-8")
    distributions = {name: _counted(domain) for name, domain in release.distributions.items()}
    (folder / "input.json").write_text(readable({**known, "distributions": distributions}), encoding="utf-8")
    if plan is not None:
        (folder / "plan.toml").write_text(plan, encoding="utf-8")


def _promises(release: Release) -> list[dict[str, Any]]:
    """Write what was measured before publishing, against the original table where that was promised."""
    return [
        {
            "promise": finding.promise,
            "columns": list(finding.columns),
            "measured": [exactly(number) for number in finding.measured],
            "reference": finding.reference,
            "supersets": finding.supersets,
        }
        for finding in release.verdict.findings
    ]


def _counted(domain: Domain) -> list[list[Any]]:
    return [[text, count] for text, count in zip(domain.texts.tolist(), domain.counts.tolist(), strict=True)]


def _plain(value: Any) -> Any:
    """Write what JSON does not know as text, such as infinity, and tuples as lists."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    known = value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))
    return value if known else str(value)
