"""What is public is listed, sorted, and can be loaded."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from pathlib import Path

import pytest

import incrowd

HOUSE = Path(incrowd.__file__).parent
ROOMS = sorted(module.name for module in pkgutil.iter_modules([str(HOUSE)]) if module.ispkg)
LIBRARY = [room for room in ROOMS if room not in {"cli", "web"}]  # those two are used by clicks and commands


def bound_at_the_top(room: str) -> set[str]:
    """Give the names that a room's front page imports from the house or defines itself, without underscore."""
    names: set[str] = set()
    for node in ast.parse((HOUSE / room / "__init__.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("incrowd"):
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
    return {name for name in names if not name.startswith("_")}


def house_order(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions, each by the alphabet (ruff's RUF022)."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def listed(room: str) -> list[str]:
    return list(getattr(importlib.import_module(f"incrowd.{room}"), "__all__", []))


@pytest.mark.parametrize("room", LIBRARY)
def test_a_room_lists_exactly_its_public_members(room: str) -> None:
    assert set(listed(room)) == bound_at_the_top(room)


@pytest.mark.parametrize("room", LIBRARY)
def test_a_room_lists_its_members_in_order_and_once(room: str) -> None:
    assert listed(room) == sorted(set(listed(room)), key=house_order)


@pytest.mark.parametrize("room", ROOMS)
def test_everything_inside_a_room_is_private_but_its_front_page(room: str) -> None:
    modules = {path.name for path in (HOUSE / room).glob("*.py")} - {"__init__.py", "__main__.py"}
    shown = {"kernels.py"} if room == "core" else set()  # compiled loops are loaded only where they pay
    assert {name for name in modules if not name.startswith("_")} == shown


def rooms_of_names() -> dict[str, str]:
    """Give the room of every public name, as type checkers see it and the house loads it."""
    tree = ast.parse((HOUSE / "__init__.pyi").read_text(encoding="utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    assert all(alias.asname == alias.name for node in imports for alias in node.names)
    return {alias.name: str(node.module) for node in imports for alias in node.names}


def test_every_public_name_stands_once_and_its_room_lists_it_too() -> None:
    named = rooms_of_names()
    assert sorted(named) == sorted(dir(incrowd))
    assert (HOUSE / "__init__.pyi").read_text(encoding="utf-8").count(" as ") == len(named)
    assert [name for name, room in named.items() if name not in listed(room)] == []


@pytest.mark.parametrize(("name", "room"), rooms_of_names().items())
def test_every_public_name_can_be_loaded(name: str, room: str) -> None:
    assert getattr(incrowd, name) is getattr(importlib.import_module(f"incrowd.{room}"), name)


@pytest.mark.parametrize("name", dir(incrowd))
def test_every_public_name_is_documented(name: str) -> None:
    assert (getattr(incrowd, name).__doc__ or "").strip()


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="No incrowd attribute anonymise"):
        incrowd.anonymise  # type: ignore[attr-defined]  # noqa: B018


def test_the_package_says_that_it_is_typed() -> None:
    assert (HOUSE / "py.typed").is_file()
