"""The owner's folder beside a certificate: whether this release was made by this recipe."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from incrowd.api._recoding_files import load_recoding
from incrowd.api._released import open_released
from incrowd.core import TOP, DataError, FullDomainRecoding
from incrowd.engines import digest_of_files, files_of

Told = tuple[bool | None, str]


def compare_owner(certificate: dict[str, Any], public: Path, owner: Path, original: Path | None) -> Iterator[Told]:
    """Compare a certificate with the recipe, and with the file that the release was made of."""
    recipe, known = (_read(owner / name) for name in ("recipe.json", "input.json"))
    columns = certificate["columns"]
    levels = {column["name"]: column["level"] for column in columns if column["role"] == "quasi-identifier"}
    for name in ("promise", "suppressed", "masked", "dropped", "date", "versions"):
        yield certificate.get(name) == recipe.get(name), f"recipe: {name}"
    yield levels == (recipe["levels"] or dict.fromkeys(levels)), "recipe: levels"
    saved = load_recoding(owner)
    roles = {column["name"]: column["role"] for column in columns}
    yield all(saved.schema.role(name) == role for name, role in roles.items()), "recipe: roles of the columns"
    if isinstance(saved.recoding, FullDomainRecoding):
        yield levels == dict(saved.recoding.levels), "recoding: levels"
        yield _labels_fit(saved.recoding, public / Path(certificate["data"]["name"]).name), "recoding: published labels"
    if original is not None:
        yield from _original(known, original)


def _labels_fit(recoding: FullDomainRecoding, data: Path) -> bool:
    """Say whether every label of the file is one that the recoding publishes."""
    domains = open_released(data).domains(recoding.quasi)
    masked = {TOP} if recoding.masks else set()
    return all(
        set(domains[name].texts.tolist()) <= {*recoding.ladders[name].labels[level].tolist(), *masked}
        for name, level in recoding.levels.items()
        if level
    )


def _original(known: dict[str, Any], original: Path) -> Iterator[Told]:
    if known.get("sha256") is None:
        files_of(original)
        yield None, "original: the release was not made of a file"
    else:
        yield digest_of_files(original) == known["sha256"], "original: hash of the file"


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict):
        msg = f"The owner's file {path.name!r} is missing or cannot be read."
        raise DataError(msg, hint="name the folder owner of the release.")
    return found
