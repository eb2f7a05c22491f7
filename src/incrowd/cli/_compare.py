"""``incrowd compare``: two certificates side by side."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from incrowd.cli._assess import Json
from incrowd.cli._release_text import shorten

HELP = "The folder of a release, its release.json, or the data file beside it."
A = Annotated[Path, typer.Argument(metavar="A", help=HELP)]
B = Annotated[Path, typer.Argument(metavar="B", help=HELP)]
NAME, NUMBER = 36, 18
"""Three columns that fit into a terminal."""

TITLES = {"records": "records published", "suppressed": "records left out", "classes": "groups"}


def compare(a: A, b: B, as_json: Json = False) -> None:
    """Put the certificates of two releases side by side; * marks what differs.

    For example: incrowd compare out other
    """
    one, two = (_facts(_read(path)) for path in (a, b))
    names = [*one, *(name for name in two if name not in one)]
    if as_json:
        rows = [{"what": name, "a": one.get(name), "b": two.get(name)} for name in names]
        sys.stdout.write(json.dumps({"schema": 1, "rows": rows}, indent=2, ensure_ascii=False) + "\n")
        return
    sys.stdout.write(f"  {'':{NAME}}  {'A':>{NUMBER}}  {'B':>{NUMBER}}\n")
    for name in names:
        left, right = (_text(facts.get(name)) for facts in (one, two))
        mark = " " if left == right else "*"
        sys.stdout.write(f"{mark} {shorten(name, NAME):<{NAME}}  {left:>{NUMBER}}  {right:>{NUMBER}}\n")


def _read(path: Path) -> dict[str, Any]:
    from incrowd.api import certificate_at, read_certificate

    return read_certificate(certificate_at(path))


def _facts(certificate: dict[str, Any]) -> dict[str, Any]:
    from incrowd.core import DataError

    try:
        return {
            **{said: certificate[name] for name, said in TITLES.items()},
            **{f"level of {one['name']}": one["level"] for one in certificate["columns"] if one["level"] is not None},
            **dict(fact for promise in certificate["promises"] for fact in _measured(promise)),
            **certificate["measures"],
        }
    except (KeyError, TypeError, AttributeError):
        msg = "The certificate lacks something that every certificate has."
    raise DataError(msg, hint="incrowd verify says what is wrong with it.")


def _measured(promise: dict[str, Any]) -> list[tuple[str, Any]]:
    """Give what was measured for a promise, by its name and its columns."""
    columns = f" of {', '.join(promise['columns'])}" if promise["columns"] else ""
    pairs = zip(promise["required"], promise["measured"] or [], strict=False)
    return [(f"{required['name']}{columns}", measured) for required, measured in pairs]


def _text(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
