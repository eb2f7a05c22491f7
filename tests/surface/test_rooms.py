"""The guided tour of the house leads to what is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import incrowd

HOUSE = Path(incrowd.__file__).parent
PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "rooms.md"
STOPS = 20


def names_in(path: Path) -> set[str]:
    """Give what a module defines: functions, classes, and the methods of classes."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{inner.name}" for inner in node.body if isinstance(inner, ast.FunctionDef)}
    return found


def test_every_stop_of_the_tour_is_there() -> None:
    stops = re.findall(r"^\d+\. `([\w/]+\.py)` `([\w.]+)`", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert len(stops) == STOPS
    assert [stop for stop in stops if stop[1] not in names_in(HOUSE / stop[0])] == []


def test_the_page_names_every_room() -> None:
    rooms = {path.name for path in HOUSE.iterdir() if (path / "__init__.py").exists()}
    named = set(re.findall(r"`(\w+)`", "\n".join(line for line in PAGE.read_text().splitlines() if line[:3] == "| `")))
    assert rooms <= named
