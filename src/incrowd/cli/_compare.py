"""``incrowd compare``: two certificates side by side."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from incrowd.cli._assess import Json

Certificate = Annotated[Path, typer.Argument(metavar="CERTIFICATE", help="A release.json, or the folder it is in.")]


def compare(a: Certificate, b: Certificate, as_json: Json = False) -> None:
    """Put the certificates of two releases side by side.

    For example: incrowd compare out/public other/public
    """
    one, two = (_facts(_read(path)) for path in (a, b))
    names = [*one, *(name for name in two if name not in one)]
    if as_json:
        rows = [{"what": name, "a": one.get(name), "b": two.get(name)} for name in names]
        sys.stdout.write(json.dumps({"schema": 1, "rows": rows}, indent=2, ensure_ascii=False) + "\n")
        return
    width = max(map(len, names))
    for name in names:
        left, right = (_text(facts.get(name)) for facts in (one, two))
        mark = " " if left == right else "*"
        sys.stdout.write(f"{mark} {name:<{width}}  {left:>18}  {right:>18}\n")


def _read(path: Path) -> dict[str, Any]:
    from incrowd.api import read_certificate

    inside = path / "release.json"
    return read_certificate(inside if inside.is_file() else path)


def _facts(certificate: dict[str, Any]) -> dict[str, Any]:
    facts: dict[str, Any] = {name: certificate[name] for name in ("records", "suppressed", "classes")}
    facts |= {f"level of {column['name']}": column["level"] for column in certificate["columns"] if "level" in column}
    for promise in certificate["promises"]:
        columns = f" of {', '.join(promise['columns'])}" if promise.get("columns") else ""
        for required, measured in zip(promise["required"], promise["measured"] or [], strict=False):
            facts[f"{required['name']}{columns}"] = measured
    return {**facts, **certificate["measures"]}


def _text(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
