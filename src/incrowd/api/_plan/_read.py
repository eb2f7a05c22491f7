"""Reading a plan: everything that is wrong with it is found, each problem with its line."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from incrowd.api._plan._checks import Parts, check
from incrowd.api._plan._places import places_of
from incrowd.api._plan._problems import Trouble, problems_of, troubles_of
from incrowd.api._plan._sections import SECTIONS, ColumnSection, Document
from incrowd.core import DataError, IncrowdError, PlanError, PlanProblem


def read_text(path: str | os.PathLike[str]) -> str:
    """Read a plan's file; errors are raised outside of the except block, whose context would keep the bytes."""
    trouble: IncrowdError
    name = Path(path).name or os.fspath(path)
    try:
        return Path(path).read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as error:
        msg = f"The plan {name!r} cannot be read: {error.strerror}."
        trouble = DataError(msg, hint="check the path; incrowd init DATA -o plan.toml writes a plan.")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        trouble = PlanError.of(name, [PlanProblem("", f"line {line} is not UTF-8; save the file as UTF-8.")])
    raise trouble


def read_document(source: str | Mapping[str, Any], file: str, folder: Path) -> Document:
    """Read and check a plan, from its text or from what the text would hold.

    Parameters
    ----------
    source
        The text of a TOML file, or dicts and lists.
    file
        The name for messages.
    folder
        Where relative paths begin.
    """
    raw = _parse(source, file) if isinstance(source, str) else _listed(source)
    document, troubles = _validate(raw)
    troubles += check(_parts(raw, troubles, folder))
    if document is None or troubles:
        places = places_of(source) if isinstance(source, str) else {}
        raise PlanError.of(file, problems_of(troubles, places))
    return document


def _parse(text: str, file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem = _not_toml(str(error), text, show=file.lower().endswith(".toml"))
    raise PlanError.of(file, [problem])


def _not_toml(message: str, text: str, *, show: bool) -> PlanProblem:
    """Say where the text stops being TOML; it is shown only if it claims to be, for it may be the table by mistake."""
    what, _, where = message.partition(" (at ")
    found = re.match(r"line (\d+), column (\d+)", where)
    lines = text.split("\n")
    line, column = (int(found[1]), int(found[2])) if found else (len(lines), len(lines[-1]) + 1)
    if not show:
        return PlanProblem("", f"line {line} is not TOML. Is this file the plan?")
    return PlanProblem("", f"is not TOML: {what}.", line, lines[line - 1], (column - 1, column))


def _listed(source: Any) -> Any:
    """Let tuples be lists, as TOML has them."""
    if isinstance(source, Mapping):
        return {key: _listed(value) for key, value in source.items()}
    return [_listed(value) for value in source] if isinstance(source, list | tuple) else source


def _validate(raw: Mapping[str, Any]) -> tuple[Document | None, list[Trouble]]:
    try:
        return Document.model_validate(raw), []
    except ValidationError as error:
        troubles = troubles_of(error, raw)
    return None, troubles


def _parts(raw: Mapping[str, Any], troubles: list[Trouble], folder: Path) -> Parts:
    """Read what can be read although something else is wrong, so that all problems are said at once."""
    bad = {trouble.path[:length] for trouble in troubles for length in (1, 2)}
    columns = raw.get("columns")
    columns = columns if isinstance(columns, Mapping) and ("columns",) not in {one.path for one in troubles} else {}
    read = {
        name: ColumnSection.model_validate(column) for name, column in columns.items() if ("columns", name) not in bad
    }
    sections: dict[str, Any] = {
        name: section.model_validate(raw[name])
        for name, section in SECTIONS.items()
        if name in raw and (name,) not in bad
    }
    return Parts(folder, tuple(columns), columns=read, **sections)
