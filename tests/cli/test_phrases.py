"""What the library says in Python's words can be typed after the command, or written into a plan."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

import incrowd
from incrowd.cli._run import terminal_words
from incrowd.plan._checks import searches
from incrowd.plan._sections import ColumnSection

SOURCE = Path(incrowd.__file__).parent
CALL = re.compile(rf"\b(?:{'|'.join(one.__name__ for one in searches().values())})\([^()]*\)")


@pytest.mark.parametrize(
    ("said", "here"),
    [
        ("it can be read with encoding='cp1252'.", 'with --encoding cp1252, or encoding = "cp1252" in a plan.'),
        ("for example separator=';'.", 'for example --separator ";", or separator = ";" in a plan.'),
        ("by its number from 1: sheet=1.", "from 1: --sheet 1, or sheet = 1 in a plan."),
        ("give it more memory, such as memory='16GB'.", "such as --memory 16GB."),
        ("allow to replace it: force=True, --force on the command line.", "allow to replace it: --force."),
        ("max_suppressed_records=3 would be enough.", "max_suppressed_records = 3 in place of max_suppressed would be"),
        ("use Mondrian() or CheapestFirst().", 'use "mondrian" or "cheapest-first".'),
        ("use Mondrian(strict=True).", 'use { name = "mondrian", strict = true }.'),
        ('use TopDown("loss").', 'use { name = "top-down", best = "loss" }.'),
        ("the error carries them in .values; the command line prints them with --show-values.", "--show-values prints"),
        ("use suppression='drop'.", 'use suppression = "drop".'),
        ("write of='disease'.", "name it in brackets: [disease]."),
        ('write NTCloseness(..., supersets="path").', "write nt(...)[path]."),
        ("did you mean 'Mondrian (a town)'?", "did you mean 'Mondrian (a town)'?"),
    ],
)
def test_a_hint_for_python_is_said_in_the_words_of_the_command_line(said: str, here: str) -> None:
    assert here in terminal_words(said)


@pytest.mark.parametrize(
    ("said", "key", "role"),
    [
        ("write sensitive={'a b': categories(...)}, most secret first.", "categories", "sensitive"),
        ("write sensitive={'a b': tree(...)}.", "hierarchy", "sensitive"),
        ("write sensitive={'a b': ordered([...])}.", "hierarchy", "sensitive"),
        ("say how it becomes vaguer, for example quasi={'a b': intervals(5, 10)}.", "hierarchy", "quasi"),
    ],
)
def test_what_is_advised_for_a_column_can_be_written_into_a_plan(said: str, key: str, role: str) -> None:
    found = re.search(rf"({key} = .*) under (\[columns\..*\])", terminal_words(said))
    assert found is not None
    written = tomllib.loads(f'{found[2]}\nrole = "{role}"\n{found[1]}\n')["columns"]["a b"]
    assert ColumnSection.model_validate(written).role == role


def test_every_search_that_a_text_names_is_named_as_a_plan_names_it() -> None:
    found = 0
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
            for call in CALL.findall(text) if "\n" not in text else []:
                plan = tomllib.loads(f"algorithm = {terminal_words(call)}")["algorithm"]
                name = plan if isinstance(plan, str) else plan.pop("name")
                searches()[name](**({} if isinstance(plan, str) else plan))
                found += 1
    assert found > 20
