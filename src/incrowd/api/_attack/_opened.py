"""Open what is attacked: a release, a saved one, or anybody's table."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from incrowd.api._attack._target import Reading, Target, as_published
from incrowd.api._basis import budget_of
from incrowd.api._census import AS_READ, open_with
from incrowd.api._hierarchy_file import with_hierarchies
from incrowd.api._kept import open_release
from incrowd.api._recoding_files import HEADER, load_recoding
from incrowd.api._release import Release
from incrowd.api._release_folder import certificate_beside, certificate_in
from incrowd.api._released import open_released, public_schema, wording_of
from incrowd.api._save import OWNER
from incrowd.api._verify import read_certificate
from incrowd.core import DataError, IncrowdError, ParameterError, Schema
from incrowd.hierarchies import members_of
from incrowd.models import Model, promise


def target_of(table: Any, schema: Schema | None, reading: Reading) -> Target:
    """Open what is attacked.

    Parameters
    ----------
    table
        A release, the folder or the certificate of a saved one, its data file where no schema is given, or any table.
    schema
        The roles of the columns of a table; a release brings its own.
    reading
        How to read a file.
    """
    if isinstance(table, Release):
        _refuse(schema)
        return _of_release(table, budget_of(reading))
    if isinstance(table, str | os.PathLike):
        found = certificate_in(Path(table)) or (certificate_beside(Path(table)) if schema is None else None)
        if found is not None:
            _refuse(schema)
            return _of_files(found, budget_of(reading))
        if schema is None and not Path(table).exists():
            msg = f"There is no file {Path(table).name!r}."
            raise DataError(msg, hint="check the path.")
    if schema is None:
        msg = "A table alone does not say which columns are quasi-identifiers."
        raise ParameterError(msg, hint="give its schema, or a release, or the folder of a saved one.")
    return Target(open_with(table, schema, **reading), schema)


def _of_release(release: Release, budget: Mapping[str, Any]) -> Target:
    engine, schema = open_release(release, **budget), release.schema
    read_as = release.recipe.input.get("reading", {})
    return Target(engine, as_published(schema), release.recoding, release.model, schema, release, read_as=read_as)


def _of_files(certificate: Path, budget: Mapping[str, Any]) -> Target:
    """Open a saved release; where the owner's folder lies beside, hierarchies are known too."""
    plain = read_certificate(certificate)
    try:
        data = certificate.parent / Path(plain["data"]["name"]).name
        schema = public_schema(plain["columns"])
        wording = wording_of(plain["data"])
    except (KeyError, TypeError, AttributeError, IndexError):
        msg = "The certificate lacks something that every certificate has."
        raise DataError(msg, hint="incrowd verify says what is wrong with it.") from None
    if not data.exists():
        msg = f"The data file {data.name!r} is not beside the certificate."
        raise DataError(msg)
    owner = certificate.parent.parent / OWNER
    engine = open_released(data, wording, **budget)
    if not (owner / HEADER).is_file():
        names = (*schema.quasi_names, *schema.sensitive_names)
        known = (
            text for domain in engine.domains(names).values() for text in domain.texts.tolist() if text is not None
        )
        is_value = any("" in (members_of(text) or (text,)) for text in known)
        schema = public_schema(plain["columns"], () if is_value else ("",))  # others leave out what is missing
        several = plain.get("counted") == "persons"
        return Target(engine, schema, model=_promised(plain), shown=_shown(plain["columns"]), several=several)
    saved = load_recoding(owner)
    owned = with_hierarchies(saved.schema, saved.hierarchies)
    read_as = _read_as(owner / "input.json")
    return Target(engine, as_published(owned), saved.recoding, saved.model, owned, read_as=read_as)


def _read_as(path: Path) -> dict[str, Any]:
    """Find out how the original file was read, where the owner's files say it."""
    try:
        said = dict(json.loads(path.read_bytes())["reading"])
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return {name: said[name] for name in AS_READ if name in said}


def _promised(certificate: Mapping[str, Any]) -> Model | None:
    """Read the promise of a certificate; nothing where there is none that can be read, which is the safe side."""
    try:
        return promise(certificate["promise"])
    except (KeyError, TypeError, AttributeError, IncrowdError):
        return None


def _shown(columns: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """Find the columns that a certificate says were not made vaguer."""
    return frozenset(column["name"] for column in columns if column.get("level") == 0)


def _refuse(schema: Mapping[str, Any] | Schema | None) -> None:
    if schema is not None:
        msg = "A release brings its own schema."
        raise ParameterError(msg, hint="leave schema out, or give the released table with it.")
