"""The owner's folder beside a certificate: whether this release was made by this recipe."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from incrowd.api._census import as_before
from incrowd.api._recoding_files import load_recoding
from incrowd.api._released import open_released, wording_of
from incrowd.api._republication import Republication, republish
from incrowd.core import (
    TOP,
    DataError,
    EngineError,
    FullDomainRecoding,
    HierarchyError,
    ReleaseMismatch,
    SchemaError,
)
from incrowd.engines import Engine, digest_of_files

Told = tuple[bool | None, str]


def compare_owner(certificate: dict[str, Any], public: Path, owner: Path) -> Iterator[Told]:
    """Compare a certificate with the recipe."""
    recipe = _read(owner / "recipe.json")
    columns = certificate["columns"]
    levels = {column["name"]: column["level"] for column in columns if column["role"] == "quasi-identifier"}
    for name in ("promise", "suppressed", "masked", "dropped", "date", "versions"):
        yield certificate[name] == recipe.get(name), f"recipe: {name}"
    yield levels == (recipe["levels"] or dict.fromkeys(levels)), "recipe: levels"
    saved = load_recoding(owner)
    roles = {column["name"]: column["role"] for column in columns}
    yield all(saved.schema.role(name) == role for name, role in roles.items()), "recipe: roles of the columns"
    if isinstance(saved.recoding, FullDomainRecoding):
        yield levels == dict(saved.recoding.levels), "recoding: levels"
        released = open_released(public / Path(certificate["data"]["name"]).name, wording_of(certificate["data"]))
        yield _labels_fit(saved.recoding, released), "recoding: published labels"


def compare_original(
    certificate: dict[str, Any], public: Path, owner: Path, original: Any, reading: dict[str, Any]
) -> tuple[Republication | None, list[Told]]:
    """Publish the original table again; give that, if it gives this release at all, and what is as certified.

    The very file that was published is read as it was then, whatever is not said now.
    """
    known = _read(owner / "input.json")
    told: list[Told] = []
    if isinstance(original, (str, os.PathLike)):
        same = digest_of_files(original) == known.get("sha256")
        told = [] if known.get("sha256") is None else [(same, "original: hash of the file")]
        if same:
            reading = as_before(original, reading, known.get("reading", {}))
    data = public / Path(certificate["data"]["name"]).name
    try:
        again = republish(load_recoding(owner), original, data, reading, wording_of(certificate["data"]))
    except ReleaseMismatch:
        problem = "it does not give the classes that the recoding predicts"
    except EngineError:
        raise
    except (DataError, SchemaError, HierarchyError) as error:
        problem = error.message
    else:
        return again, [*told, *again.compare(certificate)]
    return None, [*told, (False, f"original: {problem}")]


def _labels_fit(recoding: FullDomainRecoding, released: Engine) -> bool:
    """Say whether every label of the file is one that the recoding publishes."""
    domains = released.domains(recoding.quasi)
    masked = {TOP} if recoding.masks else set()
    return all(
        set(domains[name].texts.tolist()) <= {*recoding.ladders[name].labels[level].tolist(), *masked}
        for name, level in recoding.levels.items()
        if level
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict):
        msg = f"The owner's file {path.name!r} is missing or cannot be read."
        raise DataError(msg, hint="name the folder owner of the release.")
    return found
