"""Nothing grows until nobody can read it any more."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import incrowd

HOUSE = Path(incrowd.__file__).parent
MODULE_LINES = 500
ALONE = {"release/_verify_script.py": 550}
"""What stands on its own wherever it is copied, and cannot be cut in two."""
FUNCTION_LINES = 50


def functions() -> Iterator[tuple[str, int]]:
    """Give every function with the number of its lines, from ``def`` to its end, without the docstring."""
    for path in HOUSE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                first = node.body[0]
                said = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
                words = (first.end_lineno or 0) - first.lineno + 1 if said else 0
                yield f"{path.relative_to(HOUSE)}:{node.name}", (node.end_lineno or 0) - node.lineno + 1 - words


def test_no_module_is_too_long() -> None:
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in HOUSE.rglob("*.py")}
    assert len(lines) > 20
    named = {path.relative_to(HOUSE).as_posix(): count for path, count in lines.items()}
    assert {name: count for name, count in named.items() if count > ALONE.get(name, MODULE_LINES)} == {}


def test_no_function_is_too_long() -> None:
    lines = list(functions())
    assert len(lines) > 100
    assert [(name, count) for name, count in lines if count > FUNCTION_LINES] == []
