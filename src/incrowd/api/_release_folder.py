"""Where a saved release lies: whatever of it is named, its certificate and the owner's folder are found."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from incrowd.api._save import CERTIFICATE, OWNER, PUBLIC
from incrowd.core import DataError

HINT = "name the folder of a release, its folder public, or the file release.json in it."


def certificate_in(path: Path) -> Path | None:
    """Find the certificate in what was named, if it is one or holds one."""
    for place in (path / PUBLIC / CERTIFICATE, path / CERTIFICATE):
        if path.is_dir() and place.is_file():
            return place
    return path if path.name == CERTIFICATE else None


def certificate_beside(path: Path) -> Path | None:
    """Find the certificate of a data file: it lies beside it, and names it."""
    place = path.with_name(CERTIFICATE) if path.name else path
    try:
        found: Any = json.loads(place.read_text(encoding="utf-8")) if path.exists() else None
        return place if found["data"]["name"] == path.name else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def certificate_at(path: str | os.PathLike[str]) -> Path:
    """Find the certificate of a release, whatever of it was named; else say what would be right.

    Parameters
    ----------
    path
        The folder of a release, its folder ``public``, the certificate, or the data file beside it.
    """
    path = Path(path)
    found = certificate_in(path) or certificate_beside(path)
    if found is not None or path.suffix == ".json":
        return found or path
    if path.is_dir():
        msg = f"The folder {path.name!r} holds no release."
    elif path.exists():
        msg = f"No certificate that names the file {path.name!r} lies beside it."
    else:
        msg = f"There is no file or folder {path.name!r}."
    raise DataError(msg, hint=HINT)


def owner_beside(certificate: Path) -> Path:
    """Find the folder that the owner kept, beside the folder that was published."""
    owner = certificate.resolve().parent.parent / OWNER
    if not owner.is_dir():
        msg = "How the original became the release is known to its owner only: the folder owner is not beside public."
        raise DataError(msg, hint="name it: owner=...")
    return owner
