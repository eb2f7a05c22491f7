"""Modules are nouns that one can read in a sitting, and each is tested by the file of its name."""

from __future__ import annotations

import ast
import runpy
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import incrowd

HOUSE = Path(incrowd.__file__).parent
MODULES, ROOM_MODULES = 302, 41
MODULE_LINES, FUNCTION_LINES = 400, 50
LONGER = {
    "evidence/_subject.py": 420,  # the one place where whatever a question is about is opened
    "engines/_files.py": 420,  # reading and writing files by all engines: one half does not explain itself
    "plan/_plan.py": 420,  # all that a plan says, does and writes
    "release/_publish.py": 405,  # from what was found to a checked release, in the order in which it happens
    "release/_verify.py": 435,  # a file held against all that its certificate says
    "release/_verify_script.py": 885,  # it stands on its own wherever it is copied, and measures every promise
}
NO_NOUNS = """alike asked asking bound called common fits fitted found given held helpers it joined kept looked_at
made misc of searched seen shown told two undivided unread utils"""


def benchmark() -> dict[str, Any]:
    return runpy.run_path(str(HOUSE.parents[1] / "benchmarks" / "house.py"))


@pytest.fixture(scope="module")
def house() -> Any:
    """Count the house as the benchmark does."""
    return benchmark()["House"]()


def test_the_house_has_few_modules_and_no_room_too_many(house: Any) -> None:
    assert len(house.plain) <= MODULES
    rooms = Counter(module.name.split(".")[1] for module in house.plain)
    assert {room: count for room, count in rooms.items() if count > ROOM_MODULES} == {}


def test_a_module_is_named_by_a_noun(house: Any) -> None:
    assert [module.name for module in house.plain if module.path.stem.strip("_") in NO_NOUNS.split()] == []


def test_no_module_is_too_long(house: Any) -> None:
    sizes = {module.path.relative_to(HOUSE).as_posix(): module.size for module in house.modules.values()}
    assert {name: size for name, size in sizes.items() if size > LONGER.get(name, MODULE_LINES)} == {}


def test_no_modules_import_each_other_not_even_inside_of_functions(house: Any) -> None:
    assert house.circles() == []


def test_a_small_module_has_several_importers(house: Any) -> None:
    assert house.lonely() == []


def test_every_module_has_a_test_file_of_its_name_or_a_reason(house: Any) -> None:
    assert house.untested() == []


def functions(house: Any) -> Iterator[tuple[str, int]]:
    """Give every function with the number of its lines, from ``def`` to its end, without the docstring."""
    for module in house.modules.values():
        for node in module.functions:
            first = node.body[0]
            said = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
            words = (first.end_lineno or 0) - first.lineno + 1 if said else 0
            yield f"{module.name}.{node.name}", (node.end_lineno or 0) - node.lineno + 1 - words


def test_no_function_is_too_long(house: Any) -> None:
    lines = list(functions(house))
    assert len(lines) > 100
    assert [(name, count) for name, count in lines if count > FUNCTION_LINES] == []


def test_the_map_says_of_every_module_what_its_first_line_says(house: Any) -> None:
    page = HOUSE.parents[1] / "docs" / "explanation" / "map.md"
    renew = "python benchmarks/house.py --map > docs/explanation/map.md"
    assert page.read_text(encoding="utf-8") == benchmark()["map_of"](house), renew


def test_no_two_modules_say_the_same_of_what_is_found_there(house: Any) -> None:
    sentences = Counter(module.sentence for module in house.modules.values())
    assert [sentence for sentence, count in sentences.items() if count > 1 or not sentence.endswith((".", ")"))] == []
